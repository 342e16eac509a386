//! Streams of random numbers, one for each run and purpose, from one seed.

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};

/// The streams of a run, far apart from each other and from those of every other run.
///
/// The streams of run k start k + 1 long jumps (2¹⁹² numbers each) after the beginning of the seed's sequence, where an optimizer with
/// the same seed starts. The streams of one run are jumps (2¹²⁸ numbers) apart.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    /// For the run itself.
    pub(crate) run: Xoshiro256PlusPlus,
    /// For the policy that plans it.
    pub(crate) plan: Xoshiro256PlusPlus,
    /// For its start point.
    pub(crate) start: Xoshiro256PlusPlus,
}

impl Streams {
    /// Returns the streams of the first run.
    pub(crate) fn first(seed: u64) -> Self {
        Self::at(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Returns the streams of the next run.
    pub(crate) fn next(&self) -> Self {
        Self::at(self.run.clone())
    }

    fn at(before: Xoshiro256PlusPlus) -> Self {
        let mut run = before;
        run.long_jump();
        let mut plan = run.clone();
        plan.jump();
        let mut start = plan.clone();
        start.jump();
        Self { run, plan, start }
    }

    /// Returns the streams of run k.
    #[cfg(any(feature = "checkpoint", test))]
    pub(crate) fn of_run(seed: u64, k: usize) -> Self {
        (0..k).fold(Self::first(seed), |streams, _| streams.next())
    }
}

/// Draws a number from [0, 1) with 53 random bits.
pub(crate) fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 * (-53f64).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_streams_begin_alike() {
        let streams: Vec<Streams> = (0..5).map(|k| Streams::of_run(7, k)).collect();
        let mut first: Vec<u64> = Vec::new();
        for Streams { mut run, mut plan, mut start } in streams {
            first.extend([&mut run, &mut plan, &mut start].map(|rng| rng.next_u64()));
        }
        first.push(Xoshiro256PlusPlus::seed_from_u64(7).next_u64());
        let count = first.len();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), count);
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let numbers: Vec<f64> = (0..10_000).map(|_| uniform(&mut rng)).collect();
        assert!(numbers.iter().all(|u| (0.0..1.0).contains(u)));
        let mean = numbers.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01);
    }
}
