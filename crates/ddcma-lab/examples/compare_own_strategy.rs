//! A custom strategy compared with the built-in ones.
//!
//! Run it with `cargo run --package ddcma-lab --example compare_own_strategy`. With a folder as an argument, such as `-- target/mine`, it
//! keeps records there: if you kill it and start it again, it continues.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use ddcma_core::{
    BuiltInRule, Columns, Generation, Pace, Params, Shape, StartError, StartShape, Strategy, UpdateError,
};
use ddcma_lab::{Experiment, Failure, Silent, algorithm, algorithm_with, dd, plain, sep, suite};

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
            let reason = format!("the rate must be in [0, 1], got {}", options.rate);
            return Err(StartError::Strategy { name: Self::NAME, reason });
        }
        Ok(Self { d: shape.deviations(), rate: options.rate })
    }

    // For command lines, such as `mine:rate=0.05`, and for restart policies.
    const OPTION_NAMES: &'static [&'static str] = &["rate"];

    fn set_option(options: &mut Options, name: &str, value: f64) -> bool {
        options.rate = value;
        name == "rate"
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

fn main() -> Result<(), Failure> {
    let slow = algorithm_with::<Diagonal>("mine, slow", Options { rate: 0.01 });
    let experiment = Experiment::new().algorithms([algorithm::<Diagonal>("mine"), slow, dd(), plain(), sep()]);
    let experiment = experiment.problems(suite(["ellipsoid", "cigar"])?).dimensions([5, 10]).trials(5);
    let experiment = std::env::args().skip(1).fold(experiment, |experiment, folder| experiment.records(folder));
    println!("{}", experiment.run(&Silent)?.table());
    Ok(())
}
