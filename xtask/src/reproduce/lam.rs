//! Figure "lam": iterations to the target against the population size, on three functions, rotated and not.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory, costs};
use super::claims::{Bound, Claim};
use super::population::{N, Variant, lambdas, medians_panel};
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::statistics::{median, quantile};
use StrategyName::{Dd, Plain, Sep};

const FUNCTIONS: [Function; 3] = [Function::Ellipsoid, Function::Discus, Function::TwoAxes];
const VARIANTS: [(&str, StrategyName, bool); 4] =
    [("plain, rotated", Plain, true), ("sep", Sep, false), ("dd", Dd, false), ("dd, rotated", Dd, true)];

fn cell(function: Function, strategy: StrategyName, rotated: bool, lambda: usize) -> Cell {
    Cell::new(Form { function, rotated }, N, strategy).lambda(lambda)
}

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let lambdas = lambdas(laboratory);
    let trials = laboratory.trials(N);
    let mut cells = Vec::new();
    for function in FUNCTIONS {
        for (_, strategy, rotated) in VARIANTS {
            cells.extend(lambdas.iter().map(|lambda| (cell(function, strategy, rotated, *lambda), trials)));
        }
    }
    laboratory.run(&cells)?;
    let variance = variance_on_two_axes(laboratory)?;
    let panel = |function: &Function| {
        let lines = VARIANTS.map(|(name, strategy, rotated)| Variant {
            name,
            color: strategy.color(),
            dashed: !rotated,
            cells: lambdas.iter().map(|lambda| (*lambda, cell(*function, strategy, rotated, *lambda))).collect(),
        });
        medians_panel(laboratory, function.label(), &lines, trials)
    };
    let panels = FUNCTIONS.iter().map(panel).collect();

    let iterations = |function, strategy, rotated, lambda| {
        laboratory.median_iterations(&cell(function, strategy, rotated, lambda), trials)
    };
    let mut ratios = Vec::new();
    for function in FUNCTIONS {
        for (rotated, rival) in [(false, Sep), (true, Plain)] {
            let ratio = |lambda: &usize| {
                iterations(function, Dd, rotated, *lambda) / iterations(function, rival, rotated, *lambda)
            };
            let worst = lambdas[1..].iter().map(ratio).fold(f64::NAN, f64::max);
            ratios.push((format!("on {}", Form { function, rotated }), worst));
        }
    }
    let mut claims = vec![
        Claim::new(
            "For all larger population sizes up to 13312 dd performs on par with the better of plain and separable CMA",
            "largest ratio, over all λ, of dd's iterations to its rival's",
            Bound::Below(1.25),
            ratios,
        )
        .remark(&format!("λ from {} to {}", lambdas[1], lambdas[lambdas.len() - 1])),
    ];
    claims.extend(variance);
    let title = format!("iterations to reach 1e-8 against the population size, n = {N}");
    Ok(Figure { label: "lam", title, panels, columns: 3, claims })
}

/// The spread of dd's evaluations on the separable TwoAxes: the extremes of twenty trials.
fn variance_on_two_axes(laboratory: &mut Laboratory) -> Result<[Claim; 3], LabError> {
    const TRIALS: u64 = 20;
    let two_axes = Form { function: Function::TwoAxes, rotated: false };
    let (small, larger) = (cell(Function::TwoAxes, Dd, false, 13), cell(Function::TwoAxes, Dd, false, 52));
    let (wide, wide_larger) = (Cell::new(two_axes, 2 * N, Dd).lambda(13), Cell::new(two_axes, 2 * N, Dd).lambda(52));
    let cells = [&small, &larger, &wide, &wide_larger];
    laboratory.run(&cells.map(|cell| (cell.clone(), TRIALS)))?;
    let evaluations =
        |cell: &Cell| -> Vec<f64> { costs(&laboratory.outcomes(cell, TRIALS), |outcome| outcome.evaluations) };
    let spread = |cell: &Cell| quantile(&evaluations(cell), 1.0) / quantile(&evaluations(cell), 0.0);
    let saved = |few: &Cell, many: &Cell| median(&evaluations(few)) / median(&evaluations(many));
    Ok([
        Claim::new(
            "With the default λ = 13 dd has a relatively large variance on the separable TwoAxes",
            "largest over smallest evaluations in twenty trials, divided by the same for λ = 52",
            Bound::Above(1.05),
            [("", spread(&small) / spread(&larger))],
        )
        .remark(&format!(
            "{:.2} and {:.2}; for n = 40, Algorithm 2 gives λ = 15, not 13",
            spread(&small),
            spread(&larger)
        )),
        Claim::new(
            "Increasing λ reduces this variance and even the number of f-calls",
            "median evaluations with λ = 13 over those with λ = 52",
            Bound::Above(1.0),
            [("", saved(&small, &larger))],
        ),
        Claim::new(
            "This defect is even more pronounced for higher dimensions",
            "the same ratio for n = 80 over that for n = 40",
            Bound::Above(1.0),
            [("", saved(&wide, &wide_larger) / saved(&small, &larger))],
        ),
    ])
}
