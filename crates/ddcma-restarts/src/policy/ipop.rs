//! Larger populations at each restart. Knows how many there were, and nothing of what they found.

use super::{PUBLISHED_RESTARTS, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan};

/// IPOP: λ grows by a factor at each restart (Auger & Hansen, "A restart CMA evolution strategy with increasing population
/// size", CEC 2005).
///
/// Restart k has λ_k = ⌊2^k λ⌋ and the usual σ, from a new point of the domain. Codes agree on this; they differ in whether
/// the start point is drawn anew (ours is, as in the paper) and in rounding for factors other than 2 (ours rounds λ_k down,
/// and does not multiply a rounded λ again).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Ipop {
    factor: f64,
    restarts: Option<u32>,
}

impl Default for Ipop {
    fn default() -> Self {
        Self { factor: 2.0, restarts: Some(PUBLISHED_RESTARTS) }
    }
}

impl Ipop {
    /// With the published constants: factor 2, nine restarts.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Ipop
    /// What λ is multiplied by at each restart, at least 1. Default: 2.
    factor: f64;
    /// The largest number of restarts, or `None` for no limit: then mind the memory. Default: 9.
    restarts: Option<u32>;
}

impl Policy for Ipop {
    fn name(&self) -> &'static str {
        "ipop"
    }

    fn next(&self, past: &Past<'_>, _uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if past.runs.is_empty() {
            return Some(past.usual_run(Regime::First));
        }
        past.large_run(self.factor, 1.0, self.restarts)
    }

    fn check(&self) -> Result<(), PolicyError> {
        check(self.name(), &[("factor", self.factor, 1.0)])
    }

    fn ends(&self) -> bool {
        self.restarts.is_some()
    }
}
