//! Runs as bytes and in files: what is stored, how it is sealed, and when a run that is driven is saved.

#[cfg(feature = "checkpoint")]
mod autosave;
#[cfg(feature = "checkpoint")]
mod checkpoint;
mod error;
mod origin;
#[cfg(feature = "checkpoint")]
pub mod storage;

#[cfg(feature = "checkpoint")]
pub use autosave::Autosave;
#[cfg(feature = "checkpoint")]
pub(crate) use autosave::FileSaver;
pub use error::CheckpointError;
pub use origin::Origin;

use crate::Run;

/// Saves a run that is driven. Without the feature `checkpoint`, nothing implements it.
pub(crate) trait Saver: std::fmt::Debug {
    /// Continues from what was saved, if there is anything; from now on, the run is saved.
    fn begin(&mut self, run: &mut dyn Run) -> Result<(), CheckpointError>;

    /// Returns the number of evaluations from which the run continued.
    fn resumed_at(&self) -> Option<u64>;

    /// Saves the run if that is due when a value arrives. An error is kept until [`result`](Self::result) returns it.
    fn value_arrived(&mut self, run: &dyn Run);

    /// Saves the run if that is due at the end of a generation.
    fn after_generation(&mut self, run: &dyn Run) -> Result<(), CheckpointError>;

    /// Saves the run. An error is kept.
    fn write(&mut self, run: &dyn Run);

    /// Returns the error of the last save, if it failed.
    fn result(&mut self) -> Result<(), CheckpointError>;
}
