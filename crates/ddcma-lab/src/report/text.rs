//! A report as text, Markdown and CSV.

use super::{Cell, Comparison, Overall, Report, Row, Verdict};
use crate::statistics::{CostKind, Interval, budgets};
use crate::table;

/// Formats a number of evaluations: an integer, ∞ or –.
pub(super) fn evaluations(value: f64) -> String {
    if value.is_finite() { format!("{value:.0}") } else { infinite(value) }
}

/// Formats a ratio: three digits, ∞ or –.
pub(super) fn ratio(value: f64) -> String {
    match value {
        _ if !value.is_finite() => infinite(value),
        0.0 => "0".to_string(),
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ if value >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

fn infinite(value: f64) -> String {
    if value == f64::INFINITY { "∞" } else { "–" }.to_string()
}

/// Formats an interval of ratios in brackets; empty if the ratio itself is infinite or unknown and the interval adds nothing.
pub(super) fn interval(interval: Interval) -> String {
    let Interval { low, high } = interval;
    if low.is_finite() && high > 0.0 { format!("[{}, {}]", ratio(low), ratio(high)) } else { String::new() }
}

/// Formats a p-value.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_string() } else { format!("{p:.4}") }
}

/// Formats a function value: three digits.
pub(super) fn value(value: f64) -> String {
    if value.is_finite() { format!("{value:.2e}") } else { infinite(value) }
}

/// Formats a level in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", (share * 1e4).round() / 100.0)
}

/// Formats the cost of a cell, with successes if some trials fail.
pub(super) fn cost(cell: &Cell) -> String {
    let Cell { successes, trials, .. } = cell;
    let of = if successes == trials { String::new() } else { format!(" ({successes}/{trials})") };
    evaluations(cell.cost()) + &of
}

/// Returns whether the experiment sets population sizes.
pub(super) fn has_lambda(report: &Report) -> bool {
    report.rows.iter().any(|row| row.lambda.is_some())
}

/// Returns the names of the columns of the table.
pub(super) fn head(report: &Report) -> Vec<String> {
    let lambda = if has_lambda(report) { vec!["λ".to_string()] } else { Vec::new() };
    let names = ["problem", "n"].map(str::to_string).into_iter().chain(lambda);
    names.chain(report.algorithms.iter().cloned()).collect()
}

/// Returns the first cells of a row, which describe the problem.
pub(super) fn problem(report: &Report, row: &Row) -> Vec<String> {
    let mut cells = vec![row.problem.clone(), row.n.to_string()];
    if has_lambda(report) {
        cells.push(row.lambda.map_or("–".to_string(), |lambda| lambda.to_string()));
    }
    cells
}

/// Returns the table: problems, and for each algorithm its cost, ratio, interval and mark, separately.
fn parts(report: &Report) -> Vec<(Vec<String>, Vec<Vec<String>>)> {
    let of_cell = |cell: &Option<Cell>| match cell {
        None => vec!["–".to_string()],
        Some(cell) => {
            let compared = cell.comparison.iter().flat_map(|comparison| {
                let mark = comparison.verdict.mark().to_string();
                [ratio(comparison.ratio.value), interval(comparison.ratio.interval), mark]
            });
            std::iter::once(cost(cell)).chain(compared).collect()
        }
    };
    report.rows.iter().map(|row| (problem(report, row), row.cells.iter().map(of_cell).collect())).collect()
}

