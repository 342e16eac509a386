//! The error types of this crate: one small enum per operation, with the numbers that explain the failure.

use std::fmt;

use crate::point::Which;
use crate::{Number, Ticket};

/// The error returned for invalid settings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParamsError {
    /// The dimension is zero.
    NoVariables,
    /// λ is less than two.
    PopulationTooSmall {
        /// The population size.
        lambda: usize,
    },
    /// A generation would have more than 2³⁶ numbers, which is half a terabyte.
    GenerationTooLarge {
        /// The number of variables.
        n: usize,
        /// The population size.
        lambda: usize,
    },
    /// A parameter is outside its range. It may have been set, or derived from other settings.
    OutOfRange {
        /// The parameter's name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        range: &'static str,
    },
    /// c_1 + c_μ exceeds one, for C or for D.
    RatesExceedOne {
        /// The names of the two rates.
        names: [&'static str; 2],
        /// The rank-one rate.
        c_1: f64,
        /// The rank-μ rate.
        c_mu: f64,
    },
    /// The number of weights differs from the population size.
    WeightsOfWrongLength {
        /// λ.
        expected: usize,
        /// The number of weights.
        got: usize,
    },
    /// A weight is NaN or infinite.
    WeightNotFinite {
        /// Its rank; the best is 0.
        rank: usize,
        /// Its value.
        value: f64,
    },
    /// The weight of the best candidate is not positive.
    FirstWeightNotPositive {
        /// The first weight.
        value: f64,
    },
    /// A candidate has a larger weight than a better one.
    WeightsIncrease {
        /// The rank of the worse candidate; the best is 0.
        rank: usize,
        /// Its weight.
        value: f64,
    },
    /// C is updated too rarely for Method 2, which needs t_eig·(c_1 + c_μ) ≤ 1.
    DecomposedTooRarely {
        /// The number of iterations between two updates of C.
        t_eig: usize,
        /// The rank-one rate.
        c_1: f64,
        /// The rank-μ rate.
        c_mu: f64,
    },
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVariables => write!(f, "the number of variables n must be at least 1, got 0"),
            Self::PopulationTooSmall { lambda } => write!(f, "lambda must be at least 2, got {lambda}"),
            Self::GenerationTooLarge { n, lambda } => {
                write!(
                    f,
                    "a generation must have at most 2^36 numbers, got lambda = {lambda} candidates with n = {n} coordinates"
                )
            }
            Self::OutOfRange { name, value, range } => {
                write!(f, "{name} must be in {range}, got {value}")
            }
            Self::RatesExceedOne { names: [one, mu], c_1, c_mu } => {
                write!(f, "{one} + {mu} must be at most 1, got {c_1} + {c_mu}")
            }
            Self::WeightsOfWrongLength { expected, got } => {
                write!(f, "there must be one weight per candidate: lambda = {expected}, got {got} weights")
            }
            Self::WeightNotFinite { rank, value } => {
                write!(f, "the weight of rank {rank} (the best is 0) must be finite, got {value}")
            }
            Self::FirstWeightNotPositive { value } => {
                write!(f, "the weight of the best rank must be positive, got {value}")
            }
            Self::WeightsIncrease { rank, value } => write!(
                f,
                "weights must not increase from best to worst, but the weight of rank {rank} (the best is 0), {value}, is larger \
                 than the weight before it"
            ),
            Self::DecomposedTooRarely { t_eig, c_1, c_mu } => {
                write!(
                    f,
                    "t_eig·(c_1 + c_mu) must be at most 1 for scaled weights (Method 2), got {t_eig}·({c_1} + {c_mu}): choose a \
                     smaller t_eig, or Definiteness::ScaleUpdate"
                )
            }
        }
    }
}

impl std::error::Error for ParamsError {}

