//! The command `restarts`: every policy with every strategy. Knows its options, and what experiment they mean.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{dimension, sizes};
use super::registry::Registry;
use super::report::Shown;
use super::{Terminal, help};
use crate::{Experiment, LabError};

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
    /// Trials of each combination.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: u32,
    /// Evaluations of a trial at the most, for each variable.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    budget: u64,
    /// The value to reach, for problems that have none of their own.
    #[arg(long, default_value = "1e-8", allow_negative_numbers = true)]
    target: f64,
    /// The initial step size. Default: the problem's; 2 for Rastrigin and 7 for Bohachevsky.
    ///
    /// Policies that shorten it at each restart, NIPOP and NBIPOP, want a wide one.
    #[arg(long, allow_negative_numbers = true)]
    sigma: Option<f64>,
    /// The seed of the first trial; the next ones follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    shown: Shown,
    /// Threads. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// The folder for records, tables and pictures. The same command continues there, and trials that are on record are not run again;
    /// tables and pictures are of the last command.
    #[arg(long, default_value = "target/restarts", value_name = "DIR")]
    out: PathBuf,
}

/// What policies are compared on, unless somebody says otherwise.
const FUNCTIONS: [&str; 4] = ["rastrigin", "rastrigin-rotated", "bohachevsky", "bohachevsky-rotated"];

pub(crate) fn run(registry: &Registry, options: &Options) -> Result<(), LabError> {
    let Options { policies, strategies, functions, dims, trials, budget, target, sigma, seed, shown, jobs, out } =
        options;
    let mut experiment = Experiment::new().records(out);
    for algorithm in registry.restarted(strategies, &registry.policies(policies)?, *sigma)? {
        experiment = experiment.algorithm(algorithm);
    }
    for problem in registry.problems(functions, &FUNCTIONS)? {
        experiment = experiment.problem(problem);
    }
    experiment = experiment.dimensions(sizes(dims)).trials(*trials).target(*target).first_seed(*seed);
    experiment = experiment.budget_per_variable(*budget);
    if let Some(jobs) = jobs {
        experiment = experiment.jobs(*jobs);
    }
    shown.check(&experiment.algorithm_names(), out)?;
    shown.publish(&experiment.run(&Terminal::default())?, out)
}
