//! Triangular systems and products for one or two vectors, with matrices large enough to spread over the threads of rayon's
//! pool.
//!
//! Each entry of a result goes through the same operations in the same order as on one thread, wherever the work is cut. So
//! the numbers do not depend on the threads.

use faer::Mat;
use pulp::{Simd, WithSimd};

use super::{Columns, Part, WIDTH, multiply_vectors_transposed, subtract_product, with_vectors};
use crate::blocks::LARGE;

/// The columns of a triangle that one thread solves for before all threads process the rest of these columns; whole blocks.
const PANEL: usize = 64;

/// The number of matrix entries that justify one more thread that is already awake: a few microseconds of work.
const PIECE: usize = 1 << 13;

/// Returns whether there are threads, and enough work for them in a matrix of this many entries.
pub(crate) fn is_worthwhile(entries: usize) -> bool {
    entries >= LARGE && rayon::current_num_threads() > 1
}

/// `x ← L⁻¹·x` for each x, as [`super::solve_lower`].
pub(crate) fn solve_lower<const C: usize>(l: &Mat<f64>, x: [&mut [f64]; C]) {
    let n = x[0].len();
    let mut rest = x;
    for column in (0..n).step_by(PANEL) {
        let end = (column + PANEL).min(n);
        let (panel, mut below) = split(rest, end - column);
        eliminate(Triangle::Lower, l, column, panel, end, reborrow(&mut below));
        rest = below;
    }
}

/// `x ← U⁻¹·x` for each x, as [`super::solve_upper`].
pub(crate) fn solve_upper<const C: usize>(u: &Mat<f64>, x: [&mut [f64]; C]) {
    let mut rest = x;
    while !rest[0].is_empty() {
        let column = rest[0].len().saturating_sub(PANEL);
        let (mut above, panel) = split(rest, column);
        eliminate(Triangle::Upper, u, column, panel, 0, reborrow(&mut above));
        rest = above;
    }
}

#[derive(Clone, Copy)]
enum Triangle {
    Lower,
    Upper,
}

/// Solves for the panel whose diagonal starts at `column`, and subtracts its contribution from the remaining rows, which
/// start at `row`.
fn eliminate<const C: usize>(
    triangle: Triangle,
    a: &Mat<f64>,
    column: usize,
    mut panel: [&mut [f64]; C],
    row: usize,
    rest: [&mut [f64]; C],
) {
    let columns = panel[0].len();
    let a_of = |row, rows| Part { of: a, row, rows, column };
    with_vectors(Solve { triangle, a: a_of(column, columns), x: reborrow(&mut panel) });
    if rest[0].is_empty() {
        return; // the last panel, the only one that may end within a block
    }
    let solved = panel.each_ref().map(|x| &**x);
    let pieces = pieces(columns * rest[0].len());
    in_pieces(rest, row, pieces, &|row, x| {
        with_vectors(Subtract { triangle, a: a_of(row, x[0].len()), solved, x });
    });
}

/// A triangular system on the diagonal.
struct Solve<'a, const C: usize> {
    triangle: Triangle,
    a: Part<&'a Mat<f64>>,
    x: [&'a mut [f64]; C],
}

impl<const C: usize> WithSimd for Solve<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        match self.triangle {
            Triangle::Lower => super::solve_lower(simd, self.a, &mut self.x),
            Triangle::Upper => super::solve_upper(simd, self.a, &mut self.x),
        }
    }
}

/// `x ← x − A·solved`, in the order in which the whole triangle is solved on one thread.
struct Subtract<'a, const C: usize> {
    triangle: Triangle,
    a: Part<&'a Mat<f64>>,
    solved: [&'a [f64]; C],
    x: [&'a mut [f64]; C],
}

impl<const C: usize> WithSimd for Subtract<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let blocks = (0..self.solved[0].len()).step_by(WIDTH);
        match self.triangle {
            Triangle::Lower => subtract_product(simd, self.a, self.solved, &mut self.x, blocks),
            Triangle::Upper => subtract_product(simd, self.a, self.solved, &mut self.x, blocks.rev()),
        }
    }
}

/// `y ← Aᵀ·x`, for each x.
pub(crate) fn project<'a, const C: usize>(a: impl Columns<'a> + Sync, x: [&[f64]; C], y: [&mut [f64]; C]) {
    let rows = x[0].len();
    let pieces = pieces(rows * y[0].len());
    in_pieces(y, 0, pieces, &|column, y| {
        multiply_vectors_transposed(Part { of: a, row: 0, rows, column }, x, y);
    });
}

