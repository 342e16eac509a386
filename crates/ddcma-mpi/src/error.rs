//! Errors of jobs and evaluations, with the rank and the candidate.

use std::error::Error;
use std::fmt;

use ddcma_core::{TellError, Ticket};

/// The reason why a job could not start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MpiError {
    /// MPI has already been initialized in this process, perhaps by an earlier call. MPI allows this only once.
    AlreadyInitialized,
    /// The MPI library does not support processes with several threads.
    NoThreads,
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyInitialized => write!(
                f,
                "MPI must be initialized only once per process, but it already was: call ddcma_mpi::run once, and make all runs in its closure"
            ),
            Self::NoThreads => write!(
                f,
                "the MPI library must support the thread level MPI_THREAD_FUNNELED, but it does not: use another MPI installation"
            ),
        }
    }
}

impl Error for MpiError {}

/// The reason why an evaluation failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The objective function returned an error.
    Objective {
        /// The rank that evaluated it.
        rank: usize,
        /// The candidate. `None` if there are no workers, because the objective function then evaluates whole generations.
        ticket: Option<Ticket>,
        /// The text of the error.
        reason: String,
    },
    /// The objective function of a worker returned without telling a value.
    NoValue {
        /// The rank that evaluated it.
        rank: usize,
        /// The candidate.
        ticket: Ticket,
    },
    /// A message is invalid: the ranks run different programs, or a point is too long.
    Message {
        /// The worker.
        rank: usize,
        /// What is wrong with the message.
        error: MessageError,
    },
    /// The optimizer refused a value.
    Tell(TellError),
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objective { rank, ticket: Some(ticket), reason } => write!(f, "{ticket} on rank {rank}: {reason}"),
            Self::Objective { rank, ticket: None, reason } => write!(f, "rank {rank}: {reason}"),
            Self::NoValue { rank, ticket } => {
                write!(f, "{ticket} on rank {rank}: the objective function must tell a value, but told none")
            }
            Self::Message { rank, error } => write!(f, "invalid message between rank 0 and rank {rank}: {error}"),
            Self::Tell(error) => error.fmt(f),
        }
    }
}

impl Error for EvaluationError {}

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It has an unknown kind.
    UnknownKind {
        /// Its first byte.
        kind: u8,
    },
    /// It is too long or too short for its kind.
    WrongLength {
        /// Its length in bytes.
        length: usize,
    },
    /// It should be text, but is not UTF-8.
    NotText,
    /// It belongs to a different job than the one assigned to its worker.
    OtherJob {
        /// The job assigned to the worker, if any.
        expected: Option<u64>,
        /// The job of the message.
        got: u64,
    },
    /// The worker could not read its order.
    Refused {
        /// The reason.
        reason: String,
    },
    /// It is longer than MPI allows.
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The maximum length.
        longest: usize,
    },
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKind { kind } => write!(f, "its kind {kind} is unknown: run the same program on all ranks"),
            Self::WrongLength { length } => {
                write!(f, "its length of {length} bytes does not match its kind: run the same program on all ranks")
            }
            Self::NotText => write!(f, "its error text must be UTF-8: run the same program on all ranks"),
            Self::OtherJob { expected: Some(expected), got } => {
                write!(
                    f,
                    "it must have the result of job {expected}, got that of job {got}: run the same program on all ranks"
                )
            }
            Self::OtherJob { expected: None, got } => {
                write!(f, "the worker has no job, but sent the result of job {got}: run the same program on all ranks")
            }
            Self::Refused { reason } => write!(f, "the worker refused it: {reason}"),
            Self::TooLong { length, longest } => {
                write!(f, "it must have at most {longest} bytes, got {length}: use fewer variables")
            }
        }
    }
}

impl Error for MessageError {}

/// An invalid share of a generation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShareError {
    /// The share.
    pub share: f64,
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the share of a generation to wait for must be in (0, 1], got {}", self.share)
    }
}

impl Error for ShareError {}
