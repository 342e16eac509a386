//! Separable CMA-ES: D is learned, and C stays the identity. This is Algorithm 1 without the update of C.

use super::decoding::Decoding;
use super::{Axes, Generation, Shape, StartShape, Strategy};
use crate::step_size::BuiltInRule;
use crate::stored::{stored, stored_as_bytes};
use crate::{Columns, EvolutionPath, Pace, Params, StartError, UpdateError};

stored! {
    /// The strategy of separable CMA-ES: learns one deviation per coordinate and no dependencies, in O(n) time and memory
    /// per candidate.
    ///
    /// Use it for very many variables that hardly interact.
    #[derive(Clone, Debug)]
    pub struct Separable {
        decoding: Decoding,
    }
}

impl Strategy for Separable {
    const NAME: &'static str = "sep";

    type Options = ();

    type StepSize = BuiltInRule;

    fn start(params: &Params, (): &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self { decoding: Decoding::new(params, shape.deviations()) })
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        y.as_mut_slice().copy_from_slice(z.as_slice()); // ~ N(0, I)
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        self.decoding.update_path(generation, params)?; // line 8
        self.decoding.update(generation, pace, params) // line 10, with √C⁻¹ = I
    }

    fn shape(&self) -> Shape<'_> {
        let axes = Axes { beta: self.decoding.beta(), ..Axes::default() };
        Shape { path: Some(self.decoding.path()), axes, ..Shape::new(self.decoding.d()) }
    }

    fn has_c(&self) -> bool {
        false
    }

    fn c(&self) -> Columns {
        Columns::identity(self.decoding.d().len())
    }

    fn axis_lengths(&self) -> Vec<f64> {
        vec![1.0; self.decoding.d().len()]
    }

    fn set_d(&mut self, d: &[f64]) -> bool {
        self.decoding.set_d(d, |_, _| ());
        true
    }

    stored_as_bytes!();

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.decoding.resume(params)
    }
}

impl Separable {
    /// Returns the path of D: p_c,D and γ_c,D.
    pub fn path_d(&self) -> &EvolutionPath {
        self.decoding.path()
    }
}
