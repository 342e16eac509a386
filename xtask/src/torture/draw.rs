//! The random stream of a case, and the ranges that are drawn from it. Knows numbers, and no optimizer.

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// Draws for one case: they depend on the seed and the number of the case alone.
#[derive(Clone, Debug)]
pub(super) struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub(super) fn of_case(seed: u64, case: u64) -> Self {
        let first = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
        Self(Xoshiro256PlusPlus::seed_from_u64(first.wrapping_add(case)))
    }

    /// Another stream, for a purpose of its own.
    pub(super) fn split(&mut self) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(self.bits()))
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Of [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (-53f64).exp2()
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Of 0 … n − 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// Ten to a power between two.
    pub(super) fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    /// An integer of low … high, small ones as likely as large ones on a logarithmic scale.
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
