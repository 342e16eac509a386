//! Variables as the user declares them: ranges, logarithmic scales, fixed values, names.
//!
//! A run searches only the free variables: linear variables directly, logarithmic ones by their natural logarithm, within
//! the [`Bounds`] of these numbers. Users see points of all variables in their own units.

mod error;

pub use error::VariablesError;

use std::fmt;

use crate::Bounds;
use crate::point::{Coordinate, Point};
use crate::stored::stored;

/// The initial deviation as a fraction of the range, measured by `cargo xtask box-start`. Fractions up to 0.1 are faster on
/// functions with one minimum; 0.2 succeeds more often if there are many minima or the optimum is in a corner.
const DEVIATION: f64 = 0.2;

stored! {
    /// One variable: a range, a scale, and where to start.
    ///
    /// | you have | write |
    /// |---|---|
    /// | a range | `Variable::between(0.1, 10.0)` |
    /// | a range over orders of magnitude | `Variable::between(1e-6, 1e-1).log()` |
    /// | a guess, and how far off it may be | `Variable::around(0.0, 5.0)` |
    /// | a guess, and one bound | `Variable::around(2.0, 0.5).at_least(0.0)` |
    /// | a value that must not change | `Variable::fixed(3.0)` |
    ///
    /// Nothing is checked before [`Variables::new`].
    #[derive(Clone, Debug, PartialEq)]
    pub struct Variable {
        name: Option<String>,
        log: bool,
        lower: f64,
        upper: f64,
        start: Option<f64>,
        deviation: Option<f64>,
    }
}

impl Variable {
    /// Creates a variable with a range. Either end may be infinite; if the ends are equal, the variable is fixed.
    ///
    /// It starts in the middle of its range, with a fifth of the range as its deviation. For a [logarithmic](Self::log)
    /// variable, both refer to the logarithm.
    pub fn between(lower: f64, upper: f64) -> Self {
        Self { name: None, log: false, lower, upper, start: None, deviation: None }
    }

    /// Creates a variable without bounds, with the given start and initial deviation.
    ///
    /// The solution should lie within start ± 3 deviations. The deviation of a [logarithmic](Self::log) variable is that of
    /// its natural logarithm: 2.3, which is ln 10, corresponds to a factor of ten.
    pub fn around(start: f64, deviation: f64) -> Self {
        Self::between(f64::NEG_INFINITY, f64::INFINITY).start(start).deviation(deviation)
    }

    /// Creates a fixed variable. The objective function sees its value, but it is not searched.
    pub fn fixed(value: f64) -> Self {
        Self::between(value, value)
    }

    /// Sets the name, which solutions, stop reasons, error messages and [`Variables::display`] show.
    #[must_use = "it returns the changed variable"]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Makes the variable logarithmic: the search uses its natural logarithm.
    ///
    /// Use it for quantities that span orders of magnitude, such as a learning rate or a concentration. The bounds and the
    /// start must be positive.
    #[must_use = "it returns the changed variable"]
    pub fn log(self) -> Self {
        Self { log: true, ..self }
    }

    /// Sets the lower bound.
    #[must_use = "it returns the changed variable"]
    pub fn at_least(self, lower: f64) -> Self {
        Self { lower, ..self }
    }

    /// Sets the upper bound.
    #[must_use = "it returns the changed variable"]
    pub fn at_most(self, upper: f64) -> Self {
        Self { upper, ..self }
    }

    /// Sets the start, in the variable's own units. Default: the middle of its range, on its scale.
    #[must_use = "it returns the changed variable"]
    pub fn start(self, start: f64) -> Self {
        Self { start: Some(start), ..self }
    }

