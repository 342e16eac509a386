//! A root of C that follows C without eigendecompositions: A with A·Aᵀ = C, and A⁻¹, updated by low-rank terms.
//!
//! `C ↦ A·(I + α·K)·Aᵀ` with `K = V·G·Vᵀ − s·I` turns A into `A·(I + α·K)^½`. With few columns in V this is a correction
//! of low rank, `A ↦ √b·(A + (A·V)·M·Vᵀ)`; with many, K itself is the smaller matrix. Either way the root of `I + αK`
//! comes from a power series, for K is small in the usual case; where it is not, from an eigendecomposition of K.
//!
//! Knows matrices. Does not know what the columns of V are samples of.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Accum, Mat, MatRef};

use crate::product::{add_diagonal, add_weighted_gram, multiply_columns, multiply_into, symmetric_square};
use crate::series::{LARGEST_NORM, Series, binomials, shifted_binomials};
use crate::{Eigh, EighError, RootError, SymmetricRoot, frobenius, scale_columns, unscale_columns};

/// `A`, its inverse, and the extreme eigenvalues of `C = A·Aᵀ`, followed by power iteration.
///
/// A starts as the identity and is the symmetric root after [`symmetrise`](Self::symmetrise); in between it turns away
/// from it slowly, by a rotation: `A = √C·Q`.
#[derive(Clone, Debug)]
pub struct UpdatedRoot {
    /// A = N⁻¹·`raw`, with a diagonal N: dividing C by a diagonal from both sides touches no matrix.
    raw: Mat<f64>,
    /// A⁻ᵀ = N·`raw_inverse`: transposed, it is updated in the same way as A.
    raw_inverse: Mat<f64>,
    rows: Vec<f64>,
    longest: Extreme,
    shortest: Extreme,
    /// Which extreme the next step of power iteration is for.
    longest_is_next: bool,
    work: Work,
}

/// An extreme eigenvalue with its vector.
#[derive(Clone, Debug)]
struct Extreme {
    value: f64,
    vector: Vec<f64>,
}

/// Workspace: it holds nothing from one call to the next, and is made when it is needed first.
#[derive(Clone, Debug, Default)]
struct Work {
    small: Option<Box<Small>>,
    large: Option<Box<Large>>,
    weighted: Vec<f64>,
    vector: Vec<f64>,
    vectors: Vec<f64>,
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

/// The condition number from which on double precision does not tell the smallest eigenvalue from zero.
const LARGEST_CONDITION: f64 = 1.0 / f64::EPSILON;
/// Squares whose digits are all there.
const SQUARES: std::ops::RangeInclusive<f64> = 1e-250..=1e250;
/// Eigenvalues that leave room for another update.
const RANGE: std::ops::RangeInclusive<f64> = 1e-250..=1e250;

/// ‖I − A⁻¹·A‖ from which on Newton's iteration would take long.
const FARTHEST: f64 = 0.5;
/// ‖I − A⁻¹·A‖ whose square is nothing.
const NEAR: f64 = 1e-7;

/// (1 + t)^−½
const INVERSE_ROOT: [f64; 64] = binomials(-0.5);
/// ((1 + t)^−½ − 1)/t
const INVERSE_ROOT_CORRECTION: [f64; 64] = shifted_binomials(-0.5);

impl UpdatedRoot {
    /// The root of the `n × n` identity.
    pub fn identity(n: usize) -> Self {
        let extreme = Extreme { value: 1.0, vector: start_vector(n) };
        Self {
            raw: Mat::identity(n, n),
            raw_inverse: Mat::identity(n, n),
            rows: vec![1.0; n],
            longest: extreme.clone(),
            shortest: extreme,
            longest_is_next: true,
            work: Work::default(),
        }
    }

    fn n(&self) -> usize {
        self.raw.nrows()
    }

    /// The size of the matrix.
    pub fn dimension(&self) -> usize {
        self.n()
    }

