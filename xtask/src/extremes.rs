//! `cargo xtask extremes`: measures how far the extreme eigenvalues of C that dd-CMA-ES tracks lag behind the true ones.

use clap::Args;
use ddcma_core::{DdCma, Settings, StopCriteria, Strategy};
use ddcma_lab::{Choices, dd};
use ddcma_problems::Function;

use crate::lab::names::Form;
use crate::lab::statistics::quantile;
use crate::lab::{self, LabError, table};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Run these dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [40, 160], value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Set the seed of instances and runs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Set parameters of dd-CMA-ES, such as `damping=shortest-axis:beta_min=1`.
    #[arg(long, value_name = "NAME=VALUE:…", default_value = "")]
    pub parameters: Choices,
}

/// The value at which a run ends.
const TARGET: f64 = 1e-8;

/// The approximate number of comparisons in a run.
const LOOKS: u64 = 100;

/// Prints a row for each run.
pub fn run(options: &Options) -> Result<(), LabError> {
    let algorithm = dd().choose(options.parameters.clone())?;
    let settings = algorithm.chosen_settings();
    let mut rows = Vec::new();
    for n in options.dims.iter().map(|n| *n as usize) {
        for function in [Function::Ellipsoid, Function::Discus] {
            for rotated in [false, true] {
                rows.push(row(Form { function, rotated }, n, options.seed, settings)?);
            }
        }
    }
    let head = ["function", "n", "smallest: median", "95 %", "largest", "largest: median", "5 %", "smallest"];
    println!("Tracked eigenvalues of C divided by the true ones, in runs of dd-CMA-ES to {TARGET:e}:\n");
    println!("{}", table::text(&head, &rows));
    Ok(())
}

fn row(form: Form, n: usize, seed: u64, settings: &Settings) -> Result<Vec<String>, LabError> {
    let instance = form.instance(n, seed)?;
    let start = || {
        let builder = DdCma::builder(instance.initial_mean(), instance.initial_sigma());
        let builder = builder.criteria(StopCriteria::none().target(TARGET).max_evaluations(instance.budget()));
        builder.settings(settings.clone()).seed(seed).build().map_err(|error| LabError::new(error.to_string()))
    };
    let mut objective = |x: &[f64]| instance.at(x);
    let mut whole = start()?;
    whole.run(&mut objective).expect("an objective that cannot fail");
    let every = (whole.iterations() / LOOKS).max(1);

    let mut es = start()?;
    let (mut smallest, mut largest) = (Vec::new(), Vec::new());
    while es.stop().is_none() {
        es.step(&mut objective).expect("an objective that cannot fail");
        if es.iterations().is_multiple_of(every) {
            let (followed, lengths) = (es.strategy().shape().axes, es.strategy().axis_lengths());
            smallest.push((followed.shortest / lengths[0]).powi(2));
            largest.push((followed.longest / lengths[n - 1]).powi(2));
        }
    }
    let numbers = [0.5, 0.95, 1.0].map(|q| quantile(&smallest, q));
    let others = [0.5, 0.05, 0.0].map(|q| quantile(&largest, q));
    let cells = numbers.into_iter().chain(others).map(|number| format!("{number:.3}"));
    Ok([form.to_string(), n.to_string()].into_iter().chain(cells).collect())
}
