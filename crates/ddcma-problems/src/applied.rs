//! Practical problems: fits, designs and controllers with their box or start, units, and best known values.
//!
//! ```
//! use ddcma_problems::applied::{Applied, Start};
//!
//! let vessel = Applied::from_name("vessel")?;
//! let optimum = vessel.optimum().unwrap();
//! assert!((vessel.at(optimum.point.as_ref().unwrap()) / optimum.value - 1.0).abs() < 1e-9);
//! assert_eq!(vessel.quantities()[3].to_string(), "length in [10, 200] in");
//!
//! let x = vessel.start(Start::Scaled, 1); // somewhere in the box, by a seed
//! assert!(vessel.at(&x) > vessel.target());
//! # Ok::<(), ddcma_problems::ProblemError>(())
//! ```
//!
//! With the feature `core`, `Applied::variables` returns the variables for `minimize_over` and `restarts_over`, including
//! bounds and logarithmic scales.
//!
//! Each module holds one simulator: its data, its formula, and what a picture of its solution needs.

pub mod alpha_pinene;
pub mod beam;
pub mod coating;
pub mod cola;
mod design;
pub mod gp;
pub mod lennard_jones;
pub mod logistic;
pub mod lqr;
pub mod lynx_hare;
mod quantity;
mod runge_kutta;
mod splitmix;
mod table;
pub mod truss10;
pub mod vessel;

pub use design::{DESIGNS, Design};
pub use quantity::Quantity;
pub use table::table;

use std::fmt;
use std::sync::Arc;

use crate::stream::{self, Purpose};
use crate::{Problem, ProblemError};

/// How a search of an applied problem starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Start {
    /// The variables unscaled, with the same initial deviation for all of them.
    Naive,
    /// Each variable on its own scale, with its own initial deviation: a fifth of its range, unless the problem specifies
    /// one.
    Scaled,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Naive => "naive",
            Self::Scaled => "scaled",
        })
    }
}

/// The best known value, and its origin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimum {
    /// The value.
    pub value: f64,
    /// The best known point, if it is recorded. Some problems have many such points, by symmetry.
    pub point: Option<Vec<f64>>,
    /// The source of the value.
    pub source: &'static str,
    /// Whether it is proven that no lower value exists. If not, it is the best value that has been found.
    pub proven: bool,
}

/// The relative distance to the best known value at which a problem counts as solved.
pub const TOLERANCE: f64 = 1e-6;

/// The function to minimize.
type Function = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A practical problem, with everything that an experiment needs to know about it.
///
/// Its value is +∞ outside its box, and NaN if a coordinate is NaN.
#[derive(Clone)]
pub struct Applied {
    name: String,
    title: &'static str,
    goal: &'static str,
    quantities: Vec<Quantity>,
    naive_deviation: f64,
    f: Arc<Function>,
    optimum: Option<Optimum>,
    budget: u64,
}

impl fmt::Debug for Applied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applied").field("name", &self.name).field("n", &self.quantities.len()).finish_non_exhaustive()
    }
}

impl Applied {
    /// The names of the collection; problems with a free size are included in one or two sizes.
    pub const NAMES: [&str; 13] = [
        "alpha-pinene",
        "lynx-hare",
        "gp",
        "logistic-400-20",
        "logistic-600-60",
        "lqr",
        "truss10",
        "vessel",
        "beam",
        "cola",
        "lennard-jones-7",
        "lennard-jones-13",
        "coating",
    ];

    /// Returns all problems of [`NAMES`](Self::NAMES).
    pub fn all() -> Vec<Self> {
        Self::NAMES.iter().filter_map(|name| Self::from_name(name).ok()).collect()
    }

    /// Builds the problem with this name: one of [`NAMES`](Self::NAMES), or `logistic-M-Q` and `lennard-jones-N` in another
    /// size.
    pub fn from_name(name: &str) -> Result<Self, ProblemError> {
        match name {
            "alpha-pinene" => Ok(alpha_pinene::problem()),
            "lynx-hare" => Ok(lynx_hare::problem()),
            "gp" => Ok(gp::problem()),
            "lqr" => Ok(lqr::problem()),
            "truss10" => Ok(truss10::problem()),
            "vessel" => Ok(vessel::problem()),
            "beam" => Ok(beam::problem()),
            "cola" => Ok(cola::problem()),
            "coating" => Ok(coating::problem()),
            _ => Self::of_size(name).unwrap_or_else(|| Err(ProblemError::UnknownProblem { name: name.into() })),
        }
    }

