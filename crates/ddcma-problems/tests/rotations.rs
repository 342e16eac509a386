//! Rotations are orthogonal, and uniformly distributed over the orthogonal group.

use ddcma_problems::Rotation;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

#[test]
fn rotations_are_orthogonal_to_twelve_digits() {
    for n in [1, 2, 3, 10, 40, 160, 320] {
        let rotation = Rotation::random(n, &mut Xoshiro256PlusPlus::seed_from_u64(n as u64));
        assert!(rotation.deviation() <= 1e-12, "n = {n}: {:e}", rotation.deviation());
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut z = vec![0.0; n];
        rotation.apply(&x, &mut z);
        let back = rotation.unapply(&z);
        assert!(back.iter().zip(&x).all(|(back, x)| (back - x).abs() <= 1e-13));
    }
}

/// Averages of products of entries over many rotations, against their expectations under the Haar measure.
#[test]
fn moments_are_those_of_the_haar_measure() {
    const N: usize = 4;
    const DRAWS: usize = 40_000;
    let n = N as f64;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2024);
    let (mut sums, mut squares) = ([0.0; 8], [0.0; 8]);
    for _ in 0..DRAWS {
        let rotation = Rotation::random(N, &mut rng);
        let rows: Vec<&[f64]> = rotation.rows().collect();
        let r = |i: usize, j: usize| rows[i][j];
        let moments = [
            r(0, 0),
            r(2, 1) * r(3, 1),
            r(0, 0).powi(2),
            r(3, 3).powi(2), // the last row, which Gram–Schmidt leaves the least freedom
            r(3, 2).powi(4),
            r(1, 0).powi(2) * r(1, 3).powi(2),
            r(0, 0).powi(2) * r(3, 3).powi(2),
            r(0, 0) * r(1, 1) * r(0, 1) * r(1, 0),
        ];
        sums.iter_mut().zip(moments).for_each(|(sum, moment)| *sum += moment);
        squares.iter_mut().zip(moments).for_each(|(sum, moment)| *sum += moment * moment);
    }
    let same_line = 1.0 / (n * (n + 2.0));
    let apart = (n + 1.0) / ((n - 1.0) * n * (n + 2.0));
    let expected = [0.0, 0.0, 1.0 / n, 1.0 / n, 3.0 * same_line, same_line, apart, -1.0 / ((n - 1.0) * n * (n + 2.0))];
    for k in 0..sums.len() {
        let mean = sums[k] / DRAWS as f64;
        let standard_error = ((squares[k] / DRAWS as f64 - mean * mean) / DRAWS as f64).sqrt();
        let off_by = (mean - expected[k]) / standard_error;
        assert!(off_by.abs() < 4.0, "moment {k}: {mean}, expected {}, {off_by} standard errors", expected[k]);
    }
}

#[test]
fn both_orientations_occur() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let determinants: Vec<f64> = (0..200)
        .map(|_| {
            let rotation = Rotation::random(2, &mut rng);
            let rows: Vec<&[f64]> = rotation.rows().collect();
            rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
        })
        .collect();
    let positive = determinants.iter().filter(|d| **d > 0.0).count();
    assert!((70..130).contains(&positive), "{positive} of 200");
    assert!(determinants.iter().all(|d| (d.abs() - 1.0).abs() < 1e-12));
}
