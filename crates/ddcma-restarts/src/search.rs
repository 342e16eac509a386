//! The driver: executes the runs that a policy plans, one after the other, with one budget.
//!
//! The policy decides what to run next; the optimizer or the probe does the run.

use ddcma_core::{
    AwaitsValues, Clock, Columns, Interrupted, Missing, Objective, Observer, OpenGeneration, Optimizer, Saver, Stop,
    Strategy, TellError, Ticket, Variables,
};

use crate::begin::{Begun, begin};
use crate::builder::{Budgets, Config};
use crate::course::Course;
use crate::outcome::BestSoFar;
use crate::running::Running;
use crate::starts::{Kind, Surroundings};
use crate::streams::{Streams, uniform};
use crate::{Past, Policy, Probe, RunPlan, RunSummary, SearchBest, SearchError, SearchOutcome, SearchStop, SearchView};

/// A search with restarts: ask and tell as in an optimizer, for one run after another.
///
/// ```
/// use ddcma_restarts::{Ipop, Starts, restarts};
///
/// let f = |x: &[f64]| x.iter().map(|x| x.abs().sqrt() + 1.0 - (10.0 * x).cos()).sum::<f64>();
/// let mut search = restarts(Ipop::new(), Starts::around(&[3.0; 3], 2.0)?, 1.0).max_evaluations(50_000).build()?;
/// while search.stop().is_none() {
///     let values: Vec<f64> = search.ask().iter().map(f).collect(); // as many as the current run asks for
///     search.tell(&values)?;
/// }
/// assert!(search.best().is_some_and(|best| best.value < 1.0));
/// println!("{} runs", search.runs().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Search<S: Strategy, P> {
    pub(crate) policy: P,
    pub(crate) state: State<S>,
    /// The random streams of the next run, which are determined by the seed and the number of runs.
    pub(crate) streams: Streams,
    pub(crate) saver: Saver<Self>,
}

/// The state of a search, except for its policy.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(
        serialize = "Optimizer<S>: serde::Serialize, S::Options: serde::Serialize",
        deserialize = "Optimizer<S>: serde::Deserialize<'de>, S::Options: serde::Deserialize<'de>"
    ))
)]
pub(crate) struct State<S: Strategy> {
    pub(crate) config: Config<S>,
    /// The usual population size.
    pub(crate) lambda: usize,
    pub(crate) finished: Vec<RunSummary>,
    pub(crate) plan: RunPlan,
    pub(crate) start: Vec<f64>,
    pub(crate) running: Running<S>,
    /// The best values of the current run.
    pub(crate) course: Course,
    pub(crate) best: Option<BestSoFar>,
    /// The evaluations and generations of the runs before the current one.
    pub(crate) evaluations_before: u64,
    pub(crate) generations_before: u64,
    pub(crate) stop: Option<SearchStop>,
    pub(crate) clock: Clock,
}

impl<S: Strategy> State<S> {
    /// Returns the number of runs before the current one. If the search is over, its last run is also among the finished ones.
    pub(crate) fn past_runs(&self) -> usize {
        self.finished.len() - usize::from(self.stop.is_some())
    }
}

impl<S: Strategy, P: Policy> Search<S, P> {
    pub(crate) fn start(policy: P, config: Config<S>) -> Result<Self, SearchError> {
        let mut config = config;
        let budgets = &mut config.budgets;
        budgets.target = budgets.target.or(config.criteria.target_value());
        if budgets.target.is_some_and(f64::is_nan) {
            return Err(SearchError::Target);
        }
        if budgets.evaluations == Some(0) {
            return Err(SearchError::EmptyBudget { of: "evaluations" });
        }
        if budgets.runs == Some(0) {
            return Err(SearchError::EmptyBudget { of: "runs" });
        }
        let limited = budgets.evaluations.is_some() || budgets.time.is_some() || budgets.runs.is_some();
        if !limited && !policy.ends() {
            return Err(SearchError::NoBudget { policy: policy.name() });
        }
        policy.check().map_err(SearchError::Policy)?;
        config.check_box()?;
        config.check_probe_box()?;
        if policy.plans_probes() {
            config.axes()?;
        }
        let n = config.search_dimension();
        let params = config.settings.params(n);
        let params = params.map_err(|error| SearchError::Start { run: 0, error: error.into() })?;
        let lambda = params.lambda();
        let mut streams = Streams::first(config.seed);
        let past = Past::new(n, lambda, config.sigma, &[]).with_settings(&config.settings);
        let plan = policy.next(&past, &mut || uniform(&mut streams.plan));
        let plan = plan.ok_or(SearchError::NothingPlanned { policy: policy.name() })?;
        let Begun { plan, start, running } = begin(&config, plan, 0, None, &mut streams)?;
        let mut clock = Clock::default();
        clock.run(config.budgets.time.is_some());
        let state = State {
            config,
            lambda,
            finished: Vec::new(),
            plan,
            start,
            running,
            course: Course::new(),
            best: None,
            evaluations_before: 0,
            generations_before: 0,
            stop: None,
            clock,
        };
        Ok(Self { policy, state, streams: streams.next(), saver: Saver::default() })
    }

