//! The driver: executes what a policy plans, one run after the other, under one budget.
//!
//! Knows runs as optimizers with a start and an end. What to run next is the policy's business, how to run the optimizer's.

use std::fmt;
use std::time::{Duration, Instant};

use ddcma_core::{
    Columns, Interrupted, Objective, Observer, Optimizer, Stop, Strategy, TellError, View, Xoshiro256PlusPlus,
};

use crate::builder::Config;
use crate::streams::{Streams, uniform};
use crate::{Past, Policy, RunPlan, RunSummary, SearchError, StartRule};

/// A search that restarts: the two calls of an optimizer, and run after run underneath.
///
/// ```
/// use ddcma_restarts::{Ipop, Starts, restarts};
///
/// let f = |x: &[f64]| x.iter().map(|x| x.abs().sqrt() + 1.0 - (10.0 * x).cos()).sum::<f64>();
/// let mut search = restarts(Ipop::new(), Starts::around(&[3.0; 3], 2.0)?, 1.0).evaluations(50_000).build()?;
/// while search.stop().is_none() {
///     let values: Vec<f64> = search.ask().iter().map(f).collect(); // as many as the present run asks for
///     search.tell(&values)?;
/// }
/// assert!(search.best().is_some_and(|best| best.value < 1.0));
/// println!("{} runs", search.runs().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search<S, P> {
    pub(crate) config: Config<P>,
    /// The usual population size.
    pub(crate) lambda: usize,
    pub(crate) finished: Vec<RunSummary>,
    pub(crate) plan: RunPlan,
    pub(crate) start: Vec<f64>,
    pub(crate) optimizer: Optimizer<S>,
    pub(crate) best: Option<BestSoFar>,
    /// The evaluations of the runs before the present one.
    pub(crate) evaluations_before: u64,
    pub(crate) stop: Option<SearchStop>,
    /// The streams that the next run will have.
    pub(crate) streams: Streams,
    /// Time that passed before `started`, in earlier lives of the search.
    pub(crate) elapsed_before: Duration,
    pub(crate) started: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BestSoFar {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) run: usize,
    pub(crate) evaluation: u64,
}

/// The best candidate of all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best<'a> {
    /// Where it is.
    pub point: &'a [f64],
    /// Its function value.
    pub value: f64,
    /// The run that found it, from 0.
    pub run: usize,
    /// The number of its evaluation, counted from 1 over all runs.
    pub evaluation: u64,
}

/// Why a search is over, with the evidence.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SearchStop {
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
    /// The time is used up.
    Time {
        /// How long it took.
        elapsed: Duration,
        /// How long it may take.
        budget: Duration,
    },
    /// The runs are used up.
    Runs {
        /// How many were made.
        runs: usize,
    },
    /// The policy plans no further run.
    PolicyDone {
        /// How many runs were made.
        runs: usize,
    },
    /// A criterion of the user's own.
    User {
        /// Its reason.
        reason: String,
    },
    /// The next run could not be started as planned.
    CannotStart {
        /// Which one, and why.
        reason: String,
    },
}

impl SearchStop {
    /// The name of the criterion, for tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Target { .. } => "target",
            Self::Evaluations { .. } => "evaluations",
            Self::Time { .. } => "time",
            Self::Runs { .. } => "runs",
            Self::PolicyDone { .. } => "policy_done",
            Self::User { .. } => "user",
            Self::CannotStart { .. } => "cannot_start",
        }
    }
}

impl fmt::Display for SearchStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name())?;
        match self {
            Self::Target { best, target } => write!(f, "the best value {best:e} is at most {target:e}"),
            Self::Evaluations { evaluations, budget } => write!(f, "{evaluations} of {budget} evaluations made"),
            Self::Time { elapsed, budget } => write!(f, "{elapsed:?} of {budget:?} passed"),
            Self::Runs { runs } => write!(f, "{runs} runs made"),
            Self::PolicyDone { runs } => write!(f, "the policy plans no further run after {runs}"),
            Self::User { reason } => f.write_str(reason),
            Self::CannotStart { reason } => f.write_str(reason),
        }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The best point of all runs; the last mean, if no value was a number.
    pub point: Vec<f64>,
    /// Its value; NaN, if no value was a number.
    pub value: f64,
    /// The number of evaluations of all runs.
    pub evaluations: u64,
    /// The runs that are over, in their order.
    pub runs: Vec<RunSummary>,
    /// Why the search is over.
    pub stop: SearchStop,
}

/// What is evaluated next: the run that goes on.
struct Begun<S> {
    plan: RunPlan,
    start: Vec<f64>,
    optimizer: Optimizer<S>,
}

