//! A run that is killed and resumed: this program starts itself, gets killed in the middle, and continues.
//!
//! Run it with `cargo run --package ddcma-core --example checkpoint --features checkpoint`.

use std::path::Path;
use std::process::Command;

use ddcma_core::{DdCma, StopCriteria};

const GENERATIONS: u64 = 300;

fn f(x: &[f64]) -> f64 {
    x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2)).sum()
}

fn start() -> Result<DdCma, ddcma_core::StartError> {
    DdCma::builder(&[0.0; 6], 0.1).criteria(StopCriteria::none().max_iterations(GENERATIONS)).seed(5).build()
}

/// A run that saves itself before every generation, and is killed in the middle of one.
fn run_and_die(file: &Path) -> Result<(), ddcma_core::Failure> {
    let mut es = start()?;
    while es.stop().is_none() {
        es.save(file)?;
        let values: Vec<f64> = es.ask().iter().map(f).collect();
        if es.iterations() == 100 {
            std::process::abort();
        }
        es.tell(&values)?;
    }
    Ok(())
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    if let Some(file) = std::env::args_os().nth(1) {
        return run_and_die(Path::new(&file));
    }
    let file = std::env::temp_dir().join(format!("ddcma-checkpoint-{}", std::process::id()));
    let status = Command::new(std::env::current_exe()?).arg(&file).status()?;
    println!("the first process ended with {status}");
    assert!(!status.success());

    let mut resumed = DdCma::load(&file)?;
    println!("resuming after {} generations at f = {:.2e}", resumed.iterations(), resumed.best_value());
    resumed.run(f)?;

    let mut undisturbed = start()?;
    undisturbed.run(f)?;
    assert_eq!(resumed.best(), undisturbed.best(), "as if nothing had happened");
    println!(
        "f = {:.2e} after {} generations, as without the interruption",
        resumed.best_value(),
        resumed.iterations()
    );
    std::fs::remove_file(&file)?;
    Ok(())
}
