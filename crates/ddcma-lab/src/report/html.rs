//! A report as an HTML page: summary, table, pictures, and details of each problem, to which the cells of the table link.

use super::text::{self, cost, evaluations, interval, p_value, ratio, value};
use super::{Cell, Report, Row};
use crate::LabError;
use crate::TrialOutcome;
use crate::page::{Page, PageCell};
use crate::statistics::{Interval, Targets, budgets, median};

/// The pictures of a page.
struct Pictures {
    run_times: Vec<String>,
    dimensions: Vec<String>,
    /// The pictures of each row.
    problems: Vec<Vec<String>>,
}

#[cfg(feature = "pictures")]
fn pictures(report: &Report) -> Result<Pictures, LabError> {
    use super::panels;
    use crate::picture::single;
    let all = |panels: Vec<crate::picture::Panel>| panels.iter().map(single).collect::<Result<Vec<_>, _>>();
    let problems = report.rows.iter().map(|row| all(panels::of_row(report, row).into_iter().flatten().collect()));
    Ok(Pictures {
        run_times: all(panels::run_times(report))?,
        dimensions: all(panels::dimensions(report))?,
        problems: problems.collect::<Result<_, _>>()?,
    })
}

#[cfg(not(feature = "pictures"))]
fn pictures(report: &Report) -> Result<Pictures, LabError> {
    Ok(Pictures { run_times: Vec::new(), dimensions: Vec::new(), problems: vec![Vec::new(); report.rows.len()] })
}

/// Returns the id of the details of a row.
fn anchor(row: usize) -> String {
    format!("problem-{}", row + 1)
}

pub(super) fn page(report: &Report) -> Result<String, LabError> {
    let pictures = pictures(report)?;
    let mut page = Page::new(&report.title);
    page.list(&report.summary());
    main_table(&mut page, report);
    further(&mut page, text::over_problems(report));
    if let Some(matrix) = text::matrix(report) {
        further(&mut page, Some(matrix));
        page.small(
            "Signed-rank tests of the logarithms of the ratios, one for each problem, with Holm's correction for all pairs. In \
             parentheses: the problems on which the algorithm of the row has the lower cost, and the higher one.",
        );
    }
    page.heading("Run-time distributions");
    page.small(
        "The share of all pairs of a trial and a target that are reached, for 51 targets that are evenly spaced on a logarithmic axis, \
         from 10^10 times the final target down to it, over all problems of a dimension. The area under a curve is taken on the \
         logarithmic axis from one evaluation to those of the longest trial.",
    );
    page.pictures(&pictures.run_times);
    further(&mut page, text::areas(report));
    further(&mut page, text::shares(report));
    if !pictures.dimensions.is_empty() {
        page.heading("Evaluations against n");
        page.small(
            "Medians, with quartiles. Failures count as infinite, so a line ends where half of the trials fail.",
        );
        page.pictures(&pictures.dimensions);
    }
    page.heading("Each problem");
    for ((index, row), pictures) in report.rows.iter().enumerate().zip(&pictures.problems) {
        page.begin_section(&anchor(index), &row.name());
        details(&mut page, report, row);
        page.pictures(pictures);
        at_budgets(&mut page, report, row);
        page.end_section();
    }
    Ok(page.html())
}

/// Adds the table: a row for each problem, a column for each algorithm.
fn main_table(page: &mut Page, report: &Report) {
    page.heading("Table");
    let rows: Vec<Vec<PageCell>> = report
        .rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let first = text::problem(report, row).into_iter().enumerate().map(|(column, text)| PageCell {
                link: (column == 0).then(|| anchor(index)),
                order: (column > 0).then(|| text.parse().unwrap_or(f64::NAN)),
                text,
                ..PageCell::default()
            });
            first.chain(row.cells.iter().map(|cell| main_cell(cell.as_ref(), &anchor(index)))).collect()
        })
        .collect();
    let head = text::head(report);
    page.sortable(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    text::legend(report).iter().for_each(|line| page.small(line));
}

