//! The loop around ask and tell, and one call for those who want one. Knows objectives and observers; the algorithm is
//! the optimizer's.

use std::convert::Infallible;
use std::fmt;
use std::time::Duration;

use rand_core::Rng;

use crate::objective::Failed;
use crate::{
    Bounds, Builder, Objective, Observer, Optimizer, Settings, StartError, Stop, Stops, Strategy, TellError, View,
};

/// An objective that failed in the middle of a run.
///
/// The optimizer is as it was before the generation, which still waits for its values: fix what was wrong, and run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupted<E> {
    /// Why the objective failed.
    pub error: E,
    /// The values of the first candidates of the generation, which were computed before.
    pub values: Vec<f64>,
}

impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the objective failed after {} values of the generation: {}", self.values.len(), self.error)
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Interrupted<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source() // its text is part of ours
    }
}

/// A user's own criterion: a reason to stop, or none.
type Criterion<'a> = dyn FnMut(&View<'_>) -> Option<String> + 'a;

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    /// Asks, evaluates and tells until there is a reason to [stop](Self::stop), which it returns.
    ///
    /// Observers are called after each generation. If the objective fails, its error is returned and nothing is lost: see
    /// [`Interrupted`]. If it panics and the panic is caught, the optimizer is as it was before the generation, too.
    pub fn run<O: Objective>(
        &mut self,
        objective: O,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Stop, Interrupted<O::Error>> {
        self.run_until(objective, observers, &mut |_| None)
    }

    /// Like [`run`](Self::run), with a criterion of one's own, asked after each generation: a reason to stop, or `None` to go
    /// on.
    pub fn run_until<O: Objective>(
        &mut self,
        mut objective: O,
        observers: &mut [&mut dyn Observer],
        criterion: &mut Criterion<'_>,
    ) -> Result<Stop, Interrupted<O::Error>> {
        let mut values = vec![0.0; self.params().lambda()];
        loop {
            let told = self.iterations() > 0; // before, there is nothing to look at
            let own = || told.then(|| criterion(&self.view())).flatten().map(|reason| Stop::User { reason });
            let stop = self.target_or_budget().or_else(own).or_else(|| self.numerical()).or_else(|| self.stagnated());
            if let Some(stop) = stop {
                return Ok(stop);
            }
            values.fill(f64::NAN); // what an objective does not evaluate has no value
            if let Err(Failed { error, evaluated }) = objective.evaluate(self.ask(), &mut values) {
                values.truncate(evaluated);
                return Err(Interrupted { error, values });
            }
            match self.tell(&values) {
                // An update that could not be made is a reason to stop, which the next round finds.
                Ok(()) | Err(TellError::Update(_)) => {}
                Err(TellError::NotAsked | TellError::WrongCount { .. }) => {
                    unreachable!("the points were asked, and there is one value for each")
                }
            }
            for observer in observers.iter_mut() {
                observer.observe(&self.view());
            }
        }
    }
}

/// Minimises a function from a start point and a step size.
///
/// The step size should be about a third of the distance within which the minimum is suspected, so that it lies within
/// start ± 3 step sizes. Nothing happens before [`run`](Minimize::run).
///
/// ```
/// use ddcma_core::minimize;
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let f = |x: &[f64]| (x[0] - 1.0).powi(2) + 100.0 * (x[1] - x[0]).powi(2);
///     let solution = minimize(f, &[0.0, 3.0], 1.0).seed(1).target(1e-10).run()?;
///     assert!(solution.value <= 1e-10);
///     assert!((solution.point[0] - 1.0).abs() < 1e-4);
///     Ok(())
/// }
/// ```
pub fn minimize<'a, O: Objective>(objective: O, start: &[f64], sigma: f64) -> Minimize<'a, O, DefaultStrategy> {
    let criterion = Box::new(|_: &View<'_>| None);
    Minimize { objective, builder: Builder::new(start, sigma), stops: Stops::new(), observers: Vec::new(), criterion }
}

/// The strategy of [`minimize`]: dd-CMA-ES, or without the feature `dense` separable CMA-ES.
#[cfg(feature = "dense")]
pub type DefaultStrategy = crate::DiagonalDecoding;

/// The strategy of [`minimize`]: dd-CMA-ES, or without the feature `dense` separable CMA-ES.
#[cfg(not(feature = "dense"))]
pub type DefaultStrategy = crate::Separable;

/// A minimisation to be [run](Self::run), from [`minimize`].
pub struct Minimize<'a, O, S> {
    objective: O,
    builder: Builder<S>,
    stops: Stops,
    observers: Vec<&'a mut dyn Observer>,
    criterion: Box<Criterion<'a>>,
}

impl<O, S> fmt::Debug for Minimize<'_, O, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minimize").field("stops", &self.stops).finish_non_exhaustive()
    }
}

