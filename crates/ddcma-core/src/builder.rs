//! Where a run starts: the initial distribution, the settings and the seed, checked together. Knows no iteration.

use std::marker::PhantomData;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Bounds, Optimizer, Settings, StartError, StopCriteria, Strategy};

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
    deviations: Option<Vec<f64>>,
    settings: Settings,
    criteria: StopCriteria,
    bounds: Option<Bounds>,
    seed: u64,
    strategy: PhantomData<fn() -> S>,
}

impl<S: Strategy> Builder<S> {
    pub(crate) fn new(mean: &[f64], sigma: f64) -> Self {
        Self {
            mean: mean.to_vec(),
            sigma,
            deviations: None,
            settings: Settings::new(),
            criteria: StopCriteria::new(),
            bounds: None,
            seed: 0,
            strategy: PhantomData,
        }
    }

    /// Initial deviations of the coordinates, relative to σ: they enter as D. Default: 1 for each.
    ///
    /// Strategies that do not learn D keep them as a fixed scaling.
    #[must_use]
    pub fn deviations(mut self, deviations: &[f64]) -> Self {
        self.deviations = Some(deviations.to_vec());
        self
    }

    /// Choices of strategy parameters. Default: the paper's.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The population size λ. Default: the paper's, 4 + ⌊3 ln n⌋.
    #[must_use]
    pub fn lambda(mut self, lambda: usize) -> Self {
        self.settings = self.settings.lambda(lambda);
        self
    }

    /// When to stop. Default: [`StopCriteria::new`].
    #[must_use]
    pub fn criteria(mut self, criteria: StopCriteria) -> Self {
        self.criteria = criteria;
        self
    }

    /// Lower and upper bounds. Default: none.
    ///
    /// Initial deviations are limited to a third of the range of their coordinate; those of strategies that learn D stay
    /// so, others may grow beyond, and are mirrored back into the box.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// The same start for another strategy.
    pub(crate) fn strategy<T: Strategy>(self) -> Builder<T> {
        let Self { mean, sigma, deviations, settings, criteria, bounds, seed, .. } = self;
        Builder { mean, sigma, deviations, settings, criteria, bounds, seed, strategy: PhantomData }
    }

    /// The seed of the default generator. Default: 0, a seed like any other.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Starts, with the default generator.
    pub fn build(self) -> Result<Optimizer<S>, StartError> {
        let rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        self.build_with(rng)
    }

    /// Starts, with another random generator; the seed is not used.
    pub fn build_with<R: Rng>(self, rng: R) -> Result<Optimizer<S, R>, StartError> {
        let params = self.settings.params(self.mean.len())?;
        let positive = |value: f64| value > 0.0 && value.is_normal();
        if !positive(self.sigma) {
            return Err(StartError::StepSize { sigma: self.sigma });
        }
        if let Some(index) = self.mean.iter().position(|value| !value.is_finite()) {
            return Err(StartError::Mean { index, value: self.mean[index] });
        }
        let n = self.mean.len();
        let mut d = self.deviations.unwrap_or_else(|| vec![1.0; n]);
        if d.len() != n {
            return Err(StartError::DeviationsOfWrongLength { expected: n, got: d.len() });
        }
        if let Some(index) = d.iter().position(|&value| !positive(value)) {
            return Err(StartError::Deviation { index, value: d[index] });
        }
        if let Some(bounds) = &self.bounds {
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
        self.criteria.check()?;
        let optimizer = Optimizer::from_parts(params, self.mean, self.sigma, &d, self.bounds, self.criteria, rng);
        optimizer.check_range()?;
        Ok(optimizer)
    }
}
