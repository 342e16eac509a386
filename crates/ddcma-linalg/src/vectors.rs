//! Products of a matrix with one or two vectors, and triangular systems for them.
//!
//! For so little work, a general product would spend most of its time on choosing a method. Here a matrix is read once, four
//! columns at a time, and both vectors stay in the nearest cache. Everything runs inside [`pulp`]'s dispatch, with all
//! vector instructions of the processor; the compiler clears the registers at the end.

#[cfg(feature = "rayon")]
pub(crate) mod pool;

use faer::Mat;
use pulp::{Arch, Simd, WithSimd};

/// Columns that are read together.
const WIDTH: usize = 4;

/// Runs a computation with the processor's vector instructions.
pub(crate) fn with_vectors<W: WithSimd>(work: W) -> W::Output {
    Arch::new().dispatch(work)
}

/// Columns of the same length, one by one.
pub(crate) trait Columns<'a>: Copy {
    fn column(self, j: usize) -> &'a [f64];
}

/// Columns without gaps between them.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a> {
    pub(crate) entries: &'a [f64],
    pub(crate) rows: usize,
}

impl<'a> Columns<'a> for Packed<'a> {
    #[inline(always)]
    fn column(self, j: usize) -> &'a [f64] {
        &self.entries[j * self.rows..][..self.rows]
    }
}

impl<'a> Columns<'a> for &'a Mat<f64> {
    #[inline(always)]
    fn column(self, j: usize) -> &'a [f64] {
        self.col_as_slice(j)
    }
}

/// Some rows of the columns from a given one on.
#[cfg(feature = "rayon")]
#[derive(Clone, Copy)]
struct Part<A> {
    of: A,
    row: usize,
    rows: usize,
    column: usize,
}

#[cfg(feature = "rayon")]
impl<'a, A: Columns<'a>> Columns<'a> for Part<A> {
    #[inline(always)]
    fn column(self, j: usize) -> &'a [f64] {
        &self.of.column(self.column + j)[self.row..][..self.rows]
    }
}

/// `‖x‖²`, by independent sums that the processor can compute in parallel.
pub(crate) fn squared_length(x: &[f64]) -> f64 {
    struct SquaredLength<'a>(&'a [f64]);

    impl WithSimd for SquaredLength<'_> {
        type Output = f64;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f64 {
            let (head, tail) = S::as_simd_f64s(self.0);
            let (blocks, rest) = pulp::as_arrays::<8, _>(head);
            let mut sums = [simd.splat_f64s(0.0); 8];
            for block in blocks {
                for k in 0..8 {
                    sums[k] = simd.mul_add_e_f64s(block[k], block[k], sums[k]);
                }
            }
            for (sum, x) in sums.iter_mut().zip(rest) {
                *sum = simd.mul_add_e_f64s(*x, *x, *sum);
            }
            let mut total = 0.0;
            for sum in sums {
                total += simd.reduce_sum_f64s(sum);
            }
            for x in tail {
                total += x * x;
            }
            total
        }
    }

    with_vectors(SquaredLength(x))
}

/// `y ← y + A·x`, with equally long columns of A.
pub(crate) fn add_columns(a: &[Vec<f64>], x: &[f64], y: &mut [f64]) {
    struct Add<'a>(&'a [Vec<f64>], &'a [f64], &'a mut [f64]);

    impl WithSimd for Add<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            add_product(simd, self.0, [self.1], &mut [self.2]);
        }
    }

    with_vectors(Add(a, x, y));
}

/// `y ← A·x`.
pub(crate) fn multiply_vector(a: &Mat<f64>, x: &[f64], y: &mut [f64]) {
    struct Multiply<'a>(&'a Mat<f64>, &'a [f64], &'a mut [f64]);

    impl WithSimd for Multiply<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            self.2.fill(0.0);
            add_product(simd, self.0, [self.1], &mut [self.2]);
        }
    }

    with_vectors(Multiply(a, x, y));
}

/// `y ← Aᵀ·x`, for each x.
pub(crate) fn multiply_vectors_transposed<'a, const C: usize>(a: impl Columns<'a>, x: [&[f64]; C], y: [&mut [f64]; C]) {
    struct Project<'x, A, const C: usize>(A, [&'x [f64]; C], [&'x mut [f64]; C]);

    impl<'a, A: Columns<'a>, const C: usize> WithSimd for Project<'_, A, C> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(mut self, simd: S) {
            project(simd, self.0, self.1, &mut self.2);
        }
    }

    with_vectors(Project(a, x, y));
}

impl<'a> Columns<'a> for &'a [Vec<f64>] {
    #[inline(always)]
    fn column(self, j: usize) -> &'a [f64] {
        &self[j]
    }
}

