//! A custom family of problems: fits of an exponential decay to noisy data, with one term for each pair of variables.
//!
//! Run it with `cargo run --package ddcma-lab --example own_problem`.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use ddcma_lab::{Experiment, Failure, LabError, OwnProblem, Silent, dd, family, plain, sep};

/// Σ a_k·exp(−r_k·t), with alternating amplitudes and rates.
fn model(x: &[f64], t: f64) -> f64 {
    x.chunks_exact(2).map(|term| term[0] * (-term[1] * t).exp()).sum()
}

fn main() -> Result<(), Failure> {
    let decays = family("decays", |n, seed| {
        if !n.is_multiple_of(2) {
            return Err(LabError::new(format!("decays: n must be even, got {n}")));
        }
        let truth: Vec<f64> =
            (0..n).map(|k| if k % 2 == 0 { 1.0 } else { 0.3 * (k as f64 + 0.01 * seed as f64) }).collect();
        let data: Vec<(f64, f64)> = (0..60).map(|k| 0.2 * f64::from(k)).map(|t| (t, model(&truth, t))).collect();
        let misfit = move |x: &[f64]| data.iter().map(|(t, y)| (model(x, *t) - y).powi(2)).sum::<f64>();
        Ok(OwnProblem::new(misfit, vec![0.5; n], 0.3).target(1e-10).budget(20_000 * n as u64))
    });
    let experiment = Experiment::new().algorithms([dd(), plain(), sep()]).problem(decays).dimensions([2, 4]).trials(5);
    println!("{}", experiment.run(&Silent)?.table());
    Ok(())
}
