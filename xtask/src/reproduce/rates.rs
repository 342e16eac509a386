//! Figure "lrcomp": the learning rates of the paper compared with the older ones, and the evaluations that both need on the Ellipsoid.

use ddcma_core::{Rates, Settings};
use ddcma_problems::Function;

use super::Figure;
use super::alpha::population_sizes;
use super::cells::{Cell, Laboratory};
use super::claims::{Bound, Claim};
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
    for (color, rates) in [(0, Rates::Paper), (1, Rates::Older)] {
        for k in 0..6 {
            let point = |n: &usize| (*n as f64, sum_of_rates(*n, population_sizes(*n, 6)[k], rates));
            let name = (k == 0).then(|| if rates == Rates::Paper { "new".to_string() } else { "original".to_string() });
            let (points, dashed) = (dims.iter().map(point).collect(), rates == Rates::Older);
            series.push(Series { name, color, points, dashed, ..Series::default() });
        }
    }
    let left = Panel {
        title: "six λ from the default to 64 n²".to_string(),
        x: Axis::log("n").ticks(&[2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0]),
        y: Axis::log("c_1 + c_μ"),
        series,
    };

    let largest =
        [(StrategyName::Plain, laboratory.choose(160, 320)), (StrategyName::Sep, laboratory.choose(640, 5120))];
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
            let (color, dashed) = (usize::from(rates == Rates::Older), strategy == StrategyName::Sep);
            let name = Some(format!("{}, {name}", strategy.name()));
            lines.push(Series { name, color, points: points.collect(), marked: true, dashed, ..Series::default() });
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
    let ratios = |dims: [usize; 4]| dims.map(|n| (format!("at n = {n}"), ratio(n)));
    let gain = |strategy, n| {
        let [new, old] =
            [Rates::Paper, Rates::Older].map(|rates| laboratory.median_evaluations(&cell(n, strategy, rates), TRIALS));
        old / new
    };
    let ends = |limit: usize| (5, laboratory.dims(limit).last().copied().unwrap_or(5));
    let gains = largest.map(|(strategy, limit)| {
        let (_, n) = ends(limit);
        (format!("{}, n = {n}", strategy.name()), gain(strategy, n))
    });
    let growths = largest.map(|(strategy, limit)| {
        let (first, last) = ends(limit);
        (format!("{}, n = {last} to {first}", strategy.name()), gain(strategy, last) / gain(strategy, first))
    });
    let rates = "sum of the learning rates, new over original, with the default λ";
    let claims = vec![
        Claim::new(
            "For n < 10 the new learning rates are slightly more conservative",
            rates,
            Bound::Between(0.5, 1.0),
            ratios([2, 3, 5, 7]),
        ),
        Claim::new("For n > 20 they are more ambitious", rates, Bound::Above(1.0), ratios([21, 40, 160, 640])),
        Claim::new(
            "They accelerate the learning on high dimensional problems, say n ≥ 100",
            "evaluations, original over new",
            Bound::Above(1.05),
            gains,
        )
        .if_reached(ends(largest[0].1).1 >= 100),
        Claim::new(
            "The original rates are exceedingly conservative for higher dimensions in particular",
            "the same ratio in the largest dimension over that in the smallest",
            Bound::Above(1.0),
            growths,
        )
        .if_reached(ends(largest[0].1).1 >= 100),
    ];
    let title = "the learning rates, new and original".to_string();
    Ok(Figure { label: "lrcomp", title, panels: vec![left, right], columns: 2, claims })
}
