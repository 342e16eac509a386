//! Computes the statistics of a report from outcomes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, Comparison, Group, Overall, Pair, Report, ReportOptions, Row, Verdict};
use crate::fingerprint::fnv;
use crate::statistics::{
    CostKind, Effort, Interval, Ratio, RunTimes, cost_interval, holm, quantile, rank_sum_of, signed_rank, wilson,
};
use crate::{LabError, Outcomes, TrialOutcome};

/// The trials of a row for each algorithm, by index.
type Trials<'a> = BTreeMap<usize, Vec<(Option<usize>, &'a TrialOutcome)>>;

pub(super) fn report(outcomes: &Outcomes, options: &ReportOptions) -> Result<Report, LabError> {
    let ReportOptions { title, baseline, level } = options;
    if !(*level > 0.0 && *level < 1.0) {
        return Err(LabError::new(format!("the level of a report must be in (0, 1), got {level}")));
    }
    let mut names: BTreeMap<usize, &str> = BTreeMap::new();
    let mut problems: BTreeMap<usize, &str> = BTreeMap::new();
    let mut trials: BTreeMap<(usize, usize, Option<usize>), Trials<'_>> = BTreeMap::new();
    for (planned, outcome) in outcomes.iter() {
        names.insert(planned.algorithm_index, &planned.algorithm);
        problems.insert(planned.problem_index, &planned.problem);
        let row = trials.entry((planned.problem_index, planned.n, planned.asked_lambda)).or_default();
        row.entry(planned.algorithm_index).or_default().push((planned.lambda, outcome));
    }
    if names.is_empty() {
        return Err(LabError::new("a report must have at least one trial, got none"));
    }
    let algorithms: Vec<String> = names.values().map(|name| name.to_string()).collect();
    let baseline = match baseline {
        None => 0,
        Some(name) => algorithms.iter().position(|algorithm| algorithm == name).ok_or_else(|| {
            LabError::new(format!(
                "there is no algorithm \"{name}\" to compare with: choose one of {}",
                algorithms.join(", ")
            ))
        })?,
    };
    let targets: BTreeSet<u64> = outcomes.iter().map(|(_, outcome)| outcome.target.to_bits()).collect();
    let target = targets.first().filter(|_| targets.len() == 1).map(|bits| f64::from_bits(*bits));
    let mut rows: Vec<Row> = Vec::new();
    for ((problem, n, lambda), trials) in trials {
        let cell = |index: &usize| {
            trials.get(index).map(|trials| cell(trials, stream(problems[&problem], n, lambda, names[index])))
        };
        rows.push(Row { problem: problems[&problem].to_string(), n, lambda, cells: names.keys().map(cell).collect() });
    }
    compare(&mut rows, &algorithms, baseline, *level);
    let overall = (0..algorithms.len()).filter(|index| *index != baseline).map(|index| overall(&rows, index)).collect();
    let pairs = pairs(&rows, algorithms.len());
    let groups = groups(&rows, algorithms.len());
    Ok(Report { title: title.clone(), level: *level, algorithms, baseline, target, rows, overall, pairs, groups })
}

/// Returns the random stream of a cell's bootstrap, which depends only on its names, not on what else is in the report.
fn stream(problem: &str, n: usize, lambda: Option<usize>, algorithm: &str) -> u64 {
    fnv(format!("{problem}/{n}/{lambda:?}/{algorithm}").bytes())
}

fn cell(trials: &[(Option<usize>, &TrialOutcome)], stream: u64) -> Cell {
    let outcomes: Vec<TrialOutcome> = trials.iter().map(|(_, outcome)| (*outcome).clone()).collect();
    let efforts: Vec<Effort> = outcomes.iter().map(effort).collect();
    let evaluations: Vec<f64> = efforts.iter().map(Effort::evaluations_to_target).collect();
    let successes = efforts.iter().filter(|effort| effort.success).count();
    Cell {
        lambda: trials.first().and_then(|(lambda, _)| *lambda),
        trials: efforts.len(),
        successes,
        success_rate: wilson(successes, efforts.len()),
        median: quantile(&evaluations, 0.5),
        quartiles: Interval { low: quantile(&evaluations, 0.25), high: quantile(&evaluations, 0.75) },
        ert: CostKind::Ert.cost(&efforts),
        ert_interval: cost_interval(CostKind::Ert, &efforts, stream),
        comparison: None,
        efforts,
        outcomes,
    }
}

fn effort(outcome: &TrialOutcome) -> Effort {
    Effort { success: outcome.success, evaluations: outcome.evaluations, best: outcome.best_f }
}

