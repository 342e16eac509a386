//! What may correct a run before and after each update: the seam for integer variables.

use std::fmt::Debug;

use crate::{Columns, Shape};

/// Corrects a run before and after each update. Set it with [`Optimizer::add_correction`](crate::Optimizer::add_correction).
///
/// The built-in limits of deviations within bounds come before it, and the safeguards against overflow after it.
pub trait Correction: Debug + Send + Sync + 'static {
    /// Called before the update, with the ranked candidates. Default: changes nothing.
    fn before(&mut self, ranked: &mut Ranked<'_>) {
        let _ = ranked;
    }

    /// Called after the update. Default: changes nothing.
    fn after(&mut self, updated: &mut Updated<'_>) {
        let _ = updated;
    }

    /// Returns a short name, for checkpoints.
    fn name(&self) -> &'static str;

    /// Returns a copy.
    fn copy(&self) -> Box<dyn Correction>;

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

/// The ranked candidates of a generation, before the update.
#[non_exhaustive]
pub struct Ranked<'a> {
    /// The weight of each candidate in the mean: 0 for those behind the μ best.
    pub weights: &'a [f64],
    /// The mean, in the coordinates of the search.
    pub mean: &'a [f64],
    /// The step size.
    pub sigma: f64,
    /// D and the deviations.
    pub shape: Shape<'a>,
    /// The standard normal vectors, n × λ: z_i belongs to y_i = A·z_i. Both must be changed together.
    pub z: &'a mut Columns,
    /// y, n × λ: a candidate is m + σ·D·y.
    pub y: &'a mut Columns,
}

impl std::fmt::Debug for Ranked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ranked").field("weights", &self.weights).field("mean", &self.mean).finish_non_exhaustive()
    }
}

/// A run after its update.
#[derive(Debug)]
#[non_exhaustive]
pub struct Updated<'a> {
    /// The mean, in the coordinates of the search.
    pub mean: &'a mut [f64],
    /// The step size.
    pub sigma: f64,
    /// D and the deviations.
    pub shape: Shape<'a>,
}
