//! The state of a search, and how it changes: from one generation to the next, and from one run to the next.
//!
//! Nothing here depends on the type of the policy or of the objective, so all of it is compiled once per strategy.

use ddcma_core::{AwaitsValues, Clock, Interrupted, Missing, Observer, Optimizer, Stop, Strategy, TellError, Ticket};

use crate::begin::{Begun, begin};
use crate::builder::Criterion;
use crate::config::{Budgets, Config};
use crate::course::Course;
use crate::outcome::{BestSoFar, Totals};
use crate::running::Running;
use crate::streams::{Streams, uniform};
use crate::{Past, Policy, Probe, RunPlan, RunSummary, SearchBest, SearchError, SearchOutcome, SearchStop, SearchView};

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
    pub(crate) strategy_options: S::Options,
    pub(crate) config: Config,
    /// The usual population size.
    pub(crate) lambda: usize,
    pub(crate) finished: Vec<RunSummary>,
    pub(crate) plan: RunPlan,
    pub(crate) start: Vec<f64>,
    pub(crate) running: Running<S>,
    /// The best values of the current run.
    pub(crate) course: Course,
    /// What the runs before the current one add up to.
    #[cfg_attr(feature = "checkpoint", serde(skip))]
    pub(crate) before: Totals,
    pub(crate) stop: Option<SearchStop>,
    pub(crate) clock: Clock,
}

/// What the next run is planned with.
pub(crate) struct Planner<'a> {
    pub(crate) policy: &'a dyn Policy,
    /// The random streams of the next run; planning it moves them to the run after it.
    pub(crate) streams: &'a mut Streams,
}

impl<S: Strategy> State<S> {
    /// Starts the first run, and returns the random streams of the second.
    pub(crate) fn start(
        policy: &dyn Policy,
        config: Config,
        strategy_options: S::Options,
    ) -> Result<(Self, Streams), SearchError> {
        config.check_for(policy)?;
        let n = config.search_dimension();
        let params = config.settings.params(n);
        let params = params.map_err(|error| SearchError::Start { run: 0, error: error.into() })?;
        let lambda = params.lambda();
        let mut streams = Streams::first(config.seed);
        let past = Past::new(n, lambda, config.sigma, &[]).with_settings(&config.settings);
        let plan = policy.next(&past, &mut || uniform(&mut streams.plan));
        let plan = plan.ok_or(SearchError::NothingPlanned { policy: policy.name() })?;
        let Begun { plan, start, running } = begin::<S>(&config, &strategy_options, plan, 0, None, &mut streams)?;
        let mut clock = Clock::default();
        clock.run(config.budgets.time.is_some());
        let state = Self {
            strategy_options,
            config,
            lambda,
            finished: Vec::new(),
            plan,
            start,
            running,
            course: Course::new(),
            before: Totals::default(),
            stop: None,
            clock,
        };
        Ok((state, streams.next()))
    }

    /// Returns the number of runs before the current one. If the search is over, its last run is also among the finished ones.
    pub(crate) fn past_runs(&self) -> usize {
        self.finished.len() - usize::from(self.stop.is_some())
    }

    /// Returns the candidates of this generation that still have no value, with their tickets.
    pub(crate) fn ask_missing(&mut self) -> impl Iterator<Item = (Ticket, &[f64])> {
        self.running.ask();
        let (generation, running) = (self.generation(), &self.running);
        let candidates = running.points().iter().enumerate().filter(|(index, _)| running.value(*index).is_none());
        candidates.map(move |(index, x)| (Ticket { generation, index }, x))
    }

    /// Returns the number of the generation, counted over all runs.
    pub(crate) fn generation(&self) -> u64 {
        self.before.generations + self.running.iterations()
    }

    /// Takes the value of one candidate, and returns how many are missing.
    pub(crate) fn tell_one(&mut self, ticket: Ticket, value: f64, planner: Planner<'_>) -> Result<usize, SearchError> {
        self.check_going_on()?;
        let generation = self.generation();
        if ticket.generation < generation {
            return Err(TellError::Late { ticket, generation }.into());
        }
        let of_run = Ticket { generation: ticket.generation - self.before.generations, ..ticket };
        match self.running.tell_one(of_run, value) {
            Ok(0) => self.generation_told(Ok(()), planner).map(|()| 0),
            Ok(missing) => Ok(missing),
            Err(TellError::Twice { value, .. }) => Err(TellError::Twice { ticket, value }.into()),
            Err(error) => self.generation_told(Err(error), planner).map(|()| 0),
        }
    }

