//! The experiment behind `cargo xtask compare`: strategies on functions, by the evaluations that they need.
//!
//! Knows what a trial is made of and how outcomes are shown; how they are run and kept is the laboratory's business.

use std::path::PathBuf;

use clap::Args;
use ddcma_core::StopCriteria;
use serde::Serialize;

use crate::lab::names::{Form, StrategyName};
use crate::lab::page::Page;
use crate::lab::picture::{Axis, COLOURS, Panel, Series, grid, run_time_distribution, single};
use crate::lab::problem::FunctionName;
use crate::lab::records::{Records, write_file};
use crate::lab::settings::{self, Choice};
use crate::lab::statistics::quantile;
use crate::lab::trial::{self, Conditions, TrialOutcome};
use crate::lab::{self, LabError, fingerprint, pool, table};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Functions by their names.
    #[arg(
        long,
        help = lab::problem::help("; `all` for all of them"),
        num_args = 1..,
        value_delimiter = ',',
        default_value = "sphere,ellipsoid,ellipsoid-rotated,discus,ellcig,elldis,rosenbrock"
    )]
    pub functions: Vec<String>,
    /// Dimensions, separated by commas or spaces.
    #[arg(long, alias = "dim", num_args = 1.., value_delimiter = ',', default_values_t = [20], value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Strategies, separated by commas or spaces.
    #[arg(long, alias = "strategy", value_enum, num_args = 1.., value_delimiter = ',', default_values_t = StrategyName::ALL)]
    pub strategies: Vec<StrategyName>,
    /// Population sizes, separated by commas or spaces. Default: 4 + ⌊3 ln n⌋.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = lab::population)]
    pub lambda: Vec<u32>,
    /// Trials of each combination.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: u32,
    /// The function value to reach.
    #[arg(long, default_value = "1e-8")]
    pub target: f64,
    /// Evaluations of a trial at the most, for each variable. Default: the suite's, 50000, and 200000 for Rastrigin.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: Option<u64>,
    /// The seed of the first trial; the next ones follow.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Strategy parameters.
    #[arg(long = "set", value_name = "NAME=VALUE", help = settings::help())]
    pub set: Vec<Choice>,
    /// Threads. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// The folder for records, tables and pictures. The same command continues there, and trials that are on record are
    /// not run again; tables and pictures are of the last command.
    #[arg(long, default_value = "target/compare", value_name = "DIR")]
    pub out: PathBuf,
    /// Where to write one row for each trial. Default: `trials.csv` in that folder.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// Everything that the outcome of a single trial depends on, beside its key.
#[derive(Serialize)]
struct Configuration<'a> {
    code: String,
    target: f64,
    budget: Option<u64>,
    set: &'a [Choice],
}

/// One run.
struct Trial {
    function: FunctionName,
    n: usize,
    strategy: StrategyName,
    lambda: usize,
    trial: u32,
    seed: u64,
}

impl Trial {
    fn key(&self) -> String {
        let Self { function, n, strategy, lambda, seed, .. } = self;
        format!("{function}/n={n}/{}/lambda={lambda}/seed={seed}", strategy.name())
    }

    /// What trials have in common that are summed up in one row.
    fn group(&self) -> (FunctionName, usize, usize, StrategyName) {
        (self.function, self.n, self.lambda, self.strategy)
    }
}

/// A row of the table: trials that differ by their seeds only.
struct Row {
    function: FunctionName,
    n: usize,
    lambda: usize,
    strategy: StrategyName,
    outcomes: Vec<TrialOutcome>,
    /// Its median over the least median of the strategies.
    ratio: f64,
}

impl Row {
    /// Evaluations of each trial; infinite for those that failed.
    fn evaluations(&self) -> Vec<f64> {
        let cost = |outcome: &TrialOutcome| if outcome.success { outcome.evaluations as f64 } else { f64::INFINITY };
        self.outcomes.iter().map(cost).collect()
    }

