//! Minimization in one call: from a starting point and options to a solution.

use std::any::Any;
use std::convert::Infallible;
use std::fmt;

use crate::options::{for_each_run_option, run_option_setters};
use crate::variables::Labeled;
use crate::{
    CheckpointError, Interrupted, Objective, Observer, Optimizer, Run, RunOptions, StartError, Stop, Strategy,
    Variables, View, With, drive,
};

/// Minimizes a function from a starting point and a step size.
///
/// The minimum should lie within start ± 3 step sizes in each coordinate. Nothing happens before [`run`](Minimize::run).
///
/// ```
/// use ddcma_core::minimize;
///
/// fn main() -> Result<(), ddcma_core::Failure> {
///     let f = |x: &[f64]| (x[0] - 1.0).powi(2) + 100.0 * (x[1] - x[0]).powi(2);
///     let solution = minimize(f, &[0.0, 3.0], 1.0).seed(1).target(1e-10).run()?;
///     assert!(solution.value <= 1e-10);
///     assert!((solution.point[0] - 1.0).abs() < 1e-4);
///     Ok(())
/// }
/// ```
pub fn minimize<'a, O: Objective>(objective: O, start: &[f64], sigma: f64) -> Minimize<'a, O, DefaultStrategy> {
    Minimize { objective, options: RunOptions::new(), setup: Setup::new(start, sigma) }
}

/// Minimizes a function of variables, which define the start and the initial deviations.
///
/// This is [`minimize`] from their [start](Variables::start), with all its options. Nothing happens before
/// [`run`](Minimize::run).
///
/// ```
/// use ddcma_core::{Variable, Variables, minimize_over};
///
/// let variables = Variables::new([Variable::between(0.0, 10.0), Variable::between(1e-8, 1.0).log()])?;
/// let f = |x: &[f64]| (x[0] - 3.0).powi(2) + (x[1].log10() + 5.0).powi(2);
/// let solution = minimize_over(f, &variables).seed(1).target(1e-10).run()?;
/// assert!((solution.point[1] / 1e-5 - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimize_over<'a, O: Objective>(objective: O, variables: &Variables) -> Minimize<'a, O, DefaultStrategy> {
    let minimize = minimize(objective, &variables.start(), 1.0).variables(variables.clone());
    Minimize { setup: Setup { over: Some(variables.clone()), ..minimize.setup }, ..minimize }
}

/// The strategy of [`minimize`]: dd-CMA-ES, or separable CMA-ES without the feature `dense`.
#[cfg(feature = "dense")]
pub type DefaultStrategy = crate::DiagonalDecoding;

/// The strategy of [`minimize`]: dd-CMA-ES, or separable CMA-ES without the feature `dense`.
#[cfg(not(feature = "dense"))]
pub type DefaultStrategy = crate::Separable;

/// A minimization from [`minimize`], ready to [run](Self::run).
pub struct Minimize<'a, O, S: Strategy> {
    objective: O,
    options: RunOptions,
    setup: Setup<'a, S>,
}

/// The part of a minimization that does not depend on the objective, which makes it compile once for all of them.
struct Setup<'a, S: Strategy> {
    start: Vec<f64>,
    sigma: f64,
    /// The variables that the start comes from.
    over: Option<Variables>,
    strategy_options: S::Options,
    with: With<'a>,
}

impl<'a, S: Strategy> Setup<'a, S> {
    fn new(start: &[f64], sigma: f64) -> Self {
        let (strategy_options, with) = (S::Options::default(), With::new());
        Self { start: start.to_vec(), sigma, over: None, strategy_options, with }
    }

    fn strategy<T: Strategy>(self) -> Setup<'a, T> {
        let Self { start, sigma, over, with, .. } = self;
        Setup { start, sigma, over, strategy_options: T::Options::default(), with }
    }

    fn minimize<E>(
        self,
        objective: &mut dyn Objective<Error = E>,
        options: RunOptions,
    ) -> Result<Solution, MinimizeError<E>> {
        let Self { start, sigma, over, strategy_options, mut with } = self;
        let mut builder = Optimizer::<S>::builder(&start, sigma).options(options).strategy_options(strategy_options);
        builder.over = over;
        let mut run = builder.build().map_err(MinimizeError::Start)?;
        with.begin(&mut run).map_err(MinimizeError::Checkpoint)?;
        match drive(&mut run, objective, &mut with) {
            Ok(stop) => Ok(Solution { resumed_at: with.resumed_at(), ..Solution::new(&run, stop) }),
            Err(interrupted) => Err(MinimizeError::Interrupted { interrupted, run: Box::new(run) }),
        }
    }
}

