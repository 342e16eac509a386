//! The rule by which constants are chosen from the ratios of the cells, and two alternative rules.

use super::plan::Cell;
use super::ratios::{Ratio, geometric_mean};
use super::tables::{Size, functions, in_words, of_cell, sizes, trials, variants};
use crate::lab::table;

/// No cell may be significantly above this.
const BOUND: f64 = 1.05;

/// The smallest dimension that the mean includes.
const SMALLEST: usize = 40;

/// A variant with the numbers that the rules use.
struct Candidate {
    variant: String,
    mean: Ratio,
    /// The cell with the largest ratio.
    worst: (String, Ratio),
    /// The number of cells that are significantly above the bound.
    above: Vec<String>,
}

/// Returns a row for each variant, and the choice of each rule. Success rates on functions with many minima are in the part `multimodal`.
pub(super) fn table(cells: &[Cell]) -> String {
    let variants = variants(cells);
    let candidates: Vec<Candidate> = variants[1..].iter().map(|variant| candidate(cells, variant)).collect();
    let rows: Vec<Vec<String>> = candidates
        .iter()
        .map(|Candidate { variant, mean, worst, above }| {
            let worst = format!("{} {}", in_words(worst.1), worst.0);
            let Ratio { ratio, low, high } = *mean;
            // The means of the finalists are close to each other.
            let mean = format!("{ratio:.3} [{low:.3}, {high:.3}]");
            vec![variant.clone(), mean, worst, above.join(", ")]
        })
        .collect();
    let head = ["variant", "geometric mean, n ≥ 40", "largest ratio", "significantly above 1.05"];
    let least = |candidates: &mut dyn Iterator<Item = &Candidate>, of: fn(&Candidate) -> f64| {
        let best = candidates.min_by(|a, b| of(a).total_cmp(&of(b)));
        best.map_or("none".to_string(), |best| best.variant.clone())
    };
    let mean = |candidate: &Candidate| candidate.mean.ratio;
    let mut allowed = candidates.iter().filter(|candidate| candidate.above.is_empty());
    let by_rule = least(&mut allowed, mean);
    let without = least(&mut candidates.iter(), mean);
    let by_worst = least(&mut candidates.iter(), |candidate| candidate.worst.1.ratio);
    format!(
        "\n{}\nThe least mean with no cell significantly above {BOUND}: {by_rule}. The least mean: {without}. The least largest ratio: \
         {by_worst}.\n",
        table::markdown(&head, &rows)
    )
}

fn candidate(cells: &[Cell], variant: &str) -> Candidate {
    let first = &variants(cells)[0];
    let (functions, sizes) = (functions(cells), sizes(cells));
    let large: Vec<Size> = sizes.iter().copied().filter(|size| size.0 >= SMALLEST).collect();
    let pairs: Vec<_> = functions
        .iter()
        .flat_map(|function| {
            large.iter().map(|size| (trials(cells, function, *size, variant), trials(cells, function, *size, first)))
        })
        .collect();
    let all = functions.iter().flat_map(|function| sizes.iter().map(move |size| (function, *size)));
    let known = all.filter_map(|(function, size)| {
        Some((format!("{function} n = {}", size.0), of_cell(cells, function, size, variant)?))
    });
    let known: Vec<(String, Ratio)> = known.collect();
    let worst = known.iter().max_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio)).cloned();
    let above = known.iter().filter(|(_, ratio)| ratio.low > BOUND).map(|(name, _)| name.clone()).collect();
    let nothing = Ratio { ratio: f64::NAN, low: f64::NAN, high: f64::NAN };
    Candidate {
        variant: variant.to_string(),
        mean: geometric_mean(&pairs),
        worst: worst.unwrap_or((String::new(), nothing)),
        above,
    }
}
