//! The inverse of an A that is updated, without a matrix product per update: an LU decomposition from time to time, and
//! since then the roots of `I + K` that A was multiplied by, each of low rank.
//!
//! `A_m = A_0·(I + K_1)^½ ⋯ (I + K_m)^½`, so `A_m⁻¹·x = (I + K_m)^−½ ⋯ (I + K_1)^−½·(A_0⁻¹·x)`: exact, and O(n·r) per
//! update.

use std::fmt;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::{Mat, MatRef};
use pulp::{Simd, WithSimd};

use crate::kernels;
use crate::lu::{self, decompose_lu};
#[cfg(feature = "rayon")]
use crate::vectors::pool;
use crate::vectors::{
    Columns, Packed, add_product, project, solve_lower, solve_lower_transposed, solve_upper, solve_upper_transposed,
    with_vectors,
};

/// The number of vectors solved for at once.
const AT_ONCE: usize = 2;

/// A decomposition of an earlier A, and the updates since.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Inverse {
    #[cfg_attr(feature = "serde", serde(with = "super::stored::square"))]
    lu: Mat<f64>,
    /// The rows of A in the order of L·U, and the inverse permutation.
    forward: Vec<usize>,
    backward: Vec<usize>,
    /// `(I + K)^−½ = I + V·M·Vᵀ`, up to a factor: the columns of all V, the entries of all M, and the number of columns of each.
    v: Vec<f64>,
    m: Vec<f64>,
    columns: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(skip))]
    work: Work,
}

#[derive(Default)]
struct Work {
    stack: Option<MemBuffer>,
    lu: lu::Work,
    small: Vec<f64>,
    permuted: Vec<f64>,
}

/// A clone gets new workspace.
impl Clone for Work {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

impl Inverse {
    /// Allocates room for a decomposition.
    pub(super) fn new(n: usize) -> Self {
        let mut inverse = Self {
            lu: Mat::zeros(n, n),
            forward: vec![0; n],
            backward: vec![0; n],
            v: Vec::new(),
            m: Vec::new(),
            columns: Vec::new(),
            work: Work::default(),
        };
        inverse.work.stack = Some(room_for_lu(n));
        inverse.work.permuted.reserve_exact(AT_ONCE * n);
        inverse
    }

    /// Allocates room for this many updates with `r` columns.
    pub(super) fn prepare(&mut self, updates: usize, r: usize) {
        let missing = |wanted: usize, length: usize| wanted.saturating_sub(length);
        self.v.reserve_exact(missing(updates * r * self.lu.nrows(), self.v.len()));
        self.m.reserve_exact(missing(updates * r * r, self.m.len()));
        self.columns.reserve_exact(missing(updates, self.columns.len()));
        self.work.small.resize(2 * AT_ONCE * r, 0.0);
    }

    /// Decomposes A, which replaces everything before.
    pub(super) fn decompose(&mut self, a: MatRef<'_, f64>) {
        self.lu.copy_from(a);
        self.v.clear();
        self.m.clear();
        self.columns.clear();
        let Work { stack, lu, .. } = &mut self.work;
        let stack = MemStack::new(stack.get_or_insert_with(|| room_for_lu(a.nrows())));
        decompose_lu(self.lu.as_mut(), &mut self.forward, &mut self.backward, stack, lu);
    }

    /// Adds the update `A ← A·(I + V·G·Vᵀ)^½`, with `M` as in [`columns`](Self::columns).
    pub(super) fn follow(&mut self, v: &[f64], m: &Mat<f64>) {
        self.v.extend_from_slice(v);
        for column in 0..m.ncols() {
            self.m.extend_from_slice(m.col_as_slice(column));
        }
        self.columns.push(m.ncols());
    }

    /// The number of updates since the decomposition.
    pub(super) fn updates(&self) -> usize {
        self.columns.len()
    }

