//! The trait of all problems, with a method for each transformation.

use crate::transform::{Counted, Noise, Noisy, Rotated, Scaled, Shifted, Transformed};
use crate::{ProblemError, Rotation};

/// A function to minimize: at one point, or at all points of a generation at once.
///
/// Transformations can be chained. The last one is the first that an optimizer's points go through:
///
/// ```
/// use ddcma_problems::{Problem, from_fn};
///
/// let mut problem = from_fn(2, |x: &[f64]| x[0] * x[0] + x[1] * x[1])?
///     .shifted(vec![1.0, 2.0])? // the optimum is now at (1, 2)
///     .transformed(f64::sqrt)
///     .counted(1000);
/// assert_eq!(problem.value(&[1.0, 2.0]), 0.0);
/// assert_eq!(problem.value(&[4.0, 6.0]), 5.0);
/// assert_eq!(problem.evaluations(), 2);
/// # Ok::<(), ddcma_problems::ProblemError>(())
/// ```
pub trait Problem {
    /// Returns the number of variables.
    fn dimension(&self) -> usize;

    /// Evaluates the function at a point.
    ///
    /// # Panics
    /// Panics if the point does not have the dimension of the problem.
    fn value(&mut self, x: &[f64]) -> f64;

    /// Evaluates the function at many points, which are stored one after the other.
    ///
    /// # Panics
    /// Panics if there is not one value per point.
    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        let n = self.dimension();
        assert_eq!(points.len(), n * values.len(), "there must be one value per point");
        for (x, value) in points.chunks_exact(n).zip(values) {
            *value = self.value(x);
        }
    }

    /// Returns the location of the minimum, if it is known.
    fn minimizer(&self) -> Option<Vec<f64>> {
        None
    }

    /// Shifts the problem to f(x − shift): the optimum moves by `shift`.
    fn shifted(self, shift: Vec<f64>) -> Result<Shifted<Self>, ProblemError>
    where
        Self: Sized,
    {
        Shifted::new(self, shift)
    }

    /// Rotates the problem to f(R·x).
    fn rotated(self, rotation: Rotation) -> Result<Rotated<Self>, ProblemError>
    where
        Self: Sized,
    {
        Rotated::new(self, rotation)
    }

    /// Scales the coordinates to f(S·x), with a diagonal matrix S whose entries must be finite and not zero.
    fn scaled(self, scales: Vec<f64>) -> Result<Scaled<Self>, ProblemError>
    where
        Self: Sized,
    {
        Scaled::new(self, scales)
    }

    /// Transforms the values to g(f(x)); NaN stays NaN. If g is increasing, nothing changes for an optimizer that only
    /// compares values.
    fn transformed<G: FnMut(f64) -> f64>(self, g: G) -> Transformed<Self, G>
    where
        Self: Sized,
    {
        Transformed::new(self, g)
    }

    /// Adds noise to the values, drawn from its own random stream.
    fn noisy(self, noise: Noise, seed: u64) -> Result<Noisy<Self>, ProblemError>
    where
        Self: Sized,
    {
        Noisy::new(self, noise, seed)
    }

    /// Counts evaluations, and allows at most `budget` of them.
    fn counted(self, budget: u64) -> Counted<Self>
    where
        Self: Sized,
    {
        Counted::new(self, budget)
    }
}

impl<O: Problem + ?Sized> Problem for &mut O {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        (**self).value(x)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        (**self).values(points, values);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        (**self).minimizer()
    }
}

impl<O: Problem + ?Sized> Problem for Box<O> {
    fn dimension(&self) -> usize {
        (**self).dimension()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        (**self).value(x)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        (**self).values(points, values);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        (**self).minimizer()
    }
}

/// Turns a closure into a problem of `n` variables.
pub fn from_fn<F: FnMut(&[f64]) -> f64>(n: usize, f: F) -> Result<FromFn<F>, ProblemError> {
    match n {
        0 => Err(ProblemError::OutOfRange { name: "n", rule: "at least 1".into(), value: 0.0 }),
        _ => Ok(FromFn { n, f }),
    }
}

/// A closure as a problem, from [`from_fn`].
#[derive(Clone, Debug)]
pub struct FromFn<F> {
    n: usize,
    f: F,
}

impl<F: FnMut(&[f64]) -> f64> Problem for FromFn<F> {
    fn dimension(&self) -> usize {
        self.n
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.n, "the point must have the dimension of the problem");
        (self.f)(x)
    }
}
