//! The error of A⁻¹·A, measured through the sampling interface of a strategy.

use ddcma_core::{Columns, Strategy};

/// The largest error allowed, in units of ε·n·κ, where κ is the condition number of A: A and A⁻¹ are known to about ε each,
/// relative to their norms, and their product to κ times that.
pub const TOLERANCE: f64 = 32.0;

/// Returns the largest ‖A⁻¹·A·z − z‖/‖z‖ over the columns of `z`.
pub fn error<S: Strategy + Clone>(strategy: &S, z: &Columns) -> f64 {
    let mut strategy = strategy.clone(); // sampling needs workspace, and the original must not change
    let (mut y, mut back) = (Columns::zeros(z.dimension(), z.len()), Columns::zeros(z.dimension(), z.len()));
    strategy.sample(z, &mut y);
    strategy.whiten(y.as_slice(), back.as_mut_slice());
    let error = |(z, back): (&[f64], &[f64])| {
        let difference: f64 = z.iter().zip(back).map(|(z, back)| (z - back).powi(2)).sum();
        (difference / z.iter().map(|z| z * z).sum::<f64>()).sqrt()
    };
    let larger = |a: f64, b: f64| if a >= b { a } else { b }; // keeps NaN
    z.iter().zip(&back).map(error).fold(0.0, larger)
}

/// Returns an error in units of ε·n·κ.
pub fn units(error: f64, n: usize, condition: f64) -> f64 {
    error / (f64::EPSILON * n as f64 * condition.max(1.0))
}

#[cfg(test)]
mod tests {
    use ddcma_core::{BuiltInRule, Generation, Pace, Params, Shape, StartError, StartShape, UpdateError};

    use super::*;

    /// An A⁻¹ that is off by a factor.
    #[derive(Clone)]
    struct Off(f64);

    impl Strategy for Off {
        const NAME: &'static str = "off";
        type Options = ();
        type StepSize = BuiltInRule;
        fn start(_: &Params, (): &(), _: &StartShape<'_>) -> Result<Self, StartError> {
            Ok(Self(1.0))
        }
        fn sample(&mut self, z: &Columns, y: &mut Columns) {
            y.clone_from(z);
        }
        fn shape(&self) -> Shape<'_> {
            Shape::new(&[1.0; 3])
        }
        fn axis_lengths(&self) -> Vec<f64> {
            vec![1.0; 3]
        }
        fn c(&self) -> Columns {
            Columns::zeros(3, 3)
        }
        fn update(&mut self, _: &Generation<'_>, _: &mut dyn Pace, _: &Params) -> Result<(), UpdateError> {
            Ok(())
        }
        fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
            z.iter_mut().zip(y).for_each(|(z, y)| *z = self.0 * y);
        }
    }

    #[test]
    fn the_error_is_that_of_the_inverse_and_nan_is_no_small_one() {
        let z = Columns::from_vec(3, vec![1.0, -2.0, 0.5, 3.0, 0.25, 1.5]).unwrap();
        assert_eq!(error(&Off(1.0), &z), 0.0);
        assert!((error(&Off(1.25), &z) - 0.25).abs() < 1e-15);
        assert!(error(&Off(f64::NAN), &z).is_nan());
        assert_eq!(units(f64::EPSILON, 1, 0.5), 1.0);
    }
}
