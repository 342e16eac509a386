//! What can go wrong with a checkpoint. Does not know what is in it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Strategy;

/// A strategy whose runs can be stored: it and its step-size rule are serde values. For a search with restarts, which hands its
/// options on to the next run, they must be, too.
///
/// Not to be implemented: everything that fits is one.
pub trait StoredStrategy: Strategy<StepSize: Serialize + DeserializeOwned> + Serialize + DeserializeOwned {}

impl<S> StoredStrategy for S where S: Strategy<StepSize: Serialize + DeserializeOwned> + Serialize + DeserializeOwned {}

/// Why bytes are not the checkpoint of such an optimizer, or could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// They are not a checkpoint at all.
    NotACheckpoint,
    /// They are a checkpoint of another version of the format.
    Version {
        /// Theirs.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// They have been damaged.
    Damaged {
        /// The checksum that they carry.
        expected: u32,
        /// The checksum that they have.
        found: u32,
    },
    /// They are the checkpoint of another strategy.
    Strategy {
        /// The strategy asked for.
        expected: &'static str,
        /// The strategy that wrote them.
        found: String,
    },
    /// They are the checkpoint of a run with another step-size rule.
    StepSizeRule {
        /// The rule asked for.
        expected: &'static str,
        /// The rule of the run.
        found: String,
    },
    /// They are the checkpoint of a run with another random generator.
    Generator {
        /// The generator asked for.
        expected: &'static str,
        /// The generator of the run.
        found: String,
    },
    /// The state in them has another form: that of a strategy that has changed, perhaps.
    Malformed {
        /// What the decoder says.
        reason: String,
    },
    /// The state in them is that of no run.
    Inconsistent {
        /// What does not fit.
        what: &'static str,
    },
    /// They belong to a run that was started differently.
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// They belong to a run with another objective.
    OtherObjective {
        /// The file.
        path: PathBuf,
        /// The name of the objective; empty, if it has none.
        expected: String,
        /// The name of the objective of the run; empty, if it has none.
        found: String,
    },
    /// The file of an autosave cannot be continued.
    Autosave {
        /// The file.
        path: PathBuf,
        /// Why.
        error: Box<CheckpointError>,
    },
    /// The run has begun, and is to be saved to a file that another process may continue: it must be saved from its start.
    HasBegun {
        /// The evaluations that it has made.
        evaluations: u64,
    },
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
            Self::NotACheckpoint => write!(f, "this is not a checkpoint"),
            Self::Version { found, supported } => {
                write!(
                    f,
                    "the checkpoint has format version {found}, but this version of ddcma reads version {supported}: continue the run \
                     with the version that wrote it, or remove the checkpoint to start afresh"
                )
            }
            Self::Damaged { expected, found } => {
                write!(f, "the checkpoint is damaged: its checksum is {found:08x}, and should be {expected:08x}")
            }
            Self::Strategy { expected, found } => {
                write!(f, "the checkpoint is of the strategy \"{found}\", not \"{expected}\"")
            }
            Self::StepSizeRule { expected, found } => {
                write!(f, "the checkpoint is of a run with the step-size rule \"{found}\", not \"{expected}\"")
            }
            Self::Generator { expected, found } => {
                write!(f, "the checkpoint is of a run with the generator {found}, not {expected}")
            }
            Self::Malformed { reason } => write!(f, "the state in the checkpoint has another form: {reason}"),
            Self::Inconsistent { what } => write!(f, "the state in the checkpoint is not consistent: {what}"),
            Self::OtherRun { path, what } => write!(
                f,
                "{}: the checkpoint belongs to a run that was started differently: restore {what} to continue that run, or remove the \
                 file to start afresh",
                path.display()
            ),
            Self::OtherObjective { path, expected, found } => write!(
                f,
                "{}: the checkpoint belongs to a run with the objective \"{found}\", not \"{expected}\": remove the file to start \
                 afresh, or continue that run with Autosave::objective(\"{found}\")",
                path.display()
            ),
            Self::Autosave { path, error } => {
                write!(f, "{}: {error}; remove the file to start afresh", path.display())
            }
            Self::HasBegun { evaluations } => write!(
                f,
                "the run has already begun, with {evaluations} evaluations: autosaves must be switched on before its first generation"
            ),
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => error.source(), // its text is part of ours
            Self::Autosave { error, .. } => error.source(),
            _ => None,
        }
    }
}
