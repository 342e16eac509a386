//! Tables of ratios, as Markdown.

use super::plan::Cell;
use super::ratios::{Ratio, geometric_mean, ratio};
use crate::lab::{once, table};

/// Returns the labels of the variants, in order.
pub(super) fn variants(cells: &[Cell]) -> Vec<String> {
    once(&cells.iter().map(|cell| cell.variant.clone()).collect::<Vec<String>>())
}

pub(super) fn functions(cells: &[Cell]) -> Vec<String> {
    once(&cells.iter().map(|cell| cell.function.clone()).collect::<Vec<String>>())
}

/// A column: n, and λ if one was requested.
pub(super) type Size = (usize, Option<usize>);

pub(super) fn sizes(cells: &[Cell]) -> Vec<Size> {
    once(&cells.iter().map(|cell| (cell.n, cell.lambda)).collect::<Vec<Size>>())
}

/// Returns the trials of one cell; `None` if it was not measured.
pub(super) fn trials<'a>(cells: &'a [Cell], function: &str, size: Size, variant: &str) -> &'a [(bool, u64)] {
    let is = |cell: &&Cell| cell.function == function && (cell.n, cell.lambda) == size && cell.variant == variant;
    cells.iter().find(is).map_or(&[], |cell| &cell.trials)
}

/// Returns the ratio of a variant to the first one.
pub(super) fn of_cell(cells: &[Cell], function: &str, size: Size, variant: &str) -> Option<Ratio> {
    let first = &variants(cells)[0];
    let (one, other) = (trials(cells, function, size, variant), trials(cells, function, size, first));
    (!one.is_empty() && !other.is_empty()).then(|| ratio(one, other))
}

pub(super) fn in_words(Ratio { ratio, low, high }: Ratio) -> String {
    if ratio.is_finite() { format!("{ratio:.2} [{low:.2}, {high:.2}]") } else { "no success".to_string() }
}

/// Returns a table for each variant except the first, with the ratios of its expected running times to those of the first one, and a table of the
/// first one.
pub(super) fn ratios(cells: &[Cell]) -> String {
    let (variants, functions, sizes) = (variants(cells), functions(cells), sizes(cells));
    let column = |(n, lambda): &Size| match lambda {
        Some(lambda) => format!("n = {n}, λ = {lambda}"),
        None => format!("n = {n}"),
    };
    let head: Vec<String> = std::iter::once("function".to_string()).chain(sizes.iter().map(column)).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut text = String::new();
    let row = |function: &String, cell: &dyn Fn(Size) -> String| -> Vec<String> {
        std::iter::once(function.clone()).chain(sizes.iter().map(|size| cell(*size))).collect()
    };
    let first = &variants[0];
    let own = |function: &String| {
        row(function, &|size| {
            let trials = trials(cells, function, size, first);
            let successes = trials.iter().filter(|trial| trial.0).count();
            let all: u64 = trials.iter().map(|trial| trial.1).sum();
            let failures = if successes == trials.len() { String::new() } else { format!(", {successes} succeed") };
            format!("{} ({}{failures})", table::count(all as f64 / successes as f64), trials.len())
        })
    };
    text += &format!("\n{first}: evaluations to the target, all over the number of successes (trials)\n\n");
    text += &table::markdown(&head, &functions.iter().map(own).collect::<Vec<_>>());
    for variant in &variants[1..] {
        let mut rows: Vec<Vec<String>> = functions
            .iter()
            .map(|function| row(function, &|size| of_cell(cells, function, size, variant).map_or("–".into(), in_words)))
            .collect();
        let mean = |size: Size| {
            let pairs: Vec<_> = functions
                .iter()
                .map(|function| (trials(cells, function, size, variant), trials(cells, function, size, first)))
                .filter(|(one, other)| !one.is_empty() && !other.is_empty())
                .collect();
            in_words(geometric_mean(&pairs))
        };
        rows.push(row(&"geometric mean".to_string(), &mean));
        text += &format!("\n{variant} over {first}, with 95 % intervals\n\n");
        text += &table::markdown(&head, &rows);
        let failures: Vec<String> = cells
            .iter()
            .filter(|cell| cell.variant == *variant && cell.trials.iter().any(|trial| !trial.0))
            .map(|cell| {
                let failed = cell.trials.iter().filter(|trial| !trial.0).count();
                format!("{} n = {}: {failed} of {}", cell.function, cell.n, cell.trials.len())
            })
            .collect();
        if !failures.is_empty() {
            text += &format!("\nFailures of {variant}: {}\n", failures.join(", "));
        }
    }
    text
}
