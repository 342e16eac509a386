//! The eigendecomposition of a dense symmetric matrix, with a typed error.

use std::fmt;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

use crate::kernels;

/// The error returned if a symmetric matrix could not be decomposed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EighError {
    /// An entry of the lower triangle is NaN or infinite.
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// The iteration did not converge, or overflowed.
    NotConverged {
        /// The size of the matrix.
        n: usize,
    },
}

impl fmt::Display for EighError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { row, column, value } => {
                write!(f, "entry ({row}, {column}) of the matrix must be finite, got {value}")
            }
            Self::NotConverged { n } => {
                write!(f, "the eigendecomposition of a {n} × {n} matrix did not converge")
            }
        }
    }
}

impl std::error::Error for EighError {}

/// A symmetric eigensolver for matrices of one size: `C = E·Λ·Eᵀ`.
///
/// ```
/// use ddcma_linalg::{Eigh, mat};
///
/// let mut eigh = Eigh::new(2);
/// eigh.decompose(mat![[2.0, 1.0], [1.0, 2.0]].as_ref())?;
/// assert!((eigh.values()[0] - 1.0).abs() < 1e-15);
/// assert!((eigh.values()[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), ddcma_linalg::EighError>(())
/// ```
pub struct Eigh {
    values: Vec<f64>,
    vectors: Mat<f64>,
    workspace: MemBuffer,
}

impl fmt::Debug for Eigh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Eigh").field("values", &self.values).field("vectors", &self.vectors).finish_non_exhaustive()
    }
}

impl Clone for Eigh {
    fn clone(&self) -> Self {
        // The workspace holds no data between two calls.
        Self { values: self.values.clone(), vectors: self.vectors.clone(), ..Self::new(self.values.len()) }
    }
}

impl Eigh {
    /// Creates a solver for `n × n` matrices, which holds the decomposition of the identity.
    pub fn new(n: usize) -> Self {
        let workspace = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
        Self { values: vec![1.0; n], vectors: Mat::identity(n, n), workspace: MemBuffer::new(workspace) }
    }

    /// Computes eigenvalues and eigenvectors. After an error, the stored decomposition is meaningless.
    ///
    /// # Panics
    /// Panics if the matrix has another size than the solver.
    pub fn decompose(&mut self, c: MatRef<'_, f64>) -> Result<(), EighError> {
        self.solve(c, ComputeEigenvectors::Yes)
    }

    /// Computes only the eigenvalues, in less time. The stored eigenvectors no longer belong to them.
    ///
    /// # Panics
    /// Panics if the matrix has another size than the solver.
    pub fn decompose_values(&mut self, c: MatRef<'_, f64>) -> Result<(), EighError> {
        self.solve(c, ComputeEigenvectors::No)
    }

    fn solve(&mut self, c: MatRef<'_, f64>, wanted: ComputeEigenvectors) -> Result<(), EighError> {
        let n = self.values.len();
        assert_eq!((c.nrows(), c.ncols()), (n, n), "the matrix must have the size of its solver");
        for column in 0..n {
            for row in column..n {
                let value = c[(row, column)];
                if !value.is_finite() {
                    return Err(EighError::NotFinite { row, column, value });
                }
            }
        }
        let vectors = match wanted {
            ComputeEigenvectors::Yes => Some(self.vectors.as_mut()),
            ComputeEigenvectors::No => None,
        };
        let solved = kernels::decompose(c, &mut self.values, vectors, MemStack::new(&mut self.workspace));
        if solved.is_err() || self.values.iter().any(|value| !value.is_finite()) {
            return Err(EighError::NotConverged { n });
        }
        Ok(())
    }

    /// Returns the eigenvalues, in ascending order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the eigenvectors, one per column, in the order of [`values`](Self::values).
    pub fn vectors(&self) -> MatRef<'_, f64> {
        self.vectors.as_ref()
    }

    /// Returns the smallest and the largest eigenvalue; (∞, −∞) for `n = 0`.
    pub fn extremes(&self) -> (f64, f64) {
        let first = self.values.first().copied().unwrap_or(f64::INFINITY);
        let last = self.values.last().copied().unwrap_or(f64::NEG_INFINITY);
        (first, last)
    }
}
