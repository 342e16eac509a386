//! Corrections before and after the update. None of this is in Algorithm 1.

use super::{State, Work};
use crate::correction::{Ranked, Updated};
use crate::{Correction, Optimizer, Pace, Strategy};

impl<S: Strategy> Optimizer<S> {
    /// Sets how fast the mean and the shape follow each generation. Default: the full pace of Algorithm 1.
    pub fn set_pace(&mut self, pace: Box<dyn Pace>) {
        self.parts.pace = Some(pace);
    }

    /// Adds a correction, which comes after those that were added before.
    pub fn add_correction(&mut self, correction: Box<dyn Correction>) {
        self.parts.corrections.push(correction);
    }

    pub(super) fn correct_ranked(&mut self) {
        let Self { strategy, step_size, state: State { mean, z, .. }, parts, work: Work { y, w_mean, .. }, .. } = self;
        for correction in &mut parts.corrections {
            let (sigma, shape) = (step_size.sigma(), strategy.shape());
            correction.before(&mut Ranked { weights: w_mean, mean, sigma, shape, z, y });
        }
    }

    pub(super) fn correct_updated(&mut self) {
        let Self { strategy, step_size, state: State { mean, .. }, parts, .. } = self;
        for correction in &mut parts.corrections {
            correction.after(&mut Updated { mean, sigma: step_size.sigma(), shape: strategy.shape() });
        }
        if !parts.corrections.is_empty() {
            self.show_mean();
        }
    }
}
