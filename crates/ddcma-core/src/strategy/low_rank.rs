//! The fast way to a root of C: A with A·Aᵀ = C is maintained by low-rank updates, without eigendecompositions.
//!
//! It gives the same C as `literal.rs`, up to rounding. A differs from √C by a rotation that changes slowly, and that is
//! undone from time to time.

use ddcma_linalg::{Eigh, RootError, SymmetricRoot, Term, UpdatedRoot, add_diagonal, add_outer, add_weighted_gram};

use super::root::{Addition, Divide, Divisor, Next, Proposal, Root, columns, is_square, matrix, matrix_mut};
use crate::numeric::add_scaled_squares;
use crate::settings::Definiteness;
use crate::stored::{Scratch, stored};
use crate::{Columns, Params, UpdateError};

/// Beyond this dimension A is never made symmetric: an eigendecomposition would take too long.
const LARGEST_SYMMETRIZED: usize = 512;

/// If the error may be larger than this, variances are computed from A instead of being updated alongside it.
const LARGEST_VARIANCE_ERROR: f64 = 1e-10;

/// The number of updates by whole matrices, which are the larger ones, after which the inverse is corrected.
const POLISHED_EVERY: u64 = 4;

stored! {
    /// A with its inverse, and the pending K.
    #[derive(Clone, Debug)]
    pub(super) struct LowRank {
        root: UpdatedRoot,
        pending: Pending,
        updates: u64,
        /// A bound on the relative error of the variances that are updated alongside A.
        variance_error: f64,
        /// Whether A is made symmetric from time to time.
        symmetrizes: bool,
        weighted_z: Scratch<Vec<f64>>,
        carried_y: Scratch<Vec<f64>>,
        added: Scratch<Vec<f64>>,
    }

    /// K = V·G·Vᵀ − s·I, by its columns or, if there would be more than n, as a matrix.
    #[derive(Clone, Debug)]
    enum Pending {
        Columns { v: Vec<f64>, av: Vec<f64>, g: Vec<f64>, s: f64 },
        Matrix(Columns),
    }
}

impl Pending {
    fn none() -> Self {
        Self::Columns { v: Vec::new(), av: Vec::new(), g: Vec::new(), s: 0.0 }
    }

    fn term(&self) -> Term<'_> {
        match self {
            Self::Columns { v, av, g, s } => Term::Columns { v, av, g, s: *s },
            Self::Matrix(k) => Term::Matrix(matrix(k)),
        }
    }
}

impl LowRank {
    pub(super) fn identity(n: usize) -> Self {
        Self::with_root(UpdatedRoot::identity(n))
    }

    /// The root of a given C.
    pub(super) fn of(c: &Columns) -> Result<Self, RootError> {
        Ok(Self::with_root(UpdatedRoot::of(matrix(c))?))
    }

    fn with_root(root: UpdatedRoot) -> Self {
        let symmetrizes = root.dimension() <= LARGEST_SYMMETRIZED;
        let [weighted_z, carried_y, added] = [(); 3].map(|()| Scratch::default());
        let mut root = Self {
            root,
            pending: Pending::none(),
            updates: 0,
            variance_error: 0.0,
            symmetrizes,
            weighted_z,
            carried_y,
            added,
        };
        root.prepare();
        root
    }

    /// Allocates what will be needed later, unless that is too much.
    fn prepare(&mut self) {
        if self.symmetrizes {
            self.root.prepare();
            let n = self.n();
            self.carried_y.resize(n, 0.0);
            self.added.resize(n, 0.0);
        }
    }

    fn n(&self) -> usize {
        self.root.dimension()
    }

    /// Updates the extremes of C; from time to time, corrects A⁻¹ and makes A symmetric.
    fn maintain(&mut self, carried: Option<&mut [f64]>) {
        self.updates += 1;
        if matches!(self.pending, Pending::Matrix(_)) && self.updates.is_multiple_of(POLISHED_EVERY) {
            self.root.polish();
        }
        let n = self.n();
        if self.symmetrizes && self.updates.is_multiple_of(10 * n as u64) {
            // If C is too ill-conditioned to be decomposed, A is unchanged: it is still a root of C.
            match carried {
                None => drop(self.root.symmetrize()),
                Some(z) => {
                    self.root.apply(z, &mut self.carried_y);
                    if self.root.symmetrize().is_ok() {
                        self.root.whiten(&self.carried_y, z); // A has been rotated, and z with it
                    }
                }
            }
        } else {
            self.root.follow_extremes();
        }
    }