    fn quartiles(&self) -> [f64; 3] {
        [0.25, 0.5, 0.75].map(|q| quantile(&self.evaluations(), q))
    }

    fn successes(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.success).count()
    }
}

/// Runs the experiment and prints its table.
pub fn run(options: &Options) -> Result<(), LabError> {
    lab::check_target(options.target)?;
    settings::check(&options.strategies, &options.set)?;
    let trials = trials(options)?;
    let Options { target, budget, set, .. } = options;
    let configuration = Configuration { code: fingerprint::of_code(), target: *target, budget: *budget, set };
    lab::check_file(options.csv.as_deref(), &options.out)?;
    let mut records = Records::open(&options.out, "compare", &configuration)?;
    pool::run(&trials, Trial::key, options.jobs, &mut records, |trial| run_trial(trial, options))?;
    report(options, &trials, &records)
}

fn functions(names: &[String]) -> Result<Vec<FunctionName>, LabError> {
    let mut functions: Vec<FunctionName> = Vec::new();
    for name in names {
        if name == "all" {
            functions.extend(Form::all().into_iter().map(FunctionName::Ours));
        } else {
            functions.push(name.parse()?);
        }
    }
    Ok(lab::once(&functions))
}

/// All trials, after a look at each combination: what cannot be run is an error before any work starts.
fn trials(options: &Options) -> Result<Vec<Trial>, LabError> {
    let mut trials = Vec::new();
    // The largest dimensions first: they take longest, and should not come last on a pool.
    let mut dims = lab::once(&options.dims);
    dims.sort_unstable_by(|a, b| b.cmp(a));
    for n in dims.into_iter().map(|n| n as usize) {
        options.budget.map(|budget| lab::budget(budget, n)).transpose()?;
        for function in functions(&options.functions)? {
            function.check(n, options.seed)?;
            function.check(n, options.seed.saturating_add(u64::from(options.trials - 1)))?;
            let mut lambdas: Vec<Option<usize>> =
                lab::once(&options.lambda).into_iter().map(|lambda| Some(lambda as usize)).collect();
            if lambdas.is_empty() {
                lambdas.push(None);
            }
            for lambda in lambdas {
                for strategy in lab::once(&options.strategies) {
                    let params = settings::settings(strategy, lambda, &options.set)?.params(n);
                    let params = params.map_err(|error| LabError::new(format!("{}: {error}", strategy.name())))?;
                    let lambda = params.lambda();
                    for trial in 0..options.trials {
                        let seed = lab::seed(options.seed, trial)?;
                        trials.push(Trial { function, n, strategy, lambda, trial, seed });
                    }
                }
            }
        }
    }
    Ok(trials)
}

fn run_trial(trial: &Trial, options: &Options) -> Result<TrialOutcome, LabError> {
    let Trial { function, n, strategy, lambda, seed, .. } = *trial;
    let settings = settings::settings(strategy, Some(lambda), &options.set)?;
    function.with(n, seed, |problem| {
        let budget = options.budget.map_or(problem.budget, |budget| budget * n as u64);
        let stops = StopCriteria::none().target(options.target).max_evaluations(budget);
        trial::run(strategy, problem, Conditions { settings: &settings, stops, seed })
    })?
}

