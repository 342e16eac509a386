//! After the first generation, neither `ask` nor `tell` allocates memory, up to n = 512.
#![cfg(feature = "dense")]

use crate::common::ellipsoid;
use ddcma_core::{DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, StepSize, StopCriteria, Strategy};

/// Returns the allocations of this many generations after the first.
fn allocations<S: Strategy>(n: usize, settings: &Settings, generations: usize) -> u64 {
    let builder = Optimizer::<S>::builder(&vec![1.0; n], 1.0).settings(settings.clone()).criteria(StopCriteria::new());
    let mut es = builder.seed(3).build().unwrap();
    let mut values = Vec::with_capacity(es.params().lambda());
    let mut generation = || {
        values.clear();
        values.extend(es.ask().iter().map(ellipsoid));
        es.tell(&values).unwrap();
        es.stop()
    };
    generation();
    allocation_counter::measure(|| (0..generations).for_each(|_| drop(generation()))).count_total
}

#[test]
fn ask_and_tell_allocate_nothing() {
    // Handing work to rayon's pool from outside makes it allocate sometimes, for its queue.
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(count_allocations);
    #[cfg(not(feature = "rayon"))]
    count_allocations();
}

fn count_allocations() {
    // The first matrix product on each thread allocates a buffer for all later ones.
    allocations::<Plain>(2, &Settings::new().root(Root::Literal), 5);
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![0])));
    assert!(counted.count_total > 0, "the counter counts");
    // In few dimensions, this is as many generations as it takes until A is made symmetric again.
    for (n, generations) in [(1, 50), (2, 50), (5, 120), (40, 60), (130, 20)] {
        for settings in [
            Settings::new(),
            Settings::new().lambda(3 * n + 4),
            Settings::new().t_eig(3), // K is collected in columns, or in a matrix
            Settings::new().c_mu(0.5).c_1(0.3).t_eig(2), // K is not small
            Settings::new().c_mu(0.06), // K is small now and then
            Settings::new().c_mu(0.1),
            Settings::new().root(Root::Literal),
            Settings::new().step_size(StepSize::Tpa),
        ] {
            let of = |name: &str, count: u64| assert_eq!(count, 0, "{name}, n = {n}, {settings:?}");
            of("separable", allocations::<Separable>(n, &settings, generations));
            of("plain", allocations::<Plain>(n, &settings, generations));
            of("dd", allocations::<DiagonalDecoding>(n, &settings, generations));
        }
    }
}
