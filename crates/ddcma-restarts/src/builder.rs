//! Where a search starts: a policy, start points, budgets, and the settings that every run gets. Knows no run.

use std::marker::PhantomData;
use std::time::Duration;

use ddcma_core::{Bounds, DefaultStrategy, Interrupted, Objective, Settings, StopCriteria, Strategy};

use crate::{Policy, Search, SearchError, SearchOutcome, Starts};

/// A search that restarts, with dd-CMA-ES unless another [strategy](SearchBuilder::strategy) is chosen.
///
/// `sigma` is the initial step size of the first run: about a third of the extent of the region to search.
pub fn restarts<P: Policy>(policy: P, starts: Starts, sigma: f64) -> SearchBuilder<DefaultStrategy, P> {
    let config = Config {
        policy,
        starts,
        sigma,
        deviations: None,
        settings: Settings::new(),
        criteria: StopCriteria::new(),
        bounds: None,
        budgets: Budgets::default(),
        seed: 0,
    };
    SearchBuilder { config, strategy: PhantomData }
}

/// Everything that is given and does not change.
#[derive(Clone, Debug)]
pub(crate) struct Config<P> {
    pub(crate) policy: P,
    pub(crate) starts: Starts,
    pub(crate) sigma: f64,
    pub(crate) deviations: Option<Vec<f64>>,
    pub(crate) settings: Settings,
    pub(crate) criteria: StopCriteria,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) budgets: Budgets,
    pub(crate) seed: u64,
}

/// What all runs together may use, and what they are for.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Budgets {
    pub(crate) target: Option<f64>,
    pub(crate) evaluations: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) runs: Option<usize>,
}

/// A search before it starts, from [`restarts`].
#[derive(Clone, Debug)]
pub struct SearchBuilder<S, P> {
    config: Config<P>,
    strategy: PhantomData<fn() -> S>,
}

impl<S: Strategy, P: Policy> SearchBuilder<S, P> {
    /// Another strategy: `restarts(…).strategy::<Plain>()`.
    #[must_use]
    pub fn strategy<T: Strategy>(self) -> SearchBuilder<T, P> {
        SearchBuilder { config: self.config, strategy: PhantomData }
    }

    /// A function value that is good enough: the search ends at once. Default: none, or that of the [criteria](Self::criteria).
    #[must_use]
    pub fn target(mut self, target: f64) -> Self {
        self.config.budgets.target = Some(target);
        self
    }

    /// The number of evaluations that all runs together make, to the full generation; at least 1.
    #[must_use]
    pub fn max_evaluations(mut self, budget: u64) -> Self {
        self.config.budgets.evaluations = Some(budget);
        self
    }

    /// The time that all runs together take, to the full generation.
    #[must_use]
    pub fn max_time(mut self, budget: Duration) -> Self {
        self.config.budgets.time = Some(budget);
        self
    }

    /// The largest number of runs, the first included; at least 1.
    #[must_use]
    pub fn max_runs(mut self, limit: usize) -> Self {
        self.config.budgets.runs = Some(limit);
        self
    }

    /// The seed of all random numbers. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = seed;
        self
    }

    /// Strategy parameters of every run. A λ among them is that of the first run, which policies multiply.
    ///
    /// What only fits one λ, such as [pre-weights](Settings::pre_weights), only fits policies that keep it: with others the
    /// search ends at the first run with another λ.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.config.settings = settings;
        self
    }

    /// When a single run stops. Default: [`StopCriteria::new`]. Its budgets are those of a run; its target is the search's, unless
    /// [`target`](Self::target) says otherwise.
    #[must_use]
    pub fn criteria(mut self, criteria: StopCriteria) -> Self {
        self.config.criteria = criteria;
        self
    }

    /// Lower and upper bounds.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.config.bounds = Some(bounds);
        self
    }

    /// Initial deviations of the coordinates, relative to the step size, for every run.
    #[must_use]
    pub fn deviations(mut self, deviations: &[f64]) -> Self {
        self.config.deviations = Some(deviations.to_vec());
        self
    }

    /// Starts the first run.
    pub fn build(self) -> Result<Search<S, P>, SearchError> {
        Search::start(self.config)
    }

    /// Searches to the end.
    ///
    /// With observers, criteria of one's own or an objective that fails and is repaired: [`build`](Self::build) and
    /// [`run`](Search::run).
    pub fn minimize<O: Objective>(self, objective: O) -> Result<SearchOutcome, RestartsError<S, P, O::Error>> {
        let mut search = self.build().map_err(RestartsError::Search)?;
        match search.run(objective, &mut []) {
            Ok(outcome) => Ok(outcome),
            Err(interrupted) => Err(RestartsError::Interrupted { interrupted, search: Box::new(search) }),
        }
    }
}

/// Why a search has no outcome.
#[non_exhaustive]
pub enum RestartsError<S, P, E> {
    /// It could not start.
    Search(SearchError),
    /// The objective failed. The search can [run](Search::run) on.
    Interrupted {
        /// The objective's error, and what was computed of the generation.
        interrupted: Interrupted<E>,
        /// The search so far.
        search: Box<Search<S, P>>,
    },
}

impl<S, P, E: std::fmt::Debug> std::fmt::Debug for RestartsError<S, P, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Search(error) => f.debug_tuple("Search").field(error).finish(),
            Self::Interrupted { interrupted, .. } => {
                f.debug_struct("Interrupted").field("interrupted", interrupted).finish_non_exhaustive()
            }
        }
    }
}

impl<S, P, E: std::fmt::Display> std::fmt::Display for RestartsError<S, P, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Search(error) => error.fmt(f),
            Self::Interrupted { interrupted, .. } => interrupted.fmt(f),
        }
    }
}

impl<S, P, E: std::error::Error + 'static> std::error::Error for RestartsError<S, P, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Search(error) => error.source(),
            Self::Interrupted { interrupted, .. } => interrupted.source(),
        }
    }
}
