//! A custom restart policy in one page of code: alternates between wide runs from new points and narrow ones around the best.
//!
//! Run it with `cargo run --package ddcma-restarts --example own_policy`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use ddcma_restarts::{Past, Policy, Regime, RunPlan, StartRule, Starts, restarts};

/// Every second run starts at the best point so far, with a tenth of the step size and a small budget.
#[derive(Debug)]
struct TakeTurns;

impl Policy for TakeTurns {
    fn name(&self) -> &'static str {
        "take turns"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let usual = past.usual_run(if past.runs.is_empty() { Regime::First } else { Regime::Large });
        if past.runs.len() % 2 == 1 {
            let (sigma, budget) = (0.1 * past.sigma, Some(100 * past.n as u64));
            return Some(RunPlan { sigma, budget, regime: Regime::Small, start: StartRule::AtBest, ..usual });
        }
        // A population of up to eight times the usual one, more often small than large
        let lambda = (past.lambda as f64 * 8f64.powf(uniform().powi(2))) as usize;
        Some(RunPlan { lambda, ..usual })
    }
}

fn main() -> Result<(), ddcma_core::Failure> {
    let rastrigin = |x: &[f64]| x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>();
    let starts = Starts::in_box(&[-5.0; 5], &[5.0; 5])?;
    let outcome = restarts(TakeTurns, starts, 2.0).target(1e-9).max_evaluations(500_000).seed(1).minimize(rastrigin)?;
    for (k, run) in outcome.runs.iter().enumerate() {
        let (regime, lambda) = (run.plan.regime.name(), run.plan.lambda);
        println!(
            "run {k:2} {regime:>5} λ = {lambda:3}: {:9.2e} after {:5} evaluations",
            run.best_value, run.evaluations
        );
    }
    println!("{:e} after {} evaluations ({})", outcome.value, outcome.evaluations, outcome.stop);
    assert!(outcome.value <= 1e-9);
    Ok(())
}