    /// `x ← A⁻¹·x`, for every column.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let n = self.lu.nrows().max(1);
        for x in x.chunks_mut(AT_ONCE * n) {
            self.work.permuted.resize(x.len(), 0.0);
            for (permuted, x) in self.work.permuted.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
                permuted.iter_mut().zip(&self.forward).for_each(|(permuted, &i)| *permuted = x[i]);
            }
            x.copy_from_slice(&self.work.permuted);
            #[cfg(feature = "rayon")]
            if pool::is_worthwhile(n * n) {
                match two(x, n) {
                    Some(x) => rayon::scope(|_| self.solve_on_pool(x)),
                    None => rayon::scope(|_| self.solve_on_pool([x])),
                }
                continue;
            }
            match two(x, n) {
                Some(x) => with_vectors(Solve { inverse: self, x }),
                None => with_vectors(Solve { inverse: self, x: [x] }),
            }
        }
    }

    /// The same as [`Solve`], bit for bit.
    #[cfg(feature = "rayon")]
    fn solve_on_pool<const C: usize>(&mut self, mut x: [&mut [f64]; C]) {
        let Self { lu, v, m, columns, work, .. } = self;
        pool::solve_lower(lu, x.each_mut().map(|x| &mut **x));
        pool::solve_upper(lu, x.each_mut().map(|x| &mut **x));
        let (n, mut v, mut m) = (lu.nrows(), &v[..], &m[..]);
        for &r in &*columns {
            let (v_of_link, v_after) = v.split_at(n * r);
            let (m_of_link, m_after) = m.split_at(r * r);
            let link = Link { v: v_of_link, m: Packed { entries: m_of_link, rows: r }, r };
            link.apply_on_pool(x.each_mut().map(|x| &mut **x), &mut work.small);
            (v, m) = (v_after, m_after);
        }
    }

    /// `x ← A⁻ᵀ·x`.
    pub(super) fn solve_transposed(&mut self, x: &mut [f64]) {
        with_vectors(SolveTransposed { inverse: self, x });
        self.work.permuted.clear();
        self.work.permuted.extend(self.backward.iter().map(|&i| x[i]));
        x.copy_from_slice(&self.work.permuted);
    }

    /// Returns whether stored parts fit together.
    #[cfg(feature = "serde")]
    pub(super) fn fits(&self, n: usize) -> bool {
        let Self { lu, forward, backward, v, m, columns, .. } = self;
        let is_permutation = forward.len() == n
            && backward.len() == n
            && forward.iter().enumerate().all(|(i, &k)| backward.get(k).is_some_and(|back| *back == i));
        let squares = columns.iter().try_fold(0usize, |sum, r| r.checked_mul(*r)?.checked_add(sum));
        let entries = columns.iter().try_fold(0usize, |sum, r| r.checked_mul(n)?.checked_add(sum));
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let is_lu = lu.nrows() == n && lu.is_all_finite() && (0..n).all(|i| lu[(i, i)] != 0.0);
        let links_fit = Some(m.len()) == squares && Some(v.len()) == entries && columns.iter().all(|r| *r < n.max(1));
        is_permutation && is_lu && links_fit && finite(v) && finite(m)
    }
}

fn room_for_lu(n: usize) -> MemBuffer {
    MemBuffer::new(kernels::lu_scratch(n))
}

/// Two columns, if there are two.
fn two(x: &mut [f64], n: usize) -> Option<[&mut [f64]; 2]> {
    (x.len() == 2 * n).then(|| x.split_at_mut(n).into())
}

/// All of `x ← A⁻¹·x` except the order of rows.
struct Solve<'a, const C: usize> {
    inverse: &'a mut Inverse,
    x: [&'a mut [f64]; C],
}

impl<const C: usize> WithSimd for Solve<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { inverse: Inverse { lu, v, m, columns, work, .. }, mut x } = self;
        solve_lower(simd, &*lu, &mut x);
        solve_upper(simd, &*lu, &mut x);
        let (n, mut v, mut m) = (lu.nrows(), &v[..], &m[..]);
        for &r in &*columns {
            let (v_of_link, v_after) = v.split_at(n * r);
            let (m_of_link, m_after) = m.split_at(r * r);
            let link = Link { v: v_of_link, m: Packed { entries: m_of_link, rows: r }, r };
            link.apply(simd, &mut x, &mut work.small);
            (v, m) = (v_after, m_after);
        }
    }
}