/// Explains the contents and the marks of the table.
pub(super) fn legend(report: &Report) -> Vec<String> {
    let baseline = report.baseline();
    let target = report.target.map_or("its target".to_string(), |target| format!("a value of {target:e}"));
    let cells = || report.rows.iter().flat_map(|row| row.cells.iter().flatten());
    let mut lines = vec![format!("Evaluations until {target} is reached: the median of the trials.")];
    if cells().any(|cell| cell.successes < cell.trials) {
        lines.push(
            "If trials fail, the number before (successes/trials) is the expected running time, ERT: the evaluations of all trials \
             divided by the number of successes; ∞ if no trial succeeds."
                .to_string(),
        );
    }
    let comparisons: Vec<&Comparison> = cells().filter_map(|cell| cell.comparison.as_ref()).collect();
    if comparisons.is_empty() {
        return lines;
    }
    lines.push(format!(
        "Then the ratio to {baseline}, below 1 for fewer evaluations, with its 95 % interval{}.",
        if comparisons.iter().any(|comparison| comparison.ratio.kind == CostKind::Ert) {
            "; of medians if all trials of both succeed, of ERTs otherwise"
        } else {
            ""
        }
    ));
    let ratios = |wanted: fn(f64) -> bool| comparisons.iter().any(|comparison| wanted(comparison.ratio.value));
    if ratios(f64::is_infinite) {
        lines.push(format!("Ratio ∞: only {baseline} ever reaches the target."));
    }
    if ratios(|ratio| ratio == 0.0) {
        lines.push(format!("Ratio 0: {baseline} never reaches the target, so its ERT is infinite."));
    }
    if ratios(f64::is_nan) {
        lines.push("Ratio –: neither ever reaches the target; the test then compares the best values.".to_string());
    }
    let disagree = |one: &&Comparison| match one.verdict {
        Verdict::Faster => one.ratio.value > 1.0,
        Verdict::Slower => one.ratio.value < 1.0,
        Verdict::NoDifference => false,
    };
    if comparisons.iter().any(disagree) {
        lines.push(
            "A mark and a ratio may disagree: the test uses the order of all trials, the ratio uses medians, or ERTs, which a few failures \
             dominate."
                .to_string(),
        );
    }
    lines.push(format!(
        "+ faster, − slower than {baseline}, ≈ no difference shown: rank-sum tests at a level of {}{}.",
        percent(report.level),
        match comparisons.len() {
            1 => String::new(),
            count => format!(" for all {count} comparisons together (Holm)"),
        }
    ));
    lines
}

pub(super) fn table(report: &Report) -> String {
    let rows = parts(report);
    // The parts of a cell are columns within the column.
    let widths = |algorithm: usize, part: usize| {
        let cells = rows.iter().filter_map(|(_, cells)| cells[algorithm].get(part));
        cells.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let lines = rows.iter().map(|(problem, cells)| {
        let cell = |(algorithm, parts): (usize, &Vec<String>)| {
            let padded = parts.iter().enumerate().map(|(part, text)| {
                let width = widths(algorithm, part);
                if part == 2 { format!("{text:<width$}") } else { format!("{text:>width$}") }
            });
            padded.collect::<Vec<_>>().join(" ")
        };
        problem.iter().cloned().chain(cells.iter().enumerate().map(cell)).collect()
    });
    let lines: Vec<Vec<String>> = lines.collect();
    let head = head(report);
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table::text(&head, &lines) + "\n" + &legend(report).join("\n") + "\n"
}

pub(super) fn text(report: &Report) -> String {
    let sentences: Vec<String> = report.summary().iter().map(|sentence| wrapped(sentence, 100)).collect();
    format!("{}\n\n{}\n\n{}", report.title, sentences.join("\n"), table(report))
}

/// Wraps a sentence into lines.
fn wrapped(sentence: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    // Keeps "n = 20" together.
    let sentence = sentence.replace(" = ", "\u{a0}=\u{a0}");
    for word in sentence.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > width {
            lines.push("  ".to_string() + word);
        } else if let Some(last) = lines.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n").replace('\u{a0}', " ")
}

/// Joins the parts of a cell in one line.
pub(super) fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ")
}

