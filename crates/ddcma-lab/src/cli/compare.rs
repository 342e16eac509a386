//! The command `compare`: algorithms on problems, by the evaluations that they need.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{Trials, dimension, population, sizes};
use super::registry::Registry;
use super::report::Shown;
use super::{Terminal, help};
use crate::{Experiment, LabError};

/// The options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Compare these algorithms, with parameters.
    #[arg(
        long,
        aliases = ["algorithm", "strategies", "strategy"],
        help = help::algorithms(),
        num_args = 1..
    )]
    algorithms: Vec<String>,
    /// Run these problems.
    #[arg(long, aliases = ["function", "problems", "problem"], help = help::functions(&FUNCTIONS), num_args = 1..)]
    functions: Vec<String>,
    /// Run these dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [5, 10, 20], value_parser = dimension)]
    dims: Vec<u32>,
    /// Run these population sizes, separated by commas or spaces. Default: that of each algorithm, such as 4 + ⌊3 ln n⌋.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = population)]
    lambda: Vec<u32>,
    #[command(flatten)]
    trials: Trials,
    /// Limit the evaluations of a trial to this number per variable. Default: that of the problem; 50000 in the suite, and 200000 for
    /// Rastrigin.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    #[command(flatten)]
    shown: Shown,
    /// Write records, tables and pictures into this folder. The same command continues there and does not repeat trials on record; tables
    /// and pictures show the results of the last command.
    #[arg(long, default_value = "target/compare", value_name = "DIR")]
    out: PathBuf,
}

/// The default problems.
const FUNCTIONS: [&str; 7] = ["sphere", "ellipsoid", "ellipsoid-rotated", "discus", "ellcig", "elldis", "rosenbrock"];

pub(crate) fn run(registry: &Registry, options: &Options) -> Result<(), LabError> {
    let Options { algorithms, functions, dims, lambda, trials, budget, shown, out } = options;
    let mut experiment = trials.of(Experiment::new().records(out));
    for algorithm in registry.algorithms(algorithms)? {
        experiment = experiment.algorithm(algorithm);
    }
    for problem in registry.problems(functions, &FUNCTIONS)? {
        experiment = experiment.problem(problem);
    }
    experiment = experiment.dimensions(sizes(dims)).lambdas(sizes(lambda));
    if let Some(budget) = budget {
        experiment = experiment.budget_per_variable(*budget);
    }
    shown.check(&experiment.algorithm_names(), out)?;
    shown.publish(&experiment.run(&Terminal::default())?, out)
}
