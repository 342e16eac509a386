//! Figure "cc": the cumulation factor on the 20-dimensional Cigar, with the rank-μ update off.

use ddcma_core::Settings;
use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::{Bound, Claim};
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};
use crate::lab::statistics::median;

const N: usize = 20;
const TRIALS: u64 = 3;
const MOST_ITERATIONS: u64 = 5000;

/// Multiples of the default c_1, and of the default √(μ_w c_1)/2 of c_c.
const C_1: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];
const C_C: [f64; 9] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Returns a setting of the figure; `None` if a rate is out of range.
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

    let line = |strategy, lambda, c_1| -> Vec<(f64, f64)> {
        let point = |c_c: &f64| {
            let evaluations = laboratory.median_evaluations(&cell(strategy, lambda, c_1, *c_c)?, TRIALS);
            evaluations.is_finite().then_some((*c_c, evaluations))
        };
        C_C.iter().filter_map(point).collect()
    };
    let panel = |(strategy, lambda): &(StrategyName, usize)| {
        let series = C_1.into_iter().enumerate().map(|(color, c_1)| {
            let points = line(*strategy, *lambda, c_1);
            Series { name: Some(format!("{c_1} def")), color, points, marked: true, ..Series::default() }
        });
        Panel {
            title: format!("{}, λ = {lambda}", strategy.name()),
            x: Axis::log("c_c / (√(μ_w c_1)/2)"),
            y: Axis::log("evaluations"),
            series: series.collect(),
        }
    };
    let panels = settings.iter().map(panel).collect();

    // For each line: the location of its minimum, and the relative costs of the default and of the ends of [1/4, 4].
    let shape = |strategy, lambda, c_1| {
        let line = line(strategy, lambda, c_1);
        let at = |x: f64| line.iter().find(|point| point.0 == x).map_or(f64::NAN, |point| point.1);
        let best = line.iter().min_by(|a, b| a.1.total_cmp(&b.1)).copied().unwrap_or((f64::NAN, f64::NAN));
        let ends = at(0.25).max(at(4.0));
        (best.0, at(1.0) / best.1, ends / best.1)
    };
    let shapes = |lambda: usize| {
        let lines = settings.iter().filter(move |setting| setting.1 == lambda).map(|setting| setting.0);
        lines
            .flat_map(|strategy| C_1.map(|c_1| (strategy, c_1)))
            .map(move |(strategy, c_1)| (format!("{}, {c_1} def", strategy.name()), shape(strategy, lambda, c_1)))
    };
    let location = |strategy, lambda, c_1| shape(strategy, lambda, c_1).0;
    let over_c_1 = settings.iter().map(|(strategy, lambda)| {
        let places = C_1.map(|c_1| location(*strategy, *lambda, c_1));
        let (least, largest) =
            (places.iter().fold(f64::NAN, |a, b| a.min(*b)), places.iter().fold(f64::NAN, |a, b| a.max(*b)));
        (format!("{}, λ = {lambda}", strategy.name()), largest / least)
    });
    let over_lambda = [StrategyName::Plain, StrategyName::Sep].map(|strategy| {
        let [few, many] = [12, 1200].map(|lambda| median(&C_1.map(|c_1| location(strategy, lambda, c_1))));
        (strategy.name(), few / many)
    });
    let cost_of_default = [12, 1200].into_iter().flat_map(|lambda| {
        shapes(lambda).map(move |(name, (_, default, _))| (format!("{name}, λ = {lambda}"), default))
    });
    let pronounced = settings.iter().map(|(strategy, lambda)| {
        let [small, large] = [C_1[0], C_1[2]].map(|c_1| shape(*strategy, *lambda, c_1).2);
        (format!("{}, λ = {lambda}", strategy.name()), small / large)
    });
    let claims = vec![
        Claim::new(
            "The location of the minimum remains roughly the same for different c_1",
            "largest over smallest of the c_c that need the fewest evaluations, in multiples of √(μ_w c_1)/2",
            Bound::Below(5.0),
            over_c_1,
        ),
        Claim::new(
            "The location of the minimum also remains roughly the same for different λ",
            "the median of these c_c for λ = 12 over that for λ = 1200",
            Bound::Between(0.2, 5.0),
            over_lambda,
        ),
        Claim::new(
            "The adaptation speed tends to be the best around c_c = √(μ_w c_1)/2",
            "evaluations at this c_c over the fewest on the curve",
            Bound::Below(1.6),
            cost_of_default,
        ),
        Claim::new(
            "The minimum is more pronounced for smaller c_1",
            "evaluations at ¼ or 4 times the default c_c, whichever is worse, over the fewest; this ratio for 0.1 times the \
             default c_1 over that for the default",
            Bound::Above(1.0),
            pronounced,
        ),
    ];
    let title = format!("evaluations on the {N}-dimensional Cigar to 1e-2, rank-μ update off");
    Ok(Figure { label: "cc", title, panels, columns: 2, claims })
}
