//! The errors of checkpoints.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The error returned if a checkpoint cannot be read, resumed or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes are not a checkpoint.
    NotACheckpoint,
    /// The checkpoint was written in another version of the format.
    Version {
        /// The version of the checkpoint.
        found: u32,
        /// The version that this library reads.
        supported: u32,
        /// The version of ddcma that wrote it, if the checkpoint names it.
        writer: Option<String>,
    },
    /// The checkpoint is damaged.
    Damaged {
        /// The checksum stored in the checkpoint.
        expected: u32,
        /// The checksum computed from its content.
        found: u32,
    },
    /// The checkpoint was written by a run with another strategy.
    Strategy {
        /// The strategy requested.
        expected: &'static str,
        /// The strategy of the run.
        found: String,
    },
    /// The checkpoint was written by a run with another step-size rule.
    StepSizeRule {
        /// The rule requested.
        expected: &'static str,
        /// The rule of the run.
        found: String,
    },
    /// The stored state cannot be decoded, perhaps because the strategy has changed since.
    Malformed {
        /// The message of the decoder.
        reason: String,
    },
    /// The stored state is inconsistent.
    Inconsistent {
        /// The part that is inconsistent.
        what: &'static str,
    },
    /// The file belongs to a run that was started differently.
    OtherRun {
        /// What differs.
        what: String,
    },
    /// The file belongs to a run with another objective.
    OtherObjective {
        /// The file.
        path: PathBuf,
        /// The name of the objective; empty if it has none.
        expected: String,
        /// The name of the stored run's objective; empty if it has none.
        found: String,
    },
    /// The run in an autosave file cannot be continued.
    Autosave {
        /// The file.
        path: PathBuf,
        /// Why.
        error: Box<CheckpointError>,
    },
    /// The run cannot be stored.
    Unsupported {
        /// What has no stored form.
        what: &'static str,
    },
    /// The run has already begun, and the file holds a state with more evaluations.
    HasBegun {
        /// The number of evaluations of the run.
        evaluations: u64,
        /// The number of evaluations in the file.
        stored: u64,
    },
    /// Another run, perhaps of another process, is being saved to the file.
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// An autosave is set to every 0 generations.
    EveryZeroGenerations,
    /// The file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACheckpoint => write!(f, "not a checkpoint of ddcma"),
            Self::Version { found, supported, writer: None } => write!(
                f,
                "the format version of the checkpoint must be {supported}, got {found}: continue the run with the version of ddcma that \
                 wrote it"
            ),
            Self::Version { found, supported, writer: Some(writer) } => write!(
                f,
                "the format version of the checkpoint must be {supported}, got {found}: continue the run with ddcma {writer}, which wrote \
                 it"
            ),
            Self::Damaged { expected, found } => {
                write!(f, "the checkpoint is damaged: its checksum must be {expected:08x}, got {found:08x}")
            }
            Self::Strategy { expected, found } => {
                write!(f, "the strategy of the checkpoint must be \"{expected}\", got \"{found}\"")
            }
            Self::StepSizeRule { expected, found } => {
                write!(f, "the step-size rule of the checkpoint must be \"{expected}\", got \"{found}\"")
            }
            Self::Malformed { reason } => write!(f, "the state in the checkpoint cannot be decoded: {reason}"),
            Self::Inconsistent { what } => write!(f, "the state in the checkpoint is inconsistent: {what}"),
            Self::OtherRun { what } => write!(
                f,
                "the checkpoint belongs to a run that was started differently: restore {what} to continue that run"
            ),
            Self::OtherObjective { path, expected, found } => write!(
                f,
                "{}: the checkpoint belongs to a run with the objective \"{found}\", not \"{expected}\": remove the file to start \
                 a new run, or continue that run with Autosave::objective(\"{found}\")",
                path.display()
            ),
            Self::Autosave { path, error } => {
                write!(f, "{}: {error}", path.display())?;
                match **error {
                    // These files are in order, and must not be removed.
                    Self::Version { .. } | Self::HasBegun { .. } => Ok(()),
                    Self::OtherRun { .. } => write!(f, ", or remove the file to start a new one"),
                    _ => write!(f, "; remove the file to start a new run"),
                }
            }
            Self::Unsupported { what } => write!(f, "{what} cannot be stored: it has no stored form"),
            Self::HasBegun { evaluations, stored } => write!(
                f,
                "the file holds {stored} evaluations, and this run has already made {evaluations}: continue from the file with a run that \
                 has not begun, or save to another file"
            ),
            Self::InUse { path } => write!(f, "{}: another run is being saved to this file", path.display()),
            Self::EveryZeroGenerations => {
                write!(f, "the number of generations between autosaves must be at least 1, got 0")
            }
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => error.source(), // our text includes its text
            Self::Autosave { error, .. } => error.source(),
            _ => None,
        }
    }
}
