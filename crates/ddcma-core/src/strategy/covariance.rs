//! The matrix C with its root, its path and the pending update K. Knows D only as a slice to divide by.

use ddcma_linalg::{
    Eigh, Mat, MatRef, SymmetricRoot, add_diagonal, add_outer, add_weighted_gram, correlate, sandwich, unscale_columns,
};

use super::Generation;
use crate::settings::Definiteness;
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// C, decomposed every t_eig iterations, and what has been learnt since.
#[derive(Clone, Debug)]
pub(crate) struct Covariance {
    c: Mat<f64>,
    root: SymmetricRoot,
    k: Mat<f64>,
    iterations_in_k: usize,
    path: EvolutionPath,
    alpha: f64,
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
        let Params { n, lambda, .. } = *params;
        Self {
            c: Mat::identity(n, n),
            root: SymmetricRoot::identity(n),
            k: Mat::zeros(n, n),
            iterations_in_k: 0,
            path: EvolutionPath::new(n),
            alpha: 1.0,
            next: Mat::zeros(n, n),
            next_alpha: 1.0,
            deviations: vec![1.0; n],
            eigh: Eigh::new(n),
            product: Mat::zeros(n, n),
            q: vec![0.0; n],
            whitened: vec![0.0; n],
            weights: vec![0.0; lambda],
            weighted_z: vec![0.0; n * lambda],
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

    /// Algorithm 1, lines 8 and 9: the path of C, and Z added to K.
    pub(crate) fn accumulate(&mut self, generation: &Generation<'_>, d: &[f64], params: &Params) {
        let Params { c_1, c_mu, c_c, mu_w, .. } = *params;
        self.path.update(c_c, mu_w, generation.step, generation.h_sigma); // eq. (pc), eq. (gc)

        self.q.copy_from_slice(self.path.p());
        unscale_columns(d, &mut self.q);
        self.root.whiten(&self.q, &mut self.whitened); // √C⁻¹·D⁻¹·p_c
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

    pub(crate) fn alpha(&self) -> f64 {
        self.alpha
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
