//! The matrix C with its root, its path and the pending update K. Knows D only as a slice to divide by.

use ddcma_linalg::{
    Eigh, Mat, MatRef, SymmetricRoot, add_diagonal, add_outer, add_weighted_gram, correlate, sandwich, unscale_columns,
};

use super::{Axes, Generation};
use crate::settings::Definiteness;
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// C, decomposed every t_eig iterations, and what has been learnt since.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "State", into = "State")
)]
pub(crate) struct Covariance {
    c: Mat<f64>,
    root: SymmetricRoot,
    /// Whether the root comes from a decomposition, and not from the beginning.
    decomposed: bool,
    k: Mat<f64>,
    iterations_in_k: usize,
    path: EvolutionPath,
    alpha: f64,
    /// The diagonal of C.
    variances: Vec<f64>,
    /// C as it will be if it can be decomposed, with its α and what it was divided by.
    next: Mat<f64>,
    next_alpha: f64,
    deviations: Vec<f64>,
    eigh: Eigh,
    product: Mat<f64>,
    q: Vec<f64>,
    whitened: Vec<f64>,
    weights: Vec<f64>,
    weighted_z: Vec<f64>,
}

impl Covariance {
    pub(crate) fn new(params: &Params) -> Self {
        Self::identity(params.n)
    }

    /// C = I. The workspace for candidates is made when there are some.
    fn identity(n: usize) -> Self {
        Self {
            c: Mat::identity(n, n),
            root: SymmetricRoot::identity(n),
            decomposed: false,
            k: Mat::zeros(n, n),
            iterations_in_k: 0,
            path: EvolutionPath::new(n),
            alpha: 1.0,
            variances: vec![1.0; n],
            next: Mat::zeros(n, n),
            next_alpha: 1.0,
            deviations: vec![1.0; n],
            eigh: Eigh::new(n),
            product: Mat::zeros(n, n),
            q: vec![0.0; n],
            whitened: vec![0.0; n],
            weights: Vec::new(),
            weighted_z: Vec::new(),
        }
    }

    /// y = √C·z. // eq. (sampling)
    pub(crate) fn sample(&self, z: &Columns, y: &mut Columns) {
        self.root.apply(z.as_slice(), y.as_mut_slice()); // ~ N(0, C)
    }

    /// v ← √C⁻¹·v.
    pub(crate) fn whiten(&mut self, v: &mut [f64]) {
        self.root.whiten(v, &mut self.whitened);
        v.copy_from_slice(&self.whitened);
    }

    /// z = √C⁻¹·y.
    pub(crate) fn whiten_into(&self, y: &[f64], z: &mut [f64]) {
        self.root.whiten(y, z);
    }

    /// Algorithm 1, lines 8 and 9: the path of C, and Z added to K.
    pub(crate) fn accumulate(
        &mut self,
        generation: &Generation<'_>,
        d: &[f64],
        params: &Params,
    ) -> Result<(), UpdateError> {
        let Params { c_1, c_mu, c_c, mu_w, .. } = *params;
        self.path.update(c_c, mu_w, generation.step, generation.h_sigma)?; // eq. (pc), eq. (gc)

        self.q.copy_from_slice(self.path.p());
        unscale_columns(d, &mut self.q);
        self.root.whiten(&self.q, &mut self.whitened); // √C⁻¹·D⁻¹·p_c
        self.weights.resize(params.lambda, 0.0);
        self.weighted_z.resize(params.n * params.lambda, 0.0);
        for (i, weight) in self.weights.iter_mut().enumerate() {
            *weight = c_mu * generation.rescaled_weight(i, generation.w[i]); // c_μ·ŵ_i
        }
        let sum_of_weights: f64 = params.w.iter().sum(); // ties share weights, and leave their sum
        let shrinkage = c_1 * self.path.gamma() + c_mu * sum_of_weights; // eq. (zmat), the −γ·I and −I

        let z = generation.z.as_slice();
        add_outer(self.k.as_mut(), c_1, &self.whitened); // eq. (zmat), rank one
        add_weighted_gram(self.k.as_mut(), z, &self.weights, &mut self.weighted_z); // eq. (zmat), rank μ
        add_diagonal(self.k.as_mut(), -shrinkage);
        self.iterations_in_k += 1;
        Ok(())
    }

    /// Whether t mod t_eig = 0.
    pub(crate) fn is_due(&self, params: &Params) -> bool {
        self.iterations_in_k.is_multiple_of(params.t_eig)
    }

    /// Algorithm 1, line 13: the next C = √C·(I + α·K)·√C.
    pub(crate) fn merge(&mut self, params: &Params) -> Result<(), UpdateError> {
        self.next_alpha = match params.definiteness {
            Definiteness::ScaleUpdate => {
                if let Err(error) = self.eigh.decompose_values(self.k.as_ref()) {
                    return Err(self.forget(UpdateError::from_root(error.into(), params.n)));
                }
                let (smallest, _) = self.eigh.extremes(); // d_n(K)
                (0.75 / smallest.abs()).min(1.0) // eq. (alpha1)
            }
            Definiteness::ScaleWeights => 1.0,
        };
        let product = self.product.as_mut();
        sandwich(self.next.as_mut(), self.root.root(), self.k.as_ref(), product); // √C·K·√C
        for j in 0..params.n {
            let next = self.next.col_as_slice_mut(j);
            for (next, c) in next.iter_mut().zip(self.c.col_as_slice(j)) {
                *next = c + self.next_alpha * *next; // eq. (aaacma)
            }
        }
        Ok(())
    }

