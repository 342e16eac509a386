//! A custom step-size rule, outside the crate: the median success rule (MSR) of Ait ElHara, Auger & Hansen (2013).
//!
//! σ grows if more than half of the candidates are better than the 30th percentile of the last generation. Here a tie counts
//! as half a success, where the published interpolation lets σ drift on a constant function.
//!
//! **Before you use it:** on a random function, three of ten candidates succeed by chance, so s tends to −0.4 and σ shrinks
//! by a fifth in each iteration, whereas CSA keeps it. Rugged functions (such as Rastrigin's, far from the optimum), noise
//! and plateaus look random, and there MSR converges too early. Use it for separable and smooth problems.
//!
//! Run it with `cargo run --package ddcma-core --example own_step_size`.

use ddcma_core::{
    Optimizer, Params, Selection, SepCma, Separable, StartError, StepSizeChange, StepSizeRule, StopCriteria,
    WithStepSize,
};

/// The smoothed share of successes, from −1 to 1.
#[derive(Clone, Debug)]
struct Msr {
    s: f64,
}

impl StepSizeRule for Msr {
    const NAME: &'static str = "msr";

    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self { s: 0.0 })
    }

    fn wants_last(&self) -> bool {
        true
    }

    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        let h_sigma = seen.h_sigma; // as in the paper, by the path p_σ
        let Some(ranks) = seen.ranks_in_last else {
            return StepSizeChange { log_sigma: 0.0, h_sigma }; // the first generation
        };
        let (n, lambda) = (params.dimension() as f64, params.lambda() as f64);
        // A success is better than the j-th best of the last generation, so fewer than j of that generation are better;
        // between two whole numbers j this interpolates.
        let j = 0.3 * lambda;
        let successes: f64 = ranks.iter().map(|rank| (j - rank).clamp(0.0, 1.0)).sum();
        let z = 2.0 / lambda * (successes - lambda / 2.0);
        self.s += 0.3 * (z - self.s);
        StepSizeChange { log_sigma: self.s / (2.0 - 2.0 / n).max(1.0), h_sigma }
    }
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let mut cigar = |x: &[f64]| x[0] * x[0] + 1e6 * x[1..].iter().map(|x| x * x).sum::<f64>();
    let criteria = StopCriteria::new().target(1e-8);

    let mut es = Optimizer::<WithStepSize<Separable, Msr>>::builder(&[3.0; 100], 1.0)
        .criteria(criteria.clone())
        .seed(1)
        .build()?;
    let stop = es.run(&mut cigar)?;
    println!("msr: {stop} after {} evaluations", es.evaluations());

    let mut es = SepCma::builder(&[3.0; 100], 1.0).criteria(criteria).seed(1).build()?;
    let stop = es.run(&mut cigar)?;
    println!("csa: {stop} after {} evaluations", es.evaluations());
    Ok(())
}
