//! A function in a given orientation: the formulas of Table 1.

use std::f64::consts::PI;

use crate::rotation::dot;
use crate::{Function, Problem, ProblemError, Rotation};

/// A function of the suite with its dimension, its unit vectors and its rotation.
///
/// Most users want an [`Instance`](crate::Instance), which draws these from a seed.
///
/// ```
/// use ddcma_problems::{Function, Landscape};
///
/// let discus = Landscape::new(Function::Discus, 3)?;
/// assert_eq!(discus.at(&[1.0, 2.0, 0.0]), 1e6 + 4.0);
/// # Ok::<(), ddcma_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Landscape {
    function: Function,
    n: usize,
    /// The factors of the squares or, for y = D_ell²·x, of the coordinates.
    scales: Vec<f64>,
    /// u and, if there is one, v, one after the other.
    directions: Vec<f64>,
    rotation: Option<Rotation>,
    /// Workspace for a generation, not part of the function.
    rotated_points: Vec<f64>,
}

impl PartialEq for Landscape {
    fn eq(&self, other: &Self) -> bool {
        // The function and n determine the scales.
        (self.function, self.n) == (other.function, other.n)
            && self.directions == other.directions
            && self.rotation == other.rotation
    }
}

impl Landscape {
    /// The largest number of variables, 2²⁴.
    pub const LARGEST: usize = 1 << 24;

    /// Creates the function in the given coordinates: R = I, u = e_1, v = e_2.
    ///
    /// The paper's Ell-… functions have a random u even if nothing is rotated; with u = e_1 they are separable.
    pub fn new(function: Function, n: usize) -> Result<Self, ProblemError> {
        Self::check_dimension(function, n)?;
        let mut directions = vec![0.0; n * function.directions()];
        for (k, direction) in directions.chunks_exact_mut(n).enumerate() {
            direction[k] = 1.0;
        }
        Ok(Self::build(function, n, directions, None))
    }

    /// Creates the function in rotated coordinates: z = R·x, and u and v are the first rows of R.
    pub fn rotated(function: Function, rotation: Rotation) -> Result<Self, ProblemError> {
        let n = rotation.dimension();
        Self::check_dimension(function, n)?;
        let directions = rotation.rows().take(function.directions()).flatten().copied().collect();
        // The functions of u and v use no other rows of R.
        let rotation = (function.directions() == 0).then_some(rotation);
        Ok(Self::build(function, n, directions, rotation))
    }

    pub(crate) fn check_dimension(function: Function, n: usize) -> Result<(), ProblemError> {
        let needed = function.smallest_dimension();
        if n < needed {
            return Err(ProblemError::TooFewVariables { function, needed, n });
        }
        if n > Self::LARGEST {
            return Err(ProblemError::TooManyVariables { largest: Self::LARGEST, n });
        }
        Ok(())
    }

    /// Builds the landscape; the dimension must have been checked.
    pub(crate) fn build(function: Function, n: usize, directions: Vec<f64>, rotation: Option<Rotation>) -> Self {
        // (i − 1)/(n − 1), and D_ell = 1 for n = 1
        let position = |i: usize| i as f64 / (n.max(2) - 1) as f64;
        let scales = match function {
            Function::Ellipsoid => (0..n).map(|i| 10f64.powf(6.0 * position(i))).collect(), // D_ell⁶
            Function::TwoAxes => (0..n).map(|i| if i < n / 2 { 1e6 } else { 1.0 }).collect(),
            Function::EllCig | Function::EllDis | Function::EllCigDis => {
                (0..n).map(|i| 10f64.powf(2.0 * position(i))).collect() // D_ell²
            }
            _ => Vec::new(),
        };
        Self { function, n, scales, directions, rotation, rotated_points: Vec::new() }
    }

    /// Returns the function.
    pub fn function(&self) -> Function {
        self.function
    }

    /// Returns u, if the function has one.
    pub fn u(&self) -> Option<&[f64]> {
        self.directions.get(..self.n)
    }

    /// Returns v, if the function has one.
    pub fn v(&self) -> Option<&[f64]> {
        self.directions.get(self.n..2 * self.n)
    }

    /// Returns R, if the function uses all of it.
    pub fn rotation(&self) -> Option<&Rotation> {
        self.rotation.as_ref()
    }

