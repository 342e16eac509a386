//! The experiment behind `cargo xtask restarts`: every policy with every strategy on functions with many minima.
//!
//! Knows how a trial is run and what its record holds; how records are kept is the laboratory's business.

use std::path::PathBuf;

use clap::Args;
use ddcma_core::Strategy;
use ddcma_restarts::{SearchOutcome, restarts};
use serde::{Deserialize, Serialize};

use crate::lab::names::{PolicyName, StrategyName, with_strategy};
use crate::lab::picture::{Axis, Panel, Series, grid, run_time_distribution};
use crate::lab::problem::{FunctionName, TrialProblem};
use crate::lab::records::{Records, number, write_file};
use crate::lab::statistics::Cost;
use crate::lab::{self, LabError, fingerprint, pool, table};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Policies, separated by commas or spaces.
    #[arg(long, alias = "policy", value_enum, num_args = 1.., value_delimiter = ',', default_values_t = PolicyName::ALL)]
    pub policies: Vec<PolicyName>,
    /// Strategies, separated by commas or spaces.
    #[arg(long, alias = "strategy", value_enum, num_args = 1.., value_delimiter = ',', default_values_t = StrategyName::ALL)]
    pub strategies: Vec<StrategyName>,
    /// Functions by their names.
    #[arg(long, help = lab::problem::help(""), num_args = 1.., value_delimiter = ',', default_values = ["rastrigin", "rastrigin-rotated", "bohachevsky", "bohachevsky-rotated"])]
    pub functions: Vec<FunctionName>,
    /// Dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [5], value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Trials of each combination.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: u32,
    /// Evaluations of a trial at the most, for each variable.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: u64,
    /// The function value to reach.
    #[arg(long, default_value = "1e-8")]
    pub target: f64,
    /// The initial step size. Default: the suite's, which is 2 for Rastrigin and 7 for Bohachevsky, and 2 for COCO's.
    ///
    /// Policies that shorten it at each restart, NIPOP and NBIPOP, want a wide one.
    #[arg(long)]
    pub sigma: Option<f64>,
    /// The seed of the first trial; the next ones follow.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// The folder for records, table and pictures. The same command continues there, and trials that are on record are
    /// not run again; table and pictures are of the last command.
    #[arg(long, default_value = "target/restarts", value_name = "DIR")]
    pub out: PathBuf,
    /// Where to write one row for each trial. Default: `trials.csv` in that folder.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// Everything that the outcome of a single trial depends on.
#[derive(Serialize)]
struct Configuration {
    code: String,
    budget: u64,
    target: f64,
    sigma: Option<f64>,
}

/// One search to run.
struct Trial {
    function: FunctionName,
    n: usize,
    strategy: StrategyName,
    policy: PolicyName,
    trial: u32,
    seed: u64,
}

impl Trial {
    fn key(&self) -> String {
        let Self { function, n, strategy, policy, seed, .. } = self;
        format!("{function}/n={n}/{}/{}/seed={seed}", strategy.name(), policy.name())
    }
}

/// What is kept of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Record {
    success: bool,
    evaluations: u64,
    runs: usize,
    largest_lambda: usize,
    #[serde(with = "number")]
    best_f: f64,
    stop: String,
}

/// Runs the experiment and prints its table.
pub fn run(options: &Options) -> Result<(), LabError> {
    lab::check_target(options.target)?;
    if let Some(sigma) = options.sigma.filter(|sigma| !(*sigma > 0.0 && sigma.is_normal())) {
        return Err(LabError::new(format!("the initial step size {sigma} is not positive and finite")));
    }
    let trials = trials(options)?;
    let configuration = Configuration {
        code: fingerprint::of_code(),
        budget: options.budget,
        target: options.target,
        sigma: options.sigma,
    };
    lab::check_file(options.csv.as_deref(), &options.out)?;
    let mut records = Records::open(&options.out, "restarts", &configuration)?;
    pool::run(&trials, Trial::key, options.jobs, &mut records, |trial| search(trial, options))?;
    report(options, &trials, &records)
}

/// All trials, after a look at each instance: what cannot be built is an error before any work starts.
fn trials(options: &Options) -> Result<Vec<Trial>, LabError> {
    let mut trials = Vec::new();
    // The largest dimensions first: they take longest, and should not come last on a pool.
    let mut dims = lab::once(&options.dims);
    dims.sort_unstable_by(|a, b| b.cmp(a));
    for n in dims.into_iter().map(|n| n as usize) {
        lab::budget(options.budget, n)?;
        for function in lab::once(&options.functions) {
            function.check(n, options.seed)?;
            function.check(n, options.seed.saturating_add(u64::from(options.trials - 1)))?;
            for trial in 0..options.trials {
                let seed = lab::seed(options.seed, trial)?;
                for policy in lab::once(&options.policies) {
                    for strategy in lab::once(&options.strategies) {
                        trials.push(Trial { function, n, strategy, policy, trial, seed });
                    }
                }
            }
        }
    }
    Ok(trials)
}

