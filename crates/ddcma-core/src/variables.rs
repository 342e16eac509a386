//! Variables as users have them: ranges, logarithmic scales, fixed values, names. Knows units, and no run.
//!
//! A run searches the free variables only: linear ones as they are, logarithmic ones by their natural logarithm, within the
//! [`Bounds`] of these numbers. What a user sees are points of all variables in their own units.

mod error;

pub use error::VariablesError;

use crate::Bounds;
use crate::stored::stored;

/// The initial deviation, as a fraction of the range: measured by `cargo xtask box-start`. Up to a tenth is quicker where there is one
/// minimum, a fifth finds more where there are many, or where the optimum is in a corner.
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
    /// A variable of a range. Either end may be infinite; if the ends are equal, the variable is fixed.
    ///
    /// It starts in the middle of its range, with a fifth of the range as its deviation. For a
    /// [logarithmic](Self::log) variable, both are meant of the logarithm.
    pub fn between(lower: f64, upper: f64) -> Self {
        Self { name: None, log: false, lower, upper, start: None, deviation: None }
    }

    /// A variable without bounds, which starts here with this deviation.
    ///
    /// The solution should lie within start ± 3 deviations. The deviation of a [logarithmic](Self::log) variable is that of its
    /// natural logarithm: 2.3, which is ln 10, is a factor of ten.
    pub fn around(start: f64, deviation: f64) -> Self {
        Self::between(f64::NEG_INFINITY, f64::INFINITY).start(start).deviation(deviation)
    }

    /// A variable that keeps its value. The objective function sees it, the search does not.
    pub fn fixed(value: f64) -> Self {
        Self::between(value, value)
    }

    /// Gives it a name, for errors.
    #[must_use = "it returns the changed variable"]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Searches its natural logarithm: for what lives on orders of magnitude, such as a learning rate or a concentration.
    ///
    /// Its bounds and its start must be positive.
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

    /// Sets where it starts, in its own units. Default: the middle of its range, on its scale.
    #[must_use = "it returns the changed variable"]
    pub fn start(self, start: f64) -> Self {
        Self { start: Some(start), ..self }
    }

    /// Sets its initial deviation; that of the natural logarithm if it is [logarithmic](Self::log). Default: a fifth of its range,
    /// on its scale.
    ///
    /// A run limits it to a third of the range.
    #[must_use = "it returns the changed variable"]
    pub fn deviation(self, deviation: f64) -> Self {
        Self { deviation: Some(deviation), ..self }
    }

    /// Returns its name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the lower and the upper bound, in its own units; infinite where there is none.
    pub fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// Whether its logarithm is searched.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// Whether it keeps its value.
    pub fn is_fixed(&self) -> bool {
        self.lower == self.upper
    }

    /// Returns the start that it was given.
    pub fn given_start(&self) -> Option<f64> {
        self.start
    }

    /// Whether the variable may have this value. NaN and infinite values are outside.
    pub fn contains(&self, x: f64) -> bool {
        x.is_finite() && self.lower <= x && x <= self.upper && (x > 0.0 || !self.log)
    }

    /// Its bounds; a logarithmic variable is positive in any case.
    pub(crate) fn range(&self) -> (f64, f64) {
        (if self.log { self.lower.max(0.0) } else { self.lower }, self.upper)
    }

    /// From its own units to the scale of the search: the natural logarithm of a logarithmic variable.
    pub fn scaled(&self, x: f64) -> f64 {
        if self.log { x.ln() } else { x }
    }

    /// From the scale of the search to its own units: undoes [`scaled`](Self::scaled) up to rounding. The result is within
    /// the bounds, and finite.
    pub fn unscaled(&self, x: f64) -> f64 {
        let (lower, upper) = self.scaled_bounds();
        // The logarithm of a bound is that bound to the bit.
        if x <= lower {
            self.lower.max(self.smallest())
        } else if x >= upper {
            self.upper.min(f64::MAX)
        } else {
            let x = if self.log { x.exp() } else { x };
            x.clamp(self.lower.max(self.smallest()), self.upper.min(f64::MAX))
        }
    }

    /// The smallest number that the scale can show.
    fn smallest(&self) -> f64 {
        if self.log { f64::from_bits(1) } else { f64::MIN }
    }

    /// The bounds on the scale of the search.
    fn scaled_bounds(&self) -> (f64, f64) {
        let lower = if self.log && self.lower == f64::NEG_INFINITY { self.lower } else { self.scaled(self.lower) };
        (lower, self.scaled(self.upper))
    }

    /// Where it starts, in its own units.
    fn initial(&self) -> Option<f64> {
        let middle = || {
            let (lower, upper) = self.scaled_bounds();
            let middle = 0.5 * lower + 0.5 * upper;
            middle.is_finite().then(|| self.unscaled(middle))
        };
        self.start.or_else(middle)
    }

    /// Its initial deviation, on the scale of the search.
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
            return Err(VariablesError::Empty { index, name: name(), lower, upper }); // only in its logarithm
        }
        if !(deviation > 0.0 && deviation.is_normal()) {
            return Err(VariablesError::Deviation { index, name: name(), deviation });
        }
        Ok(())
    }
}

/// As of [`Bounds`].
const LARGEST: f64 = 1e300;

