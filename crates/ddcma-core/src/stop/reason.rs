//! The reasons why a run ended, with the numbers that explain them.

use std::fmt;
use std::time::Duration;

use crate::point::Which;
use crate::{Number, UpdateError};

/// The reason why a run ended, with the numbers that explain it.
///
/// If several reasons apply, the first one in this order is given: target, budgets, numerical reasons, stagnation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Stop {
    /// The target was reached.
    Target {
        /// The best value.
        best: f64,
        /// The target.
        target: f64,
    },
    /// The budget of evaluations is used up.
    Evaluations {
        /// The number of evaluations.
        evaluations: u64,
        /// The budget.
        budget: u64,
    },
    /// The budget of iterations is used up.
    Iterations {
        /// The number of iterations.
        iterations: u64,
        /// The budget.
        budget: u64,
    },
    /// The time budget is used up.
    Time {
        /// The elapsed time.
        elapsed: Duration,
        /// The budget.
        budget: Duration,
    },
    /// A custom criterion stopped the run.
    User {
        /// Its reason.
        reason: String,
    },
    /// The distribution could not be updated in the last generation.
    Numerical(UpdateError),
    /// Too many consecutive generations had fewer than μ values below +∞.
    NotFinite {
        /// The number of such generations.
        generations: u64,
        /// The largest number allowed.
        limit: u64,
    },
    /// C has become too ill-conditioned for floating point.
    Condition {
        /// Its condition number.
        condition: f64,
        /// The largest condition number allowed.
        limit: f64,
    },
    /// A tenth of a standard deviation along a principal axis of C, decoded by D, does not change the mean.
    NoEffectAxis {
        /// The iteration, which chooses the axis.
        iteration: u64,
        /// The largest magnitude of a coordinate of that step: too small for any coordinate of the mean.
        step: f64,
    },
    /// A fifth of the standard deviation of a coordinate does not change the mean.
    NoEffectCoordinate {
        /// The coordinate.
        index: usize,
        /// The name of its variable, if it has one.
        name: Option<String>,
        /// Its deviation.
        deviation: f64,
        /// Its mean; with bounds, before it is mapped into the box.
        mean: f64,
    },
    /// The deviations have grown too much: the initial step size was too small, or there is no minimum.
    TolXUp {
        /// The coordinate, or `None` if all coordinates have grown together.
        index: Option<usize>,
        /// The name of its variable, if it has one.
        name: Option<String>,
        /// The factor by which it has grown; for all coordinates together, the smallest factor.
        factor: f64,
        /// The largest factor allowed; a single coordinate may grow by more than all together.
        limit: f64,
    },
    /// Function values no longer differ.
    TolFun {
        /// The range of the values of the generation.
        generation: f64,
        /// The range of the best values of the last generations.
        history: f64,
        /// The range below which a run stops.
        tolerance: f64,
    },
    /// The best values of the last generations no longer differ.
    TolFunHist {
        /// Their range.
        range: f64,
        /// The number of generations.
        generations: usize,
        /// The range below which a run stops.
        tolerance: f64,
    },
    /// Function values no longer differ, compared with their magnitude.
    TolFunRel {
        /// The range of the values of the generation.
        generation: f64,
        /// The range of the best values of the last generations.
        history: f64,
        /// The smallest magnitude of these best values.
        magnitude: f64,
        /// The range, relative to this magnitude, below which a run stops.
        tolerance: f64,
    },
    /// The distribution has become very small.
    TolX {
        /// The largest deviation or path of a coordinate, relative to its initial deviation.
        largest: f64,
        /// The tolerance.
        tolerance: f64,
    },
    /// A quarter of the candidates have the best value, in many generations.
    FlatFitness {
        /// The number of flat generations.
        flat: usize,
        /// The number of generations in the window.
        generations: usize,
    },
    /// Neither best nor median values have improved over the window.
    Stagnation {
        /// The length of the window, in generations.
        window: usize,
        /// The median of the best values in the oldest and in the newest generations of the window.
        best: (f64, f64),
        /// The median of the median values in the oldest and in the newest generations of the window.
        median: (f64, f64),
    },
    /// The run creeps: the step size has grown, but the deviations have not, because D and C shrink as fast. By default, only a
    /// run above its reference value ends for this reason.
    Creeping {
        /// The factor by which σ has grown, including what it handed over to D and excluding what bounds have taken; +∞ if
        /// it overflows.
        growth: f64,
        /// The largest factor allowed.
        limit: f64,
        /// The largest deviation of a coordinate, relative to its initial value: below 1.
        largest: f64,
        /// The best value.
        best: f64,
        /// The reference value, if the best value is above it.
        reference: Option<f64>,
    },
    /// The best value is above the reference value, and the run gains too little to reach it.
    Abandoned {
        /// The least of the best values of the last generations.
        least: f64,
        /// The reference value.
        reference: f64,
        /// The range of the best values of the last generations.
        history: f64,
        /// The distance between the median and the best value of the last generation.
        spread: f64,
        /// Both must be below this share of the distance between `least` and `reference`.
        ratio: f64,
    },
    /// A probe along the axes, which a search of `ddcma-restarts` may include, is complete.
    Probed {
        /// The number of coordinates that were probed.
        coordinates: usize,
        /// The number of these coordinates with a better value somewhere on their line.
        improved: usize,
    },
    /// The maximum number of runs of a search was made.
    Runs {
        /// The number of runs made.
        runs: usize,
    },
    /// The policy of a search plans no further run.
    PolicyDone {
        /// The number of runs made.
        runs: usize,
    },
    /// The next run of a search could not start as planned.
    CannotStart {
        /// The run, and why it could not start.
        reason: String,
    },
}

