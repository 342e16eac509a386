//! Box constraints: every candidate is feasible, and the optimum may lie on a bound.
//!
//! Run it with `cargo run --package ddcma-core --example bounds`.

use ddcma_core::{Bounds, minimize};

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    // A can of one liter with the least surface, its radius at most 5 cm: the bound is active.
    let liter = 1000.0;
    let surface = |x: &[f64]| {
        let (radius, height) = (x[0], x[1]);
        assert!((1.0..=5.0).contains(&radius) && height >= 0.0, "only feasible points are evaluated");
        let volume = std::f64::consts::PI * radius * radius * height;
        let missing = (liter - volume).max(0.0);
        2.0 * std::f64::consts::PI * radius * (radius + height) + 10.0 * missing
    };

    let bounds = Bounds::new(&[1.0, 0.0], &[5.0, f64::INFINITY])?;
    let solution = minimize(surface, &[3.0, 10.0], 2.0).bounds(bounds).seed(1).run()?;

    println!(
        "radius {:.4} cm, height {:.4} cm, surface {:.2} cm²",
        solution.point[0], solution.point[1], solution.value
    );
    println!("stopped by {}", solution.stop);
    assert!((solution.point[0] - 5.0).abs() < 1e-3);
    Ok(())
}
