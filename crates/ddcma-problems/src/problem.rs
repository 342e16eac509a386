//! What can be minimised, and the doors to every transformation. Knows nothing of how points are found.

use crate::transform::{Counted, Noise, Noisy, Rotated, Scaled, Shifted, Transformed};
use crate::{ProblemError, Rotation};

/// A function to be minimised: of one point, or of a whole generation at once.
///
/// Transformations chain; the last one is what the optimizer's points meet first:
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
    /// The number of variables.
    fn dimension(&self) -> usize;

    /// The value at a point.
    ///
    /// # Panics
    /// If the point is not of the problem's dimension.
    fn value(&mut self, x: &[f64]) -> f64;

    /// The values at many points, which stand one after the other.
    ///
    /// # Panics
    /// If there is not one value for each point.
    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        let n = self.dimension();
        assert_eq!(points.len(), n * values.len(), "one value for each point");
        for (x, value) in points.chunks_exact(n).zip(values) {
            *value = self.value(x);
        }
    }

    /// Where the minimum is, if that is known.
    fn minimizer(&self) -> Option<Vec<f64>> {
        None
    }

    /// f(x − shift): the optimum moves by `shift`.
    fn shifted(self, shift: Vec<f64>) -> Result<Shifted<Self>, ProblemError>
    where
        Self: Sized,
    {
        Shifted::new(self, shift)
    }

    /// f(R·x).
    fn rotated(self, rotation: Rotation) -> Result<Rotated<Self>, ProblemError>
    where
        Self: Sized,
    {
        Rotated::new(self, rotation)
    }

    /// f(S·x) with a diagonal matrix S, whose entries are finite and not zero.
    fn scaled(self, scales: Vec<f64>) -> Result<Scaled<Self>, ProblemError>
    where
        Self: Sized,
    {
        Scaled::new(self, scales)
    }

    /// g(f(x)), and NaN where f is NaN. If g is increasing, nothing changes for an optimizer that only compares.
    fn transformed<G: FnMut(f64) -> f64>(self, g: G) -> Transformed<Self, G>
    where
        Self: Sized,
    {
        Transformed::new(self, g)
    }

    /// f with noise, drawn from a stream of its own.
    fn noisy(self, noise: Noise, seed: u64) -> Result<Noisy<Self>, ProblemError>
    where
        Self: Sized,
    {
        Noisy::new(self, noise, seed)
    }

    /// f with a counter, evaluated at most `budget` times.
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

/// A closure as a problem of `n` variables.
pub fn from_fn<F: FnMut(&[f64]) -> f64>(n: usize, f: F) -> Result<FromFn<F>, ProblemError> {
    match n {
        0 => Err(ProblemError::OutOfRange { name: "n", value: 0.0 }),
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
        assert_eq!(x.len(), self.n, "a point of the dimension of the problem");
        (self.f)(x)
    }
}