    /// Returns the candidates of this generation, one per column: as many as the current run asks for.
    ///
    /// Until their values are told, asking again returns the same points.
    pub fn ask(&mut self) -> &Columns {
        self.state.running.ask()
    }

    /// Returns the candidates of this generation that still have no value, with their tickets: see
    /// [`Optimizer::ask_missing`]. Generations are counted over all runs.
    pub fn ask_missing(&mut self) -> impl Iterator<Item = (Ticket, &[f64])> {
        let before = self.state.generations_before;
        self.state.running.ask();
        let running = &self.state.running;
        let generation = before + running.iterations();
        let candidates = running.points().iter().enumerate().filter(|(index, _)| running.value(*index).is_none());
        candidates.map(move |(index, x)| (Ticket { generation, index }, x))
    }

    /// Takes the value of one candidate, in any order, and returns how many are still missing. The last one completes the generation, as
    /// if all values had been [told](Self::tell) at once.
    pub fn tell_one(&mut self, ticket: Ticket, value: f64) -> Result<usize, SearchError> {
        self.check_going_on()?;
        let before = self.state.generations_before;
        let generation = before + self.state.running.iterations();
        if ticket.generation < generation {
            return Err(TellError::Late { ticket, generation }.into());
        }
        let of_run = Ticket { generation: ticket.generation - before, ..ticket };
        match self.state.running.tell_one(of_run, value) {
            Ok(0) => self.generation_told(Ok(())).map(|()| 0),
            Ok(missing) => Ok(missing),
            Err(TellError::Twice { value, .. }) => Err(TellError::Twice { ticket, value }.into()),
            Err(error) => self.generation_told(Err(error)).map(|()| 0),
        }
    }

    /// Ends the generation with the values told so far: see [`Optimizer::finish`].
    pub fn finish(&mut self, missing: Missing) -> Result<(), SearchError> {
        self.check_going_on()?;
        let told = self.state.running.finish(missing);
        self.generation_told(told)
    }

