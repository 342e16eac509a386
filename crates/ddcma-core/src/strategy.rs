//! What differs between plain, separable and diagonal-decoding CMA-ES: the shape of the sampling distribution.
//!
//! A strategy never sees an objective, a random generator, the mean or the step size.

#[cfg(feature = "dense")]
pub(crate) mod covariance;
pub(crate) mod decoding;
#[cfg(feature = "dense")]
mod diagonal_decoding;
#[cfg(feature = "dense")]
mod literal;
#[cfg(feature = "dense")]
mod low_rank;
#[cfg(feature = "dense")]
mod plain;
#[cfg(feature = "dense")]
mod range;
#[cfg(feature = "dense")]
mod root;
mod separable;

#[cfg(feature = "dense")]
pub use diagonal_decoding::DiagonalDecoding;
#[cfg(feature = "dense")]
pub use plain::Plain;
pub use separable::Separable;

use crate::{Columns, EvolutionPath, Params, UpdateError};

/// The shape D·C·D of the sampling distribution N(m, σ²·D·C·D), and how it learns from a generation.
///
/// The trait is open. An own strategy gets ask and tell, recombination and step-size adaptation from
/// [`Optimizer`](crate::Optimizer): see `examples/own_strategy.rs`.
pub trait Strategy {
    /// A short name, for tables, files and checkpoints.
    const NAME: &'static str;

    /// The initial shape: C = I, and D as given, one positive number for each coordinate.
    fn new(params: &Params, d: &[f64]) -> Self;

    /// Turns standard normal z into y ~ N(0, C), column by column: y = A·z with A·Aᵀ = C.
    ///
    /// Mutable so that a strategy may use workspace of its own; the shape must not change.
    fn sample(&mut self, z: &Columns, y: &mut Columns);

    /// Undoes [`sample`](Self::sample): z = A⁻¹·y, for one or more whole columns, of
    /// [points that come from elsewhere](crate::Optimizer::tell_points).
    fn whiten(&mut self, y: &[f64], z: &mut [f64]);

    /// The diagonal of D: a candidate is x = m + σ·D·y.
    fn d(&self) -> &[f64];

    /// C as an n × n matrix, made on request.
    fn c(&self) -> Columns;

    /// Learns from an evaluated generation.
    ///
    /// On an error the shape must still be good to sample from: D positive and finite, and a C with a root.
    fn update(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError>;

    /// The diagonal of C, unless it is all ones. Default: it is.
    fn c_diagonal(&self) -> Option<&[f64]> {
        None
    }

    /// The evolution path of the shape, p_c (of separable CMA-ES p_c,D), in the coordinates of D·y. Default: there is none.
    fn path(&self) -> Option<&EvolutionPath> {
        None
    }

    /// Extreme axes, damping and scaling, without effort. Default: those of C = I.
    fn axes(&self) -> Axes {
        Axes::default()
    }

    /// The square roots of the eigenvalues of C, in ascending order, made on request; NaN, if they cannot be computed.
    /// Default: those of C = I.
    fn axis_lengths(&self) -> Vec<f64> {
        vec![1.0; self.d().len()]
    }

    /// A principal axis of N(0, C), as long as its standard deviation; another one for each `t`. Default: that of C = I.
    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        axis.fill(0.0);
        axis[(t % axis.len() as u64) as usize] = 1.0;
    }

    /// Multiplies D, and the paths that are measured in it, by a power of two, for a σ that is divided by it: the distribution
    /// stays, to the bit. Returns whether it did. Default: D is not this strategy's to change.
    fn rescale(&mut self, _factor: f64) -> bool {
        false
    }

    /// Shortens D so that D_k·√C_kk does not exceed the k-th limit. Default: D is not this strategy's to change.
    fn limit_deviations(&mut self, _limits: impl Iterator<Item = f64>) {}
}

/// What a strategy knows about its shape without effort: axes that are followed from update to update may lag behind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axes {
    /// The shortest axis of N(0, C): the square root of the smallest eigenvalue of C.
    pub shortest: f64,
    /// The longest one.
    pub longest: f64,
    /// β, the damping of D.
    pub beta: f64,
    /// α of the last update of C: below 1 if the update of C had to be scaled down.
    pub alpha: f64,
}

impl Axes {
    /// With these axes, and neither damping nor scaling.
    pub fn new(shortest: f64, longest: f64) -> Self {
        Self { shortest, longest, ..Self::default() }
    }
}

impl Default for Axes {
    fn default() -> Self {
        Self { shortest: 1.0, longest: 1.0, beta: 1.0, alpha: 1.0 }
    }
}

/// An evaluated generation, in the order in which its candidates were asked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Generation<'a> {
    /// The standard normal vectors, n × λ.
    pub z: &'a Columns,
    /// y = A·z, n × λ.
    pub y: &'a Columns,
    /// ‖z_i‖² of each candidate.
    pub z_length2: &'a [f64],
    /// The weight of each candidate in the update of C; ties have their average.
    pub w: &'a [f64],
    /// The weight of each candidate in the update of D; ties have their average.
    pub w_d: &'a [f64],
    /// The weight of each candidate in the mean: positive or zero; ties have their average.
    pub w_mean: &'a [f64],
    /// Σ w_i·z_i, with the weights of the mean.
    pub z_mean: &'a [f64],
    /// Σ w_i·D·y_i, with the weights of the mean: the step of the mean is c_m·σ times this.
    pub step: &'a [f64],
    /// h_σ: false while the step size grows rapidly.
    pub h_sigma: bool,
}

/// Squares from here on have squares with all their digits, which the norm of K is made of.
const SHORTEST_SQUARE: f64 = 1e-100;

impl Generation<'_> {
    /// ŵ_i with ŵ_i·z_i·z_iᵀ = w_i·z̃_i·z̃_iᵀ, where z̃ is z, or for a negative weight z at the length √n.
    ///
    /// A z of length zero, or shorter than 1e-50, where its powers vanish, has no direction that could be given a length:
    /// its z̃ is zero.
    pub fn rescaled_weight(&self, i: usize, w_i: f64) -> f64 {
        if w_i >= 0.0 {
            w_i
        } else if self.z_length2[i] > SHORTEST_SQUARE {
            w_i * self.z.dimension() as f64 / self.z_length2[i] // eq. (zrescaled)
        } else {
            0.0
        }
    }
}
