//! LU decompositions with partial pivoting. Large ones are done by panels of columns; after each panel the remaining columns
//! are updated in blocks, on one thread or on many.
//!
//! The blocks are the same either way, so the numbers do not depend on the threads.

use faer::dyn_stack::MemStack;
use faer::prelude::*;
use faer::{MatMut, MatRef};

use crate::blocks::{LARGE, for_blocks_of_rows};
use crate::kernels;

/// The number of columns that one thread decomposes, with all of their rows.
const PANEL: usize = 64;

/// The workspace of large decompositions, allocated when it is first needed.
#[derive(Default)]
pub(crate) struct Work {
    /// The order of rows after a panel.
    order: Vec<usize>,
    moves: Vec<Move>,
}

/// A row that moves to another place.
struct Move {
    from: usize,
    to: usize,
}

/// Computes `A = P⁻¹·L·U` in place of A; the permutation as two lists.
pub(crate) fn decompose_lu(
    mut a: MatMut<'_, f64>,
    forward: &mut [usize],
    backward: &mut [usize],
    stack: &mut MemStack,
    work: &mut Work,
) {
    let n = a.nrows();
    if n * n < LARGE {
        return kernels::decompose_lu(a, forward, backward, stack);
    }
    let Work { order, moves } = work;
    order.resize(n, 0);
    forward.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    for first in (0..n).step_by(PANEL) {
        let left_over = a.rb_mut().subrows_mut(first, n - first);
        let (before, rest) = left_over.split_at_col_mut(first);
        let (mut panel, after) = rest.split_at_col_mut(PANEL.min(n - first));
        let order = &mut order[first..];
        kernels::decompose_lu(panel.rb_mut(), order, &mut backward[first..], stack);
        moves.clear();
        moves.extend(order.iter().enumerate().filter(|(to, from)| to != *from).map(|(to, &from)| Move { from, to }));
        permute(&mut forward[first..], moves);
        for_blocks_of_columns(before, &|columns| permute_rows(columns, moves));
        for_blocks_of_columns(after, &|columns| catch_up(columns, panel.rb(), moves));
    }
    forward.iter().enumerate().for_each(|(i, &row)| backward[row] = i);
}

/// Applies to columns what the decomposition of the previous panel did to its own columns.
fn catch_up(mut columns: MatMut<'_, f64>, panel: MatRef<'_, f64>, moves: &[Move]) {
    permute_rows(columns.rb_mut(), moves);
    let (lower, below) = panel.split_at_row(panel.ncols());
    let (mut upper, rest) = columns.split_at_row_mut(panel.ncols());
    kernels::solve_unit_lower(lower, upper.rb_mut());
    kernels::subtract_product(rest, below, upper.rb());
}

fn permute_rows(mut columns: MatMut<'_, f64>, moves: &[Move]) {
    for column in columns.rb_mut().col_iter_mut() {
        if let Some(column) = column.try_as_col_major_mut() {
            permute(column.as_slice_mut(), moves);
        }
    }
}

/// Makes all moves at once.
fn permute<T: Copy + Default>(entries: &mut [T], moves: &[Move]) {
    // Each step of a panel swaps two rows.
    let mut moved = [T::default(); 2 * PANEL];
    moved.iter_mut().zip(moves).for_each(|(moved, row)| *moved = entries[row.from]);
    moves.iter().zip(moved).for_each(|(row, moved)| entries[row.to] = moved);
}

fn for_blocks_of_columns<F: Fn(MatMut<'_, f64>) + Sync>(matrix: MatMut<'_, f64>, work: &F) {
    for_blocks_of_rows(matrix.transpose_mut(), 0, &|_, block| work(block.transpose_mut()));
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use faer::dyn_stack::MemBuffer;

    use super::*;

    fn decompose(a: &Mat<f64>) -> (Mat<f64>, Vec<usize>, Vec<usize>) {
        let n = a.nrows();
        let (mut lu, mut forward, mut backward) = (a.clone(), vec![0; n], vec![0; n]);
        let mut memory = MemBuffer::new(kernels::lu_scratch(n));
        let stack = MemStack::new(&mut memory);
        decompose_lu(lu.as_mut(), &mut forward, &mut backward, stack, &mut Work::default());
        (lu, forward, backward)
    }

    /// A matrix with its largest entries anywhere, so that many rows move.
    fn matrix(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| ((i * i + 31 * j * j + 7 * i * j) as f64).sin())
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        for n in [1, 100, 1023, 1024, 1100] {
            let a = matrix(n);
            let (lu, forward, backward) = decompose(&a);
            let lower = Mat::from_fn(n, n, |i, j| {
                if i == j {
                    1.0
                } else if i > j {
                    lu[(i, j)]
                } else {
                    0.0
                }
            });
            let upper = Mat::from_fn(n, n, |i, j| if i <= j { lu[(i, j)] } else { 0.0 });
            let product = &lower * &upper;
            let permuted = Mat::from_fn(n, n, |i, j| a[(forward[i], j)]);
            assert!((product - permuted).norm_max() < 1e-14 * n as f64, "n = {n}");
            assert!(forward.iter().enumerate().all(|(i, &row)| backward[row] == i), "n = {n}");
            assert!(lower.norm_max() <= 1.0, "the largest entry is the pivot, n = {n}");
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn threads_change_no_bit() {
        let a = matrix(1100);
        let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let one = on(1).install(|| decompose(&a));
        for threads in [2, 3] {
            assert!(on(threads).install(|| decompose(&a)) == one, "{threads} threads");
        }
    }
}
