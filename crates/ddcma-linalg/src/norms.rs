//! Norms of matrices.

use faer::{ColRef, MatRef};

use crate::vectors::squared_length;

/// Returns the Frobenius norm `√Σ a_ij²`; infinite if the squares overflow.
pub fn frobenius(a: MatRef<'_, f64>) -> f64 {
    let sum_of_squares = |column: ColRef<'_, f64>| match column.try_as_col_major() {
        Some(column) => squared_length(column.as_slice()),
        None => column.iter().map(|a| a * a).sum(),
    };
    a.col_iter().map(sum_of_squares).sum::<f64>().sqrt()
}

/// Returns the largest magnitude of an entry; 0 for an empty matrix, NaN if an entry is NaN.
pub fn max_abs(a: MatRef<'_, f64>) -> f64 {
    a.norm_max()
}
