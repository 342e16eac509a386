//! A custom step-size rule compared with the default rule and two-point adaptation.
//!
//! The rule is population success (PSR, Loshchilov 2014): σ grows if this generation ranks clearly better than the last one.
//! On a random function no generation does, and σ shrinks: the rule is for smooth problems.
//!
//! Run it with `cargo run --package ddcma-lab --example compare_own_step_size`.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use ddcma_core::{
    DiagonalDecoding, Params, Selection, Settings, StartError, StepSize, StepSizeChange, StepSizeRule, WithStepSize,
};
use ddcma_lab::{Experiment, Failure, Silent, algorithm, dd, suite};

/// How much better a generation must be than the last one for σ to stay the same: 0 is equally good, 1 is better throughout.
const ENOUGH: f64 = 0.25;

/// The smoothed success.
#[derive(Clone, Debug)]
struct PopulationSuccess {
    s: f64,
}

impl StepSizeRule for PopulationSuccess {
    const NAME: &'static str = "population success";

    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self { s: 0.0 })
    }

    fn wants_last(&self) -> bool {
        true
    }

    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        let h_sigma = seen.h_sigma; // as in the paper, by the path p_σ
        let Some(better_before) = seen.ranks_in_last else {
            return StepSizeChange { log_sigma: 0.0, h_sigma }; // the first generation
        };
        // The share of pairs, one candidate from each generation, in which the last generation has the better one.
        let lambda = params.lambda() as f64;
        let lost = better_before.iter().sum::<f64>() / (lambda * better_before.len() as f64);
        self.s += 0.3 * (1.0 - 2.0 * lost - ENOUGH - self.s);
        StepSizeChange { log_sigma: self.s, h_sigma }
    }
}

fn main() -> Result<(), Failure> {
    let mine = algorithm::<WithStepSize<DiagonalDecoding, PopulationSuccess>>("dd, mine");
    let tpa = dd().named("dd, tpa").settings(Settings::new().step_size(StepSize::Tpa));
    let experiment = Experiment::new().algorithms([mine, dd(), tpa]);
    let experiment = experiment.problems(suite(["sphere", "ellipsoid", "cigar"])?).dimensions([5, 20]).trials(5);
    println!("{}", experiment.run(&Silent)?.table());
    Ok(())
}
