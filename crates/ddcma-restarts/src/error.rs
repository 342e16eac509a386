//! What can be wrong with a search before it starts, and what can be told it wrongly. Knows numbers and their ranges.

use std::fmt;

use ddcma_core::{StartError, TellError};

/// Why start points cannot be drawn.
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
        /// It.
        deviation: f64,
    },
}

impl fmt::Display for StartPointsError {
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

impl std::error::Error for StartPointsError {}

/// A constant of a policy that is out of its range.
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
    /// For a setting of a policy that is not what it must be.
    pub fn new(policy: &'static str, setting: &'static str, value: f64, range: impl Into<String>) -> Self {
        Self { policy, setting, value, range: range.into() }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, setting, value, range } = self;
        write!(f, "{setting} of {policy} must be {range}, but it is {value}")
    }
}

impl std::error::Error for PolicyError {}

/// Why a search could not start or go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SearchError {
    /// The policy has no end, and there is no budget either.
    NoBudget {
        /// The policy.
        policy: &'static str,
    },
    /// A budget is zero: there would be no run at all.
    EmptyBudget {
        /// Of what.
        of: &'static str,
    },
    /// A constant of the policy is out of its range.
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
    /// The policy plans a probe along the axes, and a coordinate has no finite interval to probe.
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
    /// The search is over: values are taken no more.
    Over,
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
    /// The policy plans a strategy that this search cannot take. What was found before is not lost.
    OtherStrategy {
        /// Of which run, from 0.
        run: usize,
        /// The strategy of the search.
        strategy: &'static str,
        /// The one that is planned.
        planned: String,
    },
    /// The policy sets an option that the strategy does not have. What was found before is not lost.
    NoSuchOption {
        /// Of which run, from 0.
        run: usize,
        /// The strategy of the search.
        strategy: &'static str,
        /// The option.
        option: String,
        /// Its planned value.
        value: f64,
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
                 number of restarts (a policy of your own that ends by itself says so by Policy::ends)"
            ),
            Self::EmptyBudget { of } => write!(f, "a budget of 0 {of} leaves no room for a run"),
            Self::Policy(error) => error.fmt(f),
            Self::BoxOutsideBounds { index, side, bounds } => write!(
                f,
                "side {index} of the box of start points, from {} to {}, is not within the bounds [{}, {}]",
                side.0, side.1, bounds.0, bounds.1
            ),
            Self::NoProbeBox { index } => write!(
                f,
                "a probe needs a box, but coordinate {index} has no finite interval: give bounds, variables with ranges, a box of start \
                 points, or a box for probes (SearchBuilder::probe_box)"
            ),
            Self::ProbeBoxOfWrongLength { expected, got } => {
                write!(f, "the box of probes has {} lower and {} upper sides in place of {expected}", got.0, got.1)
            }
            Self::ProbeSide { index, side, bounds } => write!(
                f,
                "side {index} of the box of probes, from {} to {}, is not a finite interval within the bounds [{}, {}]",
                side.0, side.1, bounds.0, bounds.1
            ),
            Self::Target => write!(f, "the target is NaN"),
            Self::Over => write!(f, "the search is over, and takes no more values"),
            Self::NothingPlanned { policy } => write!(f, "{policy} plans no run at all"),
            Self::StartOfWrongLength { run, expected, got } => {
                write!(f, "run {run} could not start: its start point has {got} coordinates in place of {expected}")
            }
            Self::OtherStrategy { run, strategy, planned } => write!(
                f,
                "run {run} could not start: the policy plans the strategy \"{planned}\", but this search has \"{strategy}\" (for a \
                 choice in each run, use restarts(…).strategy::<BuiltInStrategy>())"
            ),
            Self::NoSuchOption { run, strategy, option, value } => write!(
                f,
                "run {run} could not start: the policy sets \"{option}\" to {value}, but the strategy \"{strategy}\" has no such option"
            ),
            Self::Start { run, error } => write!(f, "run {run} could not start: {error}"),
            Self::Tell(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SearchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Their texts are part of ours: what comes behind them is next.
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
