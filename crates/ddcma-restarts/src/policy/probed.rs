//! Wraps any policy, and adds a probe along the axes after its first run.

use super::Policy;
use crate::{Past, PolicyError, Regime, RunPlan, RunSummary, StartRule};

/// Any policy with a probe along the axes after the first run, from [`Policy::probed`].
///
/// Use it for functions with many minima that are roughly separable.
///
/// ```
/// use ddcma_restarts::{Bipop, Policy, Starts, restarts};
///
/// let rastrigin = |x: &[f64]| x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>();
/// let starts = Starts::in_box(&[-5.0; 20], &[4.0; 20])?;
/// let outcome = restarts(Bipop::new().probed(), starts, 2.0).target(1e-9).max_evaluations(20_000).minimize(rastrigin)?;
/// assert_eq!(outcome.stop.name(), "target");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The probe starts at the best point of the first run. On a line along each axis it evaluates both ends of the box, and then repeatedly
/// the midpoint of the interval with the least ((√(f₁ − f* + 1e-8) + √(f₂ − f* + 1e-8))/Δx)², where f₁ and f₂ are the values at its ends
/// and f* is the best value of the line: "select the easiest point" (Swarzberg, Seront & Bersini 1994). A line ends after 200
/// evaluations, or when all intervals are shorter than 1e-7 of the box. The lines are searched in parallel: a generation has one
/// candidate for each coordinate. A last generation combines the improvements of the lines: all of them, then successively without the
/// smallest ones. If the probe has found a better point, one run with the usual λ and 0.01 σ starts there. After that, the wrapped policy
/// continues as if neither had happened: it does not see them in its [`Past`].
///
/// A probe needs a box: see [`SearchBuilder::probe_box`](crate::SearchBuilder::probe_box). It exploits functions that
/// are aligned with the axes; on others, up to 200 n evaluations are lost. When you report results, say that a probe was used.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Probed<P> {
    policy: P,
    evaluations: u32,
    sigma_factor: f64,
}

impl<P> Probed<P> {
    pub(crate) fn new(policy: P) -> Self {
        Self { policy, evaluations: 200, sigma_factor: 0.01 }
    }

    /// Sets the number of evaluations for each coordinate, at least 3: both ends and a point between. Default: 200.
    #[must_use]
    pub fn evaluations(self, evaluations: u32) -> Self {
        Self { evaluations, ..self }
    }

    /// Sets the factor of σ in the run that starts at the best point of the probe. Default: 0.01.
    #[must_use]
    pub fn sigma_factor(self, sigma_factor: f64) -> Self {
        Self { sigma_factor, ..self }
    }

    /// Returns the wrapped policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }
}

/// It has the name of the wrapped policy.
impl<P: Policy> Policy for Probed<P> {
    fn name(&self) -> &'static str {
        self.policy.name()
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let [first, later @ ..] = past.runs else { return self.policy.next(past, uniform) };
        let [probe, later @ ..] = later else { return Some(past.probe(self.evaluations)) };
        let later = match (probe.best_value < first.best_value, later) {
            (true, []) => {
                // It starts at the value to beat, and may be worse for a while.
                let run = past.usual_run(Regime::Refine).start(StartRule::AtBest).abandon(false);
                return Some(run.sigma(self.sigma_factor * past.sigma));
            }
            (true, [_refined, later @ ..]) => later,
            (false, later) => later,
        };
        let runs: Vec<RunSummary> = [first].into_iter().chain(later).cloned().collect();
        self.policy.next(&past.with_runs(&runs), uniform)
    }

    fn check(&self) -> Result<(), PolicyError> {
        self.policy.check()?;
        let Self { evaluations, sigma_factor, .. } = *self;
        if evaluations < 3 {
            return Err(PolicyError::new("a probe", "evaluations", evaluations.into(), "at least 3"));
        }
        if !(sigma_factor > 0.0 && sigma_factor.is_normal()) {
            return Err(PolicyError::new("a probe", "sigma_factor", sigma_factor, "positive and finite"));
        }
        Ok(())
    }

    fn ends(&self) -> bool {
        self.policy.ends()
    }

    fn plans_probes(&self) -> bool {
        true
    }
}
