//! How fast the mean and the shape follow a generation: the seam for learning rates that adapt to noise.

use std::fmt::Debug;

use crate::Columns;

/// The rate at which the mean, D and C follow a generation, known only when their changes are: each is asked before its change is applied.
///
/// A rate is in (0, 1]; 1 is the full change of Algorithm 1. Changes are given in the coordinates in which candidates are N(0, I), where
/// they can be compared with noise. The paths and the step size keep their own pace. Set it with
/// [`Optimizer::set_pace`](crate::Optimizer::set_pace).
pub trait Pace: Debug + Send + Sync + 'static {
    /// Returns the rate of the mean. Its proposed step is Σ w_i·z_i, times c_m.
    fn mean(&mut self, z_mean: &[f64]) -> f64 {
        let _ = z_mean;
        1.0
    }

    /// Returns the rate of D. Its proposed change is D_k² ← D_k²·exp(Δ_k/β).
    fn d(&mut self, delta: &[f64], beta: f64) -> f64 {
        let _ = (delta, beta);
        1.0
    }

    /// Returns the rate of C. Its proposed change is A·K·Aᵀ.
    fn c(&mut self, k: &WhitenedChange<'_>) -> f64 {
        let _ = k;
        1.0
    }

    /// Returns a short name, for checkpoints.
    fn name(&self) -> &'static str;

    /// Returns a copy.
    fn copy(&self) -> Box<dyn Pace>;

    /// Returns the state as bytes, for checkpoints; `None`, the default, if it cannot be stored.
    fn to_bytes(&self) -> Option<Vec<u8>> {
        None
    }

    /// Restores the state from [bytes](Self::to_bytes); returns whether they fit. Default: they do not.
    fn restore(&mut self, bytes: &[u8]) -> bool {
        let _ = bytes;
        false
    }
}

/// The proposed change K of C in whitened coordinates: Σ w_i·z_i·z_iᵀ + c_1·q·qᵀ − s·I.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WhitenedChange<'a> {
    /// z, n × λ.
    pub z: &'a Columns,
    /// The weights w, times c_μ; a negative one contains the factor that rescales its z.
    pub weights: &'a [f64],
    /// q, the whitened path.
    pub path: &'a [f64],
    /// c_1.
    pub c_1: f64,
    /// s.
    pub shrinkage: f64,
}

impl<'a> WhitenedChange<'a> {
    /// Describes a change, for a strategy of your own.
    pub fn new(z: &'a Columns, weights: &'a [f64], path: &'a [f64], c_1: f64, shrinkage: f64) -> Self {
        Self { z, weights, path, c_1, shrinkage }
    }
}

/// The full pace of Algorithm 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FullPace;

impl Pace for FullPace {
    fn name(&self) -> &'static str {
        "full"
    }

    fn copy(&self) -> Box<dyn Pace> {
        Box::new(*self)
    }

    fn to_bytes(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }

    fn restore(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty()
    }
}
