//! The paper's way to the root of C: the symmetric root, by an eigendecomposition of C and one of K.
//!
//! It is the reference for the faster way in `low_rank.rs`.

use ddcma_linalg::{
    Eigh, Mat, RootError, SymmetricRoot, add_diagonal, add_outer, add_weighted_gram, correlate, sandwich,
};

use super::root::{Addition, Divide, Divisor, Next, Proposal, Root, columns, is_square, matrix, matrix_mut};
use crate::settings::Definiteness;
use crate::stored::{Scratch, stored};
use crate::{Columns, Params, UpdateError};

stored! {
    /// C and the pending K; √C is in the workspace, because C determines it, bit for bit.
    #[derive(Clone, Debug)]
    pub(super) struct Literal {
        c: Columns,
        k: Columns,
        /// Whether the root comes from a decomposition, not from the start.
        decomposed: bool,
        work: Scratch<Work>,
    }
}

#[derive(Clone, Debug)]
struct Work {
    root: SymmetricRoot,
    /// The next C, and its root.
    next: Columns,
    next_root: SymmetricRoot,
    eigh: Eigh,
    product: Mat<f64>,
    weighted_z: Vec<f64>,
}

impl Work {
    fn new(n: usize) -> Self {
        Self {
            root: SymmetricRoot::identity(n),
            next: Columns::zeros(n, n),
            next_root: SymmetricRoot::identity(n),
            eigh: Eigh::new(n),
            product: Mat::zeros(n, n),
            weighted_z: Vec::new(),
        }
    }
}

impl Default for Work {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Literal {
    pub(super) fn identity(n: usize) -> Self {
        let work = Scratch(Work::new(n));
        Self { c: Columns::identity(n), k: Columns::zeros(n, n), decomposed: false, work }
    }

    /// The root of a given C.
    pub(super) fn of(c: &Columns) -> Result<Self, RootError> {
        let mut literal = Self { c: c.clone(), decomposed: true, ..Self::identity(c.dimension()) };
        literal.work.root.factor(matrix(&literal.c))?;
        Ok(literal)
    }
}

impl Root for Literal {
    fn sample(&self, z: &[f64], y: &mut [f64]) {
        self.work.root.apply(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.work.root.whiten(y, z);
    }

    fn add(&mut self, addition: &Addition<'_>) {
        let Addition { z, weights, path, c_1, shrinkage, .. } = *addition;
        let weighted_z = &mut self.work.weighted_z;
        weighted_z.resize(z.as_slice().len(), 0.0);
        add_outer(matrix_mut(&mut self.k), c_1, path); // eq. (zmat), rank one
        add_weighted_gram(matrix_mut(&mut self.k), z.as_slice(), weights, weighted_z); // eq. (zmat), rank μ
        add_diagonal(matrix_mut(&mut self.k), -shrinkage); // eq. (zmat), the −γ·I and −I
    }

    fn propose(&mut self, divide: Divide<'_>, params: &Params, next: &mut Next) -> Result<Proposal, UpdateError> {
        let Work { root, next: next_c, next_root, eigh, product, .. } = &mut *self.work;
        let alpha = match params.definiteness {
            Definiteness::ScaleUpdate => {
                let solved = eigh.decompose_values(matrix(&self.k));
                solved.map_err(|error| UpdateError::from_root(error.into(), params.n))?;
                let (smallest, _) = eigh.extremes(); // d_n(K)
                (0.75 / smallest.abs()).min(1.0) // eq. (alpha1)
            }
            Definiteness::ScaleWeights => 1.0,
        };
        sandwich(matrix_mut(next_c), root.root(), matrix(&self.k), product.as_mut()); // √C·K·√C
        for (j, (next_c, c)) in next_c.iter_mut().zip(&self.c).enumerate() {
            for (next, c) in next_c.iter_mut().zip(c) {
                *next = c + alpha * *next; // eq. (aaacma)
            }
            next.variances[j] = next_c[j];
        }
        next.alpha = alpha;
        next.divide(divide)?;
        match next.divisor {
            Divisor::Deviations => {
                let divided = correlate(matrix_mut(next_c), &mut next.deviations); // eq. (dc2)
                debug_assert!(divided.is_ok(), "the variances have been checked");
            }
            Divisor::Scale(scale) => {
                next_c.as_mut_slice().iter_mut().for_each(|entry| *entry /= scale * scale);
            }
        }
        next_root.factor(matrix(next_c)).map_err(|error| UpdateError::from_root(error, params.n))?;
        Ok(Proposal::Literal)
    }

    fn apply(&mut self, _: Proposal, _: &Next, _: Option<&mut [f64]>) {
        let Work { root, next, next_root, .. } = &mut *self.work;
        std::mem::swap(&mut self.c, next);
        std::mem::swap(root, next_root);
        self.decomposed = true;
        self.discard();
    }

    fn discard(&mut self) {
        self.k.as_mut_slice().fill(0.0);
    }

    fn extremes(&self) -> (f64, f64) {
        self.work.root.extremes()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.work.root.principal_axis((t % axis.len() as u64) as usize, axis);
    }

    fn c(&self) -> Columns {
        self.c.clone()
    }

    fn sqrt_c(&self) -> Option<Columns> {
        Some(columns(self.work.root.root()))
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.work.root.eigenvalues().iter().map(|value| value.sqrt()).collect()
    }

    fn variances(&self) -> Vec<f64> {
        (0..self.c.dimension()).map(|k| self.c[k][k]).collect()
    }

    fn resume(&mut self, n: usize) -> Result<(), &'static str> {
        // Sizes are checked first, so that a forged dimension cannot make us allocate too much.
        if !is_square(&self.c, n) || !is_square(&self.k, n) {
            return Err("the matrices of C");
        }
        self.work = Scratch(Work::new(n));
        if self.decomposed {
            self.work.root.factor(matrix(&self.c)).map_err(|_| "the root of C")?;
        } else if self.c != Columns::identity(n) {
            return Err("a C that has changed without a decomposition");
        }
        Ok(())
    }
}
