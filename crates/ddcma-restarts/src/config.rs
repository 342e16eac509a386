//! What is set before a search starts: the starts, the options of its runs, and the budgets of all runs together.

use std::time::Duration;

use ddcma_core::{Origin, RunOptions, Settings, StepSizeRule, Strategy, Variables};

use crate::starts::{Kind, Surroundings};
use crate::{Policy, RunPlan, SearchError, Starts};

/// What all runs of a search share, except for the options of their strategy.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Config {
    pub(crate) starts: Starts,
    pub(crate) sigma: f64,
    /// The options of each run. Its target and its budgets of evaluations and time are those of all runs together.
    pub(crate) options: RunOptions,
    pub(crate) max_runs: Option<usize>,
    /// The lower and upper sides of the box of probes, in the units of the points.
    pub(crate) probe_box: Option<(Vec<f64>, Vec<f64>)>,
}

impl Config {
    /// Returns the settings of a run: the planned ones, or else those of the search, with the planned λ.
    pub(crate) fn settings_of(&self, plan: &RunPlan) -> Settings {
        plan.settings.clone().unwrap_or_else(|| self.options.settings_of_run()).lambda(plan.lambda)
    }

    /// Returns the seed of the search.
    pub(crate) fn seed(&self) -> u64 {
        self.options.seed.unwrap_or_default()
    }

    /// Returns the target of the search.
    pub(crate) fn target(&self) -> Option<f64> {
        self.options.target.or(self.options.criteria.as_ref().and_then(|criteria| criteria.target_value()))
    }

    /// Returns the number of free variables.
    pub(crate) fn search_dimension(&self) -> usize {
        self.options.variables.as_ref().map_or(self.starts.dimension(), Variables::free_dimension)
    }

    /// Returns what start points may depend on.
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        let RunOptions { deviations, bounds, variables, .. } = &self.options;
        Surroundings { deviations: deviations.as_deref(), bounds: bounds.as_ref(), variables: variables.as_ref() }
    }

    /// Returns what a search with this policy is started with. Its budgets may change when it continues.
    pub(crate) fn origin<S: Strategy>(&self, policy: &dyn Policy, strategy_options: &S::Options) -> Origin {
        let RunOptions { deviations, covariance, shape_of, bounds, variables, criteria, max_iterations, .. } =
            &self.options;
        Origin::new()
            .part("the policy", &(policy.name(), policy))
            .part("the strategy and its step-size rule", &(S::NAME, <S::StepSize as StepSizeRule>::NAME))
            .part("the settings", &self.options.settings_of_run())
            .part("the start points", &self.starts)
            .part("the step size", &self.sigma)
            .part("the deviations", deviations)
            .part("the covariance matrix", covariance)
            .part("the given shape", shape_of)
            .part("the bounds", bounds)
            .part("the variables", variables)
            .part("the box of probes", &self.probe_box)
            .part("the options of the strategy", strategy_options)
            .part("the stop criteria of each run", &(criteria, max_iterations))
            .part("the target", &self.target())
            .part("the seed", &self.seed())
    }

    /// Checks that a search with this policy can start.
    pub(crate) fn check_for(&self, policy: &dyn Policy) -> Result<(), SearchError> {
        let RunOptions { max_evaluations, max_time, .. } = self.options;
        if self.target().is_some_and(f64::is_nan) {
            return Err(SearchError::Target);
        }
        let empty = [
            ("evaluations", max_evaluations == Some(0)),
            ("time", max_time == Some(Duration::ZERO)),
            ("runs", self.max_runs == Some(0)),
        ];
        if let Some((of, _)) = empty.into_iter().find(|(_, is_empty)| *is_empty) {
            return Err(SearchError::EmptyBudget { of });
        }
        let limited = max_evaluations.is_some() || max_time.is_some() || self.max_runs.is_some();
        if !limited && !policy.ends() {
            return Err(SearchError::NoBudget { policy: policy.name() });
        }
        policy.check().map_err(SearchError::Policy)?;
        if let Kind::Over(variables) = &self.starts.0
            && self.options.variables.as_ref() != Some(variables)
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
        if let Some(bounds) = &self.options.bounds {
            for ((index, side), bounds) in sides().zip(bounds.lower().zip(bounds.upper())) {
                if side.0 < bounds.0 || side.1 > bounds.1 {
                    return Err(SearchError::BoxOutsideBounds { index, side, bounds });
                }
            }
        }
        for ((index, side), variable) in sides().zip(self.options.variables.iter().flat_map(Variables::iter)) {
            if !(variable.contains(side.0) && variable.contains(side.1)) {
                return Err(SearchError::BoxOutsideBounds { index, side, bounds: variable.bounds() });
            }
        }
        Ok(())
    }
}
