//! The start of a run: the initial distribution, the settings and the seed, checked together.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::optimizer::State;
use crate::persist::Origin;
use crate::space::Space;
use crate::step_size::{StepSizeAdaptation, StepSizeRule};
use crate::{Columns, Optimizer, Params, RunOptions, StartError, StartShape, StopCriteria, Strategy, Variables};

/// A builder for the start of a run, from [`Optimizer::builder`].
///
/// ```
/// use ddcma_core::{SepCma, Settings};
///
/// let es = SepCma::builder(&[0.0, 500.0], 0.3)
///     .deviations(&[1.0, 1000.0]) // the second coordinate lives on another scale
///     .settings(Settings::new().lambda(20))
///     .seed(7)
///     .build()?;
/// assert_eq!(es.d(), [1.0, 1000.0]);
/// # Ok::<(), ddcma_core::StartError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<S: Strategy> {
    mean: Vec<f64>,
    sigma: f64,
    /// The variables that the mean comes from.
    pub(crate) over: Option<Variables>,
    options: RunOptions,
    strategy_options: S::Options,
}

impl<S: Strategy> Builder<S> {
    crate::options::for_each_run_option!(crate::options::run_option_setters);

    pub(crate) fn new(mean: &[f64], sigma: f64) -> Self {
        let (options, strategy_options) = (RunOptions::new(), S::Options::default());
        Self { mean: mean.to_vec(), sigma, over: None, options, strategy_options }
    }

    /// Starts where the variables say.
    pub(crate) fn over(variables: &Variables) -> Self {
        let builder = Self::new(&variables.start(), 1.0).variables(variables.clone());
        Self { over: Some(variables.clone()), ..builder }
    }

