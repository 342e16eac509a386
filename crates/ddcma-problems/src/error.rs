//! The errors of problems.

use std::fmt;

use crate::Function;
use crate::applied::Applied;

/// The error returned if a problem cannot be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProblemError {
    /// No function has this name.
    UnknownFunction {
        /// The name.
        name: String,
    },
    /// No applied problem has this name.
    UnknownProblem {
        /// The name.
        name: String,
    },
    /// There are too few variables for the function.
    TooFewVariables {
        /// The function.
        function: Function,
        /// The smallest number of variables.
        needed: usize,
        /// The number of variables requested.
        n: usize,
    },
    /// The problem would not fit into memory.
    TooManyVariables {
        /// The largest number of variables.
        largest: usize,
        /// The number of variables requested.
        n: usize,
    },
    /// The function has no rotated form.
    NoRotatedForm {
        /// The function.
        function: Function,
    },
    /// The name of an instance does not have the form `FUNCTION[-rotated]/n=N/seed=SEED`.
    MalformedName {
        /// The name.
        name: String,
    },
    /// A vector or matrix has another dimension than the problem.
    WrongDimension {
        /// The dimension of the problem.
        expected: usize,
        /// The dimension of the vector or matrix.
        got: usize,
    },
    /// A matrix does not have n² entries.
    NotSquare {
        /// The number of rows.
        n: usize,
        /// The number of entries.
        entries: usize,
    },
    /// A matrix is not orthogonal.
    NotOrthogonal {
        /// The largest magnitude of an entry of R·Rᵀ − I.
        deviation: f64,
    },
    /// A number is outside its range.
    OutOfRange {
        /// The name of the number.
        name: &'static str,
        /// The rule that it breaks, such as "at least 1".
        rule: String,
        /// Its value.
        value: f64,
    },
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFunction { name } => {
                let known: Vec<&str> = Function::ALL.iter().map(|function| function.name()).collect();
                write!(f, "there is no function \"{name}\": choose one of {}", known.join(", "))
            }
            Self::UnknownProblem { name } => {
                let known = Applied::NAMES.join(", ");
                write!(
                    f,
                    "there is no applied problem \"{name}\": choose one of {known}, or another size of one of these"
                )
            }
            Self::TooFewVariables { function, needed, n } => {
                write!(f, "n must be at least {needed} for {function}, got {n}")
            }
            Self::TooManyVariables { largest, n } => {
                write!(f, "n must be at most {largest}, got {n}")
            }
            Self::NoRotatedForm { function } => write!(f, "{function} has no rotated form: use it without rotation"),
            Self::MalformedName { name } => {
                write!(
                    f,
                    "the name of an instance must have the form FUNCTION[-rotated]/n=N/seed=SEED, such as \
                 ellipsoid-rotated/n=40/seed=3, got \"{name}\""
                )
            }
            Self::WrongDimension { expected, got } => {
                write!(f, "a vector or matrix must have the dimension of the problem, {expected}, got {got}")
            }
            Self::NotSquare { n, entries } => {
                write!(f, "a matrix of {n} rows must have {n}² entries, got {entries}")
            }
            Self::NotOrthogonal { deviation } => {
                write!(
                    f,
                    "R must be orthogonal: R·Rᵀ must equal the identity up to 1e-10, but an entry differs by {deviation:e}"
                )
            }
            Self::OutOfRange { name, rule, value } => write!(f, "{name} must be {rule}, got {value}"),
        }
    }
}

impl std::error::Error for ProblemError {}
