//! What can go wrong, one small enum for each verb, with the numbers that explain it. Knows no way to go on.

use std::fmt;

use crate::Ticket;

/// Why settings are not the settings of any strategy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParamsError {
    /// The dimension is zero.
    NoVariables,
    /// λ is less than two.
    PopulationTooSmall {
        /// The λ in question.
        lambda: usize,
    },
    /// A generation would need more memory than any machine has.
    GenerationTooLarge {
        /// The number of variables.
        n: usize,
        /// The population size.
        lambda: usize,
    },
    /// A parameter is outside its range, chosen so or derived from what was chosen.
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
    /// There is not one weight for each rank.
    WeightsOfWrongLength {
        /// λ.
        expected: usize,
        /// The number of weights.
        got: usize,
    },
    /// A weight is NaN or infinite.
    WeightNotFinite {
        /// Its rank, the best being 0.
        rank: usize,
        /// Its value.
        value: f64,
    },
    /// The best candidate would not attract the mean.
    FirstWeightNotPositive {
        /// The first weight.
        value: f64,
    },
    /// A worse candidate would weigh more than a better one.
    WeightsIncrease {
        /// The worse candidate's rank, the best being 0.
        rank: usize,
        /// Its weight.
        value: f64,
    },
    /// Method 2 guarantees nothing for t_eig·(c_1 + c_μ) > 1.
    DecomposedTooRarely {
        /// The number of iterations between two decompositions.
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
            Self::NoVariables => write!(f, "there must be at least one variable, but n = 0"),
            Self::PopulationTooSmall { lambda } => {
                write!(f, "the population size must be at least 2, but lambda = {lambda}")
            }
            Self::GenerationTooLarge { n, lambda } => {
                write!(f, "a generation of lambda = {lambda} points in n = {n} dimensions is too large")
            }
            Self::OutOfRange { name, value, range } => {
                write!(f, "{name} = {value} is outside {range}")
            }
            Self::RatesExceedOne { names: [one, mu], c_1, c_mu } => {
                write!(f, "{one} + {mu} = {c_1} + {c_mu} exceeds 1")
            }
            Self::WeightsOfWrongLength { expected, got } => {
                write!(f, "there must be one weight for each of {expected} ranks, but there are {got}")
            }
            Self::WeightNotFinite { rank, value } => {
                write!(f, "the weight of rank {rank} (from 0) is {value}, not a finite number")
            }
            Self::FirstWeightNotPositive { value } => {
                write!(f, "the weight of the best rank must be positive, but it is {value}")
            }
            Self::WeightsIncrease { rank, value } => write!(
                f,
                "weights must not increase, but that of rank {rank} (from 0), {value}, is larger than the one before"
            ),
            Self::DecomposedTooRarely { t_eig, c_1, c_mu } => {
                write!(f, "scaling weights (Method 2) needs t_eig·(c_1 + c_mu) ≤ 1, but it is {t_eig}·({c_1} + {c_mu})")
            }
        }
    }
}

impl std::error::Error for ParamsError {}

