//! The output and the input of a policy: plans of runs, and summaries of past runs.

use ddcma_core::{Settings, Stop};

/// The plan of a run. Start from [`Past::usual_run`]; what a plan does not set is taken from the search.
///
/// ```
/// use ddcma_core::Settings;
/// use ddcma_restarts::{Past, Regime, StartRule};
///
/// let past = Past::new(2, 6, 1.5, &[]);
/// let plan = past.usual_run(Regime::First).lambda(20).settings(Settings::new().active(false)).start(StartRule::At(vec![1.0, 2.0]));
/// assert_eq!((plan.lambda, plan.sigma), (20, 1.5));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct RunPlan {
    /// The population size λ.
    pub lambda: usize,
    /// The initial step size σ.
    pub sigma: f64,
    /// The budget of evaluations, which the last generation may exceed; `None`: the rest of the search's budget. Even with a budget of
    /// 0, a run evaluates one generation.
    pub budget: Option<u64>,
    /// The group to which the policy assigns the run.
    pub regime: Regime,
    /// What the run does: the strategy of the search, or a probe.
    pub kind: RunKind,
    /// Where the run starts.
    pub start: StartRule,
    /// The strategy parameters except λ; `None`: those of the search.
    pub settings: Option<Settings>,
    /// The initial deviations, relative to σ; `None`: those of the search. With variables, there is one for each free variable.
    pub deviations: Option<Vec<f64>>,
    /// The name of the strategy, for a search that has several, such as one with `BuiltInStrategy`; `None`: that of the search.
    pub strategy: Option<String>,
    /// Strategy options by name, set with [`Strategy::set_option`](ddcma_core::Strategy::set_option).
    pub strategy_options: Vec<(String, f64)>,
    /// Whether the run is abandoned if it will not reach the best value of the earlier runs, its
    /// [reference](ddcma_core::Optimizer::set_reference).
    pub abandon: bool,
    /// The growth of σ beyond which the run ends for [creeping](ddcma_core::StopCriteria::creeping_best) even if it is the best so far;
    /// `None`: as the criteria of the search say.
    pub creeping_best: Option<f64>,
}

/// Each method returns the changed plan.
impl RunPlan {
    /// Sets the population size λ.
    #[must_use = "it returns the changed plan"]
    pub fn lambda(self, lambda: usize) -> Self {
        Self { lambda, ..self }
    }

    /// Sets the initial step size σ.
    #[must_use = "it returns the changed plan"]
    pub fn sigma(self, sigma: f64) -> Self {
        Self { sigma, ..self }
    }

    /// Limits the evaluations; the last generation may exceed the limit.
    #[must_use = "it returns the changed plan"]
    pub fn budget(self, evaluations: u64) -> Self {
        Self { budget: Some(evaluations), ..self }
    }

    /// Sets where the run starts.
    #[must_use = "it returns the changed plan"]
    pub fn start(self, start: StartRule) -> Self {
        Self { start, ..self }
    }

    /// Sets the strategy parameters, replacing all those of the search. To change only some, start from [`Past::settings`]. λ is that
    /// of the plan.
    #[must_use = "it returns the changed plan"]
    pub fn settings(self, settings: Settings) -> Self {
        Self { settings: Some(settings), ..self }
    }

    /// Sets the initial deviations, relative to σ, replacing those of the search. They do not affect how start points are drawn.
    #[must_use = "it returns the changed plan"]
    pub fn deviations(self, deviations: &[f64]) -> Self {
        Self { deviations: Some(deviations.to_vec()), ..self }
    }

    /// Sets the strategy by name, such as `Plain::NAME` or `Variant::Plain`.
    #[must_use = "it returns the changed plan"]
    pub fn strategy(self, name: impl Into<String>) -> Self {
        Self { strategy: Some(name.into()), ..self }
    }

    /// Adds a strategy option.
    #[must_use = "it returns the changed plan"]
    pub fn strategy_option(mut self, name: impl Into<String>, value: f64) -> Self {
        self.strategy_options.push((name.into(), value));
        self
    }