    /// Returns the value at a point. Allocates nothing.
    ///
    /// # Panics
    /// Panics if the point does not have the dimension of the problem.
    pub fn at(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.n, "the point must have the dimension of the problem");
        match &self.rotation {
            None => self.formula(x.iter().copied()),
            Some(rotation) => self.formula(rotation.rows().map(|row| dot(row, x))),
        }
    }

    /// Table 1, with z given one coordinate after the other.
    fn formula(&self, z: impl Iterator<Item = f64>) -> f64 {
        match self.function {
            Function::Sphere => z.map(|z| z * z).sum(),
            Function::Cigar => {
                let (along, _, total) = self.project(z);
                along + 1e6 * without(total, along)
            }
            Function::Discus => {
                let (along, _, total) = self.project(z);
                1e6 * along + without(total, along)
            }
            Function::Ellipsoid | Function::TwoAxes => z.zip(&self.scales).map(|(z, s)| s * (z * z)).sum(),
            Function::EllCig => {
                let (along, _, total) = self.project(self.scaled(z));
                1e-4 * along + without(total, along)
            }
            Function::EllDis => {
                let (along, _, total) = self.project(self.scaled(z));
                1e4 * along + without(total, along)
            }
            Function::EllCigDis => {
                let (along_u, along_v, total) = self.project(self.scaled(z));
                1e-4 * along_u + 1e4 * along_v + without(without(total, along_u), along_v)
            }
            Function::Rosenbrock => pairs(z).map(|(z, next)| 100.0 * (z * z - next).powi(2) + (z - 1.0).powi(2)).sum(),
            // 1 − cos t = 2 sin²(t/2) is exact near the optimum, where the difference would cancel.
            Function::Bohachevsky => pairs(z)
                .map(|(z, next)| {
                    let ripples = 0.6 * (1.5 * PI * z).sin().powi(2) + 0.8 * (2.0 * PI * next).sin().powi(2);
                    z * z + 2.0 * next * next + ripples
                })
                .sum(),
            Function::Rastrigin => z.map(|z| z * z + 20.0 * (PI * z).sin().powi(2)).sum(),
            Function::Schaffer => pairs(z)
                .map(|(z, next)| {
                    let s = z * z + next * next;
                    let ripples = (50.0 * s.powf(0.1)).sin().powi(2);
                    // If s overflows, the sine is undefined, and irrelevant.
                    s.sqrt().sqrt() * (1.0 + if s == f64::INFINITY { 0.0 } else { ripples })
                })
                .sum(),
        }
    }

    /// y = D_ell²·x.
    fn scaled(&self, x: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
        x.zip(&self.scales).map(|(x, scale)| scale * x)
    }

    /// ⟨u, y⟩², ⟨v, y⟩² (zero without v) and ‖y‖².
    fn project(&self, y: impl Iterator<Item = f64>) -> (f64, f64, f64) {
        let (u, v) = self.directions.split_at(self.n);
        let (mut along_u, mut along_v, mut total) = (0.0, 0.0, 0.0);
        for (k, y) in y.enumerate() {
            along_u += u[k] * y;
            along_v += v.get(k).map_or(0.0, |v| v * y);
            total += y * y;
        }
        (along_u * along_u, along_v * along_v, total)
    }
}

/// total − part, never negative, in spite of rounding and overflow.
fn without(total: f64, part: f64) -> f64 {
    if part < total { total - part } else { 0.0 }
}

/// (z_1, z_2), (z_2, z_3), …
fn pairs(mut z: impl Iterator<Item = f64>) -> impl Iterator<Item = (f64, f64)> {
    let first = z.next().unwrap_or(f64::NAN);
    z.scan(first, |previous, z| Some((std::mem::replace(previous, z), z)))
}

impl Problem for Landscape {
    fn dimension(&self) -> usize {
        self.n
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        self.at(x)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        assert_eq!(points.len(), self.n * values.len(), "there must be one value per point");
        match &self.rotation {
            None => {
                let points = points.chunks_exact(self.n);
                points.zip(values).for_each(|(x, value)| *value = self.formula(x.iter().copied()));
            }
            Some(rotation) => {
                self.rotated_points.resize(points.len(), 0.0);
                rotation.apply(points, &mut self.rotated_points); // Z = R·X
                let rotated = self.rotated_points.chunks_exact(self.n);
                rotated.zip(values).for_each(|(z, value)| *value = self.formula(z.iter().copied()));
            }
        }
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        let z = match self.function {
            Function::Rosenbrock => vec![1.0; self.n],
            _ => vec![0.0; self.n],
        };
        Some(self.rotation.as_ref().map_or(z.clone(), |rotation| rotation.unapply(&z)))
    }
}