impl Stop {
    /// Returns whether the run has reached its target, or used up a budget.
    pub fn is_target_or_budget(&self) -> bool {
        matches!(self, Self::Target { .. } | Self::Evaluations { .. } | Self::Iterations { .. } | Self::Time { .. })
    }

    /// Returns the name of the criterion, for tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Target { .. } => "target",
            Self::Evaluations { .. } => "evaluations",
            Self::Iterations { .. } => "iterations",
            Self::Time { .. } => "time",
            Self::User { .. } => "user",
            Self::Numerical(_) => "numerical",
            Self::NotFinite { .. } => "not_finite",
            Self::Condition { .. } => "condition",
            Self::NoEffectAxis { .. } => "no_effect_axis",
            Self::NoEffectCoordinate { .. } => "no_effect_coordinate",
            Self::TolXUp { .. } => "tol_x_up",
            Self::TolFun { .. } => "tol_fun",
            Self::TolFunHist { .. } => "tol_fun_hist",
            Self::TolFunRel { .. } => "tol_fun_rel",
            Self::TolX { .. } => "tol_x",
            Self::FlatFitness { .. } => "flat_fitness",
            Self::Stagnation { .. } => "stagnation",
            Self::Creeping { .. } => "creeping",
            Self::Abandoned { .. } => "abandoned",
            Self::Probed { .. } => "probed",
            Self::Runs { .. } => "runs",
            Self::PolicyDone { .. } => "policy_done",
            Self::CannotStart { .. } => "cannot_start",
        }
    }
}