    /// Sets the initial deviation. Default: a fifth of the range, on the variable's scale.
    ///
    /// For a [logarithmic](Self::log) variable this is the deviation of its natural logarithm. A run limits it to a third of
    /// the range.
    #[must_use = "it returns the changed variable"]
    pub fn deviation(self, deviation: f64) -> Self {
        Self { deviation: Some(deviation), ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the lower and the upper bound, in the variable's own units; infinite where there is none.
    pub fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// Returns whether the variable is logarithmic.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// Returns whether the variable is fixed.
    pub fn is_fixed(&self) -> bool {
        self.lower == self.upper
    }

    /// Returns the start, if it was set.
    pub fn given_start(&self) -> Option<f64> {
        self.start
    }

    /// Returns whether the variable may have this value. NaN and infinite values are outside.
    pub fn contains(&self, x: f64) -> bool {
        x.is_finite() && self.lower <= x && x <= self.upper && (x > 0.0 || !self.log)
    }

    /// Returns the bounds. A logarithmic variable is always positive.
    pub(crate) fn range(&self) -> (f64, f64) {
        (if self.log { self.lower.max(0.0) } else { self.lower }, self.upper)
    }

    /// Converts a value from the variable's own units to the scale of the search: a logarithmic variable to its natural
    /// logarithm.
    pub fn scaled(&self, x: f64) -> f64 {
        if self.log { x.ln() } else { x }
    }

    /// Converts a value from the scale of the search to the variable's own units.
    ///
    /// It undoes [`scaled`](Self::scaled) up to rounding. The result is finite and within the bounds.
    pub fn unscaled(&self, x: f64) -> f64 {
        let (lower, upper) = self.scaled_bounds();
        // The logarithm of a bound must give exactly that bound.
        if x <= lower {
            self.lower.max(self.smallest())
        } else if x >= upper {
            self.upper.min(f64::MAX)
        } else {
            let x = if self.log { x.exp() } else { x };
            x.clamp(self.lower.max(self.smallest()), self.upper.min(f64::MAX))
        }
    }

    /// The smallest number that the variable's scale can represent.
    fn smallest(&self) -> f64 {
        if self.log { f64::from_bits(1) } else { f64::MIN }
    }

    /// The bounds on the scale of the search.
    fn scaled_bounds(&self) -> (f64, f64) {
        let lower = if self.log && self.lower == f64::NEG_INFINITY { self.lower } else { self.scaled(self.lower) };
        (lower, self.scaled(self.upper))
    }

    /// The start, in the variable's own units.
    fn initial(&self) -> Option<f64> {
        let middle = || {
            let (lower, upper) = self.scaled_bounds();
            let middle = 0.5 * lower + 0.5 * upper;
            middle.is_finite().then(|| self.unscaled(middle))
        };
        self.start.or_else(middle)
    }

    /// The initial deviation, on the scale of the search.
    fn initial_deviation(&self) -> Option<f64> {
        let of_range = || {
            let (lower, upper) = self.scaled_bounds();
            let deviation = DEVIATION * (upper - lower);
            deviation.is_finite().then_some(deviation)
        };
        self.deviation.or_else(of_range)
    }

    fn check(&self, index: usize) -> Result<(), VariablesError> {
        let name = || self.name.clone();
        let Self { lower, upper, .. } = *self;
        if lower.is_nan() || upper.is_nan() || lower == f64::INFINITY || upper == f64::NEG_INFINITY || lower > upper {
            return Err(VariablesError::Empty { index, name: name(), lower, upper });
        }
        let is_given = |bound: &f64| bound.is_finite();
        if self.log {
            let numbers = [lower, upper].into_iter().filter(is_given).chain(self.start);
            if let Some(value) = numbers.into_iter().find(|value| *value <= 0.0) {
                return Err(VariablesError::NotPositive { index, name: name(), value });
            }
        } else if let Some(bound) = [lower, upper].into_iter().filter(is_given).find(|bound| bound.abs() > LARGEST) {
            return Err(VariablesError::TooLarge { index, name: name(), bound });
        }
        if let Some(start) = self.start.filter(|start| !self.contains(*start)) {
            return Err(VariablesError::Start { index, name: name(), start, lower, upper });
        }
        if self.is_fixed() {
            return Ok(());
        }
        let (Some(_), Some(deviation)) = (self.initial(), self.initial_deviation()) else {
            return Err(VariablesError::NoStart { index, name: name(), lower, upper });
        };
        let (scaled_lower, scaled_upper) = self.scaled_bounds();
        if scaled_lower >= scaled_upper {
            return Err(VariablesError::Empty { index, name: name(), lower, upper }); // distinct bounds, but equal logarithms
        }
        if !(deviation > 0.0 && deviation.is_normal()) {
            return Err(VariablesError::Deviation { index, name: name(), deviation });
        }
        Ok(())
    }
}

/// The same limit as for [`Bounds`].
const LARGEST: f64 = 1e300;

/// The variables of an objective function, in the order in which it takes them.
///
/// They are all that [`minimize_over`](crate::minimize_over), [`Optimizer::over`](crate::Optimizer::over) and
/// `restarts_over` of `ddcma-restarts` need: the start and the initial deviations follow from them.
///
/// ```
/// use ddcma_core::{Variable, Variables, minimize_over};
///
/// let variables = Variables::new([
///     Variable::between(1e-6, 1e-1).log().named("rate"),
///     Variable::fixed(3.0).named("mass"),
///     Variable::around(0.0, 5.0).named("offset"),
/// ])?;
/// let f = |x: &[f64]| (x[0] / 1e-4).ln().powi(2) + x[1] * (x[2] - 2.0).powi(2);
/// let solution = minimize_over(f, &variables).seed(1).run()?;
/// assert!((solution.point[0] / 1e-4 - 1.0).abs() < 1e-4);
/// assert_eq!(solution.point[1], 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// All points have all variables in their own units: candidates, the best point, the mean, told points, starts. The shape of
/// the distribution is that of the search: `deviations`, D and C have one row per [free](Self::free) variable, and for a
/// logarithmic variable they describe its natural logarithm. A deviation of 0.1 then means about 10 %. Stop reasons and
/// errors refer to a coordinate by the index of its variable and, where they can, its name, with its mean and deviation on the scale of the search.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Variable>", into = "Vec<Variable>")
)]
pub struct Variables {
    all: Vec<Variable>,
    /// The bounds of the free variables, on the scale of the search.
    bounds: Bounds,
}

