//! The builder of a search: a policy, start points, budgets, and the settings of every run.

use std::fmt;

use ddcma_core::{DefaultStrategy, Interrupted, Objective, Observer, RunOptions, Strategy, Variables};

use crate::config::{Budgets, Config};
use crate::{Policy, Search, SearchError, SearchOutcome, SearchView, Starts};

/// Describes a search with restarts, using dd-CMA-ES unless you choose another [strategy](SearchBuilder::strategy).
///
/// `sigma` is the initial step size of the first run: about a third of the width of the region to search.
///
/// # Cost
///
/// Set a [target](SearchBuilder::target) or a [budget](SearchBuilder::max_evaluations). Without them, a search continues until its
/// policy ends, no matter what was found. By default this is after nine restarts that double λ; the last has 512 times as many
/// candidates per generation as the first run. On a sphere of two variables, which the first run solves in 500 evaluations, IPOP then
/// makes about 150 000 evaluations and BIPOP 310 000. A policy that never ends by itself requires a budget.
pub fn restarts<'a, P: Policy>(policy: P, starts: Starts, sigma: f64) -> SearchBuilder<'a, DefaultStrategy, P> {
    let (options, strategy_options) = (RunOptions::new(), Default::default());
    SearchBuilder { policy, options, strategy_options, setup: Setup::new(starts, sigma) }
}

/// A custom stop criterion: returns a reason to end the search, or `None`.
pub(crate) type Criterion<'a> = dyn FnMut(&SearchView<'_>) -> Option<String> + 'a;

/// Describes a search over variables, whose ranges determine the start points and the initial deviations.
///
/// It is [`restarts`] from [`Starts::over`] these variables, with the same setters.
///
/// ```
/// use ddcma_core::{Variable, Variables};
/// use ddcma_restarts::{Bipop, restarts_over};
///
/// let variables = Variables::new([Variable::between(-5.0, 5.0), Variable::between(1e-6, 1.0).log(), Variable::fixed(2.0)])?;
/// let f = |x: &[f64]| x[2] * x[0].powi(2) + (x[1].log10() + 4.0).powi(2);
/// let outcome = restarts_over(Bipop::new(), &variables).target(1e-9).max_evaluations(20_000).seed(1).minimize(f)?;
/// assert!((outcome.point[1] / 1e-4 - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restarts_over<'a, P: Policy>(policy: P, variables: &Variables) -> SearchBuilder<'a, DefaultStrategy, P> {
    restarts(policy, Starts::over(variables), 1.0).variables(variables.clone())
}

/// The builder of a search, from [`restarts`].
///
/// Settings that fit only one λ, such as [pre-weights](ddcma_core::Settings::pre_weights), require a policy that does not change λ: with
/// any other policy, the search ends at the first run with a different λ.
pub struct SearchBuilder<'a, S: Strategy, P> {
    policy: P,
    options: RunOptions,
    strategy_options: S::Options,
    setup: Setup<'a>,
}

/// The part of a builder that does not depend on the policy, the strategy and the options of runs.
struct Setup<'a> {
    starts: Starts,
    sigma: f64,
    max_runs: Option<usize>,
    /// The ratio below which runs are abandoned, or `Some(None)` to abandon no run; `None`: as set in the criteria.
    abandon: Option<Option<f64>>,
    probe_box: Option<(Vec<f64>, Vec<f64>)>,
    observers: Vec<&'a mut dyn Observer>,
    criterion: Box<Criterion<'a>>,
}

