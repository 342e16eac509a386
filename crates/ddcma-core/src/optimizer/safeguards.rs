//! Safeguards that keep a distribution within its bounds and within the range of floating point. None of them is in
//! Algorithm 1.

use super::{State, Work};
use crate::numeric::{DRIFTED, is_in_range, power_of_two};
use crate::{Optimizer, StartError, Strategy, UpdateError};

/// A coordinate whose candidates would not all be finite and distinct.
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

impl<S: Strategy> Optimizer<S> {
    /// Limits deviations to a third of a coordinate's range: larger ones would only be mirrored back into it.
    pub(super) fn keep_within_bounds(&mut self) {
        let Self { strategy, step_size, state: State { space, monitor, .. }, .. } = self;
        let Work { next_d, shortened, .. } = &mut self.work;
        let Some(bounds) = space.bounds() else { return };
        let (sigma, shape) = (step_size.sigma(), strategy.shape());
        for (k, (next, largest)) in next_d.iter_mut().zip(bounds.largest_deviations()).enumerate() {
            let limit = largest / sigma / shape.c_diagonal.map_or(1.0, |c| c[k].sqrt());
            *next = shape.d[k].min(limit.max(f64::MIN_POSITIVE));
        }
        if *next_d != shape.d {
            shortened.iter_mut().zip(&*next_d).zip(shape.d).for_each(|((factor, next), d)| *factor = next / d);
            if strategy.set_d(next_d) {
                monitor.note_shortened(shortened);
            }
        }
        self.show_mean();
    }

    /// Updates the mean that the user sees.
    pub(super) fn show_mean(&mut self) {
        let State { mean, users_mean, space, .. } = &mut self.state;
        if !space.is_whole() {
            users_mean[..mean.len()].copy_from_slice(mean);
            space.to_user(users_mean);
        }
    }

    /// Moves a power of two from σ to D if their magnitudes have drifted apart.
    ///
    /// On a function without a trend, D shrinks on average and σ compensates, without limit, while their product stays. Long
    /// before one of them overflows, D takes over a power of two from σ. This does not change the distribution at all, not even by rounding.
    pub(super) fn balance(&mut self) {
        let Self { strategy, step_size, .. } = self;
        let (sigma, d, next_d) = (step_size.sigma(), strategy.shape().d, &mut self.work.next_d);
        let (shortest, longest) = d.iter().fold((f64::MAX, 0.0), |(a, b), d| (d.min(a), d.max(b)));
        let drifted = (sigma > DRIFTED && longest < 1.0 / DRIFTED) || (sigma < 1.0 / DRIFTED && shortest > DRIFTED);
        if drifted {
            let factor = power_of_two(sigma);
            let fits = (shortest * factor).is_normal() && (longest * factor).is_normal();
            next_d.iter_mut().zip(d).for_each(|(next, d)| *next = d * factor);
            if fits && strategy.set_d(next_d) {
                step_size.give_to_d(factor);
            }
        }
    }

    /// Checks that the next candidates will be finite and distinct. The run must end before that is no longer true.
    pub(crate) fn check_range(&self) -> Result<(), OutOfRange> {
        let (sigma, shape) = (self.step_size.sigma(), self.strategy.shape());
        for (index, &mean) in self.state.mean.iter().enumerate() {
            let deviation = shape.deviation(index);
            if !is_in_range(mean, sigma, deviation) {
                let index = self.state.space.users_index(index);
                return Err(OutOfRange { index, mean, deviation: sigma * deviation });
            }
        }
        Ok(())
    }
}
