//! What keeps a distribution within its bounds and within the range of floating point; none of it is in Algorithm 1.
//! Knows nothing of candidates and values.

use crate::numeric::{FAR, is_in_range, power_of_two};
use crate::{Optimizer, StartError, Strategy, UpdateError};

/// The candidates of a coordinate would not all be numbers.
pub(crate) struct OutOfRange {
    pub(crate) index: usize,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
}

impl From<OutOfRange> for UpdateError {
    fn from(OutOfRange { index, mean, deviation }: OutOfRange) -> Self {
        Self::OutOfRange { index, mean, deviation }
    }
}

impl From<OutOfRange> for StartError {
    fn from(OutOfRange { index, mean, deviation }: OutOfRange) -> Self {
        Self::OutOfRange { index, mean, deviation }
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Deviations beyond a third of a coordinate's range would only be mirrored back into it.
    pub(super) fn keep_within_bounds(&mut self) {
        let Some(bounds) = &self.bounds else { return };
        let sigma = self.step_size.sigma();
        self.strategy.limit_deviations(bounds.largest_deviations().map(|largest| largest / sigma));
        self.feasible_mean.copy_from_slice(&self.mean);
        bounds.enter(&mut self.feasible_mean);
    }

    /// σ and D may drift apart for ever while their product stays: on a function without trend D shrinks in the mean, and σ
    /// makes up for it. Long before one of them leaves the range of floating point, D takes a power of two from σ. That
    /// changes no bit of the distribution.
    pub(super) fn balance(&mut self) {
        let sigma = self.step_size.sigma();
        let (shortest, longest) = self.strategy.d().iter().fold((f64::MAX, 0.0), |(a, b), d| (d.min(a), d.max(b)));
        let drifted = (sigma > FAR && longest < 1.0 / FAR) || (sigma < 1.0 / FAR && shortest > FAR);
        if drifted {
            let factor = power_of_two(sigma);
            let fits = (shortest * factor).is_normal() && (longest * factor).is_normal();
            if fits && self.strategy.rescale(factor) {
                self.step_size.give_to_d(factor);
            }
        }
    }

    /// Whether the next candidates will be numbers: the run must end before one is not.
    pub(crate) fn check_range(&self) -> Result<(), OutOfRange> {
        let sigma = self.step_size.sigma();
        let variances = self.strategy.c_diagonal();
        for (index, (&mean, &d)) in self.mean.iter().zip(self.strategy.d()).enumerate() {
            let shape = d * variances.map_or(1.0, |c| c[index].sqrt());
            if !is_in_range(mean, sigma, shape) {
                return Err(OutOfRange { index, mean, deviation: sigma * shape });
            }
        }
        Ok(())
    }
}
