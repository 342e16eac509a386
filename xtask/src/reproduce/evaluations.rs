//! What the figures "fes" and "fes2" share: lines of evaluations against dimension are run, drawn and compared by their medians.

use ddcma_problems::Function;

use super::cells::{Cell, Laboratory, costs};
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};
use crate::lab::picture::{Axis, Panel, Series};
use crate::lab::statistics::{power_law, quantile};

/// A line: a strategy on a function in one of its forms, up to a dimension.
pub(super) struct Line {
    form: Form,
    strategy: StrategyName,
    dims: Vec<usize>,
    is_extrapolated: bool,
}

impl Line {
    /// Creates a line up to a dimension at the quick scale, and up to another at the paper's.
    pub(super) fn new(laboratory: &Laboratory, form: Form, strategy: StrategyName, quick: usize, paper: usize) -> Self {
        Self { form, strategy, dims: laboratory.dims(laboratory.choose(quick, paper)), is_extrapolated: false }
    }

    /// Adds a regression line up to n = 1280.
    #[must_use]
    pub(super) fn extrapolated(self) -> Self {
        Self { is_extrapolated: true, ..self }
    }
}

/// Returns a function in its rotated form.
pub(super) fn rotated(function: Function) -> Form {
    Form { function, rotated: true }
}

/// Returns a function in its form without rotation.
pub(super) fn unrotated(function: Function) -> Form {
    Form { function, rotated: false }
}

/// Runs all lines.
pub(super) fn run(laboratory: &mut Laboratory, lines: &[Line]) -> Result<(), LabError> {
    let mut cells = Vec::new();
    for line in lines {
        cells.extend(line.dims.iter().map(|n| (Cell::new(line.form, *n, line.strategy), laboratory.trials(*n))));
    }
    laboratory.run(&cells)
}

/// Creates a panel for each function with lines for all strategies and forms, dashed if the function is not rotated but has a rotated form.
pub(super) fn panels(laboratory: &Laboratory, functions: &[Function], lines: &[Line]) -> Vec<Panel> {
    functions.iter().map(|function| panel(laboratory, *function, lines)).collect()
}

fn panel(laboratory: &Laboratory, function: Function, lines: &[Line]) -> Panel {
    let mut series = Vec::new();
    for line in lines.iter().filter(|line| line.form.function == function) {
        let color = line.strategy.color();
        let suffix = if line.form.rotated { ", rotated" } else { "" };
        let name = Some(format!("{}{suffix}", line.strategy.name()));
        let dashed = function.has_rotated_form() && !line.form.rotated;
        let mut one = Series { name, color, dashed, marked: true, ..Series::default() };
        for &n in &line.dims {
            let outcomes = laboratory.outcomes(&Cell::new(line.form, n, line.strategy), laboratory.trials(n));
            let [low, median, high] =
                [0.25, 0.5, 0.75].map(|q| quantile(&costs(&outcomes, |outcome| outcome.evaluations), q) / n as f64);
            one.points.push((n as f64, median));
            one.bars.push((n as f64, low, high));
        }
        let extrapolated = line.is_extrapolated.then(|| extrapolated(&one)).flatten();
        series.push(one);
        series.extend(extrapolated);
    }
    let mut dims: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.0)).collect();
    dims.sort_unstable_by(f64::total_cmp);
    dims.dedup();
    Panel {
        title: function.label().to_string(),
        x: Axis::log("n").ticks(&dims),
        y: Axis::log("evaluations / n"),
        series,
    }
}

/// Returns the line of a least-squares regression of the logarithms, from the smallest dimension to 1280.
fn extrapolated(line: &Series) -> Option<Series> {
    let (factor, power) = power_law(&line.points)?;
    let (first, _) = line.points.first()?;
    let points = [*first, 1280.0].map(|n| (n, factor * n.powf(power))).to_vec();
    let name = line.name.as_ref().map(|name| format!("{name}, regression"));
    Some(Series { name, points, thin: true, marked: false, bars: Vec::new(), ..line.clone() })
}

/// The key of a line: a function in a form, and a strategy.
pub(super) type Runner = (Form, StrategyName);

/// The medians of the recorded evaluations.
#[derive(Clone, Copy)]
pub(super) struct Medians<'a>(pub(super) &'a Laboratory);

impl Medians<'_> {
    /// Returns the median in one dimension; infinite if most trials failed, NaN if there are none.
    pub(super) fn at(self, (form, strategy): Runner, n: usize) -> f64 {
        self.0.median_evaluations(&Cell::new(form, n, strategy), self.0.trials(n))
    }

    /// Returns the ratio of two medians in each dimension of a range in which both were measured.
    pub(super) fn ratios(self, a: Runner, b: Runner, dims: std::ops::RangeInclusive<usize>) -> Vec<(usize, f64)> {
        let dims = self.0.dims(5120).into_iter().filter(|n| dims.contains(n));
        dims.map(|n| (n, self.at(a, n) / self.at(b, n))).filter(|(_, ratio)| !ratio.is_nan()).collect()
    }

    /// Returns the growth exponent of evaluations in n, between the two largest dimensions up to a limit; NaN if there are none.
    pub(super) fn growth(self, runner: Runner, up_to: usize) -> (String, f64) {
        let known: Vec<(usize, f64)> = self.finite(runner).into_iter().filter(|(n, _)| *n <= up_to).collect();
        let [.., (n0, m0), (n1, m1)] = known.as_slice() else { return (String::new(), f64::NAN) };
        let power = (m1 / m0).ln() / (*n1 as f64 / *n0 as f64).ln();
        (format!("from n = {n0} to {n1}"), power)
    }

    /// Returns the growth exponent of evaluations in n, by regression over all dimensions; NaN if there are too few.
    pub(super) fn power(self, runner: Runner) -> f64 {
        let points: Vec<(f64, f64)> = self.finite(runner).into_iter().map(|(n, m)| (n as f64, m)).collect();
        power_law(&points).map_or(f64::NAN, |(_, power)| power)
    }

    fn finite(self, runner: Runner) -> Vec<(usize, f64)> {
        let medians = self.0.dims(5120).into_iter().map(|n| (n, self.at(runner, n)));
        medians.filter(|(_, median)| median.is_finite()).collect()
    }
}

/// Labels numbers with "at n = …".
pub(super) fn at_n(numbers: &[(usize, f64)]) -> Vec<(String, f64)> {
    numbers.iter().map(|(n, value)| (format!("at n = {n}"), *value)).collect()
}

/// Formats numbers for a remark.
pub(super) fn list(numbers: &[(usize, f64)]) -> String {
    numbers.iter().map(|(n, value)| format!("{value:.2} at {n}")).collect::<Vec<_>>().join(", ")
}
