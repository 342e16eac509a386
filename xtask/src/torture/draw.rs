//! The random stream of a case, and the distributions that are drawn from it.

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// The random draws of one case, which depend only on the seed and the number of the case.
#[derive(Clone, Debug)]
pub(super) struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub(super) fn of_case(seed: u64, case: u64) -> Self {
        let first = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
        Self(Xoshiro256PlusPlus::seed_from_u64(first.wrapping_add(case)))
    }

    /// Creates a separate stream for another purpose.
    pub(super) fn split(&mut self) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(self.bits()))
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number from [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (-53f64).exp2()
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Draws an integer from 0 to n − 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// Draws a number between two powers of ten, uniformly on a logarithmic scale.
    pub(super) fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    /// Draws an integer from low to high, uniformly on a logarithmic scale.
    pub(super) fn log_integer(&mut self, low: usize, high: usize) -> usize {
        let exponent = self.between((low as f64).ln(), (high as f64 + 1.0).ln());
        (exponent.exp() as usize).clamp(low, high)
    }

    pub(super) fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    pub(super) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