/// Why a run cannot start.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StartError {
    /// The settings are no good.
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
    /// The candidates of a coordinate would leave the range of floating point, or be all the same.
    OutOfRange {
        /// The coordinate.
        index: usize,
        /// Its mean; with bounds, before it is mapped into the box.
        mean: f64,
        /// Its deviation, σ times its initial deviation.
        deviation: f64,
    },
    /// A stop criterion has a threshold that is none.
    Criterion {
        /// The criterion.
        name: &'static str,
        /// Its threshold.
        value: f64,
    },
    /// There is not one pair of bounds for each coordinate.
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
        /// Its value.
        value: f64,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The start does not have one coordinate for each variable.
    StartOfWrongLength {
        /// The number of variables, fixed ones included.
        expected: usize,
        /// The number of coordinates.
        got: usize,
    },
    /// There are bounds beside variables, which have bounds of their own.
    BoundsBesideVariables,
    /// The initial covariance matrix does not have as many rows and columns as there are variables.
    CovarianceOfWrongSize {
        /// The number of variables.
        expected: usize,
        /// Its rows and columns.
        got: (usize, usize),
    },
    /// An entry of the initial covariance matrix is on the diagonal and not positive, or it is not that on the other side of the
    /// diagonal, up to rounding.
    CovarianceEntry {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// The initial covariance matrix is not positive definite, or too near to that.
    Covariance {
        /// What is wrong with it.
        reason: String,
    },
    /// The settings choose another step-size rule than the one that is given by type.
    StepSizeRule {
        /// The rule given by type.
        rule: &'static str,
        /// The rule that the settings choose.
        chosen: &'static str,
    },
    /// The strategy refuses the start.
    Strategy {
        /// Its name.
        name: &'static str,
        /// Why.
        reason: String,
    },
    /// There is not one deviation for each coordinate.
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
                write!(
                    f,
                    "the initial step size must be positive and finite, and no less than 2.3e-308, but it is {sigma:e}"
                )
            }
            Self::Mean { index, value } => {
                write!(f, "coordinate {index} of the initial mean is {value}, not a finite number")
            }
            Self::Deviation { index, value } => {
                write!(
                    f,
                    "the initial deviation of coordinate {index} must be positive and finite, and no less than 2.3e-308, but it is \
                     {value:e}"
                )
            }
            Self::OutOfRange { index, mean, deviation } => {
                write!(f, "coordinate {index} would leave the range of floating point: {mean:e} ± {deviation:e}")
            }
            Self::Criterion { name, value } => write!(f, "{value} is no threshold for the stop criterion {name}"),
            Self::BoundsOfWrongLength { expected, got } => {
                write!(f, "there must be {expected} pairs of bounds, but there are {got}")
            }
            Self::OutsideBounds { index, value, lower, upper } => {
                write!(f, "coordinate {index} of the initial mean is {value}, outside its bounds [{lower}, {upper}]")
            }
            Self::StartOfWrongLength { expected, got } => {
                write!(f, "the start must have a coordinate for each of {expected} variables, got {got}")
            }
            Self::BoundsBesideVariables => {
                write!(f, "variables have bounds of their own: give variables or bounds, not both")
            }
            Self::CovarianceOfWrongSize { expected, got: (rows, columns) } => {
                write!(f, "the initial covariance matrix must be {expected} × {expected}, but it is {rows} × {columns}")
            }
            Self::CovarianceEntry { row, column, value } if row == column => {
                write!(
                    f,
                    "entry ({row}, {column}) of the initial covariance matrix must be positive, but it is {value}"
                )
            }
            Self::CovarianceEntry { row, column, value } => {
                write!(
                    f,
                    "entry ({row}, {column}) of the initial covariance matrix must be finite and equal to its mirror \
                     image, but it is {value}"
                )
            }
            Self::Covariance { reason } => write!(f, "the initial covariance matrix has no root: {reason}"),
            Self::StepSizeRule { rule, chosen } => {
                write!(f, "the step size is adapted by the rule \"{rule}\", and the settings choose \"{chosen}\"")
            }
            Self::Strategy { name, reason } => write!(f, "the strategy {name} cannot start: {reason}"),
            Self::DeviationsOfWrongLength { expected, got } => {
                write!(f, "there must be {expected} initial deviations, but there are {got}")
            }
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Its text is ours: what comes behind it is next.
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

/// Why bounds are none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BoundsError {
    /// There are not as many lower bounds as upper ones.
    DifferentLengths {
        /// The number of lower bounds.
        lower: usize,
        /// The number of upper bounds.
        upper: usize,
    },
    /// A bound is finite, and too large to have a neighborhood.
    TooLarge {
        /// The coordinate.
        index: usize,
        /// The bound.
        bound: f64,
    },
    /// There is nothing between the bounds of a coordinate.
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
                write!(f, "there are {lower} lower bounds and {upper} upper ones")
            }
            Self::TooLarge { index, bound } => {
                write!(f, "the bound {bound:e} of coordinate {index} must be infinite, or below 1e300 in magnitude")
            }
            Self::Empty { index, lower, upper } => {
                write!(f, "there is nothing between the bounds {lower} and {upper} of coordinate {index}")
            }
        }
    }
}

impl std::error::Error for BoundsError {}

