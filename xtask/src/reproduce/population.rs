//! Figures "lam" and "rastrigin": iterations, success rates and SP1 against the population size, n = 40.

use ddcma_problems::Function;

use super::Figure;
use super::cells::{Cell, Laboratory, costs};
use super::claims::Claim;
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};
use crate::lab::statistics::{Cost, median, quantile};
use StrategyName::{Dd, Plain, Sep};

const N: usize = 40;

/// 13, and its multiples by powers of two up to 13312; a few of them at the quick scale.
pub(super) fn lambdas(laboratory: &Laboratory) -> Vec<usize> {
    let all: Vec<usize> = (0..=10).map(|k| 13 << k).collect();
    laboratory.choose(vec![all[0], all[2], all[4], all[6], all[8]], all)
}

/// A panel of medians and quartiles of iterations against λ.
pub(super) fn medians_panel(
    laboratory: &Laboratory,
    title: &str,
    lines: &[(String, Vec<(usize, Cell)>)],
    trials: u64,
) -> Panel {
    let series = lines.iter().enumerate().map(|(colour, (name, cells))| {
        let mut one = Series { name: Some(name.clone()), colour, marked: true, ..Series::default() };
        for (lambda, cell) in cells {
            let costs = costs(&laboratory.outcomes(cell, trials), |outcome| outcome.iterations);
            one.points.push((*lambda as f64, median(&costs)));
            one.bars.push((*lambda as f64, quantile(&costs, 0.25), quantile(&costs, 0.75)));
        }
        one
    });
    Panel {
        title: title.to_string(),
        x: Axis::log("population size λ"),
        y: Axis::log("iterations"),
        series: series.collect(),
    }
}

pub(super) fn lam(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let functions = [Function::Ellipsoid, Function::Discus, Function::TwoAxes];
    let lambdas = lambdas(laboratory);
    let trials = laboratory.trials(N);
    let variants = [("plain, rotated", Plain, true), ("sep", Sep, false), ("dd", Dd, false), ("dd, rotated", Dd, true)];
    let cell = |function, strategy, rotated, lambda| Cell::new(Form { function, rotated }, N, strategy).lambda(lambda);
    let mut cells = Vec::new();
    for function in functions {
        for (_, strategy, rotated) in variants {
            cells.extend(lambdas.iter().map(|lambda| (cell(function, strategy, rotated, *lambda), trials)));
        }
    }
    laboratory.run(&cells)?;
    let panel = |function: &Function| {
        let lines = variants.map(|(name, strategy, rotated)| {
            (
                name.to_string(),
                lambdas.iter().map(|lambda| (*lambda, cell(*function, strategy, rotated, *lambda))).collect(),
            )
        });
        medians_panel(laboratory, function.label(), &lines, trials)
    };
    let panels = functions.iter().map(panel).collect();

    let iterations = |function, strategy, rotated, lambda| {
        laboratory.median_iterations(&cell(function, strategy, rotated, lambda), trials)
    };
    let mut worst: (f64, String) = (0.0, String::new());
    for function in functions {
        for &lambda in &lambdas[1..] {
            for (rotated, rival) in [(false, Sep), (true, Plain)] {
                let ratio = iterations(function, Dd, rotated, lambda) / iterations(function, rival, rotated, lambda);
                if ratio > worst.0 {
                    let form = if rotated { "rotated " } else { "separable " };
                    worst = (ratio, format!("{form}{}, λ = {lambda}", function.label()));
                }
            }
        }
    }
    let spread = |lambda| {
        let outcomes = laboratory.outcomes(&cell(Function::TwoAxes, Dd, false, lambda), trials);
        let costs = costs(&outcomes, |outcome| outcome.evaluations);
        (quantile(&costs, 1.0) / quantile(&costs, 0.0), median(&costs))
    };
    let (default, larger) = (spread(lambdas[0]), spread(lambdas[1]));
    let claims = vec![
        Claim::new(
            "For all larger population sizes dd performs on par with the better of plain and separable CMA",
            format!("dd at the worst {:.2} times the iterations of its rival ({})", worst.0, worst.1),
            worst.0 < 1.3,
        ),
        Claim::new(
            "With the default λ = 13 dd has a relatively large variance on the separable TwoAxes (Algorithm 2 gives λ = 15)",
            format!(
                "largest over least evaluations: {:.2} at λ = {}, {:.2} at λ = {}",
                default.0, lambdas[0], larger.0, lambdas[1]
            ),
            default.0 > larger.0,
        ),
        Claim::new(
            "Increasing λ reduces this variance and even the number of f-calls",
            format!("median evaluations {:.0} at λ = {}, {:.0} at λ = {}", default.1, lambdas[0], larger.1, lambdas[1]),
            larger.0 < default.0 && larger.1 < default.1,
        ),
    ];
    let title = format!("iterations to reach 1e-8 against the population size, n = {N}");
    Ok(Figure { label: "lam", title, panels, columns: 3, claims })
}

