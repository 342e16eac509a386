//! What a policy decides and what it decides by: plans of runs, and summaries of those that are over. Knows no optimizer.

use ddcma_core::{Settings, Stop};

/// What the next run is to be. [`Past::usual_run`] is where a plan starts; what is not planned is as the search has it.
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
    /// The evaluations that it may make, to the full generation; `None`: as many as the search has left.
    pub budget: Option<u64>,
    /// What its policy counts it to.
    pub regime: Regime,
    /// What is run: the strategy of the search, or a probe.
    pub kind: RunKind,
    /// Where it starts.
    pub start: StartRule,
    /// Its strategy parameters, all but λ; `None`: those of the search.
    pub settings: Option<Settings>,
    /// Its initial deviations, relative to σ; `None`: those of the search. With variables, there is one for each free variable.
    pub deviations: Option<Vec<f64>>,
    /// The name of its strategy, for a search that has several, such as one with `BuiltInStrategy`; `None`: that of the search.
    pub strategy: Option<String>,
    /// Options of its strategy by their names, which [`Strategy::set_option`](ddcma_core::Strategy::set_option) takes.
    pub strategy_options: Vec<(String, f64)>,
    /// Whether it ends if it will not reach the best value of the runs before it: whether it has that
    /// [reference](ddcma_core::Optimizer::set_reference).
    pub abandon: bool,
}

/// Each takes a plan and returns it changed.
impl RunPlan {
    /// Plans the population size λ.
    #[must_use = "it returns the changed plan"]
    pub fn lambda(self, lambda: usize) -> Self {
        Self { lambda, ..self }
    }

    /// Plans the initial step size σ.
    #[must_use = "it returns the changed plan"]
    pub fn sigma(self, sigma: f64) -> Self {
        Self { sigma, ..self }
    }

    /// Limits the evaluations, to the full generation.
    #[must_use = "it returns the changed plan"]
    pub fn budget(self, evaluations: u64) -> Self {
        Self { budget: Some(evaluations), ..self }
    }

    /// Plans where it starts.
    #[must_use = "it returns the changed plan"]
    pub fn start(self, start: StartRule) -> Self {
        Self { start, ..self }
    }

    /// Plans strategy parameters, in place of all those of the search: to change some of them, start from [`Past::settings`]. λ is
    /// that of the plan.
    #[must_use = "it returns the changed plan"]
    pub fn settings(self, settings: Settings) -> Self {
        Self { settings: Some(settings), ..self }
    }

    /// Plans initial deviations, relative to σ, in place of those of the search. Start points are drawn as without them.
    #[must_use = "it returns the changed plan"]
    pub fn deviations(self, deviations: &[f64]) -> Self {
        Self { deviations: Some(deviations.to_vec()), ..self }
    }

    /// Plans the strategy by its name, such as `Plain::NAME` or `Variant::Plain`.
    #[must_use = "it returns the changed plan"]
    pub fn strategy(self, name: impl Into<String>) -> Self {
        Self { strategy: Some(name.into()), ..self }
    }

    /// Plans an option of the strategy, beside those that were planned before.
    #[must_use = "it returns the changed plan"]
    pub fn strategy_option(mut self, name: impl Into<String>, value: f64) -> Self {
        self.strategy_options.push((name.into(), value));
        self
    }

    /// Plans whether it ends if it will not reach the best value of the runs before it. By which
    /// [criteria](ddcma_core::StopCriteria::abandon), or that no run is abandoned, is for the [search](crate::SearchBuilder::abandon) to
    /// say.
    #[must_use = "it returns the changed plan"]
    pub fn abandon(self, abandon: bool) -> Self {
        Self { abandon, ..self }
    }
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum RunKind {
    /// It runs the strategy of the search.
    Strategy,
    /// It probes along the axes, as [`Probed`](crate::Probed) describes it, from where the plan starts. Of the plan, λ, σ, settings,
    /// deviations and the strategy do not matter to it.
    Probe {
        /// The evaluations for each coordinate.
        evaluations: u32,
    },
}

/// What a run belongs to, for a policy that treats runs by groups.
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
    /// A probe along the axes.
    Probe,
    /// With small steps from the best point of a probe.
    Refine,
}

impl Regime {
    /// Its name, for tables and files.
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
    /// At the best point so far; at a new one, if there is none.
    AtBest,
    /// At a point that the policy has computed, or drawn by a rule of its own: one number for each coordinate, within the bounds; with
    /// [variables](crate::SearchBuilder::variables), all of them in their own units.
    At(Vec<f64>),
}

/// A run that is over.
///
/// A probe has no distribution: its mean is its best point, with σ and deviations of 0.
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
    /// The final step size σ.
    pub sigma: f64,
    /// The final standard deviations of the coordinates, σ·D_k·√C_kk.
    pub deviations: Vec<f64>,
    /// The final condition number of C, by the extreme axes that the strategy follows: 1 without a C.
    pub condition: f64,
    /// The largest entry of the final D over the smallest.
    pub d_ratio: f64,
    /// The evaluations so far and the best value, generation by generation, evenly thinned to at most 64 points. The last one is the
    /// end; there is none if no value was a number.
    pub course: Vec<(u64, f64)>,
    /// Why it stopped.
    pub stop: Stop,
}

impl RunSummary {
    /// A run as it may have been, to try a policy with. What the policy looks at beside these can be assigned to its fields.
    pub fn scripted(plan: RunPlan, evaluations: u64, best_value: f64) -> Self {
        Self {
            sigma: plan.sigma,
            plan,
            start: Vec::new(),
            evaluations,
            iterations: 0,
            best_value,
            best_point: None,
            mean: Vec::new(),
            deviations: Vec::new(),
            condition: 1.0,
            d_ratio: 1.0,
            course: vec![(evaluations, best_value)],
            stop: Stop::User { reason: "scripted".to_string() },
        }
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
    settings: Option<&'a Settings>,
}

impl<'a> Past<'a> {
    /// The past of a search of n variables with the usual λ and σ, and no other choice of settings.
    pub fn new(n: usize, lambda: usize, sigma: f64, runs: &'a [RunSummary]) -> Self {
        Self { n, lambda, sigma, runs, settings: None }
    }

    /// The past of a search with these settings.
    #[must_use = "it returns the changed past"]
    pub fn with_settings(self, settings: &'a Settings) -> Self {
        Self { settings: Some(settings), ..self }
    }

    /// The same past with other runs, such as those that a wrapped policy is to see.
    #[must_use = "it returns the changed past"]
    pub fn with_runs<'b>(self, runs: &'b [RunSummary]) -> Past<'b>
    where
        'a: 'b,
    {
        Past { runs, ..self }
    }

    /// Returns the settings of the search, for plans that change some of them.
    pub fn settings(&self) -> Settings {
        self.settings.cloned().unwrap_or_default()
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
        }
    }

    /// A probe along the axes from the best point so far, with so many evaluations for each coordinate.
    ///
    /// A policy that plans one says so by [`Policy::plans_probes`](crate::Policy::plans_probes).
    pub fn probe(&self, evaluations: u32) -> RunPlan {
        let kind = RunKind::Probe { evaluations };
        RunPlan { kind, lambda: self.n, start: StartRule::AtBest, ..self.usual_run(Regime::Probe) }
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
