//! Norms of matrices. Knows sizes of entries, and no structure.

use faer::MatRef;

/// The Frobenius norm `√Σ a_ij²`.
pub fn frobenius(a: MatRef<'_, f64>) -> f64 {
    a.norm_l2()
}

/// The largest magnitude of an entry; 0 for an empty matrix, NaN if an entry is NaN.
pub fn max_abs(a: MatRef<'_, f64>) -> f64 {
    a.norm_max()
}