/// `x ← x + A·y`, for each x.
pub(crate) fn add_product<'a, const C: usize>(a: impl Columns<'a> + Sync, y: [&[f64]; C], x: [&mut [f64]; C]) {
    struct Add<'x, A, const C: usize>(Part<A>, [&'x [f64]; C], [&'x mut [f64]; C]);

    impl<'a, A: Columns<'a>, const C: usize> WithSimd for Add<'_, A, C> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(mut self, simd: S) {
            super::add_product(simd, self.0, self.1, &mut self.2);
        }
    }

    let pieces = pieces(x[0].len() * y[0].len());
    in_pieces(x, 0, pieces, &|row, x| {
        with_vectors(Add(Part { of: a, row, rows: x[0].len(), column: 0 }, y, x));
    });
}

/// Returns the number of pieces for work on this many entries of a matrix.
fn pieces(entries: usize) -> usize {
    (entries / PIECE).clamp(1, rayon::current_num_threads())
}

/// Calls `work` with every piece and the index of its first row.
fn in_pieces<const C: usize, F>(x: [&mut [f64]; C], first: usize, pieces: usize, work: &F)
where
    F: Fn(usize, [&mut [f64]; C]) + Sync,
{
    if pieces <= 1 {
        return work(first, x);
    }
    let (length, before) = (x[0].len(), pieces / 2);
    let middle = length * before / pieces / WIDTH * WIDTH;
    let (upper, lower) = split(x, middle);
    rayon::join(|| in_pieces(upper, first, before, work), || in_pieces(lower, first + middle, pieces - before, work));
}

/// All vectors, cut in two.
fn split<const C: usize>(x: [&mut [f64]; C], middle: usize) -> ([&mut [f64]; C], [&mut [f64]; C]) {
    let [mut upper, mut lower] = [(); 2].map(|()| [(); C].map(|()| Default::default()));
    for (c, x) in x.into_iter().enumerate() {
        (upper[c], lower[c]) = x.split_at_mut(middle);
    }
    (upper, lower)
}

fn reborrow<'a, const C: usize>(x: &'a mut [&mut [f64]; C]) -> [&'a mut [f64]; C] {
    x.each_mut().map(|x| &mut **x)
}

#[cfg(test)]
mod tests {
    use super::super::{Packed, project as project_on_one};
    use super::*;

    /// All at once: two triangles and a product of low rank, on one thread.
    struct OnOne<'a>(&'a Mat<f64>, Packed<'a>, [&'a mut [f64]; 2], [&'a mut [f64]; 2]);

    impl WithSimd for OnOne<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let Self(a, v, mut x, mut y) = self;
            super::super::solve_lower(simd, a, &mut x);
            super::super::solve_upper(simd, a, &mut x);
            project_on_one(simd, v, x.each_ref().map(|x| &**x), &mut y);
            super::super::add_product(simd, v, y.each_ref().map(|y| &**y), &mut x);
        }
    }

    /// Sizes that are not multiples of any block size, so that there are tails everywhere.
    #[test]
    fn threads_change_no_bit() {
        for (n, r) in [(1, 1), (63, 5), (517, 30), (1031, 27)] {
            let a =
                Mat::from_fn(n, n, |i, j| if i == j { 9.0 } else { 0.1 * ((3 * i * i + 7 * j + i * j) as f64).sin() });
            let numbers = |count: usize| (0..count).map(|k| (k as f64 * 12.9898).sin()).collect::<Vec<f64>>();
            let entries = numbers(n * r);
            let v = Packed { entries: &entries, rows: n };
            let (mut x, mut y) = (numbers(2 * n), vec![0.0; 2 * r]);
            with_vectors(OnOne(&a, v, x.split_at_mut(n).into(), y.split_at_mut(r).into()));
            assert!(x.iter().all(|x| x.is_finite()));
            for threads in [1, 2, 3, 8] {
                let (mut other, mut product) = (numbers(2 * n), vec![0.0; 2 * r]);
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    solve_lower(&a, other.split_at_mut(n).into());
                    solve_upper(&a, other.split_at_mut(n).into());
                    project(v, other.split_at(n).into(), product.split_at_mut(r).into());
                    add_product(v, product.split_at(r).into(), other.split_at_mut(n).into());
                });
                assert!(other == x && product == y, "{threads} threads, n = {n}");
            }
        }
    }
}
