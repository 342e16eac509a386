//! dd-CMA-ES: C and D are learnt together. The whole of Algorithm 1.

use super::covariance::Covariance;
use super::decoding::Decoding;
use super::{Generation, Strategy};
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// Learns coordinate deviations as fast as separable CMA-ES, and correlations as well as plain CMA-ES.
///
/// The choice for everyone who does not know better.
#[derive(Clone, Debug)]
pub struct DiagonalDecoding {
    covariance: Covariance,
    decoding: Decoding,
}

impl Strategy for DiagonalDecoding {
    fn new(params: &Params, d: &[f64]) -> Self {
        Self { covariance: Covariance::new(params), decoding: Decoding::new(params, d) }
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.covariance.sample(z, y);
    }

    fn d(&self) -> &[f64] {
        self.decoding.d()
    }

    fn c(&self) -> Columns {
        self.covariance.c()
    }

    fn update(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError> {
        let Self { covariance, decoding } = self;
        covariance.accumulate(generation, decoding.d(), params); // lines 8 and 9
        decoding.update(generation, params, |path| covariance.whiten(path))?; // lines 8 and 10
        if covariance.is_due(params) {
            covariance.merge(params)?; // line 13
            covariance.correlate()?; // line 14, right half
            covariance.decompose()?; // lines 15 and 17
            decoding.set_damping(covariance.condition(), params); // line 16
            decoding.absorb(covariance.deviations())?; // line 14, left half
        }
        Ok(())
    }
}

impl DiagonalDecoding {
    /// p_c and γ_c.
    pub fn path(&self) -> &EvolutionPath {
        self.covariance.path()
    }

    /// p_c,D and γ_c,D.
    pub fn path_d(&self) -> &EvolutionPath {
        self.decoding.path()
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

    /// β, the damping of D.
    pub fn beta(&self) -> f64 {
        self.decoding.beta()
    }
}