fn report(options: &Options, trials: &[Trial], records: &Records<TrialOutcome>) -> Result<(), LabError> {
    let mut sorted: Vec<&Trial> = trials.iter().collect();
    sorted.sort_by_key(|trial| (trial.group(), trial.trial));
    let outcome = |trial: &Trial| records.get(&trial.key()).expect("every trial has been run");
    let csv_path = options.csv.clone().unwrap_or_else(|| options.out.join("trials.csv"));
    write_file(&csv_path, &csv(&sorted, outcome))?;

    let mut rows: Vec<Row> = Vec::new();
    for group in sorted.chunk_by(|a, b| a.group() == b.group()) {
        let Trial { function, n, lambda, strategy, .. } = *group[0];
        let outcomes = group.iter().map(|trial| outcome(trial).clone()).collect();
        rows.push(Row { function, n, lambda, strategy, outcomes, ratio: f64::NAN });
    }
    for rivals in rows.chunk_by_mut(|a, b| (a.function, a.n, a.lambda) == (b.function, b.n, b.lambda)) {
        let best = rivals.iter().map(|row| row.quartiles()[1]).fold(f64::INFINITY, f64::min);
        rivals.iter_mut().for_each(|row| row.ratio = row.quartiles()[1] / best);
    }
    let head = ["function", "n", "λ", "strategy", "successes", "median evaluations", "quartiles", "over the best"];
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let text = table::text(&head, &cells);
    write_file(&options.out.join("table.txt"), &text)?;

    let pictures = [
        ("dimensions.svg", "Median evaluations to the target, with quartiles", dimensions(&rows)),
        ("runtimes.svg", "Share of trials that have reached the target", run_times(&rows)),
        ("convergence.svg", "Best value of the median trial", convergence(&rows)),
    ];
    let mut page = Page::new("Comparison of strategies");
    page.paragraph(&format!(
        "Evaluations until a value of {:e} was found, {} trials each. Quartiles count failures as infinite.",
        options.target, options.trials
    ));
    let choices: Vec<String> = options.set.iter().map(|choice| String::from(choice.clone())).collect();
    if !choices.is_empty() {
        page.paragraph(&format!("With {}.", choices.join(", ")));
    }
    let marked: Vec<(Vec<String>, bool)> =
        cells.iter().zip(&rows).map(|(c, row)| (c.clone(), row.ratio == 1.0)).collect();
    page.table(&head, &marked);
    for (name, title, panels) in &pictures {
        write_file(&options.out.join(name), &grid(title, 3, panels)?)?;
        page.heading(title);
        page.pictures(&panels.iter().map(single).collect::<Result<Vec<_>, _>>()?);
    }
    let html = options.out.join("index.html");
    write_file(&html, &page.html())?;

    println!("{text}");
    println!("* the best of its function; failures count as infinite in medians and quartiles");
    println!("one row for each trial: {}", csv_path.display());
    println!("page with pictures:     {}", html.display());
    Ok(())
}

fn csv<'a>(sorted: &[&Trial], outcome: impl Fn(&Trial) -> &'a TrialOutcome) -> String {
    let mut csv = String::from(
        "function,rotated,n,strategy,lambda,trial,seed,success,evaluations,iterations,best_f,stop,internal_seconds\n",
    );
    for trial in sorted {
        let TrialOutcome { success, evaluations, iterations, best_f, stop, internal_seconds, .. } = outcome(trial);
        let Trial { function, n, strategy, lambda, trial, seed } = trial;
        let (function, rotated, strategy) = (function.function(), u8::from(function.is_rotated()), strategy.name());
        csv += &format!(
            "{function},{rotated},{n},{strategy},{lambda},{trial},{seed},{},{evaluations},{iterations},{best_f:e},{stop},\
             {internal_seconds:.6}\n",
            u8::from(*success)
        );
    }
    csv
}

fn cells(row: &Row) -> Vec<String> {
    let [low, median, high] = row.quartiles().map(table::count);
    let ratio = if row.ratio.is_finite() { format!("{:.2}", row.ratio) } else { "–".to_string() };
    let mark = if row.ratio == 1.0 { "*" } else { " " };
    vec![
        row.function.to_string(),
        row.n.to_string(),
        row.lambda.to_string(),
        row.strategy.name().to_string(),
        format!("{}/{}", row.successes(), row.outcomes.len()),
        median,
        format!("{low} … {high}"),
        ratio + mark,
    ]
}

/// Rows that belong into one panel, by function or by function and dimension.
fn panels<'a, K: Ord>(rows: &'a [Row], key: impl Fn(&Row) -> K) -> Vec<Vec<&'a Row>> {
    let mut groups: std::collections::BTreeMap<K, Vec<&'a Row>> = std::collections::BTreeMap::new();
    rows.iter().for_each(|row| groups.entry(key(row)).or_default().push(row));
    groups.into_values().collect()
}