/// `y ← Aᵀ·x`, for each x.
#[inline(always)]
pub(crate) fn project<'a, S: Simd, const C: usize>(
    simd: S,
    a: impl Columns<'a>,
    x: [&[f64]; C],
    y: &mut [&mut [f64]; C],
) {
    let count = y[0].len();
    let whole = count - count % WIDTH;
    for j in (0..whole).step_by(WIDTH) {
        let sums = dots::<S, C, WIDTH>(simd, columns(a, j), x);
        for (y, sums) in y.iter_mut().zip(sums) {
            y[j..j + WIDTH].copy_from_slice(&sums);
        }
    }
    for j in whole..count {
        let sums = dots::<S, C, 1>(simd, [a.column(j)], x);
        y.iter_mut().zip(sums).for_each(|(y, [sum])| y[j] = sum);
    }
}

/// `x ← x + A·y`, for each x.
#[inline(always)]
pub(crate) fn add_product<'a, S: Simd, const C: usize>(
    simd: S,
    a: impl Columns<'a>,
    y: [&[f64]; C],
    x: &mut [&mut [f64]; C],
) {
    let count = y[0].len();
    let whole = count - count % WIDTH;
    for j in (0..whole).step_by(WIDTH) {
        let factors = y.map(|y| std::array::from_fn(|k| y[j + k]));
        add_some::<S, C, WIDTH>(simd, columns(a, j), factors, x.each_mut().map(|x| &mut **x));
    }
    for j in whole..count {
        add_some::<S, C, 1>(simd, [a.column(j)], y.map(|y| [y[j]]), x.each_mut().map(|x| &mut **x));
    }
}

/// `x ← x − A·y` for each x, by blocks of columns that start where `order` says.
#[cfg(feature = "rayon")]
#[inline(always)]
fn subtract_product<'a, S: Simd, const C: usize>(
    simd: S,
    a: impl Columns<'a>,
    y: [&[f64]; C],
    x: &mut [&mut [f64]; C],
    order: impl Iterator<Item = usize>,
) {
    for j in order {
        let factors = y.map(|y| block(y, j).map(|y| -y));
        add_some::<S, C, WIDTH>(simd, columns(a, j), factors, x.each_mut().map(|x| &mut **x));
    }
}

/// `x ← L⁻¹·x` for each x, with the lower triangle of a square matrix; its diagonal is taken as ones.
#[inline(always)]
pub(crate) fn solve_lower<'a, S: Simd, const C: usize>(simd: S, l: impl Columns<'a>, x: &mut [&mut [f64]; C]) {
    let n = x[0].len();
    let whole = n - n % WIDTH;
    for j in (0..whole).step_by(WIDTH) {
        let columns = columns(l, j);
        let end = j + WIDTH;
        let mut factors = [[0.0; WIDTH]; C];
        for c in 0..C {
            let mut block = block(x[c], j);
            for k in 0..WIDTH {
                for i in k + 1..WIDTH {
                    block[i] -= columns[k][j + i] * block[k];
                }
            }
            x[c][j..end].copy_from_slice(&block);
            factors[c] = block.map(|x| -x);
        }
        add_some::<S, C, WIDTH>(simd, columns.map(|l| &l[end..]), factors, x.each_mut().map(|x| &mut x[end..]));
    }
    for x in x {
        for k in whole..n {
            let pivot = x[k];
            x[k + 1..].iter_mut().zip(&l.column(k)[k + 1..]).for_each(|(x, l)| *x -= l * pivot);
        }
    }
}

/// `x ← U⁻¹·x` for each x, with the upper triangle of a square matrix.
#[inline(always)]
pub(crate) fn solve_upper<'a, S: Simd, const C: usize>(simd: S, u: impl Columns<'a>, x: &mut [&mut [f64]; C]) {
    let n = x[0].len();
    let first = n % WIDTH;
    for j in (first..n).step_by(WIDTH).rev() {
        let columns = columns(u, j);
        let inverse = inverse_diagonal(columns, j);
        let mut factors = [[0.0; WIDTH]; C];
        for c in 0..C {
            let mut block = block(x[c], j);
            for k in (0..WIDTH).rev() {
                block[k] *= inverse[k];
                for i in 0..k {
                    block[i] -= columns[k][j + i] * block[k];
                }
            }
            x[c][j..j + WIDTH].copy_from_slice(&block);
            factors[c] = block.map(|x| -x);
        }
        add_some::<S, C, WIDTH>(simd, columns.map(|u| &u[..j]), factors, x.each_mut().map(|x| &mut x[..j]));
    }
    for x in x {
        for k in (0..first).rev() {
            let column = u.column(k);
            let pivot = x[k] / column[k];
            x[k] = pivot;
            x[..k].iter_mut().zip(column).for_each(|(x, u)| *x -= u * pivot);
        }
    }
}

