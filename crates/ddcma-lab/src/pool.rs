//! Runs trials on a pool of threads. The results do not depend on the number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::records::Records;
use crate::{LabError, LabErrorKind, Progress};

/// Runs the trials without a record, in order, and appends their records as they end.
///
/// The first trial that returns an error ends the work; running trials are finished. A trial that panics is reported by its key at the
/// end; the others continue.
pub fn run<T, R>(
    trials: &[T],
    key: impl Fn(&T) -> String + Sync,
    jobs: Option<u32>,
    records: &mut Records<R>,
    progress: &dyn Progress,
    trial: impl Fn(&T) -> Result<R, LabError> + Sync,
) -> Result<(), LabError>
where
    T: Sync,
    R: Serialize + DeserializeOwned + Send,
{
    let missing: Vec<&T> = trials.iter().filter(|trial| records.get(&key(trial)).is_none()).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.map_or(0, |jobs| jobs as usize)).build();
    let pool = pool.map_err(|error| LabError::new(format!("the threads could not be started: {error}")))?;
    progress.started(missing.len(), trials.len() - missing.len());
    let (records, panicked) = (Mutex::new(records), Mutex::new(Vec::new()));
    // Each thread takes the next trial when it has finished one, so the long ones, which come first, start first.
    let next = AtomicUsize::new(0);
    let outcomes = pool.broadcast(|_| {
        while let Some(task) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let key = key(task);
            let kept = match catch_unwind(AssertUnwindSafe(|| trial(task))) {
                Ok(outcome) => outcome.and_then(|record| held(&records).append(key.clone(), record)),
                Err(payload) => {
                    held(&panicked).push(format!("{key}: {}", message(&*payload)));
                    Ok(())
                }
            };
            if let Err(error) = kept {
                next.store(missing.len(), Ordering::Relaxed);
                return Err(error);
            }
            progress.done(&key);
        }
        Ok(())
    });
    progress.ended();
    outcomes.into_iter().collect::<Result<(), LabError>>()?;
    let mut panicked = panicked.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    panicked.sort();
    match &panicked[..] {
        [] => Ok(()),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
            Err(LabError::of(LabErrorKind::Panic, format!("a trial panicked: {first}{more}; the others are on record")))
        }
    }
}

/// Locks a mutex that is never held while something can panic.
fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Returns the message of a panic.
pub(crate) fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message")
}
