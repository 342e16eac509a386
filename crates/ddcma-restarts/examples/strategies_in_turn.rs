//! A restart policy that plans a different strategy for each run: dd, plain and separable CMA-ES in turn, with larger populations in
//! each round.
//!
//! Run it with `cargo run --package ddcma-restarts --features checkpoint --example strategies_in_turn`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use ddcma_core::{BuiltInStrategy, Variant};
use ddcma_restarts::{Past, Policy, Regime, RunPlan, Starts, restarts};
use serde::{Deserialize, Serialize};

/// Plans one run of each strategy per round; λ doubles from round to round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct InTurn;

const TURNS: [Variant; 3] = [Variant::DiagonalDecoding, Variant::Plain, Variant::Separable];

impl Policy for InTurn {
    fn name(&self) -> &'static str {
        "in turn"
    }

    fn next(&self, past: &Past<'_>, _uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let (round, turn) = (past.runs.len() / TURNS.len(), past.runs.len() % TURNS.len());
        let regime = match (round, turn) {
            (0, 0) => Regime::First,
            (0, _) => Regime::Again,
            _ => Regime::Large,
        };
        let lambda = past.lambda.checked_mul(1 << round.min(20))?;
        Some(past.usual_run(regime).lambda(lambda).strategy(TURNS[turn]))
    }
}

fn main() -> Result<(), ddcma_core::Failure> {
    // Valleys along the diagonal, which plain and dd-CMA-ES learn, with many small local minima.
    let f = |x: &[f64]| {
        let valleys: f64 = x.windows(2).map(|x| 100.0 * (x[0] - x[1]).powi(2)).sum();
        valleys + x.iter().map(|x| x * x + 2.0 - 2.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>()
    };
    let starts = Starts::in_box(&[-5.0; 4], &[5.0; 4])?;
    let search = restarts(InTurn, starts, 2.0).strategy::<BuiltInStrategy>().target(1e-9).max_evaluations(100_000);
    let outcome = search.seed(1).minimize(f)?;
    for run in &outcome.runs {
        let strategy = run.plan.strategy.as_deref().unwrap_or("the default");
        println!("{strategy:>5} λ = {:3}: {:9.2e}, condition {:.0e}", run.plan.lambda, run.best_value, run.condition);
    }
    println!("{:e} after {} evaluations ({})", outcome.value, outcome.evaluations, outcome.stop);
    assert!(outcome.value <= 1e-9);
    Ok(())
}
