//! A root of C that is maintained without eigendecompositions: A with A·Aᵀ = C, updated by low-rank terms, and its inverse.
//!
//! `C ↦ A·(I + α·K)·Aᵀ` with `K = V·G·Vᵀ − s·I` turns A into `A·(I + α·K)^½`. With few columns in V this is a correction of
//! low rank, `A ↦ √b·(A + (A·V)·M·Vᵀ)`; with many, K itself is the smaller matrix. Either way the root of `I + αK` comes
//! from a power series if K is small, which is the usual case, and otherwise from an eigendecomposition of K.

mod extremes;
mod inverse;
#[cfg(feature = "serde")]
mod stored;

use extremes::Extreme;
use faer::{Accum, Mat, MatRef};
use inverse::Inverse;

use crate::kernels;
use crate::product::{add_diagonal, add_weighted_gram, multiply_columns, multiply_into, symmetric_square};
use crate::root::{decompose_positive, inverse_quarter, quarter, symmetric_root};
use crate::series::{Kind, LARGEST_NORM, Polynomials, Series};
use crate::vectors::multiply_vectors_transposed;
use crate::{Eigh, EighError, RootError, frobenius, scale_columns, unscale_columns};

/// A root `A` of `C = A·Aᵀ`, its inverse, and the extreme eigenvalues of C, which are tracked by power iteration.
///
/// A starts as the identity and is the symmetric root after [`symmetrize`](Self::symmetrize). In between it slowly drifts
/// away from it by a rotation: `A = √C·Q`.
#[derive(Clone, Debug)]
pub struct UpdatedRoot {
    factors: Factors,
    work: Work,
}

/// The complete state of a root.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Factors {
    /// A = N⁻¹·`raw`, with a diagonal N: dividing C by a diagonal from both sides touches no matrix.
    #[cfg_attr(feature = "serde", serde(with = "stored::square"))]
    raw: Mat<f64>,
    inverse: Undo,
    rows: Vec<f64>,
    longest: Extreme,
    shortest: Extreme,
    /// The number of updates since the extremes were tracked, and the number after which they will be.
    updates: usize,
    period: usize,
    /// Whether A⁻¹ was used since the last update, and between the last two.
    asked: bool,
    was_asked: bool,
}

/// How A⁻¹ is represented.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Undo {
    /// In few dimensions: A⁻ᵀ = N·`raw_inverse`. Transposed, it is updated in the same way as A. It is no longer kept after an update
    /// before which A⁻¹ was not used, or after an update by a whole matrix that is not tiny.
    Kept(#[cfg_attr(feature = "serde", serde(with = "stored::square"))] Mat<f64>),
    /// By a decomposition of `raw` as it was some updates ago; `None` if A⁻¹ was not used since the last update.
    Solved(Option<Box<Inverse>>),
}

/// The K of an update `C ← A·(I + α·K)·Aᵀ`.
#[derive(Clone, Copy, Debug)]
pub enum Term<'a> {
    /// `K = Σ_i g_i·v_i·v_iᵀ − s·I`.
    Columns {
        /// The columns v_i.
        v: &'a [f64],
        /// The same columns multiplied by A.
        av: &'a [f64],
        /// One weight per column.
        g: &'a [f64],
        /// s.
        s: f64,
    },
    /// A symmetric matrix.
    Matrix(MatRef<'a, f64>),
}

/// An update that is computed but not applied yet: see [`UpdatedRoot::propose`].
#[derive(Debug)]
#[must_use = "nothing changes until it is accepted"]
pub struct Proposal {
    alpha: f64,
    way: Way,
    /// The state of the workspace that belongs to the update.
    uses: u64,
}

impl Proposal {
    /// Returns α, the factor by which K was scaled.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }
}

/// How the root of `I + α·K` was computed, which determines the content of the workspace.
#[derive(Debug)]
enum Way {
    /// As a correction of low rank: φ and ψ.
    LowRank,
    /// By a series in K: T, T⁻¹ and A·T.
    Series,
    /// By an eigendecomposition of K: the same.
    Eigen,
}

/// Workspace, allocated when it is first needed. Between calls it holds only what belongs to a [`Proposal`].
#[derive(Clone, Debug, Default)]
struct Work {
    small: Option<Box<Small>>,
    large: Option<Box<Large>>,
    /// Room for a decomposition.
    inverse: Option<Box<Inverse>>,
    weighted: Vec<f64>,
    vector: Vec<f64>,
    vectors: Vec<f64>,
    /// Counts the writes to this workspace: a [`Proposal`] is valid until the next one.
    uses: u64,
}

