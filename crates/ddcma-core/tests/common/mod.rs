//! Objectives and small helpers for the integration tests.
#![allow(dead_code, reason = "every test file takes what it needs")]

use ddcma_core::{Columns, Optimizer, Strategy};
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Σ 10^(6(i−1)/(n−1)) x_i².
pub(crate) fn ellipsoid(x: &[f64]) -> f64 {
    let n = x.len();
    let exponent = |i: usize| 6.0 * i as f64 / (n.max(2) - 1) as f64;
    x.iter().enumerate().map(|(i, x)| 10f64.powf(exponent(i)) * x * x).sum()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn normals(seed: u64, count: usize) -> Vec<f64> {
    let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    StandardNormal.sample_iter(rng).take(count).collect()
}

/// A random direction.
pub(crate) fn unit_vector(seed: u64, n: usize) -> Vec<f64> {
    let v = normals(seed, n);
    let length = sphere(&v).sqrt();
    v.iter().map(|v| v / length).collect()
}

/// Orthonormal columns by Gram–Schmidt, applied twice for accuracy.
pub(crate) fn rotation(seed: u64, n: usize) -> Columns {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for mut v in normals(seed, n * n).chunks_exact(n).map(<[f64]>::to_vec) {
        for _ in 0..2 {
            for u in &columns {
                let along = dot(u, &v);
                v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
            }
        }
        let length = sphere(&v).sqrt();
        columns.push(v.iter().map(|v| v / length).collect());
    }
    Columns::from_vec(n, columns.concat()).expect("n columns of n rows")
}

/// Rᵀ·x for every column x: the scalar products with the columns of R.
pub(crate) fn rotate(r: &Columns, x: &[f64]) -> Vec<f64> {
    x.chunks_exact(r.dimension()).flat_map(|x| r.iter().map(|u| dot(u, x)).collect::<Vec<_>>()).collect()
}

/// One generation on an objective.
pub(crate) fn step<S: Strategy>(es: &mut Optimizer<S>, f: impl Fn(&[f64]) -> f64) {
    let values: Vec<f64> = es.ask().iter().map(f).collect();
    es.tell(&values).expect("one value for each candidate");
}

/// Whether two vectors agree, relative to the length of the second.
#[track_caller]
pub(crate) fn assert_close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let relative = difference / sphere(b).sqrt().max(f64::MIN_POSITIVE);
    assert!(relative <= tolerance, "{what}: relative difference {relative:e}");
}

/// Everything about a distribution that can be seen from outside, as bits.
pub(crate) fn bits<S: Strategy>(es: &Optimizer<S>) -> Vec<u64> {
    let c = es.c();
    let numbers = es.mean().iter().chain(es.d()).chain(es.path_sigma().p()).chain(c.as_slice());
    numbers.chain([&es.sigma()]).map(|number| number.to_bits()).collect()
}