    /// `y = A·z`, for every column of `z`.
    ///
    /// # Panics
    /// If the slices are not equally many whole columns.
    pub fn apply(&self, z: &[f64], y: &mut [f64]) {
        multiply_columns(self.raw.as_ref(), z, y);
        unscale_columns(&self.rows, y);
    }

    /// `z = A⁻¹·y`, for every column of `y`.
    ///
    /// # Panics
    /// If the slices are not equally many whole columns.
    pub fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.work.vectors.clear();
        self.work.vectors.extend_from_slice(y);
        scale_columns(&self.rows, &mut self.work.vectors);
        multiply_columns(self.raw_inverse.as_ref().transpose(), &self.work.vectors, z);
    }

    /// `C ← A·(I + α·K)·Aᵀ` with `K = Σ_i g_i·v_i·v_iᵀ − s·I`, and `α = min(limit/|d_n(K)|, 1)` where `d_n` is the
    /// smallest eigenvalue. Returns α. `v` are whole columns, `av` the same columns multiplied by A.
    ///
    /// A root whose C, or whose update, is too ill-conditioned to have an inverse in double precision is not updated.
    /// On an error nothing is changed.
    ///
    /// # Panics
    /// If `v` and `av` are not one column for each number in `g`.
    pub fn update(&mut self, v: &[f64], av: &[f64], g: &[f64], s: f64, limit: f64) -> Result<f64, RootError> {
        let (n, r) = (self.n(), g.len());
        assert_eq!((v.len(), av.len()), (n * r, n * r), "one column for each weight");
        self.check_condition()?;
        if r < n && self.update_by_low_rank(v, av, g, s, limit) {
            return Ok(1.0);
        }
        let mut large = self.take_large();
        large.k.fill(0.0);
        self.work.weighted.resize(n * r, 0.0);
        add_weighted_gram(large.k.as_mut(), v, g, &mut self.work.weighted);
        add_diagonal(large.k.as_mut(), -s);
        let updated = self.update_by_large(&mut large, limit);
        self.work.large = Some(large);
        updated
    }

    /// `C ← A·(I + α·K)·Aᵀ` for a symmetric K, with `α = min(limit/|d_n(K)|, 1)`. Returns α.
    ///
    /// On an error nothing is changed.
    ///
    /// # Panics
    /// If K has another size.
    pub fn update_by_matrix(&mut self, k: MatRef<'_, f64>, limit: f64) -> Result<f64, RootError> {
        self.check_condition()?;
        let mut large = self.take_large();
        large.k.copy_from(k);
        let updated = self.update_by_large(&mut large, limit);
        self.work.large = Some(large);
        updated
    }

    /// Beyond the largest condition A and A⁻¹ part with every update, and beyond the range their squares are infinite.
    fn check_condition(&self) -> Result<(), RootError> {
        let (smallest, largest) = self.extremes();
        let is_good = largest / smallest <= LARGEST_CONDITION && RANGE.contains(&smallest) && RANGE.contains(&largest);
        if is_good { Ok(()) } else { Err(RootError::IllConditioned { smallest, largest }) }
    }

    fn take_large(&mut self) -> Box<Large> {
        let n = self.n();
        self.work.large.take().unwrap_or_else(|| Box::new(Large::new(n)))
    }