impl Setup<'_> {
    fn new(starts: Starts, sigma: f64) -> Self {
        let (observers, criterion) = (Vec::new(), Box::new(|_: &SearchView<'_>| None));
        Self { starts, sigma, max_runs: None, abandon: None, probe_box: None, observers, criterion }
    }

    /// Returns what all runs of the search share.
    fn config(&self, options: &RunOptions) -> Config {
        let criteria = options.chosen_criteria_of_each_run();
        let target = options.chosen_target().or(criteria.target_value());
        Config {
            starts: self.starts.clone(),
            sigma: self.sigma,
            deviations: options.chosen_deviations().map(<[f64]>::to_vec),
            covariance: options.chosen_covariance().cloned(),
            shape_of: options.chosen_shape_of().cloned(),
            settings: options.chosen_settings(),
            criteria: if let Some(ratio) = self.abandon { criteria.abandon(ratio) } else { criteria },
            bounds: options.chosen_bounds().cloned(),
            variables: options.chosen_variables().cloned(),
            probe_box: self.probe_box.clone(),
            budgets: Budgets {
                target,
                evaluations: options.chosen_max_evaluations(),
                time: options.chosen_max_time(),
                runs: self.max_runs,
            },
            seed: options.chosen_seed(),
        }
    }
}

impl<S: Strategy, P> fmt::Debug for SearchBuilder<'_, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, setup: Setup { starts, sigma, max_runs, .. }, .. } = self;
        let mut text = f.debug_struct("SearchBuilder");
        text.field("starts", starts).field("sigma", sigma).field("options", options).field("max_runs", max_runs);
        text.finish_non_exhaustive()
    }
}

impl<'a, S: Strategy, P: Policy> SearchBuilder<'a, S, P> {
    ddcma_core::for_each_run_option!(ddcma_core::run_option_setters);

    /// Sets all options of runs at once, and replaces those set before.
    #[must_use = "it returns the changed start"]
    pub fn options(mut self, options: RunOptions) -> Self {
        self.options = options;
        self
    }

    /// Chooses another strategy, with its default options: `restarts(…).strategy::<Plain>()`.
    #[must_use = "it returns the changed start"]
    pub fn strategy<T: Strategy>(self) -> SearchBuilder<'a, T, P> {
        let Self { policy, options, setup, .. } = self;
        SearchBuilder { policy, options, strategy_options: T::Options::default(), setup }
    }

    /// Sets the strategy-specific options. Default: the strategy's defaults.
    #[must_use = "it returns the changed start"]
    pub fn strategy_options(mut self, options: S::Options) -> Self {
        self.strategy_options = options;
        self
    }

    /// Limits the number of runs, including the first; at least 1.
    #[must_use = "it returns the changed start"]
    pub fn max_runs(mut self, limit: usize) -> Self {
        self.setup.max_runs = Some(limit);
        self
    }

    /// Sets when runs are [abandoned](ddcma_core::StopCriteria::abandon).
    ///
    /// A run must be able to gain this share of its distance from the best value of the earlier runs; otherwise it is abandoned. `None`:
    /// no run is abandoned. Default: the value in the [criteria](Self::criteria), 0.01. The criteria also end runs that are worse than
    /// the best and [creep](ddcma_core::StopCriteria::creeping).
    ///
    /// The first run is never abandoned, and a policy may [exempt](crate::RunPlan::abandon) other runs.
    ///
    /// ```
    /// use ddcma_restarts::{Bipop, Starts, restarts};
    ///
    /// let valleys = |x: &[f64]| x.iter().map(|x| x * x + 10.0 * (1.0 - (6.0 * x).cos())).sum::<f64>();
    /// let starts = Starts::in_box(&[-5.0; 4], &[5.0; 4])?;
    /// let search = || restarts(Bipop::new(), starts.clone(), 2.0).max_evaluations(20_000);
    /// let outcome = search().abandon(0.01).minimize(valleys)?;
    /// assert!(outcome.runs.iter().any(|run| run.stop.name() == "abandoned"));
    /// let outcome = search().abandon(None).minimize(valleys)?;
    /// assert!(outcome.runs.iter().all(|run| run.stop.name() != "abandoned"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "it returns the changed start"]
    pub fn abandon(mut self, ratio: impl Into<Option<f64>>) -> Self {
        self.setup.abandon = Some(ratio.into());
        self
    }

    /// Sets the box in which [probes](crate::Probed) search.
    ///
    /// It has one lower and one upper side for each coordinate, within the bounds; with variables, for all of them, in their own units.
    ///
    /// By default, a coordinate has the range of its bounds or of its variable if that is finite, and otherwise its side of the box that
    /// [start points](Starts::in_box) are drawn from. Without any of these, a search with probes does not start. A probe moves along the
    /// axes of the search: a logarithmic variable changes on its logarithmic scale, and fixed variables stay.
    #[must_use = "it returns the changed start"]
    pub fn probe_box(mut self, lower: &[f64], upper: &[f64]) -> Self {
        self.setup.probe_box = Some((lower.to_vec(), upper.to_vec()));
        self
    }

    /// Adds an observer, which [`minimize`](Self::minimize) calls after every generation and at the end of every run.
    #[must_use = "it returns the changed start"]
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.setup.observers.push(observer);
        self
    }

    /// Sets a custom stop criterion for [`minimize`](Self::minimize), checked after each generation: it returns a reason to end the whole
    /// search, or `None` to continue.
    #[must_use = "it returns the changed start"]
    pub fn stop_when(mut self, criterion: impl FnMut(&SearchView<'_>) -> Option<String> + 'a) -> Self {
        self.setup.criterion = Box::new(criterion);
        self
    }

    /// Starts the first run.
    ///
    /// Observers and a custom criterion are not part of a [`Search`]: pass them to its [`run_until`](Search::run_until).
    pub fn build(self) -> Result<Search<S, P>, SearchError> {
        let config = self.setup.config(&self.options);
        Search::start(self.policy, config, self.strategy_options)
    }

    /// Runs the search to its end.
    ///
    /// See [`restarts`] for the cost without a target or a budget.
    pub fn minimize<O: Objective>(self, objective: O) -> Result<SearchOutcome, RestartsError<S, P, O::Error>> {
        let mut objective = objective;
        self.minimize_from(&mut objective, Ok)
    }

    /// Passes a new search to `begin`, and runs the search that it returns to its end.
    pub(crate) fn minimize_from<E>(
        self,
        objective: &mut dyn Objective<Error = E>,
        begin: impl FnOnce(Search<S, P>) -> Result<Search<S, P>, RestartsError<S, P, E>>,
    ) -> Result<SearchOutcome, RestartsError<S, P, E>> {
        let Self { policy, options, strategy_options, mut setup } = self;
        let fresh = Search::start(policy, setup.config(&options), strategy_options);
        let mut search = begin(fresh.map_err(RestartsError::Search)?)?;
        match search.run_any(objective, &mut setup.observers, &mut *setup.criterion) {
            Ok(outcome) => Ok(outcome),
            Err(interrupted) => Err(RestartsError::Interrupted { interrupted, search: Box::new(search) }),
        }
    }
}

