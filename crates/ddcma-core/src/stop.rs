//! When to stop: the criteria that a user may set. Does not know the state of a run.
//!
//! Criteria and defaults are those usual for CMA-ES; each can be set and switched off.

mod clock;
mod monitor;
mod reason;

pub use clock::Clock;
pub(crate) use monitor::Monitor;
pub use reason::Stop;

use std::time::Duration;

use crate::StartError;
use crate::stored::stored;

stored! {
    /// When to stop. `None` or `false` switches a criterion off.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ddcma_core::StopCriteria;
    ///
    /// let criteria = StopCriteria::new().target(1e-8).max_evaluations(10_000).max_time(Duration::from_secs(60)).stagnation(false);
    /// # let _ = criteria;
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct StopCriteria {
        pub(crate) target: Option<f64>,
        pub(crate) max_evaluations: Option<u64>,
        pub(crate) max_iterations: Option<u64>,
        pub(crate) max_time: Option<Duration>,
        pub(crate) not_finite: Option<u64>,
        pub(crate) condition: Option<f64>,
        pub(crate) no_effect_axis: bool,
        pub(crate) no_effect_coordinate: bool,
        pub(crate) tol_x_up: Option<f64>,
        pub(crate) tol_fun: Option<f64>,
        pub(crate) tol_fun_hist: Option<f64>,
        pub(crate) tol_fun_rel: Option<f64>,
        pub(crate) tol_x: Option<f64>,
        pub(crate) flat_fitness: bool,
        pub(crate) stagnation: bool,
    }
}

impl Default for StopCriteria {
    fn default() -> Self {
        Self::new()
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl StopCriteria {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, value: impl Into<$type>) -> Self {
                    self.$name = value.into();
                    self
                }
            )*
        }
    };
}

setters! {
    /// A function value that is good enough: best f ≤ target. Default: off.
    target: Option<f64>;
    /// The largest number of evaluations, to the full generation. Default: off.
    max_evaluations: Option<u64>;
    /// The largest number of iterations. Default: off.
    max_iterations: Option<u64>;
    /// The longest time, from the start on, counted where the run is going on. Default: off.
    max_time: Option<Duration>;
    /// So many generations in a row with fewer than μ values below +∞. Default: 20.
    not_finite: Option<u64>;
    /// The largest condition number of C. Default: 1e14, an axis ratio of 1e7.
    ///
    /// D may be as far from round as floating point allows: that is what it is for.
    condition: Option<f64>;
    /// Whether to stop if 0.1 σ along a principal axis of C, decoded by D, does not change the mean. Default: yes.
    ///
    /// Another axis is looked at in each iteration: all in turn, or with the default root the longest and the shortest.
    no_effect_axis: bool;
    /// Whether to stop if 0.2 deviations of a coordinate do not change the mean. Default: yes.
    no_effect_coordinate: bool;
    /// The factor by which the deviations of all coordinates may grow together. Default: 1e8.
    ///
    /// A single coordinate may grow by its square, 1e16: that is what learning its scale looks like.
    tol_x_up: Option<f64>;
    /// The range of function values that counts as none: of the generation, and of the best of the last ones. Default: 1e-12.
    tol_fun: Option<f64>;
    /// The same, for the best values of the last generations alone. Default: 1e-12.
    tol_fun_hist: Option<f64>;
    /// The range of function values that counts as none, relative to the values themselves. Default: 1e-12.
    ///
    /// This criterion is for values far from zero: their ranges fall below an absolute tolerance only when all digits are
    /// equal. Both the range of the generation and that of the best values of the last 5 + ⌈15 n/λ⌉ generations (at least ten)
    /// must be below this tolerance times the smallest magnitude of these best values, and the deviations of the coordinates must
    /// have shrunk to a thousandth, by their geometric mean. Values that fall to zero are never that close to each other, so a run whose minimum
    /// is zero ends as it would without this criterion. Switch it off if you need digits of f beyond the twelfth.
    tol_fun_rel: Option<f64>;
    /// The deviation of all coordinates that counts as none, relative to the initial one. Default: 1e-12.
    tol_x: Option<f64>;
    /// Whether to stop if a quarter of the candidates have the best value in more than a third of the last n generations,
    /// and of at least ten. Default: yes.
    flat_fitness: bool;
    /// Whether to stop if best and median values have not improved over a long time. Default: yes.
    stagnation: bool;
}

impl StopCriteria {
    /// The usual criteria, and neither a target nor a budget.
    pub fn new() -> Self {
        Self {
            not_finite: Some(20),
            condition: Some(1e14),
            no_effect_axis: true,
            no_effect_coordinate: true,
            tol_x_up: Some(1e8),
            tol_fun: Some(1e-12),
            tol_fun_hist: Some(1e-12),
            tol_fun_rel: Some(1e-12),
            tol_x: Some(1e-12),
            flat_fitness: true,
            stagnation: true,
            ..Self::none()
        }
    }

    /// The [target](Self::target), if there is one.
    pub fn target_value(&self) -> Option<f64> {
        self.target
    }

    /// The budget of [evaluations](Self::max_evaluations), if there is one.
    pub fn evaluation_budget(&self) -> Option<u64> {
        self.max_evaluations
    }

    /// Whether every threshold is one.
    pub(crate) fn check(&self) -> Result<(), StartError> {
        let tolerances = [
            ("condition", self.condition),
            ("tol_x_up", self.tol_x_up),
            ("tol_fun", self.tol_fun),
            ("tol_fun_hist", self.tol_fun_hist),
            ("tol_fun_rel", self.tol_fun_rel),
            ("tol_x", self.tol_x),
        ];
        for (name, value) in tolerances {
            if let Some(value) = value.filter(|value| value.is_nan() || *value < 0.0) {
                return Err(StartError::Criterion { name, value });
            }
        }
        match self {
            Self { target: Some(value), .. } if value.is_nan() => {
                Err(StartError::Criterion { name: "target", value: *value })
            }
            Self { not_finite: Some(0), .. } => Err(StartError::Criterion { name: "not_finite", value: 0.0 }),
            _ => Ok(()),
        }
    }

    /// No criterion at all: the run ends when its caller ends it, or at the limits of floating point.
    pub fn none() -> Self {
        Self {
            target: None,
            max_evaluations: None,
            max_iterations: None,
            max_time: None,
            not_finite: None,
            condition: None,
            no_effect_axis: false,
            no_effect_coordinate: false,
            tol_x_up: None,
            tol_fun: None,
            tol_fun_hist: None,
            tol_fun_rel: None,
            tol_x: None,
            flat_fitness: false,
            stagnation: false,
        }
    }
}
