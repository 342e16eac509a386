//! Where a run starts: the initial distribution, the settings and the seed, checked together. Knows no iteration.

use std::marker::PhantomData;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Optimizer, Settings, StartError, Strategy};

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
    seed: u64,
    strategy: PhantomData<fn() -> S>,
}

impl<S: Strategy> Builder<S> {
    pub(crate) fn new(mean: &[f64], sigma: f64) -> Self {
        Self { mean: mean.to_vec(), sigma, deviations: None, settings: Settings::new(), seed: 0, strategy: PhantomData }
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
        let d = self.deviations.unwrap_or_else(|| vec![1.0; n]);
        if d.len() != n {
            return Err(StartError::DeviationsOfWrongLength { expected: n, got: d.len() });
        }
        if let Some(index) = d.iter().position(|&value| !positive(value)) {
            return Err(StartError::Deviation { index, value: d[index] });
        }
        Ok(Optimizer::from_parts(params, self.mean, self.sigma, &d, rng))
    }
}
