//! The builder of a search: a policy, start points, budgets, and the settings of every run.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use ddcma_core::{
    Bounds, Columns, DefaultStrategy, Distribution, MinimizeError, Objective, Observer, RunOptions, Settings,
    StopCriteria, Strategy, Variables, With, drive,
};

use crate::config::Config;
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
type Criterion<'a> = dyn FnMut(&SearchView<'_>) -> Option<String> + 'a;

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
    with: With<'a>,
    criterion: Option<Box<Criterion<'a>>>,
}

impl Setup<'_> {
    fn new(starts: Starts, sigma: f64) -> Self {
        Self { starts, sigma, max_runs: None, abandon: None, probe_box: None, with: With::new(), criterion: None }
    }

    /// Returns what all runs of the search share.
    fn config(&self, mut options: RunOptions) -> Config {
        if let Some(ratio) = self.abandon {
            options.criteria = Some(options.criteria.unwrap_or_default().abandon(ratio));
        }
        let Self { starts, sigma, max_runs, probe_box, .. } = self;
        let (starts, probe_box) = (starts.clone(), probe_box.clone());
        Config { starts, sigma: *sigma, options, max_runs: *max_runs, probe_box }
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

/// Writes setters that pass on to the options of runs.
macro_rules! option_setters {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $type:ty);)*) => {
        $(
            $(#[$doc])*
            #[must_use = "it returns the changed start"]
            pub fn $name(mut self, $argument: $type) -> Self {
                self.options = self.options.$name($argument);
                self
            }
        )*
    };
}

impl<'a, S: Strategy, P: Policy> SearchBuilder<'a, S, P> {
    option_setters! {
        /// Sets the seed of all random numbers. Any seed is valid, including 0, the default.
        seed(seed: u64);
        /// Sets the population size λ of the first run. Default: that of the [settings](Self::settings).
        lambda(lambda: usize);
        /// Sets strategy parameters. Default: the paper's.
        settings(settings: Settings);
        /// Sets the criteria that end each run. Default: `StopCriteria::new()`.
        criteria(criteria: StopCriteria);
        /// Sets the function value that is good enough. Default: that of the [criteria](Self::criteria).
        target(target: f64);
        /// Limits the evaluations of all runs together; at least 1. The last generation is completed, so there may be up to λ − 1 more.
        max_evaluations(budget: u64);
        /// Limits the number of iterations of each run; at least 1.
        max_iterations(budget: u64);
        /// Limits the time of all runs together; not 0. The last generation is completed.
        max_time(budget: Duration);
        /// Sets lower and upper bounds. Default: none. See [`RunOptions::bounds`].
        bounds(bounds: Bounds);
        /// Sets the variables: ranges, logarithmic scales, fixed values. Default: linear and unbounded. See [`RunOptions::variables`].
        variables(variables: Variables);
        /// Sets the initial deviations of the coordinates, relative to the step size. See [`RunOptions::deviations`].
        deviations(deviations: &[f64]);
        /// Sets the initial covariance matrix, relative to the step size. See [`RunOptions::covariance`].
        covariance(covariance: Columns);
        /// Starts each run with the shape of another run's distribution. See [`RunOptions::shape_of`].
        shape_of(distribution: Distribution);
    }

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
        self.setup.with = self.setup.with.observer(observer);
        self
    }

    /// Sets a custom stop criterion for [`minimize`](Self::minimize), checked after each generation: it returns a reason to end the whole
    /// search, or `None` to continue.
    #[must_use = "it returns the changed start"]
    pub fn stop_when(mut self, criterion: impl FnMut(&SearchView<'_>) -> Option<String> + 'a) -> Self {
        self.setup.criterion = Some(Box::new(criterion));
        self
    }

    /// Starts the first run.
    ///
    /// Observers and a custom criterion are not part of a [`Search`]: pass them to its [`run_with`](Search::run_with).
    pub fn build(self) -> Result<Search<S, P>, SearchError> {
        let config = self.setup.config(self.options);
        Search::start(self.policy, config, self.strategy_options)
    }

    /// Runs the search to its end.
    ///
    /// See [`restarts`] for the cost without a target or a budget.
    pub fn minimize<O: Objective>(self, mut objective: O) -> Result<SearchOutcome, RestartsError<O::Error>> {
        self.minimize_any(&mut objective)
    }

    /// Runs the search to its end and saves it to a file from time to time. The same program, started again, continues from that file,
    /// bit for bit.
    ///
    /// A path is enough; use [`Autosave`](ddcma_core::Autosave) to set how often to save. A file that belongs to a search with other starts,
    /// settings, policy, seed, target or stop criteria is an error. The budgets are those of this call, so a larger budget extends the saved
    /// search. [`SearchOutcome::resumed_at`] tells whether the search continued from a file.
    ///
    /// ```
    /// use ddcma_restarts::{Ipop, Starts, restarts};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("search.checkpoint");
    /// let f = |x: &[f64]| x.iter().map(|x| x.abs().sqrt() + 1.0 - (10.0 * x).cos()).sum::<f64>();
    /// let starts = Starts::around(&[3.0; 3], 2.0)?;
    /// let outcome = restarts(Ipop::new(), starts, 1.0).max_evaluations(20_000).minimize_saving(f, &path)?;
    /// assert!(outcome.value < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "checkpoint")]
    pub fn minimize_saving<O: Objective>(
        mut self,
        objective: O,
        autosave: impl Into<ddcma_core::Autosave>,
    ) -> Result<SearchOutcome, RestartsError<O::Error>> {
        self.setup.with = self.setup.with.saving(autosave.into().named_after::<O>());
        self.minimize(objective)
    }

    fn minimize_any<E>(self, objective: &mut dyn Objective<Error = E>) -> Result<SearchOutcome, RestartsError<E>> {
        let Self { policy, options, strategy_options, mut setup } = self;
        let config = setup.config(options);
        let mut search = Search::<S, P>::start(policy, config, strategy_options).map_err(MinimizeError::Start)?;
        if let Some(mut criterion) = setup.criterion {
            setup.with = setup.with.stop_when_run(move |run| {
                (run as &dyn Any).downcast_ref::<Search<S, P>>().and_then(|search| criterion(&search.search_view()))
            });
        }
        let mut with = setup.with;
        with.begin(&mut search).map_err(MinimizeError::Checkpoint)?;
        match drive(&mut search, objective, &mut with) {
            Ok(stop) => Ok(SearchOutcome { resumed_at: with.resumed_at(), ..search.state.end(stop) }),
            Err(interrupted) => Err(MinimizeError::Interrupted { interrupted, run: Box::new(search) }),
        }
    }
}

/// The reason why a search has no outcome.
pub type RestartsError<E> = MinimizeError<E, SearchError>;
