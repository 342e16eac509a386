//! Thrifty: NBIPOP's budget shares with full step sizes. Runs that creep are ended, and the best of them is refined later.

use ddcma_core::Stop;

use super::{Nbipop, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan, RunSummary, StartRule};

/// The recommended policy: two regimes, the better of which gets the larger share of the budget, and an early end for runs that waste it.
///
/// Large and small runs are those of [`Nbipop`], except that the step size of large runs does not shrink: NBIPOP's division by 1.6 at each
/// large restart fails where the usual σ is not wide.
///
/// A run [creeps](ddcma_core::StopCriteria::creeping_best) if its step size has grown a thousandfold while no deviation exceeds its
/// initial value. It may be on its way along the edge of a penalty to the global minimum, or to a local minimum of a rugged
/// valley, and nothing tells these apart. So it must not have the whole budget, and must not be given up either:
///
/// - It ends, even if it is the best run so far.
/// - If it is still the best when the runs after it have used as many evaluations as it has, one run starts at its best point with
///   its final deviations. This run may use as many evaluations as the whole search so far, and does not end for creeping. Its
///   regime is [`Regime::Refine`].
/// - If that run was cut off by its budget and is the best run by then, it is refined in the same way.
///
/// NBIPOP does not see the runs that refine. See `docs/restarts.md` for how it compares.
///
/// ```
/// use ddcma_restarts::{Starts, Thrifty, restarts};
///
/// let rastrigin = |x: &[f64]| x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>();
/// let starts = Starts::in_box(&[-5.0; 4], &[5.0; 4])?;
/// let outcome = restarts(Thrifty::new(), starts, 2.0).target(1e-9).max_evaluations(200_000).seed(1).minimize(rastrigin)?;
/// assert!(outcome.value <= 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Thrifty {
    nbipop: Nbipop,
    growth: f64,
}

impl Default for Thrifty {
    fn default() -> Self {
        Self { nbipop: Nbipop::new().sigma_divisor(1.0), growth: 1e3 }
    }
}

impl Thrifty {
    /// Creates the policy with the published constants of NBIPOP, except for a `sigma_divisor` of 1, and a growth of 1000.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the largest number of large restarts, or `None` for no limit: then a search needs a budget. Default: 9.
    #[must_use]
    pub fn restarts(self, restarts: impl Into<Option<u32>>) -> Self {
        Self { nbipop: self.nbipop.restarts(restarts), ..self }
    }
}

setters! {
    Thrifty
    /// Sets the growth of σ beyond which a run creeps, if no deviation exceeds its initial value. Default: 1000.
    growth: f64;
}

/// Returns whether the run ended before it could converge, although it was the best: because it crept, or by the budget for refining.
fn is_unfinished(run: &RunSummary) -> bool {
    match run.stop {
        Stop::Creeping { reference, .. } => reference.is_none(),
        Stop::Evaluations { .. } => run.plan.regime == Regime::Refine,
        _ => false,
    }
}

/// Plans the run that refines the best of the past, if it is unfinished and its turn has come.
fn refined(past: &Past<'_>) -> Option<RunPlan> {
    let (index, best) = past.runs.iter().enumerate().min_by(|a, b| a.1.best_value.total_cmp(&b.1.best_value))?;
    let since: u64 = past.runs[index + 1..].iter().map(|run| run.evaluations).sum();
    if !is_unfinished(best) || since < best.evaluations {
        return None;
    }
    let deviations: Vec<f64> = best.deviations.iter().map(|deviation| deviation / past.sigma).collect();
    // A run that left the range of numbers has no shape to start with.
    if !deviations.iter().all(|deviation| *deviation > 0.0 && deviation.is_normal()) {
        return None;
    }
    let all: u64 = past.runs.iter().map(|run| run.evaluations).sum();
    let start = StartRule::At(best.best_point.clone()?);
    let plan = RunPlan { regime: Regime::Refine, creeping_best: None, ..best.plan.clone() };
    Some(plan.start(start).sigma(past.sigma).deviations(&deviations).budget(all).abandon(false))
}

impl Policy for Thrifty {
    fn name(&self) -> &'static str {
        "thrifty"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if let Some(plan) = refined(past) {
            return Some(plan);
        }
        let others: Vec<RunSummary> =
            past.runs.iter().filter(|run| run.plan.regime != Regime::Refine).cloned().collect();
        Some(self.nbipop.next(&past.with_runs(&others), uniform)?.creeping_best(self.growth))
    }

    fn check(&self) -> Result<(), PolicyError> {
        self.nbipop.check()?;
        check(self.name(), &[("growth", self.growth, 1.0)])
    }

    fn ends(&self) -> bool {
        self.nbipop.ends()
    }
}
