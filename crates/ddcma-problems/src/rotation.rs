//! Orthogonal matrices, uniformly distributed or given.

use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::ProblemError;
use crate::stream::{self, Purpose};

/// An orthogonal matrix R, stored by rows: the entries of z = R·x are the scalar products of the rows with x.
///
/// ```
/// use ddcma_problems::Rotation;
///
/// let quarter_turn = Rotation::from_rows(2, vec![0.0, -1.0, 1.0, 0.0])?;
/// let mut z = [0.0; 2];
/// quarter_turn.apply(&[3.0, 4.0], &mut z);
/// assert_eq!(z, [-4.0, 3.0]);
/// # Ok::<(), ddcma_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    n: usize,
    rows: Vec<f64>,
}

impl Rotation {
    /// The largest number of rows; the matrix then takes two gigabytes.
    pub const LARGEST: usize = 1 << 14;

    /// Draws a matrix uniformly from the orthogonal group: normal entries, then Gram–Schmidt on the rows.
    pub fn random(n: usize, rng: &mut impl Rng) -> Result<Self, ProblemError> {
        Self::check_size(n)?;
        Ok(Self { n, rows: random_rows(n, n, rng) })
    }

    /// Creates the random matrix of a seed, the same as in the rotated instances with this seed and dimension.
    pub fn from_seed(n: usize, seed: u64) -> Result<Self, ProblemError> {
        Self::random(n, &mut stream::new(seed, Purpose::Orientation))
    }

    fn check_size(n: usize) -> Result<(), ProblemError> {
        match n {
            0 => Err(ProblemError::OutOfRange { name: "the number of rows", rule: "at least 1".into(), value: 0.0 }),
            1..=Self::LARGEST => Ok(()),
            _ => Err(ProblemError::TooManyVariables { largest: Self::LARGEST, n }),
        }
    }

    /// Creates a matrix from its rows. It must be orthogonal up to 1e-10.
    pub fn from_rows(n: usize, rows: Vec<f64>) -> Result<Self, ProblemError> {
        Self::check_size(n)?;
        if rows.len() != n * n {
            return Err(ProblemError::NotSquare { n, entries: rows.len() });
        }
        let rotation = Self { n, rows };
        let deviation = rotation.deviation();
        if deviation.is_nan() || deviation > 1e-10 {
            return Err(ProblemError::NotOrthogonal { deviation });
        }
        Ok(rotation)
    }

    /// Returns the number of rows and columns.
    pub fn dimension(&self) -> usize {
        self.n
    }

    /// Returns an iterator over the rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.rows.chunks_exact(self.n)
    }

    /// Computes z = R·x for every column of `x`.
    ///
    /// # Panics
    /// Panics if the slices do not have the same number of whole columns.
    pub fn apply(&self, x: &[f64], z: &mut [f64]) {
        assert_eq!(x.len(), z.len(), "x and z must have the same length");
        assert!(x.len().is_multiple_of(self.n), "{} numbers in columns of {}", x.len(), self.n);
        self.multiply(x, z);
    }

    #[cfg(feature = "dense")]
    fn multiply(&self, x: &[f64], z: &mut [f64]) {
        ddcma_linalg::multiply_rows(&self.rows, self.n, x, z);
    }

    #[cfg(not(feature = "dense"))]
    fn multiply(&self, x: &[f64], z: &mut [f64]) {
        for (x, z) in x.chunks_exact(self.n).zip(z.chunks_exact_mut(self.n)) {
            z.iter_mut().zip(self.rows()).for_each(|(z, row)| *z = dot(row, x));
        }
    }

    /// Returns x = Rᵀ·z, which undoes [`apply`](Self::apply).
    ///
    /// # Panics
    /// Panics if `z` does not have the dimension of the matrix.
    pub fn unapply(&self, z: &[f64]) -> Vec<f64> {
        assert_eq!(z.len(), self.n, "z must have the dimension of the matrix");
        let mut x = vec![0.0; self.n];
        for (row, z) in self.rows().zip(z) {
            x.iter_mut().zip(row).for_each(|(x, r)| *x += r * z);
        }
        x
    }

    /// Returns the largest magnitude of an entry of R·Rᵀ − I; NaN if an entry is NaN.
    pub fn deviation(&self) -> f64 {
        let mut largest: f64 = 0.0;
        for (i, a) in self.rows().enumerate() {
            for (j, b) in self.rows().enumerate().take(i + 1) {
                let deviation = (dot(a, b) - if i == j { 1.0 } else { 0.0 }).abs();
                if deviation.is_nan() {
                    return deviation;
                }
                largest = largest.max(deviation);
            }
        }
        largest
    }
}

/// Draws the first `count` rows of a random rotation: the same numbers with which the whole matrix would start.
pub(crate) fn random_rows(n: usize, count: usize, rng: &mut impl Rng) -> Vec<f64> {
    let mut rows = Vec::with_capacity(n * count);
    while rows.len() < n * count {
        let mut row: Vec<f64> = StandardNormal.sample_iter(&mut *rng).take(n).collect();
        // Twice is enough: the second pass removes the rounding errors of the first.
        for _ in 0..2 {
            for earlier in rows.chunks_exact(n) {
                let along = dot(earlier, &row);
                row.iter_mut().zip(earlier).for_each(|(r, e)| *r -= along * e);
            }
        }
        let length = dot(&row, &row).sqrt();
        rows.extend(row.iter().map(|r| r / length));
    }
    rows
}

/// ⟨a, b⟩, with four running sums so that vector instructions can be used; their order is fixed.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let ((a_quads, a_rest), (b_quads, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in a_quads.iter().zip(b_quads) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