impl<'a, O: Objective, S: Strategy> Minimize<'a, O, S> {
    /// The seed of the random numbers. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.builder = self.builder.seed(seed);
        self
    }

    /// A function value that is good enough.
    #[must_use]
    pub fn target(mut self, target: f64) -> Self {
        self.stops = self.stops.target(target);
        self
    }

    /// The number of evaluations to make, to the full generation.
    #[must_use]
    pub fn evaluations(mut self, budget: u64) -> Self {
        self.stops = self.stops.evaluations(budget);
        self
    }

    /// The number of iterations to make.
    #[must_use]
    pub fn iterations(mut self, budget: u64) -> Self {
        self.stops = self.stops.iterations(budget);
        self
    }

    /// The time to take, to the full generation.
    #[must_use]
    pub fn time(mut self, budget: Duration) -> Self {
        self.stops = self.stops.time(budget);
        self
    }

    /// All criteria, in place of the usual ones and of what was set before.
    #[must_use]
    pub fn stops(mut self, stops: Stops) -> Self {
        self.stops = stops;
        self
    }

    /// A criterion of one's own, asked after each generation: a reason to stop, or `None` to go on.
    #[must_use]
    pub fn stop_when(mut self, criterion: impl FnMut(&View<'_>) -> Option<String> + 'a) -> Self {
        self.criterion = Box::new(criterion);
        self
    }

    /// The population size λ: more candidates in each generation look further around.
    #[must_use]
    pub fn lambda(mut self, lambda: usize) -> Self {
        self.builder = self.builder.lambda(lambda);
        self
    }

    /// Strategy parameters, in place of the paper's and of a λ that was set before.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.builder = self.builder.settings(settings);
        self
    }

    /// Initial deviations of the coordinates, relative to the step size.
    #[must_use]
    pub fn deviations(mut self, deviations: &[f64]) -> Self {
        self.builder = self.builder.deviations(deviations);
        self
    }

    /// Lower and upper bounds.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.builder = self.builder.bounds(bounds);
        self
    }

    /// Somebody who looks at every generation.
    #[must_use]
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// Another strategy: `minimize(…).strategy::<Plain>()`.
    #[must_use]
    pub fn strategy<T: Strategy>(self) -> Minimize<'a, O, T> {
        let Self { objective, builder, stops, observers, criterion } = self;
        Minimize { objective, builder: builder.strategy(), stops, observers, criterion }
    }

    /// Minimises.
    pub fn run(mut self) -> Result<Solution, MinimizeError<S, O::Error>> {
        let mut optimizer = self.builder.stops(self.stops).build().map_err(MinimizeError::Start)?;
        match optimizer.run_until(self.objective, &mut self.observers, &mut *self.criterion) {
            Ok(stop) => Ok(Solution::new(&optimizer, stop)),
            Err(interrupted) => Err(MinimizeError::Interrupted { interrupted, optimizer: Box::new(optimizer) }),
        }
    }
}

/// What a minimisation found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The best point; the final mean, if no value was a number.
    pub point: Vec<f64>,
    /// Its value; NaN, if no value was a number.
    pub value: f64,
    /// The final mean of the distribution: often the better estimate if function values are noisy.
    pub mean: Vec<f64>,
    /// The final standard deviations of the coordinates.
    pub deviations: Vec<f64>,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The number of generations.
    pub iterations: u64,
    /// Why it stopped.
    pub stop: Stop,
}

impl Solution {
    fn new<S: Strategy, R: Rng>(optimizer: &Optimizer<S, R>, stop: Stop) -> Self {
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
            stop,
        }
    }
}

/// Why a minimisation has no solution.
#[non_exhaustive]
pub enum MinimizeError<S, E = Infallible> {
    /// It could not start.
    Start(StartError),
    /// The objective failed. The optimizer can [run](Optimizer::run) on.
    Interrupted {
        /// The objective's error, and what was computed of the generation.
        interrupted: Interrupted<E>,
        /// The run so far.
        optimizer: Box<Optimizer<S>>,
    },
}

impl<S, E: fmt::Debug> fmt::Debug for MinimizeError<S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => f.debug_tuple("Start").field(error).finish(),
            Self::Interrupted { interrupted, .. } => {
                f.debug_struct("Interrupted").field("interrupted", interrupted).finish_non_exhaustive()
            }
        }
    }
}

impl<S, E: fmt::Display> fmt::Display for MinimizeError<S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Interrupted { interrupted, .. } => interrupted.fmt(f),
        }
    }
}

impl<S, E: std::error::Error + 'static> std::error::Error for MinimizeError<S, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start(error) => error.source(),
            Self::Interrupted { interrupted, .. } => interrupted.source(),
        }
    }
}
