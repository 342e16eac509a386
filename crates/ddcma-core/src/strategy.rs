//! What differs between plain, separable and diagonal-decoding CMA-ES: the shape of the sampling distribution.
//!
//! A strategy never sees an objective, a random generator, the mean or the step size.

#[cfg(feature = "dense")]
mod built_in;
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
pub use built_in::{BuiltInStrategy, Variant};
#[cfg(feature = "dense")]
pub use diagonal_decoding::DiagonalDecoding;
#[cfg(feature = "dense")]
pub use plain::Plain;
pub use separable::Separable;

use std::fmt::Debug;

#[cfg(doc)]
use crate::step_size::BuiltInRule;
use crate::step_size::StepSizeRule;
use crate::{Columns, EvolutionPath, Params, StartError, UpdateError};

/// The shape D·C·D of the sampling distribution N(m, σ²·D·C·D), and how it learns from a generation.
///
/// Implement it to add your own variant, which gets ask and tell, recombination, step-size adaptation, bounds and stop
/// criteria from [`Optimizer`](crate::Optimizer): see `examples/own_strategy.rs`. With the feature `checkpoint`, a strategy that
/// is a serde value can be stored, too.
pub trait Strategy: Sized {
    /// A short name, for tables, files and checkpoints.
    const NAME: &'static str;

    /// What can be chosen for this strategy and for no other; `()` if there is nothing.
    type Options: Clone + Debug + Default;

    /// The rule that adapts its step size: [`BuiltInRule`] lets the settings choose.
    type StepSize: StepSizeRule;

    /// The initial shape.
    ///
    /// A shape or options that are not good for this strategy are an error, of the kind [`StartError::Strategy`].
    fn start(params: &Params, options: &Self::Options, shape: &StartShape<'_>) -> Result<Self, StartError>;

    /// Makes `options` those of the strategy with this name, which a restart policy plans for a run; returns whether it can.
    ///
    /// Default: there is one strategy, the one called [`NAME`](Self::NAME). `BuiltInStrategy` is three of them.
    fn choose(_options: &mut Self::Options, name: &str) -> bool {
        name == Self::NAME
    }

    /// Sets the option with this name, which a restart policy plans for a run; returns whether there is one. Whether its value is
    /// valid is for [`start`](Self::start) to say.
    ///
    /// Default: no option has a name.
    fn set_option(_options: &mut Self::Options, _name: &str, _value: f64) -> bool {
        false
    }

    /// Turns standard normal z into y ~ N(0, C), column by column: y = A·z with A·Aᵀ = C.
    ///
    /// Mutable so that a strategy may use workspace of its own; the shape must not change.
    fn sample(&mut self, z: &Columns, y: &mut Columns);

    /// Undoes [`sample`](Self::sample): z = A⁻¹·y, for one or more whole columns: for
    /// [points that come from elsewhere](crate::Optimizer::tell_points), and in each generation for a step-size rule that wants
    /// two candidates along the last step.
    fn whiten(&mut self, y: &[f64], z: &mut [f64]);

    /// Learns from an evaluated generation.
    ///
    /// On an error the shape must still be good to sample from: D positive and finite, and a C with a root.
    fn update(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError>;

    /// D, and what is known of C without effort.
    fn shape(&self) -> Shape<'_>;

    /// C as an n × n matrix, computed on demand.
    fn c(&self) -> Columns;

    /// Whether C can be anything but the identity. Default: yes.
    fn has_c(&self) -> bool {
        true
    }

    /// The square roots of the eigenvalues of C, in ascending order, computed on demand; NaN, if they cannot be computed.
    fn axis_lengths(&self) -> Vec<f64>;

    /// A principal axis of N(0, C), as long as its standard deviation; another one for each `t`. Default: that of C = I.
    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        axis.fill(0.0);
        axis[(t % axis.len() as u64) as usize] = 1.0;
    }

    /// Sets D, for bounds that limit the deviations and for a σ that leaves powers of two to it. Paths that are measured in D
    /// follow: coordinate k is multiplied by what D_k is multiplied by. Returns whether it did.
    ///
    /// Default: D is not this strategy's to change. Then bounds limit only the initial deviations, and a run of very many
    /// iterations may end where σ and D have drifted apart.
    fn set_d(&mut self, _d: &[f64]) -> bool {
        false
    }

    /// Makes a strategy that comes from a checkpoint ready for use, before anything else is asked of it. What does not fit these
    /// parameters is an error that names it; that D is positive and of the right length is checked after it.
    ///
    /// Default: everything was stored, and is believed.
    fn resume(&mut self, _params: &Params) -> Result<(), &'static str> {
        Ok(())
    }
}

/// The shape D·C·D that a run starts with.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StartShape<'a> {
    /// The diagonal of D: one positive number for each coordinate.
    pub d: &'a [f64],
    /// C, a symmetric matrix with a positive diagonal; whether it is positive definite is for the strategy to find out. `None`
    /// is the identity.
    pub c: Option<&'a Columns>,
}

impl StartShape<'_> {
    /// D_k·√C_kk: the deviations of the coordinates, which is all that a strategy without a C can start with.
    pub fn deviations(&self) -> Vec<f64> {
        let deviation = |(k, d): (usize, &f64)| d * self.c.map_or(1.0, |c| c[k][k].sqrt());
        self.d.iter().enumerate().map(deviation).collect()
    }
}

/// What a strategy shows of its shape without effort.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Shape<'a> {
    /// The diagonal of D: a candidate is x = m + σ·D·y.
    pub d: &'a [f64],
    /// The diagonal of C, unless it is all ones.
    pub c_diagonal: Option<&'a [f64]>,
    /// The evolution path of the shape, p_c (of separable CMA-ES p_c,D), in the coordinates of D·y, if there is one.
    pub path: Option<&'a EvolutionPath>,
    /// Extreme axes of C, damping and scaling.
    pub axes: Axes,
}

impl<'a> Shape<'a> {
    /// C = I, and no path.
    pub fn new(d: &'a [f64]) -> Self {
        Self { d, c_diagonal: None, path: None, axes: Axes::default() }
    }

    /// D_k·√C_kk, the deviation of a coordinate for σ = 1.
    pub fn deviation(&self, k: usize) -> f64 {
        self.d[k] * self.c_diagonal.map_or(1.0, |c| c[k].sqrt())
    }
}

/// Extreme axes of C, damping and scaling. Axes that are followed from update to update may lag behind.
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