/// Why given normal deviates cannot replace drawn ones.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AskError {
    /// They are not λ columns of n rows.
    WrongShape {
        /// n and λ.
        expected: (usize, usize),
        /// Rows and columns given.
        got: (usize, usize),
    },
    /// One of them is NaN or infinite.
    NotFinite {
        /// The candidate.
        candidate: usize,
        /// The coordinate.
        index: usize,
        /// The value.
        value: f64,
    },
    /// Some candidates of the present generation already have a value, which would be lost.
    PartlyTold {
        /// The number of values that are in.
        told: usize,
        /// λ.
        lambda: usize,
    },
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongShape { expected: (n, lambda), got: (rows, columns) } => write!(
                f,
                "a generation is {lambda} columns of {n} deviates, but {columns} columns of {rows} were given"
            ),
            Self::NotFinite { candidate, index, value } => {
                write!(f, "deviate {index} of candidate {candidate} is {value}, not a finite number")
            }
            Self::PartlyTold { told, lambda } => write!(
                f,
                "{told} of {lambda} candidates already have a value, which would be lost: finish the generation first"
            ),
        }
    }
}

impl std::error::Error for AskError {}

/// Why points from elsewhere cannot be told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InjectError {
    /// They are not λ columns of n rows.
    WrongShape {
        /// n and λ.
        expected: (usize, usize),
        /// Rows and columns given.
        got: (usize, usize),
    },
    /// A coordinate is not the value that its variable is fixed at.
    Fixed {
        /// The candidate.
        candidate: usize,
        /// The coordinate.
        index: usize,
        /// The value.
        value: f64,
        /// The value that the variable is fixed at.
        fixed: f64,
    },
    /// A coordinate is NaN or infinite, or outside the bounds.
    Point {
        /// The candidate.
        candidate: usize,
        /// The coordinate.
        index: usize,
        /// The value.
        value: f64,
    },
    /// The values could not be told.
    Tell(TellError),
}

impl fmt::Display for InjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongShape { expected: (n, lambda), got: (rows, columns) } => write!(
                f,
                "a generation is {lambda} points of {n} coordinates, but {columns} points of {rows} were given"
            ),
            Self::Fixed { candidate, index, value, fixed } => {
                write!(f, "coordinate {index} of point {candidate} must be {fixed}, where it is fixed, got {value}")
            }
            Self::Point { candidate, index, value } => {
                write!(f, "coordinate {index} of point {candidate} is {value}: not finite, or outside the bounds")
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

/// Why function values were not taken, or could not be used to the full.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TellError {
    /// The candidates of this generation have not been asked for. Nothing was changed.
    NotAsked,
    /// The generation of this ticket is over. Nothing was changed.
    Late {
        /// The ticket.
        ticket: Ticket,
        /// The generation that waits for values now.
        generation: u64,
    },
    /// This candidate already has a value. Nothing was changed.
    Twice {
        /// The candidate.
        ticket: Ticket,
        /// The value that it has.
        value: f64,
    },
    /// The generation has no such candidate. Nothing was changed.
    NoSuchCandidate {
        /// The index given.
        index: usize,
        /// λ.
        lambda: usize,
    },
    /// Some candidates already have a value, so the generation cannot be told or replaced as a whole. Nothing was changed.
    PartlyTold {
        /// The number of values that are in.
        told: usize,
        /// λ.
        lambda: usize,
    },
    /// Too few values are in to end the generation. Nothing was changed.
    TooFew {
        /// The number of values that are in.
        told: usize,
        /// μ, the number of candidates with a positive weight.
        needed: usize,
    },
    /// There are no weights for the number of values that are in, so the missing ones cannot be left out. Nothing was changed.
    NoWeights(ParamsError),
    /// There is not one value for each candidate. Nothing was changed.
    WrongCount {
        /// λ.
        expected: usize,
        /// The number of values.
        got: usize,
    },
    /// The values were counted and ranked, and the distribution could not follow them all the way.
    ///
    /// What could not be updated, and what comes after it in the algorithm, stayed as it was, but for the last lines: where
    /// C was updated and D cannot take its deviations over, C is the new one. Points can still be asked for.
    Update(UpdateError),
}