/// A line without points, as it is named and drawn in all pictures: by the strategy, and by λ if there are several.
fn line(row: &Row, rivals: &[&Row]) -> Series {
    let of_strategy = |other: &&&Row| (other.n, other.strategy) == (row.n, row.strategy);
    let lambdas: Vec<usize> = rivals.iter().filter(of_strategy).map(|other| other.lambda).collect();
    let strategy = row.strategy.name();
    let name = if lambdas.len() > 1 { format!("{strategy}, λ = {}", row.lambda) } else { strategy.to_string() };
    let place = lambdas.iter().position(|lambda| *lambda == row.lambda).unwrap_or(0);
    let color = row.strategy.color() + 3 * place;
    Series { name: Some(name), color, dashed: color >= COLOURS.len(), ..Series::default() }
}

/// A panel for each function, evaluations against dimension: medians, with quartiles.
fn dimensions(rows: &[Row]) -> Vec<Panel> {
    let mut all = Vec::new();
    for group in panels(rows, |row| row.function) {
        let mut series: Vec<Series> = Vec::new();
        for row in &group {
            let new = Series { marked: true, ..line(row, &group) };
            let [low, median, high] = row.quartiles();
            let line = series.iter().position(|line| line.name == new.name).unwrap_or(series.len());
            if line == series.len() {
                series.push(new);
            }
            series[line].points.push((row.n as f64, median));
            series[line].bars.push((row.n as f64, low, high));
        }
        let mut dims: Vec<f64> = group.iter().map(|row| row.n as f64).collect();
        dims.dedup();
        let x = Axis::log("n").ticks(&dims);
        let (title, y) = (group[0].function.to_string(), Axis::log("evaluations"));
        all.push(Panel { title, x, y, series });
    }
    all
}

/// A panel for each function and dimension: the share of trials at the target against evaluations.
fn run_times(rows: &[Row]) -> Vec<Panel> {
    let mut all = Vec::new();
    for group in panels(rows, |row| (row.function, row.n)) {
        let last = group.iter().flat_map(|row| &row.outcomes).map(|outcome| outcome.evaluations).max().unwrap_or(1);
        let line = |row: &&Row| {
            let successes: Vec<f64> = row.evaluations().into_iter().filter(|cost| cost.is_finite()).collect();
            Series { points: run_time_distribution(&successes, row.outcomes.len(), last as f64), ..line(row, &group) }
        };
        all.push(Panel {
            title: format!("{}, n = {}", group[0].function, group[0].n),
            x: Axis::log("evaluations"),
            y: Axis::linear("share of trials").range(0.0, 1.02),
            series: group.iter().map(line).collect(),
        });
    }
    all
}

/// A panel for each function and dimension: the best value of the median trial against evaluations.
fn convergence(rows: &[Row]) -> Vec<Panel> {
    let mut all = Vec::new();
    for group in panels(rows, |row| (row.function, row.n)) {
        let line = |row: &&Row| {
            let mut ranked: Vec<&TrialOutcome> = row.outcomes.iter().collect();
            // Failures come last, by how far they got.
            ranked.sort_by(|a, b| {
                let key =
                    |outcome: &TrialOutcome| (!outcome.success, if outcome.success { outcome.evaluations } else { 0 });
                key(a).cmp(&key(b)).then(a.best_f.total_cmp(&b.best_f))
            });
            let points =
                ranked[ranked.len() / 2].course.iter().map(|(evaluations, value)| (*evaluations as f64, *value));
            Series { points: points.collect(), ..line(row, &group) }
        };
        all.push(Panel {
            title: format!("{}, n = {}", group[0].function, group[0].n),
            x: Axis::linear("evaluations"),
            y: Axis::log("best value"),
            series: group.iter().map(line).collect(),
        });
    }
    all
}
