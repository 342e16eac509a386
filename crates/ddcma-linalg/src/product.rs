//! Symmetric products, which build a covariance matrix from vectors and other matrices.
//!
//! Large products compute the lower triangle and mirror it, so that the result is symmetric to the last bit.

use faer::prelude::*;
use faer::{Accum, MatMut, MatRef};

use crate::blocks::{LARGE, for_blocks_of_rows};
use crate::kernels;

/// Adds a weighted sum of outer products: `K ← K + Σ_i w_i·v_i·v_iᵀ` over the columns of `v`.
///
/// `weighted` is workspace of the size of `v`.
///
/// # Panics
/// Panics if `v` and `weighted` do not have one column of `K`'s size per weight.
pub fn add_weighted_gram(mut k: MatMut<'_, f64>, v: &[f64], w: &[f64], weighted: &mut [f64]) {
    let n = k.nrows();
    if n * v.len() <= SMALL {
        v.chunks_exact(n).zip(w).for_each(|(v, &w)| add_outer(k.rb_mut(), w, v));
        return;
    }
    for ((weighted, v), &w) in weighted.chunks_exact_mut(n).zip(v.chunks_exact(n)).zip(w) {
        for (weighted, v) in weighted.iter_mut().zip(v) {
            *weighted = w * v;
        }
    }
    let v = MatRef::from_column_major_slice(v, n, w.len());
    let weighted = MatRef::from_column_major_slice(weighted, n, w.len());
    add_lower_product(k, Accum::Add, weighted, v.transpose());
}

/// Adds a weighted outer product: `K ← K + w·v·vᵀ`.
///
/// # Panics
/// Panics if `v` does not have the size of a column of `K`.
pub fn add_outer(mut k: MatMut<'_, f64>, w: f64, v: &[f64]) {
    assert_eq!(k.nrows(), v.len(), "the vector must have the size of the matrix");
    for (j, &v_j) in v.iter().enumerate() {
        let column = k.rb_mut().col_mut(j);
        for (entry, v_i) in column.iter_mut().zip(v) {
            *entry += w * (v_i * v_j);
        }
    }
}

/// Adds a number to the diagonal: `K ← K + s·I`.
pub fn add_diagonal(mut k: MatMut<'_, f64>, s: f64) {
    for i in 0..k.nrows() {
        k[(i, i)] += s;
    }
}

/// Computes `A·K·A` for symmetric `A` and `K`, into `result`. `product` is workspace of the same size.
///
/// # Panics
/// Panics if the sizes differ.
pub fn sandwich(result: MatMut<'_, f64>, a: MatRef<'_, f64>, k: MatRef<'_, f64>, mut product: MatMut<'_, f64>) {
    multiply_into(product.rb_mut(), Accum::Replace, a, k);
    add_lower_product(result, Accum::Replace, product.rb(), a);
}

/// Computes `y = R·x` for every column of `x`, with a matrix R of `n` columns that is given row by row.
///
/// # Panics
/// Panics if the sizes of `rows`, `x` and `y` do not match.
pub fn multiply_rows(rows: &[f64], n: usize, x: &[f64], y: &mut [f64]) {
    let (height, columns) = (rows.len() / n, x.len() / n);
    let r = MatRef::from_row_major_slice(rows, height, n);
    let x = MatRef::from_column_major_slice(x, n, columns);
    let y = MatMut::from_column_major_slice_mut(y, height, columns);
    multiply_into(y, Accum::Replace, r, x);
}

/// `dst ← l·r`, or `dst + l·r`.
///
/// The smallest products are plain loops: choosing a method for a general product would take longer. The largest are done in
/// blocks of rows.
pub(crate) fn multiply_into(mut dst: MatMut<'_, f64>, accum: Accum, l: MatRef<'_, f64>, r: MatRef<'_, f64>) {
    let multiplications = dst.nrows() * dst.ncols() * l.ncols();
    if multiplications >= LARGE {
        let rows = |first, mut block: MatMut<'_, f64>| {
            let l = l.subrows(first, block.nrows());
            kernels::multiply(block.rb_mut(), accum, l, r);
        };
        for_blocks_of_rows(dst, 0, &rows);
    } else if multiplications > TINY {
        kernels::multiply(dst, accum, l, r);
    } else {
        for j in 0..dst.ncols() {
            for i in 0..dst.nrows() {
                let product: f64 = (0..l.ncols()).map(|k| l[(i, k)] * r[(k, j)]).sum();
                dst[(i, j)] = if accum == Accum::Add { dst[(i, j)] + product } else { product };
            }
        }
    }
}

/// Up to this many multiplications, plain loops are faster than a general product.
const TINY: usize = 32;

/// The same limit for a product of which only half is computed.
const SMALL: usize = 256;

/// `y = A·x` for every column of `x`, with a square matrix.
pub(crate) fn multiply_columns(a: MatRef<'_, f64>, x: &[f64], y: &mut [f64]) {
    let n = a.nrows();
    let columns = x.len().checked_div(n).unwrap_or(0);
    let x = MatRef::from_column_major_slice(x, n, columns);
    let y = MatMut::from_column_major_slice_mut(y, n, columns);
    multiply_into(y, Accum::Replace, a, x);
}

/// `V·Vᵀ`.
pub(crate) fn symmetric_square(result: MatMut<'_, f64>, v: MatRef<'_, f64>) {
    add_lower_product(result, Accum::Replace, v, v.transpose());
}

/// `l·r`, if that is symmetric; on one thread up to 512 rows.
pub(crate) fn symmetric_product(result: MatMut<'_, f64>, l: MatRef<'_, f64>, r: MatRef<'_, f64>) {
    add_lower_product(result, Accum::Replace, l, r);
}

/// Up to this size, blocks of rows would be as large as half of the matrix.
const MOST_ROWS_AT_ONCE: usize = 512;

/// The number of columns whose part below the diagonal is one product: wider strips compute more that is not needed.
const STRIP: usize = 16;

/// Computes the product `l·r`, which must be symmetric, from its lower triangle.
fn add_lower_product(mut result: MatMut<'_, f64>, accum: Accum, l: MatRef<'_, f64>, r: MatRef<'_, f64>) {
    let n = result.nrows();
    if n > MOST_ROWS_AT_ONCE {
        let rows = |first, mut block: MatMut<'_, f64>| {
            let columns = first + block.nrows();
            let (l, r) = (l.subrows(first, block.nrows()), r.subcols(0, columns));
            kernels::multiply(block.rb_mut().subcols_mut(0, columns), accum, l, r);
        };
        for_blocks_of_rows(result.rb_mut(), 0, &rows);
    } else {
        for first in (0..n).step_by(STRIP) {
            let columns = STRIP.min(n - first);
            let strip = result.rb_mut().submatrix_mut(first, first, n - first, columns);
            kernels::multiply(strip, accum, l.subrows(first, n - first), r.subcols(first, columns));
        }
    }
    mirror_lower(result);
}

fn mirror_lower(mut a: MatMut<'_, f64>) {
    for first in (0..a.ncols()).step_by(STRIP) {
        let end = (first + STRIP).min(a.ncols());
        let (_, above, before, mut corner) = a.rb_mut().split_at_mut(first, first);
        above.subcols_mut(0, end - first).copy_from(before.subrows(0, end - first).transpose());
        for j in 1..end - first {
            for i in 0..j {
                corner[(i, j)] = corner[(j, i)];
            }
        }
    }
}
