//! Restarts on a function with many minima, evaluated by all ranks except the first.
//!
//! `mpirun -n 4 target/release/examples/rastrigin`, with the microseconds of a simulated evaluation as an optional argument.

use std::time::Duration;

use ddcma_restarts::{Bipop, Starts, restarts};

/// Rastrigin's function with a delay, like a simulator that runs on its own core.
fn rastrigin(x: &[f64], time: Duration) -> f64 {
    std::thread::sleep(time);
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let microseconds = std::env::args().nth(1).map_or(Ok(1000), |time| time.parse())?;
    let time = Duration::from_micros(microseconds);
    let outcome = ddcma_mpi::run(
        |x: &[f64]| rastrigin(x, time),
        |workers| {
            let starts = Starts::in_box(&[-5.0; 2], &[5.0; 2]).map_err(|error| error.to_string())?;
            let search = restarts(Bipop::new(), starts, 2.0).target(1e-9).max_evaluations(200_000).seed(1);
            let outcome = search.minimize(&mut *workers).map_err(|error| error.to_string())?;
            Ok::<_, String>((outcome, workers.usage()))
        },
    )?;
    // Only the manager has a result.
    if let Some(result) = outcome {
        let (outcome, usage) = result?;
        println!("{outcome}\n{usage}");
    }
    Ok(())
}
