//! Strategies of `ddcma-core`, built in or custom, as algorithms: single runs, or searches with a restart policy.

use std::fmt::Debug;
use std::sync::Arc;

use ddcma_core::{
    Batch, Columns, DiagonalDecoding, Optimizer, Plain, Separable, Settings, StopCriteria, Strategy, With,
};
use ddcma_restarts::{Policy, RunKind, restarts};

use crate::choices::unknown_parameter;
use crate::parameters::{self, CRITERIA, SetCriterion};
use crate::{Algorithm, Choices, LabError, Trial};

/// The notes of a search: the number of its runs, and their largest population size.
pub(crate) const RUNS: &str = "runs";
pub(crate) const LARGEST_LAMBDA: &str = "largest_lambda";

/// Makes an algorithm with this name from any strategy.
///
/// ```
/// use ddcma_core::{DiagonalDecoding, Settings};
/// use ddcma_lab::{Experiment, Silent, algorithm, dd, suite};
///
/// let slow = algorithm::<DiagonalDecoding>("dd, slow").settings(Settings::new().c_mu(1e-3));
/// let outcomes = Experiment::new().algorithms([dd(), slow]).problems(suite(["cigar"])?).dimensions([4]).trials(1).run(&Silent)?;
/// assert_eq!(outcomes.iter().count(), 2);
/// # Ok::<(), ddcma_lab::LabError>(())
/// ```
pub fn algorithm<S: Strategy<Options: Debug + Send + Sync> + 'static>(name: impl Into<String>) -> StrategyAlgorithm {
    algorithm_with::<S>(name, S::Options::default())
}

/// Makes an algorithm with this name from any strategy and its [options](Strategy::Options).
pub fn algorithm_with<S>(name: impl Into<String>, options: S::Options) -> StrategyAlgorithm
where
    S: Strategy<Options: Debug + Send + Sync> + 'static,
{
    StrategyAlgorithm {
        name: name.into(),
        settings: Settings::new(),
        criteria: StopCriteria::none(),
        named_criteria: Vec::new(),
        sigma: None,
        policy: None,
        runner: Arc::new(Runner::<S> { options }),
    }
}

/// Returns dd-CMA-ES with the paper's parameters, named `dd`.
pub fn dd() -> StrategyAlgorithm {
    algorithm::<DiagonalDecoding>("dd")
}

/// Returns plain CMA-ES with the paper's parameters, named `plain`.
pub fn plain() -> StrategyAlgorithm {
    algorithm::<Plain>("plain")
}

/// Returns separable CMA-ES with the paper's parameters, named `sep`.
pub fn sep() -> StrategyAlgorithm {
    algorithm::<Separable>("sep")
}

/// A strategy as an algorithm, from [`algorithm`].
#[derive(Clone)]
pub struct StrategyAlgorithm {
    name: String,
    settings: Settings,
    criteria: StopCriteria,
    /// Criteria chosen by name, which override the others.
    named_criteria: Vec<(SetCriterion, Option<f64>)>,
    sigma: Option<f64>,
    policy: Option<Arc<dyn MakesPolicy>>,
    runner: Arc<dyn Runs>,
}

impl Debug for StrategyAlgorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StrategyAlgorithm").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Makes a policy for each search.
pub(crate) trait MakesPolicy: Send + Sync {
    fn policy(&self) -> Box<dyn Policy>;
    fn in_words(&self) -> String;
}

impl<P: Policy + Clone + Debug + Send + Sync + 'static> MakesPolicy for P {
    fn policy(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }

    fn in_words(&self) -> String {
        format!("{self:?}")
    }
}

/// The operations that depend on the type of a strategy.
trait Runs: Send + Sync {
    /// Returns the name of the strategy.
    fn strategy(&self) -> &'static str;
    /// Describes the strategy and its options.
    fn in_words(&self) -> String;
    /// Returns the names of the strategy's options.
    fn option_names(&self) -> &'static [&'static str];
    /// Sets an option of the strategy; `None` if it has no such option.
    fn with_option(&self, name: &str, value: f64) -> Option<Arc<dyn Runs>>;
    fn run(&self, algorithm: &StrategyAlgorithm, trial: &mut Trial<'_>) -> Result<(), LabError>;
    fn search(
        &self,
        algorithm: &StrategyAlgorithm,
        policy: Box<dyn Policy>,
        trial: &mut Trial<'_>,
    ) -> Result<(), LabError>;
}

