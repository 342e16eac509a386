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
pub(crate) use autosave::Saver;
pub use error::CheckpointError;
pub use origin::Origin;
#[cfg(not(feature = "checkpoint"))]
pub(crate) use without::Saver;

/// Without the feature `checkpoint`, nothing is saved.
#[cfg(not(feature = "checkpoint"))]
mod without {
    use crate::{CheckpointError, Run};

    #[derive(Debug)]
    pub(crate) enum Saver {}

    impl Saver {
        pub(crate) fn begin(&mut self, _: &mut dyn Run) -> Result<(), CheckpointError> {
            match *self {}
        }

        pub(crate) fn resumed_at(&self) -> Option<u64> {
            match *self {}
        }

        pub(crate) fn value_arrived(&mut self, _: &dyn Run) {
            match *self {}
        }

        pub(crate) fn after_generation(&mut self, _: &dyn Run) -> Result<(), CheckpointError> {
            match *self {}
        }

        pub(crate) fn write(&mut self, _: &dyn Run) {
            match *self {}
        }

        pub(crate) fn result(&mut self) -> Result<(), CheckpointError> {
            match *self {}
        }
    }
}
