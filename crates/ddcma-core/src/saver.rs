//! Whether a run is saved while it goes on, and what it says if it cannot be. Without the feature `checkpoint` nobody saves anything.
//! Knows neither files nor runs.

use std::fmt;

/// Why a run could not be saved: there is no such reason without the feature `checkpoint`.
#[cfg(feature = "checkpoint")]
pub(crate) type SaveError = crate::CheckpointError;
#[cfg(not(feature = "checkpoint"))]
pub(crate) type SaveError = std::convert::Infallible;

/// Writes runs of type `T`.
#[doc(hidden)]
pub trait Save<T>: fmt::Debug + Send + Sync {
    /// Whether a value that arrives is a reason to save.
    fn is_due(&self) -> bool;

    /// Whether the end of a generation is a reason to save.
    fn is_due_after_generation(&mut self) -> bool;

    /// Saves the run.
    fn write(&mut self, run: &T) -> Result<(), SaveError>;
}

/// Saves a run, or nothing. A clone of a run is not saved: two runs cannot share a file.
#[doc(hidden)]
#[derive(Debug)]
pub struct Saver<T> {
    job: Option<Box<dyn Save<T>>>,
    error: Option<SaveError>,
}

impl<T> Default for Saver<T> {
    fn default() -> Self {
        Self { job: None, error: None }
    }
}

impl<T> Clone for Saver<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> Saver<T> {
    #[cfg(feature = "checkpoint")]
    pub(crate) fn new(job: Box<dyn Save<T>>) -> Self {
        Self { job: Some(job), error: None }
    }

    /// Whether a value that arrives is a reason to save.
    pub fn is_due(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.is_due())
    }

    /// Whether the end of a generation is a reason to save.
    pub fn is_due_after_generation(&mut self) -> bool {
        self.job.as_mut().is_some_and(|job| job.is_due_after_generation())
    }

    /// Saves the run. An error is kept until somebody [asks](Self::result) for it.
    pub fn write(&mut self, run: &T) {
        self.error = self.job.as_mut().and_then(|job| job.write(run).err());
    }

    /// Whether the last save went well.
    pub fn result(&mut self) -> Result<(), SaveError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

/// The three occasions to save a run that has a field `saver`, inside of its `impl`.
#[doc(hidden)]
#[macro_export]
macro_rules! save_on_occasion {
    () => {
        /// Saves, if a value that has arrived is a reason to.
        pub(crate) fn save_if_due(&mut self) {
            if self.saver.is_due() {
                self.save_now();
            }
        }

        /// Saves, if a generation that is over is a reason to.
        pub(crate) fn save_after_generation<E>(&mut self) -> ::std::result::Result<(), $crate::Interrupted<E>> {
            if self.saver.is_due_after_generation() {
                self.save_now();
            }
            self.saver.result().map_err($crate::Interrupted::Autosave)
        }

        /// Saves what is over: started again, the program has its result at once.
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
