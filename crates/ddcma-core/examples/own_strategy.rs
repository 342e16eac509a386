//! A strategy of one's own, outside the crate: an isotropic evolution strategy that learns its step size and nothing
//! else. Sampling, ranking, recombination and step-size adaptation come from the optimizer.
//!
//! Run it with `cargo run --package ddcma-core --example own_strategy`.

use ddcma_core::{Columns, Generation, Optimizer, Params, Strategy, UpdateError};

/// N(m, σ²·I), or with given deviations N(m, σ²·D²): the shape never changes.
struct Isotropic {
    d: Vec<f64>,
}

impl Strategy for Isotropic {
    const NAME: &'static str = "isotropic";

    fn new(_: &Params, d: &[f64]) -> Self {
        Self { d: d.to_vec() }
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        y.as_mut_slice().copy_from_slice(z.as_slice());
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
    }

    fn d(&self) -> &[f64] {
        &self.d
    }

    fn c(&self) -> Columns {
        Columns::identity(self.d.len())
    }

    fn update(&mut self, _: &Generation<'_>, _: &Params) -> Result<(), UpdateError> {
        Ok(())
    }
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sphere = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();

    let mut es = Optimizer::<Isotropic>::new(&[3.0; 20], 1.0, 1)?;
    while es.best_value() > 1e-8 && es.evaluations() < 20_000 {
        es.step(&mut sphere)?;
    }

    println!("f = {:.2e} after {} evaluations", es.best_value(), es.evaluations());
    assert!(es.best_value() <= 1e-8, "an evolution strategy minimises the sphere");
    Ok(())
}
