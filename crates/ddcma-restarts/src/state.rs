//! The state of a search, and how it changes: from one generation to the next, and from one run to the next.
//!
//! Nothing here depends on the type of the policy or of the objective, so all of it is compiled once per strategy.

use ddcma_core::{Clock, Missing, Optimizer, Pending, Stop, Strategy, TellError, Ticket, Told, View, With};

use crate::begin::{StartedRun, begin};
use crate::config::Config;
use crate::course::Course;
use crate::outcome::{BestSoFar, Totals};
use crate::running::Running;
use crate::streams::{Streams, uniform};
use crate::{Past, Policy, Probe, RunPlan, RunSummary, SearchBest, SearchError, SearchOutcome, SearchView};

/// The state of a search, except for its policy and the options of its strategy.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize), serde(bound = ""))]
pub(crate) struct State<S: Strategy> {
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
    pub(crate) stop: Option<Stop>,
    pub(crate) clock: Clock,
}

/// What the next run is planned with.
pub(crate) struct Planner<'a, S: Strategy> {
    pub(crate) policy: &'a dyn Policy,
    pub(crate) strategy_options: &'a S::Options,
    /// The random streams of the next run; planning it moves them to the run after it.
    pub(crate) streams: &'a mut Streams,
}

impl<S: Strategy> State<S> {
    /// Starts the first run, and returns the random streams of the second.
    pub(crate) fn start(
        policy: &dyn Policy,
        config: Config,
        strategy_options: &S::Options,
    ) -> Result<(Self, Streams), SearchError> {
        config.check_for(policy)?;
        let n = config.search_dimension();
        let settings = config.options.settings_of_run();
        let params = settings.params(n);
        let params = params.map_err(|error| SearchError::Start { run: 0, error: error.into() })?;
        let lambda = params.lambda();
        let mut streams = Streams::first(config.seed());
        let past = Past::new(n, lambda, config.sigma, &[]).with_settings(&settings);
        let plan = policy.next(&past, &mut || uniform(&mut streams.plan));
        let plan = plan.ok_or(SearchError::NothingPlanned { policy: policy.name() })?;
        let StartedRun { plan, start, running } = begin::<S>(&config, strategy_options, plan, 0, None, &mut streams)?;
        let mut clock = Clock::default();
        clock.run(config.options.max_time.is_some());
        let state = Self {
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

    /// Returns the number of the generation, counted over all runs.
    pub(crate) fn generation(&self) -> u64 {
        self.before.generations + self.running.iterations()
    }

    pub(crate) fn pending(&self) -> Pending<'_> {
        self.running.get().pending().after(self.before.generations)
    }

    pub(crate) fn check_going_on(&self) -> Result<(), TellError> {
        if self.stop.is_some() { Err(TellError::Over) } else { Ok(()) }
    }

    /// Takes what is told about one candidate.
    pub(crate) fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.check_going_on()?;
        let generation = self.generation();
        if ticket.generation < generation {
            return Err(TellError::Late { ticket, generation });
        }
        let of_run = Ticket { generation: ticket.generation - self.before.generations, ..ticket };
        self.running.get_mut().take(of_run, told).map_err(|error| match error {
            TellError::Twice { value, .. } => TellError::Twice { ticket, value },
            error => error,
        })
    }

    /// Ends the generation of the current run.
    pub(crate) fn finish(&mut self, missing: Missing) -> Result<(), TellError> {
        self.check_going_on()?;
        self.running.get_mut().finish(missing, &mut With::new())?;
        self.note_course();
        Ok(())
    }

    /// Adds the best value of the current run to its course.
    fn note_course(&mut self) {
        let run = self.running.get();
        if let Some(best) = run.best() {
            self.course.add(run.evaluations(), best.value);
        }
    }

    /// Checks whether the search or the run is over, and starts the next run in the latter case.
    pub(crate) fn end_generation(
        &mut self,
        own_reason: Option<String>,
        with: &mut With<'_>,
        planner: Planner<'_, S>,
    ) -> Result<(), SearchError> {
        let own = || own_reason.map(|reason| Stop::User { reason });
        let Some(over) = self.target_or_budget().or_else(own) else {
            return match self.running.get().stop() {
                Some(stop) => {
                    self.finish_run(stop, with);
                    self.restart(planner)
                }
                None => Ok(()),
            };
        };
        self.finish_run(over.clone(), with);
        self.stop = Some(over);
        Ok(())
    }

    fn target_or_budget(&self) -> Option<Stop> {
        let target = self.config.target().zip(self.best_of_all());
        if let Some((target, best)) = target.filter(|(target, best)| best.value <= *target) {
            return Some(Stop::Target { best: best.value, target });
        }
        let evaluations = self.evaluations();
        if let Some(budget) = self.config.options.max_evaluations.filter(|budget| evaluations >= *budget) {
            return Some(Stop::Evaluations { evaluations, budget });
        }
        let (budget, elapsed) = (self.config.options.max_time?, self.clock.elapsed());
        (elapsed >= budget).then_some(Stop::Time { elapsed, budget })
    }

    fn finish_run(&mut self, stop: Stop, with: &mut With<'_>) {
        let Self { plan, start, running, course, .. } = &*self;
        let view = running.get().view();
        with.finished(&view, &stop);
        let View { best, evaluations, .. } = view;
        let mut summary = RunSummary {
            plan: plan.clone(),
            start: start.clone(),
            evaluations,
            iterations: view.iterations,
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
            summary.mean = view.mean.to_vec();
            summary.sigma = view.sigma;
            summary.deviations = run.deviations().collect();
            summary.condition = condition(view.axes.shortest, view.axes.longest);
            summary.d_ratio = ratio(view.d);
        }
        self.finished.push(summary);
    }

