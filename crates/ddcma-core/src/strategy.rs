//! What differs between plain, separable and diagonal-decoding CMA-ES: the shape of the sampling distribution.
//!
//! A strategy never sees an objective, a random generator, the mean or the step size.

pub(crate) mod agreement;
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
use crate::{Columns, EvolutionPath, Pace, Params, StartError, UpdateError};

/// The shape D·C·D of the sampling distribution N(m, σ²·D·C·D), and how it learns from a generation.
///
/// Implement it to add your own variant. Ask and tell, recombination, step-size adaptation, bounds and stop criteria come
/// from [`Optimizer`](crate::Optimizer): see `examples/own_strategy.rs`. A strategy that implements [`to_bytes`](Self::to_bytes) can be
/// stored, too.
pub trait Strategy: Sized + Send + Sync + 'static {
    /// A short name, for tables, files and checkpoints.
    const NAME: &'static str;

    /// The options that are specific to this strategy; `()` if there are none.
    type Options: Clone + Debug + Default + Send + Sync + 'static;

    /// The rule that adapts the step size. [`BuiltInRule`] lets the settings choose.
    type StepSize: StepSizeRule;

    /// The names that [`set_option`](Self::set_option) accepts, for error messages that list them. Default: none.
    const OPTION_NAMES: &'static [&'static str] = &[];

    /// Creates the strategy with its initial shape.
    ///
    /// Returns [`StartError::Strategy`] if the shape or the options are invalid for this strategy.
    fn start(params: &Params, options: &Self::Options, shape: &StartShape<'_>) -> Result<Self, StartError>;

    /// Switches `options` to the strategy with this name, which a restart policy planned; returns whether there is such a strategy.
    ///
    /// Default: the only valid name is [`NAME`](Self::NAME). `BuiltInStrategy` has three strategies to choose from.
    fn choose(_options: &mut Self::Options, name: &str) -> bool {
        name == Self::NAME
    }

    /// Sets the option with this name, planned by a restart policy; returns whether there is one.
    ///
    /// [`start`](Self::start) checks the value. Default: there are no named options.
    fn set_option(_options: &mut Self::Options, _name: &str, _value: f64) -> bool {
        false
    }

    /// Turns standard normal z into y ~ N(0, C), column by column: y = A·z with A·Aᵀ = C.
    ///
    /// The receiver is mutable so that a strategy can use its own workspace; the shape must not change.
    fn sample(&mut self, z: &Columns, y: &mut Columns);

    /// Undoes [`sample`](Self::sample): z = A⁻¹·y, for one or more whole columns.
    ///
    /// Called for [points that come from elsewhere](crate::Optimizer::tell_points), and in each generation for a step-size
    /// rule that wants two candidates along the last step.
    fn whiten(&mut self, y: &[f64], z: &mut [f64]);

    /// Learns from an evaluated generation, as fast as the `pace` says: a strategy asks it for each change before it applies the change.
    ///
    /// After an error, it must still be possible to sample from the shape: D is positive and finite, and C has a root.
    fn update(&mut self, generation: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError>;

    /// Returns D, and the properties of C that are known without computation.
    fn shape(&self) -> Shape<'_>;

    /// Returns C as an n × n matrix, computed on demand.
    fn c(&self) -> Columns;

    /// Returns whether C can differ from the identity. Default: true.
    fn has_c(&self) -> bool {
        true
    }

    /// Returns the square roots of the eigenvalues of C, in ascending order, computed on demand; NaN if they cannot be
    /// computed.
    fn axis_lengths(&self) -> Vec<f64>;

    /// Writes a principal axis of N(0, C), as long as its standard deviation; a different one for each `t`. Default: that of
    /// C = I.
    fn principal_axis(&self, t: u64, axis: &mut [f64]) {
        axis.fill(0.0);
        axis[(t % axis.len() as u64) as usize] = 1.0;
    }

    /// Sets D, and returns whether it did.
    ///
    /// Called for bounds that limit the deviations, and for a σ that hands powers of two over to D. Paths that are measured
    /// in D must follow: coordinate k is multiplied by the same factor as D_k.
    ///
    /// Default: the strategy does not change D. Then bounds limit only the initial deviations, and a run of very many
    /// iterations may end because σ and D have drifted apart.
    fn set_d(&mut self, _d: &[f64]) -> bool {
        false
    }

    /// Returns the strategy as bytes, for checkpoints; `None`, the default, if it cannot be stored.
    ///
    /// With the feature `checkpoint`, and serde's traits: `storage::to_bytes(self).ok()`.
    fn to_bytes(&self) -> Option<Vec<u8>> {
        None
    }

    /// Restores the strategy from [bytes](Self::to_bytes): `storage::from_bytes(bytes).ok()`. Default: `None`.
    fn from_bytes(_bytes: &[u8]) -> Option<Self> {
        None
    }

    /// Prepares a strategy that was read from a checkpoint, before any other call.
    ///
    /// Returns an error that names the part that does not fit these parameters. Whether D is positive and has the right
    /// length is checked afterwards. Default: accepts what was stored.
    fn resume(&mut self, _params: &Params) -> Result<(), &'static str> {
        Ok(())
    }
}

