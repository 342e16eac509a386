//! Which strategies can be stored, and the errors of checkpoints.

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Strategy;

/// A strategy whose runs can be stored: the strategy and its step-size rule implement serde's traits.
///
/// A search with restarts also stores the strategy's options, so these must implement serde's traits, too.
/// Do not implement this trait: it is implemented for every type that qualifies.
pub trait StoredStrategy: Strategy<StepSize: Serialize + DeserializeOwned> + Serialize + DeserializeOwned {}

impl<S> StoredStrategy for S where S: Strategy<StepSize: Serialize + DeserializeOwned> + Serialize + DeserializeOwned {}

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
    /// The checkpoint was written by a run with another random number generator.
    Generator {
        /// The generator requested.
        expected: &'static str,
        /// The generator of the run.
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
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
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
    /// Autosaving was requested after the run had begun. It must be requested before the first generation.
    HasBegun {
        /// The number of evaluations so far; 0 if candidates have been asked for, but no value was told.
        evaluations: u64,
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
            Self::Generator { expected, found } => {
                write!(f, "the random number generator of the checkpoint must be {expected}, got {found}")
            }
            Self::Malformed { reason } => write!(f, "the state in the checkpoint cannot be decoded: {reason}"),
            Self::Inconsistent { what } => write!(f, "the state in the checkpoint is inconsistent: {what}"),
            Self::OtherRun { path, what } => write!(
                f,
                "{}: the checkpoint belongs to a run that was started differently: restore {what} to continue that run, or remove the \
                 file to start a new one",
                path.display()
            ),
            Self::OtherObjective { path, expected, found } => write!(
                f,
                "{}: the checkpoint belongs to a run with the objective \"{found}\", not \"{expected}\": remove the file to start \
                 a new run, or continue that run with Autosave::objective(\"{found}\")",
                path.display()
            ),
            // A file of another version is in order, and must not be removed.
            Self::Autosave { path, error } if matches!(**error, Self::Version { .. }) => {
                write!(f, "{}: {error}", path.display())
            }
            Self::Autosave { path, error } => {
                write!(f, "{}: {error}; remove the file to start a new run", path.display())
            }
            Self::HasBegun { evaluations: 0 } => {
                write!(
                    f,
                    "autosaving must be requested before the first generation, but the run has already asked for candidates"
                )
            }
            Self::HasBegun { evaluations } => write!(
                f,
                "autosaving must be requested before the first generation, but the run has already made {evaluations} evaluations"
            ),
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
