//! Figure "rastrigin": iterations, success rates and SP1 against the population size, on two functions with many minima.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::{Bound, Claim};
use super::population::N;
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};
use crate::lab::statistics::{Cost, median};
use StrategyName::{Dd, Plain, Sep};

const FUNCTIONS: [Function; 2] = [Function::Bohachevsky, Function::Rastrigin];

/// A line of the figure.
#[derive(Clone, Copy)]
struct Variant {
    name: &'static str,
    strategy: StrategyName,
    rotated: bool,
    keeps_determinant: bool,
}

const fn variant(name: &'static str, strategy: StrategyName, rotated: bool, keeps_determinant: bool) -> Variant {
    Variant { name, strategy, rotated, keeps_determinant }
}

const PLAIN: Variant = variant("plain, rotated", Plain, true, false);
const SEP: Variant = variant("sep", Sep, false, false);
const DD: Variant = variant("dd", Dd, false, false);
const DD_ROTATED: Variant = variant("dd, rotated", Dd, true, false);
const KEPT: Variant = variant("dd, det D kept", Dd, false, true);
const KEPT_ROTATED: Variant = variant("dd, det D kept, rotated", Dd, true, true);
const VARIANTS: [Variant; 6] = [PLAIN, SEP, DD, DD_ROTATED, KEPT, KEPT_ROTATED];

/// More trials than elsewhere at the quick scale, because five trials say little about a success rate.
fn trials(laboratory: &Laboratory) -> u64 {
    laboratory.choose(10, 20)
}

fn cell(function: Function, variant: Variant, lambda: usize) -> Cell {
    let Variant { strategy, rotated, keeps_determinant, .. } = variant;
    let cell = Cell::new(Form { function, rotated }, N, strategy).lambda(lambda).until_converged();
    if keeps_determinant { cell.with("keep_determinant", |settings| settings.keep_determinant(true)) } else { cell }
}

/// The measurements: the iterations of successes, and the cost of all trials.
fn measured(laboratory: &Laboratory, function: Function, variant: Variant, lambda: usize) -> (f64, Cost) {
    let outcomes = laboratory.outcomes(&cell(function, variant, lambda), trials(laboratory));
    let successes = outcomes.iter().filter(|outcome| outcome.success);
    let iterations: Vec<f64> = successes.map(|outcome| outcome.iterations as f64).collect();
    let pairs: Vec<(bool, u64)> = outcomes.iter().map(|outcome| (outcome.success, outcome.evaluations)).collect();
    (median(&iterations), Cost::of(&pairs))
}

fn rate(cost: Cost) -> f64 {
    cost.successes as f64 / cost.trials as f64
}

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let lambdas: Vec<usize> = (0..=laboratory.choose(7, 10)).map(|k| 13 << k).collect();
    let (trials, mut cells) = (trials(laboratory), Vec::new());
    for function in FUNCTIONS {
        for variant in VARIANTS {
            cells.extend(lambdas.iter().map(|lambda| (cell(function, variant, *lambda), trials)));
        }
    }
    laboratory.run(&cells)?;
    let mut panels = Vec::new();
    for row in 0..3 {
        for function in FUNCTIONS {
            let series = VARIANTS.map(|variant| {
                let point = |lambda: &usize| {
                    let (iterations, cost) = measured(laboratory, function, variant, *lambda);
                    (*lambda as f64, [iterations, rate(cost), cost.sp1][row])
                };
                let points = lambdas.iter().map(point).filter(|(_, y)| y.is_finite()).collect();
                let color = if variant.keeps_determinant { 3 } else { variant.strategy.color() };
                let (name, dashed) = (Some(variant.name.to_string()), !variant.rotated);
                Series { name, color, points, dashed, marked: true, ..Series::default() }
            });
            let rates = Axis::linear("success rate").range(-0.02, 1.02);
            let y = [Axis::log("iterations of successes"), rates, Axis::log("SP1")][row].clone();
            let (title, x) = (function.label().to_string(), Axis::log("population size λ"));
            panels.push(Panel { title, x, y, series: series.to_vec() });
        }
    }
    let title = format!("functions with many minima, n = {N}");
    Ok(Figure { label: "rastrigin", title, panels, columns: 2, claims: claims(laboratory, &lambdas) })
}

