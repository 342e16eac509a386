//! What goes wrong in a laboratory. Knows kinds and a line for a person.

use std::fmt;

/// Why an experiment does not start, or cannot go on: a line for a person, and a [kind](LabErrorKind) for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError {
    kind: LabErrorKind,
    message: String,
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabErrorKind {
    /// What was asked for does not exist, or cannot be run: an unknown name, a parameter that is out of range.
    Input,
    /// A file or a folder cannot be read or written.
    File,
    /// A file is not one of records, is damaged, or belongs to another experiment.
    Records,
    /// An algorithm or a problem is no longer the one that made the records.
    Changed,
    /// A trial panicked. The others are on record.
    Panic,
}

impl LabError {
    /// An error of the kind [`Input`](LabErrorKind::Input), with this line. Your own algorithms and problems report theirs in this way.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(LabErrorKind::Input, message)
    }

    pub(crate) fn of(kind: LabErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> LabErrorKind {
        self.kind
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LabError {}
