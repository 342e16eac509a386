//! What a search found and why it ended. Knows no way how.

use std::fmt;
use std::time::Duration;

use ddcma_core::{Point, PointsView, View};

use crate::{RunPlan, RunSummary};

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
pub struct SearchBest<'a> {
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
    /// The next run could not be started as planned. [`Search::tell`](crate::Search::tell) has returned the error itself.
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
pub struct SearchOutcome {
    /// The best point of all runs; the last mean, if no value was a number.
    pub point: Vec<f64>,
    /// Its value; NaN, if no value was a number.
    pub value: f64,
    /// The final mean of the run that found the point: often the better estimate if function values are noisy. The point itself, if
    /// it was a probe.
    pub mean: Vec<f64>,
    /// The final standard deviations in that run, of the variables that are searched and on their scale; 0, if it was a probe.
    pub deviations: Vec<f64>,
    /// That run, from 0; `None`, if no value was a number.
    pub best_run: Option<usize>,
    /// The number of evaluations of all runs.
    pub evaluations: u64,
    /// The runs that are over, in their order.
    pub runs: Vec<RunSummary>,
    /// Why the search is over.
    pub stop: SearchStop,
}

/// The value, the point, what it took, why it ended, and a line for each run.
impl fmt::Display for SearchOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point, value, evaluations, runs, stop, best_run, .. } = self;
        writeln!(f, "f = {value:e}")?;
        writeln!(f, "x = {}", Point(point))?;
        writeln!(f, "{evaluations} evaluations in {} runs", runs.len())?;
        writeln!(f, "stopped by {stop}")?;
        if let SearchStop::PolicyDone { .. } = stop {
            writeln!(
                f,
                "neither a target nor a budget ended it: a target that is reached, or a smaller budget, would have"
            )?;
        }
        // The strategy has a column if a policy has planned it.
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

/// A search in the middle of a run, for criteria of one's own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchView<'a> {
    /// The number of the run, from 0.
    pub run: usize,
    /// Its plan.
    pub plan: &'a RunPlan,
    /// The runs before it.
    pub past: &'a [RunSummary],
    /// Function values told in all runs.
    pub evaluations: u64,
    /// The best value of all runs; +∞ as long as there is none.
    pub best_value: f64,
    /// The run itself: its evaluations and its best are its own. `None` during a probe.
    pub of_run: Option<View<'a>>,
    /// The probe, if it is one.
    pub of_probe: Option<PointsView<'a>>,
}
