//! Measures the cost of messages: microseconds per evaluation of a function that takes no time, by the number of variables.
//!
//! `mpirun -n 16 target/release/examples/messages`; docs/scale.md has a table.

use std::time::Instant;

use ddcma_core::{SepCma, StopCriteria};
use ddcma_mpi::Workers;

/// Returns the time per evaluation, the minimum of thirty runs, because other programs on the machine only add to it.
fn microseconds(workers: &mut Workers<fn(&[f64]) -> f64>, n: usize) -> Result<f64, ddcma_core::Failure> {
    let lambda = 16 * workers.count().max(1);
    let mut least = f64::INFINITY;
    for seed in 1..=30 {
        let criteria = StopCriteria::none().max_evaluations(500);
        let mut es = SepCma::builder(&vec![1.0; n], 1.0).lambda(lambda).criteria(criteria).seed(seed).build()?;
        let begin = Instant::now();
        es.run(&mut *workers)?;
        least = least.min(1e6 * begin.elapsed().as_secs_f64() / es.evaluations() as f64);
    }
    Ok(least)
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let constant: fn(&[f64]) -> f64 = |_| 0.0;
    let table = ddcma_mpi::run(constant, |workers| {
        let sizes = [10, 100, 1_000];
        let times: Result<Vec<f64>, _> = sizes.iter().map(|n| microseconds(workers, *n)).collect();
        times.map(|times| (workers.count(), times))
    })?;
    // Only the manager has a result.
    if let Some(table) = table {
        let (workers, times) = table?;
        let times: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
        println!("| {} | {} |", workers + 1, times.join(" | "));
    }
    Ok(())
}
