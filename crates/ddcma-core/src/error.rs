//! The error types of this crate: one small enum per operation, with the numbers that explain the failure.

use crate::point::Which;
use crate::{Number, Ticket};

errors! {
    /// The error returned for invalid settings.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum ParamsError {
        /// The dimension is zero.
        NoVariables => "the number of variables n must be at least 1, got 0";
        /// λ is less than two.
        PopulationTooSmall { lambda: usize } => "lambda must be at least 2, got {lambda}";
        /// A generation would have more than 2³⁶ numbers, which is half a terabyte.
        GenerationTooLarge { n: usize, lambda: usize } =>
            "a generation must have at most 2^36 numbers, got lambda = {lambda} candidates with n = {n} coordinates";
        /// A parameter is outside its range. It may have been set, or derived from other settings.
        OutOfRange { name: &'static str, value: f64, range: &'static str } => "{name} must be in {range}, got {value}";
        /// c_1 + c_μ exceeds one, for C or for D.
        RatesExceedOne { names: [&'static str; 2], c_1: f64, c_mu: f64 } =>
            "{one} + {mu} must be at most 1, got {c_1} + {c_mu}", one = names[0], mu = names[1];
        /// The number of weights differs from the population size.
        WeightsOfWrongLength { expected: usize, got: usize } =>
            "there must be one weight per candidate: lambda = {expected}, got {got} weights";
        /// A weight is NaN or infinite.
        WeightNotFinite { rank: usize, value: f64 } => "the weight of rank {rank} (the best is 0) must be finite, got {value}";
        /// The weight of the best candidate is not positive.
        FirstWeightNotPositive { value: f64 } => "the weight of the best rank must be positive, got {value}";
        /// A candidate has a larger weight than a better one.
        WeightsIncrease { rank: usize, value: f64 } =>
            "weights must not increase from best to worst, but the weight of rank {rank} (the best is 0), {value}, is larger \
                 than the weight before it";
        /// C is updated too rarely for Method 2, which needs t_eig·(c_1 + c_μ) ≤ 1.
        DecomposedTooRarely { t_eig: usize, c_1: f64, c_mu: f64 } =>
            "t_eig·(c_1 + c_mu) must be at most 1 for scaled weights (Method 2), got {t_eig}·({c_1} + {c_mu}): choose a \
                 smaller t_eig, or Definiteness::ScaleUpdate";
    }
}

errors! {
    /// The error returned if a run cannot start.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum StartError {
        /// The settings are invalid.
        Params(error: ParamsError) => "{error}";
        /// The initial step size is not positive and finite.
        StepSize { sigma: f64 } => "the initial step size must be finite and at least 2.3e-308, got {sigma}", sigma = Number(*sigma);
        /// A coordinate of the initial mean is NaN or infinite.
        Mean { index: usize, value: f64 } => "coordinate {index} of the initial mean must be finite, got {value}";
        /// An initial coordinate deviation is not positive and finite.
        Deviation { index: usize, value: f64 } =>
            "the initial deviation of coordinate {index} must be finite and at least 2.3e-308, got {value}", value = Number(*value);
        /// The candidates of a coordinate would overflow, or its deviation would underflow.
        OutOfRange { index: usize, mean: f64, deviation: f64 } =>
            "coordinate {index} is out of range: candidates with mean {mean} and deviation {deviation} would not be finite and \
                 distinct; rescale the variable", mean = Number(*mean), deviation = Number(*deviation);
        /// The threshold of a stop criterion is invalid.
        Criterion { name: &'static str, value: f64 } => "invalid threshold {value} for stop criterion {name}: {rule}", rule = rule_of_threshold(*value);
        /// A budget is 0, so not even one generation would be evaluated.
        EmptyBudget { of: &'static str } => "the budget of {of} must be positive, got 0";
        /// The number of pairs of bounds differs from the number of variables.
        BoundsOfWrongLength { expected: usize, got: usize } =>
            "there must be one pair of bounds per variable: n = {expected}, got {got} pairs";
        /// The initial mean is outside the bounds.
        OutsideBounds { index: usize, name: Option<String>, value: f64, lower: f64, upper: f64 } =>
            "{coordinate} of the initial mean must be within its bounds [{lower}, {upper}], got {value}", coordinate = Which("coordinate", *index, name);
        /// The starting point has the wrong number of coordinates.
        StartOfWrongLength { expected: usize, got: usize } =>
            "the starting point must have one coordinate per variable: expected {expected}, got {got}";
        /// Both variables and bounds are given. Variables have their own bounds.
        BoundsBesideVariables => "variables and bounds must not be given together: set the bounds in the variables";
        /// The run starts where its variables say, but other variables were set afterwards.
        OtherVariables => "the run already has variables, which define its start: set no others";
        /// The initial covariance matrix has the wrong size.
        CovarianceOfWrongSize { expected: usize, got: (usize, usize) } =>
            "the initial covariance matrix must be {expected} × {expected}, got {rows} × {columns}", rows = got.0, columns = got.1;
        /// An entry of the initial covariance matrix is invalid.
        ///
        /// On the diagonal it is not positive; elsewhere it is not finite, or differs from its mirror image by more than rounding.
        CovarianceEntry { row: usize, column: usize, value: f64 } =>
            "entry ({row}, {column}) of the initial covariance matrix must be {rule}, got {value}", rule = rule_of_entry(*row, *column);
        /// The initial covariance matrix is not positive definite, or too ill-conditioned.
        Covariance { reason: String } => "invalid initial covariance matrix: {reason}";
        /// The settings choose a different step-size rule than the strategy's type does.
        StepSizeRule { rule: &'static str, chosen: &'static str } =>
            "the settings choose the step-size rule \"{chosen}\", but the strategy's type uses \"{rule}\": choose one of \
                 them in both places";
        /// The strategy rejects the settings, its options or the initial distribution.
        Strategy { name: &'static str, reason: String } => "strategy \"{name}\" cannot start: {reason}";
        /// The number of initial deviations differs from the number of variables.
        DeviationsOfWrongLength { expected: usize, got: usize } =>
            "there must be one initial deviation per variable: n = {expected}, got {got} deviations";
    }
}

/// Returns the rule that a threshold violates.
fn rule_of_threshold(value: f64) -> &'static str {
    match value {
        value if value.is_nan() => "it must be a number",
        value if value < 0.0 => "it must not be negative",
        _ => "it must be at least 1",
    }
}

/// Returns the rule that an entry of a covariance matrix violates.
fn rule_of_entry(row: usize, column: usize) -> String {
    if row == column { "positive".to_string() } else { format!("finite and equal to entry ({column}, {row})") }
}

impl From<ParamsError> for StartError {
    fn from(error: ParamsError) -> Self {
        Self::Params(error)
    }
}

errors! {
    /// The error returned for invalid bounds.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum BoundsError {
        /// The numbers of lower and upper bounds differ.
        DifferentLengths { lower: usize, upper: usize } => "there must be as many lower as upper bounds, got {lower} lower and {upper} upper";
        /// A finite bound is too large: close to it, floating-point numbers are too far apart.
        TooLarge { index: usize, bound: f64 } =>
            "a bound of coordinate {index} must be infinite or at most 1e300 in magnitude, got {bound}", bound = Number(*bound);
        /// The range of a coordinate is empty, or a bound is NaN.
        Empty { index: usize, lower: f64, upper: f64 } =>
            "the lower bound of coordinate {index} must be below its upper bound, got [{lower}, {upper}]";
    }
}

errors! {
    /// The error returned if function values, points or given deviates are rejected, or if the distribution could not be updated.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum TellError {
        /// No generation has been asked for. Nothing was changed.
        NotAsked => "no generation is waiting for values: ask for candidates first";
        /// The generation of this ticket is over. Nothing was changed.
        Late { ticket: Ticket, generation: u64 } => "the value of {ticket} comes too late: the current generation is {generation}";
        /// This candidate already has a value. Nothing was changed.
        Twice { ticket: Ticket, value: f64 } => "{ticket} already has the value {value}", value = Number(*value);
        /// The generation has no such candidate. Nothing was changed.
        NoSuchCandidate { index: usize, lambda: usize } => "the index of a candidate must be below lambda = {lambda}, got {index}";
        /// Some candidates already have values, so the generation cannot be told or replaced as a whole. Nothing was changed.
        PartlyTold { told: usize, lambda: usize } =>
            "{told} of {lambda} candidates already have values: tell the others one by one, or finish the generation";
        /// There are not λ columns with n entries each. Nothing was changed.
        WrongShape { expected: (usize, usize), got: (usize, usize) } =>
            "a generation needs {lambda} columns of {n} numbers, got {columns} columns of {rows}",
            lambda = expected.1, n = expected.0, columns = got.1, rows = got.0;
        /// A point, or the vector for its whitened form, has the wrong length. Nothing was changed.
        WrongLengths { expected: (usize, usize), got: (usize, usize) } =>
            "a point has {x} coordinates, and its whitened form {z}, got {got_x} and {got_z}",
            x = expected.0, z = expected.1, got_x = got.0, got_z = got.1;
        /// A given deviate is NaN or infinite. Nothing was changed.
        NotFinite { candidate: usize, index: usize, value: f64 } => "deviate {index} of candidate {candidate} must be finite, got {value}";
        /// A coordinate of a fixed variable differs from its fixed value. Nothing was changed.
        Fixed { candidate: usize, index: usize, name: Option<String>, value: f64, fixed: f64 } =>
            "{coordinate} of point {candidate} must have its fixed value {fixed}, got {value}", coordinate = Which("coordinate", *index, name);
        /// A coordinate is NaN or infinite, or outside the bounds. Nothing was changed.
        Point { candidate: usize, index: usize, name: Option<String>, value: f64 } =>
            "{coordinate} of point {candidate} must be finite and within its bounds, got {value}", coordinate = Which("coordinate", *index, name);
        /// There are too few values to finish the generation. Nothing was changed.
        TooFew { told: usize, needed: usize } => "a generation needs at least {needed} values, got {told}";
        /// There are no valid weights for so few candidates, so the missing ones cannot be left out. Nothing was changed.
        NoWeights(error: ParamsError) => "the missing candidates cannot be left out: {error}";
        /// The run expects another number of constraints. Nothing was changed.
        Constraints { expected: usize, got: usize } => "the run has {expected} constraints, got {got} values of constraints";
        /// The run is over, and takes no more values. Nothing was changed.
        Over => "the run is over and takes no more values";
        /// The number of values differs from the number of candidates. Nothing was changed.
        WrongCount { expected: usize, got: usize } => "a generation needs one value per candidate: lambda = {expected}, got {got} values";
        /// The values were counted and ranked, but the distribution could not be updated completely.
        ///
        /// The part that failed, and every later step of the algorithm, keep their previous state. One exception: if C was updated
        /// and its deviations cannot be moved into D, the new C is kept. You can still ask for candidates.
        Update(error: UpdateError) => "{error}";
    }
}