    /// Takes the function values of the asked candidates, and starts the next run if this one is over.
    ///
    /// A failed update of the distribution ends the run, not the search. If the next run cannot start, the values are taken, the search
    /// is over, and the error is returned. A search that is over takes no values.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), SearchError> {
        self.check_going_on()?;
        let told = self.state.running.tell(values);
        self.generation_told(told)
    }

    fn check_going_on(&self) -> Result<(), SearchError> {
        if self.state.stop.is_some() { Err(SearchError::Over) } else { Ok(()) }
    }

    /// Continues after the current run has taken, or refused, the values of a generation.
    fn generation_told(&mut self, told: Result<(), TellError>) -> Result<(), SearchError> {
        match told {
            Ok(()) | Err(TellError::Update(_)) => {}
            Err(error) => return Err(error.into()),
        }
        self.note_best();
        self.end_generation(None, &mut [])
    }

    /// Adds the best value of the current run to its course, and keeps its best point if it is the best of all.
    fn note_best(&mut self) {
        let running = &self.state.running;
        let Some(best) = running.best() else { return };
        self.state.course.add(running.evaluations(), best.value);
        if self.state.best.as_ref().is_none_or(|known| best.value < known.value) {
            let evaluation = self.state.evaluations_before + best.evaluation;
            let (point, run) = (best.point.to_vec(), self.state.finished.len());
            self.state.best = Some(BestSoFar { point, value: best.value, run, evaluation });
        }
    }

    /// Checks whether the search or the run is over, and starts the next run in the latter case.
    fn end_generation(
        &mut self,
        own_reason: Option<String>,
        observers: &mut [&mut dyn Observer],
    ) -> Result<(), SearchError> {
        let own = || own_reason.map(|reason| SearchStop::User { reason });
        let Some(over) = self.target_or_budget().or_else(own) else {
            return match self.state.running.stop() {
                Some(stop) => {
                    self.finish_run(stop, observers);
                    self.restart()
                }
                None => Ok(()),
            };
        };
        let stop = match over.clone() {
            SearchStop::Target { best, target } => Stop::Target { best, target },
            SearchStop::Evaluations { evaluations, budget } => Stop::Evaluations { evaluations, budget },
            SearchStop::Time { elapsed, budget } => Stop::Time { elapsed, budget },
            other => Stop::User { reason: other.to_string() },
        };
        self.finish_run(stop, observers);
        self.state.stop = Some(over);
        Ok(())
    }

    fn target_or_budget(&self) -> Option<SearchStop> {
        let budgets = &self.state.config.budgets;
        if let Some((target, best)) = budgets.target.zip(self.best()).filter(|(target, best)| best.value <= *target) {
            return Some(SearchStop::Target { best: best.value, target });
        }
        let evaluations = self.evaluations();
        if let Some(budget) = budgets.evaluations.filter(|budget| evaluations >= *budget) {
            return Some(SearchStop::Evaluations { evaluations, budget });
        }
        let (budget, elapsed) = (budgets.time?, self.state.clock.elapsed());
        (elapsed >= budget).then_some(SearchStop::Time { elapsed, budget })
    }

    fn finish_run(&mut self, stop: Stop, observers: &mut [&mut dyn Observer]) {
        self.state.running.show(Some(&stop), observers);
        let State { plan, start, running, course, .. } = &self.state;
        let (best, evaluations) = (running.best(), running.evaluations());
        let mut summary = RunSummary {
            plan: plan.clone(),
            start: start.clone(),
            evaluations,
            iterations: running.iterations(),
            best_value: best.map_or(f64::INFINITY, |best| best.value),
            best_point: best.map(|best| best.point.to_vec()),
            mean: best.map_or(&start[..], |best| best.point).to_vec(),
            sigma: 0.0,
            deviations: vec![0.0; self.state.config.search_dimension()],
            condition: 1.0,
            d_ratio: 1.0,
            course: course.ended(evaluations, best.map(|best| best.value)),
            stop,
        };
        if let Running::Run(run) = running {
            let view = run.view();
            summary.mean = view.mean.to_vec();
            summary.sigma = view.sigma;
            summary.deviations = run.deviations().collect();
            summary.condition = condition(view.axes.shortest, view.axes.longest);
            summary.d_ratio = ratio(view.d);
        }
        self.state.finished.push(summary);
    }

    fn restart(&mut self) -> Result<(), SearchError> {
        let runs = self.state.finished.len();
        if self.state.config.budgets.runs.is_some_and(|limit| runs >= limit) {
            self.state.stop = Some(SearchStop::Runs { runs });
            return Ok(());
        }
        let mut streams = self.streams.clone();
        let n = self.state.config.search_dimension();
        let State { config, lambda, finished, .. } = &self.state;
        let past = Past::new(n, *lambda, config.sigma, finished).with_settings(&config.settings);
        let Some(plan) = self.policy.next(&past, &mut || uniform(&mut streams.plan)) else {
            self.state.stop = Some(SearchStop::PolicyDone { runs });
            return Ok(());
        };
        // All runs so far are over, so the best of all is that of the finished ones.
        match begin(&self.state.config, plan, runs, self.state.best.as_ref(), &mut streams) {
            Ok(Begun { plan, start, running }) => {
                self.state.evaluations_before = self.evaluations();
                self.state.generations_before += self.state.running.iterations();
                (self.state.plan, self.state.start, self.state.running) = (plan, start, running);
                self.state.course = Course::new();
                self.streams = streams.next();
                Ok(())
            }
            Err(error) => {
                self.state.stop = Some(SearchStop::CannotStart { reason: error.to_string() });
                Err(error)
            }
        }
    }

    /// Asks, evaluates and tells until the search is over.
    ///
    /// Observers see every generation and the end of every run, as the run sees it. A run that cannot start ends the search; the outcome
    /// has the reason. If the objective function fails, its error is returned and nothing is lost: the generation still waits for its
    /// missing values, and calling this again continues the search.
    pub fn run<O: Objective>(
        &mut self,
        objective: O,
        observers: &mut [&mut dyn Observer],
    ) -> Result<SearchOutcome, Interrupted<O::Error>> {
        self.run_until(objective, observers, &mut |_| None)
    }

    /// Like [`run`](Self::run), with a custom stop criterion: it returns a reason to end the whole search, or `None` to continue.
    pub fn run_until<O: Objective>(
        &mut self,
        mut objective: O,
        observers: &mut [&mut dyn Observer],
        criterion: &mut dyn FnMut(&SearchView<'_>) -> Option<String>,
    ) -> Result<SearchOutcome, Interrupted<O::Error>> {
        loop {
            if let Some(outcome) = self.outcome() {
                self.save_at_end()?;
                return Ok(outcome);
            }
            self.step(&mut objective)?;
            self.state.running.show(None, observers);
            let own_reason = criterion(&SearchView {
                run: self.state.finished.len(),
                plan: &self.state.plan,
                past: &self.state.finished,
                evaluations: self.evaluations(),
                best_value: self.state.best.as_ref().map_or(f64::INFINITY, |best| best.value),
                of_run: self.optimizer().map(Optimizer::view),
                of_probe: self.probe().map(Probe::view),
            });
            // A run that cannot start ends the search; the outcome has the reason.
            let _ = self.end_generation(own_reason, observers);
            self.save_after_generation()?;
        }
    }

    /// Evaluates one generation of the current run.
    fn step<O: Objective + ?Sized>(&mut self, objective: &mut O) -> Result<(), Interrupted<O::Error>> {
        self.state.running.ask();
        let mut generation = OpenGeneration::new(self);
        let evaluated = objective.evaluate(&mut generation);
        let missing = generation.into_early_end();
        let ended = self.state.running.end_step(evaluated, missing);
        if ended.is_err() {
            self.save_now(); // the first error is the one to report
        }
        ended?;
        self.note_best();
        Ok(())
    }

    /// Returns what was found; `None` until the search is over.
    pub fn outcome(&self) -> Option<SearchOutcome> {
        let stop = self.state.stop.clone()?;
        let runs = self.state.finished.clone();
        let best_run = self.state.best.as_ref().map(|best| best.run);
        // The run that found the best point; without any value, the last run is as good as the others.
        let run = best_run.and_then(|run| runs.get(run)).or(runs.last())?;
        let (mean, deviations) = (run.mean.clone(), run.deviations.clone());
        let (point, value) = match &self.state.best {
            Some(best) => (best.point.clone(), best.value),
            None => (mean.clone(), f64::NAN),
        };
        let evaluations = self.evaluations();
        Some(SearchOutcome { point, value, mean, deviations, best_run, evaluations, runs, stop })
    }

    /// Changes the budget of evaluations for all runs together. A search that had used up the old budget continues where it ended, in the
    /// middle of a run, as if the budget had been the new one from the start.
    pub fn set_max_evaluations(&mut self, budget: u64) -> Result<(), SearchError> {
        if budget == 0 {
            return Err(SearchError::EmptyBudget { of: "evaluations" });
        }
        self.set_budgets(Budgets { evaluations: Some(budget), ..self.state.config.budgets.clone() })
    }

    /// Changes the budgets; a search that had used up the old ones continues.
    pub(crate) fn set_budgets(&mut self, budgets: Budgets) -> Result<(), SearchError> {
        self.state.clock.run(budgets.time.is_some());
        self.state.config.budgets = budgets;
        let is_used_up = self.target_or_budget().is_some();
        match self.state.stop {
            None if is_used_up => self.end_generation(None, &mut []),
            Some(SearchStop::Evaluations { .. } | SearchStop::Time { .. }) if !is_used_up => self.uncut(),
            Some(SearchStop::Runs { .. }) => {
                self.state.stop = None;
                self.restart()
            }
            _ => Ok(()),
        }
    }

    /// Continues the run that was cut off by the end of the search.
    pub(crate) fn uncut(&mut self) -> Result<(), SearchError> {
        self.state.stop = None;
        self.state.finished.pop(); // it is not over
        self.end_generation(None, &mut [])
    }

    /// Returns the reason why the search is over; `None` until then.
    pub fn stop(&self) -> Option<&SearchStop> {
        self.state.stop.as_ref()
    }

    /// Returns the best point of all runs, including those of an incomplete generation; `None` if all values were NaN.
    pub fn best(&self) -> Option<SearchBest<'_>> {
        let known = self.state.best.as_ref();
        if let Some(best) = self.state.running.best().filter(|best| known.is_none_or(|known| best.value < known.value))
        {
            let evaluation = self.state.evaluations_before + best.evaluation;
            return Some(SearchBest { point: best.point, value: best.value, run: self.state.past_runs(), evaluation });
        }
        let BestSoFar { point, value, run, evaluation } = known?;
        Some(SearchBest { point, value: *value, run: *run, evaluation: *evaluation })
    }

    /// Returns the number of function values told in all runs.
    pub fn evaluations(&self) -> u64 {
        self.state.evaluations_before + self.state.running.evaluations()
    }

    /// Returns the finished runs.
    pub fn runs(&self) -> &[RunSummary] {
        &self.state.finished
    }

    /// Returns the plan of the current run.
    pub fn plan(&self) -> &RunPlan {
        &self.state.plan
    }

    /// Returns the current run; `None` during a probe.
    pub fn optimizer(&self) -> Option<&Optimizer<S>> {
        match &self.state.running {
            Running::Run(run) => Some(run),
            Running::Probe(_) => None,
        }
    }

    /// Returns the current probe along the axes; `None` during a run.
    pub fn probe(&self) -> Option<&Probe> {
        match &self.state.running {
            Running::Run(_) => None,
            Running::Probe(probe) => Some(probe),
        }
    }
}

