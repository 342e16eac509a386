//! The driver: executes the runs that a policy plans, one after the other, with one budget.
//!
//! The policy decides what to run next; the optimizer or the probe does the run. What changes in between is in `state.rs`.

use ddcma_core::{
    AwaitsValues, Columns, Interrupted, Missing, Objective, Observer, OpenGeneration, Optimizer, Saver, Strategy,
    TellError, Ticket,
};

use crate::builder::Criterion;
use crate::config::Config;
use crate::state::{Planner, State};
use crate::streams::Streams;
use crate::{Policy, Probe, RunPlan, RunSummary, SearchBest, SearchError, SearchOutcome, SearchStop, SearchView};

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

impl<S: Strategy, P: Policy> Search<S, P> {
    pub(crate) fn start(policy: P, config: Config, strategy_options: S::Options) -> Result<Self, SearchError> {
        let (state, streams) = State::start(&policy, config, strategy_options)?;
        Ok(Self { policy, state, streams, saver: Saver::default() })
    }

    /// Lends the state, and what plans its next run.
    pub(crate) fn parts(&mut self) -> (&mut State<S>, Planner<'_>) {
        let Self { policy, state, streams, .. } = self;
        (state, Planner { policy, streams })
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
        self.state.ask_missing()
    }

    /// Takes the value of one candidate, in any order, and returns how many are still missing. The last one completes the generation, as
    /// if all values had been [told](Self::tell) at once.
    pub fn tell_one(&mut self, ticket: Ticket, value: f64) -> Result<usize, SearchError> {
        let (state, planner) = self.parts();
        state.tell_one(ticket, value, planner)
    }

    /// Ends the generation with the values told so far: see [`Optimizer::finish`].
    pub fn finish(&mut self, missing: Missing) -> Result<(), SearchError> {
        let (state, planner) = self.parts();
        state.finish(missing, planner)
    }

    /// Takes the function values of the asked candidates, and starts the next run if this one is over.
    ///
    /// A failed update of the distribution ends the run, not the search. If the next run cannot start, the values are taken, the search
    /// is over, and the error is returned. A search that is over takes no values.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), SearchError> {
        let (state, planner) = self.parts();
        state.tell(values, planner)
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
        self.run_any(&mut objective, observers, criterion)
    }

    /// The loop, which is compiled once for all objectives with the same type of error.
    pub(crate) fn run_any<E>(
        &mut self,
        objective: &mut dyn Objective<Error = E>,
        observers: &mut [&mut dyn Observer],
        criterion: &mut Criterion<'_>,
    ) -> Result<SearchOutcome, Interrupted<E>> {
        loop {
            if let Some(outcome) = self.outcome() {
                self.save_at_end()?;
                return Ok(outcome);
            }
            self.step(objective)?;
            let (state, planner) = self.parts();
            state.show_and_continue(observers, criterion, planner);
            self.save_after_generation()?;
        }
    }

    /// Evaluates one generation of the current run.
    fn step<E>(&mut self, objective: &mut dyn Objective<Error = E>) -> Result<(), Interrupted<E>> {
        self.state.running.ask();
        let mut generation = OpenGeneration::new(self);
        let evaluated = objective.evaluate(&mut generation);
        let missing = generation.into_early_end();
        let ended = self.state.end_step(evaluated, missing);
        if ended.is_err() {
            self.save_now(); // the first error is the one to report
        }
        ended
    }

    /// Returns what was found; `None` until the search is over.
    pub fn outcome(&self) -> Option<SearchOutcome> {
        self.state.outcome(self.saver.resumed_at())
    }

    /// Changes the budget of evaluations for all runs together. A search that had used up the old budget continues where it ended, in the
    /// middle of a run, as if the budget had been the new one from the start.
    pub fn set_max_evaluations(&mut self, budget: u64) -> Result<(), SearchError> {
        let (state, planner) = self.parts();
        state.set_max_evaluations(budget, planner)
    }

    /// Returns the reason why the search is over; `None` until then.
    pub fn stop(&self) -> Option<&SearchStop> {
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
}

impl<S: Strategy, P> Search<S, P> {
    ddcma_core::save_on_occasion!();
}

impl<S: Strategy, P> AwaitsValues for Search<S, P> {
    fn points(&self) -> &Columns {
        self.state.running.points()
    }

    fn generation(&self) -> u64 {
        self.state.generation()
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
