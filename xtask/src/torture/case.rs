//! Draws everything that a run of a case starts from, within the legal ranges.
//!
//! A case costs at most about [`WORK`] multiplications, or four generations if these cost more: large populations in many dimensions get
//! fewer generations.

use std::fmt;

use ddcma_core::{
    Bounds, Damping, Definiteness, Optimizer, Rates, Root, Settings, StartError, StepSize, StopCriteria, Strategy,
};

use super::draw::Draw;
use super::given::Given;
use crate::lab::names::StrategyName;

/// The number of multiplications of a case, about half a second.
const WORK: f64 = 1e9;

/// The largest number of variables.
const LARGEST_N: usize = 200;

/// Everything that a run starts from.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) strategy: StrategyName,
    pub(super) start: Vec<f64>,
    pub(super) sigma: f64,
    pub(super) deviations: Option<Vec<f64>>,
    pub(super) bounds: Option<Bounds>,
    pub(super) given: Given,
    pub(super) settings: Settings,
    /// Whether a rate was chosen. Rates derived from it may then be outside their ranges, which is an error.
    pub(super) rates_chosen: bool,
    pub(super) stops: StopCriteria,
    pub(super) budget: Option<u64>,
    pub(super) generations: u64,
    pub(super) seed: u64,
}

impl Case {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let strategy = draw.pick(&[StrategyName::Dd, StrategyName::Dd, StrategyName::Plain, StrategyName::Sep]);
        let n = draw.log_integer(1, LARGEST_N);
        let lambda = match draw.below(4) {
            0 => 4 + (3.0 * (n as f64).ln()).floor() as usize,
            1 => draw.log_integer(2, 4 * n.max(2)),
            _ => draw.log_integer(2, (4 * n * n).max(4)),
        };
        let sigma = if draw.chance(0.5) { draw.power(-3.0, 3.0) } else { draw.power(-300.0, 300.0) };
        let magnitude = match draw.below(4) {
            0 => 0.0,
            1 => sigma.min(1e299) * 10.0,
            2 => draw.power(-300.0, 300.0),
            _ => 1.0,
        };
        let start: Vec<f64> = (0..n).map(|_| magnitude * draw.between(-1.0, 1.0)).collect();
        let deviations = draw.chance(0.3).then(|| {
            let decades = draw.pick(&[1.0, 5.0, 150.0]);
            (0..n).map(|_| draw.power(-decades, decades)).collect()
        });
        let bounds = draw.chance(0.35).then(|| bounds(draw, &start, sigma)).flatten();
        let (settings, rates_chosen) = settings(draw, lambda);
        let literal = settings.clone().root(Root::Literal) == settings;
        let generations = generations(strategy, literal, n, lambda).min(draw.log_integer(50, 1000) as u64);
        let budget = draw.chance(0.6).then_some(generations);
        let stops = stops(draw).max_iterations(budget);
        let seed = draw.bits();
        let settings = with_damping(with_step_size(settings, seed), seed);
        let stops = with_thresholds(stops, seed);
        let given = Given::default();
        Self {
            strategy,
            start,
            sigma,
            deviations,
            bounds,
            given,
            settings,
            rates_chosen,
            stops,
            budget,
            generations,
            seed,
        }
    }

    /// Adds variables or a covariance matrix in some cases.
    pub(super) fn give(&mut self) {
        self.given = Given::draw(self.seed, &mut self.start);
        if self.given.variables.is_some() {
            self.bounds = None; // variables have their own
        }
    }

    /// Starts the run.
    pub(super) fn build<S: Strategy>(&self) -> Result<Optimizer<S>, StartError> {
        let builder = Optimizer::<S>::builder(&self.start, self.sigma).settings(self.settings.clone());
        let builder = builder.criteria(self.stops.clone()).seed(self.seed);
        let builder = match &self.deviations {
            Some(deviations) => builder.deviations(deviations),
            None => builder,
        };
        let builder = match &self.given.covariance {
            Some(covariance) => builder.covariance(covariance.clone()),
            None => builder,
        };
        match (&self.bounds, &self.given.variables) {
            (Some(bounds), _) => builder.bounds(bounds.clone()).build(),
            (None, Some(variables)) => builder.variables(variables.clone()).build(),
            (None, None) => builder.build(),
        }
    }

    /// Returns whether an error at the start is expected from what was drawn: a rate that is derived from a chosen one may be invalid, and
    /// σ·D or the candidates may be outside the range of floating point.
    pub(super) fn may_be_refused_for(&self, error: &StartError) -> bool {
        match error {
            StartError::Params(_) => self.rates_chosen,
            _ => {
                let ones = vec![1.0; self.start.len()];
                let deviations = self.deviations.as_deref().unwrap_or(&ones);
                let usual = |(x, d): (&f64, &f64)| {
                    let deviation = self.sigma * d;
                    deviation.is_normal() && (x.abs() + 1e4 * deviation).is_finite()
                };
                self.bounds.is_some() || self.given.is_some() || !self.start.iter().zip(deviations).all(usual)
            }
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { strategy, start, sigma, deviations, bounds, given, settings, stops, generations, seed, .. } = self;
        writeln!(f, "{}, n = {}, {generations} generations, seed {seed}", strategy.name(), start.len())?;
        writeln!(f, "start {}, sigma {sigma:e}", few(start))?;
        if let Some(deviations) = deviations {
            writeln!(f, "deviations {}", few(deviations))?;
        }
        if let Some(bounds) = bounds {
            let (lower, upper): (Vec<f64>, Vec<f64>) = (bounds.lower().collect(), bounds.upper().collect());
            writeln!(f, "bounds {} to {}", few(&lower), few(&upper))?;
        }
        if given.is_some() {
            writeln!(f, "{given}")?;
        }
        writeln!(f, "{settings:?}")?;
        write!(f, "{stops:?}")
    }
}

