//! Variables with their own units: one on a logarithmic scale, one fixed, one without bounds, and no step size to choose.
//!
//! Run it with `cargo run --package ddcma-core --example variables`.

use ddcma_core::{Variable, Variables, minimize_over};

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    // A first-order reaction, measured: y = offset + scale·exp(−rate·t), with the scale known from the weighing.
    let (rate, scale, offset) = (2e-4, 3.0, -0.7);
    let measured: Vec<(f64, f64)> =
        (0..40).map(|k| 250.0 * f64::from(k)).map(|t| (t, offset + scale * (-rate * t).exp())).collect();
    let residual = |x: &[f64]| -> f64 {
        let [rate, scale, offset] = *x else { unreachable!("three variables, the fixed one included") };
        let model = |t: f64| offset + scale * (-rate * t).exp();
        measured.iter().map(|(t, y)| (y - model(*t)).powi(2)).sum()
    };

    let variables = Variables::new([
        Variable::between(1e-7, 1.0).log().named("rate"), // seven orders of magnitude
        Variable::fixed(3.0).named("scale"),
        Variable::around(0.0, 5.0).named("offset"),
    ])?;
    let solution = minimize_over(residual, &variables).seed(1).target(1e-20).run()?;

    println!("{}", variables.display(&solution.point));
    println!("residual {:.1e} after {} evaluations", solution.value, solution.evaluations);
    assert!((solution.point[0] / rate - 1.0).abs() < 1e-6 && solution.point[1] == scale);

    // Errors in a range are reported before anything is evaluated.
    let Err(error) = Variables::new([Variable::between(0.0, 1.0).log().named("rate")]) else {
        unreachable!("the logarithm of 0 is not a number")
    };
    println!("{error}");
    Ok(())
}
