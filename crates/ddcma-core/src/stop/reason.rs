//! Why a run is over, with its evidence. Does not know how that was found out.

use std::fmt;
use std::time::Duration;

use crate::UpdateError;

/// Why a run is over, with the evidence.
///
/// If several reasons apply, the one that stands first here is given: target, budgets, numerical reasons, stagnation.
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
    /// The evaluations are used up.
    Evaluations {
        /// How many were made.
        evaluations: u64,
        /// How many were to be made.
        budget: u64,
    },
    /// The iterations are used up.
    Iterations {
        /// How many were made.
        iterations: u64,
        /// How many were to be made.
        budget: u64,
    },
    /// The time is used up.
    Time {
        /// How long it took.
        elapsed: Duration,
        /// How long it may take.
        budget: Duration,
    },
    /// A criterion of the user's own.
    User {
        /// Its reason.
        reason: String,
    },
    /// The distribution could not be updated in the last generation.
    Numerical(UpdateError),
    /// Too many generations in a row with fewer than μ values below +∞.
    NotFinite {
        /// How many.
        generations: u64,
        /// How many may be.
        limit: u64,
    },
    /// C has become too long and thin for floating point.
    Condition {
        /// Its condition number.
        condition: f64,
        /// The largest that may be.
        limit: f64,
    },
    /// A tenth of a standard deviation along a principal axis of C, decoded by D, does not change the mean.
    NoEffectAxis {
        /// The iteration, which chooses the axis.
        iteration: u64,
        /// The largest coordinate of that tenth, in magnitude: too small for any coordinate of the mean.
        step: f64,
    },
    /// A fifth of the standard deviation of a coordinate does not change the mean.
    NoEffectCoordinate {
        /// The coordinate.
        index: usize,
        /// Its deviation.
        deviation: f64,
        /// Its mean; with bounds, before it is mapped into the box.
        mean: f64,
    },
    /// The deviations have grown very much: the start was too narrow, or there is no minimum.
    TolXUp {
        /// The coordinate, or none if all of them have grown together.
        index: Option<usize>,
        /// How much it has grown; of all coordinates, the one that has grown least.
        factor: f64,
        /// How much it may grow; a single coordinate may grow by more than all together.
        limit: f64,
    },
    /// Function values do not differ any more.
    TolFun {
        /// The range of the values of the generation.
        generation: f64,
        /// The range of the best values of the last generations.
        history: f64,
        /// The range that counts as none.
        tolerance: f64,
    },
    /// The best values of the last generations do not differ any more.
    TolFunHist {
        /// Their range.
        range: f64,
        /// How many generations.
        generations: usize,
        /// The range that counts as none.
        tolerance: f64,
    },
    /// Function values do not differ any more, compared with their magnitude.
    TolFunRel {
        /// The range of the values of the generation.
        generation: f64,
        /// The range of the best values of the last generations.
        history: f64,
        /// The smallest magnitude of these best values.
        magnitude: f64,
        /// The range, relative to this magnitude, that counts as none.
        tolerance: f64,
    },
    /// The distribution has become very small.
    TolX {
        /// The largest deviation or path of a coordinate, relative to its initial deviation.
        largest: f64,
        /// What counts as none.
        tolerance: f64,
    },
    /// A quarter of the candidates have the best value, again and again.
    FlatFitness {
        /// In how many generations.
        flat: usize,
        /// Of how many.
        generations: usize,
    },
    /// Neither best nor median values have improved over the window.
    Stagnation {
        /// Its length in generations.
        window: usize,
        /// The median of the best values, of its oldest and its newest generations.
        best: (f64, f64),
        /// The median of the median values, of its oldest and its newest generations.
        median: (f64, f64),
    },
}

impl Stop {
    /// The name of the criterion, for tables and files.
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
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name())?;
        match self {
            Self::Target { best, target } => write!(f, "the best value {best:e} is at most {target:e}"),
            Self::Evaluations { evaluations, budget } => write!(f, "{evaluations} of {budget} evaluations made"),
            Self::Iterations { iterations, budget } => write!(f, "{iterations} of {budget} iterations made"),
            Self::Time { elapsed, budget } => write!(f, "{elapsed:?} of {budget:?} passed"),
            Self::User { reason } => f.write_str(reason),
            Self::Numerical(error) => error.fmt(f),
            Self::NotFinite { generations, limit } => {
                write!(f, "{generations} generations in a row with too few finite values (limit {limit})")
            }
            Self::Condition { condition, limit } => {
                write!(f, "the condition number {condition:e} of C exceeds {limit:e}")
            }
            Self::NoEffectAxis { iteration, step } => {
                write!(
                    f,
                    "in iteration {iteration}, 0.1 deviations along an axis, at most {step:e}, do not change the mean"
                )
            }
            Self::NoEffectCoordinate { index, deviation, mean } => {
                write!(f, "0.2 deviations of {deviation:e} do not change coordinate {index} of the mean, {mean:e}")
            }
            Self::TolXUp { index: None, factor, limit } => {
                write!(f, "the deviations of all coordinates have grown by {factor:e} or more (limit {limit:e})")
            }
            Self::TolXUp { index: Some(index), factor, limit } => {
                write!(f, "the deviation of coordinate {index} has grown by {factor:e} (limit {limit:e})")
            }
            Self::TolFun { generation, history, tolerance } => {
                write!(
                    f,
                    "the ranges {generation:e} of the values and {history:e} of the best ones are below {tolerance:e}"
                )
            }
            Self::TolFunHist { range, generations, tolerance } => {
                write!(f, "the range {range:e} of the best values of {generations} generations is below {tolerance:e}")
            }
            Self::TolFunRel { generation, history, magnitude, tolerance } => {
                write!(
                    f,
                    "the ranges {generation:e} of the values and {history:e} of the best ones are below {tolerance:e} times \
                     {magnitude:e}"
                )
            }
            Self::TolX { largest, tolerance } => {
                write!(
                    f,
                    "no coordinate deviates by more than {largest:e} of its initial deviation (tolerance {tolerance:e})"
                )
            }
            Self::FlatFitness { flat, generations } => {
                write!(f, "a quarter of the candidates had the best value in {flat} of {generations} generations")
            }
            Self::Stagnation { window, best, median } => write!(
                f,
                "over {window} generations the best values went from {:e} to {:e} and the medians from {:e} to {:e}",
                best.0, best.1, median.0, median.1
            ),
        }
    }
}