    /// Computes the variances of the next C from those of C, if K is given by its columns and they suffice.
    ///
    /// Returns a bound on their relative error, which grows where variances shrink; `None` if it is too large.
    fn follow_variances(&mut self, alpha: f64, variances: &mut [f64]) -> Option<f64> {
        let (Pending::Columns { av, g, s, .. }, true) = (&self.pending, alpha == 1.0) else { return None };
        self.added.clear();
        self.added.resize(variances.len(), 0.0);
        for (av, g) in av.chunks_exact(variances.len().max(1)).zip(g) {
            add_scaled_squares(&mut self.added, *g, av); // diag(A·(K + s·I)·Aᵀ)
        }
        let mut shrinkage = 0.0;
        for (c, added) in variances.iter_mut().zip(&**self.added) {
            let faded = *c * (1.0 - s);
            *c = faded + added;
            shrinkage = f64::max(shrinkage, faded / *c);
        }
        let are_good = variances.iter().all(|c| *c > 0.0 && c.is_finite()); // rounding errors may cancel everything
        let error = self.variance_error * shrinkage + 4.0 * f64::EPSILON;
        (are_good && error <= LARGEST_VARIANCE_ERROR).then_some(error)
    }
}

impl Root for LowRank {
    fn sample(&self, z: &[f64], y: &mut [f64]) {
        self.root.apply(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.root.whiten(y, z);
    }

    fn carries(&self) -> bool {
        true
    }

    fn add(&mut self, addition: &Addition<'_>) {
        let Addition { z, y, weights, path, path_y, c_1, shrinkage, columns } = *addition;
        let n = self.n();
        if columns >= n && matches!(&self.pending, Pending::Columns { g, .. } if g.is_empty()) {
            self.pending = Pending::Matrix(Columns::zeros(n, n));
        }
        match &mut self.pending {
            // eq. (zmat), as V, A·V, G and s
            Pending::Columns { v, av, g, s } => {
                if g.is_empty() {
                    v.reserve_exact(columns * n);
                    av.reserve_exact(columns * n);
                    g.reserve_exact(columns);
                    self.root.prepare_low_rank(columns);
                }
                v.extend_from_slice(z.as_slice());
                v.extend_from_slice(path);
                av.extend_from_slice(y.as_slice());
                av.extend_from_slice(path_y);
                g.extend_from_slice(weights);
                g.push(c_1);
                *s += shrinkage;
            }
            Pending::Matrix(k) => {
                self.weighted_z.resize(z.as_slice().len(), 0.0);
                add_outer(matrix_mut(k), c_1, path); // eq. (zmat), rank one
                add_weighted_gram(matrix_mut(k), z.as_slice(), weights, &mut self.weighted_z); // eq. (zmat), rank μ
                add_diagonal(matrix_mut(k), -shrinkage); // eq. (zmat), the −γ·I and −I
            }
        }
    }

    fn propose(&mut self, divide: Divide<'_>, params: &Params, next: &mut Next) -> Result<Proposal, UpdateError> {
        let limit = match params.definiteness {
            Definiteness::ScaleUpdate => 0.75, // eq. (alpha1)
            Definiteness::ScaleWeights => f64::INFINITY,
        };
        let proposal = self.root.propose(self.pending.term(), limit); // eq. (aaacma)
        let proposal = proposal.map_err(|error| UpdateError::from_root(error, params.n))?;
        next.alpha = proposal.alpha();
        next.variance_error = match self.follow_variances(next.alpha, &mut next.variances) {
            Some(error) => error,
            None => {
                self.root.proposed_deviations(&proposal, self.pending.term(), &mut next.variances);
                next.variances.iter_mut().for_each(|c| *c *= *c);
                f64::EPSILON
            }
        };
        next.divide(divide)?;
        Ok(Proposal::LowRank(proposal))
    }

    fn apply(&mut self, proposal: Proposal, next: &Next, mut carried: Option<&mut [f64]>) {
        let Proposal::LowRank(proposal) = proposal else { unreachable!("this root proposes no other") };
        self.root.accept(proposal, self.pending.term(), carried.as_deref_mut());
        self.variance_error = next.variance_error;
        match next.divisor {
            Divisor::Deviations => self.root.divide(&next.deviations),
            Divisor::Scale(1.0) => {}
            Divisor::Scale(scale) => self.root.divide_evenly(scale),
        }
        self.discard();
        self.maintain(carried);
    }

    fn discard(&mut self) {
        match &mut self.pending {
            Pending::Columns { v, av, g, s } => {
                v.clear();
                av.clear();
                g.clear();
                *s = 0.0;
            }
            Pending::Matrix(k) => k.as_mut_slice().fill(0.0),
        }
    }

    fn extremes(&self) -> (f64, f64) {
        self.root.extremes()
    }

    /// Alternates between the longest and the shortest axis: these are the axes that are known.
    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.root.extreme_axis(t.is_multiple_of(2), axis);
    }