impl<S: Strategy, P> Search<S, P> {
    ddcma_core::save_on_occasion!();
}

impl<S: Strategy, P> AwaitsValues for Search<S, P> {
    fn points(&self) -> &Columns {
        self.state.running.points()
    }

    fn generation(&self) -> u64 {
        self.state.generations_before + self.state.running.generation()
    }

    fn value(&self, index: usize) -> Option<f64> {
        self.state.running.value(index)
    }

    fn take(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        self.state.running.take(index, value)?;
        self.save_if_due();
        Ok(())
    }

    fn take_all(&mut self, values: &[f64]) {
        self.state.running.take_all(values);
        self.save_if_due();
    }
}

/// Returns the condition number of C; +∞ if a custom strategy returns axes that are not positive lengths.
fn condition(shortest: f64, longest: f64) -> f64 {
    let ratio = longest / shortest;
    if ratio >= 1.0 { ratio * ratio } else { f64::INFINITY }
}

/// Returns the ratio of the largest to the smallest of positive numbers; 1 if there are none.
fn ratio(numbers: &[f64]) -> f64 {
    let (smallest, largest) = numbers.iter().fold((f64::INFINITY, 0.0f64), |(s, l), x| (s.min(*x), l.max(*x)));
    (largest / smallest).max(1.0)
}

