//! NBIPOP: alternates between large and small populations, with more evaluations for the better of the two.

use super::{PUBLISHED_RESTARTS, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan};

/// NBIPOP: two regimes; the one with the better best value gets twice the budget of the other (Loshchilov, Schoenauer &
/// Sebag, "Alternative restart strategies for CMA-ES", PPSN 2012).
///
/// After a first run with the usual λ and σ:
///
/// - large, as in NIPOP: λ_k = ⌊2^k λ⌋ and σ_k = σ/1.6^k, where k counts the large restarts from 1;
/// - small: the usual λ and σ_s = 10^(−2U) σ with U uniform on [0, 1).
///
/// The next restart belongs to the regime that has used less of its share; the shares are 2 : 1 for the regime whose best
/// value is better, and equal while neither is. What the publication leaves open is decided as for BIPOP: the first run
/// belongs to neither regime, the large one goes first, and one small restart may use at most half the evaluations that the
/// large regime has used so far.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Nbipop {
    factor: f64,
    sigma_divisor: f64,
    sigma_decades: f64,
    favor: f64,
    budget_share: f64,
    restarts: Option<u32>,
}

impl Default for Nbipop {
    fn default() -> Self {
        Self {
            factor: 2.0,
            sigma_divisor: 1.6,
            sigma_decades: 2.0,
            favor: 2.0,
            budget_share: 0.5,
            restarts: Some(PUBLISHED_RESTARTS),
        }
    }
}

impl Nbipop {
    /// Creates the policy with the published constants.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Nbipop
    /// Sets the factor of λ at each large restart, at least 1. Default: 2.
    factor: f64;
    /// Sets the divisor of σ at each large restart, at least 1. Default: 1.6.
    sigma_divisor: f64;
    /// Sets how many decades below the usual step size that of a small restart may be. Default: 2.
    sigma_decades: f64;
    /// Sets how many times the budget of the other regime the better one gets, at least 1. Default: 2.
    favor: f64;
    /// Sets the share of the large regime's evaluations that one small restart may use. Default: ½.
    budget_share: f64;
    /// Sets the maximum number of large restarts. Default: 9. `None`: no limit; then watch the memory, because λ keeps growing.
    restarts: Option<u32>;
}

impl Policy for Nbipop {
    fn name(&self) -> &'static str {
        "nbipop"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if past.runs.is_empty() {
            return Some(past.usual_run(Regime::First));
        }
        let (large, small) = (past.evaluations(Regime::Large), past.evaluations(Regime::Small));
        let (best_large, best_small) = (past.best_value(Regime::Large), past.best_value(Regime::Small));
        let (share_large, share_small) = match best_large.total_cmp(&best_small) {
            std::cmp::Ordering::Less => (self.favor, 1.0),
            std::cmp::Ordering::Equal => (1.0, 1.0),
            std::cmp::Ordering::Greater => (1.0, self.favor),
        };
        if (small as f64) / share_small < large as f64 / share_large {
            return Some(RunPlan {
                sigma: past.sigma * 10f64.powf(-self.sigma_decades * uniform()),
                budget: Some((self.budget_share * large as f64) as u64),
                ..past.usual_run(Regime::Small)
            });
        }
        past.large_run(self.factor, self.sigma_divisor, self.restarts)
    }

    fn check(&self) -> Result<(), PolicyError> {
        let Self { factor, sigma_divisor, sigma_decades, favor, budget_share, .. } = *self;
        let constants = [
            ("factor", factor, 1.0),
            ("sigma_divisor", sigma_divisor, 1.0),
            ("sigma_decades", sigma_decades, 0.0),
            ("favor", favor, 1.0),
            ("budget_share", budget_share, 0.0),
        ];
        check(self.name(), &constants)
    }

    fn ends(&self) -> bool {
        self.restarts.is_some()
    }
}
