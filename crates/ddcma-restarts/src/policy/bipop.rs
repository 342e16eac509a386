//! Large populations and small ones, in turns that cost the same. Knows what runs cost, and not what they found.

use super::{PUBLISHED_RESTARTS, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan};

/// BIPOP: two regimes share the budget (Hansen, "Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed",
/// GECCO 2009).
///
/// After a first run with the usual λ and σ, each restart belongs to the regime that has used fewer evaluations:
///
/// - large: λ_k = ⌊2^k λ⌋ and the usual σ, where k counts the large restarts from 1;
/// - small: λ_s = ⌊λ (½ λ_large/λ)^(U²)⌋ and σ_s = 10^(−2U′) σ with U and U′ uniform on [0, 1), where λ_large is the λ of
///   the *next* large restart; at most half the evaluations that the large regime has used so far.
///
/// Published codes disagree in much of this. Here:
///
/// - the first run belongs to neither regime (others count it to the small one, and then restart large twice);
/// - with equal evaluations, which is at the first restart, the large regime is next;
/// - the exponent is U², not U; the base is a ratio of real numbers, not of integers; and ½ λ_large is the λ of the last
///   large restart, so that small populations lie between the usual one and the last large one;
/// - the search ends after the given number of *large* restarts, and the small ones that were due by then.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Bipop {
    factor: f64,
    sigma_decades: f64,
    budget_share: f64,
    restarts: Option<u32>,
}

impl Default for Bipop {
    fn default() -> Self {
        Self { factor: 2.0, sigma_decades: 2.0, budget_share: 0.5, restarts: Some(PUBLISHED_RESTARTS) }
    }
}

impl Bipop {
    /// With the published constants.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Bipop
    /// What λ is multiplied by at each large restart, at least 1; the ½ of the small λ becomes 1/factor. Default: 2.
    factor: f64;
    /// How many decades the step size of a small restart may lie below the usual one. Default: 2.
    sigma_decades: f64;
    /// The share of the large regime's evaluations that one small restart may use. Default: ½.
    budget_share: f64;
    /// The largest number of large restarts, or `None` for no limit: then mind the memory. Default: 9.
    restarts: Option<u32>;
}

impl Policy for Bipop {
    fn name(&self) -> &'static str {
        "bipop"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if past.runs.is_empty() {
            return Some(past.usual_run(Regime::First));
        }
        let (large, small) = (past.evaluations(Regime::Large), past.evaluations(Regime::Small));
        if small < large {
            let base = self.factor.powi(past.of(Regime::Large).count() as i32); // ½ λ_large/λ
            let exponent = uniform().powi(2);
            return Some(RunPlan {
                lambda: past.lambda_times(base.powf(exponent)),
                sigma: past.sigma * 10f64.powf(-self.sigma_decades * uniform()),
                budget: Some((self.budget_share * large as f64) as u64),
                ..past.usual_run(Regime::Small)
            });
        }
        past.large_run(self.factor, 1.0, self.restarts)
    }

    fn check(&self) -> Result<(), PolicyError> {
        let Self { factor, sigma_decades, budget_share, .. } = *self;
        let constants =
            [("factor", factor, 1.0), ("sigma_decades", sigma_decades, 0.0), ("budget_share", budget_share, 0.0)];
        check(self.name(), &constants)
    }

    fn ends(&self) -> bool {
        self.restarts.is_some()
    }
}
