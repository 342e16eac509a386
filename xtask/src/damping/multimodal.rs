//! Success rates on functions with many minima. Separate trials first find the population size with which half of the paper's runs succeed;
//! then all variants are compared with that size.

use ddcma_core::StopCriteria;

use super::Options;
use super::plan::{Cell, Group, Variant, all_dampings};
use crate::lab::names::Form;
use crate::lab::{LabError, table};

const FUNCTIONS: [&str; 4] = ["rastrigin", "rastrigin-rotated", "bohachevsky", "bohachevsky-rotated"];
const DIMENSIONS: [usize; 2] = [10, 20];

/// Population sizes of the first step: these powers of two, and the ones between them.
const LADDER: std::ops::RangeInclusive<u32> = 8..=20;
const TRIALS_OF_LADDER: u32 = 16;

/// The success rate that ends the first step.
const ENOUGH: f64 = 0.7;
const SEED_OF_LADDER: u64 = 200_001;

const TRIALS: u32 = 200;
const FIRST_SEED: u64 = 800_001;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let folder = options.out.join("multimodal");
    let variants = match &options.variants[..] {
        [] => all_dampings(),
        variants => variants.to_vec(),
    };
    let (mut rows, mut head) = (Vec::new(), vec!["function", "n", "λ"]);
    head.extend(variants.iter().map(|variant| &variant.label[..]));
    let dims =
        if options.dims.is_empty() { DIMENSIONS.to_vec() } else { options.dims.iter().map(|n| *n as usize).collect() };
    let names = match &options.functions[..] {
        [] => FUNCTIONS.map(String::from).to_vec(),
        forms => forms.iter().map(Form::to_string).collect(),
    };
    for n in dims {
        for function in &names {
            let functions = [function.clone()];
            // Runs that have found a local minimum end.
            let until = StopCriteria::new();
            let group = |variants, trials| Group { n, functions: &functions, variants, trials, until: until.clone() };
            let (paper, mut ladder) = ([Variant::paper()], Vec::new());
            for k in LADDER {
                let lambda = 2f64.powf(f64::from(k) / 2.0).round() as usize;
                let rung = group(&paper[..], TRIALS_OF_LADDER);
                ladder.extend(rung.run(SEED_OF_LADDER, &[lambda], options.jobs, &folder)?);
                // Larger populations are expensive, and succeed more often.
                if ladder.last().is_some_and(|cell| rate(cell) >= ENOUGH) {
                    break;
                }
            }
            let lambda = of_half_success(&ladder);
            let trials = options.trials.first().copied().unwrap_or(TRIALS);
            let first_seed = options.first_seed.unwrap_or(FIRST_SEED);
            let cells = group(&variants[..], trials).run(first_seed, &[lambda], options.jobs, &folder)?;
            let mut row = vec![function.clone(), n.to_string(), lambda.to_string()];
            row.extend(cells.iter().map(|cell| in_words(cell, &cells[0])));
            rows.push(row);
        }
    }
    let title = "Successes of single runs; z: the difference to the first variant, in standard errors";
    Ok(format!("\n{title}\n\n{}", table::markdown(&head, &rows)))
}

fn successes(cell: &Cell) -> f64 {
    cell.trials.iter().filter(|trial| trial.0).count() as f64
}

fn rate(cell: &Cell) -> f64 {
    successes(cell) / cell.trials.len() as f64
}

fn in_words(cell: &Cell, first: &Cell) -> String {
    let rates = format!("{}/{}", successes(cell), cell.trials.len());
    let (one, other) = (cell.trials.len() as f64, first.trials.len() as f64);
    let common = (successes(cell) + successes(first)) / (one + other);
    let error = (common * (1.0 - common) * (1.0 / one + 1.0 / other)).sqrt();
    if std::ptr::eq(cell, first) { rates } else { format!("{rates}, z = {:+.1}", (rate(cell) - rate(first)) / error) }
}

/// Returns the population size at which the success rate crosses one half for the last time, interpolated on a logarithmic scale.
fn of_half_success(ladder: &[Cell]) -> usize {
    let points: Vec<(f64, f64)> =
        ladder.iter().filter_map(|cell| Some(((cell.lambda? as f64).ln(), rate(cell)))).collect();
    let crossing = points.windows(2).rev().find(|pair| pair[0].1 < 0.5 && pair[1].1 >= 0.5);
    let place = match (crossing, points.first(), points.last()) {
        (Some(&[(low, below), (high, above)]), ..) => low + (0.5 - below) / (above - below) * (high - low),
        (_, Some(first), _) if first.1 >= 0.5 => first.0,
        (_, _, Some(last)) => last.0,
        _ => 0.0,
    };
    place.exp().round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_success_lies_between_its_neighbors() {
        let cell = |lambda: usize, successes: u64| Cell {
            function: String::new(),
            n: 10,
            lambda: Some(lambda),
            variant: String::new(),
            trials: (0..4).map(|k| (k < successes, 1)).collect(),
        };
        assert_eq!(of_half_success(&[cell(8, 0), cell(16, 1), cell(64, 3), cell(128, 4)]), 32);
        assert_eq!(of_half_success(&[cell(8, 3), cell(16, 4)]), 8);
        assert_eq!(of_half_success(&[cell(8, 0), cell(16, 1)]), 16);
    }
}
