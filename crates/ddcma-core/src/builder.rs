//! Where a run starts: the initial distribution, the settings and the seed, checked together. Knows no iteration.

use std::marker::PhantomData;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Optimizer, RunOptions, StartError, Strategy};

/// The start of a run, from [`Optimizer::builder`].
///
/// ```
/// use ddcma_core::{SepCma, Settings};
///
/// let es = SepCma::builder(&[0.0, 500.0], 0.3)
///     .deviations(&[1.0, 1000.0]) // the second coordinate lives on another scale
///     .settings(Settings::new().lambda(20))
///     .seed(7)
///     .build()?;
/// assert_eq!(es.d(), [1.0, 1000.0]);
/// # Ok::<(), ddcma_core::StartError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<S> {
    mean: Vec<f64>,
    sigma: f64,
    options: RunOptions,
    strategy: PhantomData<fn() -> S>,
}

impl<S: Strategy> Builder<S> {
    crate::for_each_run_option!(crate::run_option_setters);

    pub(crate) fn new(mean: &[f64], sigma: f64) -> Self {
        Self { mean: mean.to_vec(), sigma, options: RunOptions::new(), strategy: PhantomData }
    }

    /// Sets all options at once, in place of what was chosen before.
    #[must_use = "it returns the changed start"]
    pub fn options(mut self, options: RunOptions) -> Self {
        self.options = options;
        self
    }

    /// Starts, with the default generator.
    pub fn build(self) -> Result<Optimizer<S>, StartError> {
        let rng = Xoshiro256PlusPlus::seed_from_u64(self.options.chosen_seed());
        self.build_with(rng)
    }

    /// Starts, with another random generator; the seed is not used.
    pub fn build_with<R: Rng>(self, rng: R) -> Result<Optimizer<S, R>, StartError> {
        let params = self.options.chosen_settings().params(self.mean.len())?;
        let positive = |value: f64| value > 0.0 && value.is_normal();
        if !positive(self.sigma) {
            return Err(StartError::StepSize { sigma: self.sigma });
        }
        if let Some(index) = self.mean.iter().position(|value| !value.is_finite()) {
            return Err(StartError::Mean { index, value: self.mean[index] });
        }
        let n = self.mean.len();
        let mut d = self.options.chosen_deviations().map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        if d.len() != n {
            return Err(StartError::DeviationsOfWrongLength { expected: n, got: d.len() });
        }
        if let Some(index) = d.iter().position(|&value| !positive(value)) {
            return Err(StartError::Deviation { index, value: d[index] });
        }
        let bounds = self.options.chosen_bounds();
        if let Some(bounds) = bounds {
            if bounds.dimension() != n {
                return Err(StartError::BoundsOfWrongLength { expected: n, got: bounds.dimension() });
            }
            if let Some(index) = bounds.violated_by(&self.mean) {
                let bound = |bound: Option<f64>| bound.unwrap_or(f64::NAN);
                let (lower, upper) = (bound(bounds.lower().nth(index)), bound(bounds.upper().nth(index)));
                return Err(StartError::OutsideBounds { index, value: self.mean[index], lower, upper });
            }
            for (d, largest) in d.iter_mut().zip(bounds.largest_deviations()) {
                *d = d.min(largest / self.sigma);
            }
            if let Some(index) = d.iter().position(|&value| !positive(value)) {
                return Err(StartError::Deviation { index, value: d[index] });
            }
        }
        let criteria = self.options.chosen_criteria();
        criteria.check()?;
        let optimizer = Optimizer::from_parts(params, self.mean, self.sigma, &d, bounds.cloned(), criteria, rng);
        optimizer.check_range()?;
        Ok(optimizer)
    }
}