/// The error returned if a run cannot start.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StartError {
    /// The settings are invalid.
    Params(ParamsError),
    /// The initial step size is not positive and finite.
    StepSize {
        /// Its value.
        sigma: f64,
    },
    /// A coordinate of the initial mean is NaN or infinite.
    Mean {
        /// The coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// An initial coordinate deviation is not positive and finite.
    Deviation {
        /// The coordinate.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The candidates of a coordinate would overflow, or its deviation would underflow.
    OutOfRange {
        /// The coordinate.
        index: usize,
        /// Its mean; with bounds, before it is mapped into the box.
        mean: f64,
        /// Its deviation, σ times its initial deviation.
        deviation: f64,
    },
    /// The threshold of a stop criterion is invalid.
    Criterion {
        /// The criterion.
        name: &'static str,
        /// Its threshold.
        value: f64,
    },
    /// A budget is 0, so not even one generation would be evaluated.
    EmptyBudget {
        /// What the budget limits.
        of: &'static str,
    },
    /// The number of pairs of bounds differs from the number of variables.
    BoundsOfWrongLength {
        /// The number of variables.
        expected: usize,
        /// The number of pairs.
        got: usize,
    },
    /// The initial mean is outside the bounds.
    OutsideBounds {
        /// The coordinate.
        index: usize,
        /// The name of its variable, if it has one.
        name: Option<String>,
        /// Its value.
        value: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The starting point has the wrong number of coordinates.
    StartOfWrongLength {
        /// The number of variables, fixed ones included.
        expected: usize,
        /// The number of coordinates.
        got: usize,
    },
    /// Both variables and bounds are given. Variables have their own bounds.
    BoundsBesideVariables,
    /// The run starts where its variables say, but other variables were set afterwards.
    OtherVariables,
    /// The initial covariance matrix has the wrong size.
    CovarianceOfWrongSize {
        /// The number of variables.
        expected: usize,
        /// Its rows and columns.
        got: (usize, usize),
    },
    /// An entry of the initial covariance matrix is invalid.
    ///
    /// On the diagonal it is not positive; elsewhere it is not finite, or differs from its mirror image by more than rounding.
    CovarianceEntry {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// The initial covariance matrix is not positive definite, or too ill-conditioned.
    Covariance {
        /// What is wrong with it.
        reason: String,
    },
    /// The settings choose a different step-size rule than the strategy's type does.
    StepSizeRule {
        /// The rule that the type names.
        rule: &'static str,
        /// The rule that the settings choose.
        chosen: &'static str,
    },
    /// The strategy rejects the settings, its options or the initial distribution.
    Strategy {
        /// Its name.
        name: &'static str,
        /// Why.
        reason: String,
    },
    /// The number of initial deviations differs from the number of variables.
    DeviationsOfWrongLength {
        /// The number of variables.
        expected: usize,
        /// The number of deviations.
        got: usize,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Params(error) => error.fmt(f),
            Self::StepSize { sigma } => {
                write!(f, "the initial step size must be finite and at least 2.3e-308, got {}", Number(*sigma))
            }
            Self::Mean { index, value } => {
                write!(f, "coordinate {index} of the initial mean must be finite, got {value}")
            }
            Self::Deviation { index, value } => {
                write!(
                    f,
                    "the initial deviation of coordinate {index} must be finite and at least 2.3e-308, got {}",
                    Number(*value)
                )
            }
            Self::OutOfRange { index, mean, deviation } => {
                write!(
                    f,
                    "coordinate {index} is out of range: candidates with mean {} and deviation {} would not be finite and \
                     distinct; rescale the variable",
                    Number(*mean),
                    Number(*deviation)
                )
            }
            Self::Criterion { name, value } => {
                let rule = match value {
                    value if value.is_nan() => "it must be a number",
                    value if *value < 0.0 => "it must not be negative",
                    _ => "it must be at least 1",
                };
                write!(f, "invalid threshold {value} for stop criterion {name}: {rule}")
            }
            Self::EmptyBudget { of } => write!(f, "the budget of {of} must be positive, got 0"),
            Self::BoundsOfWrongLength { expected, got } => {
                write!(f, "there must be one pair of bounds per variable: n = {expected}, got {got} pairs")
            }
            Self::OutsideBounds { index, name, value, lower, upper } => {
                let coordinate = Which("coordinate", *index, name);
                write!(f, "{coordinate} of the initial mean must be within its bounds [{lower}, {upper}], got {value}")
            }
            Self::StartOfWrongLength { expected, got } => {
                write!(f, "the starting point must have one coordinate per variable: expected {expected}, got {got}")
            }
            Self::OtherVariables => {
                write!(f, "the run already has variables, which define its start: set no others")
            }
            Self::BoundsBesideVariables => {
                write!(f, "variables and bounds must not be given together: set the bounds in the variables")
            }
            Self::CovarianceOfWrongSize { expected, got: (rows, columns) } => {
                write!(f, "the initial covariance matrix must be {expected} × {expected}, got {rows} × {columns}")
            }
            Self::CovarianceEntry { row, column, value } if row == column => {
                write!(f, "entry ({row}, {column}) of the initial covariance matrix must be positive, got {value}")
            }
            Self::CovarianceEntry { row, column, value } => {
                write!(
                    f,
                    "entry ({row}, {column}) of the initial covariance matrix must be finite and equal to entry \
                     ({column}, {row}), got {value}"
                )
            }
            Self::Covariance { reason } => write!(f, "invalid initial covariance matrix: {reason}"),
            Self::StepSizeRule { rule, chosen } => {
                write!(
                    f,
                    "the settings choose the step-size rule \"{chosen}\", but the strategy's type uses \"{rule}\": choose one of \
                     them in both places"
                )
            }
            Self::Strategy { name, reason } => write!(f, "strategy \"{name}\" cannot start: {reason}"),
            Self::DeviationsOfWrongLength { expected, got } => {
                write!(f, "there must be one initial deviation per variable: n = {expected}, got {got} deviations")
            }
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Our text includes the text of `error`, so the chain continues with its source.
            Self::Params(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ParamsError> for StartError {
    fn from(error: ParamsError) -> Self {
        Self::Params(error)
    }
}

/// The error returned for invalid bounds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BoundsError {
    /// The numbers of lower and upper bounds differ.
    DifferentLengths {
        /// The number of lower bounds.
        lower: usize,
        /// The number of upper bounds.
        upper: usize,
    },
    /// A finite bound is too large: close to it, floating-point numbers are too far apart.
    TooLarge {
        /// The coordinate.
        index: usize,
        /// The bound.
        bound: f64,
    },
    /// The range of a coordinate is empty, or a bound is NaN.
    Empty {
        /// The coordinate.
        index: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
}

impl fmt::Display for BoundsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DifferentLengths { lower, upper } => {
                write!(f, "there must be as many lower as upper bounds, got {lower} lower and {upper} upper")
            }
            Self::TooLarge { index, bound } => {
                write!(
                    f,
                    "a bound of coordinate {index} must be infinite or at most 1e300 in magnitude, got {}",
                    Number(*bound)
                )
            }
            Self::Empty { index, lower, upper } => {
                write!(f, "the lower bound of coordinate {index} must be below its upper bound, got [{lower}, {upper}]")
            }
        }
    }
}

impl std::error::Error for BoundsError {}

/// The error returned if given normal deviates cannot be used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AskError {
    /// There are not λ columns with n entries each.
    WrongShape {
        /// n and λ.
        expected: (usize, usize),
        /// The rows and columns given.
        got: (usize, usize),
    },
    /// A deviate is NaN or infinite.
    NotFinite {
        /// The candidate.
        candidate: usize,
        /// The coordinate.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Some candidates of the current generation already have values, which would be lost.
    PartlyTold {
        /// The number of values told so far.
        told: usize,
        /// λ.
        lambda: usize,
    },
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongShape { expected: (n, lambda), got: (rows, columns) } => {
                write!(f, "a generation needs {lambda} columns of {n} deviates, got {columns} columns of {rows}")
            }
            Self::NotFinite { candidate, index, value } => {
                write!(f, "deviate {index} of candidate {candidate} must be finite, got {value}")
            }
            Self::PartlyTold { told, lambda } => write!(
                f,
                "{told} of {lambda} candidates already have values, which would be lost: finish the generation first"
            ),
        }
    }
}

impl std::error::Error for AskError {}

/// The error returned if points from elsewhere are rejected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InjectError {
    /// There are not λ columns with n entries each.
    WrongShape {
        /// n and λ.
        expected: (usize, usize),
        /// The rows and columns given.
        got: (usize, usize),
    },
    /// A coordinate of a fixed variable differs from its fixed value.
    Fixed {
        /// The candidate.
        candidate: usize,
        /// The coordinate.
        index: usize,
        /// The name of its variable, if it has one.
        name: Option<String>,
        /// The value.
        value: f64,
        /// The fixed value of the variable.
        fixed: f64,
    },
    /// A coordinate is NaN or infinite, or outside the bounds.
    Point {
        /// The candidate.
        candidate: usize,
        /// The coordinate.
        index: usize,
        /// The name of its variable, if it has one.
        name: Option<String>,
        /// The value.
        value: f64,
    },
    /// The points are valid, but their values were rejected.
    Tell(TellError),
}