impl TryFrom<Vec<Variable>> for Variables {
    type Error = VariablesError;

    fn try_from(all: Vec<Variable>) -> Result<Self, VariablesError> {
        Self::new(all)
    }
}

impl From<Variables> for Vec<Variable> {
    fn from(variables: Variables) -> Self {
        variables.all
    }
}

impl Variables {
    /// Checks and collects variables. At least one must be free.
    pub fn new(variables: impl IntoIterator<Item = Variable>) -> Result<Self, VariablesError> {
        let all: Vec<Variable> = variables.into_iter().collect();
        all.iter().enumerate().try_for_each(|(index, variable)| variable.check(index))?;
        let free = all.iter().filter(|variable| !variable.is_fixed());
        let (lower, upper): (Vec<f64>, Vec<f64>) = free.map(Variable::scaled_bounds).unzip();
        match Bounds::new(&lower, &upper) {
            Ok(bounds) if bounds.dimension() > 0 => Ok(Self { all, bounds }),
            // The ranges were checked above, so only this error is possible.
            _ => Err(VariablesError::NothingFree { variables: all.len() }),
        }
    }

    /// Returns the number of variables, fixed ones included: the dimension of a point.
    pub fn dimension(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of free variables, which are the ones that are searched.
    pub fn free_dimension(&self) -> usize {
        self.bounds.dimension()
    }

    /// Returns the free variables in order, with their indices.
    pub fn free(&self) -> impl Iterator<Item = (usize, &Variable)> {
        self.all.iter().enumerate().filter(|(_, variable)| !variable.is_fixed())
    }

    /// Returns all variables in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Variable> {
        self.all.iter()
    }

    /// Returns the starting point of a run.
    pub fn start(&self) -> Vec<f64> {
        let value = |variable: &Variable| if variable.is_fixed() { Some(variable.lower) } else { variable.initial() };
        self.all.iter().filter_map(value).collect() // `check` guarantees that every variable has one
    }

    /// Returns the initial deviations of the free variables, on the scale of the search.
    pub fn deviations(&self) -> Vec<f64> {
        self.free().filter_map(|(_, variable)| variable.initial_deviation()).collect()
    }

