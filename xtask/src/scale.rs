//! `cargo xtask scale`: determines by simulation how many workers are useful.
//!
//! Evaluations take random times on workers of different speeds; a manager assigns them one by one, as in `ddcma-mpi`, and spends
//! time on each message and on each generation. The evaluations that a λ needs come from the trials of `compare`.

mod picture;
mod simulation;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;

use crate::lab::records::write_file;
use crate::lab::{LabError, table};
use simulation::{Rule, Speeds, simulate};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Read the trials of `cargo xtask compare --lambda …` from this file, to include the effect of λ on evaluations. Without it, only
    /// efficiencies are shown.
    #[arg(long, value_name = "FILE")]
    pub trials: Option<PathBuf>,
    /// Limit the number of workers.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub workers: u32,
    /// Set the minimum number of evaluations that are simulated for each number in a table.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(100..))]
    pub evaluations: u32,
    /// Simulate these mean times of an evaluation, in seconds.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_values_t = [0.001, 0.1, 10.0])]
    pub seconds: Vec<f64>,
    /// Set the manager's seconds for the messages of one evaluation.
    #[arg(long, default_value_t = 5e-6)]
    pub message: f64,
    /// Set the manager's seconds for one candidate: its share of `ask` and `tell`.
    #[arg(long, default_value_t = 1e-6)]
    pub candidate: f64,
    /// Write the picture to this file.
    #[arg(long, value_name = "FILE", default_value = "target/scale/scale.svg")]
    pub picture: PathBuf,
}

/// The times of an evaluation and a message, in seconds.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// The mean time of an evaluation.
    evaluation: f64,
    /// The manager's time for the messages of an evaluation.
    message: f64,
    /// The manager's time for a candidate in `ask` and `tell`.
    candidate: f64,
}

/// Numbers of workers: 1, 10, 100, …
fn powers(base: usize, most: usize) -> Vec<usize> {
    std::iter::successors(Some(1), |w| Some(w * base)).take_while(|w| *w <= most).collect()
}

/// Prints tables, and draws a picture.
pub fn run(options: &Options) -> Result<(), LabError> {
    let positive = |x: &f64| x.is_finite() && *x > 0.0;
    if options.seconds.is_empty() || !options.seconds.iter().all(positive) {
        return Err(LabError::new("--seconds must be positive numbers"));
    }
    if !(options.message >= 0.0 && options.candidate >= 0.0 && (options.message + options.candidate).is_finite()) {
        return Err(LabError::new("--message and --candidate must be at least 0"));
    }
    println!("{}", efficiencies(options));
    let Some(trials) = &options.trials else { return Ok(()) };
    let functions = generations(trials)?;
    let (text, panels) = wall_clock(options, &functions);
    println!("{text}");
    write_file(&options.picture, &picture::draw(panels)?)?;
    println!("{}", options.picture.display());
    Ok(())
}

/// Returns the utilization of workers, in percent, by speeds, rule, λ per worker, and number of workers. Excludes the manager's time.
fn efficiencies(options: &Options) -> String {
    let costs = Costs { evaluation: 1.0, message: 0.0, candidate: 0.0 };
    let workers: Vec<usize> = powers(10, options.workers as usize).into_iter().skip(1).collect();
    let mut rows = Vec::new();
    for speeds in Speeds::ALL {
        for rule in [Rule::WaitForAll, Rule::EndAt(0.9), Rule::EndAt(0.8)] {
            for multiple in [1, 2, 4, 8] {
                let mut row = vec![speeds.to_string(), rule.to_string(), multiple.to_string()];
                row.extend(workers.iter().map(|w| {
                    let simulated = simulate(*w, multiple * w, speeds, rule, costs, options.evaluations as usize);
                    format!("{:.0}", 100.0 * simulated.efficiency)
                }));
                rows.push(row);
            }
        }
    }
    let counts: Vec<String> = workers.iter().map(|w| format!("{w} workers")).collect();
    let mut head = vec!["times", "generation ends", "λ / workers"];
    head.extend(counts.iter().map(String::as_str));
    format!(
        "Simulated: the share of the workers' time, in percent, that goes into values which are told.\n\n{}",
        table::markdown(&head, &rows)
    )
}

/// The generations to the target by λ.
type ByLambda = BTreeMap<usize, f64>;

/// A trial of `compare`, as its CSV file has it; other columns are ignored.
#[derive(Deserialize)]
struct Row {
    function: String,
    rotated: u8,
    n: usize,
    strategy: String,
    lambda: usize,
    success: u8,
    evaluations: f64,
}

/// The median generations to the target by strategy, function and λ; a λ with a failure is left out.
fn generations(file: &std::path::Path) -> Result<BTreeMap<String, ByLambda>, LabError> {
    let unreadable = |error: csv::Error| LabError::new(format!("{} could not be read: {error}", file.display()));
    let mut reader = csv::Reader::from_path(file).map_err(unreadable)?;
    let head = reader.headers().map_err(unreadable)?;
    for column in ["function", "rotated", "n", "strategy", "lambda", "success", "evaluations"] {
        if !head.iter().any(|found| found == column) {
            return Err(LabError::new(format!("{} has no column {column}", file.display())));
        }
    }
    let mut trials: BTreeMap<(String, usize), Vec<f64>> = BTreeMap::new();
    for row in reader.deserialize() {
        let Row { function, rotated, n, strategy, lambda, success, evaluations } = row.map_err(unreadable)?;
        let generations = if success == 1 { evaluations / lambda as f64 } else { f64::INFINITY };
        let rotation = if rotated == 1 { "-rotated" } else { "" };
        let name = format!("{strategy} on {function}{rotation}, n = {n}");
        trials.entry((name, lambda)).or_default().push(generations);
    }
    let mut functions: BTreeMap<String, ByLambda> = BTreeMap::new();
    for ((name, lambda), mut generations) in trials {
        generations.sort_by(f64::total_cmp);
        let median = generations[generations.len() / 2];
        if generations[generations.len() - 1].is_finite() {
            functions.entry(name).or_default().insert(lambda, median);
        }
    }
    if functions.is_empty() {
        return Err(LabError::new(format!("{} has no λ that solves all of its trials", file.display())));
    }
    Ok(functions)
}

