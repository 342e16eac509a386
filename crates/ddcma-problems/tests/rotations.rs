//! Rotations are orthogonal, and uniformly distributed over the orthogonal group.

use ddcma_problems::Rotation;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

#[test]
fn rotations_are_orthogonal_to_twelve_digits() {
    for n in [1, 2, 3, 10, 40, 160, 320] {
        let rotation = Rotation::random(n, &mut Xoshiro256PlusPlus::seed_from_u64(n as u64)).unwrap();
        assert!(rotation.deviation() <= 1e-12, "n = {n}: {:e}", rotation.deviation());
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut z = vec![0.0; n];
        rotation.apply(&x, &mut z);
        let back = rotation.unapply(&z);
        assert!(back.iter().zip(&x).all(|(back, x)| (back - x).abs() <= 1e-13));
    }
}

/// Averages of products of entries over many rotations, against their expectations under the Haar measure.
fn assert_haar(mut draw: impl FnMut(u64) -> Rotation) {
    const N: usize = 4;
    const DRAWS: usize = 40_000;
    let n = N as f64;
    let (mut sums, mut squares) = ([0.0; 10], [0.0; 10]);
    for k in 0..DRAWS {
        let rotation = draw(k as u64);
        let rows: Vec<&[f64]> = rotation.rows().collect();
        let r = |i: usize, j: usize| rows[i][j];
        let moments = [
            r(0, 0),
            r(3, 3), // the last row, which Gram–Schmidt leaves the least freedom
            r(2, 1) * r(3, 1),
            r(0, 0) * r(3, 3),
            r(0, 0).powi(2),
            r(3, 3).powi(2),
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
    let crossed = -1.0 / ((n - 1.0) * n * (n + 2.0));
    let expected = [0.0, 0.0, 0.0, 0.0, 1.0 / n, 1.0 / n, 3.0 * same_line, same_line, apart, crossed];
    for k in 0..sums.len() {
        let mean = sums[k] / DRAWS as f64;
        let standard_error = ((squares[k] / DRAWS as f64 - mean * mean) / DRAWS as f64).sqrt();
        let off_by = (mean - expected[k]) / standard_error;
        assert!(off_by.abs() < 4.0, "moment {k}: {mean}, expected {}, {off_by} standard errors", expected[k]);
    }
}

#[test]
fn moments_of_a_stream_of_rotations_are_those_of_the_haar_measure() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2024);
    assert_haar(|_| Rotation::random(4, &mut rng).unwrap());
}

#[test]
fn moments_over_consecutive_seeds_are_those_of_the_haar_measure() {
    assert_haar(|seed| Rotation::from_seed(4, seed).unwrap());
}

#[test]
fn both_orientations_occur() {
    let determinant = |r: &Rotation| {
        let rows: Vec<&[f64]> = r.rows().collect();
        let minor = |i: usize, j: usize| rows[1][i] * rows[2][j] - rows[1][j] * rows[2][i];
        rows[0][0] * minor(1, 2) - rows[0][1] * minor(0, 2) + rows[0][2] * minor(0, 1)
    };
    let determinants: Vec<f64> = (0..200).map(|seed| determinant(&Rotation::from_seed(3, seed).unwrap())).collect();
    let positive = determinants.iter().filter(|d| **d > 0.0).count();
    assert!((70..130).contains(&positive), "{positive} of 200");
    assert!(determinants.iter().all(|d| (d.abs() - 1.0).abs() < 1e-12));
}
