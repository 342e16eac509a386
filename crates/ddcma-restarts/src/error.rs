//! What can be wrong with a search before it starts, and what can be told it wrongly.

use std::fmt;

use ddcma_core::{StartError, TellError};

/// Why start points cannot be drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StartsError {
    /// The box has lower and upper sides of different lengths.
    BoxOfWrongLength {
        /// The number of lower sides.
        expected: usize,
        /// The number of upper sides.
        got: usize,
    },
    /// A side of the box is not an interval of finite length.
    Side {
        /// The coordinate.
        index: usize,
        /// Its lower end.
        lower: f64,
        /// Its upper end.
        upper: f64,
    },
    /// A coordinate of the point is not finite.
    Point {
        /// The coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The deviation is not a finite number of at least 0.
    Deviation {
        /// It.
        deviation: f64,
    },
}

impl fmt::Display for StartsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoxOfWrongLength { expected, got } => {
                write!(f, "the box of start points has {expected} lower and {got} upper sides")
            }
            Self::Side { index, lower, upper } => {
                write!(f, "side {index} of the box of start points, from {lower} to {upper}, is no finite interval")
            }
            Self::Point { index, value } => write!(f, "coordinate {index} of the start point is {value}, not finite"),
            Self::Deviation { deviation } => {
                write!(f, "start points cannot deviate by {deviation}: the deviation must be finite and at least 0")
            }
        }
    }
}

impl std::error::Error for StartsError {}

/// Why a search could not start or go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SearchError {
    /// The policy has no end, and there is no budget either.
    NoBudget {
        /// The policy.
        policy: &'static str,
    },
    /// The target is NaN.
    Target,
    /// The policy plans no run at all.
    NothingPlanned {
        /// The policy.
        policy: &'static str,
    },
    /// A start point has the wrong number of coordinates. What was found before is not lost.
    StartOfWrongLength {
        /// Of which run, from 0.
        run: usize,
        /// The number of variables.
        expected: usize,
        /// The number of coordinates.
        got: usize,
    },
    /// A run could not be started as planned. What was found before is not lost.
    Start {
        /// Which run, from 0.
        run: usize,
        /// Why.
        error: StartError,
    },
    /// The values were told wrongly.
    Tell(TellError),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBudget { policy } => write!(
                f,
                "{policy} restarts without end: give the search a budget of evaluations, time or runs, or the policy a \
                 number of restarts"
            ),
            Self::Target => write!(f, "the target is NaN"),
            Self::NothingPlanned { policy } => write!(f, "{policy} plans no run at all"),
            Self::StartOfWrongLength { run, expected, got } => {
                write!(f, "run {run} could not start: its start point has {got} coordinates in place of {expected}")
            }
            Self::Start { run, error } => write!(f, "run {run} could not start: {error}"),
            Self::Tell(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SearchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { error, .. } => Some(error),
            Self::Tell(error) => Some(error),
            Self::NoBudget { .. } | Self::Target | Self::NothingPlanned { .. } | Self::StartOfWrongLength { .. } => {
                None
            }
        }
    }
}

impl From<TellError> for SearchError {
    fn from(error: TellError) -> Self {
        Self::Tell(error)
    }
}
