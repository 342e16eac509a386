//! Figure "active": plain and separable CMA-ES with and without the active update, against the population size.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::Claim;
use super::population::{lambdas, medians_panel};
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};

const N: usize = 40;
const FUNCTIONS: [Function; 3] = [Function::Ellipsoid, Function::Discus, Function::TwoAxes];

fn cell(function: Function, strategy: StrategyName, active: bool, lambda: usize) -> Cell {
    let cell = Cell::new(Form { function, rotated: false }, N, strategy).lambda(lambda);
    if active { cell } else { cell.with("active=false", |settings| settings.active(false)) }
}

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let lambdas = lambdas(laboratory);
    let trials = laboratory.trials(N);
    let variants = [
        ("plain, active", StrategyName::Plain, true),
        ("plain, not active", StrategyName::Plain, false),
        ("sep, active", StrategyName::Sep, true),
        ("sep, not active", StrategyName::Sep, false),
    ];
    let mut cells = Vec::new();
    for function in FUNCTIONS {
        for (_, strategy, active) in variants {
            cells.extend(lambdas.iter().map(|lambda| (cell(function, strategy, active, *lambda), trials)));
        }
    }
    laboratory.run(&cells)?;

    let mut panels = Vec::new();
    for function in FUNCTIONS {
        let lines = variants.map(|(name, strategy, active)| {
            let line = lambdas.iter().map(|lambda| (*lambda, cell(function, strategy, active, *lambda)));
            (name.to_string(), line.collect::<Vec<_>>())
        });
        panels.push(medians_panel(laboratory, function.label(), &lines, trials));
    }

    let median = |function, strategy, active, lambda| {
        laboratory.median_iterations(&cell(function, strategy, active, lambda), trials)
    };
    let gain = |function, strategy, lambda| {
        median(function, strategy, false, lambda) / median(function, strategy, true, lambda)
    };
    let (first, last) = (lambdas[0], lambdas[lambdas.len() - 1]);
    let list = |numbers: &[f64]| numbers.iter().map(|number| format!("{number:.2}")).collect::<Vec<_>>().join(", ");
    let of_functions = |strategy, lambda| FUNCTIONS.map(|function| gain(function, strategy, lambda)).to_vec();
    let all_plain: Vec<f64> = lambdas
        .iter()
        .flat_map(|lambda| of_functions(StrategyName::Plain, *lambda))
        .filter(|g| g.is_finite())
        .collect();
    let least = all_plain.iter().copied().fold(f64::INFINITY, f64::min);
    let decreasing = FUNCTIONS.iter().all(|function| {
        let iterations: Vec<f64> =
            lambdas.iter().map(|lambda| median(*function, StrategyName::Plain, true, *lambda)).collect();
        iterations[0] > iterations[iterations.len() - 1]
    });
    let discus = gain(Function::Discus, StrategyName::Plain, first);
    let others = FUNCTIONS.map(|function| gain(function, StrategyName::Plain, first));
    let (plain_first, plain_last) = (of_functions(StrategyName::Plain, first), of_functions(StrategyName::Plain, last));
    let (sep_first, sep_last) = (of_functions(StrategyName::Sep, first), of_functions(StrategyName::Sep, last));
    let mean = |gains: &[f64]| gains.iter().sum::<f64>() / gains.len() as f64;
    let claims = vec![
        Claim::new(
            "The number of iterations decreases as λ increases",
            format!(
                "plain, λ = {first} to {last}: {}",
                if decreasing { "on all three functions" } else { "not everywhere" }
            ),
            decreasing,
        ),
        Claim::new(
            "The plain CMA is consistently faster with active update than without",
            format!("least gain over functions and λ: {least:.2}"),
            least > 1.0,
        ),
        Claim::new(
            "The effect is most pronounced on functions with few sensitive variables such as the Discus",
            format!("gains on Ellipsoid, Discus, TwoAxes at λ = {first}: {}", list(&others)),
            others.iter().all(|gain| *gain <= discus),
        ),
        Claim::new(
            "The advantage diminishes as λ increases in plain CMA",
            format!("gains at λ = {first}: {}; at {last}: {}", list(&plain_first), list(&plain_last)),
            mean(&plain_last) < mean(&plain_first),
        ),
        Claim::new(
            "In separable CMA the speed-up becomes even slightly more pronounced",
            format!("gains at λ = {first}: {}; at {last}: {}", list(&sep_first), list(&sep_last)),
            mean(&sep_last) > mean(&sep_first),
        ),
    ];
    let title = format!("iterations with and without the active update, n = {N}");
    Ok(Figure { label: "active", title, panels, columns: 3, claims })
}
