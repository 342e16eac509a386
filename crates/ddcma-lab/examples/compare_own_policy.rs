//! A custom restart policy compared with BIPOP.
//!
//! Run it with `cargo run --package ddcma-lab --example compare_own_policy`.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use ddcma_core::DiagonalDecoding;
use ddcma_lab::{Experiment, Failure, Silent, algorithm, suite};
use ddcma_restarts::{Bipop, Past, Policy, Regime, RunPlan, StartRule};

/// Every second run starts at the best point so far, with a tenth of the step size.
#[derive(Clone, Debug)]
struct TakeTurns;

impl Policy for TakeTurns {
    fn name(&self) -> &'static str {
        "take turns"
    }

    fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let usual = past.usual_run(if past.runs.is_empty() { Regime::First } else { Regime::Large });
        if past.runs.len() % 2 == 1 {
            return Some(RunPlan { sigma: 0.1 * past.sigma, regime: Regime::Small, start: StartRule::AtBest, ..usual });
        }
        let lambda = past.lambda << (past.runs.len() / 2).min(10);
        Some(RunPlan { lambda, ..usual })
    }
}

fn main() -> Result<(), Failure> {
    let with = |name: &str| algorithm::<DiagonalDecoding>(name);
    let experiment =
        Experiment::new().algorithms([with("turns").policy(TakeTurns), with("bipop").policy(Bipop::new())]);
    let experiment = experiment.problems(suite(["rastrigin", "bohachevsky"])?).dimensions([3]).trials(5);
    println!("{}", experiment.budget_per_variable(30_000).run(&Silent)?.table());
    Ok(())
}