    /// Ends the generation with the values told so far.
    pub(crate) fn finish(&mut self, missing: Missing, planner: Planner<'_>) -> Result<(), SearchError> {
        self.check_going_on()?;
        let told = self.running.finish(missing);
        self.generation_told(told, planner)
    }

    /// Takes the values of the asked candidates.
    pub(crate) fn tell(&mut self, values: &[f64], planner: Planner<'_>) -> Result<(), SearchError> {
        self.check_going_on()?;
        let told = self.running.tell(values);
        self.generation_told(told, planner)
    }

    fn check_going_on(&self) -> Result<(), SearchError> {
        if self.stop.is_some() { Err(SearchError::Over) } else { Ok(()) }
    }

    /// Continues after the current run has taken, or refused, the values of a generation.
    fn generation_told(&mut self, told: Result<(), TellError>, planner: Planner<'_>) -> Result<(), SearchError> {
        match told {
            Ok(()) | Err(TellError::Update(_)) => {}
            Err(error) => return Err(error.into()),
        }
        self.note_course();
        self.end_generation(None, &mut [], planner)
    }

    /// Adds the best value of the current run to its course.
    fn note_course(&mut self) {
        if let Some(best) = self.running.best() {
            self.course.add(self.running.evaluations(), best.value);
        }
    }

