//! Plain CMA-ES: C is learnt, D stays as it was given. Algorithm 1 without the update of D.

use super::covariance::Covariance;
use super::{Generation, Strategy};
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// Learns a full covariance matrix, and is invariant to rotations of the search space.
#[derive(Clone, Debug)]
pub struct Plain {
    covariance: Covariance,
    d: Vec<f64>,
}

impl Strategy for Plain {
    fn new(params: &Params, d: &[f64]) -> Self {
        Self { covariance: Covariance::new(params), d: d.to_vec() }
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.covariance.sample(z, y);
    }

    fn d(&self) -> &[f64] {
        &self.d
    }

    fn c(&self) -> Columns {
        self.covariance.c()
    }

    fn update(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError> {
        self.covariance.accumulate(generation, &self.d, params); // lines 8 and 9
        if self.covariance.is_due(params) {
            self.covariance.merge(params)?; // line 13
            self.covariance.decompose()?; // lines 15 and 17
        }
        Ok(())
    }
}

impl Plain {
    /// p_c and γ_c.
    pub fn path(&self) -> &EvolutionPath {
        self.covariance.path()
    }

    /// √C, the symmetric root that sampling uses, made on request.
    pub fn sqrt_c(&self) -> Columns {
        self.covariance.sqrt_c()
    }

    /// √cond(C): the longest axis of the distribution N(0, C) over its shortest.
    pub fn axis_ratio(&self) -> f64 {
        self.covariance.condition().sqrt()
    }

    /// α of the last decomposition: below 1 if the update of C had to be scaled down.
    pub fn alpha(&self) -> f64 {
        self.covariance.alpha()
    }
}