/// Writes the name of the criterion and a sentence. What a run has computed is rounded, what a user can set is exact.
impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (exact, rounded) = (|value: &f64| Number(*value), |value: &f64| Number::rounded(*value));
        let beside = |value: &f64, limit: &f64| Number::beside(*value, *limit);
        write!(f, "{}: ", self.name())?;
        match self {
            Self::Target { best, target } => {
                write!(f, "the best value {} is at most {}", beside(best, target), exact(target))
            }
            Self::Evaluations { evaluations, budget } if evaluations > budget => {
                write!(f, "{evaluations} evaluations made, budget {budget}: a generation that has begun is completed")
            }
            Self::Evaluations { evaluations, budget } => write!(f, "{evaluations} of {budget} evaluations made"),
            Self::Iterations { iterations, budget } => write!(f, "{iterations} of {budget} iterations made"),
            Self::Time { elapsed, budget } => write!(f, "{elapsed:.2?} of {budget:?} passed"),
            Self::User { reason } => f.write_str(reason),
            Self::Numerical(error) => error.fmt(f),
            Self::NotFinite { generations, limit } => {
                write!(f, "{generations} generations in a row with too few finite values (limit {limit})")
            }
            Self::Condition { condition, limit } => {
                write!(f, "the condition number {} of C exceeds {}", beside(condition, limit), exact(limit))
            }
            Self::NoEffectAxis { iteration, step } => {
                write!(
                    f,
                    "in iteration {iteration}, 0.1 deviations along an axis, at most {}, do not change the mean",
                    rounded(step)
                )
            }
            Self::NoEffectCoordinate { index, name, deviation, mean } => {
                let (deviation, mean) = (rounded(deviation), rounded(mean));
                let coordinate = Which("coordinate", *index, name);
                write!(f, "0.2 deviations of {deviation} do not change {coordinate} of the mean, {mean}")
            }
            Self::TolXUp { index, name, factor, limit } => {
                let (factor, limit) = (beside(factor, limit), exact(limit));
                match index {
                    None => {
                        write!(f, "the deviations of all coordinates have grown by {factor} or more (limit {limit})")
                    }
                    Some(index) => {
                        let coordinate = Which("coordinate", *index, name);
                        write!(f, "the deviation of {coordinate} has grown by {factor} (limit {limit})")
                    }
                }
            }
            Self::TolFun { generation, history, tolerance } => {
                write!(
                    f,
                    "the ranges {} of the values and {} of the best ones are below {}",
                    beside(generation, tolerance),
                    beside(history, tolerance),
                    exact(tolerance)
                )
            }
            Self::TolFunHist { range, generations, tolerance } => {
                let (range, tolerance) = (beside(range, tolerance), exact(tolerance));
                write!(f, "the range {range} of the best values of {generations} generations is below {tolerance}")
            }
            Self::TolFunRel { generation, history, magnitude, tolerance } => {
                write!(
                    f,
                    "the ranges {} of the values and {} of the best ones are below {} times {}",
                    rounded(generation),
                    rounded(history),
                    exact(tolerance),
                    rounded(magnitude)
                )
            }
            Self::TolX { largest, tolerance } => {
                let (largest, tolerance) = (beside(largest, tolerance), exact(tolerance));
                write!(
                    f,
                    "no coordinate deviates by more than {largest} of its initial deviation (tolerance {tolerance})"
                )
            }
            Self::FlatFitness { flat, generations } => {
                write!(f, "a quarter of the candidates had the best value in {flat} of {generations} generations")
            }
            Self::Stagnation { window, best, median } => {
                let (best, median) = (Number::both(best.0, best.1), Number::both(median.0, median.1));
                write!(
                    f,
                    "over {window} generations the best values went from {} to {} and the medians from {} to {}",
                    best.0, best.1, median.0, median.1
                )
            }
            Self::Creeping { growth, limit, largest, best, reference } => {
                let (growth, limit, largest) = (beside(growth, limit), exact(limit), beside(largest, &1.0));
                write!(
                    f,
                    "the step size has grown by {growth} (limit {limit}), no deviation exceeds {largest} of its initial value, and \
                     the best value "
                )?;
                match reference {
                    Some(reference) => {
                        let (best, reference) = Number::both(*best, *reference);
                        write!(f, "{best} is above the reference {reference}")
                    }
                    None => write!(f, "{} is not above a reference", rounded(best)),
                }
            }
            Self::Abandoned { least, reference, history, spread, ratio } => {
                let (least, reference) = Number::both(*least, *reference);
                let (history, spread, ratio) = (rounded(history), rounded(spread), exact(ratio));
                write!(
                    f,
                    "the range {history} of the last best values and the distance {spread} from the best to the median are below \
                     {ratio} of the way from {least} to the reference {reference}"
                )
            }
            Self::Runs { runs } => write!(f, "{runs} runs made"),
            Self::PolicyDone { runs } => write!(f, "the policy plans no more runs after {runs}"),
            Self::CannotStart { reason } => f.write_str(reason),
            Self::Probed { coordinates, improved } => {
                write!(f, "{improved} of {coordinates} coordinates have better values")
            }
        }
    }
}