/// All of `x ← A⁻ᵀ·x` except the order of rows.
struct SolveTransposed<'a> {
    inverse: &'a mut Inverse,
    x: &'a mut [f64],
}

impl WithSimd for SolveTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { inverse: Inverse { lu, v, m, columns, work, .. }, x } = self;
        let (n, mut v, mut m) = (lu.nrows(), &v[..], &m[..]);
        let mut x = [x];
        for &r in columns.iter().rev() {
            let (v_before, v_of_link) = v.split_at(v.len() - n * r);
            let (m_before, m_of_link) = m.split_at(m.len() - r * r);
            // M is symmetric
            let link = Link { v: v_of_link, m: Packed { entries: m_of_link, rows: r }, r };
            link.apply(simd, &mut x, &mut work.small);
            (v, m) = (v_before, m_before);
        }
        solve_upper_transposed(simd, &*lu, &mut x);
        solve_lower_transposed(simd, &*lu, &mut x);
    }
}

/// `I + V·M·Vᵀ`.
struct Link<'a, M> {
    v: &'a [f64],
    m: M,
    r: usize,
}

impl<'a, M: Columns<'a>> Link<'a, M> {
    /// `x ← x + V·(M·(Vᵀ·x))`, for each x.
    #[inline(always)]
    fn apply<S: Simd, const C: usize>(self, simd: S, x: &mut [&mut [f64]; C], small: &mut Vec<f64>) {
        let Self { v, m, r } = self;
        let v = Packed { entries: v, rows: x[0].len() };
        let [mut projected, mut product] = split_small(small, r);
        project(simd, v, x.each_ref().map(|x| &**x), &mut projected);
        add_product(simd, m, projected.each_ref().map(|p| &**p), &mut product);
        add_product(simd, v, product.each_ref().map(|p| &**p), x);
    }
}

#[cfg(feature = "rayon")]
impl Link<'_, Packed<'_>> {
    /// The same as [`apply`](Self::apply), bit for bit.
    fn apply_on_pool<const C: usize>(self, x: [&mut [f64]; C], small: &mut Vec<f64>) {
        let Self { v, m, r } = self;
        let v = Packed { entries: v, rows: x[0].len() };
        let [mut projected, mut product] = split_small(small, r);
        pool::project(v, x.each_ref().map(|x| &**x), projected.each_mut().map(|p| &mut **p));
        pool::add_product(m, projected.each_ref().map(|p| &**p), product.each_mut().map(|p| &mut **p));
        pool::add_product(v, product.each_ref().map(|p| &**p), x);
    }
}

/// Room for Vᵀ·x and M·Vᵀ·x, for each x, all zeros.
#[inline(always)]
fn split_small<const C: usize>(small: &mut Vec<f64>, r: usize) -> [[&mut [f64]; C]; 2] {
    small.clear();
    small.resize(2 * C * r, 0.0);
    let mut parts = small.chunks_exact_mut(r.max(1));
    [(); 2].map(|()| [(); C].map(|()| parts.next().unwrap_or_default()))
}

/// `x ← x + V·(M·(Vᵀ·x))`.
pub(super) fn add_of_low_rank(v: &[f64], m: &Mat<f64>, x: &mut [f64], small: &mut Vec<f64>) {
    struct Add<'a> {
        link: Link<'a, &'a Mat<f64>>,
        x: &'a mut [f64],
        small: &'a mut Vec<f64>,
    }

    impl WithSimd for Add<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            self.link.apply(simd, &mut [self.x], self.small);
        }
    }

    with_vectors(Add { link: Link { v, m, r: m.ncols() }, x, small });
}
