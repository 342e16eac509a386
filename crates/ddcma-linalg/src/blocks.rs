//! Large products, cut into blocks of rows, on one thread or on many.
//!
//! The blocks are the same either way, and each is one product, so the numbers do not depend on the threads.

use faer::MatMut;

/// From this many multiplications on, a product is done in blocks: it takes about half a millisecond, long enough to be worth waking
/// threads.
pub(crate) const LARGE: usize = 1 << 20;

/// The rows of a block.
const ROWS: usize = 128;

/// Calls `work` with every block and the index of its first row, on the threads of rayon's pool with the feature `rayon`.
pub(crate) fn for_blocks_of_rows<F>(matrix: MatMut<'_, f64>, first: usize, work: &F)
where
    F: Fn(usize, MatMut<'_, f64>) + Sync,
{
    #[cfg(feature = "rayon")]
    on_the_pool(matrix, first, work);
    #[cfg(not(feature = "rayon"))]
    one_by_one(matrix, first, work);
}

#[cfg(any(test, not(feature = "rayon")))]
fn one_by_one<F: Fn(usize, MatMut<'_, f64>)>(matrix: MatMut<'_, f64>, first: usize, work: &F) {
    if matrix.nrows() <= ROWS {
        return work(first, matrix);
    }
    let middle = middle(matrix.nrows());
    let (upper, lower) = matrix.split_at_row_mut(middle);
    one_by_one(upper, first, work);
    one_by_one(lower, first + middle, work);
}

#[cfg(feature = "rayon")]
fn on_the_pool<F: Fn(usize, MatMut<'_, f64>) + Sync>(matrix: MatMut<'_, f64>, first: usize, work: &F) {
    if matrix.nrows() <= ROWS {
        return work(first, matrix);
    }
    let middle = middle(matrix.nrows());
    let (upper, lower) = matrix.split_at_row_mut(middle);
    rayon::join(|| on_the_pool(upper, first, work), || on_the_pool(lower, first + middle, work));
}

/// Returns the middle, cut where a block begins.
fn middle(rows: usize) -> usize {
    rows.div_ceil(ROWS).div_ceil(2) * ROWS
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use faer::Mat;

    use super::*;

    #[test]
    fn blocks_are_whole_and_cover_every_row_once() {
        for rows in [1, 127, 128, 129, 256, 300, 1000, 5120] {
            let mut matrix = Mat::zeros(rows, 1);
            let blocks = Mutex::new(Vec::new());
            one_by_one(matrix.as_mut(), 0, &|first, block| {
                blocks.lock().unwrap().push((first, block.nrows()));
            });
            let expected: Vec<_> = (0..rows).step_by(ROWS).map(|first| (first, ROWS.min(rows - first))).collect();
            assert_eq!(blocks.into_inner().unwrap(), expected);
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn the_pool_does_the_same_blocks() {
        let fill = |first: usize, mut block: MatMut<'_, f64>| {
            for i in 0..block.nrows() {
                for j in 0..block.ncols() {
                    block[(i, j)] = ((first * 31 + i * 7 + j) as f64).sin() + block.nrows() as f64;
                }
            }
        };
        for rows in [1, 128, 129, 300, 1000] {
            let (mut one, mut many) = (Mat::zeros(rows, 3), Mat::zeros(rows, 3));
            one_by_one(one.as_mut(), 0, &fill);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            pool.install(|| on_the_pool(many.as_mut(), 0, &fill));
            assert_eq!(one, many);
        }
    }
}
