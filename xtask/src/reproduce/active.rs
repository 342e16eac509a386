//! Figure "active": plain and separable CMA-ES with and without the active update, against the population size.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory};
use super::claims::{Bound, Claim};
use super::population::{Variant, lambdas, medians_panel};
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
        let lines = variants.map(|(name, strategy, active)| Variant {
            name,
            color: usize::from(!active),
            dashed: strategy == StrategyName::Sep,
            cells: lambdas.iter().map(|lambda| (*lambda, cell(function, strategy, active, *lambda))).collect(),
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
    let name = |function: Function| format!("on {}", function.label());
    let gains = |strategy, lambda| FUNCTIONS.map(|function| (name(function), gain(function, strategy, lambda)));
    let changes = |strategy| {
        let change = |function| gain(function, strategy, last) / gain(function, strategy, first);
        FUNCTIONS.map(|function| (name(function), change(function)))
    };
    // log iterations / log λ over a step of λ.
    let slope = |function, strategy, (a, b): (usize, usize)| {
        let iterations = |lambda| median(function, strategy, true, lambda);
        (iterations(b) / iterations(a)).ln() / (b as f64 / a as f64).ln()
    };
    let (first_step, last_step) = ((lambdas[0], lambdas[1]), (lambdas[lambdas.len() - 2], last));
    let flattened = FUNCTIONS.into_iter().flat_map(|function| {
        [StrategyName::Plain, StrategyName::Sep].map(|strategy| {
            let flattened = slope(function, strategy, last_step) / slope(function, strategy, first_step);
            (format!("{} {}", strategy.name(), name(function)), flattened)
        })
    });
    let all_gains = lambdas.iter().flat_map(|lambda| {
        gains(StrategyName::Plain, *lambda).map(|(name, gain)| (format!("{name}, λ = {lambda}"), gain))
    });
    let discus = gain(Function::Discus, StrategyName::Plain, first);
    let by_lambda = |strategy| {
        let shown = |lambda: &usize| {
            let gains = gains(strategy, *lambda).map(|(_, gain)| format!("{gain:.2}"));
            format!("λ = {lambda}: {}", gains.join(", "))
        };
        format!("gains on Ellipsoid, Discus, TwoAxes: {}", lambdas.iter().map(shown).collect::<Vec<_>>().join("; "))
    };
    let claims = vec![
        Claim::new(
            "The number of iterations decreases as λ increases",
            &format!("iterations of plain CMA with λ = {last} over those with {first}"),
            Bound::Below(1.0),
            FUNCTIONS.map(|function| {
                let [few, many] = [last, first].map(|lambda| median(function, StrategyName::Plain, true, lambda));
                (name(function), few / many)
            }),
        ),
        Claim::new(
            "The number of iterations tends to level out as λ increases",
            &format!("slope of log iterations over log λ up to λ = {last}, over the slope from λ = {first}"),
            Bound::Below(0.5),
            flattened,
        )
        .if_reached(last == 13_312),
        Claim::new(
            "The plain CMA is consistently faster with active update than without",
            "iterations without the active update over those with it",
            Bound::Above(1.0),
            all_gains,
        ),
        Claim::new(
            "The effect is most pronounced on functions with few sensitive variables such as the Discus",
            &format!("gain on Discus over gain elsewhere, λ = {first}"),
            Bound::Above(1.0),
            [Function::Ellipsoid, Function::TwoAxes]
                .map(|function| (name(function), discus / gain(function, StrategyName::Plain, first))),
        ),
        Claim::new(
            "The advantage diminishes as λ increases in plain CMA",
            &format!("gain with λ = {last} over gain with {first}"),
            Bound::Below(1.0),
            changes(StrategyName::Plain),
        )
        .remark(&by_lambda(StrategyName::Plain)),
        Claim::new(
            "In separable CMA the speed-up becomes even slightly more pronounced",
            &format!("gain with λ = {last} over gain with {first}"),
            Bound::Above(1.0),
            changes(StrategyName::Sep),
        )
        .remark(&by_lambda(StrategyName::Sep)),
    ];
    let title = format!("iterations with and without the active update, n = {N}");
    Ok(Figure { label: "active", title, panels, columns: 3, claims })
}