/// Matrices of the size of A.
#[derive(Clone, Debug)]
struct Large {
    k: Mat<f64>,
    t: Mat<f64>,
    t_inverse: Mat<f64>,
    product: Mat<f64>,
    series: Series,
    eigh: Eigh,
    /// A bound on the norm of K.
    bound: f64,
}

/// Matrices of the number of columns of V.
#[derive(Clone, Debug)]
struct Small {
    r: usize,
    gram: Mat<f64>,
    x: Mat<f64>,
    weights: Vec<f64>,
    phi: Mat<f64>,
    psi: Mat<f64>,
    series: Series,
    thin: Mat<f64>,
    thin_product: Mat<f64>,
}

/// Beyond this condition number, double precision cannot tell the smallest eigenvalue from zero.
const LARGEST_CONDITION: f64 = 1.0 / f64::EPSILON;
/// From this dimension on, A⁻¹ is not updated along with A: solving with A is cheaper.
const MANY_DIMENSIONS: usize = 60;
/// The same if K is a whole matrix.
const MANY_FOR_MATRICES: usize = 32;
/// The number of periods without a use of A⁻¹ after which the smallest eigenvalue is tracked nevertheless.
const PERIODS_UNUSED: usize = 4;
/// Eigenvalues in this range leave room for another update.
const RANGE: std::ops::RangeInclusive<f64> = 1e-250..=1e250;

/// Entries of N in this range need no balancing.
const ROWS: std::ops::RangeInclusive<f64> = 1e-30..=1e30;
/// From this ‖I − A⁻¹·A‖ on, Newton's iteration would take long.
const FARTHEST: f64 = 0.5;
/// Below this ‖I − A⁻¹·A‖, its square is negligible.
const NEAR: f64 = 1e-7;

/// (1 + t)^½
static ROOT: Polynomials = Polynomials::power(0.5);
/// (1 + t)^−½
static INVERSE_ROOT: Polynomials = Polynomials::power(-0.5);
/// ((1 + t)^−½ − 1)/t
static INVERSE_ROOT_CORRECTION: Polynomials = Polynomials::shifted_power(-0.5);

impl Factors {
    /// Returns whether A⁻¹ is updated by whole matrices, too.
    fn keeps_by_matrices(&self) -> bool {
        matches!(self.inverse, Undo::Kept(_)) && self.rows.len() < MANY_FOR_MATRICES
    }

    /// Stops maintaining A⁻¹.
    fn solve_from_now_on(&mut self) {
        if matches!(self.inverse, Undo::Kept(_)) {
            self.inverse = Undo::Solved(None);
        }
    }
}

impl UpdatedRoot {
    /// Creates the root of the `n × n` identity.
    pub fn identity(n: usize) -> Self {
        let extreme = Extreme::of_identity(n);
        let few = n < MANY_DIMENSIONS;
        let factors = Factors {
            raw: Mat::identity(n, n),
            inverse: if few { Undo::Kept(Mat::identity(n, n)) } else { Undo::Solved(None) },
            rows: vec![1.0; n],
            longest: extreme.clone(),
            shortest: extreme,
            updates: 0,
            period: 1,
            asked: false,
            was_asked: false,
        };
        Self { factors, work: Work::default() }
    }

    /// Computes the symmetric root of a symmetric matrix, of which only the lower triangle is read.
    ///
    /// # Panics
    /// Panics if the matrix is not square.
    pub fn of(c: MatRef<'_, f64>) -> Result<Self, RootError> {
        assert_eq!(c.nrows(), c.ncols(), "the matrix must be square");
        let mut root = Self::identity(c.nrows());
        let mut large = root.take_large();
        large.k.copy_from(c);
        root.take_symmetric_root(&mut large)?;
        root.work.large = Some(large);
        Ok(root)
    }

    fn n(&self) -> usize {
        self.factors.raw.nrows()
    }

    /// Returns the size of the matrix.
    pub fn dimension(&self) -> usize {
        self.n()
    }

    /// Computes `y = A·z` for every column of `z`.
    ///
    /// # Panics
    /// Panics if the slices do not have the same number of whole columns.
    pub fn apply(&self, z: &[f64], y: &mut [f64]) {
        multiply_columns(self.factors.raw.as_ref(), z, y);
        unscale_columns(&self.factors.rows, y);
    }

