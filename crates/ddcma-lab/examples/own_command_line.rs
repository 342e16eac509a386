//! A command line for custom algorithms, policies and problems, together with the built-in ones: `main` is one expression.
//!
//! Run it with `cargo run --package ddcma-lab --features cli --example own_command_line -- compare --dims 2 --trials 5`, and with
//! `--help` to see its other commands.

use std::process::ExitCode;

use ddcma_core::{DiagonalDecoding, Settings};
use ddcma_lab::{Algorithm, LabError, OwnProblem, Trial, algorithm, family};
use ddcma_restarts::Ipop;

/// Walks along one coordinate after the other; its parameter is the divisor of a step that failed.
struct CoordinateSearch {
    name: String,
    divisor: f64,
}

impl Algorithm for CoordinateSearch {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let mut x = trial.start().to_vec();
        let mut steps = vec![trial.sigma(); x.len()];
        let mut value = trial.evaluate(&x);
        while !trial.is_over() {
            for k in 0..x.len() {
                let last = x[k];
                x[k] += steps[k];
                let next = trial.evaluate(&x);
                if next < value {
                    (value, steps[k]) = (next, 2.0 * steps[k]);
                } else {
                    (x[k], steps[k]) = (last, -steps[k] / self.divisor);
                }
            }
        }
        Ok(())
    }
}

/// A quadratic bowl with a valley along the diagonal.
fn valley(n: usize, _seed: u64) -> Result<OwnProblem, LabError> {
    let f = |x: &[f64]| {
        x.iter().map(|x| x * x).sum::<f64>() + 100.0 * x.windows(2).map(|x| (x[0] - x[1]).powi(2)).sum::<f64>()
    };
    Ok(OwnProblem::new(f, vec![1.0; n], 0.5).budget(4000))
}

fn main() -> ExitCode {
    ddcma_lab::cli()
        .algorithm(algorithm::<DiagonalDecoding>("dd, slow").settings(Settings::new().c_mu(1e-3)))
        .optimizer_with("coordinates", |name, mut choices| {
            let divisor = choices.number("divisor")?.unwrap_or(2.0);
            choices.done("coordinates", &["divisor"])?;
            Ok(CoordinateSearch { name: name.to_string(), divisor })
        })
        .policy("thrice", Ipop::new().factor(3.0))
        .problem(family("valley", valley))
        .main()
}
