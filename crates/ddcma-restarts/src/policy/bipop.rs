//! BIPOP: alternates between large and small populations, with equal evaluations for both.

use super::{PUBLISHED_RESTARTS, Policy, check};
use crate::{Past, PolicyError, Regime, RunPlan};

/// BIPOP: two regimes, large and small populations, share the budget equally (Hansen, "Benchmarking a BI-population CMA-ES on the
/// BBOB-2009 function testbed", GECCO 2009).
///
/// After a first run with the usual λ and σ, each restart belongs to the regime that has used fewer evaluations:
///
/// - large: λ_k = ⌊2^k λ⌋ and the usual σ, where k counts the large restarts from 1;
/// - small: λ_s = ⌊λ (½ λ_large/λ)^(U²)⌋ and σ_s = 10^(−2U′) σ with U and U′ uniform on [0, 1), where λ_large is the λ of
///   the *next* large restart; at most half the evaluations that the large regime has used so far.
///
/// Published implementations disagree about many of these details. In this implementation:
///
/// - the first run belongs to neither regime (others count it in the small one, and then make two large restarts in a row);
/// - with equal evaluations, as at the first restart, the large regime is next;
/// - the exponent is U², not U; the base is a ratio of real numbers, not of integers; and ½ λ_large is the λ of the last
///   large restart, so that small populations lie between the usual one and the last large one;
/// - the search ends after the given number of *large* restarts, and the small restarts that are due by then.
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
    /// Creates the policy with the published constants.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Bipop
    /// Sets the factor of λ at each large restart, at least 1; the ½ of the small λ becomes 1/factor. Default: 2.
    factor: f64;
    /// Sets how many decades below the usual step size that of a small restart may be. Default: 2.
    sigma_decades: f64;
    /// Sets the share of the large regime's evaluations that one small restart may use. Default: ½.
    budget_share: f64;
    /// Sets the maximum number of large restarts. Default: 9. `None`: no limit; then watch the memory, because λ keeps growing.
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