    /// Computes `z = A⁻¹·y` for every column of `y`.
    ///
    /// # Panics
    /// Panics if the slices do not have the same number of whole columns.
    pub fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        let n = self.factors.rows.len().max(1);
        assert!(y.len() == z.len() && y.len().is_multiple_of(n), "y and z must hold the same number of whole columns");
        if let Undo::Kept(raw_inverse) = &self.factors.inverse {
            self.work.vectors.clear();
            self.work.vectors.extend_from_slice(y);
            scale_columns(&self.factors.rows, &mut self.work.vectors);
            self.factors.asked = true;
            let y = &self.work.vectors[..];
            return match y.len() / n {
                1 => multiply_vectors_transposed(raw_inverse, [y], [z]),
                2 => multiply_vectors_transposed(raw_inverse, y.split_at(n).into(), z.split_at_mut(n).into()),
                _ => multiply_columns(raw_inverse.as_ref().transpose(), y, z),
            };
        }
        z.copy_from_slice(y);
        scale_columns(&self.factors.rows, z);
        self.factors.asked = true;
        if let Some(inverse) = self.solved() {
            inverse.solve(z);
        }
    }

    /// Returns the inverse of `raw`, which is decomposed now if necessary; `None` if A⁻¹ is maintained.
    fn solved(&mut self) -> Option<&mut Inverse> {
        let n = self.n();
        let Undo::Solved(inverse) = &mut self.factors.inverse else { return None };
        if inverse.is_none() {
            let mut room = self.work.inverse.take().unwrap_or_else(|| Box::new(Inverse::new(n)));
            room.decompose(self.factors.raw.as_ref());
            *inverse = Some(room);
        }
        inverse.as_deref_mut()
    }

    /// Called when A has changed: it will be decomposed when its inverse is used.
    fn forget_decomposition(&mut self) {
        if let Undo::Solved(inverse) = &mut self.factors.inverse
            && let Some(inverse) = inverse.take()
        {
            self.work.inverse = Some(inverse);
        }
    }

    /// The number of updates with `r` columns until A is decomposed again: by then, the links added since the last decomposition cost as
    /// much as a new one.
    fn longest_chain(n: usize, r: usize) -> usize {
        (3 * n / (2 * r.max(1))).max(1)
    }

    /// Updates C: `C ← A·(I + α·K)·Aᵀ`, with `α = min(limit/|d_n(K)|, 1)` where `d_n` is the smallest eigenvalue. Returns α.
    ///
    /// This is [`propose`](Self::propose) followed by [`accept`](Self::accept). After an error, nothing is changed.
    ///
    /// # Panics
    /// Panics if K has another size.
    pub fn update(&mut self, k: Term<'_>, limit: f64) -> Result<f64, RootError> {
        let proposal = self.propose(k, limit)?;
        let alpha = proposal.alpha();
        self.accept(proposal, k, None);
        Ok(alpha)
    }

    /// Computes the update `C ← A·(I + α·K)·Aᵀ`, with `α = min(limit/|d_n(K)|, 1)` where `d_n` is the smallest eigenvalue,
    /// without applying it.
    ///
    /// Everything that can fail fails here: the error says if C, or its update, is too ill-conditioned for an inverse in
    /// double precision.
    ///
    /// # Panics
    /// Panics if K has another size.
    pub fn propose(&mut self, k: Term<'_>, limit: f64) -> Result<Proposal, RootError> {
        let n = self.n();
        self.check_condition()?;
        let mut large = match k {
            Term::Columns { v, av, g, s } => {
                let r = g.len();
                assert_eq!((v.len(), av.len()), (n * r, n * r), "there must be one column per weight");
                if r < n && self.root_of_low_rank(v, g, s, limit) {
                    return Ok(self.proposal(1.0, Way::LowRank));
                }
                let mut large = self.take_large();
                large.k.fill(0.0);
                self.work.weighted.resize(n * r, 0.0);
                add_weighted_gram(large.k.as_mut(), v, g, &mut self.work.weighted);
                add_diagonal(large.k.as_mut(), -s);
                large
            }
            Term::Matrix(k) => {
                let mut large = self.take_large();
                large.k.copy_from(k);
                large
            }
        };
        let with_inverse = self.factors.keeps_by_matrices();
        let root = large.root_of_large(limit, with_inverse);
        if root.is_ok() {
            // A·T; T is symmetric
            multiply_into(large.product.as_mut(), Accum::Replace, self.factors.raw.as_ref(), large.t.as_ref());
        }
        self.work.large = Some(large);
        root.map(|(alpha, way)| self.proposal(alpha, way))
    }

    fn proposal(&mut self, alpha: f64, way: Way) -> Proposal {
        self.work.uses += 1;
        Proposal { alpha, way, uses: self.work.uses }
    }

    /// Panics if the workspace no longer holds the data of the proposal.
    fn assert_current(&self, proposal: &Proposal) {
        assert_eq!(proposal.uses, self.work.uses, "the proposal belongs to another root, or is out of date");
    }

    /// Beyond the largest condition, A and A⁻¹ drift apart with every update; beyond the range, their squares overflow.
    fn check_condition(&self) -> Result<(), RootError> {
        let (smallest, largest) = self.extremes();
        let is_good = largest / smallest <= LARGEST_CONDITION && RANGE.contains(&smallest) && RANGE.contains(&largest);
        if is_good { Ok(()) } else { Err(RootError::IllConditioned { smallest, largest }) }
    }

    fn take_large(&mut self) -> Box<Large> {
        let n = self.n();
        self.work.large.take().unwrap_or_else(|| Box::new(Large::new(n)))
    }

    /// Computes φ and ψ with `(I + V·(G/b)·Vᵀ)^±½ = I + V·M·Vᵀ`, if K is so small that α = 1 and the series converges.
    fn root_of_low_rank(&mut self, v: &[f64], g: &[f64], s: f64, limit: f64) -> bool {
        let (n, r) = (self.n(), g.len());
        self.prepare_low_rank(r);
        let Some(small) = &mut self.work.small else { return false };
        let v = MatRef::from_column_major_slice(v, n, r);
        let b = 1.0 - s;

        // X = S·G/b with S = Vᵀ·V; tr X² is the squared Frobenius norm of V·G·Vᵀ/b.
        multiply_into(small.gram.as_mut(), Accum::Replace, v.transpose(), v);
        small.weights.clear();
        small.weights.extend(g.iter().map(|g| g / b));
        let mut trace = 0.0;
        for (j, weight) in small.weights.iter().enumerate() {
            let (gram, x) = (small.gram.col_as_slice(j), small.x.col_as_slice_mut(j));
            let mut column = 0.0;
            for ((x, gram), other) in x.iter_mut().zip(gram).zip(&small.weights) {
                *x = gram * weight;
                column += gram * gram * other;
            }
            trace += weight * column;
        }
        // Rounding may make a tiny trace negative; NaN fails the next check.
        let norm = if trace < 0.0 { 0.0 } else { trace.sqrt() };
        let fits = b > 0.0 && norm <= LARGEST_NORM && norm * b + s.abs() <= limit;
        if !fits {
            return false;
        }

        // M = (G/b)·φ(X)
        let Small { x, phi, psi, series, weights, .. } = &mut **small;
        let bound = series.take(x.as_ref(), norm, Kind::General);
        psi.copy_from(series.evaluate(bound, &INVERSE_ROOT_CORRECTION));
        phi.copy_from(&*psi);
        multiply_into(phi.as_mut(), Accum::Add, x.as_ref(), psi.as_ref());
        add_diagonal(phi.as_mut(), 1.0); // φ₊ = 1 + φ₋ + X·φ₋, for (1 + t)^½ = (1 + t)·(1 + t)^−½
        for m in [&mut *phi, &mut *psi] {
            for j in 0..r {
                m.col_as_slice_mut(j).iter_mut().zip(&*weights).for_each(|(m, weight)| *m *= weight);
            }
        }
        true
    }

    /// Applies the update that was proposed with this K. Cannot fail.
    ///
    /// A `carried` vector A⁻¹·y becomes that of the same y after the update, `(I + α·K)^−½·A⁻¹·y`: vectors that are tracked
    /// in this way need no inverse of A.
    ///
    /// # Panics
    /// Panics if the proposal belongs to another root or another kind of K. Also panics if, since then, another update was
    /// proposed, or the root was [polished](Self::polish), [symmetrized](Self::symmetrize) or
    /// [prepared](Self::prepare_low_rank).
    pub fn accept(&mut self, proposal: Proposal, k: Term<'_>, carried: Option<&mut [f64]>) {
        self.assert_current(&proposal);
        if let Some(carried) = carried {
            self.carry(&proposal, k, carried);
        }
        self.factors.updates += 1;
        self.factors.period = 1;
        self.factors.was_asked = std::mem::take(&mut self.factors.asked);
        match (proposal.way, k) {
            (Way::LowRank, Term::Columns { v, av, g, s }) => self.accept_low_rank(v, av, g.len(), s),
            (Way::LowRank, Term::Matrix(_)) => panic!("the update was proposed with columns, not with a matrix"),
            (Way::Series, _) => self.accept_large(false),
            (Way::Eigen, _) => self.accept_large(true),
        }
    }

    /// `x ← (I + α·K)^−½·x`.
    fn carry(&mut self, proposal: &Proposal, k: Term<'_>, x: &mut [f64]) {
        let n = self.n();
        let [sum, product] = [&mut self.work.vectors, &mut self.work.vector];
        sum.resize(sum.len().max(n), 0.0);
        product.resize(n, 0.0);
        if let (Way::LowRank, Term::Columns { v, s, .. }) = (&proposal.way, k) {
            let Some(small) = &mut self.work.small else { return };
            inverse::add_of_low_rank(v, &small.psi, x, sum);
            return x.iter_mut().for_each(|x| *x /= (1.0 - s).sqrt());
        }
        let Some(large) = &mut self.work.large else { return };
        match &proposal.way {
            Way::Series if !self.factors.keeps_by_matrices() => {
                Series::apply(&large.k, large.bound, &INVERSE_ROOT, x, &mut sum[..n], product);
            }
            _ => multiply_columns(large.t_inverse.as_ref(), x, &mut sum[..n]),
        }
        x.copy_from_slice(&sum[..n]);
    }

    fn accept_low_rank(&mut self, v: &[f64], av: &[f64], r: usize, s: f64) {
        let (n, b) = (self.n(), 1.0 - s);
        let columns = MatRef::from_column_major_slice(v, n, r);
        self.rank_r_of_a(av, r);
        if !self.factors.was_asked {
            self.factors.solve_from_now_on();
        }
        let Some(small) = &mut self.work.small else { return };
        let Small { psi, thin, thin_product, .. } = &mut **small;
        // A ← √b·(A + (A·V)·M·Vᵀ), the factor √b into N
        multiply_into(self.factors.raw.as_mut(), Accum::Add, thin.as_ref(), columns.transpose());
        match &mut self.factors.inverse {
            Undo::Kept(raw_inverse) => {
                // A⁻ᵀ ← (A⁻ᵀ + (A⁻ᵀ·V)·M₋·Vᵀ)/√b; M₋ is symmetric
                multiply_into(thin.as_mut(), Accum::Replace, raw_inverse.as_ref(), columns);
                multiply_into(thin_product.as_mut(), Accum::Replace, thin.as_ref(), psi.as_ref());
                multiply_into(raw_inverse.as_mut(), Accum::Add, thin_product.as_ref(), columns.transpose());
            }
            Undo::Solved(inverse) => {
                let longest = Self::longest_chain(n, r);
                self.factors.period = longest;
                match inverse {
                    Some(inverse) if self.factors.was_asked && inverse.updates() + 1 < longest => {
                        inverse.follow(v, psi);
                    }
                    _ => self.forget_decomposition(),
                }
            }
        }
        self.factors.rows.iter_mut().for_each(|row| *row /= b.sqrt());
        self.balance_rows();
    }

    /// `N·(A·V)·M` into the workspace.
    fn rank_r_of_a(&mut self, av: &[f64], r: usize) {
        let av = MatRef::from_column_major_slice(av, self.n(), r);
        let Some(small) = &mut self.work.small else { return };
        let Small { phi, thin, .. } = &mut **small;
        multiply_into(thin.as_mut(), Accum::Replace, av, phi.as_ref());
        for j in 0..r {
            thin.col_as_slice_mut(j).iter_mut().zip(&self.factors.rows).for_each(|(entry, row)| *entry *= row);
        }
    }

    fn accept_large(&mut self, by_eigendecomposition: bool) {
        let mut large = self.take_large();
        let Large { t_inverse, product, .. } = &mut *large;
        // A ← A·T, and A⁻ᵀ ← A⁻ᵀ·T⁻¹
        std::mem::swap(&mut self.factors.raw, product);
        if !by_eigendecomposition && !self.factors.keeps_by_matrices() {
            self.factors.solve_from_now_on();
        }
        match &mut self.factors.inverse {
            Undo::Kept(raw_inverse) => {
                multiply_into(product.as_mut(), Accum::Replace, raw_inverse.as_ref(), t_inverse.as_ref());
                std::mem::swap(raw_inverse, product);
                if by_eigendecomposition {
                    self.polish_in(&mut large);
                }
            }
            Undo::Solved(_) => {
                self.factors.period = 2; // the same period as while A⁻¹ is maintained
                self.forget_decomposition();
            }
        }
        self.work.large = Some(large);
    }

    /// Computes `√diag C` as it will be after the update that was proposed with this K.
    ///
    /// # Panics
    /// Panics like [`accept`](Self::accept).
    pub fn proposed_deviations(&mut self, proposal: &Proposal, k: Term<'_>, deviations: &mut [f64]) {
        self.assert_current(proposal);
        let mut large = self.take_large();
        let root_b = match (&proposal.way, k) {
            (Way::LowRank, Term::Columns { v, av, g, s }) => {
                self.rank_r_of_a(av, g.len());
                large.product.copy_from(&self.factors.raw);
                let v = MatRef::from_column_major_slice(v, self.n(), g.len());
                if let Some(small) = &self.work.small {
                    multiply_into(large.product.as_mut(), Accum::Add, small.thin.as_ref(), v.transpose());
                }
                (1.0 - s).sqrt()
            }
            _ => 1.0,
        };
        row_lengths(&large.product, self.factors.rows.iter().map(|row| row / root_b), deviations);
        self.work.large = Some(large);
    }

    /// Corrects A⁻¹, if it is maintained, by Newton's iteration `A⁻¹ ← (2·I − A⁻¹·A)·A⁻¹`, usually in one step.
    ///
    /// Each update that is not small magnifies the rounding error between A and its inverse; a step squares the error. An
    /// update whose K is not small includes such a step. After many other updates, the caller should call this method. If
    /// the error is so large that the iteration would hardly converge, A is inverted from scratch.
    pub fn polish(&mut self) {
        self.work.uses += 1;
        let mut large = self.take_large();
        self.polish_in(&mut large);
        self.work.large = Some(large);
    }

    fn polish_in(&mut self, large: &mut Large) {
        let Undo::Kept(raw_inverse) = &mut self.factors.inverse else { return self.forget_decomposition() };
        let Large { t, product, .. } = large;
        let mut last = 2.0 * FARTHEST;
        loop {
            // transposed: A⁻ᵀ ← A⁻ᵀ + A⁻ᵀ·(I − Aᵀ·A⁻ᵀ)
            multiply_into(t.as_mut(), Accum::Replace, self.factors.raw.as_ref().transpose(), raw_inverse.as_ref());
            for j in 0..t.ncols() {
                t.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry = -*entry);
                t[(j, j)] += 1.0;
            }
            let error = frobenius(t.as_ref());
            let converges = error < FARTHEST; // false with NaN
            if !converges {
                return self.invert();
            }
            if error > 0.5 * last {
                return; // only rounding errors are left
            }
            product.copy_from(&*raw_inverse);
            multiply_into(product.as_mut(), Accum::Add, raw_inverse.as_ref(), t.as_ref());
            std::mem::swap(raw_inverse, product);
            if error < NEAR {
                return;
            }
            last = error;
        }
    }

    /// Computes A⁻¹ from A alone; keeps the old one if A has no inverse in double precision.
    fn invert(&mut self) {
        let inverse = kernels::invert(self.a().as_ref());
        if inverse.is_all_finite() {
            let rows = &self.factors.rows;
            self.factors.inverse = Undo::Kept(Mat::from_fn(rows.len(), rows.len(), |i, j| inverse[(j, i)] / rows[i]));
        }
    }

    /// Computes `√diag C`, the lengths of A's rows.
    pub fn deviations(&self, deviations: &mut [f64]) {
        row_lengths(&self.factors.raw, self.factors.rows.iter().copied(), deviations);
    }

    /// Divides C from both sides, `C ← D⁻¹·C·D⁻¹`, usually in O(n).
    ///
    /// # Panics
    /// Panics if `d` does not have one entry per row of C.
    pub fn divide(&mut self, d: &[f64]) {
        assert_eq!(d.len(), self.factors.rows.len(), "there must be one divisor per row");
        self.factors.rows.iter_mut().zip(d).for_each(|(row, d)| *row *= d);
        self.balance_rows();
    }

    /// N and `raw` may drift apart without limit while A stays the same. Long before one of them overflows, N hands powers
    /// of two over to the matrices, which does not change A and its inverse at all.
    fn balance_rows(&mut self) {
        if self.factors.rows.iter().all(|row| ROWS.contains(row)) {
            return;
        }
        let powers = &mut self.work.vector;
        powers.clear();
        powers.extend(self.factors.rows.iter().map(|row| 2f64.powi(row.log2().round() as i32)));
        self.factors.rows.iter_mut().zip(&*powers).for_each(|(row, power)| *row /= power);
        for j in 0..powers.len() {
            self.factors.raw.col_as_slice_mut(j).iter_mut().zip(&*powers).for_each(|(entry, power)| *entry /= power);
            if let Undo::Kept(raw_inverse) = &mut self.factors.inverse {
                raw_inverse.col_as_slice_mut(j).iter_mut().zip(&*powers).for_each(|(entry, power)| *entry *= power);
            }
        }
        self.forget_decomposition();
    }

    /// Divides C evenly: `C ← C/d²`. With a power of two nothing is rounded.
    pub fn divide_evenly(&mut self, d: f64) {
        for j in 0..self.n() {
            self.factors.raw.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry /= d);
            if let Undo::Kept(raw_inverse) = &mut self.factors.inverse {
                raw_inverse.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry *= d);
            }
        }
        self.forget_decomposition();
        self.factors.longest.value /= d * d;
        self.factors.shortest.value /= d * d;
    }

    /// Allocates workspace for updates with `r` columns, so that none is allocated later.
    pub fn prepare_low_rank(&mut self, r: usize) {
        if self.work.small.as_ref().is_none_or(|small| small.r != r) {
            self.work.uses += 1;
            self.work.small = Some(Box::new(Small::new(self.n(), r)));
            self.work.weighted.resize(self.n() * r, 0.0); // for a K that is not small
            self.work.vector.resize(self.n(), 0.0);
            self.work.vectors.resize(self.n().max(2 * r), 0.0);
        }
        let n = self.factors.rows.len();
        let room = match &mut self.factors.inverse {
            Undo::Solved(Some(inverse)) => Some(inverse),
            _ => self.work.inverse.as_mut(),
        };
        if let Some(inverse) = room {
            inverse.prepare(Self::longest_chain(n, r), r);
        }
    }

    /// Allocates workspace for updates by whole matrices, for [`polish`](Self::polish) and [`symmetrize`](Self::symmetrize),
    /// so that none is allocated later.
    pub fn prepare(&mut self) {
        self.work.vector.resize(self.n(), 0.0);
        self.work.vectors.resize(self.n(), 0.0);
        let mut large = self.take_large();
        large.series.prepare();
        self.work.large = Some(large);
        if !matches!(self.factors.inverse, Undo::Solved(Some(_))) && self.work.inverse.is_none() {
            self.work.inverse = Some(Box::new(Inverse::new(self.n())));
        }
    }

    /// Makes A the symmetric root of C again, by an eigendecomposition, which also gives the exact extremes.
    ///
    /// After an error, nothing is changed.
    pub fn symmetrize(&mut self) -> Result<(), RootError> {
        self.work.uses += 1;
        let mut large = self.take_large();
        let symmetrized = self.symmetrize_in(&mut large);
        self.work.large = Some(large);
        symmetrized
    }

    fn symmetrize_in(&mut self, large: &mut Large) -> Result<(), RootError> {
        let Large { k: c, product, .. } = &mut *large;
        for j in 0..self.n() {
            let column = product.col_as_slice_mut(j);
            let entries = self.factors.raw.col_as_slice(j).iter().zip(&self.factors.rows);
            column.iter_mut().zip(entries).for_each(|(a, (raw, row))| *a = raw / row);
        }
        symmetric_square(c.as_mut(), product.as_ref()); // C = A·Aᵀ
        self.take_symmetric_root(large)
    }

    /// Becomes the symmetric root of the matrix in the workspace.
    fn take_symmetric_root(&mut self, large: &mut Large) -> Result<(), RootError> {
        let Large { k: c, product, eigh, .. } = large;
        let Factors { raw, inverse, rows, longest, shortest, updates, .. } = &mut self.factors;
        decompose_positive(eigh, c.as_ref())?;
        symmetric_root(eigh, quarter, product, raw);
        if let Undo::Kept(raw_inverse) = inverse {
            symmetric_root(eigh, inverse_quarter, product, raw_inverse);
        }
        rows.fill(1.0);
        *updates = 0;
        for (extreme, i) in [(shortest, 0), (longest, rows.len().saturating_sub(1))] {
            if let Some(&value) = eigh.values().get(i) {
                extreme.value = value;
                let entries = eigh.vectors().col(i);
                extreme.vector.iter_mut().zip(entries.iter()).for_each(|(axis, e)| *axis = value.sqrt() * e);
            }
        }
        self.forget_decomposition();
        Ok(())
    }

    /// Returns `C = A·Aᵀ`, computed on demand.
    pub fn c(&self) -> Mat<f64> {
        let mut c = Mat::zeros(self.n(), self.n());
        symmetric_square(c.as_mut(), self.a().as_ref());
        c
    }

    /// Returns A, computed on demand.
    pub fn a(&self) -> Mat<f64> {
        Mat::from_fn(self.n(), self.n(), |i, j| self.factors.raw[(i, j)] / self.factors.rows[i])
    }

    /// Returns A⁻¹, computed on demand.
    pub fn inverse(&self) -> Mat<f64> {
        let n = self.n();
        let (mut root, unit) = (self.clone(), Mat::<f64>::identity(n, n));
        let mut inverse = Mat::zeros(n, n);
        for j in 0..n {
            root.whiten(unit.col_as_slice(j), inverse.col_as_slice_mut(j));
        }
        inverse
    }
}

