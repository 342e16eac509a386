//! How far an experiment is, for whoever wants to know. Prints nothing.

/// Hears how far an experiment is, from several threads.
pub trait Progress: Sync {
    /// So many trials are to be run, beside those that are on record.
    fn started(&self, missing: usize, on_record: usize) {
        let _ = (missing, on_record);
    }

    /// One of them is done.
    fn done(&self, key: &str) {
        let _ = key;
    }

    /// All of them are done, or the experiment has ended otherwise.
    fn ended(&self) {}
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
