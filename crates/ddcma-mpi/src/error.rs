//! What can go wrong, with the rank and the candidate where it did.

use std::error::Error;
use std::fmt;

use ddcma_core::{TellError, Ticket};

/// Why a job could not start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MpiError {
    /// MPI has been initialized before in this process, perhaps by an earlier call. MPI allows that only once.
    AlreadyInitialized,
    /// This MPI does not allow threads beside the one that calls it.
    NoThreads,
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyInitialized => write!(f, "MPI can be initialized only once in a process, and it has been"),
            Self::NoThreads => write!(f, "this MPI installation does not support MPI_THREAD_FUNNELED"),
        }
    }
}

impl Error for MpiError {}

/// Why an evaluation failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The objective returned an error.
    Objective {
        /// The rank that evaluated it.
        rank: usize,
        /// The candidate. Unknown if there are no workers: the objective then had the whole generation.
        ticket: Option<Ticket>,
        /// The text of the error.
        reason: String,
    },
    /// The objective of a worker returned without telling a value.
    NoValue {
        /// The rank that evaluated it.
        rank: usize,
        /// The candidate.
        ticket: Ticket,
    },
    /// A message does not fit: ranks run programs that differ, or a point is too long.
    Message {
        /// The worker.
        rank: usize,
        /// What is wrong with the message.
        error: MessageError,
    },
    /// The run refused a value.
    Tell(TellError),
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objective { rank, ticket: Some(ticket), reason } => write!(f, "{ticket} on rank {rank}: {reason}"),
            Self::Objective { rank, ticket: None, reason } => write!(f, "rank {rank}: {reason}"),
            Self::NoValue { rank, ticket } => write!(f, "{ticket} on rank {rank}: the objective told no value"),
            Self::Message { rank, error } => write!(f, "message between rank 0 and rank {rank}: {error}"),
            Self::Tell(error) => error.fmt(f),
        }
    }
}

impl Error for EvaluationError {}

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It is of a kind that does not exist.
    UnknownKind {
        /// Its first byte.
        kind: u8,
    },
    /// It is too long or too short for its kind.
    WrongLength {
        /// Its length in bytes.
        length: usize,
    },
    /// It should be text, and is not UTF-8.
    NotText,
    /// It belongs to another job than the one that its worker has.
    OtherJob {
        /// The job that the worker has, if it has one.
        expected: Option<u64>,
        /// The job of the message.
        got: u64,
    },
    /// The worker could not read its order.
    Refused {
        /// Why not.
        reason: String,
    },
    /// It is longer than MPI allows.
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The largest length.
        longest: usize,
    },
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind { kind } => write!(f, "unknown kind {kind}; do all ranks run the same program?"),
            Self::WrongLength { length } => write!(f, "{length} bytes do not fit; do all ranks run the same program?"),
            Self::NotText => write!(f, "the reason of a failure is not UTF-8"),
            Self::OtherJob { expected: Some(expected), got } => {
                write!(f, "expected the result of job {expected}, got {got}")
            }
            Self::OtherJob { expected: None, got } => write!(f, "expected no result, got that of job {got}"),
            Self::Refused { reason } => write!(f, "refused by the worker: {reason}"),
            Self::TooLong { length, longest } => write!(f, "must be at most {longest} bytes long, got {length}"),
        }
    }
}

impl Error for MessageError {}

/// Why a share is invalid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShareError {
    /// The share.
    pub share: f64,
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the share of a generation that is waited for must be in (0, 1], got {}", self.share)
    }
}

impl Error for ShareError {}
