//! A search with restarts that survives being killed: stop it at any moment and start it again.
//!
//! `cargo run --release --features checkpoint --example autosave_search -- search.checkpoint`

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ddcma_core::Autosave;
use ddcma_restarts::{Bipop, Starts, restarts};

/// The number of evaluations in this process.
static EVALUATIONS: AtomicU64 = AtomicU64::new(0);

/// A slow simulation with many local minima.
fn simulate(x: &[f64]) -> f64 {
    EVALUATIONS.fetch_add(1, Ordering::Relaxed);
    std::thread::sleep(Duration::from_micros(500));
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let path = std::env::args().nth(1).unwrap_or("search.checkpoint".to_string());
    let autosave = Autosave::new(path).every_generations(3);
    let starts = Starts::in_box(&[-5.0; 2], &[5.0; 2])?;
    let search = restarts(Bipop::new(), starts, 2.0).seed(1).max_evaluations(1500);
    let outcome = search.minimize_saving(simulate, autosave)?;
    println!("f = {:e} at {:?} after {} runs", outcome.value, outcome.point, outcome.runs.len());
    eprintln!("{} evaluations were made by this process", EVALUATIONS.load(Ordering::Relaxed));
    Ok(())
}
