//! What keeps a distribution within its bounds and within the range of floating point; none of it is in Algorithm 1.
//! Knows nothing of candidates and values.

use super::State;
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
        let State { strategy, step_size, mean, shown_mean, space, .. } = &mut self.state;
        let Some(bounds) = space.bounds() else { return };
        let (sigma, shape, next_d) = (step_size.sigma(), strategy.shape(), &mut self.work.next_d);
        for (k, (next, largest)) in next_d.iter_mut().zip(bounds.largest_deviations()).enumerate() {
            let limit = largest / sigma / shape.c_diagonal.map_or(1.0, |c| c[k].sqrt());
            *next = shape.d[k].min(limit.max(f64::MIN_POSITIVE));
        }
        if *next_d != shape.d {
            strategy.set_d(next_d);
        }
        shown_mean[..mean.len()].copy_from_slice(mean);
        space.enter(shown_mean);
    }

    /// σ and D may drift apart for ever while their product stays: on a function without trend D shrinks in the mean, and σ
    /// makes up for it. Long before one of them leaves the range of floating point, D takes a power of two from σ. That
    /// changes no bit of the distribution.
    pub(super) fn balance(&mut self) {
        let State { strategy, step_size, .. } = &mut self.state;
        let (sigma, d, next_d) = (step_size.sigma(), strategy.shape().d, &mut self.work.next_d);
        let (shortest, longest) = d.iter().fold((f64::MAX, 0.0), |(a, b), d| (d.min(a), d.max(b)));
        let drifted = (sigma > FAR && longest < 1.0 / FAR) || (sigma < 1.0 / FAR && shortest > FAR);
        if drifted {
            let factor = power_of_two(sigma);
            let fits = (shortest * factor).is_normal() && (longest * factor).is_normal();
            next_d.iter_mut().zip(d).for_each(|(next, d)| *next = d * factor);
            if fits && strategy.set_d(next_d) {
                step_size.give_to_d(factor);
            }
        }
    }

    /// Whether the next candidates will be numbers: the run must end before one is not.
    pub(crate) fn check_range(&self) -> Result<(), OutOfRange> {
        let (sigma, shape) = (self.state.step_size.sigma(), self.state.strategy.shape());
        for (index, &mean) in self.state.mean.iter().enumerate() {
            let deviation = shape.deviation(index);
            if !is_in_range(mean, sigma, deviation) {
                let index = self.state.space.shown_index(index);
                return Err(OutOfRange { index, mean, deviation: sigma * deviation });
            }
        }
        Ok(())
    }
}