    /// Checks whether the search or the run is over, and starts the next run in the latter case.
    fn end_generation(
        &mut self,
        own_reason: Option<String>,
        observers: &mut [&mut dyn Observer],
        planner: Planner<'_>,
    ) -> Result<(), SearchError> {
        let own = || own_reason.map(|reason| SearchStop::User { reason });
        let Some(over) = self.target_or_budget().or_else(own) else {
            return match self.running.stop() {
                Some(stop) => {
                    self.finish_run(stop, observers);
                    self.restart(planner)
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
        self.stop = Some(over);
        Ok(())
    }

    fn target_or_budget(&self) -> Option<SearchStop> {
        let budgets = &self.config.budgets;
        if let Some((target, best)) =
            budgets.target.zip(self.best_of_all()).filter(|(target, best)| best.value <= *target)
        {
            return Some(SearchStop::Target { best: best.value, target });
        }
        let evaluations = self.evaluations();
        if let Some(budget) = budgets.evaluations.filter(|budget| evaluations >= *budget) {
            return Some(SearchStop::Evaluations { evaluations, budget });
        }
        let (budget, elapsed) = (budgets.time?, self.clock.elapsed());
        (elapsed >= budget).then_some(SearchStop::Time { elapsed, budget })
    }

    fn finish_run(&mut self, stop: Stop, observers: &mut [&mut dyn Observer]) {
        self.running.show(Some(&stop), observers);
        let Self { plan, start, running, course, .. } = &*self;
        let (best, evaluations) = (running.best(), running.evaluations());
        let mut summary = RunSummary {
            plan: plan.clone(),
            start: start.clone(),
            evaluations,
            iterations: running.iterations(),
            best_value: best.map_or(f64::INFINITY, |best| best.value),
            best_point: best.map(|best| best.point.to_vec()),
            best_evaluation: best.map(|best| best.evaluation),
            mean: best.map_or(&start[..], |best| best.point).to_vec(),
            sigma: 0.0,
            deviations: vec![0.0; self.config.search_dimension()],
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
        self.finished.push(summary);
    }

    fn restart(&mut self, planner: Planner<'_>) -> Result<(), SearchError> {
        let runs = self.finished.len();
        if self.config.budgets.runs.is_some_and(|limit| runs >= limit) {
            self.stop = Some(SearchStop::Runs { runs });
            return Ok(());
        }
        let mut before = self.before.clone();
        before.add(&self.finished[runs - 1]);
        let mut streams = planner.streams.clone();
        let n = self.config.search_dimension();
        let Self { config, lambda, finished, .. } = &*self;
        let past = Past::new(n, *lambda, config.sigma, finished).with_settings(&config.settings);
        let Some(plan) = planner.policy.next(&past, &mut || uniform(&mut streams.plan)) else {
            self.stop = Some(SearchStop::PolicyDone { runs });
            return Ok(());
        };
        match begin::<S>(&self.config, &self.strategy_options, plan, runs, before.best.as_ref(), &mut streams) {
            Ok(Begun { plan, start, running }) => {
                (self.before, self.plan, self.start, self.running) = (before, plan, start, running);
                self.course = Course::new();
                *planner.streams = streams.next();
                Ok(())
            }
            Err(error) => {
                self.stop = Some(SearchStop::CannotStart { reason: error.to_string() });
                Err(error)
            }
        }
    }

    /// Ends a generation that an objective has evaluated.
    pub(crate) fn end_step<E>(&mut self, evaluated: Result<(), E>, missing: Missing) -> Result<(), Interrupted<E>> {
        self.running.end_step(evaluated, missing)?;
        self.note_course();
        Ok(())
    }

    /// Shows an evaluated generation to the observers and to the custom criterion, and continues after it.
    pub(crate) fn show_and_continue(
        &mut self,
        observers: &mut [&mut dyn Observer],
        criterion: &mut Criterion<'_>,
        planner: Planner<'_>,
    ) {
        self.running.show(None, observers);
        let own_reason = criterion(&self.view());
        // A run that cannot start ends the search; the outcome has the reason.
        let _ = self.end_generation(own_reason, observers, planner);
    }

    fn view(&self) -> SearchView<'_> {
        SearchView {
            run: self.finished.len(),
            plan: &self.plan,
            past: &self.finished,
            evaluations: self.evaluations(),
            best_value: self.best_of_all().map_or(f64::INFINITY, |best| best.value),
            of_run: self.optimizer().map(Optimizer::view),
            of_probe: self.probe().map(Probe::view),
        }
    }

    /// Returns what was found; `None` until the search is over.
    pub(crate) fn outcome(&self, resumed_at: Option<u64>) -> Option<SearchOutcome> {
        let stop = self.stop.clone()?;
        let runs = self.finished.clone();
        let best = self.best_of_all();
        let best_run = best.map(|best| best.run);
        // The run that found the best point; without any value, the last run is as good as the others.
        let run = best_run.and_then(|run| runs.get(run)).or(runs.last())?;
        let (mean, deviations) = (run.mean.clone(), run.deviations.clone());
        let (point, value) = match best {
            Some(best) => (best.point.to_vec(), best.value),
            None => (mean.clone(), f64::NAN),
        };
        let evaluations = self.evaluations();
        let variables = self.config.variables.clone();
        Some(SearchOutcome { point, value, mean, deviations, best_run, evaluations, resumed_at, runs, variables, stop })
    }

    /// Changes the budget of evaluations.
    pub(crate) fn set_max_evaluations(&mut self, budget: u64, planner: Planner<'_>) -> Result<(), SearchError> {
        if budget == 0 {
            return Err(SearchError::EmptyBudget { of: "evaluations" });
        }
        self.set_budgets(Budgets { evaluations: Some(budget), ..self.config.budgets.clone() }, planner)
    }

    /// Changes the budgets. A search that had used up the old ones continues, and one that has used up the new ones is over, even in the
    /// middle of a generation.
    pub(crate) fn set_budgets(&mut self, budgets: Budgets, planner: Planner<'_>) -> Result<(), SearchError> {
        self.clock.run(budgets.time.is_some());
        self.config.budgets = budgets;
        let over = self.target_or_budget();
        match self.stop {
            None if over.is_some() => self.end_generation(None, &mut [], planner),
            Some(SearchStop::Evaluations { .. } | SearchStop::Time { .. }) => self.continue_cut_run(planner),
            Some(SearchStop::Runs { .. }) => {
                self.stop = over;
                if self.stop.is_none() { self.restart(planner) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// Continues the run that was cut off by the end of the search, unless the search is still over.
    pub(crate) fn continue_cut_run(&mut self, planner: Planner<'_>) -> Result<(), SearchError> {
        self.stop = None;
        self.finished.pop(); // it is not over
        self.end_generation(None, &mut [], planner)
    }

    /// Returns the best point of all runs, including those of an incomplete generation; `None` if all values were NaN.
    pub(crate) fn best_of_all(&self) -> Option<SearchBest<'_>> {
        let known = self.before.best.as_ref();
        if let Some(best) = self.running.best().filter(|best| known.is_none_or(|known| best.value < known.value)) {
            let evaluation = self.before.evaluations + best.evaluation;
            return Some(SearchBest { point: best.point, value: best.value, run: self.past_runs(), evaluation });
        }
        let BestSoFar { point, value, run, evaluation } = known?;
        Some(SearchBest { point, value: *value, run: *run, evaluation: *evaluation })
    }

    /// Returns the number of function values told in all runs.
    pub(crate) fn evaluations(&self) -> u64 {
        self.before.evaluations + self.running.evaluations()
    }

    /// Returns the current run; `None` during a probe.
    pub(crate) fn optimizer(&self) -> Option<&Optimizer<S>> {
        match &self.running {
            Running::Run(run) => Some(run),
            Running::Probe(_) => None,
        }
    }

    /// Returns the current probe along the axes; `None` during a run.
    pub(crate) fn probe(&self) -> Option<&Probe> {
        match &self.running {
            Running::Run(_) => None,
            Running::Probe(probe) => Some(probe),
        }
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