/// `x ← U⁻ᵀ·x` for each x, with the upper triangle of a square matrix.
#[inline(always)]
pub(crate) fn solve_upper_transposed<'a, S: Simd, const C: usize>(
    simd: S,
    u: impl Columns<'a>,
    x: &mut [&mut [f64]; C],
) {
    let n = x[0].len();
    let first = n % WIDTH;
    for x in &mut *x {
        for k in 0..first {
            let column = u.column(k);
            let sum: f64 = x[..k].iter().zip(column).map(|(x, u)| x * u).sum();
            x[k] = (x[k] - sum) / column[k];
        }
    }
    for j in (first..n).step_by(WIDTH) {
        let columns = columns(u, j);
        let inverse = inverse_diagonal(columns, j);
        let sums = dots::<S, C, WIDTH>(simd, columns.map(|u| &u[..j]), x.each_ref().map(|x| &x[..j]));
        for c in 0..C {
            let mut block = block(x[c], j);
            for k in 0..WIDTH {
                block[k] -= sums[c][k];
                for i in 0..k {
                    block[k] -= columns[k][j + i] * block[i];
                }
                block[k] *= inverse[k];
            }
            x[c][j..j + WIDTH].copy_from_slice(&block);
        }
    }
}

/// `x ← L⁻ᵀ·x` for each x, with the lower triangle of a square matrix; its diagonal is taken as ones.
#[inline(always)]
pub(crate) fn solve_lower_transposed<'a, S: Simd, const C: usize>(
    simd: S,
    l: impl Columns<'a>,
    x: &mut [&mut [f64]; C],
) {
    let n = x[0].len();
    let whole = n - n % WIDTH;
    for x in &mut *x {
        for k in (whole..n).rev() {
            x[k] -= x[k + 1..].iter().zip(&l.column(k)[k + 1..]).map(|(x, l)| x * l).sum::<f64>();
        }
    }
    for j in (0..whole).step_by(WIDTH).rev() {
        let (columns, end) = (columns(l, j), j + WIDTH);
        let sums = dots::<S, C, WIDTH>(simd, columns.map(|l| &l[end..]), x.each_ref().map(|x| &x[end..]));
        for c in 0..C {
            let mut block = block(x[c], j);
            for k in (0..WIDTH).rev() {
                block[k] -= sums[c][k];
                for i in k + 1..WIDTH {
                    block[k] -= columns[k][j + i] * block[i];
                }
            }
            x[c][j..end].copy_from_slice(&block);
        }
    }
}

/// The columns of a block.
#[inline(always)]
fn columns<'a>(a: impl Columns<'a>, j: usize) -> [&'a [f64]; WIDTH] {
    std::array::from_fn(|k| a.column(j + k))
}

/// The entries of a block.
#[inline(always)]
fn block(x: &[f64], j: usize) -> [f64; WIDTH] {
    std::array::from_fn(|k| x[j + k])
}

/// The reciprocals of the diagonal, to multiply instead of divide: they do not depend on the blocks before.
#[inline(always)]
fn inverse_diagonal(columns: [&[f64]; WIDTH], j: usize) -> [f64; WIDTH] {
    std::array::from_fn(|k| columns[k][j + k].recip())
}

// These two functions fill arrays by loops: closures passed to methods of arrays are compiled without the vector
// instructions.

/// The scalar products of each x with W columns.
#[inline(always)]
fn dots<S: Simd, const C: usize, const W: usize>(simd: S, a: [&[f64]; W], x: [&[f64]; C]) -> [[f64; W]; C] {
    let (mut a_head, mut a_tail) = ([&[][..]; W], [&[][..]; W]);
    let (mut x_head, mut x_tail) = ([&[][..]; C], [&[][..]; C]);
    let rows = x[0].len() / S::F64_LANES;
    for w in 0..W {
        let (head, tail) = S::as_simd_f64s(&a[w][..x[0].len()]);
        (a_head[w], a_tail[w]) = (&head[..rows], tail);
    }
    for c in 0..C {
        let (head, tail) = S::as_simd_f64s(x[c]);
        (x_head[c], x_tail[c]) = (&head[..rows], tail);
    }
    let mut sums = [[simd.splat_f64s(0.0); W]; C];
    for i in 0..rows {
        for w in 0..W {
            let a = a_head[w][i];
            for c in 0..C {
                sums[c][w] = simd.mul_add_e_f64s(a, x_head[c][i], sums[c][w]);
            }
        }
    }
    let mut totals = [[0.0; W]; C];
    for c in 0..C {
        for w in 0..W {
            totals[c][w] = simd.reduce_sum_f64s(sums[c][w]);
            for (a, x) in a_tail[w].iter().zip(x_tail[c]) {
                totals[c][w] += a * x;
            }
        }
    }
    totals
}

