//! dd-CMA-ES: C and D are learned together, lines 8 to 10 and 12 to 17 of Algorithm 1.

use super::covariance::Covariance;
use super::decoding::Decoding;
use super::root::Divide;
use super::{Axes, Generation, Shape, StartShape, Strategy};
use crate::step_size::BuiltInRule;
use crate::stored::{stored, stored_as_bytes};
use crate::{Columns, EvolutionPath, Pace, Params, StartError, UpdateError};

stored! {
    /// The strategy of dd-CMA-ES: learns coordinate deviations as fast as separable CMA-ES, and correlations as well as
    /// plain CMA-ES.
    ///
    /// The recommended default.
    #[derive(Clone, Debug)]
    pub struct DiagonalDecoding {
        covariance: Covariance,
        decoding: Decoding,
    }
}

impl Strategy for DiagonalDecoding {
    const NAME: &'static str = "dd";

    type Options = ();

    type StepSize = BuiltInRule;

    /// D takes the deviations of the coordinates, and C is their correlation matrix.
    fn start(params: &Params, (): &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        let correlations = shape.c.map(correlations);
        let covariance = Covariance::start(params, correlations.as_ref())?;
        let mut decoding = Decoding::new(params, shape.deviations());
        // Until the first update of C, an undamped D would unlearn the correlations that are given.
        decoding.set_damping(covariance.extremes(), params); // line 16
        Ok(Self { covariance, decoding })
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.covariance.sample(z, y);
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.covariance.whiten_into(y, z);
    }

    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        let Self { covariance, decoding } = self;
        covariance.update_path(generation, params)?; // line 8
        decoding.update_path(generation, params).inspect_err(|_| covariance.restore_path())?; // line 8
        let (d, path_d) = decoding.d_and_path();
        covariance.whiten_paths(d, path_d);
        covariance.accumulate(generation, pace, params).inspect_err(|_| decoding.restore_path())?; // line 9
        decoding.update(generation, pace, params)?; // line 10
        decoding.follow_agreement(params); // not in Algorithm 1: only with `Damping::Agreement`
        // Line 12. Whatever can fail in lines 13 to 17 fails before they change anything.
        if covariance.is_due(params) {
            let next = covariance.propose(Divide::ByDeviations, params)?; // lines 13 and 15, of a C divided as in line 14
            decoding.absorb(next.deviations())?; // line 14
            next.apply(); // line 17
            decoding.set_damping(covariance.extremes(), params); // line 16
        }
        Ok(())
    }

    fn shape(&self) -> Shape<'_> {
        let axes = Axes { beta: self.decoding.beta(), ..self.covariance.axes() };
        Shape { path: Some(self.covariance.path()), axes, ..Shape::new(self.decoding.d()) }
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

    fn set_d(&mut self, d: &[f64]) -> bool {
        let Self { covariance, decoding } = self;
        decoding.set_d(d, |k, factor| covariance.scale_path(k, factor));
        true
    }

    stored_as_bytes!();

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.covariance.resume(params, false)?;
        self.decoding.resume(params)
    }
}

/// C divided by its deviations from both sides.
fn correlations(c: &Columns) -> Columns {
    let mut correlations = c.clone();
    for (j, column) in correlations.iter_mut().enumerate() {
        for (i, entry) in column.iter_mut().enumerate() {
            *entry = if i == j { 1.0 } else { *entry / c[i][i].sqrt() / c[j][j].sqrt() };
        }
    }
    correlations
}

impl DiagonalDecoding {
    /// Returns the path of C: p_c and γ_c.
    pub fn path_c(&self) -> &EvolutionPath {
        self.covariance.path()
    }

    /// Returns the path of D: p_c,D and γ_c,D.
    pub fn path_d(&self) -> &EvolutionPath {
        self.decoding.path()
    }

    /// Returns √C, the symmetric root of C, computed on demand; `None` if C is too ill-conditioned for double precision.
    ///
    /// With [`Root::Literal`](crate::Root::Literal), sampling uses this root. By default it uses another root, which differs
    /// from it by a rotation.
    pub fn sqrt_c(&self) -> Option<Columns> {
        self.covariance.sqrt_c()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::squared_length;
    use crate::settings::Root;
    use crate::{FullPace, Settings, Strategy};

    /// If D would overflow when it takes over the deviations of C, neither changes.
    #[test]
    fn a_d_that_cannot_absorb_the_deviations_of_c_leaves_both() {
        for root in [Root::LowRank, Root::Literal] {
            // Only C learns here, from steps that are all long.
            let settings = Settings::new().root(root).lambda(6).t_eig(1).c_1_d(0.0).c_mu_d(0.0);
            let params = settings.params(3).unwrap();
            let shape = StartShape { d: &[1.0, f64::MAX / 2.0, 1.0], c: None };
            let mut strategy = DiagonalDecoding::start(&params, &(), &shape).unwrap();
            let z = Columns::from_vec(3, (0..18).map(|i| 40.0 * (1.0 + f64::from(i)).sin()).collect()).unwrap();
            let z_length2: Vec<f64> = z.iter().map(squared_length).collect();
            let generation = Generation {
                z: &z,
                y: &z,
                z_length2: &z_length2,
                w: &params.w,
                w_d: &params.w_d,
                w_mean: &params.w_mean,
                z_mean: &[1.0; 3],
                step: &[0.0; 3],
                h_sigma: true,
            };
            let refused = strategy.update(&generation, &mut FullPace, &params);
            assert!(matches!(refused, Err(UpdateError::Deviation { index: 1, .. })), "{root:?}: {refused:?}");
            assert_eq!(strategy.shape().d, shape.d);
            assert_eq!(strategy.c(), Columns::identity(3), "{root:?}");
            assert_eq!(strategy.shape().axes, Axes::default());
        }
    }
}
