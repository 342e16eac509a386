//! Plain CMA-ES: C is learnt, D stays as it was given, up to powers of two that C or σ leave to it. Lines 8, 9, 12, 13, 15 and
//! 17 of Algorithm 1. Knows neither m nor σ.

use super::covariance::Covariance;
use super::root::Divide;
use super::{Axes, Generation, Strategy};
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// Learns a full covariance matrix, and is invariant to rotations of the search space.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Plain {
    covariance: Covariance,
    d: Vec<f64>,
}

impl Strategy for Plain {
    const NAME: &'static str = "plain";

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
        self.covariance.accumulate(generation, &self.d, params)?; // lines 8 and 9
        if self.covariance.is_due(params) {
            let fits = |scale: f64| self.d.iter().all(|d| (d * scale).is_normal());
            let next = self.covariance.propose(Divide::ByScale(&fits), params)?; // lines 13 and 15
            let scale = next.scale(); // not in Algorithm 1: 1 as a rule
            next.apply(); // line 17
            self.d.iter_mut().for_each(|d| *d *= scale);
        }
        Ok(())
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.covariance.whiten_into(y, z);
    }

    fn rescale(&mut self, factor: f64) -> bool {
        self.d.iter_mut().for_each(|d| *d *= factor);
        self.covariance.rescale_path(factor);
        true
    }

    fn c_diagonal(&self) -> Option<&[f64]> {
        Some(self.covariance.variances())
    }

    fn path(&self) -> Option<&EvolutionPath> {
        Some(self.covariance.path())
    }

    fn axes(&self) -> Axes {
        self.covariance.axes()
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.covariance.axis_lengths()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.covariance.principal_axis(t, axis);
    }
}

impl Plain {
    /// p_c and γ_c.
    pub fn path_c(&self) -> &EvolutionPath {
        self.covariance.path()
    }

    /// √C, the symmetric root of C, made on request; none, if C is too ill-conditioned to have one in double precision. With
    /// [`Root::Literal`](crate::Root::Literal) sampling uses it; by default it uses another root, which differs from it by a
    /// rotation.
    pub fn sqrt_c(&self) -> Option<Columns> {
        self.covariance.sqrt_c()
    }
}