impl<S: Strategy, P: Policy> Search<S, P> {
    pub(crate) fn start(config: Config<P>) -> Result<Self, SearchError> {
        let mut config = config;
        let budgets = &mut config.budgets;
        budgets.target = budgets.target.or(config.stops.target_value());
        if budgets.target.is_some_and(f64::is_nan) {
            return Err(SearchError::Target);
        }
        let limited = budgets.evaluations.is_some() || budgets.time.is_some() || budgets.runs.is_some();
        if !limited && !config.policy.ends() {
            return Err(SearchError::NoBudget { policy: config.policy.name() });
        }
        let n = config.starts.dimension();
        let params = config.settings.params(n);
        let params = params.map_err(|error| SearchError::Start { run: 0, error: error.into() })?;
        let lambda = params.lambda();
        let mut streams = Streams::first(config.seed);
        let past = Past::new(n, lambda, config.sigma, &[]);
        let plan = config.policy.next(&past, &mut || uniform(&mut streams.plan));
        let plan = plan.ok_or(SearchError::NothingPlanned { policy: config.policy.name() })?;
        let begun = begin(&config, plan, 0, None, &mut streams, config.budgets.evaluations);
        let Begun { plan, start, optimizer } = begun?;
        let started = config.budgets.time.map(|_| Instant::now());
        Ok(Self {
            config,
            lambda,
            finished: Vec::new(),
            plan,
            start,
            optimizer,
            best: None,
            evaluations_before: 0,
            stop: None,
            streams: streams.next(),
            elapsed_before: Duration::ZERO,
            started,
        })
    }

    /// The candidates of this generation, one a column: as many as the present run asks for.
    ///
    /// They are drawn once: until their values are told, asking again returns the same points.
    pub fn ask(&mut self) -> &Columns {
        self.optimizer.ask()
    }

    /// Takes the function values of the asked candidates, and starts the next run if this one is over.
    ///
    /// After the search is over, the last run goes on for whoever wants it to.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), SearchError> {
        self.tell_run(values)?;
        self.end_generation(None)
    }

    /// An update that could not be made ends the run, not the search.
    fn tell_run(&mut self, values: &[f64]) -> Result<(), TellError> {
        match self.optimizer.tell(values) {
            Ok(()) | Err(TellError::Update(_)) => {}
            Err(error) => return Err(error),
        }
        if let Some(best) = self.optimizer.best()
            && self.best.as_ref().is_none_or(|known| best.value < known.value)
        {
            let evaluation = self.evaluations_before + best.evaluation;
            let (point, run) = (best.point.to_vec(), self.finished.len());
            self.best = Some(BestSoFar { point, value: best.value, run, evaluation });
        }
        Ok(())
    }

    /// Looks whether the search or the run is over, and starts the next run in the latter case.
    fn end_generation(&mut self, own_reason: Option<String>) -> Result<(), SearchError> {
        if self.stop.is_some() {
            return Ok(());
        }
        let over = own_reason.map(|reason| SearchStop::User { reason }).or_else(|| self.target_or_budget());
        let run_stop = match &over {
            Some(SearchStop::User { reason }) => Some(Stop::User { reason: reason.clone() }),
            Some(SearchStop::Time { elapsed, budget }) => Some(Stop::Time { elapsed: *elapsed, budget: *budget }),
            Some(SearchStop::Evaluations { evaluations, budget }) => {
                let stop = Stop::Evaluations { evaluations: *evaluations, budget: *budget };
                Some(self.optimizer.stop().unwrap_or(stop))
            }
            _ => self.optimizer.stop(),
        };
        let Some(run_stop) = run_stop else { return Ok(()) };
        self.finish_run(run_stop);
        match over {
            Some(stop) => self.stop = Some(stop),
            None => self.restart()?,
        }
        Ok(())
    }

    fn target_or_budget(&self) -> Option<SearchStop> {
        let budgets = &self.config.budgets;
        if let Some((target, best)) = budgets.target.zip(self.best()).filter(|(target, best)| best.value <= *target) {
            return Some(SearchStop::Target { best: best.value, target });
        }
        let evaluations = self.evaluations();
        if let Some(budget) = budgets.evaluations.filter(|budget| evaluations >= *budget) {
            return Some(SearchStop::Evaluations { evaluations, budget });
        }
        let (budget, elapsed) = (budgets.time?, self.elapsed());
        (elapsed >= budget).then_some(SearchStop::Time { elapsed, budget })
    }

    fn finish_run(&mut self, stop: Stop) {
        let best = self.optimizer.best();
        self.finished.push(RunSummary {
            plan: self.plan.clone(),
            start: self.start.clone(),
            evaluations: self.optimizer.evaluations(),
            iterations: self.optimizer.iterations(),
            best_value: best.map_or(f64::INFINITY, |best| best.value),
            best_point: best.map(|best| best.point.to_vec()),
            stop,
        });
    }

    fn restart(&mut self) -> Result<(), SearchError> {
        let runs = self.finished.len();
        if self.config.budgets.runs.is_some_and(|limit| runs >= limit) {
            self.stop = Some(SearchStop::Runs { runs });
            return Ok(());
        }
        let mut streams = self.streams.clone();
        let past = Past::new(self.start.len(), self.lambda, self.config.sigma, &self.finished);
        let Some(plan) = self.config.policy.next(&past, &mut || uniform(&mut streams.plan)) else {
            self.stop = Some(SearchStop::PolicyDone { runs });
            return Ok(());
        };
        let left = self.config.budgets.evaluations.map(|budget| budget.saturating_sub(self.evaluations()));
        let best = self.best.as_ref().map(|best| &best.point[..]);
        match begin(&self.config, plan, runs, best, &mut streams, left) {
            Ok(Begun { plan, start, optimizer }) => {
                self.evaluations_before = self.evaluations();
                (self.plan, self.start, self.optimizer) = (plan, start, optimizer);
                self.streams = streams.next();
                Ok(())
            }
            Err(error) => {
                self.stop = Some(SearchStop::CannotStart { reason: error.to_string() });
                Err(error)
            }
        }
    }

    /// Asks, evaluates and tells until the search is over.
    ///
    /// Observers see every generation of every run. If the objective fails, its error is returned and nothing is lost: the
    /// generation still waits for its values, and the search can run on.
    pub fn run<O: Objective>(
        &mut self,
        objective: O,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Outcome, Interrupted<O::Error>> {
        self.run_until(objective, observers, &mut |_| None)
    }

    /// Like [`run`](Self::run), with a criterion of one's own: a reason to end the whole search, or `None` to go on.
    pub fn run_until<O: Objective>(
        &mut self,
        mut objective: O,
        observers: &mut [&mut dyn Observer],
        criterion: &mut dyn FnMut(&View<'_>) -> Option<String>,
    ) -> Result<Outcome, Interrupted<O::Error>> {
        let mut values = Vec::new();
        loop {
            if let Some(stop) = &self.stop {
                return Ok(self.outcome(stop.clone()));
            }
            values.clear();
            values.resize(self.optimizer.params().lambda(), f64::NAN); // what an objective does not evaluate has no value
            if let Err(failed) = objective.evaluate(self.optimizer.ask(), &mut values) {
                values.truncate(failed.evaluated);
                return Err(Interrupted { error: failed.error, values });
            }
            if let Err(error) = self.tell_run(&values) {
                unreachable!("the points were asked, and there is one value for each: {error}");
            }
            let view = self.optimizer.view();
            observers.iter_mut().for_each(|observer| observer.observe(&view));
            let own_reason = criterion(&view);
            // A run that cannot start ends the search, with its reason in the outcome.
            let _ = self.end_generation(own_reason);
        }
    }

    fn outcome(&self, stop: SearchStop) -> Outcome {
        let (point, value) = match &self.best {
            Some(best) => (best.point.clone(), best.value),
            None => (self.optimizer.mean().to_vec(), f64::NAN),
        };
        Outcome { point, value, evaluations: self.evaluations(), runs: self.finished.clone(), stop }
    }

    /// Whether the search is over, and why. `None` means: go on.
    pub fn stop(&self) -> Option<&SearchStop> {
        self.stop.as_ref()
    }

    /// The best point of all runs, unless all values were NaN.
    pub fn best(&self) -> Option<Best<'_>> {
        let BestSoFar { point, value, run, evaluation } = self.best.as_ref()?;
        Some(Best { point, value: *value, run: *run, evaluation: *evaluation })
    }

    /// The number of function values told, in all runs.
    pub fn evaluations(&self) -> u64 {
        self.evaluations_before + self.optimizer.evaluations()
    }

    /// The runs that are over.
    pub fn runs(&self) -> &[RunSummary] {
        &self.finished
    }

    /// The plan of the present run.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// The present run.
    pub fn optimizer(&self) -> &Optimizer<S> {
        &self.optimizer
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed_before.saturating_add(self.started.map_or(Duration::ZERO, |started| started.elapsed()))
    }
}

