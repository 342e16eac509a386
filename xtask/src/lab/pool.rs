//! Runs trials on the lab's pool, with their progress on the terminal.

use ddcma_lab::cli::Terminal;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::LabError;
use super::records::Records;

/// Runs the trials that have no record yet, and shows the progress: see [`ddcma_lab::pool::run`].
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
    ddcma_lab::pool::run(trials, key, jobs, records, &Terminal::default(), trial)
}