impl<O, S: Strategy> fmt::Debug for Minimize<'_, O, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minimize").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'a, O: Objective, S: Strategy> Minimize<'a, O, S> {
    for_each_run_option!(run_option_setters);

    /// Sets a custom stop criterion, called after each generation: it returns a reason to stop, or `None` to continue.
    #[must_use]
    pub fn stop_when(mut self, criterion: impl FnMut(&View<'_>) -> Option<String> + 'a) -> Self {
        self.setup.with = self.setup.with.stop_when(criterion);
        self
    }

    /// Adds an observer, which sees every generation.
    #[must_use]
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.setup.with = self.setup.with.observer(observer);
        self
    }

    /// Uses another strategy, with its default options: `minimize(…).strategy::<Plain>()`.
    #[must_use]
    pub fn strategy<T: Strategy>(self) -> Minimize<'a, O, T> {
        let Self { objective, options, setup } = self;
        Minimize { objective, options, setup: setup.strategy() }
    }

    /// Sets the options that are specific to this strategy. Default: the strategy's own defaults.
    #[must_use]
    pub fn strategy_options(mut self, options: S::Options) -> Self {
        self.setup.strategy_options = options;
        self
    }

    /// Runs the minimization and returns the solution.
    pub fn run(self) -> Result<Solution, MinimizeError<O::Error>> {
        let Self { mut objective, options, setup } = self;
        setup.minimize(&mut objective, options)
    }

    /// Runs the minimization and saves it to a file as it goes. When the same program is started again, it continues from
    /// the file, bit for bit.
    ///
    /// A path is enough; [`Autosave`](crate::Autosave) sets how often to save. A file that belongs to a run with another
    /// start, other settings or another objective is an error. Budgets and stop criteria are those of this call: with a
    /// larger budget, the run goes further. The file stays after the end of the run; from then on, the same call returns the
    /// solution without any evaluation. [`Solution::resumed_at`] tells whether the run continued from a file.
    ///
    /// ```
    /// use ddcma_core::minimize;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("run.checkpoint");
    /// let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    /// let solution = minimize(f, &[3.0; 5], 1.0).seed(1).run_saving(&path)?;
    /// let again = minimize(f, &[3.0; 5], 1.0).seed(1).run_saving(&path)?; // immediately
    /// assert_eq!((again.point, again.resumed_at), (solution.point, Some(solution.evaluations)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "checkpoint")]
    pub fn run_saving(mut self, autosave: impl Into<crate::Autosave>) -> Result<Solution, MinimizeError<O::Error>> {
        self.setup.with = self.setup.with.saving(autosave.into().named_after::<O>());
        self.run()
    }
}

/// The result of a minimization.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The best point; the final mean if no value was a number.
    pub point: Vec<f64>,
    /// The value of the best point; NaN if no value was a number.
    pub value: f64,
    /// The final mean of the distribution, often a better estimate if function values are noisy.
    pub mean: Vec<f64>,
    /// The final standard deviations of the coordinates. With [variables](Variables), there is one per free variable; that
    /// of a logarithmic variable is the deviation of its natural logarithm.
    pub deviations: Vec<f64>,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The number of generations.
    pub iterations: u64,
    /// The number of evaluations in the autosave file from which the run continued; `None` for a new run.
    pub resumed_at: Option<u64>,
    /// The variables of the run, if it has any: their names are part of the solution's text.
    pub variables: Option<Variables>,
    /// The reason why the run stopped.
    pub stop: Stop,
}

impl Solution {
    fn new<S: Strategy>(optimizer: &Optimizer<S>, stop: Stop) -> Self {
        let mean = optimizer.mean().to_vec();
        let (point, value) = match optimizer.best() {
            Some(best) => (best.point.to_vec(), best.value),
            None => (mean.clone(), f64::NAN),
        };
        Self {
            point,
            value,
            mean,
            deviations: optimizer.deviations().collect(),
            evaluations: optimizer.evaluations(),
            iterations: optimizer.iterations(),
            resumed_at: None,
            variables: optimizer.state.space.variables().cloned(),
            stop,
        }
    }
}

/// Writes four lines: the value, the point, the evaluations and generations, and why the run stopped. A run that continued
/// from a file has one more. If variables have names, the point has one line for each variable.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { point, value, evaluations, iterations, resumed_at, variables, stop, .. } = self;
        writeln!(f, "f = {value:e}")?;
        writeln!(f, "{}", Labeled(point, variables.as_ref()))?;
        writeln!(f, "{evaluations} evaluations in {iterations} generations")?;
        if let Some(earlier) = resumed_at {
            writeln!(f, "continued from a file with {earlier} of these evaluations")?;
        }
        write!(f, "stopped by {stop}")
    }
}

/// The error returned if a minimization, or a search with restarts, has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum MinimizeError<E = Infallible, T = StartError> {
    /// It could not start.
    Start(T),
    /// The autosave file belongs to another run, or cannot be used.
    Checkpoint(CheckpointError),
    /// It was interrupted.
    Interrupted {
        /// The reason.
        interrupted: Interrupted<E>,
        /// The run so far, which [`drive`] continues. See also [`into_run`](Self::into_run).
        run: Box<dyn Run>,
    },
}

impl<E, T> MinimizeError<E, T> {
    /// Returns the run that was interrupted, if it is of this type: `error.into_run::<DdCma>()`. Otherwise, returns the error.
    pub fn into_run<R: Run>(self) -> Result<R, Self> {
        match self {
            Self::Interrupted { run, .. } if (&*run as &dyn Any).is::<R>() => {
                let run: Box<dyn Any> = run;
                Ok(*run.downcast().expect("it is of this type"))
            }
            error => Err(error),
        }
    }
}

impl<E: fmt::Display, T: fmt::Display> fmt::Display for MinimizeError<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Checkpoint(error) => error.fmt(f),
            Self::Interrupted { interrupted, .. } => interrupted.fmt(f),
        }
    }
}

/// The text includes that of the inner error. This works for errors of any type that can be shown, such as `String` and `Box<dyn Error>`.
impl<E: fmt::Debug + fmt::Display, T: fmt::Debug + fmt::Display> std::error::Error for MinimizeError<E, T> {}
