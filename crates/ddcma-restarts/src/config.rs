//! What is set before a search starts and does not change: the starts, the budgets, and the settings of every run.

use std::time::Duration;

use ddcma_core::{Bounds, Columns, Distribution, Settings, StopCriteria, Variables};

use crate::starts::{Kind, Surroundings};
use crate::{Policy, RunPlan, SearchError, Starts};

/// What all runs of a search share, except for the options of their strategy.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Config {
    pub(crate) starts: Starts,
    pub(crate) sigma: f64,
    pub(crate) deviations: Option<Vec<f64>>,
    pub(crate) covariance: Option<Columns>,
    pub(crate) shape_of: Option<Distribution>,
    pub(crate) settings: Settings,
    pub(crate) criteria: StopCriteria,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) variables: Option<Variables>,
    /// The lower and upper sides of the box of probes, in the units of the points.
    pub(crate) probe_box: Option<(Vec<f64>, Vec<f64>)>,
    pub(crate) budgets: Budgets,
    pub(crate) seed: u64,
}

/// The target and the budgets of all runs together.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Budgets {
    pub(crate) target: Option<f64>,
    pub(crate) evaluations: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) runs: Option<usize>,
}

impl Config {
    /// Returns the settings of a run: the planned ones, or else those of the search, with the planned λ.
    pub(crate) fn settings_of(&self, plan: &RunPlan) -> Settings {
        plan.settings.as_ref().unwrap_or(&self.settings).clone().lambda(plan.lambda)
    }

    /// Returns the number of free variables.
    pub(crate) fn search_dimension(&self) -> usize {
        self.variables.as_ref().map_or(self.starts.dimension(), Variables::free_dimension)
    }

    /// Returns what start points may depend on.
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        let Self { deviations, bounds, variables, .. } = self;
        Surroundings { deviations: deviations.as_deref(), bounds: bounds.as_ref(), variables: variables.as_ref() }
    }

    /// Checks that a search with this policy can start.
    pub(crate) fn check_for(&self, policy: &dyn Policy) -> Result<(), SearchError> {
        let budgets = &self.budgets;
        if budgets.target.is_some_and(f64::is_nan) {
            return Err(SearchError::Target);
        }
        let empty = [
            ("evaluations", budgets.evaluations == Some(0)),
            ("time", budgets.time == Some(Duration::ZERO)),
            ("runs", budgets.runs == Some(0)),
        ];
        if let Some((of, _)) = empty.into_iter().find(|(_, is_empty)| *is_empty) {
            return Err(SearchError::EmptyBudget { of });
        }
        let limited = budgets.evaluations.is_some() || budgets.time.is_some() || budgets.runs.is_some();
        if !limited && !policy.ends() {
            return Err(SearchError::NoBudget { policy: policy.name() });
        }
        policy.check().map_err(SearchError::Policy)?;
        if let Kind::Over(variables) = &self.starts.0
            && self.variables.as_ref() != Some(variables)
        {
            return Err(SearchError::OtherVariables);
        }
        self.check_box()?;
        self.check_probe_box()?;
        if policy.plans_probes() {
            self.axes()?;
        }
        Ok(())
    }

    /// Checks the box of start points: if it extended beyond the bounds, some start point would be invalid sooner or later.
    fn check_box(&self) -> Result<(), SearchError> {
        let Kind::Box { lower, upper } = &self.starts.0 else { return Ok(()) };
        let sides = || lower.iter().copied().zip(upper.iter().copied()).enumerate();
        if let Some(bounds) = &self.bounds {
            for ((index, side), bounds) in sides().zip(bounds.lower().zip(bounds.upper())) {
                if side.0 < bounds.0 || side.1 > bounds.1 {
                    return Err(SearchError::BoxOutsideBounds { index, side, bounds });
                }
            }
        }
        for ((index, side), variable) in sides().zip(self.variables.iter().flat_map(Variables::iter)) {
            if !(variable.contains(side.0) && variable.contains(side.1)) {
                return Err(SearchError::BoxOutsideBounds { index, side, bounds: variable.bounds() });
            }
        }
        Ok(())
    }
}