    fn update_by_large(&mut self, large: &mut Large, limit: f64) -> Result<f64, RootError> {
        let Large { k, t, t_inverse, product, series, eigh } = large;
        let norm = frobenius(k.as_ref());
        if !norm.is_finite() {
            return Err(not_finite(k.as_ref()));
        }
        let small = norm <= limit.min(LARGEST_NORM);
        let alpha = if small {
            // (I + K)^½ = (I + K)·(I + K)^−½
            t_inverse.copy_from(series.evaluate(k.as_ref(), norm, &INVERSE_ROOT));
            t.copy_from(&*t_inverse);
            multiply_into(t.as_mut(), Accum::Add, k.as_ref(), t_inverse.as_ref());
            1.0
        } else {
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
            for (power, target) in [(0.25, &mut *t), (-0.25, &mut *t_inverse)] {
                for (j, value) in eigh.values().iter().enumerate() {
                    let factor = (1.0 + alpha * value).powf(power);
                    let scaled = product.col_as_slice_mut(j);
                    scaled.iter_mut().zip(eigh.vectors().col(j).iter()).for_each(|(s, e)| *s = factor * e);
                }
                symmetric_square(target.as_mut(), product.as_ref());
            }
            alpha
        };
        // A ← A·T, and A⁻ᵀ ← A⁻ᵀ·T⁻¹, for T is symmetric
        multiply_into(product.as_mut(), Accum::Replace, self.raw.as_ref(), t.as_ref());
        std::mem::swap(&mut self.raw, product);
        multiply_into(product.as_mut(), Accum::Replace, self.raw_inverse.as_ref(), t_inverse.as_ref());
        std::mem::swap(&mut self.raw_inverse, product);
        if !small {
            self.polish_in(large);
        }
        Ok(alpha)
    }

    /// The update by a correction of low rank, if K is so small that α = 1 and the series converges.
    fn update_by_low_rank(&mut self, v: &[f64], av: &[f64], g: &[f64], s: f64, limit: f64) -> bool {
        let (n, r) = (self.n(), g.len());
        let small = match &mut self.work.small {
            Some(small) if small.r == r => small,
            other => other.insert(Box::new(Small::new(n, r))),
        };
        let v = MatRef::from_column_major_slice(v, n, r);
        let av = MatRef::from_column_major_slice(av, n, r);
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
        // Rounding may leave a trace of nearly zero below it; NaN fits nowhere.
        let norm = if trace < 0.0 { 0.0 } else { trace.sqrt() };
        let fits = b > 0.0 && norm <= LARGEST_NORM && norm * b + s.abs() <= limit;
        if !fits {
            return false;
        }

        // (I + V·(G/b)·Vᵀ)^±½ = I + V·M·Vᵀ with M = (G/b)·φ(X)
        let Small { x, phi, psi, series, weights, thin, thin_product, .. } = &mut **small;
        psi.copy_from(series.evaluate(x.as_ref(), norm, &INVERSE_ROOT_CORRECTION));
        phi.copy_from(&*psi);
        multiply_into(phi.as_mut(), Accum::Add, x.as_ref(), psi.as_ref());
        add_diagonal(phi.as_mut(), 1.0); // φ₊ = 1 + φ₋ + X·φ₋, for (1 + t)^½ = (1 + t)·(1 + t)^−½
        for m in [&mut *phi, &mut *psi] {
            for j in 0..r {
                m.col_as_slice_mut(j).iter_mut().zip(&*weights).for_each(|(m, weight)| *m *= weight);
            }
        }
        // A ← √b·(A + (A·V)·M·Vᵀ), the factor √b into N
        multiply_into(thin.as_mut(), Accum::Replace, av, phi.as_ref());
        for j in 0..r {
            thin.col_as_slice_mut(j).iter_mut().zip(&self.rows).for_each(|(entry, row)| *entry *= row);
        }
        multiply_into(self.raw.as_mut(), Accum::Add, thin.as_ref(), v.transpose());
        // A⁻ᵀ ← (A⁻ᵀ + (A⁻ᵀ·V)·M₋·Vᵀ)/√b; M₋ is symmetric
        multiply_into(thin.as_mut(), Accum::Replace, self.raw_inverse.as_ref(), v);
        multiply_into(thin_product.as_mut(), Accum::Replace, thin.as_ref(), psi.as_ref());
        multiply_into(self.raw_inverse.as_mut(), Accum::Add, thin_product.as_ref(), v.transpose());
        self.rows.iter_mut().for_each(|row| *row /= b.sqrt());
        true
    }

