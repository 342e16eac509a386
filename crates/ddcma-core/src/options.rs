//! The options of a run, one list for all ways to start it: [`Optimizer::builder`](crate::Optimizer::builder),
//! [`minimize`](crate::minimize()) and searches with restarts have the same setters.

use std::time::Duration;

use crate::stored::stored;
use crate::{Bounds, Columns, Distribution, Settings, StopCriteria, Variables};

stored! {
    /// The options of a run.
    ///
    /// Setters may be called in any order: a single option takes precedence over a whole [`Settings`] or [`StopCriteria`] value.
    #[derive(Clone, Debug, Default)]
    #[non_exhaustive]
    pub struct RunOptions {
        /// Set by [`seed`](Self::seed).
        pub seed: Option<u64>,
        /// Set by [`lambda`](Self::lambda).
        pub lambda: Option<usize>,
        /// Set by [`settings`](Self::settings).
        pub settings: Option<Settings>,
        /// Set by [`criteria`](Self::criteria).
        pub criteria: Option<StopCriteria>,
        /// Set by [`target`](Self::target).
        pub target: Option<f64>,
        /// Set by [`max_evaluations`](Self::max_evaluations).
        pub max_evaluations: Option<u64>,
        /// Set by [`max_iterations`](Self::max_iterations).
        pub max_iterations: Option<u64>,
        /// Set by [`max_time`](Self::max_time).
        pub max_time: Option<Duration>,
        /// Set by [`bounds`](Self::bounds).
        pub bounds: Option<Bounds>,
        /// Set by [`variables`](Self::variables).
        pub variables: Option<Variables>,
        /// Set by [`deviations`](Self::deviations).
        pub deviations: Option<Vec<f64>>,
        /// Set by [`covariance`](Self::covariance).
        pub covariance: Option<Columns>,
        /// Set by [`shape_of`](Self::shape_of).
        pub shape_of: Option<Distribution>,
    }
}

/// Lists all options, with documentation, name and argument, for a macro that writes the setters.
macro_rules! for_each_run_option {
    ($($setters:tt)+) => {
        $($setters)+! {
            /// Sets the seed of all random numbers. Any seed is valid, including 0, the default.
            seed(seed: u64);
            /// Sets the population size λ: larger populations search more globally. Default: that of the
            /// [settings](Self::settings), or the paper's, 4 + ⌊3 ln n⌋. In a search with restarts, it is that of the first
            /// run.
            lambda(lambda: usize);
            /// Sets strategy parameters. Default: the paper's.
            settings(settings: $crate::Settings);
            /// Sets the criteria that end a run. Default: `StopCriteria::new()`.
            criteria(criteria: $crate::StopCriteria);
            /// Sets the function value that is good enough. Default: that of the [criteria](Self::criteria).
            target(target: f64);
            /// Limits the evaluations of a run, or of all runs of a search together; at least 1. The last generation is completed, so
            /// there may be up to λ − 1 more.
            max_evaluations(budget: u64);
            /// Limits the number of iterations of a run; at least 1.
            max_iterations(budget: u64);
            /// Limits the time of a run, or of all runs of a search together; not 0. The last generation is completed.
            max_time(budget: ::std::time::Duration);
            /// Sets lower and upper bounds. Default: none.
            ///
            /// Initial deviations are limited to a third of their coordinate's range. Strategies that learn D keep this
            /// limit; with others, deviations may grow beyond it, and candidates are mirrored back into the box.
            bounds(bounds: $crate::Bounds);
            /// Sets the variables: ranges, logarithmic scales, fixed values. Default: linear and unbounded.
            ///
            /// The start is then a point of all variables in their own units, and the step size multiplies their initial
            /// deviations. Variables have their own bounds: setting [`bounds`](Self::bounds) as well is an error.
            variables(variables: $crate::Variables);
            /// Sets the initial deviations of the coordinates, relative to the step size: they become D. Default: those of
            /// the [variables](Self::variables), or 1 for each coordinate.
            ///
            /// The run starts with these deviations whatever else is given: a [covariance matrix](Self::covariance) or the
            /// [shape](Self::shape_of) of another run then contributes only its correlations.
            /// With variables, there is one deviation per free variable, on the scale of the search. Strategies that do not
            /// learn D keep the deviations as a fixed scaling.
            deviations(deviations: &[f64]);
            /// Sets the initial covariance matrix of the candidates, relative to the step size: C in N(m, σ²·D·C·D). Default:
            /// the identity.
            ///
            /// D is then 1 in each coordinate, or the deviations of the [variables](Self::variables). If you also set
            /// [deviations](Self::deviations), they become D, and only the correlations of this matrix are used.
            ///
            /// It must be positive definite, and symmetric up to rounding (1e-10 relative to the deviations). dd-CMA-ES splits it
            /// into D and correlations; separable CMA-ES takes its diagonal.
            covariance(covariance: $crate::Columns);
            /// Starts with the shape of another run's distribution, but not with its mean and step size. Default: none.
            ///
            /// D and C are taken over with D rescaled: the geometric mean of the coordinates' deviations is that of a start
            /// without this shape, so the step size keeps its meaning. [Deviations](Self::deviations) replace D, and a
            /// [covariance matrix](Self::covariance) replaces the whole shape.
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

/// Writes the same setters for a type with a field `options`, inside its `impl`.
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

pub(crate) use for_each_run_option;
pub(crate) use run_option_setters;

impl RunOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the strategy parameters, with the chosen λ.
    pub fn settings_of_run(&self) -> Settings {
        let settings = self.settings.clone().unwrap_or_default();
        if let Some(lambda) = self.lambda { settings.lambda(lambda) } else { settings }
    }

    /// Returns the stop criteria, with the chosen target and budgets.
    pub fn criteria_of_run(&self) -> StopCriteria {
        let criteria = self.criteria.clone().unwrap_or_default();
        StopCriteria {
            target: self.target.or(criteria.target),
            max_evaluations: self.max_evaluations.or(criteria.max_evaluations),
            max_iterations: self.max_iterations.or(criteria.max_iterations),
            max_time: self.max_time.or(criteria.max_time),
            ..criteria
        }
    }
}
