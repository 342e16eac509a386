//! A fingerprint of the code that runs trials: the bits of short seeded runs.
//!
//! Records name the version that made them, but a working copy can change while its version stays the same. The fingerprint prevents
//! mixing trials of code that computes different numbers. It covers the strategies, one search and the values of the functions,
//! but not the experiments.

use ddcma_core::{
    DiagonalDecoding, Optimizer, Parallel, Plain, Root, Separable, Settings, StepSize, StopCriteria, Strategy,
};
use ddcma_lab::fingerprint::fnv;
use ddcma_restarts::{Bipop, Starts, restarts};

use super::names::Form;

/// Generations of a short run.
pub const SHORT: u64 = 60;
/// Generations after which the default root of 20 variables has been made symmetric, which it is every 10 n.
pub const SYMMETRIZED: u64 = 210;

/// Returns version and fingerprint, for the configuration of records.
pub fn of_code() -> String {
    // Takes some milliseconds, because every experiment starts with it. Covers every branch of the default root: K as a matrix (n = 3) and
    // as columns, one or both extremes tracked per update (n = 20), large products (n = 130), and A made symmetric again.
    let runs = [
        of_run::<DiagonalDecoding>(3, Root::LowRank, SHORT, false),
        of_run::<DiagonalDecoding>(20, Root::LowRank, SYMMETRIZED, false),
        of_run::<DiagonalDecoding>(40, Root::LowRank, SHORT, false),
        of_run::<DiagonalDecoding>(130, Root::LowRank, SHORT / 3, false),
        of_run::<DiagonalDecoding>(12, Root::Literal, SHORT, false),
        of_run::<Plain>(3, Root::LowRank, SHORT, false),
        of_run::<Plain>(20, Root::LowRank, SYMMETRIZED, false),
        of_run::<Plain>(40, Root::LowRank, SHORT, false),
        of_run::<Plain>(12, Root::Literal, SHORT, false),
        of_run::<Separable>(40, Root::LowRank, SHORT, false),
        of_tpa::<DiagonalDecoding>(20, SHORT, false),
        of_tpa::<Separable>(40, SHORT, false),
        of_search(),
    ];
    format!("{} ({:016x})", env!("CARGO_PKG_VERSION"), hash(runs.into_iter().chain(of_functions())))
}

/// Returns the value of each function of the suite at its starting point.
fn of_functions() -> impl Iterator<Item = u64> {
    let value = |form: Form| form.instance(4, 1).map_or(f64::NAN, |instance| instance.at(instance.initial_mean()));
    Form::all().into_iter().map(move |form| value(form).to_bits())
}

/// An ellipsoid with a valley across the coordinates.
fn f(x: &[f64]) -> f64 {
    let n = x.len().max(2) as f64;
    let axes = x.iter().enumerate().map(|(k, x)| 1e3f64.powf(k as f64 / (n - 1.0)) * x * x);
    axes.sum::<f64>() + x.iter().sum::<f64>().powi(2)
}

/// Returns the bits of a seeded run, which is optionally stored and restored before each generation.
pub fn of_run<S: Strategy>(n: usize, root: Root, generations: u64, checkpoints: bool) -> u64 {
    of_run_with::<S>(n, Settings::new().root(root), generations, checkpoints)
}

/// Returns the bits of a seeded run with two-point step-size adaptation.
pub fn of_tpa<S: Strategy>(n: usize, generations: u64, checkpoints: bool) -> u64 {
    of_run_with::<S>(n, Settings::new().step_size(StepSize::Tpa), generations, checkpoints)
}

fn of_run_with<S: Strategy>(n: usize, settings: Settings, generations: u64, checkpoints: bool) -> u64 {
    let builder = Optimizer::<S>::builder(&vec![1.0; n], 0.5).settings(settings).criteria(StopCriteria::none());
    let mut es = builder.seed(7).build().expect("a usual start");
    for _ in 0..generations {
        if checkpoints {
            let bytes = es.to_checkpoint().expect("a run can be stored");
            es = Optimizer::from_checkpoint(&bytes).expect("and restored");
        }
        es.step(&mut Parallel(f)).expect("an objective that cannot fail");
    }
    let c = es.c();
    let numbers = es.mean().iter().chain(es.d()).chain(es.path_sigma().p()).chain(c.as_slice());
    hash(numbers.chain([&es.sigma(), &es.best_value()]).map(|number| number.to_bits()))
}

/// Returns the bits of a seeded search.
pub fn of_search() -> u64 {
    let starts = Starts::around(&[1.0; 3], 1.0).expect("a point and a deviation");
    let f = |x: &[f64]| f(x) + x.iter().map(|x| 1.0 - (9.0 * x).cos()).sum::<f64>();
    let outcome = restarts(Bipop::new(), starts, 0.5).max_evaluations(5000).seed(7).minimize(f);
    let outcome = outcome.expect("a usual search");
    let numbers = outcome.point.iter().chain([&outcome.value]).map(|number| number.to_bits());
    hash(numbers.chain([outcome.runs.len() as u64]))
}

fn hash(words: impl Iterator<Item = u64>) -> u64 {
    fnv(words.flat_map(u64::to_le_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_code_has_the_same_fingerprint_and_strategies_differ() {
        assert_eq!(of_code(), of_code());
        assert!(of_code().starts_with(concat!(env!("CARGO_PKG_VERSION"), " (")));
        let plain = of_run::<Plain>(10, Root::LowRank, SHORT, false);
        assert_ne!(plain, of_run::<Separable>(10, Root::LowRank, SHORT, false));
        assert_ne!(plain, of_run::<DiagonalDecoding>(10, Root::LowRank, SHORT, false));
    }
}