impl fmt::Display for InjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongShape { expected: (n, lambda), got: (rows, columns) } => {
                write!(f, "a generation needs {lambda} points of {n} coordinates, got {columns} points of {rows}")
            }
            Self::Fixed { candidate, index, name, value, fixed } => {
                let coordinate = Which("coordinate", *index, name);
                write!(f, "{coordinate} of point {candidate} must have its fixed value {fixed}, got {value}")
            }
            Self::Point { candidate, index, name, value } => {
                let coordinate = Which("coordinate", *index, name);
                write!(f, "{coordinate} of point {candidate} must be finite and within its bounds, got {value}")
            }
            Self::Tell(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InjectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Tell(error) => error.source(),
            _ => None,
        }
    }
}

impl From<TellError> for InjectError {
    fn from(error: TellError) -> Self {
        Self::Tell(error)
    }
}

/// The error returned if function values are rejected, or if the distribution could not be updated with them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TellError {
    /// No generation has been asked for. Nothing was changed.
    NotAsked,
    /// The generation of this ticket is over. Nothing was changed.
    Late {
        /// The ticket.
        ticket: Ticket,
        /// The current generation.
        generation: u64,
    },
    /// This candidate already has a value. Nothing was changed.
    Twice {
        /// The candidate.
        ticket: Ticket,
        /// The value it already has.
        value: f64,
    },
    /// The generation has no such candidate. Nothing was changed.
    NoSuchCandidate {
        /// The index given.
        index: usize,
        /// λ.
        lambda: usize,
    },
    /// Some candidates already have values, so the generation cannot be told or replaced as a whole. Nothing was changed.
    PartlyTold {
        /// The number of values told so far.
        told: usize,
        /// λ.
        lambda: usize,
    },
    /// There are too few values to finish the generation. Nothing was changed.
    TooFew {
        /// The number of values told so far.
        told: usize,
        /// μ, the number of candidates with a positive weight.
        needed: usize,
    },
    /// There are no valid weights for so few candidates, so the missing ones cannot be left out. Nothing was changed.
    NoWeights(ParamsError),
    /// The run expects another number of constraints. Nothing was changed.
    Constraints {
        /// The number of constraints of the run.
        expected: usize,
        /// The number of values of constraints.
        got: usize,
    },
    /// The run is over, and takes no more values. Nothing was changed.
    Over,
    /// The number of values differs from the number of candidates. Nothing was changed.
    WrongCount {
        /// λ.
        expected: usize,
        /// The number of values.
        got: usize,
    },
    /// The values were counted and ranked, but the distribution could not be updated completely.
    ///
    /// The part that failed, and every later step of the algorithm, keep their previous state. One exception: if C was updated
    /// and its deviations cannot be moved into D, the new C is kept. You can still ask for candidates.
    Update(UpdateError),
}

