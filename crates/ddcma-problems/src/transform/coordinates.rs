//! Transformations of the points: shift, rotation, scaling.

use crate::{Problem, ProblemError, Rotation};

/// A shifted problem f(x − shift), from [`Problem::shifted`].
#[derive(Clone, Debug)]
pub struct Shifted<O> {
    inner: O,
    shift: Vec<f64>,
    moved: Vec<f64>,
}

impl<O: Problem> Shifted<O> {
    pub(crate) fn new(inner: O, shift: Vec<f64>) -> Result<Self, ProblemError> {
        check_dimension(&inner, shift.len())?;
        check_all("a coordinate of the shift", "finite", &shift, f64::is_finite)?;
        Ok(Self { inner, shift, moved: Vec::new() })
    }

    fn move_points(&mut self, points: &[f64]) {
        self.moved.resize(points.len(), 0.0);
        for (moved, points) in columns(&mut self.moved, points, self.shift.len()) {
            for ((moved, x), shift) in moved.iter_mut().zip(points).zip(&self.shift) {
                *moved = x - shift;
            }
        }
    }

    /// Returns the inner problem.
    pub fn inner(&self) -> &O {
        &self.inner
    }
}

impl<O: Problem> Problem for Shifted<O> {
    fn dimension(&self) -> usize {
        self.shift.len()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dimension(), "the point must have the dimension of the problem");
        self.move_points(x);
        self.inner.value(&self.moved)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        self.move_points(points);
        self.inner.values(&self.moved, values);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        let minimizer = self.inner.minimizer()?;
        Some(minimizer.iter().zip(&self.shift).map(|(x, shift)| x + shift).collect())
    }
}

/// A rotated problem f(R·x), from [`Problem::rotated`].
#[derive(Clone, Debug)]
pub struct Rotated<O> {
    inner: O,
    rotation: Rotation,
    turned: Vec<f64>,
}

impl<O: Problem> Rotated<O> {
    pub(crate) fn new(inner: O, rotation: Rotation) -> Result<Self, ProblemError> {
        check_dimension(&inner, rotation.dimension())?;
        Ok(Self { inner, rotation, turned: Vec::new() })
    }

    fn turn_points(&mut self, points: &[f64]) {
        self.turned.resize(points.len(), 0.0);
        self.rotation.apply(points, &mut self.turned);
    }

    /// Returns the inner problem.
    pub fn inner(&self) -> &O {
        &self.inner
    }
}

impl<O: Problem> Problem for Rotated<O> {
    fn dimension(&self) -> usize {
        self.rotation.dimension()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dimension(), "the point must have the dimension of the problem");
        self.turn_points(x);
        self.inner.value(&self.turned)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        self.turn_points(points);
        self.inner.values(&self.turned, values);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        Some(self.rotation.unapply(&self.inner.minimizer()?))
    }
}

/// A scaled problem f(S·x), from [`Problem::scaled`].
#[derive(Clone, Debug)]
pub struct Scaled<O> {
    inner: O,
    scales: Vec<f64>,
    stretched: Vec<f64>,
}

impl<O: Problem> Scaled<O> {
    pub(crate) fn new(inner: O, scales: Vec<f64>) -> Result<Self, ProblemError> {
        check_dimension(&inner, scales.len())?;
        check_all("a scale", "finite and not 0", &scales, |scale| scale.is_finite() && scale != 0.0)?;
        Ok(Self { inner, scales, stretched: Vec::new() })
    }

    fn stretch_points(&mut self, points: &[f64]) {
        self.stretched.resize(points.len(), 0.0);
        for (stretched, points) in columns(&mut self.stretched, points, self.scales.len()) {
            for ((stretched, x), scale) in stretched.iter_mut().zip(points).zip(&self.scales) {
                *stretched = scale * x;
            }
        }
    }

    /// Returns the inner problem.
    pub fn inner(&self) -> &O {
        &self.inner
    }
}

impl<O: Problem> Problem for Scaled<O> {
    fn dimension(&self) -> usize {
        self.scales.len()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.dimension(), "the point must have the dimension of the problem");
        self.stretch_points(x);
        self.inner.value(&self.stretched)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        self.stretch_points(points);
        self.inner.values(&self.stretched, values);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        let minimizer = self.inner.minimizer()?;
        Some(minimizer.iter().zip(&self.scales).map(|(x, scale)| x / scale).collect())
    }
}

fn columns<'a>(to: &'a mut [f64], from: &'a [f64], n: usize) -> impl Iterator<Item = (&'a mut [f64], &'a [f64])> {
    to.chunks_exact_mut(n).zip(from.chunks_exact(n))
}

fn check_dimension(inner: &impl Problem, got: usize) -> Result<(), ProblemError> {
    let expected = inner.dimension();
    if got == expected { Ok(()) } else { Err(ProblemError::WrongDimension { expected, got }) }
}

fn check_all(name: &'static str, rule: &str, numbers: &[f64], good: impl Fn(f64) -> bool) -> Result<(), ProblemError> {
    match numbers.iter().find(|number| !good(**number)) {
        Some(&value) => Err(ProblemError::OutOfRange { name, rule: rule.into(), value }),
        None => Ok(()),
    }
}
