//! Figure "lrcomp": the learning rates of the paper next to the older ones, and what they cost on the Ellipsoid.

use ddcma_core::{Rates, Settings};
use ddcma_problems::Function;

use super::Figure;
use super::alpha::population_sizes;
use super::cells::{Cell, Laboratory};
use super::claims::Claim;
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};

const TRIALS: u64 = 3;

fn sum_of_rates(n: usize, lambda: usize, rates: Rates) -> f64 {
    let params = Settings::new().lambda(lambda).rates(rates).params(n);
    params.map_or(f64::NAN, |params| params.c_1() + params.c_mu())
}

fn cell(n: usize, strategy: StrategyName, rates: Rates) -> Cell {
    let form = Form { function: Function::Ellipsoid, rotated: false };
    let cell = Cell::new(form, n, strategy);
    if rates == Rates::Older { cell.with("rates=older", |settings| settings.rates(rates)) } else { cell }
}

pub(super) fn figure(laboratory: &mut Laboratory) -> Result<Figure, LabError> {
    let dims: Vec<usize> = [2, 3, 5, 7, 10, 20, 40, 80, 160, 320].to_vec();
    let mut series = Vec::new();
    for (colour, rates) in [(0, Rates::Paper), (1, Rates::Older)] {
        for k in 0..6 {
            let point = |n: &usize| (*n as f64, sum_of_rates(*n, population_sizes(*n, 6)[k], rates));
            let name = (k == 0).then(|| if rates == Rates::Paper { "new".to_string() } else { "original".to_string() });
            series.push(Series { name, colour, points: dims.iter().map(point).collect(), ..Series::default() });
        }
    }
    let left = Panel {
        title: "six λ from the default to 64 n²".to_string(),
        x: Axis::log("n").ticks(&[2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0]),
        y: Axis::log("c_1 + c_μ"),
        series,
    };

    let largest =
        [(StrategyName::Plain, laboratory.choose(80, 320)), (StrategyName::Sep, laboratory.choose(640, 5120))];
    let mut cells = Vec::new();
    for (strategy, limit) in largest {
        for n in laboratory.dims(limit) {
            cells.extend([Rates::Paper, Rates::Older].map(|rates| (cell(n, strategy, rates), TRIALS)));
        }
    }
    laboratory.run(&cells)?;
    let mut lines = Vec::new();
    for (strategy, limit) in largest {
        for (rates, name) in [(Rates::Paper, "new"), (Rates::Older, "original")] {
            let points = laboratory
                .dims(limit)
                .into_iter()
                .map(|n| (n as f64, laboratory.median_evaluations(&cell(n, strategy, rates), TRIALS) / n as f64));
            let colour = usize::from(rates == Rates::Older) + if strategy == StrategyName::Plain { 0 } else { 2 };
            let name = Some(format!("{}, {name}", strategy.name()));
            lines.push(Series { name, colour, points: points.collect(), marked: true, ..Series::default() });
        }
    }
    let right = Panel {
        title: "separable Ellipsoid".to_string(),
        x: Axis::log("n").ticks(&laboratory.dims(5120).iter().map(|n| *n as f64).collect::<Vec<_>>()),
        y: Axis::log("evaluations / n"),
        series: lines,
    };

    let ratio = |n: usize| {
        sum_of_rates(n, population_sizes(n, 6)[0], Rates::Paper)
            / sum_of_rates(n, population_sizes(n, 6)[0], Rates::Older)
    };
    let small: Vec<f64> = [2, 3, 5, 7].map(ratio).to_vec();
    let large: Vec<f64> = [21, 40, 160, 640].map(ratio).to_vec();
    let shown = |ratios: &[f64]| ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", ");
    let mut claims = vec![
        Claim::new(
            "For n < 10 the new learning rates are slightly more conservative",
            format!("new/original, default λ, n = 2, 3, 5, 7: {}", shown(&small)),
            small.iter().all(|ratio| *ratio < 1.0),
        ),
        Claim::new(
            "For n > 20 they are more ambitious",
            format!("new/original, default λ, n = 21, 40, 160, 640: {}", shown(&large)),
            large.iter().all(|ratio| *ratio > 1.0),
        ),
    ];
    for (strategy, limit) in largest {
        let n = laboratory.dims(limit).last().copied().unwrap_or(5);
        let [new, old] =
            [Rates::Paper, Rates::Older].map(|rates| laboratory.median_evaluations(&cell(n, strategy, rates), TRIALS));
        claims.push(Claim::new(
            "The new rates improve the adaptation speed especially in high dimension",
            format!("{}, n = {n}: original/new evaluations {:.2}", strategy.name(), old / new),
            old > new,
        ));
    }
    let title = "the learning rates, new and original".to_string();
    Ok(Figure { label: "lrcomp", title, panels: vec![left, right], columns: 2, claims })
}
