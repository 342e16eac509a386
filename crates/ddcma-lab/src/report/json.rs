//! A report as JSON.

use serde_json::{Value, json};

use super::{Cell, Report};
use crate::statistics::{CostKind, Interval, TARGETS, budgets};

/// Converts a number; JSON has neither infinities nor NaN.
fn number(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else if value.is_nan() {
        Value::Null
    } else {
        json!(value.to_string())
    }
}

fn interval(interval: Interval) -> Value {
    json!([number(interval.low), number(interval.high)])
}

pub(super) fn json(report: &Report) -> String {
    let problems: Vec<Value> = report
        .rows
        .iter()
        .map(|row| {
            let cells = report.algorithms.iter().zip(&row.cells);
            let cells: Vec<Value> = cells.filter_map(|(name, one)| Some(cell(name, one.as_ref()?))).collect();
            json!({ "problem": row.problem, "n": row.n, "lambda": row.lambda, "algorithms": cells })
        })
        .collect();
    let overall: Vec<Value> = report
        .overall
        .iter()
        .map(|one| {
            json!({
                "algorithm": report.algorithms[one.algorithm],
                "mean_ratio": number(one.mean_ratio),
                "mean_ratio_interval": interval(one.interval),
                "problems": one.compared,
                "only_it_solves": one.only_it,
                "only_baseline_solves": one.only_baseline,
                "neither_solves": one.neither,
                "wins": one.wins,
                "ties": one.ties,
                "losses": one.losses,
            })
        })
        .collect();
    let pairs: Vec<Value> = report
        .pairs
        .iter()
        .map(|pair| {
            let names = pair.algorithms.map(|index| report.algorithms[index].as_str());
            json!({ "algorithms": names, "better": pair.better, "p": number(pair.p), "p_holm": number(pair.adjusted_p) })
        })
        .collect();
    let run_times: Vec<Value> = report.groups.iter().map(|group| group_of(report, group)).collect();
    let report = json!({
        "title": report.title,
        "summary": report.summary(),
        "algorithms": report.algorithms,
        "baseline": report.baseline(),
        "level": report.level,
        "target": report.target,
        "problems": problems,
        "over_all_problems": overall,
        "pairs_over_all_problems": pairs,
        "run_time_distributions": run_times,
    });
    format!("{report:#}\n")
}

fn cell(name: &str, cell: &Cell) -> Value {
    let comparison = cell.comparison.as_ref().map(|one| {
        json!({
            "ratio_of": if one.ratio.kind == CostKind::Median { "medians" } else { "erts" },
            "ratio": number(one.ratio.value),
            "ratio_interval": interval(one.ratio.interval),
            "p": number(one.p),
            "p_holm": number(one.adjusted_p),
            "verdict": one.verdict.name(),
        })
    });
    json!({
        "algorithm": name,
        "lambda": cell.lambda,
        "trials": cell.trials,
        "successes": cell.successes,
        "success_rate_interval": interval(cell.success_rate),
        "median": number(cell.median),
        "quartiles": interval(cell.quartiles),
        "ert": number(cell.ert),
        "ert_interval": interval(cell.ert_interval),
        "comparison": comparison,
    })
}

fn group_of(report: &Report, group: &super::Group) -> Value {
    let algorithms: Vec<Value> = report
        .algorithms
        .iter()
        .zip(&group.run_times)
        .map(|(name, times)| {
            let budgets = budgets(group.n, group.longest).into_iter();
            let shares: Vec<Value> = budgets.map(|budget| json!([budget, number(times.share(budget))])).collect();
            json!({ "algorithm": name, "area": number(times.area(group.longest)), "share_at_budget": shares })
        })
        .collect();
    json!({
        "n": group.n,
        "lambda": group.lambda,
        "problems": group.problems,
        "targets": TARGETS,
        "longest_trial": group.longest,
        "algorithms": algorithms,
    })
}