    fn c(&self) -> Columns {
        columns(self.root.c().as_ref())
    }

    fn sqrt_c(&self) -> Option<Columns> {
        let mut symmetric = SymmetricRoot::identity(self.n());
        symmetric.factor(self.root.c().as_ref()).ok()?;
        Some(columns(symmetric.root()))
    }

    fn axis_lengths(&self) -> Vec<f64> {
        let mut eigh = Eigh::new(self.n());
        match eigh.decompose_values(self.root.c().as_ref()) {
            Ok(()) => eigh.values().iter().map(|value| value.max(0.0).sqrt()).collect(),
            Err(_) => vec![f64::NAN; self.n()],
        }
    }

    fn variances(&self) -> Vec<f64> {
        let mut variances = vec![0.0; self.n()];
        self.root.deviations(&mut variances);
        variances.iter_mut().for_each(|c| *c *= *c);
        variances
    }

    fn resume(&mut self, n: usize) -> Result<(), &'static str> {
        if self.n() != n {
            return Err("the root of C");
        }
        if !self.pending_is_plausible() || self.updates > u64::MAX / 2 {
            return Err("the pending update of C");
        }
        if !(0.0..=LARGEST_VARIANCE_ERROR).contains(&self.variance_error) {
            return Err("the error of the variances");
        }
        self.symmetrizes = n <= LARGEST_SYMMETRIZED;
        self.prepare();
        Ok(())
    }
}

impl LowRank {
    /// Returns whether a stored K has the right size, and whether each A·v has a plausible length for A and v. This is a
    /// rough check, not a measurement.
    fn pending_is_plausible(&self) -> bool {
        let n = self.n();
        let (v, av, g, s) = match &self.pending {
            Pending::Columns { v, av, g, s } => (v, av, g, s),
            Pending::Matrix(k) => return is_square(k, n),
        };
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let entries = n.checked_mul(g.len());
        let have_size = Some(v.len()) == entries && Some(av.len()) == entries;
        if !(have_size && finite(v) && finite(av) && finite(g) && s.is_finite()) {
            return false;
        }
        let lengths: Vec<f64> = self.variances().iter().map(|c| c.sqrt()).collect();
        let fits = |(v, av): (&[f64], &[f64])| {
            let longest = 1e6 * (n as f64).sqrt() * v.iter().fold(0.0, |longest: f64, v| longest.max(v.abs()));
            av.iter().zip(&lengths).all(|(av, length)| av.abs() <= longest * length)
        };
        v.chunks_exact(n.max(1)).zip(av.chunks_exact(n.max(1))).all(fits)
    }
}

#[cfg(test)]
mod tests {
    use ddcma_linalg::{Mat, max_abs};
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    /// The error of A·A⁻¹ after thousands of updates by whole matrices, in a dimension in which A is never symmetrized.
    #[test]
    fn the_inverse_stays_that_of_a_without_symmetrization() {
        let n = 10;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut root = LowRank { symmetrizes: false, ..LowRank::identity(n) };
        for _ in 0..40_003 {
            let entries: Vec<f64> = StandardNormal.sample_iter(&mut rng).take(n * n).collect();
            // Noise, and a pull toward the identity: C ↦ 0.9·C + 0.1·I without it.
            let inverse = root.root.inverse();
            let pull = &inverse * inverse.transpose() - Mat::<f64>::identity(n, n);
            let noise = |i: usize, j: usize| 0.02 * (entries[i * n + j] + entries[j * n + i]);
            let k = Mat::from_fn(n, n, |i, j| 0.05 * (pull[(i, j)] + pull[(j, i)]) + noise(i, j));
            root.root.update(Term::Matrix(k.as_ref()), 0.75).unwrap();
            root.pending = Pending::Matrix(Columns::zeros(n, n));
            let mut deviations = vec![0.0; n];
            root.root.deviations(&mut deviations);
            root.root.divide(&deviations);
            root.maintain(None);
        }
        let error = max_abs((root.root.a() * root.root.inverse() - Mat::<f64>::identity(n, n)).as_ref());
        assert!(error < 1e-14, "{error:e}");
    }
}
