//! A restart policy that computes its start points: every third run starts where the past run that ended farthest from the best one
//! ended.
//!
//! Run it with `cargo run --package ddcma-restarts --features checkpoint --example from_the_farthest`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use ddcma_restarts::{Past, Policy, Regime, RunPlan, RunSummary, StartRule, Starts, restarts};
use serde::{Deserialize, Serialize};

/// Plans two runs from new points, then one from the farthest end, with twice the λ of the run that ended there: a larger population is
/// more likely to leave a poor local minimum.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FromTheFarthest;

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

impl Policy for FromTheFarthest {
    fn name(&self) -> &'static str {
        "from the farthest"
    }

    fn next(&self, past: &Past<'_>, _uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if past.runs.len() % 3 != 2 {
            return Some(past.usual_run(if past.runs.is_empty() { Regime::First } else { Regime::Again }));
        }
        let best = past.runs.iter().min_by(|a, b| a.best_value.total_cmp(&b.best_value))?;
        let from_best = |run: &&RunSummary| distance(&run.mean, &best.mean);
        let farthest = past.runs.iter().max_by(|a, b| from_best(a).total_cmp(&from_best(b)))?;
        let plan = past.usual_run(Regime::Large).start(StartRule::At(farthest.mean.clone()));
        Some(plan.lambda(farthest.plan.lambda.saturating_mul(2)))
    }
}

fn main() -> Result<(), ddcma_core::Failure> {
    let rastrigin = |x: &[f64]| x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>();
    let starts = Starts::in_box(&[-5.0; 3], &[5.0; 3])?;
    let search = restarts(FromTheFarthest, starts, 1.0).target(1e-9).max_evaluations(200_000).seed(1);
    let outcome = search.minimize(rastrigin)?;
    for run in &outcome.runs {
        let (from, to) = (distance(&run.start, &outcome.point), distance(&run.mean, &outcome.point));
        println!("λ = {:3}: from {from:4.1} to {to:4.1} away from the best, {:9.2e}", run.plan.lambda, run.best_value);
    }
    println!("{:e} after {} evaluations ({})", outcome.value, outcome.evaluations, outcome.stop);
    assert!(outcome.value <= 1e-9);
    Ok(())
}
