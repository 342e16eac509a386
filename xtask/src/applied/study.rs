//! Algorithms on the applied problems, in trials that are kept. Knows what is compared, and no problem.

use std::collections::BTreeMap;
use std::path::Path;

use ddcma_core::{Settings, StepSize, StopCriteria};
use ddcma_lab::cli::Terminal;
use ddcma_lab::statistics::{Cost, paired_ratio};
use ddcma_lab::{AppliedFamily, Experiment, Family, StrategyAlgorithm, dd, plain, sep};
use ddcma_problems::applied::{Applied, Start};
use ddcma_restarts::Bipop;

use super::Options;
use crate::lab::records::write_file;
use crate::lab::{LabError, table};

/// Single runs with the usual stop criteria.
fn single() -> Vec<StrategyAlgorithm> {
    let tpa = dd().settings(Settings::new().step_size(StepSize::Tpa)).named("dd, TPA");
    [dd(), plain(), sep(), tpa].into_iter().map(|algorithm| algorithm.criteria(StopCriteria::new())).collect()
}

/// Searches with restarts.
fn with_restarts() -> Vec<StrategyAlgorithm> {
    let searches = [(dd(), "dd, BIPOP"), (plain(), "plain, BIPOP"), (sep(), "sep, BIPOP")];
    searches.into_iter().map(|(algorithm, name)| algorithm.policy(Bipop::new()).named(name)).collect()
}

/// The problems of the command line, or all: with the scaled start and, where that is another one and is asked for, the naive one.
fn families(options: &Options, with_naive: bool) -> Result<Vec<AppliedFamily>, LabError> {
    if !options.problems.is_empty() {
        return options.problems.iter().map(|name| AppliedFamily::from_name(name)).collect();
    }
    let families = Applied::all().into_iter().flat_map(|problem| {
        let naive = with_naive && !problem.is_evenly_scaled();
        let naive = naive.then(|| AppliedFamily::new(problem.clone(), Start::Naive));
        [AppliedFamily::new(problem, Start::Scaled)].into_iter().chain(naive)
    });
    Ok(families.collect())
}

/// Outcomes of trials by problem and algorithm, each in the order of the experiment.
type Outcomes = Vec<(AppliedFamily, Vec<(String, Vec<(bool, u64)>)>)>;

fn outcomes(
    options: &Options,
    out: &Path,
    with_naive: bool,
    algorithms: impl Fn() -> Vec<StrategyAlgorithm>,
) -> Result<Outcomes, LabError> {
    let mut outcomes = Vec::new();
    for family in families(options, with_naive)? {
        let chosen = algorithms().into_iter().map(|algorithm| match options.sigma {
            Some(sigma) => algorithm.sigma(sigma),
            None => algorithm,
        });
        let mut experiment = Experiment::new().algorithms(chosen).problem(family.clone());
        experiment = experiment.dimensions([family.dimension()]).trials(options.trials).records(out);
        if let Some(jobs) = options.jobs {
            experiment = experiment.jobs(jobs);
        }
        eprintln!("{}", family.name());
        let mut by_algorithm: BTreeMap<usize, (String, Vec<(bool, u64)>)> = BTreeMap::new();
        for (planned, outcome) in experiment.run(&Terminal::default())?.iter() {
            let entry = by_algorithm.entry(planned.algorithm_index);
            let (_, trials) = entry.or_insert_with(|| (planned.algorithm.clone(), Vec::new()));
            trials.push((outcome.success, outcome.evaluations));
        }
        outcomes.push((family, by_algorithm.into_values().collect()));
    }
    Ok(outcomes)
}