pub(super) fn markdown(report: &Report) -> String {
    let mut text = format!("# {}\n\n", report.title);
    report.summary().iter().for_each(|sentence| text += &format!("- {sentence}\n"));
    let rows: Vec<Vec<String>> = parts(report)
        .into_iter()
        .map(|(problem, cells)| problem.into_iter().chain(cells.iter().map(|parts| joined(parts))).collect())
        .collect();
    let names = head(report);
    text += "\n";
    text += &table::markdown(&names.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
    text += "\n";
    text += &legend(report).join("\n");
    text += "\n";
    for (title, head, rows) in
        [over_problems(report), matrix(report), areas(report), shares(report)].into_iter().flatten()
    {
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        text += &format!("\n## {title}\n\n{}", table::markdown(&head, &rows));
    }
    text
}

/// An additional table: title, head and rows.
pub(super) type Further = (String, Vec<String>, Vec<Vec<String>>);

/// Formats a number of problems.
type Count = fn(&Overall) -> usize;

/// Returns the table of each algorithm compared with the baseline over all problems.
pub(super) fn over_problems(report: &Report) -> Option<Further> {
    if report.overall.is_empty() || report.rows.len() < 2 {
        return None;
    }
    let baseline = report.baseline();
    // Adds columns for problems that only one of the two solves, or neither, if there are such problems.
    let only: [(String, Count); 3] = [
        (format!("only {baseline} solves"), |one| one.only_baseline),
        ("only it solves".to_string(), |one| one.only_it),
        ("neither solves".to_string(), |one| one.neither),
    ];
    let only: Vec<_> = only.iter().filter(|(_, count)| report.overall.iter().any(|one| count(one) > 0)).collect();
    let head = ["algorithm", "mean ratio", "95 % interval", "problems", "faster", "no difference", "slower"];
    let head = head.map(str::to_string).into_iter().chain(only.iter().map(|(name, _)| name.clone())).collect();
    let rows = report.overall.iter().map(|one| {
        let counts = [one.compared, one.wins, one.ties, one.losses].map(|count| count.to_string());
        let ratios = [report.algorithms[one.algorithm].clone(), ratio(one.mean_ratio), interval(one.interval)];
        ratios.into_iter().chain(counts).chain(only.iter().map(|(_, count)| count(one).to_string())).collect()
    });
    Some((format!("Over all problems, compared with {baseline}"), head, rows.collect()))
}

/// Returns the table of areas under the run-time distribution for each dimension.
pub(super) fn areas(report: &Report) -> Option<Further> {
    let head = std::iter::once("n".to_string()).chain(report.algorithms.iter().cloned()).collect();
    let rows = report.groups.iter().map(|group| {
        let areas = group.run_times.iter().map(|times| format!("{:.3}", times.area(group.longest)));
        std::iter::once(group.size()).chain(areas).collect()
    });
    Some(("Area under the run-time distribution (1 is best)".to_string(), head, rows.collect()))
}

/// Returns the table of shares of targets reached at fixed budgets.
pub(super) fn shares(report: &Report) -> Option<Further> {
    let names = ["n", "evaluations / n"].map(str::to_string);
    let head = names.into_iter().chain(report.algorithms.iter().cloned()).collect();
    let rows = report.groups.iter().flat_map(|group| {
        let of_budget =
            |budget: u64| group.run_times.iter().map(move |times| times.share(budget)).collect::<Vec<f64>>();
        let all: Vec<(u64, Vec<f64>)> =
            budgets(group.n, group.longest).into_iter().map(|budget| (budget, of_budget(budget))).collect();
        // Omits budgets at which no target is reached, and those that change nothing.
        let news = |k: &usize| all[*k].1.iter().any(|share| *share > 0.0) && (*k == 0 || all[*k].1 != all[k - 1].1);
        let told: Vec<(u64, Vec<f64>)> = (0..all.len()).filter(news).map(|k| all[k].clone()).collect();
        told.into_iter().map(|(budget, shares)| {
            let shares = shares.into_iter().map(|share| format!("{:.1} %", 100.0 * share));
            [group.size(), (budget / group.n as u64).to_string()].into_iter().chain(shares).collect()
        })
    });
    Some(("Targets reached at fixed budgets".to_string(), head, rows.collect()))
}

/// Returns the p-values of every pair over all problems; `None` if there are too few problems to show a difference.
pub(super) fn matrix(report: &Report) -> Option<Further> {
    if report.algorithms.len() < 2 || report.rows.len() < super::summary::LEAST_PROBLEMS {
        return None;
    }
    let head = std::iter::once("algorithm".to_string()).chain(report.algorithms.iter().cloned()).collect();
    let cell = |row: usize, column: usize| {
        let known = |pair: &&super::Pair| pair.algorithms == [row.min(column), row.max(column)];
        report.pairs.iter().find(known).map_or("–".to_string(), |pair| {
            let [fewer, more] = if row < column { pair.better } else { [pair.better[1], pair.better[0]] };
            format!("{} ({fewer} : {more})", p_value(pair.adjusted_p))
        })
    };
    let count = report.algorithms.len();
    let rows = (0..count).map(|row| {
        std::iter::once(report.algorithms[row].clone()).chain((0..count).map(|column| cell(row, column))).collect()
    });
    Some(("Every pair over all problems".to_string(), head, rows.collect()))
}

/// Formats a cell of a CSV file, quoted if necessary.
pub(super) fn csv_cell(text: &str) -> String {
    let must = text.contains([',', '"', '\n', '\r']) || text.trim() != text;
    if must { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

pub(super) fn csv(report: &Report) -> String {
    let mut csv = String::from(
        "problem,n,asked_lambda,algorithm,lambda,trials,successes,success_rate_low,success_rate_high,median,quartile_low,\
         quartile_high,ert,ert_low,ert_high,ratio_of,ratio,ratio_low,ratio_high,p,p_holm,verdict\n",
    );
    // Unknown numbers are empty.
    let number = |value: f64| if value.is_nan() { String::new() } else { value.to_string() };
    let optional = |value: Option<usize>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in &report.rows {
        for (algorithm, cell) in report.algorithms.iter().zip(&row.cells) {
            let Some(cell) = cell else { continue };
            let names = [csv_cell(&row.problem), row.n.to_string(), optional(row.lambda), csv_cell(algorithm)];
            let counts = [optional(cell.lambda), cell.trials.to_string(), cell.successes.to_string()];
            let Cell { success_rate, median, quartiles, ert, ert_interval, .. } = cell;
            let numbers = [success_rate.low, success_rate.high, *median, quartiles.low, quartiles.high, *ert];
            let numbers = numbers.into_iter().chain([ert_interval.low, ert_interval.high]).map(number);
            let compared = match &cell.comparison {
                None => vec![String::new(); 7],
                Some(one) => {
                    let kind = if one.ratio.kind == CostKind::Median { "medians" } else { "erts" };
                    let ratios =
                        [one.ratio.value, one.ratio.interval.low, one.ratio.interval.high, one.p, one.adjusted_p];
                    let ratios = ratios.into_iter().map(number);
                    std::iter::once(kind.to_string()).chain(ratios).chain([one.verdict.name().to_string()]).collect()
                }
            };
            let cells: Vec<String> = names.into_iter().chain(counts).chain(numbers).chain(compared).collect();
            csv += &(cells.join(",") + "\n");
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let ratios = [0.0, 0.004, 0.5, 9.999, 12.34, 1234.0, f64::INFINITY, f64::NAN].map(ratio);
        assert_eq!(ratios, ["0", "4.0e-3", "0.50", "10.0", "12.3", "1234", "∞", "–"]);
        assert_eq!((percent(0.05), percent(0.001)), ("5 %".to_string(), "0.1 %".to_string()));
        assert_eq!(p_value(3e-5), "< 0.0001");
    }

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        assert_eq!(csv_cell("dd, \"slow\""), "\"dd, \"\"slow\"\"\"");
        assert_eq!(csv_cell("dd:c_1=0.1"), "dd:c_1=0.1");
    }

    #[test]
    fn sentences_are_broken_into_lines() {
        assert_eq!(wrapped("one two three four", 9), "one two\n  three\n  four");
        assert_eq!(wrapped("one", 2), "one");
    }
}