    /// Sets whether the run is abandoned if it will not reach the best value of the earlier runs.
    ///
    /// The [search](crate::SearchBuilder::abandon) sets the [criteria](ddcma_core::StopCriteria::abandon), and may forbid abandoning runs
    /// altogether.
    #[must_use = "it returns the changed plan"]
    pub fn abandon(self, abandon: bool) -> Self {
        Self { abandon, ..self }
    }

    /// Plans that the run ends for [creeping](ddcma_core::StopCriteria::creeping_best) beyond this growth of σ, even if it is the best so
    /// far.
    #[must_use = "it returns the changed plan"]
    pub fn creeping_best(self, growth: f64) -> Self {
        Self { creeping_best: Some(growth), ..self }
    }
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RunKind {
    /// Runs the strategy of the search.
    Strategy,
    /// Probes along the axes from the planned start: see [`Probed`](crate::Probed). The planned λ, σ, settings, deviations and strategy
    /// have no effect.
    Probe {
        /// The number of evaluations for each coordinate.
        evaluations: u32,
    },
}

/// The group of a run, for policies that treat groups of runs differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Regime {
    /// The first run, with the usual population size.
    First,
    /// The same as the first run, from another point.
    Again,
    /// A run with a larger population.
    Large,
    /// A run with a smaller population than the large ones, and a smaller step size.
    Small,
    /// A probe along the axes.
    Probe,
    /// A run with small steps from the best point of a probe, or of a run that crept.
    Refine,
}

impl Regime {
    /// Returns its name, for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Again => "again",
            Self::Large => "large",
            Self::Small => "small",
            Self::Probe => "probe",
            Self::Refine => "refine",
        }
    }
}

/// Where a run starts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StartRule {
    /// At a new point of the search's [`Starts`](crate::Starts).
    Draw,
    /// At the best point so far; at a new point if there is none.
    AtBest,
    /// At a point chosen by the policy: one number for each coordinate, within the bounds; with
    /// [variables](crate::SearchBuilder::variables), one for each variable, in its own units.
    At(Vec<f64>),
}

/// The summary of a finished run.
///
/// A probe has no distribution: its mean is its best point, with σ and deviations of 0.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RunSummary {
    /// The plan of the run.
    pub plan: RunPlan,
    /// The start point.
    pub start: Vec<f64>,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The number of generations.
    pub iterations: u64,
    /// The best value; +∞ if all values were NaN.
    pub best_value: f64,
    /// The best point; `None` if all values were NaN.
    pub best_point: Option<Vec<f64>>,
    /// The number of its evaluation, counted from 1 within the run; `None` if all values were NaN.
    pub best_evaluation: Option<u64>,
    /// The final mean of the distribution.
    pub mean: Vec<f64>,
    /// The final step size σ.
    pub sigma: f64,
    /// The final standard deviations of the coordinates, σ·D_k·√C_kk.
    pub deviations: Vec<f64>,
    /// The final condition number of C, from the extreme axes that the strategy tracks; 1 for a strategy without C.
    pub condition: f64,
    /// The ratio of the largest to the smallest entry of the final D.
    pub d_ratio: f64,
    /// The evaluations so far and the best value after each generation, evenly thinned to at most 64 points. The last point is the end of
    /// the run. Empty if all values were NaN.
    pub course: Vec<(u64, f64)>,
    /// The reason why the run stopped.
    pub stop: Stop,
}

impl RunSummary {
    /// Creates the summary of an imaginary run, for testing a policy. Set any other fields that the policy reads.
    pub fn scripted(plan: RunPlan, evaluations: u64, best_value: f64) -> Self {
        Self {
            sigma: plan.sigma,
            plan,
            start: Vec::new(),
            evaluations,
            iterations: 0,
            best_value,
            best_point: None,
            best_evaluation: None,
            mean: Vec::new(),
            deviations: Vec::new(),
            condition: 1.0,
            d_ratio: 1.0,
            course: vec![(evaluations, best_value)],
            stop: Stop::User { reason: "scripted".to_string() },
        }
    }
}

