//! Compares algorithms on the applied problems, with recorded trials.

use std::collections::BTreeMap;
use std::path::Path;

use ddcma_core::{Settings, StepSize, StopCriteria};
use ddcma_lab::cli::Terminal;
use ddcma_lab::statistics::{Cost, Effort, Interval, paired_ert_ratio, wilson};
use ddcma_lab::{AppliedFamily, Experiment, Family, StrategyAlgorithm, altered, dd, plain, sep};
use ddcma_problems::applied::{Applied, Start};

use super::{Options, Part};
use crate::lab::records::write_file;
use crate::lab::{LabError, table};

/// The name of the baseline that the others are compared with.
const BASELINE: &str = "plain";

/// dd-CMA-ES with the damping of D by the shortest axis of C.
fn shortest_axis() -> Result<StrategyAlgorithm, LabError> {
    dd().named("dd, shortest axis").choose("damping=shortest-axis".parse()?)
}

/// Single runs with the default stop criteria.
fn single() -> Result<Vec<StrategyAlgorithm>, LabError> {
    let tpa = dd().settings(Settings::new().step_size(StepSize::Tpa)).named("dd, TPA");
    let all = [dd(), plain(), sep(), tpa, shortest_axis()?];
    Ok(all.into_iter().map(|algorithm| algorithm.criteria(StopCriteria::new())).collect())
}

/// Searches with restarts. sep is left out, because its searches use up their budgets on most of these problems.
fn with_restarts(policy: &str) -> Result<Vec<StrategyAlgorithm>, LabError> {
    let named = |algorithm: StrategyAlgorithm| {
        let name = format!("{}/{policy}", ddcma_lab::Algorithm::name(&algorithm));
        algorithm.policy_named(policy).map(|algorithm| algorithm.named(name))
    };
    [dd(), plain(), shortest_axis()?].into_iter().map(named).collect()
}

/// Returns the problems of the command line, or all: with the scaled start and, if it differs and is requested, the naive one.
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

/// The trials of one algorithm on one problem.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) algorithm: String,
    pub(super) trials: Vec<Effort>,
}

/// Trials by problem and algorithm, each in the order of the experiment.
type Outcomes = Vec<(AppliedFamily, Vec<Cell>)>;

fn outcomes(
    options: &Options,
    out: &Path,
    families: Vec<AppliedFamily>,
    most: u64,
    algorithms: &[StrategyAlgorithm],
) -> Result<Outcomes, LabError> {
    let mut outcomes = Vec::new();
    for family in families {
        let chosen = algorithms.iter().cloned().map(|algorithm| match options.sigma {
            Some(sigma) => algorithm.sigma(sigma),
            None => algorithm,
        });
        let limited = altered(family.clone(), move |problem| problem.budget = problem.budget.min(most));
        let mut experiment = Experiment::new().algorithms(chosen).problem(limited).trials(options.trials).records(out);
        if let Some(jobs) = options.jobs {
            experiment = experiment.jobs(jobs);
        }
        eprintln!("{}", family.name());
        let mut by_algorithm: BTreeMap<usize, Cell> = BTreeMap::new();
        for (planned, outcome) in experiment.run(&Terminal::default())?.iter() {
            let entry = by_algorithm.entry(planned.algorithm_index);
            let cell = entry.or_insert_with(|| Cell { algorithm: planned.algorithm.clone(), trials: Vec::new() });
            let (success, evaluations, best) = (outcome.success, outcome.evaluations, outcome.best_f);
            cell.trials.push(Effort { success, evaluations, best });
        }
        outcomes.push((family, by_algorithm.into_values().collect()));
    }
    Ok(outcomes)
}

/// Prints how often, and after how many evaluations, dd-CMA-ES with restarts reaches each best known value.
pub(super) fn reach(options: &Options, out: &Path) -> Result<(), LabError> {
    let search = with_restarts(&options.policy)?;
    let outcomes = outcomes(options, out, families(options, false)?, u64::MAX, &search[..1])?;
    let head = ["problem", "n", "budget", "reached", "median evaluations", "expected evaluations"];
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .flat_map(|(family, cells)| cells.iter().map(move |cell| (family, cost(&cell.trials))))
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
    let never = |cells: &[Cell]| cells.iter().any(|cell| cell.trials.iter().all(|trial| !trial.success));
    let missed: Vec<&str> =
        outcomes.iter().filter(|(_, cells)| never(cells)).map(|(family, _)| family.name()).collect();
    match missed.is_empty() {
        true => Ok(()),
        false => Err(LabError::new(format!("never reached: {}", missed.join(", ")))),
    }
}

/// Prints tables of all algorithms on all problems: single runs, and searches with restarts.
pub(super) fn study(options: &Options, out: &Path) -> Result<(), LabError> {
    let mut text = String::new();
    let parts =
        [(Part::Single, "Single runs", single()?), (Part::Restarts, "With restarts", with_restarts(&options.policy)?)];
    let mut csv = "problem,algorithm,seed,success,evaluations,best\n".to_string();
    for (_, title, algorithms) in parts.into_iter().filter(|(part, ..)| options.part.is_none_or(|asked| asked == *part))
    {
        let outcomes = outcomes(options, out, families(options, true)?, options.most, &algorithms)?;
        for (family, cells) in &outcomes {
            csv += &cells.iter().map(|cell| csv_of(family.name(), cell)).collect::<String>();
        }
        text += &format!("{title}, {} trials\n\n{}\n{}\n", options.trials, costs(&outcomes), ratios(&outcomes));
    }
    write_file(&out.join("study.md"), &text)?;
    write_file(&out.join("trials.csv"), &csv)?;
    println!("{text}");
    Ok(())
}

