//! Compares optimizers of other crates with dd-CMA-ES, plain and separable CMA-ES: the evaluations that each needs, and its seconds without
//! those of the objective function.
//!
//! Run it with `cargo run --release --package ddcma-benches --features peers --example peers`, or as `cargo xtask bench target`. To add
//! your own, implement `ddcma_lab::Algorithm` and add a line in `compare`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]

use std::collections::BTreeMap;
use std::process::ExitCode;

use ddcma_benches::flags::Flags;
use ddcma_benches::peers::{Basin, Cmaes, Fcmaes};
use ddcma_lab::{Algorithm, Experiment, LabError, Outcomes, Planned, Silent, TrialOutcome, dd, plain, sep, suite};
use ddcma_lab::{statistics, table};

fn compare() -> Result<(), LabError> {
    let flags = Flags::of_program(&["dims", "strategies", "against", "csv"])?;
    flags.check_csv()?;
    let strategies: Vec<String> = flags.list("strategies", "dd,plain,sep")?;
    let ours = [dd(), plain(), sep()].into_iter().filter(|ours| strategies.iter().any(|name| name == ours.name()));
    let mut experiment = Experiment::new().algorithms(ours);
    if flags.text("against", "all") == "all" {
        experiment = experiment.algorithm(Cmaes).algorithm(Fcmaes).algorithm(Basin);
    }
    // Your own algorithm: experiment = experiment.algorithm(Mine);
    let outcomes = experiment
        .problems(suite(["ellipsoid", "ellipsoid-rotated", "ellcig", "rosenbrock"])?)
        .dimensions(flags.list("dims", "10,40")?)
        .trials(3)
        .budget_per_variable(5_000)
        // A second trial at the same time would slow down the first one.
        .jobs(1)
        .run(&Silent)?;
    print!("{}", side_by_side(&outcomes));
    if let Some(path) = flags.write_csv(&csv(&outcomes))? {
        println!("written to {path}");
    }
    Ok(())
}

/// The trials of each algorithm on a problem, in one dimension.
#[derive(Default)]
struct Row<'a> {
    name: String,
    trials: BTreeMap<usize, Vec<&'a TrialOutcome>>,
}

/// A row for each problem and dimension; for each algorithm the medians of evaluations and of seconds over the trials that reached the
/// target, and how many these are, if not all.
fn side_by_side(outcomes: &Outcomes) -> String {
    let mut algorithms: BTreeMap<usize, &str> = BTreeMap::new();
    let mut rows: BTreeMap<(usize, usize), Row<'_>> = BTreeMap::new();
    for (planned, outcome) in outcomes.iter() {
        algorithms.insert(planned.algorithm_index, &planned.algorithm);
        let row = rows.entry((planned.problem_index, planned.n)).or_default();
        row.name = format!("{}, n = {}", planned.problem, planned.n);
        row.trials.entry(planned.algorithm_index).or_default().push(outcome);
    }
    let cell = |trials: &Vec<&TrialOutcome>| {
        let successful: Vec<&&TrialOutcome> = trials.iter().filter(|trial| trial.success).collect();
        let median = |of: fn(&TrialOutcome) -> f64| {
            statistics::median(&successful.iter().map(|trial| of(trial)).collect::<Vec<f64>>())
        };
        let (evaluations, seconds) = (median(|trial| trial.evaluations as f64), median(|trial| trial.internal_seconds));
        match successful.len() {
            0 => "–".to_string(),
            all if all == trials.len() => format!("{evaluations:.0} {seconds:.4} s"),
            some => format!("({some}/{}) {evaluations:.0} {seconds:.4} s", trials.len()),
        }
    };
    let lines =
        rows.into_values().map(|Row { name, trials }| std::iter::once(name).chain(trials.values().map(cell)).collect());
    let head: Vec<&str> = std::iter::once("").chain(algorithms.values().copied()).collect();
    table::text(&head, &lines.collect::<Vec<Vec<String>>>())
}

/// A line for each trial.
fn csv(outcomes: &Outcomes) -> String {
    let line = |(planned, outcome): (&Planned, &TrialOutcome)| {
        let TrialOutcome { success, evaluations, internal_seconds, best_f, stop, .. } = outcome;
        let success = u8::from(*success);
        format!(
            "{},{},{},{},{success},{evaluations},{internal_seconds},{best_f:e},{stop}\n",
            planned.problem, planned.n, planned.algorithm, planned.seed
        )
    };
    let head = "function,n,algorithm,seed,success,evaluations,seconds,best_f,stop\n".to_string();
    head + &outcomes.iter().map(line).collect::<String>()
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
