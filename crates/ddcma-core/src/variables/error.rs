//! The errors of variables, by index and name.

use std::fmt;

use crate::Number;
use crate::point::Which;

/// The error returned for an invalid list of variables, or for a point that does not fit it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum VariablesError {
    /// The range of a variable is empty, or a bound is NaN.
    Empty {
        /// The variable, from 0.
        index: usize,
        /// Its name.
        name: Option<String>,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A bound or the start of a logarithmic variable is not positive.
    NotPositive {
        /// The variable, from 0.
        index: usize,
        /// Its name.
        name: Option<String>,
        /// The bound or the start.
        value: f64,
    },
    /// A finite bound of a linear variable is too large: close to it, floating-point numbers are too far apart.
    TooLarge {
        /// The variable, from 0.
        index: usize,
        /// Its name.
        name: Option<String>,
        /// The bound.
        bound: f64,
    },
    /// The start of a variable is outside its bounds, or not a finite number.
    Start {
        /// The variable, from 0.
        index: usize,
        /// Its name.
        name: Option<String>,
        /// Its start.
        start: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The initial deviation of a variable is not positive and finite.
    Deviation {
        /// The variable, from 0.
        index: usize,
        /// Its name.
        name: Option<String>,
        /// Its deviation, on its scale.
        deviation: f64,
    },
    /// The range of a variable is infinite, but it has no start or no deviation.
    NoStart {
        /// The variable, from 0.
        index: usize,
        /// Its name.
        name: Option<String>,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A point has the wrong number of coordinates.
    WrongLength {
        /// The number of variables.
        expected: usize,
        /// The number of coordinates.
        found: usize,
    },
    /// No variable is free.
    NothingFree {
        /// The number of variables.
        variables: usize,
    },
}

impl fmt::Display for VariablesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { index, name, lower, upper } => {
                write!(
                    f,
                    "{} must have a lower bound below its upper bound, got [{lower}, {upper}]",
                    Which("variable", *index, name)
                )
            }
            Self::NotPositive { index, name, value } => write!(
                f,
                "{} is logarithmic: its bounds and its start must be positive, got {value}",
                Which("variable", *index, name)
            ),
            Self::TooLarge { index, name, bound } => write!(
                f,
                "a bound of {} must be infinite or at most 1e300 in magnitude, got {}",
                Which("variable", *index, name),
                Number(*bound)
            ),
            Self::Start { index, name, start, lower, upper } => {
                write!(
                    f,
                    "{} must start within its bounds [{lower}, {upper}], got {start}",
                    Which("variable", *index, name)
                )
            }
            Self::Deviation { index, name, deviation } => write!(
                f,
                "the initial deviation of {} must be finite and at least 2.3e-308, got {}",
                Which("variable", *index, name),
                Number(*deviation)
            ),
            Self::NoStart { index, name, lower, upper } => write!(
                f,
                "{} must have a start and a deviation, because its range [{lower}, {upper}] is infinite",
                Which("variable", *index, name)
            ),
            Self::WrongLength { expected, found } => {
                write!(f, "the point must have {expected} coordinates, got {found}")
            }
            Self::NothingFree { variables: 0 } => write!(f, "there must be at least one variable, got none"),
            Self::NothingFree { variables } => {
                write!(f, "at least one variable must be free, but all {variables} are fixed")
            }
        }
    }
}

impl std::error::Error for VariablesError {}