/// Formats the first of many numbers.
fn few(numbers: &[f64]) -> String {
    let shown: Vec<String> = numbers.iter().take(4).map(|number| format!("{number:e}")).collect();
    format!("[{}{}]", shown.join(", "), if numbers.len() > 4 { ", …" } else { "" })
}

/// Returns as many generations as the work of a case allows, but at least four.
pub(super) fn generations(strategy: StrategyName, literal: bool, n: usize, lambda: usize) -> u64 {
    let (n, lambda) = (n as f64, lambda as f64);
    let of_generation = match (strategy.with_csa(), literal) {
        (StrategyName::Sep, _) => 0.0,
        (_, false) => 2.0 * lambda * n * n + 4.0 * n * n * n,
        (_, true) => 2.0 * lambda * n * n + 30.0 * n * n * n,
    };
    (WORK / (of_generation + 60.0 * lambda * n)).max(4.0) as u64
}

/// Draws bounds around the start: wide, narrow, one-sided, or at the limits of the range. `None` if they leave no room.
fn bounds(draw: &mut Draw, start: &[f64], sigma: f64) -> Option<Bounds> {
    let scale = match draw.below(4) {
        0 => sigma,
        1 => draw.power(-300.0, 299.0),
        2 => 1e-12,
        _ => 10.0,
    };
    let open = draw.pick(&[0.0, 0.0, 0.3]);
    let mut side = |x: f64, sign: f64| {
        let infinite = draw.chance(open);
        let distance = scale * draw.power(-2.0, 2.0);
        if infinite { sign * f64::INFINITY } else { (x + sign * distance).clamp(-1e300, 1e300) }
    };
    let (lower, upper): (Vec<f64>, Vec<f64>) = start.iter().map(|x| (side(*x, -1.0), side(*x, 1.0))).unzip();
    Bounds::new(&lower, &upper).ok()
}