fn claims(laboratory: &Laboratory, lambdas: &[usize]) -> Vec<Claim> {
    let pairs = [(DD, SEP), (DD_ROTATED, PLAIN)];
    let on = |function: Function, variant: Variant| format!("on {}", Form { function, rotated: variant.rotated });
    // Medians over the λ for which both succeed.
    let iterations = FUNCTIONS.into_iter().flat_map(|function| {
        pairs.map(|(dd, rival)| {
            let ratio = |lambda: &usize| {
                measured(laboratory, function, dd, *lambda).0 / measured(laboratory, function, rival, *lambda).0
            };
            let known: Vec<f64> = lambdas.iter().map(ratio).filter(|ratio| ratio.is_finite()).collect();
            (on(function, dd), median(&known))
        })
    });
    let half = |function, variant| {
        let rates =
            lambdas.iter().map(|lambda| (*lambda as f64, rate(measured(laboratory, function, variant, *lambda).1)));
        half_success(&rates.collect::<Vec<_>>())
    };
    let ratios = |pairs: [(Variant, Variant); 2]| -> Vec<(String, f64)> {
        let of = |function| pairs.map(|(dd, rival)| (on(function, dd), half(function, dd) / half(function, rival)));
        FUNCTIONS.into_iter().flat_map(of).collect()
    };
    let shown = |ratios: &[(String, f64)]| -> String {
        ratios.iter().map(|(on, ratio)| format!("{ratio:.2} {on}")).collect::<Vec<_>>().join(", ")
    };
    let (usual, kept) = (ratios(pairs), ratios([(KEPT, SEP), (KEPT_ROTATED, PLAIN)]));
    let larger = "λ at which half of the trials succeed, dd's over its rival's, geometric mean of four cases";
    let ends = "runs end before their budget once their values differ by less than 1e-12";
    vec![
        Claim::new(
            "dd tends to spend fewer iterations than separable and plain CMA",
            "iterations of dd over its rival's, median over λ",
            Bound::Below(1.0),
            iterations,
        ),
        Claim::new(
            "dd tends to require a greater λ to reach the same success rate",
            larger,
            Bound::Above(1.05),
            [("", geometric_mean(&usual))],
        )
        .remark(&format!("{}; {ends}", shown(&usual))),
        Claim::new(
            "This effect disappears if the D update keeps its determinant unchanged",
            larger,
            Bound::Below(1.05),
            [("", geometric_mean(&kept))],
        )
        .remark(&format!("{}; {ends}", shown(&kept))),
    ]
}

/// Returns the geometric mean; NaN if a ratio is NaN.
fn geometric_mean(ratios: &[(String, f64)]) -> f64 {
    (ratios.iter().map(|(_, ratio)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// The λ at which the success rate crosses ½, interpolated between two measured ones on a logarithmic scale; NaN if it does not.
fn half_success(rates: &[(f64, f64)]) -> f64 {
    let passes = rates.windows(2).rev().find(|pair| pair[0].1 < 0.5 && pair[1].1 >= 0.5);
    let Some(&[(low, below), (high, above)]) = passes else { return f64::NAN };
    low * (high / low).powf((0.5 - below) / (above - below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_trials_succeed_between_two_populations() {
        assert_eq!(half_success(&[(10.0, 0.0), (20.0, 0.0), (80.0, 1.0)]), 40.0);
        assert_eq!(half_success(&[(10.0, 0.0), (20.0, 0.5)]), 20.0);
        assert!(half_success(&[(10.0, 0.0), (20.0, 0.4)]).is_nan());
        assert!(half_success(&[(10.0, 0.8), (20.0, 1.0)]).is_nan());
    }
}