struct Runner<S: Strategy> {
    options: S::Options,
}

impl<S: Strategy<Options: Debug + Send + Sync> + 'static> Runs for Runner<S> {
    fn strategy(&self) -> &'static str {
        S::NAME
    }

    fn option_names(&self) -> &'static [&'static str] {
        S::OPTION_NAMES
    }

    fn with_option(&self, name: &str, value: f64) -> Option<Arc<dyn Runs>> {
        let mut options = self.options.clone();
        S::set_option(&mut options, name, value).then(|| Arc::new(Self { options }) as Arc<dyn Runs>)
    }

    fn in_words(&self) -> String {
        format!("{}, {:?}", S::NAME, self.options)
    }

    fn run(&self, algorithm: &StrategyAlgorithm, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let criteria = algorithm.all_criteria().target(trial.target()).max_evaluations(trial.budget());
        let builder = Optimizer::<S>::builder(trial.own_start(), algorithm.sigma.unwrap_or(trial.sigma()));
        let builder = match trial.variables() {
            Some(variables) => builder.variables(variables.clone()),
            None => builder,
        };
        let builder = builder.settings(algorithm.settings_of(trial.lambda())).criteria(criteria).seed(trial.seed());
        let es = builder.strategy_options(self.options.clone()).build();
        let mut es = es.map_err(|error| algorithm.wrong(&error))?;
        let mut with = trial.take_observers().into_iter().fold(With::new(), With::observer);
        let objective = |points: &Columns, values: &mut [f64]| trial.evaluate_own(points.as_slice(), values);
        let stop = es.run_with(Batch(objective), &mut with).map_err(|error| algorithm.wrong(&error))?;
        trial.ended(stop.name(), es.iterations());
        Ok(())
    }

    fn search(
        &self,
        algorithm: &StrategyAlgorithm,
        policy: Box<dyn Policy>,
        trial: &mut Trial<'_>,
    ) -> Result<(), LabError> {
        let sigma = algorithm.sigma.unwrap_or(trial.sigma());
        let search = restarts(policy, trial.starts().clone(), sigma).strategy::<S>();
        let search = match trial.variables() {
            Some(variables) => search.variables(variables.clone()),
            None => search,
        };
        let search = search.settings(algorithm.settings_of(trial.lambda())).strategy_options(self.options.clone());
        let search = search.criteria(algorithm.all_criteria()).target(trial.target());
        let mut search = search.max_evaluations(trial.budget()).seed(trial.seed());
        if let Some((lower, upper)) = trial.domain() {
            search = search.probe_box(&vec![lower; trial.dimension()], &vec![upper; trial.dimension()]);
        }
        let observers = trial.take_observers();
        let search = observers.into_iter().fold(search, |search, observer| search.observer(observer));
        let objective = |points: &Columns, values: &mut [f64]| trial.evaluate_own(points.as_slice(), values);
        let outcome = search.minimize(Batch(objective)).map_err(|error| algorithm.wrong(&error))?;
        trial.ended(outcome.stop.name(), outcome.runs.iter().map(|run| run.iterations).sum());
        trial.note(RUNS, outcome.runs.len() as f64);
        let runs = outcome.runs.iter().filter(|run| run.plan.kind == RunKind::Strategy);
        let largest = runs.map(|run| run.plan.lambda).max().unwrap_or(0);
        trial.note(LARGEST_LAMBDA, largest as f64);
        Ok(())
    }
}

impl StrategyAlgorithm {
    /// Sets strategy parameters, among them the step-size rule. Default: the paper's.
    #[must_use = "it returns the changed algorithm"]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Returns the strategy parameters.
    pub fn chosen_settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the stop criteria in addition to target and budget. Default: none, as in the paper; with a [policy](Self::policy), the usual
    /// ones.
    #[must_use = "it returns the changed algorithm"]
    pub fn criteria(mut self, criteria: StopCriteria) -> Self {
        self.criteria = criteria;
        self
    }

