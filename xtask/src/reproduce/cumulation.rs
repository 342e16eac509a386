//! Figure "cc": the cumulation factor on the 20-dimensional Cigar, with the rank-μ update off.

use ddcma_core::Settings;
use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::Claim;
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};

const N: usize = 20;
const TRIALS: u64 = 3;
const MOST_ITERATIONS: u64 = 5000;

/// Multiples of the default c_1, and of the default √(μ_w c_1)/2 of c_c.
const C_1: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];
const C_C: [f64; 9] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// The setting of the figure, or none if a rate is out of range.
fn cell(strategy: StrategyName, lambda: usize, c_1_factor: f64, c_c_factor: f64) -> Option<Cell> {
    let params = Settings::new().lambda(lambda).params(N).ok()?;
    let default = if strategy == StrategyName::Sep { params.c_1_d() } else { params.c_1() };
    let c_1 = c_1_factor * default;
    let c_c = c_c_factor * (params.mu_w() * c_1).sqrt() / 2.0; // eq. (cc)
    if c_1 > 1.0 || c_c > 1.0 {
        return None;
    }
    let form = Form { function: Function::Cigar, rotated: false };
    let cell =
        Cell::new(form, N, strategy).lambda(lambda).with(&format!("c_1={c_1_factor},c_c={c_c_factor}"), |settings| {
            if strategy == StrategyName::Sep {
                settings.c_1_d(c_1).c_mu_d(0.0).c_c_d(c_c)
            } else {
                settings.c_1(c_1).c_mu(0.0).c_c(c_c)
            }
        });
    Some(Cell { target: 1e-2, budget: Some(MOST_ITERATIONS * lambda as u64), start: Some((1.0, 1e-6)), ..cell })
}

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let settings: Vec<(StrategyName, usize)> = [StrategyName::Plain, StrategyName::Sep]
        .into_iter()
        .flat_map(|strategy| [12, 1200].map(|lambda| (strategy, lambda)))
        .collect();
    let mut cells = Vec::new();
    for &(strategy, lambda) in &settings {
        for c_1 in C_1 {
            cells.extend(C_C.iter().filter_map(|c_c| cell(strategy, lambda, c_1, *c_c)).map(|cell| (cell, TRIALS)));
        }
    }
    laboratory.run(&cells)?;

    let (mut panels, mut best_at, mut defaults) = (Vec::new(), Vec::new(), Vec::new());
    for &(strategy, lambda) in &settings {
        let mut series = Vec::new();
        for (colour, c_1) in C_1.into_iter().enumerate() {
            let points: Vec<(f64, f64)> = C_C
                .iter()
                .filter_map(|c_c| {
                    let evaluations = laboratory.median_evaluations(&cell(strategy, lambda, c_1, *c_c)?, TRIALS);
                    evaluations.is_finite().then_some((*c_c, evaluations))
                })
                .collect();
            let best = points.iter().min_by(|a, b| a.1.total_cmp(&b.1)).copied();
            if let Some((at, least)) = best {
                best_at.push(at);
                defaults.extend(points.iter().find(|point| point.0 == 1.0).map(|point| point.1 / least));
            }
            series.push(Series { name: Some(format!("{c_1} def")), colour, points, marked: true, ..Series::default() });
        }
        panels.push(Panel {
            title: format!("{}, λ = {lambda}", strategy.name()),
            x: Axis::log("c_c / (√(μ_w c_1)/2)"),
            y: Axis::log("evaluations"),
            series,
        });
    }
    let shown = |at: f64| best_at.iter().filter(|other| **other == at).count();
    let places: Vec<String> =
        C_C.iter().filter(|at| shown(**at) > 0).map(|at| format!("{}× at {at}", shown(*at))).collect();
    let within = best_at.iter().filter(|at| (0.25..=4.0).contains(*at)).count();
    let mut sorted = defaults.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let (median, worst) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
    let claims = vec![
        Claim::new(
            "The location of the minimum remains roughly the same for different values of c_1 and λ",
            format!("in multiples of √(μ_w c_1)/2: {}", places.join(", ")),
            10 * within >= 8 * best_at.len(),
        )
        .remark("\"roughly\" taken as ¼ to 4 for eight of ten lines; for λ = 1200 the lines are flat to the left"),
        Claim::new(
            "The adaptation speed tends to be the best around c_c = √(μ_w c_1)/2",
            format!("there, {median:.2} times the best of the line in the median, {worst:.2} at the worst"),
            median < 1.25,
        ),
    ];
    let title = format!("evaluations on the {N}-dimensional Cigar to 1e-2, rank-μ update off");
    Ok(Figure { label: "cc", title, panels, columns: 2, claims })
}
