//! A report in sentences: which algorithm wins, by how much, where it does not, and how certain this is.

use super::text::{interval, percent, ratio};
use super::{Cell, Comparison, Overall, Report, Row, Verdict};
use crate::statistics::median;

/// With fewer problems, the test over problems cannot show a difference at a level of 5 %: its p-value is at least 2/2^problems.
pub(super) const LEAST_PROBLEMS: usize = 6;

/// The maximum number of problems that a sentence names.
const NAMED: usize = 3;

pub(super) fn sentences(report: &Report) -> Vec<String> {
    let mut sentences = vec![headline(report)];
    sentences.extend(report.overall.iter().map(|overall| compared(report, overall)));
    sentences.extend(failures(report));
    sentences.extend(over_problems(report));
    sentences.push(experiment(report));
    sentences.extend(certainty(report));
    sentences
}

/// Says which algorithms are shown to be better than the baseline, or that it is better than all others, and in what sense.
fn headline(report: &Report) -> String {
    let baseline = report.baseline();
    if report.overall.is_empty() {
        let (trials, successes) =
            cells(report).fold((0, 0), |(trials, successes), cell| (trials + cell.trials, successes + cell.successes));
        return format!("{baseline} reaches the target in {successes} of {trials} trials.");
    }
    let name = |one: &Overall| report.algorithms[one.algorithm].as_str();
    let (least, needed) = (least_trials(report), trials_needed(comparisons(report).len(), report.level));
    if least < needed {
        let each = if least == 1 { "1 trial".to_string() } else { format!("{least} trials") };
        return format!("No winner: {each} of each cannot show a difference, {needed} or more could.");
    }
    // Without a verdict on any problem nothing is better, because the intervals do not account for the number of comparisons.
    let better =
        |one: &&Overall| one.wins > 0 && one.only_baseline == 0 && (one.only_it > 0 || one.interval.high < 1.0);
    let worse =
        |one: &&Overall| one.losses > 0 && one.only_it == 0 && (one.only_baseline > 0 || one.interval.low > 1.0);
    let mut winners: Vec<&Overall> = report.overall.iter().filter(better).collect();
    winners.sort_by(|a, b| b.only_it.cmp(&a.only_it).then(a.mean_ratio.total_cmp(&b.mean_ratio)));
    if let [winner, others @ ..] = &winners[..] {
        let too = match others {
            [] => String::new(),
            [one] => format!(" So does {}.", name(one)),
            _ => format!(" So do {}.", listed(others.iter().map(|one| name(one)))),
        };
        return format!("{} beats {baseline}: it {}.{too}", name(winner), gain(winner, baseline));
    }
    let (beaten, open): (Vec<&Overall>, Vec<&Overall>) = report.overall.iter().partition(worse);
    match (&beaten[..], &open[..]) {
        ([], [one]) => format!("No winner: neither {baseline} nor {} is shown to be better.", name(one)),
        ([], _) => {
            format!("No winner: no algorithm is shown to be better than {baseline}, nor {baseline} than another.")
        }
        (_, []) => {
            let losses: Vec<String> =
                beaten.iter().take(NAMED).map(|one| format!("{} {}", name(one), loss(one))).collect();
            let others = listed(beaten.iter().map(|one| name(one)));
            format!("{baseline} beats {others}: {}{}.", losses.join("; "), more(beaten.len()))
        }
        _ => format!(
            "No clear winner: {baseline} beats {}, but is not shown to be better than {}.",
            listed(beaten.iter().map(|one| name(one))),
            listed(open.iter().map(|one| name(one)))
        ),
    }
}

/// Says in what sense an algorithm is better than the baseline.
fn gain(one: &Overall, baseline: &str) -> String {
    let fewer = || {
        let problems = if one.only_it > 0 { format!("{} others", one.compared) } else { problems(one.compared) };
        let mean = if one.compared > 1 { format!(" on average over {problems}") } else { String::new() };
        let slower = if one.losses > 0 { format!(", but is slower on {}", one.losses) } else { String::new() };
        format!("needs {} times the evaluations{mean}{slower}", ratio(one.mean_ratio))
    };
    match (one.only_it, one.compared) {
        (0, _) => fewer(),
        (alone, 0) => format!("solves {} that {baseline} never solves", problems(alone)),
        (alone, _) => format!("solves {} that {baseline} never solves, and {}", problems(alone), fewer()),
    }
}