    fn restart(&mut self, planner: Planner<'_, S>) -> Result<(), SearchError> {
        let runs = self.finished.len();
        if self.config.max_runs.is_some_and(|limit| runs >= limit) {
            self.stop = Some(Stop::Runs { runs });
            return Ok(());
        }
        let mut before = self.before.clone();
        before.add(&self.finished[runs - 1]);
        let mut streams = planner.streams.clone();
        let n = self.config.search_dimension();
        let Self { config, lambda, finished, .. } = &*self;
        let settings = config.options.settings_of_run();
        let past = Past::new(n, *lambda, config.sigma, finished).with_settings(&settings);
        let Some(plan) = planner.policy.next(&past, &mut || uniform(&mut streams.plan)) else {
            self.stop = Some(Stop::PolicyDone { runs });
            return Ok(());
        };
        match begin::<S>(&self.config, planner.strategy_options, plan, runs, before.best.as_ref(), &mut streams) {
            Ok(StartedRun { plan, start, running }) => {
                (self.before, self.plan, self.start, self.running) = (before, plan, start, running);
                self.course = Course::new();
                *planner.streams = streams.next();
                Ok(())
            }
            Err(error) => {
                self.stop = Some(Stop::CannotStart { reason: error.to_string() });
                Err(error)
            }
        }
    }

    pub(crate) fn search_view(&self) -> SearchView<'_> {
        SearchView {
            run: self.past_runs(),
            plan: &self.plan,
            past: &self.finished[..self.past_runs()],
            evaluations: self.evaluations(),
            best_value: self.best_of_all().map_or(f64::INFINITY, |best| best.value),
            current: self.running.get().view(),
        }
    }

    /// Returns what was found; `None` until the search is over.
    pub(crate) fn outcome(&self) -> Option<SearchOutcome> {
        self.stop.clone().map(|stop| self.found(stop))
    }

    /// Ends a search that was driven to its end. A criterion may have ended the drive without a generation, when the search continued.
    pub(crate) fn end(&mut self, stop: Stop) -> SearchOutcome {
        if self.stop.is_none() {
            self.finish_run(stop.clone(), &mut With::new());
            self.stop = Some(stop.clone());
        }
        self.found(stop)
    }

    /// Returns what was found so far.
    fn found(&self, stop: Stop) -> SearchOutcome {
        let runs = self.finished.clone();
        let best = self.best_of_all();
        let best_run = best.map(|best| best.run);
        // The run that found the best point; without any value, the last run is as good as the others.
        let run = best_run.and_then(|run| runs.get(run)).or(runs.last());
        let (mean, deviations) = match run {
            Some(run) => (run.mean.clone(), run.deviations.clone()),
            None => (self.start.clone(), Vec::new()),
        };
        let (point, value) = match best {
            Some(best) => (best.point.to_vec(), best.value),
            None => (mean.clone(), f64::NAN),
        };
        let (evaluations, variables) = (self.evaluations(), self.config.options.variables.clone());
        SearchOutcome { point, value, mean, deviations, best_run, evaluations, resumed_at: None, runs, variables, stop }
    }

    /// Changes the budget of evaluations.
    pub(crate) fn set_max_evaluations(&mut self, budget: u64, planner: Planner<'_, S>) -> Result<(), SearchError> {
        if budget == 0 {
            return Err(SearchError::EmptyBudget { of: "evaluations" });
        }
        self.config.options.max_evaluations = Some(budget);
        self.continue_with_budgets(planner)
    }

    /// Continues after a change of the budgets. A search that had used up the old ones continues, and one that has used up the new ones is
    /// over, even in the middle of a generation.
    pub(crate) fn continue_with_budgets(&mut self, planner: Planner<'_, S>) -> Result<(), SearchError> {
        self.clock.run(self.config.options.max_time.is_some());
        let over = self.target_or_budget();
        match self.stop {
            None if over.is_some() => self.end_generation(None, &mut With::new(), planner),
            Some(Stop::Evaluations { .. } | Stop::Time { .. }) => self.continue_cut_run(planner),
            Some(Stop::Runs { .. }) => {
                self.stop = over;
                if self.stop.is_none() { self.restart(planner) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// Continues the run that was cut off by the end of the search, unless the search is still over.
    pub(crate) fn continue_cut_run(&mut self, planner: Planner<'_, S>) -> Result<(), SearchError> {
        self.stop = None;
        self.finished.pop(); // it is not over
        self.end_generation(None, &mut With::new(), planner)
    }

    /// Returns the best point of all runs, including those of an incomplete generation; `None` if all values were NaN.
    pub(crate) fn best_of_all(&self) -> Option<SearchBest<'_>> {
        let known = self.before.best.as_ref();
        if let Some(best) = self.running.get().best().filter(|best| known.is_none_or(|known| best.value < known.value))
        {
            let evaluation = self.before.evaluations + best.evaluation;
            return Some(SearchBest { point: best.point, value: best.value, run: self.past_runs(), evaluation });
        }
        let BestSoFar { point, value, run, evaluation } = known?;
        Some(SearchBest { point, value: *value, run: *run, evaluation: *evaluation })
    }

    /// Returns the number of function values told in all runs.
    pub(crate) fn evaluations(&self) -> u64 {
        self.before.evaluations + self.running.get().evaluations()
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