impl Large {
    fn new(n: usize) -> Self {
        let zeros = || Mat::zeros(n, n);
        Self {
            k: zeros(),
            t: zeros(),
            t_inverse: zeros(),
            product: zeros(),
            series: Series::new(n),
            eigh: Eigh::new(n),
            bound: 0.0,
        }
    }
}

impl Large {
    /// Computes `T = (I + α·K)^½` of the K in the workspace, by a series if K is small; also its inverse, if it is wanted or
    /// comes for free. Returns α and the method.
    fn root_of_large(&mut self, limit: f64, with_inverse: bool) -> Result<(f64, Way), RootError> {
        let Self { k, t, t_inverse, product, series, eigh, .. } = self;
        let norm = frobenius(k.as_ref());
        if !norm.is_finite() {
            return Err(not_finite(k.as_ref()));
        }
        let bound = series.take(k.as_ref(), norm, Kind::Symmetric);
        self.bound = bound;
        if bound <= limit.min(LARGEST_NORM) {
            if !with_inverse {
                t.copy_from(series.evaluate(bound, &ROOT));
                return Ok((1.0, Way::Series));
            }
            // (I + K)^½ = (I + K)·(I + K)^−½
            t_inverse.copy_from(series.evaluate(bound, &INVERSE_ROOT));
            t.copy_from(&*t_inverse);
            multiply_into(t.as_mut(), Accum::Add, k.as_ref(), t_inverse.as_ref());
            return Ok((1.0, Way::Series));
        }
        eigh.decompose(k.as_ref())?;
        let (smallest, largest) = eigh.extremes();
        let alpha = (limit / smallest.abs()).min(1.0);
        if 1.0 + alpha * smallest <= 0.0 {
            return Err(RootError::NotPositiveDefinite { smallest: 1.0 + alpha * smallest });
        }
        let (smallest, largest) = (1.0 + alpha * smallest, 1.0 + alpha * largest);
        if largest / smallest > LARGEST_CONDITION {
            return Err(RootError::IllConditioned { smallest, largest });
        }
        for (power, target) in [(0.25, t), (-0.25, t_inverse)] {
            for (j, value) in eigh.values().iter().enumerate() {
                let factor = (1.0 + alpha * value).powf(power);
                let scaled = product.col_as_slice_mut(j);
                scaled.iter_mut().zip(eigh.vectors().col(j).iter()).for_each(|(s, e)| *s = factor * e);
            }
            symmetric_square(target.as_mut(), product.as_ref());
        }
        Ok((alpha, Way::Eigen))
    }
}

