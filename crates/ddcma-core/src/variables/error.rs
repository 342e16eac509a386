//! The errors of variables, by index and name.

use crate::Number;
use crate::point::Which;

errors! {
    /// The error returned for an invalid list of variables, or for a point that does not fit it.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum VariablesError {
        /// The range of a variable is empty, or a bound is NaN.
        Empty { index: usize, name: Option<String>, lower: f64, upper: f64 } =>
            "{variable} must have a lower bound below its upper bound, got [{lower}, {upper}]", variable = Which("variable", *index, name);
        /// A bound or the start of a logarithmic variable is not positive.
        NotPositive { index: usize, name: Option<String>, value: f64 } =>
            "{variable} is logarithmic: its bounds and its start must be positive, got {value}", variable = Which("variable", *index, name);
        /// A finite bound of a linear variable is too large: close to it, floating-point numbers are too far apart.
        TooLarge { index: usize, name: Option<String>, bound: f64 } =>
            "a bound of {variable} must be infinite or at most 1e300 in magnitude, got {bound}", variable = Which("variable", *index, name), bound = Number(*bound);
        /// The start of a variable is outside its bounds, or not a finite number.
        Start { index: usize, name: Option<String>, start: f64, lower: f64, upper: f64 } =>
            "{variable} must start within its bounds [{lower}, {upper}], got {start}", variable = Which("variable", *index, name);
        /// The initial deviation of a variable is not positive and finite.
        Deviation { index: usize, name: Option<String>, deviation: f64 } =>
            "the initial deviation of {variable} must be finite and at least 2.3e-308, got {deviation}", variable = Which("variable", *index, name), deviation = Number(*deviation);
        /// The range of a variable is infinite, but it has no start or no deviation.
        NoStart { index: usize, name: Option<String>, lower: f64, upper: f64 } =>
            "{variable} must have a start and a deviation, because its range [{lower}, {upper}] is infinite", variable = Which("variable", *index, name);
        /// A point has the wrong number of coordinates.
        WrongLength { expected: usize, found: usize } => "the point must have {expected} coordinates, got {found}";
        /// No variable is free.
        NothingFree { variables: usize } => "{what}", what = nothing_free(*variables);
    }
}

fn nothing_free(variables: usize) -> String {
    match variables {
        0 => "there must be at least one variable, got none".to_string(),
        all => format!("at least one variable must be free, but all {all} are fixed"),
    }
}
