//! IPOP: larger populations at each restart.

use super::{PUBLISHED_RESTARTS, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan};

/// IPOP: λ grows by a factor at each restart (Auger & Hansen, "A restart CMA evolution strategy with increasing population
/// size", CEC 2005).
///
/// Restart k has λ_k = ⌊2^k λ⌋ and the usual σ, from a new point of the domain. Published implementations agree on this. They differ in
/// whether the start point is drawn anew (here it is, as in the paper) and in rounding for factors other than 2 (here λ_k is rounded down,
/// and a rounded λ is not multiplied again).
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
    /// Creates the policy with the published constants: factor 2, nine restarts.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Ipop
    /// Sets the factor of λ at each restart, at least 1. Default: 2.
    factor: f64;
    /// Sets the maximum number of restarts. Default: 9. `None`: no limit; then watch the memory, because λ keeps growing.
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
