//! Autosaves: a file that is kept up to date during a run, so that a program that was killed can continue. This module
//! decides how often the file is written, and checks which run it belongs to.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::saver::{Save, Saver};
use crate::{CheckpointError, storage};

const MAGIC: &[u8; 8] = b"ddcma\0as";

/// The interval between saves, unless the user sets one.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

/// The file to which a run is saved, and how often; a path is enough.
///
/// The file is replaced as a whole: a process that is killed while writing leaves the previous file. It is also written when
/// the run starts, when it ends, and when the objective fails. When the same program is started again, it continues from
/// this file, bit for bit.
///
/// ```
/// use std::time::Duration;
/// use ddcma_core::Autosave;
///
/// let autosave = Autosave::new("run.checkpoint").every(Duration::from_secs(600)).objective("wing, mesh 3");
/// # let _ = autosave;
/// ```
#[derive(Clone, Debug)]
pub struct Autosave {
    path: PathBuf,
    generations: Option<u64>,
    interval: Option<Duration>,
    objective: Option<String>,
}

impl Autosave {
    /// Creates an autosave to this file, at least every 60 seconds.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), generations: None, interval: None, objective: None }
    }

    /// Sets the interval between saves. A save happens when the next value arrives, even in the middle of a generation.
    #[must_use = "it returns the changed autosave"]
    pub fn every(mut self, interval: Duration) -> Self {
        self.interval = Some(interval);
        self
    }

    /// Sets the number of generations between saves, at least 1. Saves then no longer depend on time, unless an interval
    /// is set as well.
    #[must_use = "it returns the changed autosave"]
    pub fn every_generations(mut self, generations: u64) -> Self {
        self.generations = Some(generations);
        self
    }

    /// Sets the name of the objective function. A file that was written under another name is rejected.
    ///
    /// Use a name that changes with the function (a version, the name of a data set), so that values of different functions
    /// are not mixed. Without a name, `minimize` and `restarts` use the name of the objective's type, which distinguishes
    /// functions but not closures or data. `f`, `Fallible(f)` and `Parallel(f)` have the same name.
    #[must_use = "it returns the changed autosave"]
    pub fn objective(mut self, name: impl Into<String>) -> Self {
        self.objective = Some(name.into());
        self
    }

    /// Uses the type of the objective as its name, if it has none.
    #[doc(hidden)]
    #[must_use]
    pub fn of<O>(mut self) -> Self {
        self.objective.get_or_insert_with(|| without_wrappers(std::any::type_name::<O>()).to_string());
        self
    }

    /// Continues from the file if there is one, otherwise starts the new run; from now on, the run is saved.
    #[doc(hidden)]
    pub fn attach<T: Autosaved>(self, fresh: T) -> Result<T, CheckpointError> {
        if self.generations == Some(0) {
            return Err(CheckpointError::EveryZeroGenerations);
        }
        let origin = Origin { objective: self.objective.clone(), parts: fresh.origin()? };
        let (mut run, resumed_at) = match origin.read(&self.path)? {
            Some(bytes) => {
                let run = fresh.resume(&bytes).map_err(|error| unusable(&self.path, error))?;
                let resumed_at = Some(run.evaluations_so_far());
                (run, resumed_at)
            }
            None => (fresh, None),
        };
        let mut job = Job { autosave: self, origin, to_bytes: T::to_bytes, saved: Instant::now(), generations: 0 };
        job.write(&run)?; // fail now, before anything is computed that could be lost
        *run.saver() = Saver::new(Box::new(job), resumed_at);
        Ok(run)
    }

    fn time_is_up(&self, saved: Instant) -> bool {
        let default = self.generations.is_none().then_some(DEFAULT_INTERVAL);
        self.interval.or(default).is_some_and(|interval| saved.elapsed() >= interval)
    }
}

impl<P: Into<PathBuf>> From<P> for Autosave {
    fn from(path: P) -> Self {
        Self::new(path)
    }
}

