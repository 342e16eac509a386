//! dd-CMA-ES: C and D are learnt together, lines 8 to 10 and 12 to 17 of Algorithm 1. Knows neither m nor σ.

use super::covariance::Covariance;
use super::decoding::Decoding;
use super::{Axes, Generation, Strategy};
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// Learns coordinate deviations as fast as separable CMA-ES, and correlations as well as plain CMA-ES.
///
/// The choice for everyone who does not know better.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct DiagonalDecoding {
    covariance: Covariance,
    decoding: Decoding,
}

impl Strategy for DiagonalDecoding {
    const NAME: &'static str = "dd";

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
        covariance.accumulate(generation, decoding.d(), params)?; // lines 8 and 9
        decoding.update(generation, params, |path| covariance.whiten(path))?; // lines 8 and 10
        // Line 12. D takes over the deviations of C last, when nothing of C can fail any more.
        if covariance.is_due(params) {
            covariance.merge(params)?; // line 13
            covariance.correlate(); // line 14, right half
            covariance.decompose()?; // lines 15 and 17
            decoding.set_damping(covariance.condition(), params); // line 16
            decoding.absorb(covariance.deviations())?; // line 14, left half
        }
        Ok(())
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.covariance.whiten_into(y, z);
    }

    fn path(&self) -> Option<&EvolutionPath> {
        Some(self.covariance.path())
    }

    fn axes(&self) -> Axes {
        Axes { beta: self.decoding.beta(), ..self.covariance.axes() }
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.covariance.axis_lengths()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.covariance.principal_axis(t, axis);
    }

    fn rescale(&mut self, factor: f64) -> bool {
        self.decoding.rescale(factor);
        self.covariance.rescale_path(factor);
        true
    }

    fn limit_deviations(&mut self, limits: impl Iterator<Item = f64>) {
        let Self { covariance, decoding } = self;
        decoding.limit(limits, |k, factor| covariance.scale_path(k, factor));
    }
}

impl DiagonalDecoding {
    /// p_c and γ_c.
    pub fn path_c(&self) -> &EvolutionPath {
        self.covariance.path()
    }

    /// p_c,D and γ_c,D.
    pub fn path_d(&self) -> &EvolutionPath {
        self.decoding.path()
    }

    /// √C, the symmetric root of C, made on request; none, if C is too ill-conditioned to have one in double precision. With
    /// [`Root::Literal`](crate::Root::Literal) sampling uses it; by default it uses another root, which differs from it by a
    /// rotation.
    pub fn sqrt_c(&self) -> Option<Columns> {
        self.covariance.sqrt_c()
    }
}