/// The shape D·C·D that a run starts with.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StartShape<'a> {
    /// The diagonal of D: one positive number per coordinate.
    pub d: &'a [f64],
    /// C, a symmetric matrix with a positive diagonal; `None` is the identity. The strategy must check that it is positive
    /// definite.
    pub c: Option<&'a Columns>,
}

impl StartShape<'_> {
    /// Returns D_k·√C_kk, the deviations of the coordinates: a strategy without C can use only these.
    pub fn deviations(&self) -> Vec<f64> {
        let deviation = |(k, d): (usize, &f64)| d * self.c.map_or(1.0, |c| c[k][k].sqrt());
        self.d.iter().enumerate().map(deviation).collect()
    }
}

/// The shape of a strategy, as far as it is known without computation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Shape<'a> {
    /// The diagonal of D: a candidate is x = m + σ·D·y.
    pub d: &'a [f64],
    /// The diagonal of C; `None` if it is all ones.
    pub c_diagonal: Option<&'a [f64]>,
    /// The evolution path of the shape, if there is one, in the coordinates of D·y: p_c, or p_c,D of separable CMA-ES.
    pub path: Option<&'a EvolutionPath>,
    /// Extreme axes of C, damping and scaling.
    pub axes: Axes,
}

impl<'a> Shape<'a> {
    /// Creates a shape with C = I and no path.
    pub fn new(d: &'a [f64]) -> Self {
        Self { d, c_diagonal: None, path: None, axes: Axes::default() }
    }

    /// Returns D_k·√C_kk, the deviation of a coordinate for σ = 1.
    pub fn deviation(&self, k: usize) -> f64 {
        self.d[k] * self.c_diagonal.map_or(1.0, |c| c[k].sqrt())
    }
}

/// The extreme axes of C, the damping of D, and the scaling of the last update of C.
///
/// Axes that are tracked from update to update may lag behind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Axes {
    /// The shortest axis of N(0, C): the square root of the smallest eigenvalue of C.
    pub shortest: f64,
    /// The longest axis of N(0, C).
    pub longest: f64,
    /// β, the damping of D.
    pub beta: f64,
    /// α of the last update of C: below 1 if that update had to be scaled down.
    pub alpha: f64,
}

impl Axes {
    /// Creates axes without damping and scaling.
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
    /// The weight of each candidate in the update of C; tied candidates have the average weight.
    pub w: &'a [f64],
    /// The weight of each candidate in the update of D; tied candidates have the average weight.
    pub w_d: &'a [f64],
    /// The weight of each candidate in the mean, not negative; tied candidates have the average weight.
    pub w_mean: &'a [f64],
    /// Σ w_i·z_i, with the weights of the mean.
    pub z_mean: &'a [f64],
    /// Σ w_i·D·y_i, with the weights of the mean: the step of the mean is c_m·σ times this.
    pub step: &'a [f64],
    /// h_σ: false while the step size grows rapidly.
    pub h_sigma: bool,
}

/// Squared lengths above this can be squared again without losing digits, as the norm of K requires.
const SHORTEST_SQUARE: f64 = 1e-100;

impl Generation<'_> {
    /// Returns ŵ_i with ŵ_i·z_i·z_iᵀ = w_i·z̃_i·z̃_iᵀ. Here z̃ is z, or for a negative weight z rescaled to the length √n.
    ///
    /// A z shorter than 1e-50, whose powers underflow, has no direction to rescale: its z̃ is zero.
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
