//! A run that survives the end of its process: kill it at any time, and start it again.
//!
//! `cargo run --release --features checkpoint --example autosave -- run.checkpoint`

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ddcma_core::{Autosave, minimize};

/// The evaluations of this process.
static EVALUATIONS: AtomicU64 = AtomicU64::new(0);

/// A simulation that takes some time.
fn simulate(x: &[f64]) -> f64 {
    EVALUATIONS.fetch_add(1, Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(1));
    x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2)).sum()
}

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let path = std::env::args().nth(1).unwrap_or("run.checkpoint".to_string());
    let autosave = Autosave::new(path).every(Duration::from_millis(20));
    let solution = minimize(simulate, &[0.0; 4], 0.5).seed(7).max_evaluations(1500).run_saving(autosave)?;
    println!("f = {:e} at {:?} after {} evaluations", solution.value, solution.point, solution.evaluations);
    eprintln!("{} evaluations were made by this process", EVALUATIONS.load(Ordering::Relaxed));
    Ok(())
}
