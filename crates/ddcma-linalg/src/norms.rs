//! Norms of matrices. Knows sizes of entries, and no structure.

use faer::MatRef;

/// The Frobenius norm `√Σ a_ij²`; infinite, if the squares overflow.
pub fn frobenius(a: MatRef<'_, f64>) -> f64 {
    a.col_iter().map(|column| column.iter().map(|a| a * a).sum::<f64>()).sum::<f64>().sqrt()
}

/// The largest magnitude of an entry; 0 for an empty matrix, NaN if an entry is NaN.
pub fn max_abs(a: MatRef<'_, f64>) -> f64 {
    a.norm_max()
}
