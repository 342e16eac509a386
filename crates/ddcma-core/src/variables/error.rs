//! What can be wrong with variables, by index and name.

use std::fmt;

/// Why a list of variables is invalid.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum VariablesError {
    /// There is nothing between the bounds of a variable, or a bound is NaN.
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
    /// A bound of a linear variable is finite, and too large to have a neighborhood.
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
    /// The range of a variable is infinite, and it has no start or no deviation of its own.
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
    /// No variable is free.
    NothingFree {
        /// The number of variables.
        variables: usize,
    },
}

/// A variable by its number and, if it has one, its name.
struct Which<'a>(usize, &'a Option<String>);

impl fmt::Display for Which<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(index, Some(name)) => write!(f, "variable {index} (\"{name}\")"),
            Self(index, None) => write!(f, "variable {index}"),
        }
    }
}

impl fmt::Display for VariablesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { index, name, lower, upper } => {
                write!(f, "{} needs a lower bound below its upper bound, got [{lower}, {upper}]", Which(*index, name))
            }
            Self::NotPositive { index, name, value } => write!(
                f,
                "{} is logarithmic: its bounds and its start must be positive, got {value}",
                Which(*index, name)
            ),
            Self::TooLarge { index, name, bound } => write!(
                f,
                "a bound of {} must be infinite, or at most 1e300 in magnitude, got {bound:e}",
                Which(*index, name)
            ),
            Self::Start { index, name, start, lower, upper } => {
                write!(f, "{} must start within its bounds [{lower}, {upper}], got {start}", Which(*index, name))
            }
            Self::Deviation { index, name, deviation } => write!(
                f,
                "the initial deviation of {} must be positive and finite, and at least 2.3e-308, got {deviation:e}",
                Which(*index, name)
            ),
            Self::NoStart { index, name, lower, upper } => write!(
                f,
                "{} has the infinite range [{lower}, {upper}]: it needs a start and a deviation",
                Which(*index, name)
            ),
            Self::NothingFree { variables: 0 } => write!(f, "there must be at least one variable, got none"),
            Self::NothingFree { variables } => {
                write!(f, "at least one variable must be free, but all {variables} are fixed")
            }
        }
    }
}

impl std::error::Error for VariablesError {}
