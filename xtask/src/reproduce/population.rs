//! What figures against the population size share: the sizes, and panels of iterations.

use super::cells::{Cell, Laboratory, costs};
use crate::lab::picture::{Axis, Panel, Series};
use crate::lab::statistics::{median, quantile};

/// The dimension of these figures.
pub(super) const N: usize = 40;

/// 13, and its multiples by powers of two up to 13312; a few of them at the quick scale.
pub(super) fn lambdas(laboratory: &Laboratory) -> Vec<usize> {
    let all: Vec<usize> = (0..=10).map(|k| 13 << k).collect();
    laboratory.choose(vec![all[0], all[2], all[4], all[6], all[8]], all)
}

/// A line of such a figure.
pub(super) struct Variant {
    /// Its label in the legend.
    pub(super) name: &'static str,
    /// The index of its color.
    pub(super) color: usize,
    /// Whether it is dashed.
    pub(super) dashed: bool,
    /// The cell of each λ.
    pub(super) cells: Vec<(usize, Cell)>,
}

/// Creates a panel of medians and quartiles of iterations against λ.
pub(super) fn medians_panel(laboratory: &Laboratory, title: &str, lines: &[Variant], trials: u64) -> Panel {
    let series = lines.iter().map(|Variant { name, color, dashed, cells }| {
        let (name, color, dashed) = (Some(name.to_string()), *color, *dashed);
        let mut one = Series { name, color, dashed, marked: true, ..Series::default() };
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
