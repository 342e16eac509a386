//! The minimum of a logistic regression, by Newton's method.

use super::{Rows, softplus};

/// The largest number of Newton steps; from zero, about ten are needed.
const STEPS: usize = 100;

/// Returns the weights and the intercept with the least loss; `None` if there is no such point or it is not found.
///
/// Works with features of mean 0 and deviation 1, for which the Hessian is well conditioned, and returns to their units at the end.
pub(super) fn minimize(data: &Rows, penalty: f64) -> Option<Vec<f64>> {
    let n = data.units.len() + 1;
    let plain = Plain { rows: plain_rows(data), labels: &data.labels, n, penalty };
    let mut x = vec![0.0; n];
    for _ in 0..STEPS {
        let (gradient, mut hessian) = plain.derivatives(&x);
        let mut step = gradient.clone();
        solve(&mut hessian, &mut step)?;
        let decrease: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
        let value = plain.loss(&x);
        if decrease <= 1e-16 * value {
            return Some(in_units(&x, &data.units));
        }
        let moved = |length: f64| -> Vec<f64> { x.iter().zip(&step).map(|(x, step)| x - length * step).collect() };
        let lengths = (0..40).map(|k| (-f64::from(k)).exp2());
        x = lengths.map(moved).find(|next| plain.loss(next) < value)?;
    }
    None
}

/// Features without their units, and a 1 for the intercept.
fn plain_rows(data: &Rows) -> Vec<f64> {
    let rows = data.features.chunks_exact(data.units.len());
    let plain = |row: &[f64]| -> Vec<f64> {
        row.iter().zip(&data.units).map(|(feature, unit)| feature / unit - super::OFFSET).chain([1.0]).collect()
    };
    rows.flat_map(plain).collect()
}

/// The weights for features with their units, and the intercept that goes with them.
fn in_units(x: &[f64], units: &[f64]) -> Vec<f64> {
    let weights = &x[..units.len()];
    let intercept = x[units.len()] - super::OFFSET * weights.iter().sum::<f64>();
    weights.iter().zip(units).map(|(weight, unit)| weight / unit).chain([intercept]).collect()
}

struct Plain<'a> {
    rows: Vec<f64>,
    labels: &'a [f64],
    n: usize,
    penalty: f64,
}

impl Plain<'_> {
    /// Returns, for each row, its numbers, its label, and its margin.
    fn margins<'b>(&'b self, x: &'b [f64]) -> impl Iterator<Item = (&'b [f64], f64, f64)> {
        let margin = move |(row, label): (&'b [f64], &f64)| {
            let activation: f64 = row.iter().zip(x).map(|(z, x)| z * x).sum();
            (row, *label, label * activation)
        };
        self.rows.chunks_exact(self.n).zip(self.labels).map(margin)
    }

    fn loss(&self, x: &[f64]) -> f64 {
        let losses: f64 = self.margins(x).map(|(_, _, margin)| softplus(-margin)).sum();
        let squares: f64 = x[..self.n - 1].iter().map(|x| x * x).sum();
        losses / self.labels.len() as f64 + self.penalty * squares
    }

    /// The gradient and the lower triangle of the Hessian, by rows.
    fn derivatives(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.n;
        let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
        for (row, label, margin) in self.margins(x) {
            let share = 1.0 / (1.0 + margin.exp()) / self.labels.len() as f64;
            let bend = share / (1.0 + (-margin).exp());
            for i in 0..n {
                gradient[i] -= share * label * row[i];
                for j in 0..=i {
                    hessian[n * i + j] += bend * row[i] * row[j];
                }
            }
        }
        for i in 0..n - 1 {
            gradient[i] += 2.0 * self.penalty * x[i];
            hessian[n * i + i] += 2.0 * self.penalty;
        }
        (gradient, hessian)
    }
}

/// The Cholesky decomposition, in place; `None` if the matrix is not positive definite.
fn solve(a: &mut [f64], b: &mut [f64]) -> Option<()> {
    let n = b.len();
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[n * i + k] * a[n * j + k]).sum();
            let rest = a[n * i + j] - sum;
            a[n * i + j] = match i == j {
                true if rest > 0.0 => rest.sqrt(),
                true => return None,
                false => rest / a[n * j + j],
            };
        }
        let sum: f64 = (0..i).map(|k| a[n * i + k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[n * i + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[n * k + i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[n * i + i];
    }
    Some(())
}
