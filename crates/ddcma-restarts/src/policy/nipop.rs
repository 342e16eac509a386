//! NIPOP: larger populations and smaller step sizes at each restart.

use super::{PUBLISHED_RESTARTS, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan};

/// NIPOP: IPOP with a smaller initial step size at each restart (Loshchilov, Schoenauer & Sebag, "Alternative restart
/// strategies for CMA-ES", PPSN 2012).
///
/// Restart k has λ_k = ⌊2^k λ⌋ and σ_k = σ/1.6^k, from a new point of the domain. Start with a large σ: from some
/// restart on, it is too small to leave a local minimum, and whatever has not been found by then will not be found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Nipop {
    factor: f64,
    sigma_divisor: f64,
    restarts: Option<u32>,
}

impl Default for Nipop {
    fn default() -> Self {
        Self { factor: 2.0, sigma_divisor: 1.6, restarts: Some(PUBLISHED_RESTARTS) }
    }
}

impl Nipop {
    /// Creates the policy with the published constants: λ doubles and σ is divided by 1.6 at each of nine restarts.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Nipop
    /// Sets the factor of λ at each restart, at least 1. Default: 2.
    factor: f64;
    /// Sets the divisor of σ at each restart, at least 1. Default: 1.6.
    sigma_divisor: f64;
    /// Sets the maximum number of restarts. Default: 9. `None`: no limit; then watch the memory, because λ keeps growing.
    restarts: Option<u32>;
}

impl Policy for Nipop {
    fn name(&self) -> &'static str {
        "nipop"
    }

    fn next(&self, past: &Past<'_>, _uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if past.runs.is_empty() {
            return Some(past.usual_run(Regime::First));
        }
        past.large_run(self.factor, self.sigma_divisor, self.restarts)
    }

    fn check(&self) -> Result<(), PolicyError> {
        check(self.name(), &[("factor", self.factor, 1.0), ("sigma_divisor", self.sigma_divisor, 1.0)])
    }

    fn ends(&self) -> bool {
        self.restarts.is_some()
    }
}
