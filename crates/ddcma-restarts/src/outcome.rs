//! The outcome of a search: what it found, and why it ended.

use std::fmt;

use ddcma_core::{Labeled, Stop, Variables, View};

use crate::{RunPlan, RunSummary};

/// What finished runs add up to. It follows from their summaries, so a checkpoint does not store it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) evaluations: u64,
    pub(crate) generations: u64,
    pub(crate) best: Option<BestSoFar>,
    runs: usize,
}

impl Totals {
    /// Adds the next run. Of equal values, the first one is the best.
    pub(crate) fn add(&mut self, run: &RunSummary) {
        let best = run.best_point.as_ref().zip(run.best_evaluation);
        let (value, known) = (run.best_value, self.best.as_ref());
        if let Some((point, of_run)) = best.filter(|_| known.is_none_or(|known| value < known.value)) {
            let evaluation = self.evaluations + of_run;
            self.best = Some(BestSoFar { point: point.clone(), value, run: self.runs, evaluation });
        }
        self.evaluations += run.evaluations;
        self.generations += run.iterations;
        self.runs += 1;
    }
}

/// The best point of finished runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BestSoFar {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) run: usize,
    pub(crate) evaluation: u64,
}

/// The best candidate of all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SearchBest<'a> {
    /// The point.
    pub point: &'a [f64],
    /// Its function value.
    pub value: f64,
    /// The run that found it, from 0.
    pub run: usize,
    /// The number of its evaluation, counted from 1 over all runs.
    pub evaluation: u64,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SearchOutcome {
    /// The best point of all runs; the last mean if all values were NaN.
    pub point: Vec<f64>,
    /// Its value; NaN if all values were NaN.
    pub value: f64,
    /// The final mean of the run that found the point: often the better estimate if function values are noisy. For a probe, the point
    /// itself.
    pub mean: Vec<f64>,
    /// The final standard deviations of that run, for the free variables and on their scale; 0 for a probe.
    pub deviations: Vec<f64>,
    /// The number of that run, from 0; `None` if all values were NaN.
    pub best_run: Option<usize>,
    /// The number of evaluations of all runs.
    pub evaluations: u64,
    /// The number of evaluations in the autosave file from which the search continued; `None` for a new search.
    pub resumed_at: Option<u64>,
    /// The runs, in order.
    pub runs: Vec<RunSummary>,
    /// The variables of the search, if it has any: their names are part of the outcome's text.
    pub variables: Option<Variables>,
    /// The reason why the search ended.
    pub stop: Stop,
}

/// Shows the value, the point, the number of evaluations (and how many of them are from a file), the reason why the search ended, and one
/// line per run.
impl fmt::Display for SearchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point, value, evaluations, resumed_at, runs, variables, stop, best_run, .. } = self;
        writeln!(f, "f = {value:e}")?;
        writeln!(f, "{}", Labeled(point, variables.as_ref()))?;
        writeln!(f, "{evaluations} evaluations in {} runs", runs.len())?;
        if let Some(earlier) = resumed_at {
            writeln!(f, "continued from a file with {earlier} of these evaluations")?;
        }
        writeln!(f, "stopped by {stop}")?;
        if let Stop::PolicyDone { .. } = stop {
            writeln!(
                f,
                "neither a target nor a budget ended the search: to end it earlier, set a target that it can reach, or a smaller budget"
            )?;
        }
        // There is a column for the strategy only if a policy planned one.
        let named = runs.iter().any(|run| run.plan.strategy.is_some());
        let strategy = |name: &str| if named { format!(" {name:<8}") } else { String::new() };
        let column = strategy("strategy");
        write!(f, "{:>4}  {:<6}{column} {:>8} {:>12}  {:<24} stop", "run", "regime", "λ", "evaluations", "best f")?;
        for (k, run) in runs.iter().enumerate() {
            let RunSummary { plan, evaluations, best_value, stop, .. } = run;
            let (regime, lambda) = (plan.regime.name(), plan.lambda);
            let mark = if *best_run == Some(k) { "*" } else { "" };
            let best = format!("{best_value:e}{mark}");
            let column = strategy(plan.strategy.as_deref().unwrap_or("–"));
            write!(f, "\n{k:>4}  {regime:<6}{column} {lambda:>8} {evaluations:>12}  {best:<24} {}", stop.name())?;
        }
        Ok(())
    }
}

/// A view of a search in the middle of a run, for custom stop criteria.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchView<'a> {
    /// The number of the run, from 0.
    pub run: usize,
    /// The plan of the run.
    pub plan: &'a RunPlan,
    /// The earlier runs.
    pub past: &'a [RunSummary],
    /// The number of function values told in all runs.
    pub evaluations: u64,
    /// The best value of all runs; +∞ while there is none.
    pub best_value: f64,
    /// The current run, or the current probe, with its own evaluations and best value.
    pub current: View<'a>,
}