/// Prints how often, and after how many evaluations, dd-CMA-ES with restarts reaches each best known value.
pub(super) fn reach(options: &Options, out: &Path) -> Result<(), LabError> {
    let outcomes =
        outcomes(options, out, false, || with_restarts().into_iter().take(1).collect::<Vec<StrategyAlgorithm>>())?;
    let head = ["problem", "n", "budget", "reached", "median evaluations", "expected evaluations"];
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .flat_map(|(family, algorithms)| algorithms.iter().map(move |(_, trials)| (family, Cost::of(trials))))
        .map(|(family, cost)| {
            vec![
                family.name().to_string(),
                family.dimension().to_string(),
                family.problem().budget().to_string(),
                format!("{}/{}", cost.successes, cost.trials),
                table::count(cost.median),
                table::count(cost.ert),
            ]
        })
        .collect();
    let text = table::markdown(&head, &rows);
    write_file(&out.join("reach.md"), &text)?;
    println!("{text}");
    let missed: Vec<&str> = outcomes
        .iter()
        .filter(|(_, algorithms)| algorithms.iter().any(|(_, trials)| trials.iter().all(|(success, _)| !success)))
        .map(|(family, _)| family.name())
        .collect();
    match missed.is_empty() {
        true => Ok(()),
        false => Err(LabError::new(format!("never reached: {}", missed.join(", ")))),
    }
}

/// Prints tables of all algorithms on all problems: single runs, and searches with restarts.
pub(super) fn study(options: &Options, out: &Path) -> Result<(), LabError> {
    let mut text = String::new();
    for (title, algorithms) in
        [("Single runs", single as fn() -> Vec<StrategyAlgorithm>), ("With BIPOP restarts", with_restarts)]
    {
        let outcomes = outcomes(options, out, true, algorithms)?;
        text += &format!(
            "{title}, {} trials: median evaluations of the successes (successes, with a 95 % interval of the success rate where not \
             all succeed), expected evaluations. dd/plain: geometric mean of the ratio of evaluations over pairs of trials with one \
             start, with its 95 % interval, where all trials of both succeed.\n\n",
            options.trials
        );
        let names: Vec<String> =
            algorithms().iter().map(|algorithm| ddcma_lab::Algorithm::name(algorithm).to_string()).collect();
        let names = names.iter().map(String::as_str);
        let head: Vec<&str> = ["problem", "start"].into_iter().chain(names).chain(["dd/plain"]).collect();
        let rows: Vec<Vec<String>> = outcomes.iter().map(|(family, algorithms)| row(family, algorithms)).collect();
        text += &table::markdown(&head, &rows);
        text += "\n";
    }
    write_file(&out.join("study.md"), &text)?;
    println!("{text}");
    Ok(())
}

fn row(family: &AppliedFamily, algorithms: &[(String, Vec<(bool, u64)>)]) -> Vec<String> {
    let cell = |trials: &Vec<(bool, u64)>| {
        let Cost { trials, successes, median, ert, .. } = Cost::of(trials);
        let interval = if successes == trials { String::new() } else { interval(successes, trials) };
        format!("{} ({successes}/{trials}{interval}), {}", table::count(median), table::count(ert))
    };
    let start = if family.problem().is_evenly_scaled() { "both".to_string() } else { family.start().to_string() };
    let cells = algorithms.iter().map(|(_, trials)| cell(trials));
    let ratio = ratio(&algorithms[0].1, &algorithms[1].1);
    [family.problem().name().to_string(), start].into_iter().chain(cells).chain([ratio]).collect()
}

/// Wilson's 95 % interval of a success rate.
fn interval(successes: usize, trials: usize) -> String {
    let (z, n) = (1.96f64, trials as f64);
    let rate = successes as f64 / n;
    let center = (rate + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    format!(": {:.0}–{:.0} %", 100.0 * (center - half).max(0.0), 100.0 * (center + half).min(1.0))
}

/// Evaluations of one algorithm over those of another one, with an interval; a dash if a trial failed.
fn ratio(one: &[(bool, u64)], other: &[(bool, u64)]) -> String {
    if !one.iter().chain(other).all(|(success, _)| *success) {
        return "–".to_string();
    }
    let evaluations = |trials: &[(bool, u64)]| -> Vec<f64> { trials.iter().map(|(_, count)| *count as f64).collect() };
    let (ratio, low, high) = paired_ratio(&evaluations(one), &evaluations(other));
    format!("{ratio:.2} ({low:.2}–{high:.2})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        assert_eq!(interval(10, 21), ": 28–68 %");
        assert_eq!(interval(0, 21), ": 0–15 %");
    }

    #[test]
    fn ratios_need_successes() {
        assert_eq!(ratio(&[(true, 50), (true, 100)], &[(true, 100), (true, 200)]), "0.50 (0.50–0.50)");
        assert_eq!(ratio(&[(true, 50)], &[(false, 100)]), "–");
    }
}
