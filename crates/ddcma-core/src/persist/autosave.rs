//! Autosaves: a file that is kept up to date while a run is driven, so that a program that was killed can continue. This module
//! decides how often the file is written, and lets only one run use it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{CheckpointError, Origin, Saver, storage};
use crate::Run;

const MAGIC: &[u8; 8] = b"ddcma\0as";

/// The interval between saves, unless the user sets one.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

/// The file to which a run is saved, and how often; a path is enough.
///
/// The file is replaced as a whole: a process that is killed while writing leaves the previous file. It is also written when
/// the run starts, when it ends, and when the objective fails. When the same program is started again, it continues from
/// this file, bit for bit. An empty file next to it, `.NAME.lock`, keeps other processes from using it at the same time; the lock ends with
/// the process.
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
    #[must_use = "it returns the changed autosave"]
    pub fn named_after<O>(mut self) -> Self {
        self.objective.get_or_insert_with(|| without_wrappers(std::any::type_name::<O>()).to_string());
        self
    }
}

impl<P: Into<PathBuf>> From<P> for Autosave {
    fn from(path: P) -> Self {
        Self::new(path)
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

/// Saves a run that is driven to a file.
#[derive(Debug)]
pub(crate) struct FileSaver {
    autosave: Autosave,
    /// What the run was started with. Another run must not be saved to the same file.
    origin: Origin,
    /// Locked from the beginning on.
    lock: Option<Lock>,
    resumed_at: Option<u64>,
    saved: Instant,
    /// The number of generations since the last save.
    generations: u64,
    /// The error of a save that failed while values arrived.
    error: Option<CheckpointError>,
}

impl FileSaver {
    pub(crate) fn new(autosave: Autosave) -> Self {
        Self {
            autosave,
            origin: Origin::new(),
            lock: None,
            resumed_at: None,
            saved: Instant::now(),
            generations: 0,
            error: None,
        }
    }

    fn is_due(&self) -> bool {
        let default = self.autosave.generations.is_none().then_some(DEFAULT_INTERVAL);
        self.autosave.interval.or(default).is_some_and(|interval| self.saved.elapsed() >= interval)
    }

    /// Returns what is in the file; `None` if there is no file.
    fn read(&self) -> Result<Option<Stored>, CheckpointError> {
        let path = &self.autosave.path;
        let bytes = match storage::read(path) {
            Err(CheckpointError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let stored = storage::open_run(MAGIC, &bytes).and_then(storage::from_bytes);
        let (objective, origin, evaluations, bytes) = stored.map_err(|error| unusable(path, error))?;
        Ok(Some(Stored { objective, origin, evaluations, bytes }))
    }

    fn check_objective(&self, found: Option<String>) -> Result<(), CheckpointError> {
        let Autosave { path, objective, .. } = &self.autosave;
        let [expected, found] = [objective.clone(), found].map(Option::unwrap_or_default);
        if found == expected {
            return Ok(());
        }
        Err(CheckpointError::OtherObjective { path: path.clone(), expected, found })
    }
}

impl Saver for FileSaver {
    fn begin(&mut self, run: &mut dyn Run) -> Result<(), CheckpointError> {
        if self.lock.is_some() {
            return run.origin().check(&self.origin);
        }
        self.origin = run.origin();
        if self.autosave.generations == Some(0) {
            return Err(CheckpointError::EveryZeroGenerations);
        }
        let lock = Lock::beside(&self.autosave.path)?;
        if let Some(stored) = self.read()? {
            run.origin().check(&stored.origin).map_err(|error| unusable(&self.autosave.path, error))?;
            self.check_objective(stored.objective.clone())?;
            let resumed = stored.resume(run).map_err(|error| unusable(&self.autosave.path, error))?;
            self.resumed_at = self.resumed_at.or(resumed.then(|| run.evaluations()));
        }
        self.lock = Some(lock);
        self.write(run); // fail now, before anything is computed that could be lost
        self.result().inspect_err(|_| self.lock = None)
    }

    fn resumed_at(&self) -> Option<u64> {
        self.resumed_at
    }

    fn value_arrived(&mut self, run: &dyn Run) {
        if self.is_due() {
            self.write(run);
        }
    }

    fn after_generation(&mut self, run: &dyn Run) -> Result<(), CheckpointError> {
        self.generations += 1;
        if self.autosave.generations.is_some_and(|every| self.generations >= every) || self.is_due() {
            self.write(run);
        }
        self.result()
    }

    fn write(&mut self, run: &dyn Run) {
        self.saved = Instant::now();
        self.generations = 0;
        let Autosave { path, objective, .. } = &self.autosave;
        let written = run.to_bytes().and_then(|bytes| {
            let body = storage::to_bytes(&(objective, run.origin(), run.evaluations(), bytes))?;
            storage::write(path, &storage::seal_run(MAGIC, &body))
        });
        self.error = written.err();
    }

    fn result(&mut self) -> Result<(), CheckpointError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// What an autosave file contains.
struct Stored {
    objective: Option<String>,
    origin: Origin,
    evaluations: u64,
    bytes: Vec<u8>,
}

impl Stored {
    /// Continues from this state, unless the run has begun and is ahead of it; returns whether it did. Whichever is behind must not
    /// replace the other: nothing that was computed may be lost.
    fn resume(&self, run: &mut dyn Run) -> Result<bool, CheckpointError> {
        let has_begun = run.evaluations() > 0 || run.best().is_some() || run.view().iterations > 0;
        match run.evaluations() {
            _ if !has_begun => run.restore(&self.bytes).map(|()| true),
            evaluations if evaluations >= self.evaluations => Ok(false),
            evaluations => Err(CheckpointError::HasBegun { evaluations, stored: self.evaluations }),
        }
    }
}

/// A locked file next to that of the run, which is replaced when it is written. The lock ends with the process, however it ends.
#[derive(Debug)]
struct Lock(File);

impl Lock {
    fn beside(path: &Path) -> Result<Self, CheckpointError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.lock"));
        let failed = |error| CheckpointError::Io { path: beside.clone(), error };
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&beside).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(CheckpointError::InUse { path: path.into() }),
            // Some file systems have no locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(Self(file)),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

impl Drop for Lock {
    /// Closing the file is not enough: a process that another thread is starting right now still has it open.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

fn unusable(path: &Path, error: CheckpointError) -> CheckpointError {
    CheckpointError::Autosave { path: path.into(), error: Box::new(error) }
}
