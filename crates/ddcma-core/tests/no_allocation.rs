//! After the first generation, neither `ask` nor `tell` allocates memory.
#![cfg(feature = "dense")]

mod common;

use common::ellipsoid;
use ddcma_core::{Columns, DiagonalDecoding, Optimizer, Plain, Separable, Settings, Strategy};

fn allocations<S: Strategy>(n: usize, settings: Settings) -> u64 {
    let mut es = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(settings).build().unwrap();
    let mut values = Vec::with_capacity(es.params().lambda());
    let z = Columns::zeros(n, es.params().lambda());
    let mut generation = || {
        es.ask_with(&z).unwrap();
        values.clear();
        values.extend(es.ask().iter().map(ellipsoid));
        es.tell(&values).unwrap();
    };
    generation();
    allocation_counter::measure(|| (0..5).for_each(|_| generation())).count_total
}

#[test]
fn ask_and_tell_allocate_nothing() {
    // Whoever hands work to rayon's pool from outside lets it allocate now and then, for its queue.
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(count_allocations);
    #[cfg(not(feature = "rayon"))]
    count_allocations();
}

fn count_allocations() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![0])));
    assert!(counted.count_total > 0, "the counter counts");
    for n in [1, 2, 10, 40, 130] {
        for lambda in [None, Some(3 * n + 4)] {
            let settings = lambda.map_or(Settings::new(), |lambda| Settings::new().lambda(lambda));
            assert_eq!(allocations::<Separable>(n, settings.clone()), 0, "separable, n = {n}");
            assert_eq!(allocations::<Plain>(n, settings.clone()), 0, "plain, n = {n}");
            assert_eq!(allocations::<DiagonalDecoding>(n, settings), 0, "dd, n = {n}");
        }
    }
}
