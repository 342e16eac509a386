//! A fingerprint of the code that runs trials: the bits of short seeded runs.
//!
//! Records say which version made them, but a working copy changes without its version. Trials of different code are never
//! mixed: they come with different fingerprints. Knows strategies, and no experiment.

use ddcma_core::{DiagonalDecoding, Optimizer, Plain, Separable, Settings, Strategy};

/// Version and fingerprint, for the configuration of records.
pub fn of_code() -> String {
    let runs = [runs::<Plain>(), runs::<Separable>(), runs::<DiagonalDecoding>()];
    format!("{} ({:016x})", env!("CARGO_PKG_VERSION"), runs.into_iter().fold(0, mixed))
}

/// Small and larger matrices go different ways, and so do large populations.
fn runs<S: Strategy>() -> u64 {
    [(3, 7, 40), (24, 13, 40), (12, 200, 10)].into_iter().map(|(n, lambda, t)| run::<S>(n, lambda, t)).fold(0, mixed)
}

fn run<S: Strategy>(n: usize, lambda: usize, generations: usize) -> u64 {
    let settings = Settings::new().lambda(lambda);
    let es = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(settings).seed(1).build();
    let mut es = es.expect("a start that is always possible");
    for _ in 0..generations {
        let points = es.ask();
        let values: Vec<f64> = points.iter().map(|x| x.iter().map(|x| x * x).sum()).collect();
        es.tell(&values).expect("as many values as points");
    }
    es.mean().iter().map(|x| x.to_bits()).fold(0, mixed)
}

/// FNV-1a, by words.
fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word ^ 0xcbf2_9ce4_8422_2325).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_code_has_the_same_fingerprint_and_strategies_differ() {
        assert_eq!(of_code(), of_code());
        assert!(of_code().starts_with(concat!(env!("CARGO_PKG_VERSION"), " (")));
        assert_ne!(runs::<Plain>(), runs::<DiagonalDecoding>());
        assert_ne!(runs::<Plain>(), runs::<Separable>());
    }
}