/// Says in what sense an algorithm is worse than the baseline.
fn loss(one: &Overall) -> String {
    let count = one.wins + one.ties + one.losses;
    let faster = if one.wins > 0 { format!(", but is faster on {}", one.wins) } else { String::new() };
    if one.only_baseline > 0 {
        format!("never solves {} of {}{faster}", one.only_baseline, problems(count))
    } else {
        let mean = if count > 1 { " on average" } else { "" };
        format!("needs {} times the evaluations{mean}{faster}", ratio(one.mean_ratio))
    }
}

/// Joins names: "a", "a and b", "a, b and c".
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match &names[..] {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns all cells with trials.
fn cells(report: &Report) -> impl Iterator<Item = &Cell> {
    report.rows.iter().flat_map(|row| row.cells.iter().flatten())
}

/// Returns all comparisons with the baseline.
fn comparisons(report: &Report) -> Vec<&Comparison> {
    let of_row = |row| (0..report.algorithms.len()).filter_map(move |index| Row::comparison(row, index));
    report.rows.iter().flat_map(of_row).collect()
}

/// Returns the smallest number of trials of a cell.
fn least_trials(report: &Report) -> usize {
    cells(report).map(|cell| cell.trials).min().unwrap_or(0)
}

/// Says how an algorithm compares with the baseline, and on which problems.
fn compared(report: &Report, one: &Overall) -> String {
    let (name, baseline) = (&report.algorithms[one.algorithm], report.baseline());
    let count = one.wins + one.ties + one.losses;
    let mut sentence = if one.compared > 0 {
        let mean = match one.compared {
            all if all == count && count == 1 => String::new(),
            all if all == count => format!(" in the geometric mean over {}", problems(count)),
            1 => " on the one problem that both solve".to_string(),
            some => format!(" in the geometric mean over the {some} problems that both solve"),
        };
        let interval = interval(one.interval);
        format!(
            "{name} needs {} times the evaluations of {baseline}{mean}, 95 % interval {interval}",
            ratio(one.mean_ratio)
        )
    } else {
        format!("{name} and {baseline} have no problem that both solve")
    };
    if count > 1 {
        let counts = format!("faster on {}, slower on {}, no difference shown on {}", one.wins, one.losses, one.ties);
        sentence += &format!(": {counts} of {}.", problems(count));
    } else {
        let verdict = report.rows.iter().find_map(|row| row.comparison(one.algorithm)).map(|c| c.verdict);
        sentence += &format!(": {}.", verdict.map_or("not compared", Verdict::name));
    }
    if count > 1 {
        for verdict in [Verdict::Faster, Verdict::Slower] {
            sentence += &where_it_is(report, one.algorithm, verdict);
        }
    }
    if one.only_it > 0 {
        sentence += &format!(" It alone solves {}.", problems(one.only_it));
    }
    if one.only_baseline > 0 {
        sentence += &format!(" It never solves {} that {baseline} solves.", problems(one.only_baseline));
    }
    sentence
}

/// Names the problems with a verdict, the most extreme ratios first.
fn where_it_is(report: &Report, algorithm: usize, verdict: Verdict) -> String {
    let with = |row: &Row| row.comparison(algorithm).filter(|one| one.verdict == verdict).map(|one| one.ratio.value);
    let mut found: Vec<(f64, String)> = report.rows.iter().filter_map(|row| Some((with(row)?, row.name()))).collect();
    if found.is_empty() {
        return String::new();
    }
    found.sort_by(|a, b| if verdict == Verdict::Slower { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) });
    let named: Vec<String> =
        found.iter().take(NAMED).map(|(value, name)| format!("{name} ({})", ratio(*value))).collect();
    let word = if verdict == Verdict::Slower { "Slower" } else { "Faster" };
    format!(" {word}: {}{}.", named.join("; "), more(found.len()))
}

fn more(count: usize) -> String {
    if count > NAMED { format!("; and {} more", count - NAMED) } else { String::new() }
}

fn problems(count: usize) -> String {
    if count == 1 { "1 problem".to_string() } else { format!("{count} problems") }
}

/// Says which trials did not reach the target.
fn failures(report: &Report) -> Option<String> {
    let mut failed: Vec<(f64, String)> = Vec::new();
    for row in &report.rows {
        for (name, cell) in report.algorithms.iter().zip(&row.cells) {
            let Some(cell) = cell.as_ref().filter(|cell| cell.successes < cell.trials) else { continue };
            let rate = cell.successes as f64 / cell.trials as f64;
            failed.push((rate, format!("{name} on {}, {}/{}", row.name(), cell.successes, cell.trials)));
        }
    }
    if failed.is_empty() {
        return (!report.overall.is_empty()).then(|| "All trials reach the target.".to_string());
    }
    failed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named: Vec<&str> = failed.iter().take(NAMED).map(|(_, text)| text.as_str()).collect();
    Some(format!("Not all trials reach the target (successes/trials): {}{}.", named.join("; "), more(failed.len())))
}