impl fmt::Display for TellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => write!(f, "there is no generation to tell values of: ask first"),
            Self::Late { ticket, generation } => {
                write!(f, "the value of {ticket} comes too late: generation {generation} is being evaluated")
            }
            Self::Twice { ticket, value } => write!(f, "{ticket} already has a value, {value:e}"),
            Self::NoSuchCandidate { index, lambda } => {
                write!(f, "candidate {index} does not exist: a generation has {lambda} candidates, counted from 0")
            }
            Self::PartlyTold { told, lambda } => write!(
                f,
                "{told} of {lambda} candidates already have a value: tell the others one by one, or finish the generation"
            ),
            Self::TooFew { told, needed } => {
                write!(f, "a generation needs at least {needed} values, but only {told} are in")
            }
            Self::NoWeights(error) => write!(f, "the missing candidates cannot be left out: {error}"),
            Self::WrongCount { expected, got } => {
                write!(f, "a generation has {expected} candidates, but {got} values were told")
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

/// Why a part of the distribution could not be brought up to date. It then stays as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateError {
    /// The mean would leave the range of floating point.
    Mean {
        /// The coordinate.
        index: usize,
        /// What it would have become.
        value: f64,
    },
    /// An evolution path would leave the range of floating point.
    Path {
        /// The coordinate.
        index: usize,
        /// What it would have become.
        value: f64,
    },
    /// The step size would leave the range of floating point.
    StepSize {
        /// What it would have become.
        sigma: f64,
    },
    /// An entry of D would leave the range of floating point.
    Deviation {
        /// The coordinate.
        index: usize,
        /// What it would have become.
        value: f64,
    },
    /// The update was made, and with it the candidates of a coordinate may leave the range of floating point, or be all the
    /// same.
    OutOfRange {
        /// The coordinate.
        index: usize,
        /// Its mean; with bounds, before it is mapped into the box.
        mean: f64,
        /// Its deviation.
        deviation: f64,
    },
    /// A candidate is so many deviations away that its square cannot be summed.
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
    /// The new covariance matrix has lost its definiteness to rounding.
    NotPositiveDefinite {
        /// Its smallest eigenvalue or variance.
        smallest: f64,
    },
    /// The covariance matrix, or its update, has become too long and thin, too large or too small to be inverted in double
    /// precision.
    IllConditioned {
        /// Its smallest eigenvalue.
        smallest: f64,
        /// Its largest eigenvalue.
        largest: f64,
    },
    /// A strategy of one's own has a reason of its own.
    Other {
        /// What happened, as part of a sentence.
        reason: String,
    },
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean { index, value } => {
                write!(f, "coordinate {index} of the mean would become {value}")
            }
            Self::Path { index, value } => {
                write!(f, "coordinate {index} of an evolution path would become {value}")
            }
            Self::StepSize { sigma } => write!(f, "the step size would become {sigma:e}"),
            Self::Deviation { index, value } => {
                write!(f, "the deviation of coordinate {index} would become {value:e}")
            }
            Self::OutOfRange { index, mean, deviation } => {
                write!(f, "coordinate {index} leaves the range of floating point: {mean:e} ± {deviation:e}")
            }
            Self::Step { candidate, length2 } => {
                write!(
                    f,
                    "candidate {candidate} is too far away: the square of its length, in deviations, is {length2:e}"
                )
            }
            Self::NotFinite { row, column, value } => {
                write!(f, "entry ({row}, {column}) of the covariance matrix would become {value}")
            }
            Self::NotConverged { n } => {
                write!(f, "the eigendecomposition of a {n} × {n} matrix did not converge")
            }
            Self::NotPositiveDefinite { smallest } => write!(
                f,
                "the covariance matrix would not be positive definite: its smallest eigenvalue or variance is {smallest:e}"
            ),
            Self::IllConditioned { smallest, largest } => write!(
                f,
                "the covariance matrix cannot be inverted any more: its eigenvalues reach from {smallest:e} to {largest:e}"
            ),
            Self::Other { reason } => write!(f, "the strategy could not be updated: {reason}"),
        }
    }
}

impl std::error::Error for UpdateError {}

impl UpdateError {
    /// The same about the coordinates that a user knows. Entries of C stay what they are: it has no others.
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
            // NotConverged, or a failure that has no name of its own here.
            _ => Self::NotConverged { n },
        }
    }
}
