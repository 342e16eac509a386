//! The extreme eigenvalues of C, followed by power iteration. Knows A and A⁻¹, and changes neither.

use faer::MatRef;

use super::UpdatedRoot;
use crate::product::multiply_columns;
use crate::{scale_columns, unscale_columns};

/// Squares whose digits are all there.
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
    /// A step of power iteration towards the largest or, in turn, the smallest eigenvalue of C, from where the last ended.
    pub fn follow_extremes(&mut self) {
        self.work.vector.resize(self.n(), 0.0);
        let vector = &mut self.work.vector;
        if self.factors.longest_is_next {
            // C·x = N⁻¹·(raw·(rawᵀ·(N⁻¹·x)))
            let Extreme { value, vector: x } = &mut self.factors.longest;
            normalize(x);
            unscale_columns(&self.factors.rows, x);
            *value = power_step(self.factors.raw.as_ref(), x, vector);
            unscale_columns(&self.factors.rows, x);
        } else {
            // C⁻¹·x = N·(raw_inverse·(raw_inverseᵀ·(N·x)))
            let Extreme { value, vector: x } = &mut self.factors.shortest;
            normalize(x);
            scale_columns(&self.factors.rows, x);
            *value = power_step(self.factors.raw_inverse.as_ref(), x, vector).recip();
            scale_columns(&self.factors.rows, x);
        }
        self.factors.longest_is_next = !self.factors.longest_is_next;
    }

    /// The smallest and the largest eigenvalue of C, as far as they are known.
    pub fn extremes(&self) -> (f64, f64) {
        (self.factors.shortest.value, self.factors.longest.value)
    }

    /// The axis of an extreme: its unit vector times the square root of its eigenvalue.
    pub fn extreme_axis(&self, longest: bool, axis: &mut [f64]) {
        let Extreme { value, vector } = if longest { &self.factors.longest } else { &self.factors.shortest };
        let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        axis.iter_mut().zip(vector).for_each(|(axis, v)| *axis = value.sqrt() / length * v);
    }
}

/// A vector that is no eigenvector of anything likely, for power iteration.
pub(super) fn start_vector(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + 0.5 * (1.0 + i as f64).sin()).collect()
}

/// x ← B·(Bᵀ·x); returns ‖Bᵀ·x‖².
fn power_step(b: MatRef<'_, f64>, x: &mut [f64], product: &mut [f64]) -> f64 {
    multiply_columns(b.transpose(), x, product);
    multiply_columns(b, product, x);
    product.iter().map(|x| x * x).sum()
}

fn normalize(x: &mut [f64]) {
    let mut length2 = x.iter().map(|x| x * x).sum::<f64>();
    if !SQUARES.contains(&length2) {
        // Squares that overflow or vanish: those of the same direction at another length do not.
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        x.iter_mut().for_each(|x| *x /= largest);
        length2 = x.iter().map(|x| x * x).sum::<f64>();
    }
    let length = length2.sqrt();
    x.iter_mut().for_each(|x| *x /= length);
}