impl fmt::Display for TellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => write!(f, "no generation is waiting for values: ask for candidates first"),
            Self::Late { ticket, generation } => {
                write!(f, "the value of {ticket} comes too late: the current generation is {generation}")
            }
            Self::Twice { ticket, value } => write!(f, "{ticket} already has the value {}", Number(*value)),
            Self::NoSuchCandidate { index, lambda } => {
                write!(f, "the index of a candidate must be below lambda = {lambda}, got {index}")
            }
            Self::PartlyTold { told, lambda } => write!(
                f,
                "{told} of {lambda} candidates already have values: tell the others one by one, or finish the generation"
            ),
            Self::TooFew { told, needed } => {
                write!(f, "a generation needs at least {needed} values, got {told}")
            }
            Self::Constraints { expected, got } => {
                write!(f, "the run has {expected} constraints, got {got} values of constraints")
            }
            Self::Over => write!(f, "the run is over and takes no more values"),
            Self::NoWeights(error) => write!(f, "the missing candidates cannot be left out: {error}"),
            Self::WrongCount { expected, got } => {
                write!(f, "a generation needs one value per candidate: lambda = {expected}, got {got} values")
            }
            Self::Update(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TellError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Update(error) => error.source(),
            Self::NoWeights(error) => error.source(),
            _ => None,
        }
    }
}