    /// Sets the initial step size, which multiplies the initial deviations of a problem's variables. Default: that of the problem.
    #[must_use = "it returns the changed algorithm"]
    pub fn sigma(mut self, sigma: f64) -> Self {
        self.sigma = Some(sigma);
        self
    }

    /// Restarts with a policy until the target is reached or the budget is used up. The record has the notes `runs` and `largest_lambda`.
    #[must_use = "it returns the changed algorithm"]
    pub fn policy<P: Policy + Clone + Debug + Send + Sync + 'static>(self, policy: P) -> Self {
        self.any_policy(Arc::new(policy))
    }

    pub(crate) fn any_policy(mut self, policy: Arc<dyn MakesPolicy>) -> Self {
        if self.criteria == StopCriteria::none() {
            self.criteria = StopCriteria::new();
        }
        self.policy = Some(policy);
        self
    }

    /// Sets parameters by name, as on a command line: the initial step size `sigma`, those of [`Settings`], those of
    /// [`Strategy::set_option`], and the [`StopCriteria`] that are a number or `off`, such as `creeping=off`.
    ///
    /// ```
    /// use ddcma_lab::dd;
    ///
    /// let early = dd().named("dd, early").choose("beta_thresh=5:active=false".parse()?)?;
    /// # let _ = early;
    /// # Ok::<(), ddcma_lab::LabError>(())
    /// ```
    pub fn choose(mut self, mut choices: Choices) -> Result<Self, LabError> {
        if let Some(sigma) = choices.number("sigma")? {
            if !(sigma > 0.0 && sigma.is_normal()) {
                return Err(LabError::new(format!("sigma must be positive and finite, got {sigma}")));
            }
            self.sigma = Some(sigma);
        }
        // Which other parameters there are depends on the step-size rule.
        if let Some(rule) = choices.text("step_size") {
            self.settings = parameters::set(self.settings, "step_size", &rule)?.unwrap_or_default();
        }
        let strategy = self.runner.strategy();
        let known = parameters::names_of(strategy, &self.settings);
        while let Some((name, value)) = choices.take_first() {
            if known.contains(&name.as_str()) {
                self.settings = parameters::set(self.settings, &name, &value)?.unwrap_or_default();
                continue;
            }
            if let Some(criterion) = parameters::criterion(&name, &value)? {
                self.named_criteria.push(criterion);
                continue;
            }
            let own = self.runner.option_names();
            let number = value.parse().ok();
            if number.is_none() && own.contains(&name.as_str()) {
                return Err(LabError::new(format!("{name} must be a number, got \"{value}\"")));
            }
            let with_option = number.and_then(|number| self.runner.with_option(&name, number));
            self.runner = with_option.ok_or_else(|| {
                let criteria = CRITERIA.map(|(name, _)| name);
                let all = [own, &["sigma"], &known, &criteria].concat();
                unknown_parameter(strategy, &name, &all)
            })?;
        }
        Ok(self)
    }

    /// Sets the name, such as `dd, slow`.
    #[must_use = "it returns the changed algorithm"]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    fn all_criteria(&self) -> StopCriteria {
        self.named_criteria.iter().fold(self.criteria.clone(), |criteria, (set, threshold)| set(criteria, *threshold))
    }

    fn settings_of(&self, lambda: Option<usize>) -> Settings {
        let settings = self.settings.clone();
        lambda.map_or(settings.clone(), |lambda| settings.lambda(lambda))
    }

    fn wrong(&self, error: &dyn std::fmt::Display) -> LabError {
        LabError::new(format!("{}: {error}", self.name))
    }
}

impl Algorithm for StrategyAlgorithm {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        match &self.policy {
            Some(policy) => self.runner.search(self, policy.policy(), trial),
            None => self.runner.run(self, trial),
        }
    }

    fn configuration(&self) -> String {
        let Self { settings, sigma, policy, runner, .. } = self;
        let criteria = self.all_criteria();
        let policy = policy.as_ref().map(|policy| policy.in_words());
        format!("{}, {settings:?}, {criteria:?}, {sigma:?}, {policy:?}", runner.in_words())
    }

    fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
        let params = self.settings_of(asked).params(n).map_err(|error| self.wrong(&error))?;
        Ok(Some(params.lambda()))
    }
}