impl From<UpdateError> for TellError {
    fn from(error: UpdateError) -> Self {
        Self::Update(error)
    }
}

errors! {
    /// The error returned if a part of the distribution could not be updated. That part keeps its previous state.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
    pub enum UpdateError {
        /// The mean would overflow.
        Mean { index: usize, value: f64 } => "coordinate {index} of the mean must stay finite, but would become {value}";
        /// An evolution path would overflow.
        Path { index: usize, value: f64 } => "coordinate {index} of an evolution path is out of range: it would become {value}", value = rounded(value);
        /// The step size would overflow or underflow.
        StepSize { sigma: f64 } => "the step size is out of range: it would become {sigma}", sigma = rounded(sigma);
        /// An entry of D would overflow or underflow.
        Deviation { index: usize, value: f64 } => "the deviation of coordinate {index} is out of range: it would become {value}", value = rounded(value);
        /// The update was made, but now the candidates of a coordinate may overflow, or its deviation underflows.
        OutOfRange { index: usize, mean: f64, deviation: f64 } =>
            "coordinate {index} is out of range: candidates with mean {mean} and deviation {deviation} would not be finite and \
                 distinct", mean = rounded(mean), deviation = rounded(deviation);
        /// A candidate is so far from the mean that its squared length overflows.
        Step { candidate: usize, length2: f64 } =>
            "candidate {candidate} is too far from the mean: its squared length, in deviations, must be below 1e280, got \
                 {length2}", length2 = rounded(length2);
        /// An entry of the new covariance matrix, or of its update, would be NaN or infinite.
        NotFinite { row: usize, column: usize, value: f64 } =>
            "entry ({row}, {column}) of the covariance matrix must stay finite, but would become {value}";
        /// The eigendecomposition did not converge.
        NotConverged { n: usize } => "the eigendecomposition of a {n} × {n} matrix did not converge";
        /// The new covariance matrix would not be positive definite, because of rounding errors.
        NotPositiveDefinite { smallest: f64 } =>
            "the covariance matrix must stay positive definite, but its smallest eigenvalue or variance would become \
                 {smallest}", smallest = rounded(smallest);
        /// The condition number or the magnitude of the covariance matrix, or of its update, is too extreme to invert it in double
        /// precision.
        IllConditioned { smallest: f64, largest: f64 } =>
            "the covariance matrix can no longer be inverted: its eigenvalues range from {smallest} to {largest}", smallest = rounded(smallest), largest = rounded(largest);
        /// A custom strategy failed for another reason.
        Other { reason: String } => "the strategy's update failed: {reason}";
    }
}

/// A run has computed these numbers.
fn rounded(value: &f64) -> Number {
    Number::rounded(*value)
}

impl UpdateError {
    /// Replaces indices of free coordinates by the user's. Entries of C keep theirs: C has free coordinates only.
    pub(crate) fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        if let Self::Mean { index, .. } | Self::Path { index, .. } | Self::Deviation { index, .. } = &mut self {
            *index = number(*index);
        }
        self
    }
}

#[cfg(feature = "dense")]
impl UpdateError {
    pub(crate) fn from_root(error: ddcma_linalg::RootError, n: usize) -> Self {
        use ddcma_linalg::{EighError, RootError};
        match error {
            RootError::Eigh(EighError::NotFinite { row, column, value }) => Self::NotFinite { row, column, value },
            RootError::NotPositiveDefinite { smallest } => Self::NotPositiveDefinite { smallest },
            RootError::IllConditioned { smallest, largest } => Self::IllConditioned { smallest, largest },
            // NotConverged, or a failure that has no variant here.
            _ => Self::NotConverged { n },
        }
    }
}