    /// Displays a point of all variables with their names, one `name = value` per line.
    ///
    /// A variable without a name appears as `x[index]`. Values are rounded to seven digits.
    ///
    /// ```
    /// use ddcma_core::{Variable, Variables, minimize_over};
    ///
    /// let variables = Variables::new([Variable::between(1e-6, 1e-2).log().named("rate"), Variable::fixed(3.0)])?;
    /// let solution = minimize_over(|x: &[f64]| (x[0] / 1e-4).ln().powi(2), &variables).seed(1).run()?;
    /// println!("{}", variables.display(&solution.point));
    /// assert_eq!(variables.display(&[1e-4, 3.0]).to_string(), "rate = 1e-4\nx[1] = 3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn display<'a>(&'a self, point: &'a [f64]) -> impl fmt::Display + 'a {
        Named { variables: &self.all, point }
    }

    /// Maps a point of the search to the point of all variables that the objective function sees.
    ///
    /// The given point may be anywhere in ℝⁿ. The result is within the bounds, with logarithms undone and fixed values
    /// inserted. Runs over variables do this themselves. The method is for other optimizers that support neither bounds nor
    /// scales: they search one number per [free](Self::free) variable.
    ///
    /// ```
    /// use ddcma_core::{Variable, Variables};
    ///
    /// let variables = Variables::new([Variable::between(1e-6, 1e-2).log(), Variable::fixed(3.0), Variable::between(0.0, 9.0)])?;
    /// let point = variables.from_search(&[1e-4f64.ln(), 4.0])?;
    /// assert!((point[0] - 1e-4).abs() < 1e-12 && point[1..] == [3.0, 4.0]);
    /// let outside = variables.from_search(&[100.0, -2.0])?; // mirrored at the bounds
    /// assert!((1e-6..=1e-2).contains(&outside[0]) && (0.0..=9.0).contains(&outside[2]));
    /// let there = variables.to_search(&[1e-6, 3.0, 8.99])?;
    /// assert!((variables.from_search(&there)?[2] - 8.99).abs() < 1e-12);
    /// assert!(variables.from_search(&[0.0; 3]).is_err(), "two of the variables are free");
    /// # Ok::<(), ddcma_core::VariablesError>(())
    /// ```
    ///
    /// Returns an error if the point does not have one number per free variable.
    #[allow(clippy::wrong_self_convention, reason = "the variables stay, the point comes from the search")]
    pub fn from_search(&self, search: &[f64]) -> Result<Vec<f64>, VariablesError> {
        check_length(search, self.free_dimension())?;
        let mut point = vec![0.0; self.dimension()];
        point[..search.len()].copy_from_slice(search);
        self.to_user(&mut point);
        Ok(point)
    }

    /// Maps a point of all variables to a point of the search, in or next to the box, that
    /// [`from_search`](Self::from_search) maps back to it.
    ///
    /// Returns an error if the point does not have one number per variable.
    pub fn to_search(&self, point: &[f64]) -> Result<Vec<f64>, VariablesError> {
        check_length(point, self.dimension())?;
        let mut search = vec![0.0; self.free_dimension()];
        self.scale(point, &mut search);
        self.bounds.to_search(&mut search);
        Ok(search)
    }

    /// Returns the index of the first coordinate that is invalid for its variable.
    pub(crate) fn violated_by(&self, point: &[f64]) -> Option<usize> {
        self.all.iter().zip(point).position(|(variable, x)| !variable.contains(*x))
    }

    /// The bounds of the free variables, on the scale of the search.
    pub(crate) fn search_bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Turns the point of the search at the front of the slice into the point of all variables.
    pub(crate) fn to_user(&self, point: &mut [f64]) {
        let mut k = self.free_dimension();
        self.bounds.to_user(&mut point[..k]);
        // From the back, because the index of a variable is never less than its index in the search.
        for (index, variable) in self.all.iter().enumerate().rev() {
            point[index] = if variable.is_fixed() {
                variable.lower
            } else {
                k -= 1;
                variable.unscaled(point[k])
            };
        }
    }

    /// Writes the free variables of a point on the scale of the search; bounds are not undone yet.
    pub(crate) fn scale(&self, point: &[f64], search: &mut [f64]) {
        for ((index, variable), x) in self.free().zip(search) {
            *x = variable.scaled(point[index]);
        }
    }
}

/// A point with the names of its variables.
struct Named<'a> {
    variables: &'a [Variable],
    point: &'a [f64],
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, x) in self.point.iter().enumerate() {
            let end = if k == 0 { "" } else { "\n" };
            match self.variables.get(k).and_then(Variable::name) {
                Some(name) => write!(f, "{end}{name} = {}", Coordinate(*x))?,
                None => write!(f, "{end}x[{k}] = {}", Coordinate(*x))?,
            }
        }
        Ok(())
    }
}

/// A point in one line, or with one line for each variable if any of them has a name.
#[derive(Clone, Copy, Debug)]
pub struct Labeled<'a>(pub &'a [f64], pub Option<&'a Variables>);

impl fmt::Display for Labeled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(point, variables) = self;
        match variables.filter(|variables| variables.iter().any(|variable| variable.name().is_some())) {
            Some(variables) => variables.display(point).fmt(f),
            None => write!(f, "x = {}", Point(point)),
        }
    }
}

fn check_length(point: &[f64], expected: usize) -> Result<(), VariablesError> {
    let found = point.len();
    if found == expected { Ok(()) } else { Err(VariablesError::WrongLength { expected, found }) }
}
