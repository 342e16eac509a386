//! With the feature `rayon`, large products are spread over threads, and no number depends on how many there are.
#![cfg(all(feature = "dense", feature = "rayon"))]

use crate::common::ellipsoid;
use ddcma_core::{DdCma, Settings};

fn run(threads: usize, n: usize, lambda: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let settings = Settings::new().lambda(lambda);
        let mut es = DdCma::builder(&vec![1.0; n], 1.0).settings(settings).seed(5).build().unwrap();
        for _ in 0..12 {
            let values: Vec<f64> = es.ask().iter().map(ellipsoid).collect();
            es.tell(&values).unwrap();
        }
        let c = es.c();
        es.mean().iter().chain(es.d()).chain(c.as_slice()).map(|number| number.to_bits()).collect()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // n²·λ is well above the size from which products are cut into blocks. The cases are low-rank corrections, whole matrices,
    // and sizes at which solving is spread over threads, too.
    for (n, lambda) in [(300, 24), (300, 320), (1100, 24)] {
        let one = run(1, n, lambda);
        for threads in [2, 3, 8] {
            assert!(run(threads, n, lambda) == one, "{threads} threads, n = {n}, λ = {lambda}");
        }
    }
}
