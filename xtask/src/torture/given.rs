//! Draws optional inputs of a run: variables with units, and a covariance matrix, all of them valid.

use std::fmt;

use ddcma_core::{Columns, Variable, Variables};

use super::draw::Draw;

/// Optional variables and an optional covariance matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) variables: Option<Variables>,
    pub(super) covariance: Option<Columns>,
}

impl Given {
    /// Draws them in three cases in sixteen, depending on the seed, so that all other random draws stay the same. The cases that
    /// `tests/torture.rs` repeats by number are not among them. Variables bring their own start, with more coordinates if some are fixed.
    pub(super) fn draw(seed: u64, start: &mut Vec<f64>) -> Self {
        let which = seed >> 60;
        let mut draw = Draw::of_case(seed, 1);
        let n = start.len();
        let variables = matches!(which, 6 | 12).then(|| variables(&mut draw, start)).flatten();
        Self { variables, covariance: matches!(which, 7 | 12).then(|| covariance(&mut draw, n)) }
    }

    pub(super) fn is_some(&self) -> bool {
        self.variables.is_some() || self.covariance.is_some()
    }

    /// Checks that a candidate is within the ranges of the variables.
    pub(super) fn check(&self, points: &Columns) -> Result<(), String> {
        let Some(variables) = &self.variables else { return Ok(()) };
        for (candidate, x) in points.iter().enumerate() {
            if x.len() != variables.dimension() {
                return Err(format!("candidate {candidate} has {} coordinates", x.len()));
            }
            if let Some(k) = x.iter().zip(variables.iter()).position(|(x, variable)| !variable.contains(*x)) {
                return Err(format!("coordinate {k} of candidate {candidate} is {:e}, outside its variable", x[k]));
            }
        }
        Ok(())
    }

    /// Returns the range of a coordinate, if there are variables.
    pub(super) fn sides(&self, k: usize) -> Option<(f64, f64)> {
        let variable = self.variables.as_ref()?.iter().nth(k)?;
        let (lower, upper) = variable.bounds();
        let smallest = if variable.is_log() { f64::MIN_POSITIVE } else { f64::MIN };
        // If the upper bound is subnormal, the range contains no larger numbers.
        Some((lower.max(smallest).min(upper), upper.min(f64::MAX)))
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(variables) = &self.variables {
            let kinds = variables.iter().map(|variable| match (variable.is_fixed(), variable.is_log()) {
                (true, _) => 'f',
                (false, true) => 'l',
                (false, false) => 'x',
            });
            write!(f, "variables {}, ", kinds.collect::<String>())?;
        }
        write!(f, "covariance matrix: {}", if self.covariance.is_some() { "given" } else { "none" })
    }
}

/// Draws a variable of any kind for each coordinate, with fixed ones between them.
fn variables(draw: &mut Draw, start: &mut Vec<f64>) -> Option<Variables> {
    let (mut all, mut point) = (Vec::new(), Vec::new());
    let decades = draw.pick(&[1.0, 3.0, 150.0]);
    for &x in start.iter() {
        let positive = draw.power(-2.0 * decades, 2.0 * decades);
        let deviation = draw.power(-decades, decades);
        let mut beyond = || deviation * draw.power(-2.0, 2.0);
        let (below, above) = (beyond(), beyond());
        let (value, variable) = match draw.below(6) {
            0 => (x, Variable::between((x - below).max(-1e300), (x + above).min(1e300))),
            1 => (x, Variable::around(x, deviation).at_least((x - below).max(-1e300))),
            2 => (x, Variable::around(x, deviation).at_most((x + above).min(1e300))),
            3 => (positive, Variable::around(positive, draw.power(-2.0, 1.5)).log()),
            4 => {
                let (below, above) = (draw.power(0.01, 10.0), draw.power(0.01, 10.0));
                (positive, Variable::between(positive / below, positive * above).log())
            }
            _ => (x, Variable::around(x, deviation)),
        };
        // A range that rounding has closed makes a fixed variable. There may be any number of these, but n must be free.
        let open = if variable.is_fixed() { Variable::around(value, deviation) } else { variable };
        all.push(open);
        point.push(value);
        if draw.chance(0.15) {
            let fixed = draw.sign() * draw.power(-300.0, 300.0);
            all.push(Variable::fixed(fixed));
            point.push(fixed);
        }
    }
    let variables = Variables::new(all).ok()?;
    *start = point;
    Some(variables)
}

/// Draws a positive definite matrix with deviations over some orders of magnitude.
fn covariance(draw: &mut Draw, n: usize) -> Columns {
    let g: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| draw.normal()).collect()).collect();
    let (ridge, decades) = (draw.power(-8.0, 0.0), draw.pick(&[0.1, 3.0, 30.0]));
    let deviations: Vec<f64> = (0..n).map(|_| draw.power(-decades, decades)).collect();
    let mut c = Columns::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let product: f64 = g[i].iter().zip(&g[j]).map(|(a, b)| a * b).sum::<f64>() / n as f64;
            let entry = (product + if i == j { ridge } else { 0.0 }) * deviations[i] * deviations[j];
            (c[i][j], c[j][i]) = (entry, entry);
        }
    }
    c
}
