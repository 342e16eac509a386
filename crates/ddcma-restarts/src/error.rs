//! The errors of start points, policies and searches.

use std::fmt;

use ddcma_core::{StartError, TellError};

/// An error in the description of start points.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StartPointsError {
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
        /// The deviation.
        deviation: f64,
    },
}

impl fmt::Display for StartPointsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoxOfWrongLength { expected, got } => {
                write!(f, "the box of start points must have as many upper as lower sides: {expected}, got {got}")
            }
            Self::Side { index, lower, upper } => {
                write!(
                    f,
                    "side {index} of the box of start points must be an interval of finite length, got [{lower}, {upper}]"
                )
            }
            Self::Point { index, value } => {
                write!(f, "coordinate {index} of the start point must be finite, got {value}")
            }
            Self::Deviation { deviation } => {
                write!(f, "the deviation of start points must be finite and at least 0, got {deviation}")
            }
        }
    }
}

impl std::error::Error for StartPointsError {}

/// A setting of a policy that is out of range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PolicyError {
    /// The policy.
    pub policy: &'static str,
    /// The setting.
    pub setting: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must be, such as "finite and at least 1".
    pub range: String,
}

impl PolicyError {
    /// Creates the error for a setting of a policy that is out of range.
    pub fn new(policy: &'static str, setting: &'static str, value: f64, range: impl Into<String>) -> Self {
        Self { policy, setting, value, range: range.into() }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, setting, value, range } = self;
        write!(f, "{setting} of {policy} must be {range}, got {value}")
    }
}

impl std::error::Error for PolicyError {}

/// An error of a search: it cannot start, continue or take values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SearchError {
    /// The policy never ends by itself, and the search has no budget.
    NoBudget {
        /// The policy.
        policy: &'static str,
    },
    /// A budget is 0, so there would be no run.
    EmptyBudget {
        /// What the budget limits: `evaluations`, `time` or `runs`.
        of: &'static str,
    },
    /// A setting of the policy is out of range.
    Policy(PolicyError),
    /// The box of start points is not within the bounds.
    BoxOutsideBounds {
        /// The coordinate.
        index: usize,
        /// The side of the box.
        side: (f64, f64),
        /// The bounds.
        bounds: (f64, f64),
    },
    /// The start points come from [variables](crate::Starts::over), but the search has others.
    OtherVariables,
    /// The policy plans a probe along the axes, but a coordinate has no finite interval to probe.
    NoProbeBox {
        /// The coordinate.
        index: usize,
    },
    /// The box of probes does not have one side for each coordinate.
    ProbeBoxOfWrongLength {
        /// The number of coordinates.
        expected: usize,
        /// The numbers of lower and upper sides.
        got: (usize, usize),
    },
    /// A side of the box of probes is not an interval of finite length within the bounds.
    ProbeSide {
        /// The coordinate.
        index: usize,
        /// The side.
        side: (f64, f64),
        /// The bounds.
        bounds: (f64, f64),
    },
    /// The target is NaN.
    Target,
    /// The policy does not plan a first run.
    NothingPlanned {
        /// The policy.
        policy: &'static str,
    },
    /// A start point has the wrong number of coordinates. The results of earlier runs are kept.
    StartOfWrongLength {
        /// The number of the run, from 0.
        run: usize,
        /// The number of variables.
        expected: usize,
        /// The number of coordinates.
        got: usize,
    },
    /// The policy plans a strategy that this search does not have. The results of earlier runs are kept.
    OtherStrategy {
        /// The number of the run, from 0.
        run: usize,
        /// The strategy of the search.
        strategy: &'static str,
        /// The planned strategy.
        planned: String,
    },
    /// The policy sets an option that the strategy does not have. The results of earlier runs are kept.
    NoSuchOption {
        /// The number of the run, from 0.
        run: usize,
        /// The strategy of the search.
        strategy: &'static str,
        /// The option.
        option: String,
        /// Its planned value.
        value: f64,
    },
    /// A run could not start as planned. The results of earlier runs are kept.
    Start {
        /// The number of the run, from 0.
        run: usize,
        /// The reason.
        error: StartError,
    },
    /// The values were refused.
    Tell(TellError),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBudget { policy } => write!(
                f,
                "{policy} never ends by itself: set a budget of evaluations, time or runs, or limit the policy's restarts; a \
                 custom policy that ends by itself must return true from Policy::ends"
            ),
            Self::OtherVariables => {
                write!(
                    f,
                    "the start points are those of other variables: give the same variables to the start points and to the search"
                )
            }
            Self::EmptyBudget { of } => write!(f, "the budget of {of} must be positive, got 0"),
            Self::Policy(error) => error.fmt(f),
            Self::BoxOutsideBounds { index, side, bounds } => write!(
                f,
                "side {index} of the box of start points must be within the bounds [{}, {}], got [{}, {}]",
                bounds.0, bounds.1, side.0, side.1
            ),
            Self::NoProbeBox { index } => write!(
                f,
                "a probe needs a finite interval for each coordinate, but coordinate {index} has none: set bounds, variables with ranges, \
                 a box of start points, or SearchBuilder::probe_box"
            ),
            Self::ProbeBoxOfWrongLength { expected, got } => {
                write!(f, "the box of probes must have {expected} sides, got {} lower and {} upper ones", got.0, got.1)
            }
            Self::ProbeSide { index, side, bounds } => write!(
                f,
                "side {index} of the box of probes must be an interval of finite length within the bounds [{}, {}], got [{}, {}]",
                bounds.0, bounds.1, side.0, side.1
            ),
            Self::Target => write!(f, "the target must be a number, got NaN"),
            Self::NothingPlanned { policy } => write!(f, "{policy} must plan a first run, but plans none"),
            Self::StartOfWrongLength { run, expected, got } => {
                write!(f, "run {run} could not start: its start point must have {expected} coordinates, got {got}")
            }
            Self::OtherStrategy { run, strategy, planned } => write!(
                f,
                "run {run} could not start: the policy plans the strategy \"{planned}\", but this search has \"{strategy}\": to \
                 choose a strategy for each run, use restarts(…).strategy::<BuiltInStrategy>()"
            ),
            Self::NoSuchOption { run, strategy, option, value } => write!(
                f,
                "run {run} could not start: the policy sets the option \"{option}\" to {value}, but the strategy \"{strategy}\" has no such option"
            ),
            Self::Start { run, error } => write!(f, "run {run} could not start: {error}"),
            Self::Tell(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SearchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Our text includes theirs, so the chain continues with their source.
            Self::Start { error, .. } => error.source(),
            Self::Tell(error) => error.source(),
            Self::Policy(error) => error.source(),
            _ => None,
        }
    }
}

impl From<TellError> for SearchError {
    fn from(error: TellError) -> Self {
        Self::Tell(error)
    }
}
