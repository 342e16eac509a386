//! Saves a run while it is in progress, and keeps the error if saving fails. Without the feature `checkpoint`, nothing is
//! saved.

use std::fmt;

/// The error of a failed save; without the feature `checkpoint` there is none.
#[cfg(feature = "checkpoint")]
pub(crate) type SaveError = crate::CheckpointError;
#[cfg(not(feature = "checkpoint"))]
pub(crate) type SaveError = std::convert::Infallible;

/// Writes runs of type `T`.
#[doc(hidden)]
pub trait Save<T>: fmt::Debug + Send + Sync {
    /// Returns whether to save when a value arrives.
    fn is_due(&self) -> bool;

    /// Returns whether to save at the end of a generation.
    fn is_due_after_generation(&mut self) -> bool;

    /// Saves the run.
    fn write(&mut self, run: &T) -> Result<(), SaveError>;
}

/// Saves a run, or does nothing. A clone of a run is not saved, because two runs cannot share a file.
#[doc(hidden)]
#[derive(Debug)]
pub struct Saver<T> {
    job: Option<Box<dyn Save<T>>>,
    error: Option<SaveError>,
    /// The number of evaluations in the file from which the run continued.
    resumed_at: Option<u64>,
}

impl<T> Default for Saver<T> {
    fn default() -> Self {
        Self { job: None, error: None, resumed_at: None }
    }
}

impl<T> Clone for Saver<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> Saver<T> {
    #[cfg(feature = "checkpoint")]
    pub(crate) fn new(job: Box<dyn Save<T>>, resumed_at: Option<u64>) -> Self {
        Self { job: Some(job), error: None, resumed_at }
    }

    /// Returns the number of evaluations in the file from which the run continued; `None` for a new run.
    pub fn resumed_at(&self) -> Option<u64> {
        self.resumed_at
    }

    /// Returns whether to save when a value arrives.
    pub fn is_due(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.is_due())
    }

    /// Returns whether to save at the end of a generation.
    pub fn is_due_after_generation(&mut self) -> bool {
        self.job.as_mut().is_some_and(|job| job.is_due_after_generation())
    }

    /// Saves the run. An error is kept until [`result`](Self::result) returns it.
    pub fn write(&mut self, run: &T) {
        self.error = self.job.as_mut().and_then(|job| job.write(run).err());
    }

    /// Returns the error of the last save, if it failed.
    pub fn result(&mut self) -> Result<(), SaveError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Defines the methods that save a run on three occasions, inside the `impl` of a type with a field `saver`.
#[doc(hidden)]
#[macro_export]
macro_rules! save_on_occasion {
    () => {
        /// Saves the run if that is due when a value arrives.
        pub(crate) fn save_if_due(&mut self) {
            if self.saver.is_due() {
                self.save_now();
            }
        }

        /// Saves the run if that is due at the end of a generation.
        pub(crate) fn save_after_generation<E>(&mut self) -> ::std::result::Result<(), $crate::Interrupted<E>> {
            if self.saver.is_due_after_generation() {
                self.save_now();
            }
            self.saver.result().map_err($crate::Interrupted::Autosave)
        }

        /// Saves a finished run, so that the program has the result immediately when it is started again.
        pub(crate) fn save_at_end<E>(&mut self) -> ::std::result::Result<(), $crate::Interrupted<E>> {
            self.save_now();
            self.saver.result().map_err($crate::Interrupted::Autosave)
        }

        pub(crate) fn save_now(&mut self) {
            let mut saver = ::std::mem::take(&mut self.saver);
            saver.write(self);
            self.saver = saver;
        }
    };
}
