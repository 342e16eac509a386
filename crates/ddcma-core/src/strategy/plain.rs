//! Plain CMA-ES: C is learned, and D stays as given, except for powers of two that C or σ hand over to it. Lines 8, 9, 12,
//! 13, 15 and 17 of Algorithm 1.

use super::covariance::Covariance;
use super::root::Divide;
use super::{Generation, Shape, StartShape, Strategy};
use crate::numeric::power_of_two;
use crate::step_size::BuiltInRule;
use crate::stored::{stored, stored_as_bytes};
use crate::{Columns, EvolutionPath, Pace, Params, StartError, UpdateError};

stored! {
    /// The strategy of plain CMA-ES: learns a full covariance matrix, and is invariant to rotations of the search space.
    #[derive(Clone, Debug)]
    pub struct Plain {
        covariance: Covariance,
        d: Vec<f64>,
    }
}

impl Strategy for Plain {
    const NAME: &'static str = "plain";

    type Options = ();

    type StepSize = BuiltInRule;

    fn start(params: &Params, (): &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self { covariance: Covariance::start_with_fixed_d(params, shape.c)?, d: shape.d.to_vec() })
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.covariance.sample(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.covariance.whiten_into(y, z);
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        self.covariance.update_path(generation, params)?; // line 8
        self.covariance.whiten_path(&self.d);
        self.covariance.accumulate(generation, pace, params)?; // line 9
        if self.covariance.is_due(params) {
            let fits = |scale: f64| self.d.iter().all(|d| (d * scale).is_normal());
            let next = self.covariance.propose(Divide::ByScale(&fits), params)?; // lines 13 and 15
            let scale = next.scale(); // not in Algorithm 1; usually 1
            next.apply(); // line 17
            self.d.iter_mut().for_each(|d| *d *= scale);
        }
        Ok(())
    }

    fn shape(&self) -> Shape<'_> {
        Shape {
            d: &self.d,
            c_diagonal: Some(self.covariance.variances()),
            path: Some(self.covariance.path()),
            axes: self.covariance.axes(),
        }
    }

    fn c(&self) -> Columns {
        self.covariance.c()
    }

    fn axis_lengths(&self) -> Vec<f64> {
        self.covariance.axis_lengths()
    }

    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        self.covariance.principal_axis(t, axis);
    }

    /// Accepts only a power of two that is the same for all coordinates: D is not learned.
    fn set_d(&mut self, d: &[f64]) -> bool {
        let factor = d[0] / self.d[0];
        if factor != power_of_two(factor) || self.d.iter().zip(d).any(|(old, new)| old * factor != *new) {
            return false;
        }
        for (k, (old, new)) in self.d.iter_mut().zip(d).enumerate() {
            self.covariance.scale_path(k, factor);
            *old = *new;
        }
        true
    }

    stored_as_bytes!();

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.covariance.resume(params, true)
    }
}

impl Plain {
    /// Returns the path of C: p_c and γ_c.
    pub fn path_c(&self) -> &EvolutionPath {
        self.covariance.path()
    }

    /// Returns √C, the symmetric root of C, computed on demand; `None` if C is too ill-conditioned for double precision.
    ///
    /// With [`Root::Literal`](crate::Root::Literal), sampling uses this root. By default it uses another root, which differs
    /// from it by a rotation.
    pub fn sqrt_c(&self) -> Option<Columns> {
        self.covariance.sqrt_c()
    }
}
