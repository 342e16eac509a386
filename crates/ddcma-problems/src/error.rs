//! Why there is no such problem. Knows no way to go on.

use std::fmt;

use crate::Function;
use crate::applied::Applied;

/// Why a problem cannot be built.
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
    /// The function needs more variables.
    TooFewVariables {
        /// The function.
        function: Function,
        /// How many it needs.
        needed: usize,
        /// How many there were.
        n: usize,
    },
    /// The problem would not fit into memory.
    TooManyVariables {
        /// The most there may be.
        largest: usize,
        /// How many there were.
        n: usize,
    },
    /// The function has no rotated form.
    NoRotatedForm {
        /// The function.
        function: Function,
    },
    /// The name of an instance is not of the form `FUNCTION[-rotated]/n=N/seed=SEED`.
    MalformedName {
        /// The name.
        name: String,
    },
    /// A vector or matrix does not have the dimension of the problem.
    WrongDimension {
        /// The dimension of the problem.
        expected: usize,
        /// That of the vector or matrix.
        got: usize,
    },
    /// A matrix does not have n² entries.
    NotSquare {
        /// The number of its rows.
        n: usize,
        /// The number of its entries.
        entries: usize,
    },
    /// A matrix that should be orthogonal is not.
    NotOrthogonal {
        /// The largest entry of R·Rᵀ − I, in magnitude.
        deviation: f64,
    },
    /// A number is outside its range.
    OutOfRange {
        /// What the number is.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFunction { name } => {
                let known: Vec<&str> = Function::ALL.iter().map(|function| function.name()).collect();
                write!(f, "there is no function \"{name}\"; there are {}", known.join(", "))
            }
            Self::UnknownProblem { name } => {
                let known = Applied::NAMES.join(", ");
                write!(f, "there is no applied problem \"{name}\"; there are {known}, and other sizes")
            }
            Self::TooFewVariables { function, needed, n } => {
                write!(f, "{function} needs at least n = {needed} variables, but n = {n}")
            }
            Self::TooManyVariables { largest, n } => {
                write!(f, "there may be at most n = {largest} variables here, but n = {n}")
            }
            Self::NoRotatedForm { function } => write!(f, "{function} has no rotated form"),
            Self::MalformedName { name } => {
                write!(f, "\"{name}\" is not the name of an instance, such as ellipsoid-rotated/n=40/seed=3")
            }
            Self::WrongDimension { expected, got } => {
                write!(f, "the problem has {expected} variables, but a vector or matrix of dimension {got} was given")
            }
            Self::NotSquare { n, entries } => {
                write!(f, "a matrix of {n} rows and columns does not have {entries} entries")
            }
            Self::NotOrthogonal { deviation } => {
                write!(f, "the matrix R is not orthogonal: R·Rᵀ differs from the identity by {deviation:e}")
            }
            Self::OutOfRange { name, value } => write!(f, "{name} = {value} is out of its range"),
        }
    }
}

impl std::error::Error for ProblemError {}
