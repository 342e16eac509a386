//! A search as a [`Run`]: it executes the runs that a policy plans, one after the other, with one budget.
//!
//! The policy decides what to run next; the optimizer or the probe does the run. What changes in between is in `state.rs`.

#[cfg(feature = "checkpoint")]
use ddcma_core::CheckpointError;
use ddcma_core::{
    Best, Columns, Interrupted, Missing, Objective, Optimizer, Origin, Pending, Run, Stop, Strategy, TellError, Ticket,
    Told, View, With, drive,
};

use crate::config::Config;
use crate::state::{Planner, State};
use crate::streams::Streams;
use crate::{Policy, Probe, RunPlan, RunSummary, SearchBest, SearchError, SearchOutcome, SearchView};

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
    pub(crate) strategy_options: S::Options,
    pub(crate) state: State<S>,
    /// The random streams of the next run, which are determined by the seed and the number of runs.
    pub(crate) streams: Streams,
    pub(crate) origin: Origin,
}

impl<S: Strategy, P: Policy> Search<S, P> {
    pub(crate) fn start(policy: P, config: Config, strategy_options: S::Options) -> Result<Self, SearchError> {
        let origin = config.origin::<S>(&policy, &strategy_options);
        let (state, streams) = State::start(&policy, config, &strategy_options)?;
        Ok(Self { policy, strategy_options, state, streams, origin })
    }

    /// Lends the state, and what plans its next run.
    pub(crate) fn with_planner(&mut self) -> (&mut State<S>, Planner<'_, S>) {
        let Self { policy, strategy_options, state, streams, .. } = self;
        (state, Planner { policy, strategy_options, streams })
    }

    /// Returns the candidates of this generation, one per column: as many as the current run asks for.
    ///
    /// Until their values are told, asking again returns the same points.
    pub fn ask(&mut self) -> &Columns {
        self.open();
        self.pending().points()
    }

    /// Returns the candidates of this generation that still have no value, with their tickets: see
    /// [`Optimizer::ask_missing`]. Generations are counted over all runs.
    pub fn ask_missing(&mut self) -> impl Iterator<Item = (Ticket, &[f64])> {
        self.open();
        self.pending().jobs()
    }

    /// Returns the generation that is waiting for values; without candidates before [`ask`](Self::ask).
    pub fn pending(&self) -> Pending<'_> {
        self.state.pending()
    }

    /// Takes the value of one candidate, in any order, and returns how many are still missing. The last one completes the generation, as
    /// if all values had been [told](Self::tell) at once.
    pub fn tell_one(&mut self, ticket: Ticket, value: f64) -> Result<usize, SearchError> {
        self.take(ticket, value.into())?;
        let missing = self.pending().lambda() - self.pending().told();
        if missing == 0 {
            self.finish(Missing::RankLast)?;
        }
        Ok(missing)
    }

    /// Ends the generation with the values told so far: see [`Optimizer::finish`].
    pub fn finish(&mut self, missing: Missing) -> Result<(), SearchError> {
        self.end_generation(missing, &mut With::new())
    }

    /// Takes the function values of the asked candidates, and starts the next run if this one is over.
    ///
    /// A failed update of the distribution ends the run, not the search. If the next run cannot start, the values are taken, the search
    /// is over, and the error is returned. A search that is over takes no values.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), SearchError> {
        self.state.check_going_on()?;
        let (lambda, told, got) = (self.pending().lambda(), self.pending().told(), values.len());
        if lambda == 0 {
            return Err(TellError::NotAsked.into());
        }
        if told > 0 {
            return Err(TellError::PartlyTold { told, lambda }.into());
        }
        if got != lambda {
            return Err(TellError::WrongCount { expected: lambda, got }.into());
        }
        for (index, value) in values.iter().enumerate() {
            self.take(self.pending().ticket(index), (*value).into())?;
        }
        self.finish(Missing::RankLast)
    }

    /// Ends the generation, shows it, and starts the next run if this one is over.
    fn end_generation(&mut self, missing: Missing, with: &mut With<'_>) -> Result<(), SearchError> {
        self.state.finish(missing)?;
        with.show(self);
        let reason = with.take_reason();
        let (state, planner) = self.with_planner();
        state.end_generation(reason, with, planner)
    }

    /// Asks, evaluates and tells until the search is over.
    pub fn run<O: Objective>(&mut self, objective: O) -> Result<SearchOutcome, Interrupted<O::Error>> {
        self.run_with(objective, &mut With::new())
    }

    /// [Runs](Self::run) with observers, a custom stop criterion, or an autosave.
    ///
    /// Observers see every generation and the end of every run, as the run sees it. A run that cannot start ends the search; the outcome
    /// has the reason.
    pub fn run_with<O: Objective>(
        &mut self,
        mut objective: O,
        with: &mut With<'_>,
    ) -> Result<SearchOutcome, Interrupted<O::Error>> {
        let stop = drive(self, &mut objective, with)?;
        Ok(SearchOutcome { resumed_at: with.resumed_at(), ..self.state.end(stop) })
    }

    /// Returns what was found; `None` until the search is over.
    pub fn outcome(&self) -> Option<SearchOutcome> {
        self.state.outcome()
    }

    /// Changes the budget of evaluations for all runs together. A search that had used up the old budget continues where it ended, in the
    /// middle of a run, as if the budget had been the new one from the start.
    pub fn set_max_evaluations(&mut self, budget: u64) -> Result<(), SearchError> {
        let (state, planner) = self.with_planner();
        state.set_max_evaluations(budget, planner)
    }

    /// Returns the reason why the search is over; `None` until then.
    pub fn stop(&self) -> Option<&Stop> {
        self.state.stop.as_ref()
    }

    /// Returns the best point of all runs, including those of an incomplete generation; `None` if all values were NaN.
    pub fn best(&self) -> Option<SearchBest<'_>> {
        self.state.best_of_all()
    }

    /// Returns the number of function values told in all runs.
    pub fn evaluations(&self) -> u64 {
        self.state.evaluations()
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
        self.state.optimizer()
    }

    /// Returns the current probe along the axes; `None` during a run.
    pub fn probe(&self) -> Option<&Probe> {
        self.state.probe()
    }

    /// Returns what a custom stop criterion sees.
    pub fn search_view(&self) -> SearchView<'_> {
        self.state.search_view()
    }
}

impl<S: Strategy, P: Policy> Run for Search<S, P> {
    /// A search that is over opens no generation.
    fn open(&mut self) {
        if self.state.stop.is_none() {
            self.state.running.get_mut().open();
        }
    }

    fn pending(&self) -> Pending<'_> {
        self.pending()
    }

    fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.state.take(ticket, told)
    }

    fn finish(&mut self, missing: Missing, with: &mut With<'_>) -> Result<(), TellError> {
        match self.end_generation(missing, with) {
            Err(SearchError::Tell(error)) => Err(error),
            // A run that cannot start ends the search; the outcome has the reason.
            _ => Ok(()),
        }
    }

    fn stop(&self) -> Option<Stop> {
        self.stop().cloned()
    }

    fn best(&self) -> Option<Best<'_>> {
        let SearchBest { point, value, evaluation, .. } = self.best()?;
        Some(Best { point, value, evaluation })
    }

    fn evaluations(&self) -> u64 {
        self.evaluations()
    }

    /// The view of the current run.
    fn view(&self) -> View<'_> {
        self.state.running.get().view()
    }

    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    #[cfg(feature = "checkpoint")]
    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        self.store(None)
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.continue_from(bytes)
    }
}