    /// Algorithm 1, line 14: the next C becomes a correlation matrix.
    pub(crate) fn correlate(&mut self) -> Result<(), UpdateError> {
        let correlated = correlate(self.next.as_mut(), &mut self.deviations); // eq. (dc2)
        correlated.map_err(|error| self.forget(UpdateError::NotPositiveDefinite { smallest: error.value }))
    }

    /// Algorithm 1, lines 15 and 17: the next C becomes C, with its root, and K is empty.
    pub(crate) fn decompose(&mut self) -> Result<(), UpdateError> {
        if let Err(error) = self.root.factor(self.next.as_ref()) {
            return Err(self.forget(UpdateError::from_root(error, self.q.len())));
        }
        std::mem::swap(&mut self.c, &mut self.next);
        self.alpha = self.next_alpha;
        self.decomposed = true;
        for (i, variance) in self.variances.iter_mut().enumerate() {
            *variance = self.c[(i, i)];
        }
        self.empty_k();
        Ok(())
    }

    /// After a failure C and its root stay, and K, which did not lead to a better one, is given up.
    fn forget(&mut self, error: UpdateError) -> UpdateError {
        self.empty_k();
        error
    }

    fn empty_k(&mut self) {
        self.k.fill(0.0);
        self.iterations_in_k = 0;
    }

    /// What the last [`correlate`](Self::correlate) divided by.
    pub(crate) fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// The condition number of C.
    pub(crate) fn condition(&self) -> f64 {
        self.root.condition()
    }

    pub(crate) fn c(&self) -> Columns {
        columns(self.c.as_ref())
    }

    pub(crate) fn sqrt_c(&self) -> Columns {
        columns(self.root.root())
    }

    pub(crate) fn path(&self) -> &EvolutionPath {
        &self.path
    }

    /// The path follows a D that has been shortened.
    pub(crate) fn scale_path(&mut self, k: usize, factor: f64) {
        self.path.scale(k, factor);
    }

    pub(crate) fn variances(&self) -> &[f64] {
        &self.variances
    }

    pub(crate) fn axes(&self) -> Axes {
        let (shortest, longest) = self.root.extremes();
        Axes { shortest: shortest.sqrt(), longest: longest.sqrt(), alpha: self.alpha, beta: 1.0 }
    }

    pub(crate) fn axis_lengths(&self) -> Vec<f64> {
        self.root.eigenvalues().iter().map(|value| value.sqrt()).collect()
    }

    pub(crate) fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.root.principal_axis((t % axis.len() as u64) as usize, axis);
    }
}

fn columns(matrix: MatRef<'_, f64>) -> Columns {
    let mut columns = Columns::zeros(matrix.nrows(), matrix.ncols());
    let entries = matrix.col_iter().flat_map(|column| column.iter());
    for (to, from) in columns.as_mut_slice().iter_mut().zip(entries) {
        *to = *from;
    }
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
    iterations_in_k: usize,
    path: EvolutionPath,
    alpha: f64,
}

#[cfg(feature = "checkpoint")]
impl From<Covariance> for State {
    fn from(covariance: Covariance) -> Self {
        let Covariance { c, k, decomposed, iterations_in_k, path, alpha, .. } = covariance;
        let numbers = |matrix: &Mat<f64>| columns(matrix.as_ref()).as_slice().to_vec();
        Self { n: c.nrows(), c: numbers(&c), k: numbers(&k), decomposed, iterations_in_k, path, alpha }
    }
}

#[cfg(feature = "checkpoint")]
impl TryFrom<State> for Covariance {
    type Error = &'static str;

    fn try_from(state: State) -> Result<Self, &'static str> {
        let State { n, c, k, decomposed, iterations_in_k, path, alpha } = state;
        // Lengths first: nothing is allocated for a dimension that the data do not have.
        let entries = n.checked_mul(n);
        if Some(c.len()) != entries || Some(k.len()) != entries || !path.is_path_of(n) {
            return Err("the parts of C have different dimensions");
        }
        if !k.iter().chain([&alpha]).all(|number| number.is_finite()) {
            return Err("the pending update of C is not finite");
        }
        let mut covariance = Self::identity(n);
        let matrix = |numbers: &[f64]| MatRef::from_column_major_slice(numbers, n, n).to_owned();
        (covariance.c, covariance.k) = (matrix(&c), matrix(&k));
        if decomposed {
            covariance.root.factor(covariance.c.as_ref()).map_err(|_| "C has no root")?;
        } else if covariance.c != Mat::<f64>::identity(n, n) {
            return Err("C has changed without a decomposition");
        }
        for (i, variance) in covariance.variances.iter_mut().enumerate() {
            *variance = covariance.c[(i, i)];
        }
        Ok(Self { decomposed, iterations_in_k, path, alpha, ..covariance })
    }
}