/// Starts run k as planned.
fn begin<S: Strategy, P: Policy>(
    config: &Config<P>,
    plan: RunPlan,
    k: usize,
    best: Option<&[f64]>,
    streams: &mut Streams,
    evaluations_left: Option<u64>,
) -> Result<Begun<S>, SearchError> {
    let start = match (plan.start, best) {
        (StartRule::AtBest, Some(best)) => best.to_vec(),
        _ => config.starts.draw(k, &mut streams.start, config.bounds.as_ref()),
    };
    let (expected, got) = (config.starts.dimension(), start.len());
    if got != expected {
        return Err(SearchError::StartOfWrongLength { run: k, expected, got });
    }
    let budgets = [config.stops.evaluation_budget(), plan.budget, evaluations_left];
    let stops = config.stops.clone().target(config.budgets.target);
    let stops = stops.evaluations(budgets.into_iter().flatten().min());
    let settings = config.settings.clone().lambda(plan.lambda);
    let mut builder = Optimizer::<S>::builder(&start, plan.sigma).settings(settings).stops(stops);
    if let Some(deviations) = &config.deviations {
        builder = builder.deviations(deviations);
    }
    if let Some(bounds) = &config.bounds {
        builder = builder.bounds(bounds.clone());
    }
    let rng: Xoshiro256PlusPlus = streams.run.clone();
    let optimizer = builder.build_with(rng).map_err(|error| SearchError::Start { run: k, error })?;
    Ok(Begun { plan, start, optimizer })
}