/// The inputs that a run was started with, to reject the file of another run.
struct Origin {
    objective: Option<String>,
    /// Names with their checksums.
    parts: Vec<(&'static str, u32)>,
}

impl Origin {
    /// Returns the run in the file, as bytes; `None` if there is no file.
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, CheckpointError> {
        let bytes = match storage::read(path) {
            Err(CheckpointError::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let body = storage::open_run(MAGIC, &bytes).map_err(|error| unusable(path, error))?;
        let stored = postcard::from_bytes::<(Option<String>, Vec<(String, u32)>, Vec<u8>)>(body);
        let (objective, parts, bytes) = stored.map_err(|error| unusable(path, malformed(error)))?;
        self.check(path, objective, &parts)?;
        Ok(Some(bytes))
    }

    fn check(&self, path: &Path, objective: Option<String>, parts: &[(String, u32)]) -> Result<(), CheckpointError> {
        let differs =
            |(name, sum): &&(&'static str, u32)| !parts.iter().any(|stored| stored.0 == *name && stored.1 == *sum);
        if let Some((what, _)) = self.parts.iter().find(differs) {
            return Err(CheckpointError::OtherRun { path: path.into(), what });
        }
        let [expected, found] = [self.objective.clone(), objective].map(Option::unwrap_or_default);
        if found != expected {
            return Err(CheckpointError::OtherObjective { path: path.into(), expected, found });
        }
        Ok(())
    }
}

/// Returns the name of the objective's type without our wrappers, which do not change its values.
fn without_wrappers(mut name: &str) -> &str {
    const WRAPPERS: [&str; 2] = ["ddcma_core::objective::Parallel<", "ddcma_core::objective::Fallible<"];
    while let Some(inner) = WRAPPERS.iter().find_map(|wrapper| name.strip_prefix(wrapper)?.strip_suffix('>')) {
        name = inner;
    }
    name
}

/// Returns the checksum of one of the inputs that a run was started with.
#[doc(hidden)]
pub fn part<T: Serialize>(name: &'static str, value: &T) -> Result<(&'static str, u32), CheckpointError> {
    Ok((name, crc32fast::hash(&postcard::to_allocvec(value).map_err(malformed)?)))
}

/// A run that can be saved as it goes.
#[doc(hidden)]
pub trait Autosaved: Sized + 'static {
    /// Returns the checksums of all inputs that the run was started with; an error if it has already begun.
    fn origin(&self) -> Result<Vec<(&'static str, u32)>, CheckpointError>;

    /// Returns the run as bytes.
    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError>;

    /// Returns the run stored in these bytes, with the stop criteria and budgets of `self`.
    fn resume(self, bytes: &[u8]) -> Result<Self, CheckpointError>;

    /// Returns the number of evaluations so far.
    fn evaluations_so_far(&self) -> u64;

    /// Returns the field that saves the run.
    fn saver(&mut self) -> &mut Saver<Self>;
}

/// The file of a run, and when it was last written.
struct Job<T> {
    autosave: Autosave,
    origin: Origin,
    to_bytes: fn(&T) -> Result<Vec<u8>, CheckpointError>,
    saved: Instant,
    /// The number of generations since the last save.
    generations: u64,
}

impl<T> fmt::Debug for Job<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.autosave.fmt(f)
    }
}

impl<T> Save<T> for Job<T> {
    fn is_due(&self) -> bool {
        self.autosave.time_is_up(self.saved)
    }

    fn is_due_after_generation(&mut self) -> bool {
        self.generations += 1;
        self.autosave.generations.is_some_and(|every| self.generations >= every) || self.is_due()
    }

    fn write(&mut self, run: &T) -> Result<(), CheckpointError> {
        self.saved = Instant::now();
        self.generations = 0;
        let Origin { objective, parts } = &self.origin;
        let body = postcard::to_allocvec(&(objective, parts, (self.to_bytes)(run)?)).map_err(malformed)?;
        storage::write(&self.autosave.path, &storage::seal_run(MAGIC, &body))
    }
}

fn unusable(path: &Path, error: CheckpointError) -> CheckpointError {
    CheckpointError::Autosave { path: path.into(), error: Box::new(error) }
}

fn malformed(error: postcard::Error) -> CheckpointError {
    CheckpointError::Malformed { reason: error.to_string() }
}