/// The variables of an objective function, in the order in which it takes them.
///
/// [`minimize_over`](crate::minimize_over), [`Optimizer::over`](crate::Optimizer::over) and `restarts_over` of `ddcma-restarts` need
/// nothing else: start and initial deviations follow from the variables.
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
/// Everything that is a point has all variables in their own units: candidates, the best point, the mean, told points, starts. The
/// shape of the distribution is that of the search: `deviations`, D and C have one row for each
/// [free](Self::free) variable, and for a logarithmic one they are of its natural logarithm. A deviation of 0.1 then means: about
/// 10 %. Stop reasons and errors name a coordinate by the index of its variable, with its mean and deviation on the scale of the search.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Variable>", into = "Vec<Variable>")
)]
pub struct Variables {
    all: Vec<Variable>,
    /// Of the free ones, on the scale of the search.
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
            // The ranges are good: that was checked.
            _ => Err(VariablesError::NothingFree { variables: all.len() }),
        }
    }

    /// Returns the number of variables, fixed ones included: the dimension of a point.
    pub fn dimension(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of variables that are searched.
    pub fn free_dimension(&self) -> usize {
        self.bounds.dimension()
    }

    /// Returns the variables that are searched, in their order, with their indices.
    pub fn free(&self) -> impl Iterator<Item = (usize, &Variable)> {
        self.all.iter().enumerate().filter(|(_, variable)| !variable.is_fixed())
    }

    /// Returns all variables, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Variable> {
        self.all.iter()
    }

    /// Returns the point that a run starts at.
    pub fn start(&self) -> Vec<f64> {
        let value = |variable: &Variable| if variable.is_fixed() { Some(variable.lower) } else { variable.initial() };
        self.all.iter().filter_map(value).collect() // every variable has one: that was checked
    }

    /// Returns the initial deviations of the free variables, on the scale of the search.
    pub fn deviations(&self) -> Vec<f64> {
        self.free().filter_map(|(_, variable)| variable.initial_deviation()).collect()
    }

    /// Maps a point of the search, anywhere in ℝⁿ, to the point of all variables that the objective function sees: within the
    /// bounds, with logarithms undone and fixed values in their places.
    ///
    /// Runs over variables do this themselves. It is for optimizers that know neither bounds nor scales: they search one number for
    /// each [free](Self::free) variable.
    ///
    /// ```
    /// use ddcma_core::{Variable, Variables};
    ///
    /// let variables = Variables::new([Variable::between(1e-6, 1e-2).log(), Variable::fixed(3.0), Variable::between(0.0, 9.0)])?;
    /// let point = variables.from_search(&[1e-4f64.ln(), 4.0]);
    /// assert!((point[0] - 1e-4).abs() < 1e-12 && point[1..] == [3.0, 4.0]);
    /// let outside = variables.from_search(&[100.0, -2.0]); // mirrored at the bounds
    /// assert!((1e-6..=1e-2).contains(&outside[0]) && (0.0..=9.0).contains(&outside[2]));
    /// let there = variables.to_search(&[1e-6, 3.0, 8.99]);
    /// assert!((variables.from_search(&there)[2] - 8.99).abs() < 1e-12);
    /// # Ok::<(), ddcma_core::VariablesError>(())
    /// ```
    ///
    /// # Panics
    /// If there is not one number for each free variable.
    #[allow(clippy::wrong_self_convention, reason = "the variables stay, the point comes from the search")]
    pub fn from_search(&self, search: &[f64]) -> Vec<f64> {
        assert_eq!(search.len(), self.free_dimension(), "one number for each free variable");
        let mut point = vec![0.0; self.dimension()];
        point[..search.len()].copy_from_slice(search);
        self.enter(&mut point);
        point
    }

    /// Maps a point of all variables to the point of the search that [`from_search`](Self::from_search) maps to it, in or next to
    /// the box.
    ///
    /// # Panics
    /// If the point does not have one number for each variable.
    pub fn to_search(&self, point: &[f64]) -> Vec<f64> {
        assert_eq!(point.len(), self.dimension(), "one number for each variable");
        let mut search = vec![0.0; self.free_dimension()];
        self.scale(point, &mut search);
        self.bounds.leave(&mut search);
        search
    }

    /// Returns the first coordinate of a point of all variables that its variable may not have.
    pub(crate) fn violated_by(&self, point: &[f64]) -> Option<usize> {
        self.all.iter().zip(point).position(|(variable, x)| !variable.contains(*x))
    }

    /// The bounds of the free variables, on the scale of the search.
    pub(crate) fn search_bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Turns the point of the search that is in front into the point of all variables.
    pub(crate) fn enter(&self, point: &mut [f64]) {
        let mut k = self.free_dimension();
        self.bounds.enter(&mut point[..k]);
        // From behind: a variable never stands before its number in the search.
        for (index, variable) in self.all.iter().enumerate().rev() {
            point[index] = if variable.is_fixed() {
                variable.lower
            } else {
                k -= 1;
                variable.unscaled(point[k])
            };
        }
    }

    /// Writes the free variables of a point, on the scale of the search, before bounds are undone.
    pub(crate) fn scale(&self, point: &[f64], search: &mut [f64]) {
        for ((index, variable), x) in self.free().zip(search) {
            *x = variable.scaled(point[index]);
        }
    }
}
