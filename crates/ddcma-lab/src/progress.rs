//! The trait for following the progress of an experiment.

/// Follows the progress of an experiment. Called from several threads.
pub trait Progress: Sync {
    /// Called at the start, with the numbers of trials to run and of trials on record.
    fn started(&self, missing: usize, on_record: usize) {
        let _ = (missing, on_record);
    }

    /// Called after each trial, with its key.
    fn done(&self, key: &str) {
        let _ = key;
    }

    /// Called at the end, also after an error.
    fn ended(&self) {}
}

/// A progress that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
