//! The command `restarts`: every policy with every strategy. Knows its options, and what experiment they mean.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{Trials, dimension, sizes};
use super::registry::Registry;
use super::report::Shown;
use super::{Terminal, help};
use crate::{Experiment, LabError, altered};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Policies, with parameters if you like.
    #[arg(long, alias = "policy", help = help::policies(), default_value = "all", num_args = 1..)]
    policies: Vec<String>,
    /// Strategies, with parameters if you like. Optimizers that are no strategies take part as they are.
    #[arg(long, aliases = ["strategy", "algorithms", "algorithm"], help = help::algorithms(), num_args = 1..)]
    strategies: Vec<String>,
    /// Problems by their names.
    #[arg(long, aliases = ["function", "problems", "problem"], help = help::functions(&FUNCTIONS), num_args = 1..)]
    functions: Vec<String>,
    /// Dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [5], value_parser = dimension)]
    dims: Vec<u32>,
    #[command(flatten)]
    trials: Trials,
    /// Evaluations of a trial at the most, for each variable. Default: those of an applied problem; 200000 for all others.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// The initial step size. Default: the problem's; 2 for Rastrigin and 7 for Bohachevsky.
    ///
    /// Policies that shorten it at each restart, NIPOP and NBIPOP, want a wide one.
    #[arg(long, allow_negative_numbers = true)]
    sigma: Option<f64>,
    #[command(flatten)]
    shown: Shown,
    /// The folder for records, tables and pictures. The same command continues there, and trials that are on record are not run again;
    /// tables and pictures are of the last command.
    #[arg(long, default_value = "target/restarts", value_name = "DIR")]
    out: PathBuf,
}

/// What policies are compared on, unless somebody says otherwise.
const FUNCTIONS: [&str; 4] = ["rastrigin", "rastrigin-rotated", "bohachevsky", "bohachevsky-rotated"];

/// Evaluations for each variable, for problems that are not made for restarts.
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
