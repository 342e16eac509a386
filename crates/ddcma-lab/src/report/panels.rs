//! The pictures of a report. Panels without information are omitted.

use std::collections::BTreeMap;

use super::{Cell, Report, Row};
use crate::LabError;
use crate::picture::{Axis, COLORS, Panel, Series, grid};
use crate::statistics::RunTimes;

/// The number of points of a run-time distribution.
const POINTS: u32 = 200;

/// Returns the pictures as separate files.
pub(super) fn files(report: &Report) -> Result<Vec<(&'static str, String)>, LabError> {
    let (mut shares, mut convergence) = (Vec::new(), Vec::new());
    for row in &report.rows {
        let [share, course] = of_row(report, row);
        shares.extend(share);
        convergence.extend(course);
    }
    let all = [
        ("runtimes.svg", "Share of targets reached, all problems of a dimension", run_times(report)),
        ("problems.svg", "Share of targets reached, each problem", shares),
        ("dimensions.svg", "Median evaluations to the target, with quartiles", dimensions(report)),
        ("convergence.svg", "Best value of the median trial", convergence),
    ];
    let drawn = all.into_iter().filter(|(_, _, panels)| !panels.is_empty());
    drawn.map(|(name, title, panels)| Ok((name, grid(title, 3, &panels)?))).collect()
}

/// Returns a line without points, with the name and the color of its algorithm.
fn line(report: &Report, algorithm: usize) -> Series {
    let name = Some(report.algorithms[algorithm].clone());
    Series { name, color: algorithm, dashed: algorithm >= COLORS.len(), ..Series::default() }
}

/// Returns a panel for each dimension: the share of targets that are reached.
pub(super) fn run_times(report: &Report) -> Vec<Panel> {
    let panel = |group: &super::Group| {
        let series = |(index, times): (usize, &RunTimes)| Series {
            points: distribution(times, [earliest(&group.run_times), group.longest], group.n),
            ..line(report, index)
        };
        let problems =
            if group.problems == 1 { "1 problem".to_string() } else { format!("{} problems", group.problems) };
        let series = group.run_times.iter().enumerate().map(series).collect();
        shares(format!("n = {}, {problems}", group.size()), series)
    };
    report.groups.iter().map(panel).collect()
}

fn shares(title: String, series: Vec<Series>) -> Panel {
    let (x, y) = (Axis::log("evaluations / n"), Axis::linear("share of targets").range(0.0, 1.02));
    Panel { title, x, y, series }
}

/// Returns the steps of the distribution, thinned, from shortly before any algorithm reaches the first target.
fn distribution(times: &RunTimes, [first, longest]: [u64; 2], n: usize) -> Vec<(f64, f64)> {
    let [first, last] = [0.7 * first as f64, longest.max(2) as f64].map(f64::ln);
    let at = |k: u32| (first + (last - first) * f64::from(k) / f64::from(POINTS)).exp();
    (0..=POINTS).map(at).map(|x| (x / n as f64, times.share(x.round() as u64))).collect()
}

/// Returns the earliest evaluation at which a target is reached.
fn earliest<'a>(run_times: impl IntoIterator<Item = &'a RunTimes>) -> u64 {
    run_times.into_iter().filter_map(RunTimes::first).min().unwrap_or(1)
}

/// Returns the panels of a problem: the share of targets, and the best value of the median trial if it can be drawn.
pub(super) fn of_row(report: &Report, row: &Row) -> [Option<Panel>; 2] {
    let cells = || row.cells.iter().enumerate().filter_map(|(index, cell)| Some((index, cell.as_ref()?)));
    let outcomes = || cells().flat_map(|(_, cell)| &cell.outcomes);
    let longest = outcomes().map(|outcome| outcome.evaluations).max().unwrap_or(1);
    let of_cell = |cell: &Cell| RunTimes::of(cell.outcomes.iter().map(|o| (&o.hits[..], o.evaluations)));
    let run_times: Vec<(usize, RunTimes)> = cells().map(|(index, cell)| (index, of_cell(cell))).collect();
    let first = earliest(run_times.iter().map(|(_, times)| times));
    let series = |(index, times): &(usize, RunTimes)| Series {
        points: distribution(times, [first, longest], row.n),
        ..line(report, *index)
    };
    let reached = outcomes().any(|outcome| !outcome.hits.is_empty());
    let share = reached.then(|| shares(row.name(), run_times.iter().map(series).collect()));
    [share, convergence(report, row)]
}

/// Returns a panel with the best value of the median trial by evaluations.
fn convergence(report: &Report, row: &Row) -> Option<Panel> {
    let cells = || row.cells.iter().enumerate().filter_map(|(index, cell)| Some((index, cell.as_ref()?)));
    let target = cells().flat_map(|(_, cell)| &cell.outcomes).next()?.target;
    // A logarithmic axis needs positive values.
    let (label, offset) = if target > 0.0 { ("best value", 0.0) } else { ("best value − target", target) };
    let series = |(index, cell): (usize, &Cell)| {
        let mut order: Vec<usize> = (0..cell.trials).collect();
        order.sort_by(|a, b| cell.efforts[*a].compare(&cell.efforts[*b]));
        let course = order.get(cell.trials / 2).map(|k| &cell.outcomes[*k].course[..]).unwrap_or_default();
        let points = course.iter().map(|(evaluations, value)| (*evaluations as f64, value - offset)).collect();
        Series { points, ..line(report, index) }
    };
    let series: Vec<Series> = cells().map(series).collect();
    let drawn =
        series.iter().any(|one| one.points.iter().filter(|(_, value)| *value > 0.0 && value.is_finite()).count() > 1);
    // If one takes much longer than another, a linear axis would show the other as a vertical line.
    let ends = || series.iter().filter_map(|one| one.points.last()).map(|(evaluations, _)| *evaluations);
    let (shortest, longest) = (ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max));
    let x = if longest > 10.0 * shortest { Axis::log("evaluations") } else { Axis::linear("evaluations") };
    drawn.then(|| Panel { title: row.name(), x, y: Axis::log(label), series })
}

/// Returns a panel for each problem with several dimensions: evaluations by n.
pub(super) fn dimensions(report: &Report) -> Vec<Panel> {
    let mut by_problem: BTreeMap<(usize, Option<usize>), Vec<&Row>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for row in &report.rows {
        let place = order.iter().position(|name| *name == row.problem).unwrap_or_else(|| {
            order.push(&row.problem);
            order.len() - 1
        });
        by_problem.entry((place, row.lambda)).or_default().push(row);
    }
    let panel = |((_, lambda), rows): ((usize, Option<usize>), Vec<&Row>)| {
        let series = |index: usize| {
            let cells = || rows.iter().filter_map(|row| Some((row.n as f64, row.cells[index].as_ref()?)));
            Series {
                points: cells().map(|(n, cell)| (n, cell.median)).collect(),
                bars: cells().map(|(n, cell)| (n, cell.quartiles.low, cell.quartiles.high)).collect(),
                marked: true,
                ..line(report, index)
            }
        };
        let series: Vec<Series> = (0..report.algorithms.len()).map(series).collect();
        let dims: Vec<f64> = rows.iter().map(|row| row.n as f64).collect();
        let known = series.iter().any(|one| one.points.iter().filter(|(_, median)| median.is_finite()).count() > 1);
        let lambda = lambda.map(|lambda| format!(", λ = {lambda}")).unwrap_or_default();
        let title = format!("{}{lambda}", rows[0].problem);
        known.then(|| Panel { title, x: Axis::log("n").ticks(&dims), y: Axis::log("evaluations"), series })
    };
    by_problem.into_iter().filter_map(panel).collect()
}
