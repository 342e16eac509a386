//! Criterion's view of one iteration, without the objective: `cargo bench -p ddcma-benches --features peers`.
//!
//! The same contestants as in `cargo xtask bench speed`, with criterion's statistics and comparison to the last time.

#[path = "../support/mod.rs"]
mod support;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ddcma_problems::{Function, Instance, Spec};
use support::{Contestant, DD, LITERAL_DD, LITERAL_PLAIN, PEERS, PLAIN, SEP};

fn iterations(contestant: Contestant, instance: &Instance, count: u64) -> Duration {
    let mut seed = 1;
    let mut run = (contestant.start)(instance, None, seed);
    let mut total = Duration::ZERO;
    for _ in 0..count {
        // A run that has converged is no longer what it was: the next one takes over.
        if run.best_value() <= 1e-8 {
            seed += 1;
            run = (contestant.start)(instance, None, seed);
        }
        total += run.generation().expect("it does not stop before the target");
    }
    assert!(run.evaluations() >= count.min(1), "something was evaluated");
    total
}

fn iteration(criterion: &mut Criterion) {
    for n in [2, 10, 40, 160] {
        let spec = Spec { function: Function::Ellipsoid, n, rotated: false, seed: 1 };
        let instance = Instance::new(spec).expect("a valid instance");
        let mut group = criterion.benchmark_group(format!("iteration/{n}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        for contestant in [DD, PLAIN, SEP, LITERAL_DD, LITERAL_PLAIN].into_iter().chain(PEERS) {
            group.bench_function(BenchmarkId::from_parameter(contestant.name), |bencher| {
                bencher.iter_custom(|count| iterations(contestant, &instance, count));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, iteration);
criterion_main!(benches);