/// Computes the lengths of a matrix's rows, each divided by a number.
fn row_lengths(matrix: &Mat<f64>, divisors: impl Iterator<Item = f64>, lengths: &mut [f64]) {
    lengths.fill(0.0);
    for j in 0..matrix.ncols() {
        lengths.iter_mut().zip(matrix.col_as_slice(j)).for_each(|(sum, a)| *sum += a * a);
    }
    lengths.iter_mut().zip(divisors).for_each(|(sum, divisor)| *sum = sum.sqrt() / divisor);
}

impl Small {
    fn new(n: usize, r: usize) -> Self {
        let mut series = Series::new(r);
        series.prepare();
        Self {
            r,
            gram: Mat::zeros(r, r),
            x: Mat::zeros(r, r),
            weights: Vec::with_capacity(r),
            phi: Mat::zeros(r, r),
            psi: Mat::zeros(r, r),
            series,
            thin: Mat::zeros(n, r),
            thin_product: Mat::zeros(n, r),
        }
    }
}

fn not_finite(k: MatRef<'_, f64>) -> RootError {
    for column in 0..k.ncols() {
        for row in 0..k.nrows() {
            let value = k[(row, column)];
            if !value.is_finite() {
                return EighError::NotFinite { row, column, value }.into();
            }
        }
    }
    // Every entry is finite, but their squares overflow.
    EighError::NotConverged { n: k.nrows() }.into()
}
