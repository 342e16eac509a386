//! A custom strategy, outside the crate: it learns one deviation per coordinate from the better half of each generation, at
//! a rate that is its own option. Sampling, ranking, recombination, step-size adaptation and stop criteria come from the
//! optimizer.
//!
//! Run it with `cargo run --package ddcma-core --example own_strategy`.

use ddcma_core::{
    BuiltInRule, Columns, Generation, Optimizer, Pace, Params, Shape, StartError, StartShape, Strategy, UpdateError,
};

/// N(m, σ²·D²).
struct Diagonal {
    d: Vec<f64>,
    rate: f64,
}

/// The options of this strategy.
#[derive(Clone, Debug)]
struct Options {
    rate: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { rate: 0.1 }
    }
}

impl Strategy for Diagonal {
    const NAME: &'static str = "diagonal";

    type Options = Options;

    type StepSize = BuiltInRule;

    fn start(_: &Params, options: &Options, shape: &StartShape<'_>) -> Result<Self, StartError> {
        if !(0.0..=1.0).contains(&options.rate) {
            let reason = format!("the rate must be in [0, 1], but it is {}", options.rate);
            return Err(StartError::Strategy { name: Self::NAME, reason });
        }
        Ok(Self { d: shape.deviations(), rate: options.rate })
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        y.as_mut_slice().copy_from_slice(z.as_slice()); // C = I
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
    }

    fn update(&mut self, generation: &Generation<'_>, _: &mut dyn Pace, _: &Params) -> Result<(), UpdateError> {
        for (k, d) in self.d.iter_mut().enumerate() {
            let mean_square: f64 = generation.z.iter().zip(generation.w_mean).map(|(z, w)| w * z[k] * z[k]).sum();
            let next = *d * (self.rate / 2.0 * (mean_square - 1.0)).exp();
            if !next.is_normal() {
                return Err(UpdateError::Deviation { index: k, value: next });
            }
            *d = next;
        }
        Ok(())
    }

    fn shape(&self) -> Shape<'_> {
        Shape::new(&self.d)
    }

    fn c(&self) -> Columns {
        Columns::identity(self.d.len())
    }

    fn axis_lengths(&self) -> Vec<f64> {
        vec![1.0; self.d.len()]
    }
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let mut ellipsoid = |x: &[f64]| x.iter().enumerate().map(|(i, x)| 10f64.powf(i as f64 / 5.0) * x * x).sum::<f64>();

    for rate in [0.0, 0.1] {
        let builder = Optimizer::<Diagonal>::builder(&[3.0; 20], 1.0).strategy_options(Options { rate }).seed(1);
        let mut es = builder.build()?;
        while es.best_value() > 1e-8 && es.evaluations() < 100_000 {
            es.step(&mut ellipsoid)?;
        }
        println!("rate {rate}: f = {:.2e} after {} evaluations", es.best_value(), es.evaluations());
    }
    let refused = Optimizer::<Diagonal>::builder(&[3.0; 20], 1.0).strategy_options(Options { rate: 2.0 }).build();
    println!("rate 2: {}", refused.err().map_or("started".into(), |error| error.to_string()));
    Ok(())
}