pub(super) fn rastrigin(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let n = N;
    let trials = laboratory.choose(7, 20);
    let lambdas: Vec<usize> = (0..=laboratory.choose(7, 10)).map(|k| 13 << k).collect();
    let functions = [Function::Bohachevsky, Function::Rastrigin];
    let variants = [
        ("plain, rotated", Plain, true, false),
        ("sep", Sep, false, false),
        ("dd", Dd, false, false),
        ("dd, rotated", Dd, true, false),
        ("dd, det D kept", Dd, false, true),
        ("dd, det D kept, rotated", Dd, true, true),
    ];
    let cell = |function, strategy, rotated, keep: bool, lambda| {
        let cell = Cell::new(Form { function, rotated }, n, strategy).lambda(lambda).until_converged();
        if keep { cell.with("keep_determinant", |settings| settings.keep_determinant(true)) } else { cell }
    };
    let mut cells = Vec::new();
    for function in functions {
        for (_, strategy, rotated, keep) in variants {
            cells.extend(lambdas.iter().map(|lambda| (cell(function, strategy, rotated, keep, *lambda), trials)));
        }
    }
    laboratory.run(&cells)?;

    let cost = |function, (_, strategy, rotated, keep): (&str, StrategyName, bool, bool), lambda| {
        let outcomes = laboratory.outcomes(&cell(function, strategy, rotated, keep, lambda), trials);
        let iterations: Vec<f64> = outcomes.iter().filter(|o| o.success).map(|o| o.iterations as f64).collect();
        let pairs: Vec<(bool, u64)> = outcomes.iter().map(|outcome| (outcome.success, outcome.evaluations)).collect();
        (median(&iterations), Cost::of(&pairs))
    };
    let rate = |cost: Cost| cost.successes as f64 / cost.trials as f64;
    let mut panels = Vec::new();
    for row in 0..3 {
        for function in functions {
            let series = variants.iter().enumerate().map(|(colour, variant)| {
                let point = |lambda: &usize| {
                    let (iterations, cost) = cost(function, *variant, *lambda);
                    (*lambda as f64, [iterations, rate(cost), cost.sp1][row])
                };
                let points = lambdas.iter().map(point).filter(|(_, y)| y.is_finite()).collect();
                Series { name: Some(variant.0.to_string()), colour, points, marked: true, ..Series::default() }
            });
            let rates = Axis::linear("success rate").range(-0.02, 1.02);
            let y = [Axis::log("iterations of successes"), rates, Axis::log("SP1")][row].clone();
            let (title, x) = (function.label().to_string(), Axis::log("population size λ"));
            panels.push(Panel { title, x, y, series: series.collect() });
        }
    }

    let total = |function: Function, variant| -> f64 {
        lambdas.iter().map(|lambda| rate(cost(function, variant, *lambda).1)).sum()
    };
    let [plain, sep, dd, dd_rotated, kept, kept_rotated] = variants;
    let faster = |a, b| -> (usize, usize) {
        let pairs = functions.iter().flat_map(|f| lambdas.iter().map(|l| (cost(*f, a, *l).0, cost(*f, b, *l).0)));
        let known: Vec<(f64, f64)> = pairs.filter(|(a, b)| a.is_finite() && b.is_finite()).collect();
        (known.iter().filter(|(a, b)| a < b).count(), known.len())
    };
    let (fewer, of) = {
        let (a, b) = (faster(dd, sep), faster(dd_rotated, plain));
        (a.0 + b.0, a.1 + b.1)
    };
    let sums = |a, b| functions.map(|function| total(function, a) + total(function, b));
    let (rivals, dds, keeps) = (sums(sep, plain), sums(dd, dd_rotated), sums(kept, kept_rotated));
    let shown = |sums: [f64; 2]| format!("{:.1} and {:.1}", sums[0], sums[1]);
    let stops =
        "success rates summed over λ, on Bohachevsky and Rastrigin; runs that have converged end before their budget";
    let claims = vec![
        Claim::new(
            "dd tends to spend less iterations than separable and plain CMA",
            format!("fewer in {fewer} of {of} pairs of medians"),
            2 * fewer > of,
        ),
        Claim::new(
            "dd requires a greater λ to reach the same success rate",
            format!("{} for dd, {} for its rivals", shown(dds), shown(rivals)),
            (0..2).all(|k| dds[k] < rivals[k]),
        )
        .remark(stops),
        Claim::new(
            "This effect disappears if the D update keeps its determinant unchanged",
            format!(
                "{} with the determinant kept, {} without, {} for the rivals",
                shown(keeps),
                shown(dds),
                shown(rivals)
            ),
            (0..2).all(|k| keeps[k] >= dds[k] && keeps[k] >= rivals[k]),
        )
        .remark(stops),
    ];
    let title = format!("functions with many minima, n = {n}");
    Ok(Figure { label: "rastrigin", title, panels, columns: 2, claims })
}
