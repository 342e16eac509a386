//! Candidates on all cores: wrap the function in `Parallel`. The run is the same as on one core.
//!
//! Run it with `cargo run --package ddcma-core --example parallel --features rayon`.

use ddcma_core::{Parallel, minimize};

/// A function that takes some time.
fn expensive(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for k in 1..2000 {
        sum += (x.iter().sum::<f64>() * f64::from(k)).sin() / f64::from(k * k);
    }
    x.iter().map(|x| x * x).sum::<f64>() + 1e-3 * (sum * sum)
}

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let parallel = minimize(Parallel(expensive), &[1.0; 6], 0.5).seed(3).max_evaluations(3000).run()?;
    let on_one = minimize(expensive, &[1.0; 6], 0.5).seed(3).max_evaluations(3000).run()?;

    println!("f = {:.1e} after {} evaluations", parallel.value, parallel.evaluations);
    assert_eq!(parallel, on_one, "the number of threads makes no difference");
    assert!(parallel.value < 1e-6);
    Ok(())
}