impl<S: Strategy> Config<S> {
    /// Returns the number of free variables.
    pub(crate) fn search_dimension(&self) -> usize {
        self.variables.as_ref().map_or(self.starts.dimension(), Variables::free_dimension)
    }

    /// Returns what start points may depend on.
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        let Self { deviations, bounds, variables, .. } = self;
        Surroundings { deviations: deviations.as_deref(), bounds: bounds.as_ref(), variables: variables.as_ref() }
    }

    /// Checks the box of start points: if it extended beyond the bounds, some start point would be invalid sooner or later.
    pub(crate) fn check_box(&self) -> Result<(), SearchError> {
        let Kind::Box { lower, upper } = &self.starts.0 else { return Ok(()) };
        let sides = || lower.iter().copied().zip(upper.iter().copied()).enumerate();
        if let Some(bounds) = &self.bounds {
            for ((index, side), bounds) in sides().zip(bounds.lower().zip(bounds.upper())) {
                if side.0 < bounds.0 || side.1 > bounds.1 {
                    return Err(SearchError::BoxOutsideBounds { index, side, bounds });
                }
            }
        }
        for ((index, side), variable) in sides().zip(self.variables.iter().flat_map(Variables::iter)) {
            if !(variable.contains(side.0) && variable.contains(side.1)) {
                return Err(SearchError::BoxOutsideBounds { index, side, bounds: variable.bounds() });
            }
        }
        Ok(())
    }
}
