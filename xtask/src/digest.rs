//! `cargo xtask digest`: the bits of short seeded runs, as one number for each. Two builds, or two numbers of threads, that
//! print the same lines have computed the same bits.
//!
//! There is no file to compare with: processors with other vector instructions may round otherwise, and a run is promised to
//! be reproducible on one platform.

use clap::Args;
use ddcma_core::{DiagonalDecoding, Optimizer, Parallel, Plain, Root, Separable, Settings, Stops, Strategy};
use ddcma_restarts::{Bipop, Starts, restarts};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Store and restore each run before each of its generations.
    #[arg(long)]
    pub checkpoints: bool,
}

/// The last one is large enough for products of matrices to be spread over threads.
const DIMENSIONS: [usize; 4] = [2, 10, 40, 130];

/// Prints a line for each run.
pub fn run(options: &Options) {
    for n in DIMENSIONS {
        for root in [Root::LowRank, Root::Literal] {
            println!("dd/{root:?}/n={n} {:016x}", of_run::<DiagonalDecoding>(n, root, options));
            println!("plain/{root:?}/n={n} {:016x}", of_run::<Plain>(n, root, options));
        }
        println!("sep/n={n} {:016x}", of_run::<Separable>(n, Root::LowRank, options));
    }
    println!("bipop/n=3 {:016x}", of_search());
}

/// An ellipsoid with a valley across the coordinates.
fn f(x: &[f64]) -> f64 {
    let n = x.len().max(2) as f64;
    let axes = x.iter().enumerate().map(|(k, x)| 1e3f64.powf(k as f64 / (n - 1.0)) * x * x);
    axes.sum::<f64>() + x.iter().sum::<f64>().powi(2)
}

fn of_run<S>(n: usize, root: Root, options: &Options) -> u64
where
    S: Strategy + Clone + Serialize + DeserializeOwned,
{
    let settings = Settings::new().root(root);
    let builder = Optimizer::<S>::builder(&vec![1.0; n], 0.5).settings(settings).stops(Stops::none());
    let mut es = builder.seed(7).build().expect("a usual start");
    for generation in 1..=60 {
        if options.checkpoints {
            let bytes = es.to_checkpoint().expect("a run can be stored");
            es = Optimizer::from_checkpoint(&bytes).expect("and restored");
        }
        let mut once = |view: &ddcma_core::View<'_>| (view.iterations >= generation).then(String::new);
        let ran = es.run_until(Parallel(f), &mut [], &mut once);
        ran.unwrap_or_else(|interrupted| match interrupted.error {});
    }
    let c = es.c();
    let numbers = es.mean().iter().chain(es.d()).chain(es.path_sigma().p()).chain(c.as_slice());
    hash(numbers.chain([&es.sigma(), &es.best_value()]))
}

fn of_search() -> u64 {
    let starts = Starts::around(&[1.0; 3], 1.0).expect("a point and a deviation");
    let f = |x: &[f64]| f(x) + x.iter().map(|x| 1.0 - (9.0 * x).cos()).sum::<f64>();
    let outcome = restarts(Bipop::new(), starts, 0.5).evaluations(5000).seed(7).minimize(f);
    let outcome = outcome.expect("a usual search");
    hash(outcome.point.iter().chain([&outcome.value, &(outcome.runs.len() as f64)]))
}

/// FNV-1a over the bits.
fn hash<'a>(numbers: impl Iterator<Item = &'a f64>) -> u64 {
    let bytes = numbers.flat_map(|number| number.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
