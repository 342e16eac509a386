//! Separable CMA-ES: D is learnt, C stays the identity. Algorithm 1 without the update of C.

use super::decoding::Decoding;
use super::{Axes, Generation, Strategy};
use crate::{Columns, EvolutionPath, Params, UpdateError};

/// Learns a deviation for each coordinate and no dependencies: O(n) time and memory for each candidate.
///
/// The choice for very many variables that hardly interact.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Separable {
    decoding: Decoding,
}

impl Strategy for Separable {
    const NAME: &'static str = "sep";

    fn new(params: &Params, d: &[f64]) -> Self {
        Self { decoding: Decoding::new(params, d) }
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        y.as_mut_slice().copy_from_slice(z.as_slice()); // ~ N(0, I)
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
    }

    fn d(&self) -> &[f64] {
        self.decoding.d()
    }

    fn c(&self) -> Columns {
        Columns::identity(self.d().len())
    }

    fn update(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError> {
        self.decoding.update(generation, params, |_| ()) // lines 8 and 10, with √C⁻¹ = I
    }

    fn path(&self) -> Option<&EvolutionPath> {
        Some(self.decoding.path())
    }

    fn axes(&self) -> Axes {
        Axes { beta: self.decoding.beta(), ..Axes::default() }
    }

    fn rescale(&mut self, factor: f64) -> bool {
        self.decoding.rescale(factor);
        true
    }

    fn limit_deviations(&mut self, limits: impl Iterator<Item = f64>) {
        self.decoding.limit(limits, |_, _| ());
    }
}

impl Separable {
    /// p_c,D and γ_c,D.
    pub fn path_d(&self) -> &EvolutionPath {
        self.decoding.path()
    }
}
