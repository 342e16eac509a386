//! The error type of experiments.

use std::fmt;

/// An error of an experiment: a one-line message, and a [kind](LabErrorKind) for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError {
    kind: LabErrorKind,
    message: String,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabErrorKind {
    /// The input is invalid: an unknown name, or a parameter that is out of range.
    Input,
    /// A file or a folder cannot be read or written.
    File,
    /// A file of records is damaged, belongs to another experiment, or has something else.
    Records,
    /// An algorithm or a problem is no longer the one that made the records.
    Changed,
    /// A trial panicked. The other trials are on record.
    Panic,
}

impl LabError {
    /// Creates an error of the kind [`Input`](LabErrorKind::Input), also for custom algorithms and problems.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(LabErrorKind::Input, message)
    }

    pub(crate) fn of(kind: LabErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the kind of the error.
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
