//! The symmetric root of a matrix, by eigendecomposition: `A` with `A·Aᵀ = C`, and its inverse.

use std::fmt;

use faer::{Mat, MatRef};

use crate::product::{multiply_columns, symmetric_square};
use crate::{Eigh, EighError};

/// The error returned if a matrix has no symmetric root that is finite and invertible.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RootError {
    /// The matrix could not be decomposed.
    Eigh(EighError),
    /// Its smallest eigenvalue is not positive.
    NotPositiveDefinite {
        /// The smallest eigenvalue.
        smallest: f64,
    },
    /// Its condition number or its magnitude is too extreme to invert it in double precision.
    IllConditioned {
        /// Its smallest eigenvalue.
        smallest: f64,
        /// Its largest eigenvalue.
        largest: f64,
    },
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eigh(error) => error.fmt(f),
            Self::NotPositiveDefinite { smallest } => {
                write!(f, "the matrix must be positive definite, but its smallest eigenvalue is {smallest:e}")
            }
            Self::IllConditioned { smallest, largest } => {
                write!(
                    f,
                    "the matrix cannot be inverted in double precision: its eigenvalues range from {smallest:e} to {largest:e}"
                )
            }
        }
    }
}

impl std::error::Error for RootError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Eigh(error) => error.source(),
            Self::NotPositiveDefinite { .. } | Self::IllConditioned { .. } => None,
        }
    }
}

impl From<EighError> for RootError {
    fn from(error: EighError) -> Self {
        Self::Eigh(error)
    }
}

/// The symmetric root `√C = E·Λ^½·Eᵀ`, its inverse, and the eigenvalues of `C`.
#[derive(Clone, Debug)]
pub struct SymmetricRoot {
    root: Mat<f64>,
    inverse: Mat<f64>,
    eigenvalues: Vec<f64>,
    /// Separate from the solver's vectors, which a failure overwrites.
    vectors: Mat<f64>,
    eigh: Eigh,
    scaled_vectors: Mat<f64>,
}

impl SymmetricRoot {
    /// Creates the root of the `n × n` identity.
    pub fn identity(n: usize) -> Self {
        Self {
            root: Mat::identity(n, n),
            inverse: Mat::identity(n, n),
            eigenvalues: vec![1.0; n],
            vectors: Mat::identity(n, n),
            eigh: Eigh::new(n),
            scaled_vectors: Mat::zeros(n, n),
        }
    }

    /// Computes the root of another matrix. After an error, the previous root is kept.
    ///
    /// # Panics
    /// Panics if the matrix has another size.
    pub fn factor(&mut self, c: MatRef<'_, f64>) -> Result<(), RootError> {
        decompose_positive(&mut self.eigh, c)?;
        self.eigenvalues.copy_from_slice(self.eigh.values());
        self.vectors.copy_from(self.eigh.vectors());
        symmetric_root(&self.eigh, quarter, &mut self.scaled_vectors, &mut self.root);
        symmetric_root(&self.eigh, inverse_quarter, &mut self.scaled_vectors, &mut self.inverse);
        Ok(())
    }

    /// Computes `y = √C·z` for every column of `z`.
    ///
    /// # Panics
    /// Panics if the slices do not have the same number of whole columns.
    pub fn apply(&self, z: &[f64], y: &mut [f64]) {
        multiply_columns(self.root.as_ref(), z, y);
    }

    /// Computes `z = √C⁻¹·y` for every column of `y`.
    ///
    /// # Panics
    /// Panics if the slices do not have the same number of whole columns.
    pub fn whiten(&self, y: &[f64], z: &mut [f64]) {
        multiply_columns(self.inverse.as_ref(), y, z);
    }

    /// Returns `√C`.
    pub fn root(&self) -> MatRef<'_, f64> {
        self.root.as_ref()
    }

    /// Returns `√C⁻¹`.
    pub fn inverse(&self) -> MatRef<'_, f64> {
        self.inverse.as_ref()
    }

    /// Returns the eigenvalues of `C`, in ascending order.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Writes the `i`-th eigenvector of `C`, in ascending order of eigenvalues, times the square root of its eigenvalue.
    ///
    /// # Panics
    /// Panics if `i` is not below n, or if `axis` does not have length n.
    pub fn principal_axis(&self, i: usize, axis: &mut [f64]) {
        let length = self.eigenvalues[i].sqrt();
        let vector = self.vectors.col_as_slice(i);
        assert_eq!(axis.len(), vector.len(), "axis must have the size of the matrix");
        axis.iter_mut().zip(vector).for_each(|(axis, entry)| *axis = length * entry);
    }

    /// Returns the smallest and the largest eigenvalue of `C`; (∞, −∞) for `n = 0`.
    pub fn extremes(&self) -> (f64, f64) {
        let first = self.eigenvalues.first().copied().unwrap_or(f64::INFINITY);
        let last = self.eigenvalues.last().copied().unwrap_or(f64::NEG_INFINITY);
        (first, last)
    }

    /// Returns the condition number of `C`, its largest eigenvalue divided by its smallest; 1 for `n = 0`.
    pub fn condition(&self) -> f64 {
        match (self.eigenvalues.first(), self.eigenvalues.last()) {
            (Some(smallest), Some(largest)) => largest / smallest,
            _ => 1.0,
        }
    }
}

/// Decomposes a matrix that should be positive definite.
pub(crate) fn decompose_positive(eigh: &mut Eigh, c: MatRef<'_, f64>) -> Result<(), RootError> {
    eigh.decompose(c)?;
    let (smallest, _) = eigh.extremes();
    if smallest <= 0.0 { Err(RootError::NotPositiveDefinite { smallest }) } else { Ok(()) }
}

/// Computes `E·Λ^½·Eᵀ = (E·Λ^¼)·(E·Λ^¼)ᵀ` with the [`quarter`] power, or its inverse with the [`inverse_quarter`]: this
/// takes half the work of a general product, and is exactly symmetric. `scaled` is workspace.
pub(crate) fn symmetric_root(eigh: &Eigh, power: fn(f64) -> f64, scaled: &mut Mat<f64>, root: &mut Mat<f64>) {
    for (j, &value) in eigh.values().iter().enumerate() {
        let factor = power(value);
        let entries = scaled.col_as_slice_mut(j).iter_mut().zip(eigh.vectors().col(j).iter());
        entries.for_each(|(scaled, entry)| *scaled = factor * entry);
    }
    symmetric_square(root.as_mut(), scaled.as_ref());
}

pub(crate) fn quarter(value: f64) -> f64 {
    value.sqrt().sqrt()
}

pub(crate) fn inverse_quarter(value: f64) -> f64 {
    value.sqrt().sqrt().recip()
}