/// The information that a policy bases its plans on.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Past<'a> {
    /// The number of variables.
    pub n: usize,
    /// The usual population size.
    pub lambda: usize,
    /// The usual initial step size.
    pub sigma: f64,
    /// The finished runs.
    pub runs: &'a [RunSummary],
    settings: Option<&'a Settings>,
}

impl<'a> Past<'a> {
    /// Creates the past of a search with n variables, the usual λ and σ, and default settings.
    pub fn new(n: usize, lambda: usize, sigma: f64, runs: &'a [RunSummary]) -> Self {
        Self { n, lambda, sigma, runs, settings: None }
    }

    /// Sets the settings of the search.
    #[must_use = "it returns the changed past"]
    pub fn with_settings(self, settings: &'a Settings) -> Self {
        Self { settings: Some(settings), ..self }
    }

    /// Replaces the runs, for example to show a wrapped policy only some of them.
    #[must_use = "it returns the changed past"]
    pub fn with_runs<'b>(self, runs: &'b [RunSummary]) -> Past<'b>
    where
        'a: 'b,
    {
        Past { runs, ..self }
    }

    /// Returns the settings of the search, as a basis for plans that change some of them.
    pub fn settings(&self) -> Settings {
        self.settings.cloned().unwrap_or_default()
    }

    /// Returns the runs of a regime.
    pub fn of(&self, regime: Regime) -> impl Iterator<Item = &'a RunSummary> + use<'a> {
        self.runs.iter().filter(move |run| run.plan.regime == regime)
    }

    /// Returns the number of evaluations made in a regime.
    pub fn evaluations(&self, regime: Regime) -> u64 {
        self.of(regime).map(|run| run.evaluations).sum()
    }

    /// Returns the best value of a regime; +∞ while there is none.
    pub fn best_value(&self, regime: Regime) -> f64 {
        self.of(regime).map(|run| run.best_value).fold(f64::INFINITY, f64::min)
    }

    /// Plans the usual run from a new point.
    pub fn usual_run(&self, regime: Regime) -> RunPlan {
        RunPlan {
            lambda: self.lambda,
            sigma: self.sigma,
            budget: None,
            regime,
            kind: RunKind::Strategy,
            start: StartRule::Draw,
            settings: None,
            deviations: None,
            strategy: None,
            strategy_options: Vec::new(),
            abandon: true,
            creeping_best: None,
        }
    }

    /// Plans a probe along the axes from the best point so far, with this number of evaluations for each coordinate.
    ///
    /// A policy that plans probes must return true from [`Policy::plans_probes`](crate::Policy::plans_probes).
    pub fn probe(&self, evaluations: u32) -> RunPlan {
        let kind = RunKind::Probe { evaluations };
        RunPlan { kind, lambda: self.n, start: StartRule::AtBest, ..self.usual_run(Regime::Probe) }
    }

    /// Plans the next run with a larger population: the k-th has ⌊factor^k·λ⌋ and σ/divisor^k. `None` after `limit` of them.
    pub(crate) fn large_run(&self, factor: f64, divisor: f64, limit: Option<u32>) -> Option<RunPlan> {
        let restarts = self.of(Regime::Large).count();
        if limit.is_some_and(|limit| restarts >= limit as usize) {
            return None;
        }
        let k = restarts as i32 + 1;
        let (lambda, sigma) = (self.lambda_times(factor.powi(k)), self.sigma / divisor.powi(k));
        Some(RunPlan { lambda, sigma, ..self.usual_run(Regime::Large) })
    }

    /// Returns the usual λ times a factor, rounded down.
    pub(crate) fn lambda_times(&self, factor: f64) -> usize {
        // The cast saturates: a population that is too large for any machine stays too large.
        (self.lambda as f64 * factor).floor() as usize
    }
}
