//! Trials on a pool of threads, with their progress. The results do not depend on the number of threads.
//!
//! Knows trials as keys and functions. Does not know what a trial is.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::LabError;
use super::records::Records;

/// Runs the trials that have no record yet, in their order, and appends their records as they come.
///
/// The first trial that fails ends the work; those that are under way are finished.
pub fn run<T, R>(
    trials: &[T],
    key: impl Fn(&T) -> String + Sync,
    jobs: Option<u32>,
    records: &mut Records<R>,
    trial: impl Fn(&T) -> Result<R, LabError> + Sync,
) -> Result<(), LabError>
where
    T: Sync,
    R: Serialize + DeserializeOwned + Send,
{
    let missing: Vec<&T> = trials.iter().filter(|trial| records.get(&key(trial)).is_none()).collect();
    let known = trials.len() - missing.len();
    if known > 0 {
        eprintln!("{known} of {} trials are on record", trials.len());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.map_or(0, |jobs| jobs as usize)).build();
    let pool = pool.map_err(|error| LabError::new(format!("no threads: {error}")))?;
    let progress = Progress::new(missing.len());
    let records = Mutex::new(records);
    // Each thread takes the next trial when it has done one: long ones that come first are begun first.
    let next = AtomicUsize::new(0);
    let outcomes = pool.broadcast(|_| {
        while let Some(task) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let kept = trial(task).and_then(|record| match records.lock() {
                Ok(mut records) => records.append(key(task), record),
                // A poisoned lock: another thread has panicked, and that panic is on its way.
                Err(_) => Ok(()),
            });
            if let Err(error) = kept {
                next.store(missing.len(), Ordering::Relaxed);
                return Err(error);
            }
            progress.step();
        }
        Ok(())
    });
    progress.end();
    outcomes.into_iter().collect()
}

/// A bar in a terminal, plain lines elsewhere.
#[derive(Debug)]
struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    start: Instant,
    lines: Mutex<(usize, Instant)>,
}

impl Progress {
    fn new(total: usize) -> Self {
        let bar = (std::io::stderr().is_terminal() && total > 0).then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = "{bar:40} {pos}/{len} trials, {per_sec}, {eta} left";
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self { bar, total, start: Instant::now(), lines: Mutex::new((0, Instant::now())) }
    }

    fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
            return;
        }
        let Ok(mut lines) = self.lines.lock() else { return };
        let (done, last) = &mut *lines;
        *done += 1;
        if last.elapsed() > Duration::from_secs(10) {
            *last = Instant::now();
            let elapsed = self.start.elapsed().as_secs_f64();
            let rate = *done as f64 / elapsed;
            let left = (self.total - *done) as f64 / rate;
            eprintln!("{done}/{} trials, {rate:.1}/s, {left:.0} s left", self.total);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
