//! Transformations of the values: by a function, or by noise.

use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::stream::{self, Purpose};
use crate::{Problem, ProblemError};

/// A problem with transformed values g(f(x)), from [`Problem::transformed`].
#[derive(Clone, Debug)]
pub struct Transformed<O, G> {
    inner: O,
    g: G,
}

impl<O: Problem, G: FnMut(f64) -> f64> Transformed<O, G> {
    pub(crate) fn new(inner: O, g: G) -> Self {
        Self { inner, g }
    }

    /// Returns the inner problem.
    pub fn inner(&self) -> &O {
        &self.inner
    }

    /// NaN stays NaN: an evaluation that was refused stays refused.
    fn transform(&mut self, value: f64) -> f64 {
        if value.is_nan() { value } else { (self.g)(value) }
    }
}

impl<O: Problem, G: FnMut(f64) -> f64> Problem for Transformed<O, G> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        let value = self.inner.value(x);
        self.transform(value)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        self.inner.values(points, values);
        values.iter_mut().for_each(|value| *value = self.transform(*value));
    }

    /// Returns the minimizer of the inner problem, which is correct if g is increasing.
    fn minimizer(&self) -> Option<Vec<f64>> {
        self.inner.minimizer()
    }
}

/// Gaussian noise on function values.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Noise {
    /// f + s·N(0, 1).
    Additive(f64),
    /// f·exp(s·N(0, 1)), which keeps the sign of f.
    Multiplicative(f64),
}

/// A noisy problem, from [`Problem::noisy`]. Each evaluation draws one number, so runs are reproducible.
#[derive(Clone, Debug)]
pub struct Noisy<O> {
    inner: O,
    noise: Noise,
    rng: Xoshiro256PlusPlus,
}

impl<O: Problem> Noisy<O> {
    pub(crate) fn new(inner: O, noise: Noise, seed: u64) -> Result<Self, ProblemError> {
        let (Noise::Additive(s) | Noise::Multiplicative(s)) = noise;
        if !(s >= 0.0 && s.is_finite()) {
            let rule = "finite and at least 0".into();
            return Err(ProblemError::OutOfRange { name: "the deviation of the noise", rule, value: s });
        }
        Ok(Self { inner, noise, rng: stream::new(seed, Purpose::Noise) })
    }

    /// Returns the inner problem.
    pub fn inner(&self) -> &O {
        &self.inner
    }

    fn disturb(&mut self, value: f64) -> f64 {
        let normal: f64 = StandardNormal.sample(&mut self.rng);
        match self.noise {
            Noise::Additive(s) => value + s * normal,
            Noise::Multiplicative(s) => value * (s * normal).exp(),
        }
    }
}

impl<O: Problem> Problem for Noisy<O> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        let value = self.inner.value(x);
        self.disturb(value)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        self.inner.values(points, values);
        values.iter_mut().for_each(|value| *value = self.disturb(*value));
    }

    /// Returns the minimizer of the problem without noise.
    fn minimizer(&self) -> Option<Vec<f64>> {
        self.inner.minimizer()
    }
}
