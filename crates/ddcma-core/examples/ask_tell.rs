//! Your own loop: ask for candidates, evaluate them in any way you like, and tell their values.
//!
//! Run it with `cargo run --package ddcma-core --example ask_tell`.

use ddcma_core::DdCma;

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), ddcma_core::Failure> {
    // Variables of very different scales, and a dependency between the first two.
    let f = |x: &[f64]| (x[0] + x[1] - 3.0).powi(2) + 1e6 * (x[1] - 1.0).powi(2) + 1e-3 * x[2] * x[2];

    let mut es = DdCma::new(&[0.0; 3], 1.0, 7)?;
    let stop = loop {
        let values: Vec<f64> = es.ask().iter().map(f).collect();
        es.tell(&values)?;
        if let Some(stop) = es.stop() {
            break stop;
        }
    };

    let best = es.best().ok_or("no value was a number")?;
    println!("f = {:.1e} at {:.4?}, found by evaluation {}", best.value, best.point, best.evaluation);
    println!("stopped by {stop}");
    assert!(best.value < 1e-8);
    Ok(())
}