    /// Sets all options at once, and replaces those set before.
    #[must_use = "it returns the changed start"]
    pub fn options(mut self, options: RunOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the options that are specific to this strategy. Default: the strategy's own defaults.
    #[must_use = "it returns the changed start"]
    pub fn strategy_options(mut self, options: S::Options) -> Self {
        self.strategy_options = options;
        self
    }

    /// Starts the run.
    pub fn build(self) -> Result<Optimizer<S>, StartError> {
        let rng = Xoshiro256PlusPlus::seed_from_u64(self.options.seed.unwrap_or_default());
        self.build_with(rng)
    }

    /// Starts the run with a random number generator in any state, such as a stream of its own; the seed is ignored.
    pub fn build_with(self, rng: Xoshiro256PlusPlus) -> Result<Optimizer<S>, StartError> {
        let Self { mean, sigma, over, options, strategy_options } = self;
        if over.is_some() && over != options.variables {
            return Err(StartError::OtherVariables);
        }
        let origin = Origin::new()
            .part("the strategy and its step-size rule", &(S::NAME, S::StepSize::NAME))
            .part("the settings", &(mean.len(), options.settings_of_run()))
            .part("the start", &mean)
            .part("the bounds or the variables", &(&options.bounds, &options.variables))
            .part("the step size", &sigma)
            .part("the deviations", &options.deviations)
            .part("the covariance matrix", &options.covariance)
            .part("the given shape", &options.shape_of)
            .part("the options of the strategy", &strategy_options)
            .part("the seed", &rng.clone().next_u64());
        let Start { space, params, criteria, d, c } = Start::new(&mean, sigma, &options)?;
        let strategy = S::start(&params, &strategy_options, &StartShape { d: &d, c: c.as_ref() })?;
        let deviations = (0..params.n).map(|k| sigma * strategy.shape().deviation(k)).collect();
        let state = State::start(&params, deviations, mean, space, criteria, rng);
        let step_size = StepSizeAdaptation::start(sigma, &params)?;
        let optimizer = Optimizer::start(params, strategy, step_size, state, origin);
        optimizer.check_range()?;
        Ok(optimizer)
    }
}

/// What a run starts with, apart from the mean, the step size and the strategy.
struct Start {
    space: Space,
    params: Params,
    criteria: StopCriteria,
    d: Vec<f64>,
    c: Option<Columns>,
}

impl Start {
    /// Checks the start and the options together.
    fn new(mean: &[f64], sigma: f64, options: &RunOptions) -> Result<Self, StartError> {
        let space = space(mean.len(), options)?;
        let n = space.search_dimension();
        let params = options.settings_of_run().params(n)?;
        let positive = |value: f64| value > 0.0 && value.is_normal();
        if !positive(sigma) {
            return Err(StartError::StepSize { sigma });
        }
        if let Some(index) = mean.iter().position(|value| !value.is_finite()) {
            return Err(StartError::Mean { index, value: mean[index] });
        }
        let covariance = options.covariance.as_ref();
        let known = options.shape_of.as_ref().filter(|_| covariance.is_none());
        let usual = options.variables.as_ref().map_or_else(|| vec![1.0; n], Variables::deviations);
        let given = options.deviations.as_deref();
        let mut d = given.or(known.map(|known| &known.d[..])).unwrap_or(&usual).to_vec();
        if d.len() != n {
            return Err(StartError::DeviationsOfWrongLength { expected: n, got: d.len() });
        }
        if let Some(index) = d.iter().position(|&value| !positive(value)) {
            return Err(StartError::Deviation { index, value: d[index] });
        }
        let c = covariance.or(known.and_then(|known| known.c.as_ref()));
        let mut c = c.map(|c| symmetric(c, n)).transpose()?;
        if given.is_some() {
            // D alone has the given deviations.
            c.iter_mut().for_each(scale_to_correlations);
        } else if known.is_some() {
            let factor = geometric_mean(&usual) / geometric_mean(&StartShape { d: &d, c: c.as_ref() }.deviations());
            d.iter_mut().for_each(|d| *d *= factor);
            if let Some(index) = d.iter().position(|&value| !positive(value)) {
                return Err(StartError::Deviation { index, value: d[index] });
            }
        }
        if let Some(index) = space.violated_by(mean) {
            let (lower, upper) = space.sides(index);
            let name = space.name(index);
            return Err(StartError::OutsideBounds { index, name, value: mean[index], lower, upper });
        }
        if let Some(bounds) = space.bounds() {
            for (k, (d, largest)) in d.iter_mut().zip(bounds.largest_deviations()).enumerate() {
                *d = d.min(largest / sigma / c.as_ref().map_or(1.0, |c| c[k][k].sqrt()));
            }
            if let Some(index) = d.iter().position(|&value| !positive(value)) {
                return Err(StartError::Deviation { index, value: d[index] });
            }
        }
        let criteria = options.criteria_of_run();
        criteria.check()?;
        Ok(Self { space, params, criteria, d, c })
    }
}

/// Returns the search space, if its dimension is that of the start.
fn space(n: usize, options: &RunOptions) -> Result<Space, StartError> {
    match (&options.bounds, &options.variables) {
        (None, None) => Ok(Space::Whole(n)),
        (Some(bounds), None) if bounds.dimension() == n => Ok(Space::Box(bounds.clone())),
        (Some(bounds), None) => Err(StartError::BoundsOfWrongLength { expected: n, got: bounds.dimension() }),
        (None, Some(variables)) if variables.dimension() == n => Ok(Space::Over(variables.clone())),
        (None, Some(variables)) => Err(StartError::StartOfWrongLength { expected: variables.dimension(), got: n }),
        (Some(_), Some(_)) => Err(StartError::BoundsBesideVariables),
    }
}

fn geometric_mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|number| number.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

/// Divides a covariance matrix by the deviations of its coordinates.
fn scale_to_correlations(c: &mut Columns) {
    let deviations: Vec<f64> = (0..c.len()).map(|k| c[k][k].sqrt()).collect();
    for (column, of_column) in deviations.iter().enumerate() {
        for (row, of_row) in deviations.iter().enumerate() {
            c[column][row] = if row == column { 1.0 } else { c[column][row] / of_row / of_column };
        }
    }
}

/// The largest difference between entries on both sides of the diagonal, relative to the deviations of their coordinates:
/// rounding.
const ASYMMETRY: f64 = 1e-10;

/// Makes an n × n matrix exactly symmetric if it is symmetric up to rounding and has a positive diagonal.
///
/// The strategy checks whether it has a root.
fn symmetric(c: &Columns, n: usize) -> Result<Columns, StartError> {
    if (c.dimension(), c.len()) != (n, n) {
        return Err(StartError::CovarianceOfWrongSize { expected: n, got: (c.dimension(), c.len()) });
    }
    if let Some(k) = (0..n).find(|&k| !(c[k][k] > 0.0 && c[k][k].is_normal())) {
        return Err(StartError::CovarianceEntry { row: k, column: k, value: c[k][k] });
    }
    let mut symmetric = c.clone();
    for column in 0..n {
        for row in 0..column {
            let (value, mirrored) = (c[column][row], c[row][column]);
            let farthest = ASYMMETRY * c[row][row].sqrt() * c[column][column].sqrt();
            let fits = (value - mirrored).abs() <= farthest; // false with NaN or ∞
            if !fits {
                return Err(StartError::CovarianceEntry { row, column, value });
            }
            symmetric[column][row] = 0.5 * value + 0.5 * mirrored;
            symmetric[row][column] = symmetric[column][row];
        }
    }
    Ok(symmetric)
}