/// Draws settings, each within its range, most of them rarely. Also returns whether a rate was chosen.
pub(super) fn settings(draw: &mut Draw, lambda: usize) -> (Settings, bool) {
    // Mostly few settings, sometimes many.
    let often = if draw.chance(0.2) { 4.0 } else { 1.0 };
    let mut settings = Settings::new().lambda(lambda).active(!draw.chance(0.2)).keep_determinant(draw.chance(0.1));
    if draw.chance(0.4) {
        settings = settings.root(Root::Literal);
    }
    let mut chosen = false;
    let mut now_and_then = |draw: &mut Draw, probability: f64| {
        let now = draw.chance(probability);
        chosen |= now;
        now
    };
    if now_and_then(draw, often * 0.2) {
        settings = settings.definiteness(Definiteness::ScaleWeights);
    }
    if draw.chance(often * 0.2) {
        settings = settings.rates(Rates::Older);
    }
    if draw.chance(often * 0.2) {
        let decades = draw.pick(&[1.0, 3.0, 300.0]);
        settings = settings.damping(Damping::Fixed(draw.power(-decades, decades)));
    }
    if draw.chance(often * 0.1) {
        settings = settings.c_m(draw.power(-6.0, 0.0));
    }
    if draw.chance(often * 0.1) {
        settings = settings.c_sigma(draw.power(-6.0, 0.0));
    }
    if draw.chance(often * 0.1) {
        let decades = draw.pick(&[1.0, 3.0, 300.0]);
        settings = settings.d_sigma(draw.power(-decades, decades));
    }
    if now_and_then(draw, often * 0.15) {
        let c_1 = draw.pick(&[0.0, 1.0, 0.5]) * draw.unit();
        settings = settings.c_1(c_1).c_mu(draw.unit() * (1.0 - c_1)).c_c(draw.unit());
    }
    if now_and_then(draw, often * 0.15) {
        let c_1 = draw.pick(&[0.0, 1.0, 0.5]) * draw.unit();
        settings = settings.c_1_d(c_1).c_mu_d(draw.unit() * (1.0 - c_1)).c_c_d(draw.unit());
    }
    if now_and_then(draw, often * 0.1) {
        settings = settings.c_1(draw.power(-8.0, 0.0));
    }
    if draw.chance(often * 0.1) {
        settings = settings.beta_eig(draw.power(-3.0, 6.0));
    }
    if draw.chance(often * 0.2) {
        settings = settings.t_eig(draw.log_integer(1, 300));
    }
    if draw.chance(often * 0.1) {
        settings = settings.beta_thresh(draw.sign() * draw.power(-3.0, 10.0));
    }
    if draw.chance(often * 0.1) {
        let scale = draw.pick(&[1.0, 1e-300, 1e300]);
        let mut weights: Vec<f64> = (0..lambda).map(|_| scale * draw.between(-1.0, 1.0)).collect();
        weights[0] = scale;
        weights.sort_by(|a, b| b.total_cmp(a));
        settings = settings.pre_weights(weights);
    }
    (settings, chosen)
}

/// Chooses two-point adaptation in one case in four, depending on the seed, so that all other random draws stay the same. The cases that
/// `tests/torture.rs` repeats by number are not among them.
pub(super) fn with_step_size(settings: Settings, seed: u64) -> Settings {
    match seed % 16 {
        0 | 5 | 6 => settings.step_size(StepSize::Tpa),
        14 => settings.step_size(StepSize::Tpa).tpa_damping(0.1).tpa_exponent(3.0),
        _ => settings,
    }
}

/// Chooses a damping that is not the paper's in eighteen cases in 57, depending on the seed. The cases that `tests/torture.rs` repeats are not
/// among them, as in [`with_step_size`].
pub(super) fn with_damping(settings: Settings, seed: u64) -> Settings {
    let by_axis = || settings.clone().damping(Damping::ShortestAxis);
    let by_agreement = || settings.clone().damping(Damping::Agreement);
    match seed % 57 {
        0..=4 => by_axis(),
        5 => by_axis().beta_exponent(1e-3).beta_min(0.1),
        6 => by_axis().beta_exponent(0.5).beta_thresh(-10.0),
        7 => by_axis().beta_exponent(1e4),
        8 => by_axis().beta_min(1e-300),
        20..=24 => by_agreement(),
        25 => by_agreement().agreement_memory(1e-3).agreement_level(1e-3).agreement_gain(1e6),
        26 => by_agreement().agreement_memory(1e6).beta_min(1e-300),
        27 => by_agreement().beta_exponent(1e4),
        28 => by_agreement().agreement_gain(1.0).agreement_level(1e300),
        _ => settings,
    }
}

/// Changes the thresholds for creeping and abandoned runs in one case in three, depending on the seed, as in [`with_step_size`].
pub(super) fn with_thresholds(stops: StopCriteria, seed: u64) -> StopCriteria {
    match seed % 37 {
        0..=2 => stops.creeping(0.0),
        3 | 4 => stops.creeping(1.5).abandon(0.5),
        5 => stops.creeping(f64::INFINITY),
        6..=8 => stops.abandon(1.0),
        9 => stops.abandon(f64::MAX),
        10 => stops.abandon(0.0),
        11 => stops.creeping(None).abandon(None),
        12 => stops.creeping_best(0.0),
        13 => stops.creeping_best(1.5),
        _ => stops,
    }
}

/// Draws the default criteria, none, or some.
pub(super) fn stops(draw: &mut Draw) -> StopCriteria {
    match draw.below(4) {
        0 => StopCriteria::none(),
        1 => StopCriteria::none().condition(1e14),
        2 => StopCriteria::new().target(draw.power(-10.0, 10.0)).tol_x_up(draw.power(0.0, 300.0)),
        _ => StopCriteria::new(),
    }
}