/// A line for each trial.
fn csv_of(problem: &str, cell: &Cell) -> String {
    let line = |(k, trial): (usize, &Effort)| {
        let (algorithm, success) = (cell.algorithm.replace(", ", " "), u8::from(trial.success));
        format!("{problem},{algorithm},{},{success},{},{:e}\n", k + 1, trial.evaluations, trial.best)
    };
    cell.trials.iter().enumerate().map(line).collect()
}

/// Returns the name of the problem with its start.
fn names(family: &AppliedFamily) -> [String; 2] {
    let start = if family.problem().is_evenly_scaled() { "both".to_string() } else { family.start().to_string() };
    [family.problem().name().to_string(), start]
}

/// Returns successes and expected evaluations.
fn costs(outcomes: &Outcomes) -> String {
    let algorithms = outcomes.first().map_or(&[][..], |(_, cells)| cells).iter().map(|cell| cell.algorithm.as_str());
    let head: Vec<&str> = ["problem", "start"].into_iter().chain(algorithms).collect();
    let row = |(family, cells): &(AppliedFamily, Vec<Cell>)| -> Vec<String> {
        names(family).into_iter().chain(cells.iter().map(|cell| cost_in_words(&cell.trials))).collect()
    };
    table::markdown(&head, &outcomes.iter().map(row).collect::<Vec<_>>())
}

/// Returns the ratio of each algorithm's expected evaluations to those of the baseline.
fn ratios(outcomes: &Outcomes) -> String {
    let is_baseline = |cell: &&Cell| cell.algorithm.split('/').next() == Some(BASELINE);
    let Some((_, first)) = outcomes.first() else { return String::new() };
    let others = first.iter().filter(|cell| !is_baseline(cell)).map(|cell| format!("{} / {BASELINE}", cell.algorithm));
    let head: Vec<String> = ["problem", "start"].into_iter().map(String::from).chain(others).collect();
    let row = |(family, cells): &(AppliedFamily, Vec<Cell>)| -> Vec<String> {
        let baseline = cells.iter().find(is_baseline).map_or(&[][..], |cell| &cell.trials);
        let others = cells.iter().filter(|cell| !is_baseline(cell));
        names(family).into_iter().chain(others.map(|cell| ratio_in_words(&cell.trials, baseline))).collect()
    };
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table::markdown(&head, &outcomes.iter().map(row).collect::<Vec<_>>())
}

fn cost(trials: &[Effort]) -> Cost {
    Cost::of(&trials.iter().map(|trial| (trial.success, trial.evaluations)).collect::<Vec<_>>())
}

/// Formats expected evaluations and successes, with an interval unless all trials succeed.
pub(super) fn cost_in_words(trials: &[Effort]) -> String {
    let Cost { trials, successes, ert, .. } = cost(trials);
    if successes == trials {
        return table::count(ert);
    }
    let Interval { low, high } = wilson(successes, trials);
    let rate = format!("{successes}/{trials}: {:.0}–{:.0} %", 100.0 * low, 100.0 * high);
    if successes == 0 { format!("– ({rate})") } else { format!("{} ({rate})", table::count(ert)) }
}

/// Formats the ratio of the expected evaluations of two algorithms, with an interval.
pub(super) fn ratio_in_words(one: &[Effort], other: &[Effort]) -> String {
    let (ratio, low, high) = paired_ert_ratio(one, other);
    let number = |ratio: f64| match ratio {
        _ if ratio.is_nan() => "–".to_string(),
        _ if ratio.is_infinite() => "∞".to_string(),
        _ if ratio >= 10.0 => format!("{ratio:.0}"),
        _ => format!("{ratio:.2}"),
    };
    if ratio.is_nan() { "–".to_string() } else { format!("{} ({}–{})", number(ratio), number(low), number(high)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(outcomes: &[(bool, u64)]) -> Vec<Effort> {
        outcomes.iter().map(|&(success, evaluations)| Effort { success, evaluations, best: 0.0 }).collect()
    }

    #[test]
    fn a_cell_says_how_sure_it_is() {
        assert_eq!(cost_in_words(&trials(&[(true, 100), (true, 300)])), "200");
        assert_eq!(cost_in_words(&trials(&[(true, 100), (false, 300)])), "400 (1/2: 9–91 %)");
        assert_eq!(cost_in_words(&trials(&[(false, 300); 21])), "– (0/21: 0–15 %)");
    }

    #[test]
    fn a_ratio_needs_a_success() {
        let (all, none) = (trials(&[(true, 50), (true, 100)]), trials(&[(false, 100), (false, 200)]));
        assert_eq!(ratio_in_words(&all, &trials(&[(true, 100), (true, 200)])), "0.50 (0.50–0.50)");
        assert_eq!(ratio_in_words(&none, &all), "∞ (∞–∞)");
        assert_eq!(ratio_in_words(&none, &none), "–");
    }
}