    /// Brings A⁻¹ back to A by Newton's iteration, `A⁻¹ ← (2·I − A⁻¹·A)·A⁻¹`: as a rule by one step of it.
    ///
    /// Updates that are not small magnify what rounding has left between A and its inverse, each time again. A step squares
    /// it. An update whose K is not small ends with it; after many of the others it is up to the caller. Where the two are so
    /// far apart that the iteration would hardly converge, A is inverted afresh.
    pub fn polish(&mut self) {
        let mut large = self.take_large();
        self.polish_in(&mut large);
        self.work.large = Some(large);
    }

    fn polish_in(&mut self, large: &mut Large) {
        let Large { t, product, .. } = large;
        let mut last = 2.0 * FARTHEST;
        loop {
            // transposed: A⁻ᵀ ← A⁻ᵀ + A⁻ᵀ·(I − Aᵀ·A⁻ᵀ)
            multiply_into(t.as_mut(), Accum::Replace, self.raw.as_ref().transpose(), self.raw_inverse.as_ref());
            for j in 0..t.ncols() {
                t.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry = -*entry);
                t[(j, j)] += 1.0;
            }
            let error = frobenius(t.as_ref());
            let converges = error < FARTHEST; // not with NaN
            if !converges {
                return self.invert();
            }
            if error > 0.5 * last {
                return; // all that is left is rounding
            }
            product.copy_from(&self.raw_inverse);
            multiply_into(product.as_mut(), Accum::Add, self.raw_inverse.as_ref(), t.as_ref());
            std::mem::swap(&mut self.raw_inverse, product);
            if error < NEAR {
                return;
            }
            last = error;
        }
    }

    /// A⁻¹ from A alone; stays, if A has none in double precision.
    fn invert(&mut self) {
        let inverse = self.a().partial_piv_lu().inverse();
        if inverse.is_all_finite() {
            self.raw_inverse = Mat::from_fn(self.n(), self.n(), |i, j| inverse[(j, i)] / self.rows[i]);
        }
    }

    /// `√diag C`, the lengths of A's rows.
    pub fn deviations(&self, deviations: &mut [f64]) {
        deviations.fill(0.0);
        for j in 0..self.n() {
            deviations.iter_mut().zip(self.raw.col_as_slice(j)).for_each(|(sum, a)| *sum += a * a);
        }
        deviations.iter_mut().zip(&self.rows).for_each(|(sum, row)| *sum = sum.sqrt() / row);
    }

    /// `C ← D⁻¹·C·D⁻¹`, in O(n).
    pub fn divide(&mut self, d: &[f64]) {
        self.rows.iter_mut().zip(d).for_each(|(row, d)| *row *= d);
    }

    /// `C ← C/d²`. With a power of two nothing is rounded.
    pub fn divide_evenly(&mut self, d: f64) {
        for j in 0..self.n() {
            self.raw.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry /= d);
            self.raw_inverse.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry *= d);
        }
        self.longest.value /= d * d;
        self.shortest.value /= d * d;
    }

    /// A step of power iteration towards the largest or, in turn, the smallest eigenvalue of C, from where the last ended.
    pub fn follow_extremes(&mut self) {
        self.work.vector.resize(self.n(), 0.0);
        let vector = &mut self.work.vector;
        if self.longest_is_next {
            // C·x = N⁻¹·(raw·(rawᵀ·(N⁻¹·x)))
            let Extreme { value, vector: x } = &mut self.longest;
            normalise(x);
            unscale_columns(&self.rows, x);
            *value = power_step(self.raw.as_ref(), x, vector);
            unscale_columns(&self.rows, x);
        } else {
            // C⁻¹·x = N·(raw_inverse·(raw_inverseᵀ·(N·x)))
            let Extreme { value, vector: x } = &mut self.shortest;
            normalise(x);
            scale_columns(&self.rows, x);
            *value = power_step(self.raw_inverse.as_ref(), x, vector).recip();
            scale_columns(&self.rows, x);
        }
        self.longest_is_next = !self.longest_is_next;
    }

    /// The smallest and the largest eigenvalue of C, as far as they are known.
    pub fn extremes(&self) -> (f64, f64) {
        (self.shortest.value, self.longest.value)
    }

    /// The axis of an extreme: its unit vector times the square root of its eigenvalue.
    pub fn extreme_axis(&self, longest: bool, axis: &mut [f64]) {
        let Extreme { value, vector } = if longest { &self.longest } else { &self.shortest };
        let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        axis.iter_mut().zip(vector).for_each(|(axis, v)| *axis = value.sqrt() / length * v);
    }

    /// Makes room for updates by whole matrices, so that none is made later.
    pub fn prepare(&mut self) {
        let large = self.take_large();
        self.work.large = Some(large);
    }

    /// Makes A the symmetric root of C again, by an eigendecomposition in `root`, which also gives the extremes exactly.
    ///
    /// On an error nothing is changed.
    pub fn symmetrise(&mut self, root: &mut SymmetricRoot) -> Result<(), RootError> {
        let mut large = self.take_large();
        for j in 0..self.n() {
            let column = large.product.col_as_slice_mut(j);
            let entries = self.raw.col_as_slice(j).iter().zip(&self.rows);
            column.iter_mut().zip(entries).for_each(|(a, (raw, row))| *a = raw / row);
        }
        symmetric_square(large.k.as_mut(), large.product.as_ref()); // C = A·Aᵀ
        let factored = root.factor(large.k.as_ref());
        self.work.large = Some(large);
        factored.map(|()| self.take(root))
    }

    fn take(&mut self, root: &SymmetricRoot) {
        let n = self.n();
        self.raw.copy_from(root.root());
        self.raw_inverse.copy_from(root.inverse());
        self.rows.fill(1.0);
        let (smallest, largest) = root.extremes();
        (self.shortest.value, self.longest.value) = (smallest, largest);
        if n > 0 {
            root.principal_axis(0, &mut self.shortest.vector);
            root.principal_axis(n - 1, &mut self.longest.vector);
        }
    }

    /// `C = A·Aᵀ`, made on request.
    pub fn c(&self) -> Mat<f64> {
        let mut c = Mat::zeros(self.n(), self.n());
        symmetric_square(c.as_mut(), self.a().as_ref());
        c
    }

    /// A, made on request.
    pub fn a(&self) -> Mat<f64> {
        Mat::from_fn(self.n(), self.n(), |i, j| self.raw[(i, j)] / self.rows[i])
    }

    /// A⁻¹, made on request.
    pub fn inverse(&self) -> Mat<f64> {
        Mat::from_fn(self.n(), self.n(), |i, j| self.raw_inverse[(j, i)] * self.rows[j])
    }
}

