//! Norms of matrices and vectors.

use faer::MatRef;

/// The Frobenius norm `√Σ a_ij²`.
pub fn frobenius(a: MatRef<'_, f64>) -> f64 {
    a.norm_l2()
}

/// The largest magnitude of an entry; 0 for an empty matrix, NaN if an entry is NaN.
pub fn max_abs(a: MatRef<'_, f64>) -> f64 {
    a.norm_max()
}

/// The squared Euclidean length `‖v‖²` of a vector.
///
/// Four running sums, so that the compiler may use vector instructions; the order is fixed, hence the result too.
pub fn squared_length(v: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (quads, rest) = v.as_chunks::<4>();
    for quad in quads {
        for (sum, v) in sums.iter_mut().zip(quad) {
            *sum += v * v;
        }
    }
    let rest: f64 = rest.iter().map(|v| v * v).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