impl From<UpdateError> for TellError {
    fn from(error: UpdateError) -> Self {
        Self::Update(error)
    }
}

/// The error returned if a part of the distribution could not be updated. That part keeps its previous state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateError {
    /// The mean would overflow.
    Mean {
        /// The coordinate.
        index: usize,
        /// The value it would have had.
        value: f64,
    },
    /// An evolution path would overflow.
    Path {
        /// The coordinate.
        index: usize,
        /// The value it would have had.
        value: f64,
    },
    /// The step size would overflow or underflow.
    StepSize {
        /// The value it would have had.
        sigma: f64,
    },
    /// An entry of D would overflow or underflow.
    Deviation {
        /// The coordinate.
        index: usize,
        /// The value it would have had.
        value: f64,
    },
    /// The update was made, but now the candidates of a coordinate may overflow, or its deviation underflows.
    OutOfRange {
        /// The coordinate.
        index: usize,
        /// Its mean; with bounds, before it is mapped into the box.
        mean: f64,
        /// Its deviation.
        deviation: f64,
    },
    /// A candidate is so far from the mean that its squared length overflows.
    Step {
        /// Its number in the generation.
        candidate: usize,
        /// ‖z‖².
        length2: f64,
    },
    /// An entry of the new covariance matrix, or of its update, would be NaN or infinite.
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// The eigendecomposition did not converge.
    NotConverged {
        /// The number of variables.
        n: usize,
    },
    /// The new covariance matrix would not be positive definite, because of rounding errors.
    NotPositiveDefinite {
        /// Its smallest eigenvalue or variance.
        smallest: f64,
    },
    /// The condition number or the magnitude of the covariance matrix, or of its update, is too extreme to invert it in double
    /// precision.
    IllConditioned {
        /// Its smallest eigenvalue.
        smallest: f64,
        /// Its largest eigenvalue.
        largest: f64,
    },
    /// A custom strategy failed for another reason.
    Other {
        /// What happened, as a clause that follows a colon.
        reason: String,
    },
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = |value: &f64| Number::rounded(*value); // a run computed these numbers
        match self {
            Self::Mean { index, value } => {
                write!(f, "coordinate {index} of the mean must stay finite, but would become {value}")
            }
            Self::Path { index, value } => {
                write!(f, "coordinate {index} of an evolution path is out of range: it would become {}", rounded(value))
            }
            Self::StepSize { sigma } => {
                write!(f, "the step size is out of range: it would become {}", rounded(sigma))
            }
            Self::Deviation { index, value } => {
                write!(f, "the deviation of coordinate {index} is out of range: it would become {}", rounded(value))
            }
            Self::OutOfRange { index, mean, deviation } => {
                write!(
                    f,
                    "coordinate {index} is out of range: candidates with mean {} and deviation {} would not be finite and \
                     distinct",
                    rounded(mean),
                    rounded(deviation)
                )
            }
            Self::Step { candidate, length2 } => {
                write!(
                    f,
                    "candidate {candidate} is too far from the mean: its squared length, in deviations, must be below 1e280, got \
                     {}",
                    rounded(length2)
                )
            }
            Self::NotFinite { row, column, value } => {
                write!(f, "entry ({row}, {column}) of the covariance matrix must stay finite, but would become {value}")
            }
            Self::NotConverged { n } => {
                write!(f, "the eigendecomposition of a {n} × {n} matrix did not converge")
            }
            Self::NotPositiveDefinite { smallest } => write!(
                f,
                "the covariance matrix must stay positive definite, but its smallest eigenvalue or variance would become \
                 {}",
                rounded(smallest)
            ),
            Self::IllConditioned { smallest, largest } => write!(
                f,
                "the covariance matrix can no longer be inverted: its eigenvalues range from {} to {}",
                rounded(smallest),
                rounded(largest)
            ),
            Self::Other { reason } => write!(f, "the strategy's update failed: {reason}"),
        }
    }
}

impl std::error::Error for UpdateError {}

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