/// The best λ for a number of workers, and the time to the target.
#[derive(Clone, Copy, Debug)]
struct Best {
    workers: usize,
    lambda: usize,
    seconds: f64,
}

/// Returns the time to the target for a number of workers, with the best recorded λ.
fn best(workers: usize, by_lambda: &ByLambda, costs: Costs, evaluations: usize) -> Best {
    let times = by_lambda.iter().map(|(lambda, generations)| {
        // More workers than candidates have nothing to do.
        let simulated =
            simulate(workers.min(*lambda), *lambda, Speeds::LogNormal, Rule::WaitForAll, costs, evaluations);
        Best { workers, lambda: *lambda, seconds: generations * simulated.generation }
    });
    times.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("a λ is on record")
}

/// Returns the number of workers beyond which twice as many gain less than a tenth.
fn worth_it(bests: &[Best]) -> usize {
    let gains = |pair: &&[Best]| pair[1].seconds < 0.9 * pair[0].seconds;
    bests.windows(2).filter(gains).map(|pair| pair[1].workers).max().unwrap_or(1)
}

/// Returns tables of times to the target by function, mean time of an evaluation and number of workers.
fn wall_clock(options: &Options, functions: &BTreeMap<String, ByLambda>) -> (String, Vec<picture::Lines>) {
    let doublings = powers(2, options.workers as usize);
    let (mut text, mut panels) = (String::new(), Vec::new());
    for (name, by_lambda) in functions {
        let head = ["λ", "generations", "evaluations", "over the smallest λ"];
        let first = by_lambda.iter().next().map_or(1.0, |(lambda, generations)| *lambda as f64 * generations);
        let rows: Vec<Vec<String>> = by_lambda
            .iter()
            .map(|(lambda, generations)| {
                let evaluations = *lambda as f64 * generations;
                let [generations, ratio] = [format!("{generations:.0}"), format!("{:.1}", evaluations / first)];
                vec![lambda.to_string(), generations, format!("{evaluations:.0}"), ratio]
            })
            .collect();
        text += &format!("{name}: medians of the trials of `compare`.\n\n{}\n", table::markdown(&head, &rows));

        let (mut rows, mut series) = (Vec::new(), Vec::new());
        for seconds in &options.seconds {
            let costs = Costs { evaluation: *seconds, message: options.message, candidate: options.candidate };
            // A few generations are enough: the time need not be exact to the percent.
            let evaluations = (options.evaluations / 10).max(100) as usize;
            let bests: Vec<Best> = doublings.iter().map(|w| best(*w, by_lambda, costs, evaluations)).collect();
            let one = bests[0].seconds;
            let shown = bests
                .iter()
                .step_by(2)
                .map(|best| format!("{} ({}, {:.0}×)", duration(best.seconds), best.lambda, one / best.seconds));
            let mut row = vec![duration(*seconds)];
            row.extend(shown);
            row.push(worth_it(&bests).to_string());
            rows.push(row);
            let points = bests.iter().map(|best| (best.workers as f64, one / best.seconds)).collect();
            series.push((format!("{} for an evaluation", duration(*seconds)), points));
        }
        let counts: Vec<String> = doublings.iter().step_by(2).map(|w| format!("{w}")).collect();
        let mut head = vec!["time of an evaluation"];
        head.extend(counts.iter().map(String::as_str));
        head.push("worth it up to");
        text += &format!(
            "{name}: simulated time to the target by the number of workers, with the λ that gives it and the speed-up over one \
             worker.\nMore workers than in the last column gain less than a tenth by being doubled.\n\n{}\n",
            table::markdown(&head, &rows)
        );
        panels.push(picture::Lines { title: name.clone(), series });
    }
    (text, panels)
}

/// Formats a time with its unit.
fn duration(seconds: f64) -> String {
    match seconds {
        ..1e-3 => format!("{:.3} ms", 1e3 * seconds),
        ..1.0 => format!("{:.0} ms", 1e3 * seconds),
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.0} d", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_worth_it_as_long_as_doubling_them_gains_a_tenth() {
        let of = |times: &[f64]| {
            let bests =
                times.iter().enumerate().map(|(k, seconds)| Best { workers: 1 << k, lambda: 1, seconds: *seconds });
            worth_it(&bests.collect::<Vec<Best>>())
        };
        assert_eq!(of(&[8.0, 4.0, 2.0, 1.9, 1.9]), 4);
        assert_eq!(of(&[8.0, 8.0]), 1);
    }

    #[test]
    fn times_have_units() {
        let texts = [5e-6, 0.001, 0.25, 10.0, 600.0, 86_400.0, 864_000.0].map(duration);
        assert_eq!(texts, ["0.005 ms", "1 ms", "250 ms", "10 s", "10 min", "24.0 h", "10 d"]);
    }
}
