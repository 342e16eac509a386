//! The command `restarts`: every policy with every strategy.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{Trials, dimension, sizes};
use super::registry::Registry;
use super::report::Shown;
use super::{Terminal, help};
use crate::{Experiment, LabError, altered};

/// The options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Compare these policies, with parameters.
    #[arg(long, alias = "policy", help = help::policies(), default_value = "all", num_args = 1..)]
    policies: Vec<String>,
    /// Run these strategies, with parameters. Other optimizers are run without a policy.
    #[arg(long, aliases = ["strategy", "algorithms", "algorithm"], help = help::algorithms(), num_args = 1..)]
    strategies: Vec<String>,
    /// Run these problems.
    #[arg(long, aliases = ["function", "problems", "problem"], help = help::functions(&FUNCTIONS), num_args = 1..)]
    functions: Vec<String>,
    /// Run these dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [5], value_parser = dimension)]
    dims: Vec<u32>,
    #[command(flatten)]
    trials: Trials,
    /// Limit the evaluations of a trial to this number per variable. Default: that of an applied problem; 200000 for all others.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// Set the initial step size. Default: that of the problem; 2 for Rastrigin and 7 for Bohachevsky.
    ///
    /// NIPOP and NBIPOP, which reduce it at each restart, need a large one.
    #[arg(long, allow_negative_numbers = true)]
    sigma: Option<f64>,
    #[command(flatten)]
    shown: Shown,
    /// Write records, tables and pictures into this folder. The same command continues there and does not repeat trials on record; tables
    /// and pictures show the results of the last command.
    #[arg(long, default_value = "target/restarts", value_name = "DIR")]
    out: PathBuf,
}

/// The default problems.
const FUNCTIONS: [&str; 4] = ["rastrigin", "rastrigin-rotated", "bohachevsky", "bohachevsky-rotated"];

/// The default budget per variable, for problems that do not set a budget for restarts.
const BUDGET: u64 = 200_000;

pub(crate) fn run(registry: &Registry, options: &Options) -> Result<(), LabError> {
    let Options { policies, strategies, functions, dims, trials, budget, sigma, shown, out } = options;
    let mut experiment = trials.of(Experiment::new().records(out));
    for algorithm in registry.restarted(strategies, &registry.policies(policies)?, *sigma)? {
        experiment = experiment.algorithm(algorithm);
    }
    for problem in registry.problems(functions, &FUNCTIONS)? {
        let knows_its_budget = problem.only_dimension().is_some();
        experiment = experiment.problem(altered(problem, move |problem| {
            if !knows_its_budget {
                problem.budget = BUDGET * problem.initial_mean.len() as u64;
            }
        }));
    }
    experiment = experiment.dimensions(sizes(dims));
    if let Some(budget) = budget {
        experiment = experiment.budget_per_variable(*budget);
    }
    shown.check(&experiment.algorithm_names(), out)?;
    shown.publish(&experiment.run(&Terminal::default())?, out)
}
