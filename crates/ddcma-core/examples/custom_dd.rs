//! A variant of dd-CMA-ES, outside the crate: D learns from the better half of each generation only, without the negative
//! weights of the others. Everything else is passed on to the `DiagonalDecoding` inside.
//!
//! Run it with `cargo run --package ddcma-core --example custom_dd`.

use ddcma_core::{
    BuiltInRule, Columns, DiagonalDecoding, Generation, Optimizer, Pace, Params, Shape, StartError, StartShape,
    Strategy, UpdateError,
};

/// dd-CMA-ES without negative weights in the update of D.
struct PassiveD {
    dd: DiagonalDecoding,
    /// The weights that the update of D sees.
    w_d: Vec<f64>,
}

impl Strategy for PassiveD {
    const NAME: &'static str = "passive-d";

    type Options = ();

    type StepSize = BuiltInRule;

    fn start(params: &Params, (): &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self { dd: DiagonalDecoding::start(params, &(), shape)?, w_d: Vec::new() })
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        self.w_d.clear();
        self.w_d.extend(generation.w_d.iter().map(|w| w.max(0.0)));
        let mut seen = *generation;
        seen.w_d = &self.w_d;
        self.dd.update(&seen, pace, params)
    }

    // Pass on all that follows, also the methods that have defaults: these are for strategies without C, or with a fixed D.

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.dd.sample(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.dd.whiten(y, z);
    }

    fn shape(&self) -> Shape<'_> {
        self.dd.shape()
    }

    fn c(&self) -> Columns {
        self.dd.c()
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.dd.axis_lengths()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.dd.principal_axis(t, axis);
    }

    fn set_d(&mut self, d: &[f64]) -> bool {
        self.dd.set_d(d)
    }

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.dd.resume(params)
    }
}

/// Minimizes badly scaled variables, and returns the number of evaluations.
fn evaluations<S: Strategy>() -> Result<u64, ddcma_core::Failure> {
    let ellipsoid = |x: &[f64]| x.iter().enumerate().map(|(i, x)| 10f64.powf(6.0 * i as f64 / 19.0) * x * x).sum();
    let mut es = Optimizer::<S>::builder(&[3.0; 20], 1.0).target(1e-8).max_evaluations(100_000).seed(1).build()?;
    let stop = es.run(ellipsoid)?;
    assert_eq!(stop.name(), "target", "{}: {stop}", S::NAME);
    Ok(es.evaluations())
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let [dd, passive] = [evaluations::<DiagonalDecoding>()?, evaluations::<PassiveD>()?];
    println!("dd: {dd} evaluations\npassive-d: {passive} evaluations");
    assert!(passive > dd, "without the worse candidates, D learns more slowly");
    Ok(())
}