/// Compares every cell with that of the baseline, with Holm's correction for all of these comparisons together.
fn compare(rows: &mut [Row], algorithms: &[String], baseline: usize, level: f64) {
    let mut comparisons = Vec::new();
    for (row_index, row) in rows.iter().enumerate() {
        let Some(of_baseline) = &row.cells[baseline] else { continue };
        for (index, cell) in row.cells.iter().enumerate().filter(|(index, _)| *index != baseline) {
            let Some(cell) = cell else { continue };
            let streams = [index, baseline].map(|k| stream(&row.problem, row.n, row.lambda, &algorithms[k]));
            let ratio = Ratio::new(&cell.efforts, &of_baseline.efforts, streams);
            comparisons.push((row_index, index, ratio, rank_sum_of(&cell.efforts, &of_baseline.efforts)));
        }
    }
    let adjusted = holm(&comparisons.iter().map(|(_, _, _, test)| test.p).collect::<Vec<_>>());
    for ((row, algorithm, ratio, test), adjusted_p) in comparisons.into_iter().zip(adjusted) {
        let verdict = match (adjusted_p <= level, test.direction()) {
            (true, std::cmp::Ordering::Less) => Verdict::Faster,
            (true, std::cmp::Ordering::Greater) => Verdict::Slower,
            _ => Verdict::NoDifference,
        };
        if let Some(cell) = &mut rows[row].cells[algorithm] {
            cell.comparison = Some(Comparison { ratio, p: test.p, adjusted_p, verdict });
        }
    }
}

fn overall(rows: &[Row], algorithm: usize) -> Overall {
    let comparisons: Vec<&Comparison> = rows.iter().filter_map(|row| row.comparison(algorithm)).collect();
    let finite: Vec<&Ratio> =
        comparisons.iter().map(|comparison| &comparison.ratio).filter(|ratio| ratio.is_finite()).collect();
    let (mean_ratio, interval) = Ratio::mean(finite.iter().copied());
    let ratios = |wanted: fn(f64) -> bool| comparisons.iter().filter(|one| wanted(one.ratio.value)).count();
    let verdicts = |verdict: Verdict| comparisons.iter().filter(|comparison| comparison.verdict == verdict).count();
    Overall {
        algorithm,
        mean_ratio,
        interval,
        compared: finite.len(),
        only_it: ratios(|ratio| ratio == 0.0),
        only_baseline: ratios(f64::is_infinite),
        neither: ratios(f64::is_nan),
        wins: verdicts(Verdict::Faster),
        ties: verdicts(Verdict::NoDifference),
        losses: verdicts(Verdict::Slower),
    }
}

/// Compares every pair of algorithms, over all problems on which both have trials.
fn pairs(rows: &[Row], algorithms: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for first in 0..algorithms {
        for second in first + 1..algorithms {
            let difference = |row: &Row| {
                let [a, b] = [first, second].map(|index| row.cells[index].as_ref());
                let (a, b) = a.zip(b)?;
                let kind = CostKind::of(a.efforts.iter().chain(&b.efforts));
                Some((kind.cost(&a.efforts) / kind.cost(&b.efforts)).ln())
            };
            let differences: Vec<f64> = rows.iter().filter_map(difference).collect();
            let less = differences.iter().filter(|difference| **difference < 0.0).count();
            let more = differences.iter().filter(|difference| **difference > 0.0).count();
            let p = signed_rank(&differences).p;
            pairs.push(Pair { algorithms: [first, second], better: [less, more], p, adjusted_p: p });
        }
    }
    let adjusted = holm(&pairs.iter().map(|pair| pair.p).collect::<Vec<_>>());
    pairs.iter_mut().zip(adjusted).for_each(|(pair, p)| pair.adjusted_p = p);
    pairs
}

/// Groups the problems by dimension and population size.
fn groups(rows: &[Row], algorithms: usize) -> Vec<Group> {
    let mut by_size: BTreeMap<(usize, Option<usize>), Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| by_size.entry((row.n, row.lambda)).or_default().push(row));
    let group = |((n, lambda), rows): ((usize, Option<usize>), Vec<&Row>)| {
        let of_algorithm = |index: usize| {
            let outcomes = rows.iter().filter_map(|row| row.cells[index].as_ref()).flat_map(|cell| &cell.outcomes);
            RunTimes::of(outcomes.map(|outcome| (&outcome.hits[..], outcome.evaluations)))
        };
        let run_times: Vec<RunTimes> = (0..algorithms).map(of_algorithm).collect();
        let longest = run_times.iter().map(RunTimes::longest).max().unwrap_or(0);
        Group { n, lambda, problems: rows.len(), run_times, longest }
    };
    by_size.into_iter().map(group).collect()
}