/// The reason why a search has no outcome.
#[non_exhaustive]
pub enum RestartsError<S: Strategy, P, E> {
    /// The search could not start.
    Search(SearchError),
    /// The autosave file belongs to another search, or cannot be read or written.
    #[cfg(feature = "checkpoint")]
    Checkpoint(ddcma_core::CheckpointError),
    /// The search was interrupted. It can continue with [`Search::run`].
    Interrupted {
        /// The reason.
        interrupted: Interrupted<E>,
        /// The search so far.
        search: Box<Search<S, P>>,
    },
}

impl<S: Strategy, P, E: fmt::Debug> fmt::Debug for RestartsError<S, P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search(error) => f.debug_tuple("Search").field(error).finish(),
            #[cfg(feature = "checkpoint")]
            Self::Checkpoint(error) => f.debug_tuple("Checkpoint").field(error).finish(),
            Self::Interrupted { interrupted, .. } => {
                f.debug_struct("Interrupted").field("interrupted", interrupted).finish_non_exhaustive()
            }
        }
    }
}

impl<S: Strategy, P, E: fmt::Display> fmt::Display for RestartsError<S, P, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search(error) => error.fmt(f),
            #[cfg(feature = "checkpoint")]
            Self::Checkpoint(error) => error.fmt(f),
            Self::Interrupted { interrupted, .. } => interrupted.fmt(f),
        }
    }
}

impl<S: Strategy, P, E: std::error::Error + 'static> std::error::Error for RestartsError<S, P, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Search(error) => error.source(),
            #[cfg(feature = "checkpoint")]
            Self::Checkpoint(error) => error.source(),
            Self::Interrupted { interrupted, .. } => interrupted.source(),
        }
    }
}