fn search(trial: &Trial, options: &Options) -> Result<Record, LabError> {
    let outcome = trial.function.with(
        trial.n,
        trial.seed,
        |problem| with_strategy!(trial.strategy, S => search_with::<S>(trial, problem, options)),
    )??;
    Ok(Record {
        success: outcome.value <= options.target,
        evaluations: outcome.evaluations,
        runs: outcome.runs.len(),
        largest_lambda: outcome.runs.iter().map(|run| run.plan.lambda).max().unwrap_or(0),
        best_f: outcome.value,
        stop: outcome.stop.name().to_string(),
    })
}

fn search_with<S: Strategy>(
    trial: &Trial,
    problem: TrialProblem<'_>,
    options: &Options,
) -> Result<SearchOutcome, LabError> {
    let sigma = options.sigma.unwrap_or(problem.initial_sigma);
    let search = restarts(trial.policy.policy(), problem.starts, sigma).strategy::<S>();
    let search = search.settings(trial.strategy.settings());
    let search = search.target(options.target).max_evaluations(options.budget * trial.n as u64).seed(trial.seed);
    let outcome = search.minimize(|x: &[f64]| problem.objective.value(x));
    outcome.map_err(|error| LabError::new(format!("{}: {error}", trial.key())))
}

fn report(options: &Options, trials: &[Trial], records: &Records<Record>) -> Result<(), LabError> {
    let mut csv = String::from(
        "function,rotated,n,strategy,policy,trial,seed,success,evaluations,runs,largest_lambda,best_f,stop\n",
    );
    let mut rows = Vec::new();
    let mut sorted: Vec<&Trial> = trials.iter().collect();
    sorted.sort_by_key(|trial| (trial.function, trial.n, trial.policy, trial.strategy, trial.trial));
    let record = |trial: &Trial| records.get(&trial.key()).expect("every trial has been run");
    for trial in &sorted {
        let Trial { function, n, strategy, policy, trial: number, seed } = trial;
        let Record { success, evaluations, runs, largest_lambda, best_f, stop } = record(trial);
        csv += &format!(
            "{},{},{n},{},{},{number},{seed},{},{evaluations},{runs},{largest_lambda},{best_f:e},{stop}\n",
            function.function(),
            u8::from(function.is_rotated()),
            strategy.name(),
            policy.name(),
            u8::from(*success),
        );
    }
    let same =
        |a: &&Trial, b: &&Trial| (a.function, a.n, a.policy, a.strategy) == (b.function, b.n, b.policy, b.strategy);
    for group in sorted.chunk_by(same) {
        let Trial { function, n, strategy, policy, .. } = group[0];
        let outcomes: Vec<(bool, u64)> =
            group.iter().map(|trial| record(trial)).map(|record| (record.success, record.evaluations)).collect();
        let Cost { trials, successes, median, ert, sp1 } = Cost::of(&outcomes);
        let numbers = [median, ert, sp1].map(table::count);
        let names = [function.to_string(), n.to_string(), policy.name().to_string(), strategy.name().to_string()];
        rows.push([&names[..], &[format!("{successes}/{trials}")], &numbers[..]].concat());
    }
    let text =
        table::text(&["function", "n", "policy", "strategy", "successes", "median evaluations", "ERT", "SP1"], &rows);
    let csv_path = options.csv.clone().unwrap_or_else(|| options.out.join("trials.csv"));
    write_file(&csv_path, &csv)?;
    write_file(&options.out.join("table.txt"), &text)?;
    let pictures = pictures(options, &sorted, records)?;
    println!("{text}");
    println!("median evaluations and SP1: of the successful trials; ERT: all evaluations over the number of successes");
    println!("one row for each trial: {}", csv_path.display());
    for picture in pictures {
        println!("run-time distributions: {}", picture.display());
    }
    Ok(())
}

/// One picture for each function and dimension, a panel for each strategy, a line for each policy.
fn pictures(options: &Options, trials: &[&Trial], records: &Records<Record>) -> Result<Vec<PathBuf>, LabError> {
    let mut paths = Vec::new();
    for group in trials.chunk_by(|a, b| (a.function, a.n) == (b.function, b.n)) {
        let Trial { function, n, .. } = group[0];
        let budget = (options.budget * *n as u64) as f64;
        let line = |strategy: StrategyName, (color, &policy): (usize, &PolicyName)| -> Series {
            let of_line = group.iter().filter(|trial| (trial.strategy, trial.policy) == (strategy, policy));
            let outcomes: Vec<&Record> = of_line.filter_map(|trial| records.get(&trial.key())).collect();
            let successes = outcomes.iter().filter(|record| record.success).map(|record| record.evaluations as f64);
            let points = run_time_distribution(&successes.collect::<Vec<_>>(), outcomes.len(), budget);
            Series { name: Some(policy.name().to_string()), color, points, ..Series::default() }
        };
        let panel = |&strategy: &StrategyName| Panel {
            title: strategy.name().to_string(),
            x: Axis::log("evaluations"),
            y: Axis::linear("share of trials at the target").range(0.0, 1.02),
            series: options.policies.iter().enumerate().map(|of| line(strategy, of)).collect(),
        };
        let panels: Vec<Panel> = options.strategies.iter().map(panel).collect();
        let title =
            format!("{function}, n = {n}: share of {} trials that reached {:e}", options.trials, options.target);
        let svg = grid(&title, panels.len(), &panels)?;
        let path = options.out.join(format!("{function}-n{n}.svg"));
        write_file(&path, &svg)?;
        paths.push(path);
    }
    Ok(paths)
}
