//! The extreme eigenvalues of C, tracked by power iteration.

use super::{Factors, PERIODS_UNUSED, Undo, UpdatedRoot};
use crate::vectors::{multiply_vector, multiply_vectors_transposed};
use crate::{scale_columns, unscale_columns};

/// From this dimension on, an update changes C so little that tracking after every second update is enough.
const SLOW: usize = 32;

/// The largest number of steps at a time.
const STEPS: usize = 3;

/// Squares in this range keep all their digits.
const SQUARES: std::ops::RangeInclusive<f64> = 1e-250..=1e250;

/// An extreme eigenvalue with its vector.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Extreme {
    pub(super) value: f64,
    pub(super) vector: Vec<f64>,
}

impl Extreme {
    pub(super) fn of_identity(n: usize) -> Self {
        Self { value: 1.0, vector: start_vector(n) }
    }
}

impl UpdatedRoot {
    /// Makes steps of power iteration toward the extreme eigenvalues of C, from the last result. Call it after each update.
    ///
    /// If A⁻¹ is maintained, there is one step after each update or after every second one. Otherwise there are some steps
    /// whenever A is decomposed because A⁻¹ was used; if A⁻¹ is not used, the interval is four times as long.
    pub fn follow_extremes(&mut self) {
        let steps = match &self.factors.inverse {
            Undo::Kept(_) if self.n() >= SLOW && self.factors.updates < 2 => return,
            Undo::Kept(_) => 1,
            Undo::Solved(_) => {
                let Factors { period, was_asked, .. } = self.factors;
                let periods = if was_asked { 1 } else { PERIODS_UNUSED };
                if self.factors.updates < periods * period {
                    return;
                }
                period.saturating_sub(1).clamp(1, STEPS)
            }
        };
        self.factors.updates = 0;
        (0..steps).for_each(|_| self.power_steps());
    }

    /// A step for each extreme.
    fn power_steps(&mut self) {
        self.work.vector.resize(self.n(), 0.0);
        let Factors { raw, inverse, rows, longest, shortest, .. } = &mut self.factors;
        let product = &mut self.work.vector;
        // C·x = N⁻¹·(raw·(rawᵀ·(N⁻¹·x)))
        let Extreme { value, vector: x } = longest;
        normalize(x);
        unscale_columns(rows, x);
        multiply_vectors_transposed(&*raw, [x], [product]);
        multiply_vector(raw, product, x);
        *value = squared_length(product);
        unscale_columns(rows, x);

        // C⁻¹·x = N·(raw⁻ᵀ·(raw⁻¹·(N·x)))
        let Extreme { value, vector: x } = shortest;
        normalize(x);
        scale_columns(rows, x);
        if let Undo::Kept(raw_inverse) = inverse {
            multiply_vectors_transposed(&*raw_inverse, [x], [product]);
            multiply_vector(raw_inverse, product, x);
            *value = squared_length(product).recip();
            return scale_columns(rows, x);
        }
        let mut x = std::mem::take(x);
        if let Some(inverse) = self.solved() {
            inverse.solve(&mut x);
            let value = squared_length(&x).recip();
            inverse.solve_transposed(&mut x);
            self.factors.shortest.value = value;
        }
        scale_columns(&self.factors.rows, &mut x);
        self.factors.shortest.vector = x;
    }

    /// Returns the smallest and the largest eigenvalue of C, as far as they are known.
    pub fn extremes(&self) -> (f64, f64) {
        (self.factors.shortest.value, self.factors.longest.value)
    }

    /// Writes the axis of an extreme: its unit vector times the square root of its eigenvalue.
    pub fn extreme_axis(&self, longest: bool, axis: &mut [f64]) {
        let Extreme { value, vector } = if longest { &self.factors.longest } else { &self.factors.shortest };
        let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        axis.iter_mut().zip(vector).for_each(|(axis, v)| *axis = value.sqrt() / length * v);
    }
}

/// A start vector for power iteration that is unlikely to be an eigenvector.
pub(super) fn start_vector(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + 0.5 * (1.0 + i as f64).sin()).collect()
}

fn squared_length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn normalize(x: &mut [f64]) {
    let mut length2 = x.iter().map(|x| x * x).sum::<f64>();
    if !SQUARES.contains(&length2) {
        // The squares overflow or underflow; rescaled, the same direction has squares in range.
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        x.iter_mut().for_each(|x| *x /= largest);
        length2 = x.iter().map(|x| x * x).sum::<f64>();
    }
    let length = length2.sqrt();
    x.iter_mut().for_each(|x| *x /= length);
}
