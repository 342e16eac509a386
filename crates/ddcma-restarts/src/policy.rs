//! Policies plan the next run from the past ones; the search executes the plans.

/// Defines setters, one per line: documentation, name and type.
macro_rules! setters {
    ($policy:ident $($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl $policy {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, $name: impl Into<$type>) -> Self {
                    self.$name = $name.into();
                    self
                }
            )*
        }
    };
}

mod bipop;
mod independent;
mod ipop;
mod nbipop;
mod nipop;
mod probed;
mod thrifty;

pub use bipop::Bipop;
pub use independent::Independent;
pub use ipop::Ipop;
pub use nbipop::Nbipop;
pub use nipop::Nipop;
pub use probed::Probed;
pub use thrifty::Thrifty;

use std::fmt::Debug;

use crate::{Past, PolicyError, RunPlan};

/// Plans runs as a pure function of the past and of a random stream.
///
/// The same past and the same random numbers must give the same plan, so that a search can be replayed, stored and tested with scripted
/// pasts. Example of a custom policy that restarts at the best point with ever smaller step sizes:
///
/// ```
/// use ddcma_restarts::{Past, Policy, Regime, RunPlan, StartRule};
///
/// #[derive(Debug)]
/// struct Refine;
///
/// impl Policy for Refine {
///     fn name(&self) -> &'static str {
///         "refine"
///     }
///
///     fn next(&self, past: &Past<'_>, _uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
///         let k = past.runs.len() as i32;
///         let usual = past.usual_run(if k == 0 { Regime::First } else { Regime::Small });
///         Some(RunPlan { sigma: past.sigma * 0.1f64.powi(k), start: StartRule::AtBest, ..usual })
///     }
/// }
/// ```
pub trait Policy: Debug + Send + Sync + 'static {
    /// Returns the name of the policy, for tables and files.
    fn name(&self) -> &'static str;

    /// Plans the next run; `None` ends the search. `uniform` draws from the uniform distribution on [0, 1).
    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan>;

    /// Checks the settings of the policy; a search calls this before it starts.
    fn check(&self) -> Result<(), PolicyError> {
        Ok(())
    }

    /// Returns whether the policy is certain to end; otherwise a search needs a budget.
    fn ends(&self) -> bool {
        false
    }

    /// Returns whether the policy may plan [probes](crate::RunKind::Probe); if so, a search without a box for them does not start.
    fn plans_probes(&self) -> bool {
        false
    }

    /// Adds a probe along the axes after the first run.
    fn probed(self) -> Probed<Self>
    where
        Self: Sized,
    {
        Probed::new(self)
    }
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        (**self).next(past, uniform)
    }

    fn check(&self) -> Result<(), PolicyError> {
        (**self).check()
    }

    fn ends(&self) -> bool {
        (**self).ends()
    }

    fn plans_probes(&self) -> bool {
        (**self).plans_probes()
    }
}

/// The number of large restarts in the published experiments.
const PUBLISHED_RESTARTS: u32 = 9;

/// Checks that the settings of a policy are finite and not below their least values.
fn check(policy: &'static str, constants: &[(&'static str, f64, f64)]) -> Result<(), PolicyError> {
    for &(setting, value, least) in constants {
        if !(value >= least && value.is_finite()) {
            return Err(PolicyError::new(policy, setting, value, format!("finite and at least {least}")));
        }
    }
    Ok(())
}
