//! When to stop, and why. Knows the state of a run; changes nothing.
//!
//! Criteria and defaults are those usual for CMA-ES; each can be set and switched off.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use crate::ranking::Ranking;
use crate::{Optimizer, StartError, Strategy, UpdateError};

/// When to stop. `None` or `false` switches a criterion off.
///
/// ```
/// use std::time::Duration;
/// use ddcma_core::Stops;
///
/// let stops = Stops::new().target(1e-8).evaluations(10_000).time(Duration::from_secs(60)).stagnation(false);
/// # let _ = stops;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Stops {
    pub(crate) target: Option<f64>,
    pub(crate) evaluations: Option<u64>,
    pub(crate) iterations: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) not_finite: Option<u64>,
    pub(crate) condition: Option<f64>,
    pub(crate) no_effect_axis: bool,
    pub(crate) no_effect_coordinate: bool,
    pub(crate) tol_x_up: Option<f64>,
    pub(crate) tol_fun: Option<f64>,
    pub(crate) tol_fun_hist: Option<f64>,
    pub(crate) tol_x: Option<f64>,
    pub(crate) flat_fitness: bool,
    pub(crate) stagnation: bool,
}

impl Default for Stops {
    fn default() -> Self {
        Self::new()
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl Stops {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, value: impl Into<$type>) -> Self {
                    self.$name = value.into();
                    self
                }
            )*
        }
    };
}

setters! {
    /// A function value that is good enough: best f ≤ target. Default: off.
    target: Option<f64>;
    /// The number of evaluations to make, to the full generation. Default: off.
    evaluations: Option<u64>;
    /// The number of iterations to make. Default: off.
    iterations: Option<u64>;
    /// The time to take, from the start on, counted where the run is going on. Default: off.
    time: Option<Duration>;
    /// So many generations in a row with fewer than μ values below +∞. Default: 20.
    not_finite: Option<u64>;
    /// The largest condition number of C, and of D² relative to its initial value. Default: 1e14, an axis ratio of 1e7.
    condition: Option<f64>;
    /// Whether to stop if 0.1 σ along a principal axis of C, decoded by D, does not change the mean. Default: yes.
    ///
    /// Another axis is looked at in each iteration: all in turn, or with the default root the longest and the shortest.
    no_effect_axis: bool;
    /// Whether to stop if 0.2 deviations of a coordinate do not change the mean. Default: yes.
    no_effect_coordinate: bool;
    /// The factor by which the deviation of a coordinate may grow. Default: 1e4.
    tol_x_up: Option<f64>;
    /// The range of function values that counts as none: of the generation, and of the best of the last ones. Default: 1e-12.
    tol_fun: Option<f64>;
    /// The same, for the best values of the last generations alone. Default: 1e-12.
    tol_fun_hist: Option<f64>;
    /// The deviation of all coordinates that counts as none, relative to the initial one. Default: 1e-12.
    tol_x: Option<f64>;
    /// Whether to stop if a quarter of the candidates have the best value in more than a third of the last n generations,
    /// and of at least ten. Default: yes.
    flat_fitness: bool;
    /// Whether to stop if best and median values have not improved over a long time. Default: yes.
    stagnation: bool;
}

impl Stops {
    /// The usual criteria, and neither a target nor a budget.
    pub fn new() -> Self {
        Self {
            not_finite: Some(20),
            condition: Some(1e14),
            no_effect_axis: true,
            no_effect_coordinate: true,
            tol_x_up: Some(1e4),
            tol_fun: Some(1e-12),
            tol_fun_hist: Some(1e-12),
            tol_x: Some(1e-12),
            flat_fitness: true,
            stagnation: true,
            ..Self::none()
        }
    }

    /// The [target](Self::target), if there is one.
    pub fn target_value(&self) -> Option<f64> {
        self.target
    }

    /// The budget of [evaluations](Self::evaluations), if there is one.
    pub fn evaluation_budget(&self) -> Option<u64> {
        self.evaluations
    }

