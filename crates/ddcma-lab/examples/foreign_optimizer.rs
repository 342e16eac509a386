//! Any other optimizer in an experiment: the (1+1)-ES with the one-fifth rule, in one page of code.
//!
//! Run it with `cargo run --package ddcma-lab --example foreign_optimizer`.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::SeedableRng;
use ddcma_lab::{Algorithm, Experiment, Failure, LabError, Silent, Trial, dd, suite};
use rand_distr::{Distribution, StandardNormal};

/// One parent, one child: the better one survives.
struct OnePlusOne;

impl Algorithm for OnePlusOne {
    fn name(&self) -> &str {
        "1+1"
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(trial.seed());
        let (mut x, mut sigma) = (trial.start().to_vec(), trial.sigma());
        let mut value = trial.evaluate(&x);
        while !trial.is_over() && sigma > 1e-150 {
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let child: Vec<f64> = x.iter().map(|x| x + sigma * normal()).collect();
            let child_value = trial.evaluate(&child);
            // A fifth of the children should be better.
            if child_value <= value {
                (x, value, sigma) = (child, child_value, 1.5 * sigma);
            } else {
                sigma *= 1.5f64.powf(-0.25);
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let experiment = Experiment::new().algorithm(OnePlusOne).algorithm(dd()).problems(suite(["sphere", "ellipsoid"])?);
    println!("{}", experiment.dimensions([5]).trials(5).budget_per_variable(4_000).run(&Silent)?.table());
    Ok(())
}
