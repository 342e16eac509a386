//! One call: what to minimize, where to start, how far to look.
//!
//! Run it with `cargo run --package ddcma-core --example quickstart`.

use ddcma_core::minimize;

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    let rosenbrock =
        |x: &[f64]| -> f64 { x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2)).sum() };

    let solution = minimize(rosenbrock, &[0.0; 8], 0.3).seed(1).run()?;

    println!("f = {:.1e} after {} evaluations", solution.value, solution.evaluations);
    println!("x = {:.6?}", solution.point);
    println!("stopped by {}", solution.stop);
    assert!(solution.value < 1e-10);
    Ok(())
}
