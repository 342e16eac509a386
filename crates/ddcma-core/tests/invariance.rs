//! Invariances: to the origin, to the scale of f, and to rotations and scalings of the space.
#![cfg(feature = "dense")]

use crate::common::{assert_close, bits, ellipsoid, normals, rotate, rotation, step};
use ddcma_core::{Columns, DiagonalDecoding, Optimizer, Plain, Separable, Settings, Strategy};

const N: usize = 6;
const GENERATIONS: usize = 120;

/// Neither separable, nor rotated, nor quadratic, so that no invariance holds by accident.
fn rosenbrock_like(x: &[f64]) -> f64 {
    let bends = x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2));
    bends.sum::<f64>() + ellipsoid(x)
}

fn start<S: Strategy>(mean: &[f64]) -> Optimizer<S> {
    Optimizer::new(mean, 0.5, 3).expect("a valid start")
}

fn translation<S: Strategy>() {
    let shift: Vec<f64> = (0..N).map(|k| 10.0 * (k as f64 - 2.5)).collect();
    let moved: Vec<f64> = shift.iter().map(|s| s + 1.0).collect();
    let mut here = start::<S>(&[1.0; N]);
    let mut there = start::<S>(&moved);
    for _ in 0..GENERATIONS {
        step(&mut here, rosenbrock_like);
        step(&mut there, |x| {
            let x: Vec<f64> = x.iter().zip(&shift).map(|(x, s)| x - s).collect();
            rosenbrock_like(&x)
        });
    }
    let back: Vec<f64> = there.mean().iter().zip(&shift).map(|(m, s)| m - s).collect();
    assert_close(&back, here.mean(), 1e-9, "mean");
    assert_close(&[there.sigma()], &[here.sigma()], 1e-9, "sigma");
    assert_close(there.d(), here.d(), 1e-9, "D");
    assert_close(there.c().as_slice(), here.c().as_slice(), 1e-9, "C");
}

#[test]
fn translation_of_space() {
    translation::<Plain>();
    translation::<Separable>();
    translation::<DiagonalDecoding>();
}

fn increasing_transformation<S: Strategy>() {
    let transformations: [fn(f64) -> f64; 4] = [|f| f.powi(3), |f| -1.0 / f, |f| 1e-200 * f - 3e-201, |f| f.ln()];
    for transform in transformations {
        let mut plain = start::<S>(&[1.0; N]);
        let mut transformed = start::<S>(&[1.0; N]);
        for generation in 0..GENERATIONS {
            step(&mut plain, rosenbrock_like);
            step(&mut transformed, |x| transform(rosenbrock_like(x)));
            assert_eq!(bits(&plain), bits(&transformed), "generation {generation}");
        }
        assert_eq!(plain.best().unwrap().point, transformed.best().unwrap().point);
    }
}

#[test]
fn increasing_transformation_of_f_to_the_bit() {
    increasing_transformation::<Plain>();
    increasing_transformation::<Separable>();
    increasing_transformation::<DiagonalDecoding>();
}

#[test]
fn rotation_of_space_for_plain() {
    let r = rotation(5, N);
    let lambda = Settings::new().params(N).unwrap().lambda();
    let mut straight = start::<Plain>(&[1.0; N]);
    let mut turned = start::<Plain>(&rotate(&r, &[1.0; N]));
    for generation in 0..GENERATIONS {
        // √(RᵀCR) = Rᵀ√C R, so rotated z give rotated candidates.
        let z = normals(100 + generation as u64, N * lambda);
        let z_turned = Columns::from_vec(N, rotate(&r, &z)).unwrap();
        let z = Columns::from_vec(N, z).unwrap();
        let values: Vec<f64> = straight.ask_with(&z).unwrap().iter().map(rosenbrock_like).collect();
        straight.tell(&values).unwrap();
        turned.ask_with(&z_turned).unwrap();
        turned.tell(&values).unwrap();
    }
    assert_close(turned.mean(), &rotate(&r, straight.mean()), 1e-9, "mean");
    assert_close(&[turned.sigma()], &[straight.sigma()], 1e-9, "sigma");
    // Rᵀ·C·R: rotate the columns, transpose, rotate again.
    let once = rotate(&r, straight.c().as_slice());
    let transposed: Vec<f64> = (0..N * N).map(|k| once[(k % N) * N + k / N]).collect();
    assert_close(turned.c().as_slice(), &rotate(&r, &transposed), 1e-9, "C");
    let off_diagonal = straight.c()[0][1];
    assert!(off_diagonal.abs() > 1e-3, "C has learned something to be rotated");
}

fn coordinate_scaling<S: Strategy>(scales: &[f64]) -> (Optimizer<S>, Optimizer<S>) {
    let mean: Vec<f64> = scales.iter().map(|s| 1.0 * s).collect();
    let mut unit = start::<S>(&[1.0; N]);
    let mut scaled = Optimizer::<S>::builder(&mean, 0.5).deviations(scales).seed(3).build().unwrap();
    for _ in 0..GENERATIONS {
        step(&mut unit, rosenbrock_like);
        step(&mut scaled, |x| {
            let x: Vec<f64> = x.iter().zip(scales).map(|(x, s)| x / s).collect();
            rosenbrock_like(&x)
        });
    }
    (unit, scaled)
}

fn coordinate_scaling_to_the_bit<S: Strategy>() {
    // Powers of two scale without rounding.
    let scales = [1.0, 1024.0, 0.5, 2f64.powi(-40), 2f64.powi(33), 4.0];
    let (unit, scaled) = coordinate_scaling::<S>(&scales);
    let rescaled = |v: &[f64]| v.iter().zip(&scales).map(|(v, s)| v / s).collect::<Vec<_>>();
    assert_eq!(rescaled(scaled.mean()), unit.mean());
    assert_eq!(rescaled(scaled.d()), unit.d());
    assert_eq!(scaled.c(), unit.c());
    assert_eq!(scaled.sigma(), unit.sigma());
}

#[test]
fn coordinate_scaling_by_powers_of_two() {
    coordinate_scaling_to_the_bit::<Separable>();
    coordinate_scaling_to_the_bit::<DiagonalDecoding>();
    // Plain CMA-ES keeps the given deviations as a fixed scaling, which the function's scaling undoes.
    coordinate_scaling_to_the_bit::<Plain>();
}

fn coordinate_scaling_by_anything<S: Strategy>() {
    let scales = [1.0, 1e3, 0.3, 1e-7, 1e5, 7.0];
    let (unit, scaled) = coordinate_scaling::<S>(&scales);
    let rescaled = |v: &[f64]| v.iter().zip(&scales).map(|(v, s)| v / s).collect::<Vec<_>>();
    assert_close(&rescaled(scaled.mean()), unit.mean(), 1e-9, "mean");
    assert_close(&rescaled(scaled.d()), unit.d(), 1e-9, "D");
    assert_close(scaled.c().as_slice(), unit.c().as_slice(), 1e-9, "C");
}

#[test]
fn coordinate_scaling_by_other_factors() {
    coordinate_scaling_by_anything::<Separable>();
    coordinate_scaling_by_anything::<DiagonalDecoding>();
}
