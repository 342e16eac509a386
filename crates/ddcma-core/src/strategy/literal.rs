//! The paper's literal way to the root of C: the symmetric root, by an eigendecomposition of C and one of K.
//!
//! Knows no path and no D. It is the yardstick for the quicker way in `low_rank.rs`.

use ddcma_linalg::{Eigh, Mat, MatRef, SymmetricRoot, add_diagonal, add_outer, add_weighted_gram, correlate, sandwich};

use super::root::{Addition, Divide, Divisor, Next, Proposal, Root};
use crate::settings::Definiteness;
use crate::{Columns, Params, UpdateError};

/// C, √C and the pending K.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "State", into = "State")
)]
pub(super) struct Literal {
    c: Mat<f64>,
    root: SymmetricRoot,
    /// Whether the root comes from a decomposition, and not from the beginning.
    decomposed: bool,
    k: Mat<f64>,
    /// C as it will be, and its root.
    next: Mat<f64>,
    next_root: SymmetricRoot,
    eigh: Eigh,
    product: Mat<f64>,
    weighted_z: Vec<f64>,
}

impl Literal {
    pub(super) fn identity(n: usize) -> Self {
        Self {
            c: Mat::identity(n, n),
            root: SymmetricRoot::identity(n),
            decomposed: false,
            k: Mat::zeros(n, n),
            next: Mat::zeros(n, n),
            next_root: SymmetricRoot::identity(n),
            eigh: Eigh::new(n),
            product: Mat::zeros(n, n),
            weighted_z: Vec::new(),
        }
    }

    /// The root of a given C.
    #[cfg(test)]
    pub(super) fn of(c: &Columns) -> Self {
        let n = c.dimension();
        let mut literal = Self::identity(n);
        literal.c = MatRef::from_column_major_slice(c.as_slice(), n, n).to_owned();
        literal.root.factor(literal.c.as_ref()).expect("a positive definite matrix");
        literal.decomposed = true;
        literal
    }
}

impl Root for Literal {
    fn sample(&self, z: &[f64], y: &mut [f64]) {
        self.root.apply(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.root.whiten(y, z);
    }

    fn add(&mut self, addition: &Addition<'_>) {
        let Addition { z, weights, path, c_1, shrinkage, .. } = *addition;
        self.weighted_z.resize(z.as_slice().len(), 0.0);
        add_outer(self.k.as_mut(), c_1, path); // eq. (zmat), rank one
        add_weighted_gram(self.k.as_mut(), z.as_slice(), weights, &mut self.weighted_z); // eq. (zmat), rank μ
        add_diagonal(self.k.as_mut(), -shrinkage); // eq. (zmat), the −γ·I and −I
    }

    fn propose(&mut self, divide: Divide<'_>, params: &Params, next: &mut Next) -> Result<Proposal, UpdateError> {
        let alpha = match params.definiteness {
            Definiteness::ScaleUpdate => {
                let solved = self.eigh.decompose_values(self.k.as_ref());
                solved.map_err(|error| UpdateError::from_root(error.into(), params.n))?;
                let (smallest, _) = self.eigh.extremes(); // d_n(K)
                (0.75 / smallest.abs()).min(1.0) // eq. (alpha1)
            }
            Definiteness::ScaleWeights => 1.0,
        };
        let product = self.product.as_mut();
        sandwich(self.next.as_mut(), self.root.root(), self.k.as_ref(), product); // √C·K·√C
        for j in 0..params.n {
            let next_c = self.next.col_as_slice_mut(j);
            for (next, c) in next_c.iter_mut().zip(self.c.col_as_slice(j)) {
                *next = c + alpha * *next; // eq. (aaacma)
            }
            next.variances[j] = next_c[j];
        }
        next.alpha = alpha;
        next.divide(divide)?;
        match next.divisor {
            Divisor::Deviations => {
                let divided = correlate(self.next.as_mut(), &mut next.deviations); // eq. (dc2)
                debug_assert!(divided.is_ok(), "the variances have been checked");
            }
            Divisor::Scale(scale) => {
                for j in 0..params.n {
                    self.next.col_as_slice_mut(j).iter_mut().for_each(|entry| *entry /= scale * scale);
                }
            }
        }
        self.next_root.factor(self.next.as_ref()).map_err(|error| UpdateError::from_root(error, params.n))?;
        Ok(Proposal::Literal)
    }

    fn apply(&mut self, _: Proposal, _: &Next) {
        std::mem::swap(&mut self.c, &mut self.next);
        std::mem::swap(&mut self.root, &mut self.next_root);
        self.decomposed = true;
        self.discard();
    }

    fn discard(&mut self) {
        self.k.fill(0.0);
    }

    fn extremes(&self) -> (f64, f64) {
        self.root.extremes()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.root.principal_axis((t % axis.len() as u64) as usize, axis);
    }

    fn c(&self) -> Columns {
        columns(self.c.as_ref())
    }

    fn sqrt_c(&self) -> Option<Columns> {
        Some(columns(self.root.root()))
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.root.eigenvalues().iter().map(|value| value.sqrt()).collect()
    }

    #[cfg(feature = "checkpoint")]
    fn variances(&self) -> Vec<f64> {
        (0..self.c.nrows()).map(|k| self.c[(k, k)]).collect()
    }
}

/// A matrix as columns.
pub(super) fn columns(matrix: MatRef<'_, f64>) -> Columns {
    let mut columns = Columns::zeros(matrix.nrows(), matrix.ncols());
    let entries = matrix.col_iter().flat_map(|column| column.iter());
    columns.as_mut_slice().iter_mut().zip(entries).for_each(|(to, from)| *to = *from);
    columns
}

/// What a checkpoint keeps: all but the workspace, and the root, which follows from C to the bit.
#[cfg(feature = "checkpoint")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State {
    n: usize,
    c: Vec<f64>,
    k: Vec<f64>,
    decomposed: bool,
}

#[cfg(feature = "checkpoint")]
impl From<Literal> for State {
    fn from(Literal { c, k, decomposed, .. }: Literal) -> Self {
        let numbers = |matrix: &Mat<f64>| columns(matrix.as_ref()).as_slice().to_vec();
        Self { n: c.nrows(), c: numbers(&c), k: numbers(&k), decomposed }
    }
}

#[cfg(feature = "checkpoint")]
impl TryFrom<State> for Literal {
    type Error = &'static str;

    fn try_from(State { n, c, k, decomposed }: State) -> Result<Self, &'static str> {
        // Lengths first: nothing is allocated for a dimension that the data do not have.
        let entries = n.checked_mul(n);
        if Some(c.len()) != entries || Some(k.len()) != entries {
            return Err("the parts of C have different dimensions");
        }
        if !k.iter().all(|number| number.is_finite()) {
            return Err("the pending update of C is not finite");
        }
        let mut literal = Self::identity(n);
        let matrix = |numbers: &[f64]| MatRef::from_column_major_slice(numbers, n, n).to_owned();
        (literal.c, literal.k) = (matrix(&c), matrix(&k));
        if decomposed {
            literal.root.factor(literal.c.as_ref()).map_err(|_| "C has no root")?;
        } else if literal.c != Mat::<f64>::identity(n, n) {
            return Err("C has changed without a decomposition");
        }
        Ok(Self { decomposed, ..literal })
    }
}
