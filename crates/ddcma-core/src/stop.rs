//! Stop criteria, with the defaults usual for CMA-ES. Each can be set and switched off.

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
    /// The criteria that end a run. `None` or `false` switches a criterion off.
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
        pub(crate) creeping: Option<f64>,
        pub(crate) creeping_best: Option<f64>,
        pub(crate) abandon: Option<f64>,
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
    /// Sets the function value that is good enough: the run stops when best f ≤ target. Default: off.
    target: Option<f64>;
    /// Sets the number of evaluations, at least 1, after which a run stops. The last generation is completed, so it may make up
    /// to λ − 1 more. Default: off.
    max_evaluations: Option<u64>;
    /// Sets the largest number of iterations, at least 1. Default: off.
    max_iterations: Option<u64>;
    /// Sets the longest time, not 0, counted only while the run is in progress. Default: off.
    ///
    /// The clock is read only while there is a time budget: in a run that gets its first one from
    /// [`set_criteria`](crate::Optimizer::set_criteria), the time counts from that call.
    max_time: Option<Duration>;
    /// Sets the number of consecutive generations with fewer than μ values below +∞ after which a run stops. Default: 20.
    not_finite: Option<u64>;
    /// Sets the largest condition number of C. Default: 1e14, an axis ratio of 1e7.
    ///
    /// It does not limit D: the purpose of D is to represent scales that differ by any factor.
    condition: Option<f64>;
    /// Sets whether to stop if 0.1 σ along a principal axis of C, decoded by D, does not change the mean. Default: true.
    ///
    /// Each iteration checks another axis: all of them in turn, or, with the default root, the longest and the shortest.
    no_effect_axis: bool;
    /// Sets whether to stop if 0.2 deviations of a coordinate do not change the mean. Default: true.
    no_effect_coordinate: bool;
    /// Sets the factor by which the deviations of all coordinates may grow together. Default: 1e8.
    ///
    /// A single coordinate may grow by its square, 1e16, because learning the scale of a variable looks like that.
    tol_x_up: Option<f64>;
    /// Sets the range of function values below which a run stops. Both the range of the generation and that of the best values of the last
    /// generations must be below it. Default: 1e-12.
    tol_fun: Option<f64>;
    /// Sets the same tolerance for the best values of the last generations alone. Default: 1e-12.
    tol_fun_hist: Option<f64>;
    /// Sets the range of function values, relative to the values themselves, below which a run stops. Default: 1e-12.
    ///
    /// This criterion is for values far from zero: their range falls below an absolute tolerance only when all digits are
    /// equal. Both the range of the generation and that of the best values of the last 5 + ⌈15 n/λ⌉ generations (at least
    /// ten) must be below this tolerance times the smallest magnitude of these best values. Also, the geometric mean of the
    /// coordinates' deviations must have shrunk to a thousandth. Values that fall to zero are never that close to each
    /// other, so a run whose minimum is zero ends as it would without this criterion. Switch it off if you need digits of f
    /// beyond the twelfth.
    tol_fun_rel: Option<f64>;
    /// Sets the deviation, relative to the initial one, below which all coordinates must be for a run to stop. Default:
    /// 1e-12.
    tol_x: Option<f64>;
    /// Sets whether to stop if a quarter of the candidates have the best value in more than a third of the last n
    /// generations, at least ten. Default: true.
    flat_fitness: bool;
    /// Sets whether to stop if best and median values have not improved for a long time. Default: true.
    stagnation: bool;
    /// Sets the factor by which σ may grow, in a run above its [reference value](crate::Optimizer::set_reference), while no
    /// deviation of a coordinate exceeds its initial value. Default: 1e3.
    ///
    /// Such a run creeps: D and C shrink as fast as σ grows, and this can last for a very long time. What σ hands over to
    /// D, and what bounds take from D, does not count. A run without a reference may creep: it follows an edge in this way,
    /// such as that of a penalty, and reaches the minimum in the end. See
    /// `docs/decisions/0013-runs-that-will-not-reach-what-is-known-end.md`.
    creeping: Option<f64>;
    /// Sets the same factor for runs that are not above a reference value: the best run so far, or a run without a reference.
    /// Default: none.
    ///
    /// Use it in a search with restarts on a rugged function, where a run that creeps can take the whole budget although it
    /// has found no more than a local minimum. Do not use it with penalties: there, a creeping run finds the minimum in the
    /// end, and ending it at a factor of 1e3 costs all but the first four digits.
    creeping_best: Option<f64>;
    /// Sets the share of its distance from a [reference value](crate::Optimizer::set_reference) that a run must be able to
    /// gain. Default: 0.01.
    ///
    /// A run is abandoned if its best value is above the reference and two numbers are below this share of the remaining
    /// distance: the range of the best values of the last 10 + ⌈30 n/λ⌉ generations, and the distance between the median and
    /// the best value of the last generation. The remaining distance is the least of these best values minus the reference.
    /// A run without a reference is never abandoned.
    abandon: Option<f64>;
}

impl StopCriteria {
    /// Creates the default criteria, without a target and without a budget.
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
            creeping: Some(1e3),
            abandon: Some(0.01),
            ..Self::none()
        }
    }

    /// Returns the [target](Self::target), if there is one.
    pub fn target_value(&self) -> Option<f64> {
        self.target
    }

    /// Returns the budget of [evaluations](Self::max_evaluations), if there is one.
    pub fn evaluation_budget(&self) -> Option<u64> {
        self.max_evaluations
    }

    /// Checks that every threshold and every budget is valid.
    pub(crate) fn check(&self) -> Result<(), StartError> {
        let tolerances = [
            ("condition", self.condition),
            ("tol_x_up", self.tol_x_up),
            ("tol_fun", self.tol_fun),
            ("tol_fun_hist", self.tol_fun_hist),
            ("tol_fun_rel", self.tol_fun_rel),
            ("tol_x", self.tol_x),
            ("creeping", self.creeping),
            ("creeping_best", self.creeping_best),
            ("abandon", self.abandon),
        ];
        for (name, value) in tolerances {
            if let Some(value) = value.filter(|value| value.is_nan() || *value < 0.0) {
                return Err(StartError::Criterion { name, value });
            }
        }
        let budgets = [
            ("evaluations", self.max_evaluations == Some(0)),
            ("iterations", self.max_iterations == Some(0)),
            ("time", self.max_time == Some(Duration::ZERO)),
        ];
        if let Some((of, _)) = budgets.into_iter().find(|(_, is_empty)| *is_empty) {
            return Err(StartError::EmptyBudget { of });
        }
        match self {
            Self { target: Some(value), .. } if value.is_nan() => {
                Err(StartError::Criterion { name: "target", value: *value })
            }
            Self { not_finite: Some(0), .. } => Err(StartError::Criterion { name: "not_finite", value: 0.0 }),
            _ => Ok(()),
        }
    }

    /// Creates criteria that are all switched off: the run ends when its caller ends it, or at the limits of floating point.
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
            creeping: None,
            creeping_best: None,
            abandon: None,
        }
    }
}
