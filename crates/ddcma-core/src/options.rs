//! What may be chosen for a run, whoever starts it: [`Optimizer::builder`](crate::Optimizer::builder),
//! [`minimize`](crate::minimize()) and searches with restarts have the same setters, from the one list in this file. Knows no run.

use std::time::Duration;

use crate::{Bounds, Columns, Distribution, Settings, StopCriteria, Variables};

/// The choices for a run. Setters may be called in any order: a single one wins over a whole [`Settings`] or
/// [`StopCriteria`] value, whichever comes first.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    seed: Option<u64>,
    lambda: Option<usize>,
    settings: Option<Settings>,
    criteria: Option<StopCriteria>,
    target: Option<f64>,
    max_evaluations: Option<u64>,
    max_iterations: Option<u64>,
    max_time: Option<Duration>,
    bounds: Option<Bounds>,
    variables: Option<Variables>,
    deviations: Option<Vec<f64>>,
    covariance: Option<Columns>,
    shape_of: Option<Distribution>,
}

/// All options: documentation, name and argument, handed to a macro that writes setters.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_run_option {
    ($($setters:tt)+) => {
        $($setters)+! {
            /// Sets the seed of all random numbers. Any seed is valid, including 0, the default.
            seed(seed: u64);
            /// Sets the population size λ: more candidates in each generation look further around. Default: that of the
            /// [settings](Self::settings), or the paper's, 4 + ⌊3 ln n⌋. In a search, that of the first run.
            lambda(lambda: usize);
            /// Sets strategy parameters. Default: the paper's.
            settings(settings: $crate::Settings);
            /// Sets the criteria that end a run. Default: `StopCriteria::new()`.
            criteria(criteria: $crate::StopCriteria);
            /// Sets a function value that is good enough. Default: that of the [criteria](Self::criteria).
            target(target: f64);
            /// Limits the number of evaluations, to the full generation: of a run, or of all runs of a search together.
            max_evaluations(budget: u64);
            /// Limits the number of iterations of a run.
            max_iterations(budget: u64);
            /// Limits the time, to the full generation: of a run, or of all runs of a search together.
            max_time(budget: ::std::time::Duration);
            /// Sets lower and upper bounds. Default: none.
            ///
            /// Initial deviations are limited to a third of the range of their coordinate; those of strategies that learn D
            /// stay so, others may grow beyond, and are mirrored back into the box.
            bounds(bounds: $crate::Bounds);
            /// Sets what the variables are: ranges, logarithmic scales, fixed values. Default: linear and unbounded ones.
            ///
            /// The start then is a point of all variables in their own units, and the step size multiplies their initial deviations.
            /// They have bounds of their own: [`bounds`](Self::bounds) beside them are an error.
            variables(variables: $crate::Variables);
            /// Sets initial deviations of the coordinates, relative to the step size: they enter as D. Default: those of the
            /// [variables](Self::variables), or 1 for each.
            ///
            /// With variables, there is one for each free variable, on the scale of the search.
            /// Strategies that do not learn D keep them as a fixed scaling.
            deviations(deviations: &[f64]);
            /// Sets the initial covariance matrix of the candidates, relative to the step size and the
            /// [deviations](Self::deviations): C in N(m, σ²·D·C·D). Default: the identity.
            ///
            /// It must be positive definite, and symmetric up to rounding (1e-10 relative to the deviations). dd-CMA-ES splits it
            /// into a D and correlations, separable CMA-ES takes its diagonal.
            covariance(covariance: $crate::Columns);
            /// Starts with the shape of another run's distribution, and not with its mean and its step size. Default: none.
            ///
            /// D and C are taken with D rescaled: the geometric mean of the coordinates' deviations is that of a start without
            /// this shape, so that the step size means what it always means. [Deviations](Self::deviations) or a
            /// [covariance matrix](Self::covariance) of their own win.
            shape_of(distribution: $crate::Distribution);
        }
    };
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $type:ty);)*) => {
        impl RunOptions {
            $(
                $(#[$doc])*
                #[must_use = "it returns the changed options"]
                pub fn $name(mut self, $argument: $type) -> Self {
                    self.$name = Some($argument.into());
                    self
                }
            )*
        }
    };
}

for_each_run_option!(setters);

/// The same setters for a type that has a field `options`, inside of its `impl`.
#[doc(hidden)]
#[macro_export]
macro_rules! run_option_setters {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $type:ty);)*) => {
        $(
            $(#[$doc])*
            #[must_use = "it returns the changed start"]
            pub fn $name(mut self, $argument: $type) -> Self {
                self.options = self.options.$name($argument);
                self
            }
        )*
    };
}

impl RunOptions {
    /// Nothing chosen: the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the seed.
    pub fn chosen_seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// Returns the strategy parameters, with the λ that was chosen.
    pub fn chosen_settings(&self) -> Settings {
        let settings = self.settings.clone().unwrap_or_default();
        if let Some(lambda) = self.lambda { settings.lambda(lambda) } else { settings }
    }

    /// Returns the criteria of a run, with the target and the budgets that were chosen.
    pub fn chosen_criteria(&self) -> StopCriteria {
        let criteria = self.chosen_criteria_of_each_run();
        StopCriteria {
            target: self.target.or(criteria.target),
            max_evaluations: self.max_evaluations.or(criteria.max_evaluations),
            max_time: self.max_time.or(criteria.max_time),
            ..criteria
        }
    }

    /// Returns the criteria of each run of a search, whose target and budgets of evaluations and time are its own.
    pub fn chosen_criteria_of_each_run(&self) -> StopCriteria {
        let criteria = self.criteria.clone().unwrap_or_default();
        StopCriteria { max_iterations: self.max_iterations.or(criteria.max_iterations), ..criteria }
    }

    /// Returns the target, if it was chosen on its own.
    pub fn chosen_target(&self) -> Option<f64> {
        self.target
    }

    /// Returns the budget of evaluations, if it was chosen on its own.
    pub fn chosen_max_evaluations(&self) -> Option<u64> {
        self.max_evaluations
    }

    /// Returns the budget of time, if it was chosen on its own.
    pub fn chosen_max_time(&self) -> Option<Duration> {
        self.max_time
    }

    /// Returns the bounds.
    pub fn chosen_bounds(&self) -> Option<&Bounds> {
        self.bounds.as_ref()
    }

    /// Returns the variables.
    pub fn chosen_variables(&self) -> Option<&Variables> {
        self.variables.as_ref()
    }

    /// Returns the initial covariance matrix.
    pub fn chosen_covariance(&self) -> Option<&Columns> {
        self.covariance.as_ref()
    }

    /// Returns the distribution whose shape to start with.
    pub fn chosen_shape_of(&self) -> Option<&Distribution> {
        self.shape_of.as_ref()
    }

    /// Returns the initial deviations.
    pub fn chosen_deviations(&self) -> Option<&[f64]> {
        self.deviations.as_deref()
    }
}