    /// Builds the problem of a name that ends with sizes, without leading zeros or signs: each problem has exactly one name.
    fn of_size(name: &str) -> Option<Result<Self, ProblemError>> {
        let size = |text: &str| text.parse().ok().filter(|size: &usize| size.to_string() == text);
        if let Some(sizes) = name.strip_prefix("logistic-") {
            let (rows, features) = sizes.split_once('-')?;
            Some(logistic::problem(size(rows)?, size(features)?))
        } else {
            Some(lennard_jones::problem(size(name.strip_prefix("lennard-jones-")?)?))
        }
    }

    /// Returns the name, as used on command lines and in records.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a description in one line.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the quantity that is minimized.
    pub fn goal(&self) -> &'static str {
        self.goal
    }

    /// Returns the variables, with units and ranges.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// Returns the best known value, if there is one.
    pub fn optimum(&self) -> Option<&Optimum> {
        self.optimum.as_ref()
    }

    /// Returns the value at which a trial is a success: the best known value, up to [`TOLERANCE`]; −∞ if no value is known.
    pub fn target(&self) -> f64 {
        let target = |optimum: &Optimum| optimum.value + TOLERANCE * optimum.value.abs();
        self.optimum.as_ref().map_or(f64::NEG_INFINITY, target)
    }

    /// Returns the number of evaluations, restarts included, after which a trial is a failure.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Returns the value at a point: +∞ outside the box, NaN if a coordinate is NaN.
    ///
    /// # Panics
    /// Panics if the point does not have the dimension of the problem.
    pub fn at(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.quantities.len(), "the point must have the dimension of the problem");
        if x.iter().any(|x| x.is_nan()) {
            return f64::NAN;
        }
        if self.quantities.iter().zip(x).any(|(quantity, x)| !(quantity.lower..=quantity.upper).contains(x)) {
            return f64::INFINITY;
        }
        (self.f)(x)
    }

    /// Returns whether both ways to start are the same, because all variables have the same scale.
    pub fn is_evenly_scaled(&self) -> bool {
        self.quantities.iter().all(|quantity| !quantity.log && quantity.deviation == self.naive_deviation)
    }

    /// Returns the starting point for a seed: anywhere in the box, on the scale of each variable. If the problem has a given
    /// starting point, it is the same for every seed.
    pub fn start(&self, start: Start, seed: u64) -> Vec<f64> {
        let mut rng = stream::new(seed, Purpose::Start);
        self.quantities.iter().map(|quantity| quantity.draw(start, &mut rng)).collect()
    }

    /// Returns the initial deviations of the variables; for logarithmic variables with a scaled start, those of the natural
    /// logarithm.
    pub fn deviations(&self, start: Start) -> Vec<f64> {
        match start {
            Start::Naive => vec![self.naive_deviation; self.quantities.len()],
            Start::Scaled => self.quantities.iter().map(|quantity| quantity.deviation).collect(),
        }
    }

    /// Returns the variables of a search: bounds, scales, start and deviations.
    ///
    /// ```
    /// use ddcma_core::minimize_over;
    /// use ddcma_problems::applied::{Applied, Start};
    ///
    /// let fit = Applied::from_name("alpha-pinene")?;
    /// let solution = minimize_over(fit.clone(), &fit.variables(Start::Scaled, 1)).seed(1).target(fit.target()).run()?;
    /// assert!(solution.value <= 19.8722);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "core")]
    pub fn variables(&self, start: Start, seed: u64) -> ddcma_core::Variables {
        let (point, deviations) = (self.start(start, seed), self.deviations(start));
        let numbers = point.into_iter().zip(deviations);
        let variables = self.quantities.iter().zip(numbers).map(|(quantity, (x, deviation))| {
            let variable = ddcma_core::Variable::between(quantity.lower, quantity.upper).named(&*quantity.name);
            let variable = variable.start(x).deviation(deviation);
            if quantity.log && start == Start::Scaled { variable.log() } else { variable }
        });
        ddcma_core::Variables::new(variables).expect("every problem of the collection has valid ranges")
    }
}

impl Problem for Applied {
    fn dimension(&self) -> usize {
        self.quantities.len()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        self.at(x)
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        self.optimum.as_ref().and_then(|optimum| optimum.point.clone())
    }
}
