//! Measures one iteration with criterion, without the objective function: `cargo bench -p ddcma-benches --features peers`.
//!
//! The contestants are those of `cargo xtask bench speed`, with criterion's statistics and its comparison with the previous run.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ddcma_benches::timed::{Contest, LITERAL, PEERS, STRATEGIES};

/// Measures the time of this many iterations, by trials with at least as many.
fn iterations(contest: &mut Contest, count: u64) -> Duration {
    let (mut made, mut microseconds) = (0, 0.0);
    while made < count {
        for timing in contest.timings().expect("trials that work") {
            made += timing.iterations;
            microseconds += timing.us_per_iteration * timing.iterations as f64;
        }
    }
    Duration::from_secs_f64(1e-6 * microseconds * count as f64 / made as f64)
}

fn iteration(criterion: &mut Criterion) {
    for n in [2usize, 10, 40, 160] {
        let lambda = 4 + (3.0 * (n as f64).ln()).floor() as usize;
        let mut group = criterion.benchmark_group(format!("iteration/{n}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        for (name, make) in STRATEGIES.into_iter().chain(LITERAL).chain(PEERS) {
            let contest = Contest::new(make, n, lambda, 1, Duration::from_millis(200));
            let mut contest = contest.expect("a trial that works");
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter_custom(|count| iterations(&mut contest, count));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, iteration);
criterion_main!(benches);
