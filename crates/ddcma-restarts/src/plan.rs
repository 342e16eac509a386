//! What a policy decides and what it decides by: plans of runs, and summaries of those that are over. Knows no optimizer.

use ddcma_core::Stop;

/// What the next run is to be.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct RunPlan {
    /// The population size λ.
    pub lambda: usize,
    /// The initial step size σ.
    pub sigma: f64,
    /// The evaluations that it may make, to the full generation; `None`: as many as the search has left.
    pub budget: Option<u64>,
    /// What kind of run it is.
    pub regime: Regime,
    /// Where it starts.
    pub start: StartRule,
}

/// Kinds of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Regime {
    /// The first run, with the usual population size.
    First,
    /// The same again, from another point.
    Again,
    /// With a larger population.
    Large,
    /// With a smaller population than the large ones, and smaller steps.
    Small,
}

impl Regime {
    /// Its name, for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Again => "again",
            Self::Large => "large",
            Self::Small => "small",
        }
    }
}

/// Where a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StartRule {
    /// At a new point of the search's [`Starts`](crate::Starts).
    Draw,
    /// At the best point so far; at a new one, if there is none.
    AtBest,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RunSummary {
    /// What it was to be.
    pub plan: RunPlan,
    /// Where it started.
    pub start: Vec<f64>,
    /// The evaluations that it made.
    pub evaluations: u64,
    /// The generations that it made.
    pub iterations: u64,
    /// Its best value; +∞, if no value was a number.
    pub best_value: f64,
    /// Its best point, if a value was a number.
    pub best_point: Option<Vec<f64>>,
    /// The final mean of its distribution.
    pub mean: Vec<f64>,
    /// The final standard deviations of the coordinates.
    pub deviations: Vec<f64>,
    /// Why it stopped.
    pub stop: Stop,
}

impl RunSummary {
    /// A run as it may have been, to try a policy with.
    pub fn scripted(plan: RunPlan, evaluations: u64, best_value: f64) -> Self {
        let stop = Stop::User { reason: "scripted".to_string() };
        let (start, mean, deviations) = (Vec::new(), Vec::new(), Vec::new());
        Self { plan, start, evaluations, iterations: 0, best_value, best_point: None, mean, deviations, stop }
    }
}

/// All that a policy knows.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Past<'a> {
    /// The number of variables.
    pub n: usize,
    /// The usual population size.
    pub lambda: usize,
    /// The usual initial step size.
    pub sigma: f64,
    /// The runs so far.
    pub runs: &'a [RunSummary],
}

impl<'a> Past<'a> {
    /// The past of a search of n variables with the usual λ and σ.
    pub fn new(n: usize, lambda: usize, sigma: f64, runs: &'a [RunSummary]) -> Self {
        Self { n, lambda, sigma, runs }
    }

    /// The runs of a regime.
    pub fn of(&self, regime: Regime) -> impl Iterator<Item = &'a RunSummary> + use<'a> {
        self.runs.iter().filter(move |run| run.plan.regime == regime)
    }

    /// The evaluations made in a regime.
    pub fn evaluations(&self, regime: Regime) -> u64 {
        self.of(regime).map(|run| run.evaluations).sum()
    }

    /// The best value of a regime; +∞ as long as there is none.
    pub fn best_value(&self, regime: Regime) -> f64 {
        self.of(regime).map(|run| run.best_value).fold(f64::INFINITY, f64::min)
    }

    /// The usual run from a new point.
    pub fn usual_run(&self, regime: Regime) -> RunPlan {
        RunPlan { lambda: self.lambda, sigma: self.sigma, budget: None, regime, start: StartRule::Draw }
    }

    /// The next run with a larger population: the k-th has ⌊factor^k·λ⌋ and σ/divisor^k. None, if there were enough.
    pub(crate) fn large_run(&self, factor: f64, divisor: f64, limit: Option<u32>) -> Option<RunPlan> {
        let restarts = self.of(Regime::Large).count();
        if limit.is_some_and(|limit| restarts >= limit as usize) {
            return None;
        }
        let k = restarts as i32 + 1;
        let (lambda, sigma) = (self.lambda_times(factor.powi(k)), self.sigma / divisor.powi(k));
        Some(RunPlan { lambda, sigma, ..self.usual_run(Regime::Large) })
    }

    /// The usual λ times a factor, rounded down.
    pub(crate) fn lambda_times(&self, factor: f64) -> usize {
        // Casting saturates: what no machine can hold stays too large to be held.
        (self.lambda as f64 * factor).floor() as usize
    }
}
