//! A⁻¹ of an A that is updated, without a product of its own for each update: an LU decomposition now and then, and since then
//! the roots of `I + K` that A was multiplied by, each of low rank.
//!
//! `A_m = A_0·(I + K_1)^½ ⋯ (I + K_m)^½`, so that `A_m⁻¹·x = (I + K_m)^−½ ⋯ (I + K_1)^−½·(A_0⁻¹·x)`: exact, and O(n·r) for each
//! update. Knows neither C nor what A is multiplied by.

use std::fmt;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::{Accum, Mat, MatMut, MatRef};

use crate::kernels;
use crate::product::multiply_into;

/// Vectors that are solved for at once.
const AT_ONCE: usize = 2;

/// A decomposition of A as it was, and what has become of it since.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Inverse {
    #[cfg_attr(feature = "serde", serde(with = "super::stored::square"))]
    lu: Mat<f64>,
    /// Rows of A, in the order of those of L·U, and the other way round.
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
    small: Vec<f64>,
}

/// Workspace is made anew.
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
    /// Room for a decomposition.
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
        inverse.work.prepare(n);
        inverse
    }

    /// Makes room for so many updates with `r` columns.
    pub(super) fn prepare(&mut self, updates: usize, r: usize) {
        let missing = |wanted: usize, length: usize| wanted.saturating_sub(length);
        self.v.reserve_exact(missing(updates * r * self.lu.nrows(), self.v.len()));
        self.m.reserve_exact(missing(updates * r * r, self.m.len()));
        self.columns.reserve_exact(missing(updates, self.columns.len()));
        self.work.small.resize(2 * AT_ONCE * r, 0.0);
    }

    /// The inverse of A.
    pub(super) fn decompose(&mut self, a: MatRef<'_, f64>) {
        self.lu.copy_from(a);
        self.v.clear();
        self.m.clear();
        self.columns.clear();
        let stack = self.work.prepare(a.nrows());
        kernels::decompose_lu(self.lu.as_mut(), &mut self.forward, &mut self.backward, stack);
    }

    /// Follows `A ← A·(I + V·G·Vᵀ)^½`, with `M` as in [`columns`](Self::columns).
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
        let n = self.lu.nrows();
        for x in x.chunks_mut((AT_ONCE * n).max(1)) {
            self.solve_lu(x, false);
            let (mut v, mut m) = (&self.v[..], &self.m[..]);
            for &r in &self.columns {
                let m_of_link = MatRef::from_column_major_slice(&m[..r * r], r, r);
                add_of_low_rank(&v[..n * r], m_of_link, x, n, &mut self.work.small);
                (v, m) = (&v[n * r..], &m[r * r..]);
            }
        }
    }

    /// `x ← A⁻ᵀ·x`.
    pub(super) fn solve_transposed(&mut self, x: &mut [f64]) {
        let n = self.lu.nrows();
        let (mut v, mut m) = (&self.v[..], &self.m[..]);
        for &r in self.columns.iter().rev() {
            let (v_before, v_of_link) = v.split_at(v.len() - n * r);
            let (m_before, m_of_link) = m.split_at(m.len() - r * r);
            let m_of_link = MatRef::from_column_major_slice(m_of_link, r, r);
            add_of_low_rank(v_of_link, m_of_link, x, n, &mut self.work.small);
            (v, m) = (v_before, m_before);
        }
        self.solve_lu(x, true);
    }

    fn solve_lu(&mut self, x: &mut [f64], transposed: bool) {
        let n = self.lu.nrows();
        let count = x.len().checked_div(n).unwrap_or(0);
        let perm = PermRef::new_checked(&self.forward, &self.backward, n);
        let x = MatMut::from_column_major_slice_mut(x, n, count);
        kernels::solve_lu(self.lu.as_ref(), perm, x, transposed, self.work.prepare(n));
    }

    /// Whether stored parts fit together.
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

impl Work {
    fn prepare(&mut self, n: usize) -> &mut MemStack {
        MemStack::new(self.stack.get_or_insert_with(|| MemBuffer::new(kernels::lu_scratch(n, AT_ONCE))))
    }
}

/// `X ← X + V·(M·(Vᵀ·X))`.
pub(super) fn add_of_low_rank(v: &[f64], m: MatRef<'_, f64>, x: &mut [f64], n: usize, small: &mut Vec<f64>) {
    let (r, count) = (m.nrows(), x.len() / n.max(1));
    small.resize(small.len().max(2 * r * count), 0.0);
    let (projected, rest) = small.split_at_mut(r * count);
    let v = MatRef::from_column_major_slice(v, n, r);
    let mut x = MatMut::from_column_major_slice_mut(x, n, count);
    let mut projected = MatMut::from_column_major_slice_mut(projected, r, count);
    let mut product = MatMut::from_column_major_slice_mut(&mut rest[..r * count], r, count);
    multiply_into(projected.as_mut(), Accum::Replace, v.transpose(), x.as_ref());
    multiply_into(product.as_mut(), Accum::Replace, m, projected.as_ref());
    multiply_into(x.as_mut(), Accum::Add, v, product.as_ref());
}
