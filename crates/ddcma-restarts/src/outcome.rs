//! The outcome of a search: what it found, and why it ended.

use std::fmt;
use std::time::Duration;

use ddcma_core::{Labeled, Number, PointsView, Variables, View};

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

/// The reason why a search ended, with its numbers.
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
    /// The budget of evaluations is used up.
    Evaluations {
        /// The number of evaluations made.
        evaluations: u64,
        /// The budget.
        budget: u64,
    },
    /// The time budget is used up.
    Time {
        /// The elapsed time.
        elapsed: Duration,
        /// The budget.
        budget: Duration,
    },
    /// The maximum number of runs was made.
    Runs {
        /// The number of runs made.
        runs: usize,
    },
    /// The policy plans no further run.
    PolicyDone {
        /// The number of runs made.
        runs: usize,
    },
    /// A custom criterion ended the search.
    User {
        /// Its reason.
        reason: String,
    },
    /// The next run could not start as planned. [`Search::tell`](crate::Search::tell) returned the error itself.
    CannotStart {
        /// The run, and why it could not start.
        reason: String,
    },
}

impl SearchStop {
    /// Returns the name of the criterion, for tables and files.
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
            Self::Target { best, target } => {
                write!(f, "the best value {} is at most {}", Number::beside(*best, *target), Number(*target))
            }
            Self::Evaluations { evaluations, budget } if evaluations > budget => {
                write!(f, "{evaluations} evaluations made, budget {budget}: a generation that has begun is completed")
            }
            Self::Evaluations { evaluations, budget } => write!(f, "{evaluations} of {budget} evaluations made"),
            Self::Time { elapsed, budget } => write!(f, "{elapsed:.2?} of {budget:?} passed"),
            Self::Runs { runs } => write!(f, "{runs} runs made"),
            Self::PolicyDone { runs } => write!(f, "the policy plans no more runs after {runs}"),
            Self::User { reason } => f.write_str(reason),
            Self::CannotStart { reason } => f.write_str(reason),
        }
    }
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
    pub stop: SearchStop,
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
        if let SearchStop::PolicyDone { .. } = stop {
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
    /// The current run, with its own evaluations and best value; `None` during a probe.
    pub of_run: Option<View<'a>>,
    /// The current probe; `None` during a run.
    pub of_probe: Option<PointsView<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_round_what_was_computed_and_keep_what_was_set() {
        let stop = SearchStop::Target { best: 1.0 / 30.0, target: 0.123_456_789 };
        assert_eq!(stop.to_string(), "target: the best value 0.03333 is at most 0.123456789");
        let stop = SearchStop::Time { elapsed: Duration::from_nanos(2_001_234_567), budget: Duration::from_secs(2) };
        assert_eq!(stop.to_string(), "time: 2.00s of 2s passed");
    }

    #[test]
    fn evaluations_beyond_the_budget_are_explained_as_in_a_run() {
        for (evaluations, expected) in [
            (50, "evaluations: 50 of 50 evaluations made"),
            (56, "evaluations: 56 evaluations made, budget 50: a generation that has begun is completed"),
        ] {
            assert_eq!(SearchStop::Evaluations { evaluations, budget: 50 }.to_string(), expected);
            assert_eq!(ddcma_core::Stop::Evaluations { evaluations, budget: 50 }.to_string(), expected);
        }
    }
}