/// Adds W columns to each x, each times a factor.
///
/// The result for an entry does not depend on its position among the others, so rows can be spread over threads.
#[inline(always)]
fn add_some<S: Simd, const C: usize, const W: usize>(
    simd: S,
    a: [&[f64]; W],
    factors: [[f64; W]; C],
    x: [&mut [f64]; C],
) {
    let (mut a_head, mut a_tail) = ([&[][..]; W], [&[][..]; W]);
    let length = x[0].len();
    let rows = length / S::F64_LANES;
    for w in 0..W {
        let (head, tail) = S::as_simd_f64s(&a[w][..length]);
        (a_head[w], a_tail[w]) = (&head[..rows], tail);
    }
    let mut splat = [[simd.splat_f64s(0.0); W]; C];
    let (mut x_head, mut x_tail) = ([(); C].map(|()| &mut [][..]), [(); C].map(|()| &mut [][..]));
    for (c, x) in x.into_iter().enumerate() {
        let (head, tail) = S::as_mut_simd_f64s(x);
        (x_head[c], x_tail[c]) = (&mut head[..rows], tail);
        for w in 0..W {
            splat[c][w] = simd.splat_f64s(factors[c][w]);
        }
    }
    for i in 0..rows {
        let mut sums = [simd.splat_f64s(0.0); C];
        for c in 0..C {
            sums[c] = x_head[c][i];
        }
        for w in 0..W {
            let a = a_head[w][i];
            for c in 0..C {
                sums[c] = simd.mul_add_e_f64s(a, splat[c][w], sums[c]);
            }
        }
        for c in 0..C {
            x_head[c][i] = sums[c];
        }
    }
    if x_tail[0].is_empty() {
        return;
    }
    for c in 0..C {
        let mut sum = simd.partial_load_f64s(x_tail[c]);
        for w in 0..W {
            sum = simd.mul_add_e_f64s(simd.partial_load_f64s(a_tail[w]), splat[c][w], sum);
        }
        simd.partial_store_f64s(x_tail[c], sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: f64) -> Vec<f64> {
        (0..count).map(|k| ((k as f64 + 1.0) * 12.9898 + seed).sin()).collect()
    }

    fn near(one: &[f64], other: &[f64]) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-12)
    }

    /// All sizes around those of vectors and blocks, the tails included.
    #[test]
    fn products_are_those_of_the_definition() {
        for n in 0..40 {
            let a = Mat::from_fn(n, n, |i, j| ((3 * i + 7 * j + 1) as f64).sin());
            let (x, other) = (numbers(n, 0.3), numbers(n, 1.3));
            let times = |x: &[f64]| (0..n).map(|i| (0..n).map(|j| a[(i, j)] * x[j]).sum()).collect::<Vec<f64>>();
            let transposed = |x: &[f64]| (0..n).map(|j| (0..n).map(|i| a[(i, j)] * x[i]).sum()).collect::<Vec<f64>>();
            let (mut y, mut z) = (vec![1.0; n], vec![1.0; n]);
            multiply_vector(&a, &x, &mut y);
            assert!(near(&y, &times(&x)), "n = {n}");
            multiply_vectors_transposed(&a, [&x, &other], [&mut y, &mut z]);
            assert!(near(&y, &transposed(&x)) && near(&z, &transposed(&other)), "n = {n}");
            assert!((squared_length(&x) - x.iter().map(|x| x * x).sum::<f64>()).abs() < 1e-12);
        }
    }

    /// Each triangle of a matrix, and its transpose, undone.
    #[test]
    fn triangular_systems_are_solved() {
        struct Solve<'a>(&'a Mat<f64>, [&'a mut [f64]; 4]);

        impl WithSimd for Solve<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let Self(a, [lower, upper, lower_transposed, upper_transposed]) = self;
                solve_lower(simd, a, &mut [lower]);
                solve_upper(simd, a, &mut [upper]);
                solve_lower_transposed(simd, a, &mut [lower_transposed]);
                solve_upper_transposed(simd, a, &mut [upper_transposed]);
            }
        }

        for n in 0..40 {
            let entry = |i: usize, j: usize| if i == j { 3.0 } else { 0.1 * ((3 * i + 7 * j + 1) as f64).sin() };
            let (a, x) = (Mat::from_fn(n, n, entry), numbers(n, 0.7));
            let lower = |i: usize, j: usize| {
                if i == j {
                    1.0
                } else if i > j {
                    a[(i, j)]
                } else {
                    0.0
                }
            };
            let upper = |i: usize, j: usize| if i <= j { a[(i, j)] } else { 0.0 };
            let times = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect()
            };
            let mut sides = [times(&lower), times(&upper), times(&|i, j| lower(j, i)), times(&|i, j| upper(j, i))];
            with_vectors(Solve(&a, sides.each_mut().map(|side| &mut side[..])));
            assert!(sides.iter().all(|side| near(side, &x)), "n = {n}");
        }
    }
}
