//! How many evaluations it takes to reach 1e-8, against medians recorded from an independent implementation.
#![cfg(feature = "dense")]

mod common;

use common::{dot, ellipsoid, sphere, unit_vector};
use ddcma_core::{DiagonalDecoding, Optimizer, Plain, Separable, Strategy};

const N: usize = 10;
const TRIALS: u64 = 15;

/// 10⁶⟨u, x⟩² + (‖x‖² − ⟨u, x⟩²).
fn discus(u: &[f64], x: &[f64]) -> f64 {
    let along = dot(u, x).powi(2);
    1e6 * along + (sphere(x) - along)
}

/// 10⁻⁴⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²) with y = D_ell²·x.
fn ell_cig(u: &[f64], x: &[f64]) -> f64 {
    let scale = |i: usize| 10f64.powf(2.0 * i as f64 / (N - 1) as f64);
    let y: Vec<f64> = x.iter().enumerate().map(|(i, x)| scale(i) * x).collect();
    let along = dot(u, &y).powi(2);
    1e-4 * along + (sphere(&y) - along)
}

fn evaluations<S: Strategy>(seed: u64, f: impl Fn(&[f64]) -> f64) -> u64 {
    let mut es = Optimizer::<S>::new(&[3.0; N], 1.0, seed).unwrap();
    while es.best_value() >= 1e-8 {
        assert!(es.evaluations() < 50_000 * N as u64, "seed {seed} does not converge");
        common::step(&mut es, &f);
    }
    es.evaluations()
}

#[track_caller]
fn assert_median<S: Strategy>(recorded: f64, f: impl Fn(&[f64], &[f64]) -> f64) {
    let mut counts: Vec<u64> = (0..TRIALS)
        .map(|seed| {
            let u = unit_vector(1000 + seed, N);
            evaluations::<S>(seed, |x| f(&u, x))
        })
        .collect();
    counts.sort_unstable();
    let median = counts[counts.len() / 2] as f64;
    let deviation = (median / recorded - 1.0).abs();
    assert!(deviation < 0.08, "median {median}, recorded {recorded}: off by {:.1} %", 100.0 * deviation);
}

#[test]
fn the_separable_ellipsoid() {
    assert_median::<Plain>(4210.0, |_, x| ellipsoid(x));
    assert_median::<Separable>(2300.0, |_, x| ellipsoid(x));
    assert_median::<DiagonalDecoding>(2220.0, |_, x| ellipsoid(x));
}

#[test]
fn the_rotated_discus() {
    assert_median::<Plain>(3230.0, discus);
    assert_median::<DiagonalDecoding>(3350.0, discus);
}

#[test]
fn the_ellipsoid_with_a_long_axis_across() {
    assert_median::<Plain>(3940.0, ell_cig);
    assert_median::<DiagonalDecoding>(2900.0, ell_cig);
}