fn main_cell(cell: Option<&Cell>, anchor: &str) -> PageCell {
    let Some(cell) = cell else { return PageCell { text: "–".to_string(), ..PageCell::default() } };
    let (note, class) = match &cell.comparison {
        None => (String::new(), ""),
        Some(one) => {
            let parts = [ratio(one.ratio.value), interval(one.ratio.interval), one.verdict.mark().to_string()];
            let class = match one.verdict {
                super::Verdict::Faster => "faster",
                super::Verdict::Slower => "slower",
                super::Verdict::NoDifference => "",
            };
            (format!("{} {}", text::joined(&parts), one.verdict.name()), class)
        }
    };
    let order = cell.comparison.as_ref().map_or(cell.cost(), |one| one.ratio.value);
    PageCell { text: cost(cell), note, class, link: Some(anchor.to_string()), order: Some(order) }
}

fn further(page: &mut Page, table: Option<text::Further>) {
    let Some((title, head, rows)) = table else { return };
    page.subheading(&title);
    let rows: Vec<Vec<PageCell>> = rows.into_iter().map(|row| row.into_iter().map(PageCell::of).collect()).collect();
    page.sortable(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
}

/// Adds all statistics of a problem.
fn details(page: &mut Page, report: &Report, row: &Row) {
    let of = |interval: Interval| format!("{}, {}", evaluations(interval.low), evaluations(interval.high));
    let mut head = vec!["", "successes [95 % interval]", "median [quartiles]", "ERT [95 % interval]"];
    let compared = row.cells.iter().flatten().any(|cell| cell.comparison.is_some());
    if compared {
        head.extend(["ratio [95 % interval]", "p", "p (Holm)", "verdict"]);
    }
    let mut rows = Vec::new();
    for (name, cell) in report.algorithms.iter().zip(&row.cells) {
        let Some(cell) = cell else { continue };
        let [low, high] = [cell.success_rate.low, cell.success_rate.high].map(|rate| (100.0 * rate).round());
        let lambda = cell.lambda.map(|lambda| format!(" (λ = {lambda})")).unwrap_or_default();
        let mut cells = vec![
            format!("{name}{lambda}"),
            format!("{}/{} [{low}, {high} %]", cell.successes, cell.trials),
            format!("{} [{}]", evaluations(cell.median), of(cell.quartiles)),
            format!("{} [{}]", evaluations(cell.ert), of(cell.ert_interval)),
        ];
        match &cell.comparison {
            Some(one) => cells.extend([
                text::joined(&[ratio(one.ratio.value), interval(one.ratio.interval)]),
                p_value(one.p),
                p_value(one.adjusted_p),
                one.verdict.name().to_string(),
            ]),
            None if compared => cells.extend(["1", "", "", "baseline"].map(str::to_string)),
            None => {}
        }
        rows.push((cells, false));
    }
    page.table(&head, &rows);
}

/// Adds the median of the best values at fixed budgets.
fn at_budgets(page: &mut Page, report: &Report, row: &Row) {
    let outcomes = || row.cells.iter().flatten().flat_map(|cell| &cell.outcomes);
    let longest = outcomes().map(|outcome| outcome.evaluations).max().unwrap_or(0);
    let budgets = budgets(row.n, longest);
    let head: Vec<String> = std::iter::once("evaluations / n".to_string())
        .chain(budgets.iter().map(|budget| (budget / row.n as u64).to_string()))
        .collect();
    let line = |(name, cell): (&String, &Option<Cell>)| {
        let cell = cell.as_ref()?;
        let at = |budget: &u64| {
            let values: Vec<f64> = cell.outcomes.iter().map(|outcome| best_at(outcome, *budget)).collect();
            value(median(&values))
        };
        Some((std::iter::once(name.clone()).chain(budgets.iter().map(at)).collect(), false))
    };
    let rows: Vec<(Vec<String>, bool)> = report.algorithms.iter().zip(&row.cells).filter_map(line).collect();
    page.small("The median of the best values at fixed budgets, to a factor of 10^0.2:");
    page.table(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
}

/// Returns the best known value after this number of evaluations, from the course and from the targets reached.
fn best_at(outcome: &TrialOutcome, budget: u64) -> f64 {
    let of_course = outcome.course.iter().take_while(|(evaluations, _)| *evaluations <= budget).last();
    let reached = outcome.hits.partition_point(|hit| *hit <= budget);
    let of_hits = reached.checked_sub(1).map(|index| Targets::to(outcome.target).get(index));
    let known = of_course.map(|(_, value)| *value).into_iter().chain(of_hits);
    known.fold(if outcome.first_f.is_nan() { f64::INFINITY } else { outcome.first_f }, f64::min)
}
