//! The errors of checkpoints.

use std::io;
use std::path::PathBuf;

errors! {
    /// The error returned if a checkpoint cannot be read, resumed or written.
    #[derive(Debug)]
    #[non_exhaustive]
    pub enum CheckpointError {
        /// The bytes are not a checkpoint.
        NotACheckpoint => "not a checkpoint of ddcma";
        /// The checkpoint was written in another version of the format.
        Version { found: u32, supported: u32, writer: Option<String> } =>
            "the format version of the checkpoint must be {supported}, got {found}: continue the run with {writer}", writer = written_by(writer);
        /// The checkpoint is damaged.
        Damaged { expected: u32, found: u32 } => "the checkpoint is damaged: its checksum must be {expected:08x}, got {found:08x}";
        /// The checkpoint was written by a run with another strategy.
        Strategy { expected: &'static str, found: String } => "the strategy of the checkpoint must be \"{expected}\", got \"{found}\"";
        /// The checkpoint was written by a run with another step-size rule.
        StepSizeRule { expected: &'static str, found: String } =>
            "the step-size rule of the checkpoint must be \"{expected}\", got \"{found}\"";
        /// The stored state cannot be decoded, perhaps because the strategy has changed since.
        Malformed { reason: String } => "the state in the checkpoint cannot be decoded: {reason}";
        /// The stored state is inconsistent.
        Inconsistent { what: &'static str } => "the state in the checkpoint is inconsistent: {what}";
        /// The file belongs to a run that was started differently.
        OtherRun { what: String } => "the checkpoint belongs to a run that was started differently: restore {what} to continue that run";
        /// The file belongs to a run with another objective.
        OtherObjective { path: PathBuf, expected: String, found: String } =>
            "{path}: the checkpoint belongs to a run with the objective \"{found}\", not \"{expected}\": remove the file to start \
                 a new run, or continue that run with Autosave::objective(\"{found}\")", path = path.display();
        /// The run in an autosave file cannot be continued.
        Autosave { path: PathBuf, error: Box<CheckpointError> } => "{path}: {error}{way_out}", path = path.display(), way_out = way_out(error);
        /// The run cannot be stored.
        Unsupported { what: &'static str } => "{what} cannot be stored: it has no stored form";
        /// The run has already begun, and the file holds a state with more evaluations.
        HasBegun { evaluations: u64, stored: u64 } =>
            "the file holds {stored} evaluations, and this run has already made {evaluations}: continue from the file with a run that \
                 has not begun, or save to another file";
        /// Another run, perhaps of another process, is being saved to the file.
        InUse { path: PathBuf } => "{path}: another run is being saved to this file", path = path.display();
        /// An autosave is set to every 0 generations.
        EveryZeroGenerations => "the number of generations between autosaves must be at least 1, got 0";
        /// The file could not be read or written.
        Io { path: PathBuf, error: io::Error } => "{path}: {error}", path = path.display();
    }
}

fn written_by(writer: &Option<String>) -> String {
    match writer {
        Some(version) => format!("ddcma {version}, which wrote it"),
        None => "the version of ddcma that wrote it".to_string(),
    }
}

/// Returns what to do about an autosave file, except for those in order, which must not be removed.
fn way_out(error: &CheckpointError) -> &'static str {
    match error {
        CheckpointError::Version { .. } | CheckpointError::HasBegun { .. } => "",
        CheckpointError::OtherRun { .. } => ", or remove the file to start a new one",
        _ => "; remove the file to start a new run",
    }
}