/// All that a root is, for storing it.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatedRootParts {
    /// The entries of N·A, column by column.
    pub raw: Vec<f64>,
    /// The entries of N⁻¹·A⁻ᵀ, column by column.
    pub raw_inverse: Vec<f64>,
    /// The diagonal of N.
    pub rows: Vec<f64>,
    /// The largest eigenvalue, as far as it is known, and its vector.
    pub longest: (f64, Vec<f64>),
    /// The smallest eigenvalue, as far as it is known, and its vector.
    pub shortest: (f64, Vec<f64>),
    /// Which of them is followed next.
    pub longest_is_next: bool,
}

impl UpdatedRoot {
    /// All that it is.
    pub fn parts(&self) -> UpdatedRootParts {
        let entries = |matrix: &Mat<f64>| matrix.col_iter().flat_map(|column| column.iter().copied()).collect();
        UpdatedRootParts {
            raw: entries(&self.raw),
            raw_inverse: entries(&self.raw_inverse),
            rows: self.rows.clone(),
            longest: (self.longest.value, self.longest.vector.clone()),
            shortest: (self.shortest.value, self.shortest.vector.clone()),
            longest_is_next: self.longest_is_next,
        }
    }

    /// The root of given parts, if they are finite and fit together: one matrix must look like the inverse of the other.
    pub fn from_parts(parts: UpdatedRootParts) -> Option<Self> {
        let UpdatedRootParts { raw, raw_inverse, rows, longest, shortest, longest_is_next } = parts;
        let n = rows.len();
        let entries = n.checked_mul(n)?;
        let lengths_fit = raw.len() == entries && raw_inverse.len() == entries;
        let has_direction = |vector: &[f64]| vector.iter().map(|v| v * v).sum::<f64>().is_normal();
        let fits = |vector: &[f64]| vector.len() == n && (n == 0 || has_direction(vector));
        let vectors_fit = fits(&longest.1) && fits(&shortest.1);
        let positive = |numbers: &[f64]| numbers.iter().all(|number| *number > 0.0 && number.is_finite());
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let good = lengths_fit
            && vectors_fit
            && positive(&rows)
            && positive(&[longest.0, shortest.0])
            && [&raw, &raw_inverse, &longest.1, &shortest.1].into_iter().all(|numbers| finite(numbers));
        let matrix = |entries: &[f64]| MatRef::from_column_major_slice(entries, n, n).to_owned();
        let root = good.then(|| Self {
            raw: matrix(&raw),
            raw_inverse: matrix(&raw_inverse),
            rows,
            longest: Extreme { value: longest.0, vector: longest.1 },
            shortest: Extreme { value: shortest.0, vector: shortest.1 },
            longest_is_next,
            work: Work::default(),
        });
        root.filter(Self::undoes_itself)
    }