    /// Whether every threshold is one.
    pub(crate) fn check(&self) -> Result<(), StartError> {
        let tolerances = [
            ("condition", self.condition),
            ("tol_x_up", self.tol_x_up),
            ("tol_fun", self.tol_fun),
            ("tol_fun_hist", self.tol_fun_hist),
            ("tol_x", self.tol_x),
        ];
        for (name, value) in tolerances {
            if let Some(value) = value.filter(|value| value.is_nan() || *value < 0.0) {
                return Err(StartError::Stops { name, value });
            }
        }
        match self {
            Self { target: Some(value), .. } if value.is_nan() => {
                Err(StartError::Stops { name: "target", value: *value })
            }
            Self { not_finite: Some(0), .. } => Err(StartError::Stops { name: "not_finite", value: 0.0 }),
            _ => Ok(()),
        }
    }

    /// No criterion at all: the run ends when its caller ends it, or at the limits of floating point.
    pub fn none() -> Self {
        Self {
            target: None,
            evaluations: None,
            iterations: None,
            time: None,
            not_finite: None,
            condition: None,
            no_effect_axis: false,
            no_effect_coordinate: false,
            tol_x_up: None,
            tol_fun: None,
            tol_fun_hist: None,
            tol_x: None,
            flat_fitness: false,
            stagnation: false,
        }
    }
}

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
    /// The distribution has become too long and thin for floating point.
    Condition {
        /// The condition number of C.
        of_c: f64,
        /// The condition number of D², relative to the initial D.
        of_d: f64,
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
    /// The deviation of a coordinate has grown very much: the start was too narrow, or there is no minimum.
    TolXUp {
        /// The coordinate.
        index: usize,
        /// How much it has grown.
        factor: f64,
        /// How much it may grow.
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
            Self::Condition { of_c, of_d, limit } => {
                write!(f, "the condition number {of_c:e} of C or {of_d:e} of D² exceeds {limit:e}")
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
            Self::TolXUp { index, factor, limit } => {
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

/// The longest window of [`Stop::Stagnation`].
const LONGEST_WINDOW: usize = 20_000;
/// How many generations at either end of that window are compared.
const COMPARED: usize = 20;

/// What the criteria remember of past generations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Monitor {
    n: usize,
    lambda: usize,
    /// The number of weights of the mean that are positive.
    mu: usize,
    /// σ0·D0.
    pub(crate) initial_deviations: Vec<f64>,
    /// The range of the values of the last generation.
    pub(crate) range: f64,
    /// Best and median values of the last generations, the newest last.
    pub(crate) best: VecDeque<f64>,
    pub(crate) median: VecDeque<f64>,
    /// Whether the last generations were flat.
    pub(crate) flat: VecDeque<bool>,
    pub(crate) not_finite: u64,
    /// The longest coordinate of a step along a principal axis that was lost.
    pub(crate) no_effect_axis: Option<f64>,
    pub(crate) failure: Option<UpdateError>,
    /// Time that passed before `started`, in earlier lives of the run.
    pub(crate) elapsed: Duration,
    started: Option<Instant>,
}

impl Monitor {
    pub(crate) fn new(lambda: usize, mu: usize, initial_deviations: Vec<f64>, stops: &Stops) -> Self {
        let n = initial_deviations.len();
        let mut monitor = Self {
            n,
            lambda,
            mu,
            initial_deviations,
            range: f64::NAN,
            best: VecDeque::new(),
            median: VecDeque::new(),
            flat: VecDeque::new(),
            not_finite: 0,
            no_effect_axis: None,
            failure: None,
            elapsed: Duration::ZERO,
            started: None,
        };
        monitor.prepare(stops);
        monitor
    }

    /// Makes room for all that will be remembered, and starts the clock if somebody wants to know the time.
    pub(crate) fn prepare(&mut self, stops: &Stops) {
        let longest = if stops.stagnation { LONGEST_WINDOW } else { 0 }.max(self.history_length());
        let missing = |length: usize, needed: usize| (needed + 1).saturating_sub(length);
        self.best.reserve_exact(missing(self.best.len(), longest));
        self.median.reserve_exact(missing(self.median.len(), longest));
        self.flat.reserve_exact(missing(self.flat.len(), self.flat_window()));
        self.started = stops.time.map(|_| Instant::now());
    }

    /// 10 + ⌈30 n/λ⌉ generations.
    fn history_length(&self) -> usize {
        10 + (30 * self.n).div_ceil(self.lambda)
    }

    /// n generations, and at least ten: one plateau should not end a search of few variables.
    pub(crate) fn flat_window(&self) -> usize {
        self.n.max(10)
    }

    /// ⌈0.2 t + 120 + 30 n/λ⌉ generations, and not more than are remembered.
    fn window(&self, iterations: u64) -> usize {
        let window = 0.2 * iterations as f64 + 120.0 + 30.0 * self.n as f64 / self.lambda as f64;
        (window.ceil() as usize).min(LONGEST_WINDOW)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed.saturating_add(self.started.map_or(Duration::ZERO, |started| started.elapsed()))
    }

    /// Takes in the values of a generation.
    pub(crate) fn record(&mut self, values: &[f64], ranking: &Ranking, iterations: u64, stagnation: bool) {
        let at = |rank: usize| values[ranking.candidate(rank)];
        let (best, worst) = (at(0), at(self.lambda - 1));
        self.range = worst - best;

        let longest = if stagnation { self.window(iterations) } else { 0 }.max(self.history_length());
        for (history, value) in [(&mut self.best, best), (&mut self.median, at(self.lambda / 2))] {
            history.push_back(value);
            while history.len() > longest {
                history.pop_front();
            }
        }

        // Counted from 1, and never the best alone, which is as good as itself.
        let quarter = ((0.1 + self.lambda as f64 / 4.0).ceil() as usize).max(2);
        // Values that are all missing are another matter: see `not_finite`.
        self.flat.push_back(best == at(quarter - 1) && best < f64::INFINITY);
        if self.flat.len() > self.flat_window() {
            self.flat.pop_front();
        }

        let finite = values.iter().filter(|value| **value < f64::INFINITY).count(); // not NaN either
        self.not_finite = if finite < self.mu { self.not_finite + 1 } else { 0 };
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Whether it is time to stop, and why. `None` means: go on.
    ///
    /// Criteria are evaluated on the state after the last [`tell`](Optimizer::tell), in O(n).
    pub fn stop(&self) -> Option<Stop> {
        self.target_or_budget().or_else(|| self.numerical()).or_else(|| self.stagnated())
    }

    pub(crate) fn target_or_budget(&self) -> Option<Stop> {
        let Stops { target, evaluations, iterations, time, .. } = self.stops;
        if let Some((target, best)) = target.zip(self.best()).filter(|(target, best)| best.value <= *target) {
            return Some(Stop::Target { best: best.value, target });
        }
        if let Some(budget) = evaluations.filter(|budget| self.evaluations() >= *budget) {
            return Some(Stop::Evaluations { evaluations: self.evaluations(), budget });
        }
        if let Some(budget) = iterations.filter(|budget| self.iterations() >= *budget) {
            return Some(Stop::Iterations { iterations: self.iterations(), budget });
        }
        let budget = time?;
        let elapsed = self.monitor.elapsed();
        (elapsed >= budget).then_some(Stop::Time { elapsed, budget })
    }

    pub(crate) fn numerical(&self) -> Option<Stop> {
        if self.iterations() == 0 {
            return None;
        }
        if let Some(error) = &self.monitor.failure {
            return Some(Stop::Numerical(error.clone()));
        }
        let generations = self.monitor.not_finite;
        if let Some(limit) = self.stops.not_finite.filter(|limit| generations >= *limit) {
            return Some(Stop::NotFinite { generations, limit });
        }
        if let Some(limit) = self.stops.condition {
            let axes = self.strategy.axes();
            let of_c = (axes.longest / axes.shortest).powi(2);
            let of_d = self.condition_of_d();
            if of_c > limit || of_d > limit {
                return Some(Stop::Condition { of_c, of_d, limit });
            }
        }
        if let Some(step) = self.monitor.no_effect_axis.filter(|_| self.stops.no_effect_axis) {
            return Some(Stop::NoEffectAxis { iteration: self.iterations(), step });
        }
        if self.stops.no_effect_coordinate {
            for (index, deviation) in self.deviations().enumerate() {
                let mean = self.mean[index];
                if mean + 0.2 * deviation == mean {
                    return Some(Stop::NoEffectCoordinate { index, deviation, mean });
                }
            }
        }
        let limit = self.stops.tol_x_up?;
        let growths = self.deviations().zip(&self.monitor.initial_deviations).map(|(now, initial)| now / initial);
        let grown = growths.enumerate().find(|(_, factor)| *factor > limit);
        grown.map(|(index, factor)| Stop::TolXUp { index, factor, limit })
    }

    pub(crate) fn stagnated(&self) -> Option<Stop> {
        let Monitor { range: generation, best, median, flat, .. } = &self.monitor;
        let (generation, length) = (*generation, self.monitor.history_length());
        let newest = || best.iter().rev().take(length);
        let history = range(newest());
        if let Some(tolerance) = self.stops.tol_fun
            && best.len() >= length
            && generation < tolerance
            && history < tolerance
        {
            return Some(Stop::TolFun { generation, history, tolerance });
        }
        if let Some(tolerance) = self.stops.tol_fun_hist
            && best.len() >= 10
            && history < tolerance
        {
            return Some(Stop::TolFunHist { range: history, generations: newest().len(), tolerance });
        }
        if let Some(tolerance) = self.stops.tol_x
            && self.iterations() > 0
        {
            let largest = self.largest_relative_extent();
            if largest < tolerance {
                return Some(Stop::TolX { largest, tolerance });
            }
        }
        let flat_ones = flat.iter().filter(|flat| **flat).count();
        if self.stops.flat_fitness && flat.len() >= self.monitor.flat_window() && 3 * flat_ones > flat.len() {
            return Some(Stop::FlatFitness { flat: flat_ones, generations: flat.len() });
        }
        let window = self.monitor.window(self.iterations());
        if !self.stops.stagnation || best.len() < window {
            return None;
        }
        let ends = |history: &VecDeque<f64>| {
            let window = history.iter().skip(history.len() - window);
            (median_of(window.clone().take(COMPARED)), median_of(history.iter().rev().take(COMPARED)))
        };
        let (best, median) = (ends(best), ends(median));
        (best.1 >= best.0 && median.1 >= median.0).then_some(Stop::Stagnation { window, best, median })
    }

    /// The standard deviations of the coordinates, σ·D_k·√C_kk.
    pub fn deviations(&self) -> impl ExactSizeIterator<Item = f64> {
        let sigma = self.sigma();
        let variances = self.strategy.c_diagonal();
        let deviation = move |(k, d): (usize, &f64)| sigma * d * variances.map_or(1.0, |c| c[k].sqrt());
        self.d().iter().enumerate().map(deviation)
    }

    fn condition_of_d(&self) -> f64 {
        let relative = || self.d().iter().zip(&self.monitor.initial_deviations).map(|(d, initial)| d / initial);
        let (longest, shortest) = (relative().fold(0.0, f64::max), relative().fold(f64::INFINITY, f64::min));
        (longest / shortest).powi(2)
    }

    /// The largest σ·D_k·√C_kk or σ·|p_k|, relative to the initial σ0·D0_k.
    fn largest_relative_extent(&self) -> f64 {
        let path = self.strategy.path().map(|path| path.p());
        let sigma = self.sigma();
        let extents = self.deviations().enumerate().map(|(k, deviation)| {
            let stride = path.map_or(0.0, |p| sigma * p[k].abs());
            deviation.max(stride) / self.monitor.initial_deviations[k]
        });
        extents.fold(0.0, f64::max)
    }
}

/// The largest minus the smallest; NaN or infinite if a number is.
fn range<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (mut smallest, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for &value in values {
        if value.is_nan() {
            return f64::NAN;
        }
        (smallest, largest) = (smallest.min(value), largest.max(value));
    }
    largest - smallest
}

/// The median of at most [`COMPARED`] numbers; NaNs count as the largest.
fn median_of<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let mut sorted = [f64::NAN; COMPARED];
    let mut count = 0;
    for (to, from) in sorted.iter_mut().zip(values) {
        *to = if from.is_nan() { f64::INFINITY } else { *from };
        count += 1;
    }
    sorted[..count].sort_unstable_by(f64::total_cmp);
    sorted[count / 2]
}