/// Says what follows for problems other than these.
fn over_problems(report: &Report) -> Option<String> {
    if report.overall.is_empty() {
        return None;
    }
    let count = report.rows.len();
    if count < LEAST_PROBLEMS {
        let these = if count == 1 { "One problem".to_string() } else { format!("{count} problems") };
        return Some(format!(
            "{these} cannot show whether the same holds on other problems: the test over problems needs at least {LEAST_PROBLEMS}."
        ));
    }
    let shown: Vec<String> = report
        .pairs
        .iter()
        .filter(|pair| pair.adjusted_p <= report.level)
        .map(|pair| {
            let ([a, b], [less, more]) = (pair.algorithms, pair.better);
            let (better, other, wins) = if less >= more { (a, b, less) } else { (b, a, more) };
            let [better, other] = [better, other].map(|index| &report.algorithms[index]);
            format!("{better} has a lower cost than {other} on {wins}")
        })
        .collect();
    let level = percent(report.level);
    Some(if shown.is_empty() {
        format!(
            "Taken as a sample of problems, these {count} do not show a difference between any two algorithms (signed-rank tests, {level})."
        )
    } else {
        format!(
            "Taken as a sample of problems, these {count} show a difference: {} (signed-rank tests, {level}).",
            shown.join("; ")
        )
    })
}

/// Says how large the experiment is.
fn experiment(report: &Report) -> String {
    let mut names: Vec<&str> = report.rows.iter().map(|row| row.problem.as_str()).collect();
    names.dedup();
    let mut dimensions: Vec<usize> = report.rows.iter().map(|row| row.n).collect();
    dimensions.sort_unstable();
    dimensions.dedup();
    let dimensions: Vec<String> = dimensions.iter().map(usize::to_string).collect();
    let (least, most) = (least_trials(report), cells(report).map(|cell| cell.trials).max().unwrap_or(0));
    let each = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    let algorithms = report.algorithms.len();
    let target = report.target.map_or("of each problem".to_string(), |target| format!("{target:e}"));
    format!(
        "Experiment: {algorithms} algorithm{}, {} function{} in n = {}, {each} trials each, target {target}.",
        if algorithms == 1 { "" } else { "s" },
        names.len(),
        if names.len() == 1 { "" } else { "s" },
        dimensions.join(", ")
    )
}

/// Says what a verdict guarantees, and what this number of trials can show.
fn certainty(report: &Report) -> Option<String> {
    let comparisons = comparisons(report);
    let count = comparisons.len();
    if count == 0 {
        return None;
    }
    let level = percent(report.level);
    let mut sentence = format!(
        "Certainty: the probability that chance alone makes any verdict \"faster\" or \"slower\" in this report is at most {level}."
    );
    let least = least_trials(report);
    let needed = trials_needed(count, report.level);
    if least < needed {
        sentence += &format!(
            " With {least} trial{} of each, {count} comparison{} cannot have any verdict except \"no difference\" at this level: at least {needed} \
             trials of each are needed.",
            if least == 1 { "" } else { "s" },
            if count == 1 { "" } else { "s" },
        );
    }
    let widths = comparisons.iter().map(|one| (one.ratio.interval.high / one.ratio.interval.low).sqrt() - 1.0);
    let widths: Vec<f64> = widths.filter(|width| width.is_finite()).collect();
    if !widths.is_empty() {
        sentence += &format!(
            " \"No difference\" means that these trials do not show one: the typical interval of a ratio is ± {:.0} % wide.",
            100.0 * median(&widths)
        );
    }
    Some(sentence)
}

/// Returns the number of trials of each that this many comparisons need, with Holm's correction, for the smallest p-value to be below a
/// level.
fn trials_needed(comparisons: usize, level: f64) -> usize {
    // 2 of (2t choose t) ways to split 2t numbers are the most extreme.
    let mut ways = 1.0;
    for t in 1..200usize {
        ways *= (2 * t * (2 * t - 1)) as f64 / (t * t) as f64;
        if 2.0 / ways * comparisons as f64 <= level {
            return t;
        }
    }
    200
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_trials_show_nothing() {
        // 2/C(6,3) = 0.1, 2/C(8,4) = 2/70, 2/C(10,5) = 2/252, 2/C(12,6) = 2/924.
        assert_eq!((trials_needed(1, 0.05), trials_needed(2, 0.05), trials_needed(10, 0.05)), (4, 5, 6));
    }
}