    /// Whether A⁻¹·A·v is about v, for some v: a look at both matrices, and no measurement.
    fn undoes_itself(&self) -> bool {
        let v = start_vector(self.n());
        let (mut av, mut back) = (vec![0.0; v.len()], vec![0.0; v.len()]);
        self.apply(&v, &mut av);
        scale_columns(&self.rows, &mut av);
        multiply_columns(self.raw_inverse.as_ref().transpose(), &av, &mut back);
        back.iter().zip(&v).all(|(back, v)| (back - v).abs() < 0.5)
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
        }
    }
}

impl Small {
    fn new(n: usize, r: usize) -> Self {
        Self {
            r,
            gram: Mat::zeros(r, r),
            x: Mat::zeros(r, r),
            weights: Vec::with_capacity(r),
            phi: Mat::zeros(r, r),
            psi: Mat::zeros(r, r),
            series: Series::new(r),
            thin: Mat::zeros(n, r),
            thin_product: Mat::zeros(n, r),
        }
    }
}

/// A vector that is no eigenvector of anything likely, for power iteration.
fn start_vector(n: usize) -> Vec<f64> {
    (0..n).map(|i| 1.0 + 0.5 * (1.0 + i as f64).sin()).collect()
}

/// x ← B·(Bᵀ·x); returns ‖Bᵀ·x‖².
fn power_step(b: MatRef<'_, f64>, x: &mut [f64], product: &mut [f64]) -> f64 {
    multiply_columns(b.transpose(), x, product);
    multiply_columns(b, product, x);
    product.iter().map(|x| x * x).sum()
}

fn normalise(x: &mut [f64]) {
    let mut length2 = x.iter().map(|x| x * x).sum::<f64>();
    if !SQUARES.contains(&length2) {
        // Squares that overflow or vanish: those of the same direction at another length do not.
        let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        x.iter_mut().for_each(|x| *x /= largest);
        length2 = x.iter().map(|x| x * x).sum::<f64>();
    }
    let length = length2.sqrt();
    x.iter_mut().for_each(|x| *x /= length);
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
    // Every entry is finite, and their squares overflow.
    EighError::NotConverged { n: k.nrows() }.into()
}
