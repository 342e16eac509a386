//! Runs that can be timed one generation at a time, without the objective: ours and those of other crates.
//!
//! Knows how to start and step each implementation. Does not know how its time is summed up and shown.

use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;
use std::time::{Duration, Instant};

use ddcma_core::{
    Batch, Columns, DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, StopCriteria, Strategy,
};
use ddcma_problems::{Instance, Problem};

/// A run in progress.
pub(crate) trait Run {
    /// One generation; returns the time it took without the objective, or nothing if the implementation has stopped.
    fn generation(&mut self) -> Option<Duration>;
    /// The best function value so far.
    fn best_value(&self) -> f64;
    /// The function values asked for so far.
    fn evaluations(&self) -> u64;
}

/// An implementation that can be started on an instance.
#[derive(Clone, Copy)]
pub(crate) struct Contestant {
    /// As it stands in tables.
    pub(crate) name: &'static str,
    /// Starts a run with a seed.
    /// With a population size, or its own; the other crates have their own in any case.
    pub(crate) start: fn(&Instance, Option<usize>, u64) -> Box<dyn Run>,
}

/// dd-CMA-ES.
pub(crate) const DD: Contestant =
    Contestant { name: "dd", start: |i, lambda, seed| ours::<DiagonalDecoding>(i, Root::LowRank, lambda, seed) };
/// Plain CMA-ES.
pub(crate) const PLAIN: Contestant =
    Contestant { name: "plain", start: |i, lambda, seed| ours::<Plain>(i, Root::LowRank, lambda, seed) };
/// Separable CMA-ES.
pub(crate) const SEP: Contestant =
    Contestant { name: "sep", start: |i, lambda, seed| ours::<Separable>(i, Root::LowRank, lambda, seed) };
/// dd-CMA-ES with the eigendecompositions of the paper's text.
pub(crate) const LITERAL_DD: Contestant = Contestant {
    name: "literal dd",
    start: |i, lambda, seed| ours::<DiagonalDecoding>(i, Root::Literal, lambda, seed),
};
/// Plain CMA-ES with the eigendecompositions of the paper's text.
pub(crate) const LITERAL_PLAIN: Contestant =
    Contestant { name: "literal plain", start: |i, lambda, seed| ours::<Plain>(i, Root::Literal, lambda, seed) };
/// The other crates, each with its defaults and the default population size of CMA-ES.
pub(crate) const PEERS: [Contestant; 3] = [
    Contestant { name: "cmaes", start: |i, _, seed| Box::new(CmaesCrate::new(i, seed)) },
    Contestant { name: "fcmaes", start: |i, _, seed| Box::new(FcmaesCrate::new(i, seed)) },
    Contestant { name: "basin", start: |i, _, seed| Box::new(BasinCrate::new(i, seed)) },
];

fn ours<S: Strategy + 'static>(instance: &Instance, root: Root, lambda: Option<usize>, seed: u64) -> Box<dyn Run> {
    let settings = Settings::new().root(root);
    let settings = lambda.map_or(settings.clone(), |lambda| settings.lambda(lambda));
    let builder = Optimizer::<S>::builder(instance.initial_mean(), instance.initial_sigma());
    let builder = builder.settings(settings).criteria(StopCriteria::none()).seed(seed);
    let es = builder.build().expect("a valid start");
    Box::new(Ours { es, instance: instance.clone() })
}

struct Ours<S: Strategy> {
    es: Optimizer<S>,
    instance: Instance,
}

impl<S: Strategy> Run for Ours<S> {
    fn generation(&mut self) -> Option<Duration> {
        let Self { es, instance } = self;
        let mut evaluating = Duration::ZERO;
        let mut objective = Batch(|points: &Columns, values: &mut [f64]| {
            let start = Instant::now();
            instance.values(points.as_slice(), values);
            evaluating = start.elapsed();
        });
        let start = Instant::now();
        es.step(&mut objective).expect("an objective that cannot fail");
        let time = start.elapsed();
        Some(time - evaluating)
    }

    fn best_value(&self) -> f64 {
        self.es.best_value()
    }

    fn evaluations(&self) -> u64 {
        self.es.evaluations()
    }
}

/// An objective that takes its own time and calls, for implementations that call it.
#[derive(Clone)]
struct TimedObjective {
    instance: Instance,
    time: Rc<Cell<Duration>>,
    calls: Rc<Cell<u64>>,
}

impl TimedObjective {
    fn new(instance: &Instance) -> Self {
        Self { instance: instance.clone(), time: Rc::default(), calls: Rc::default() }
    }

    fn at(&self, x: &[f64]) -> f64 {
        let start = Instant::now();
        let value = self.instance.at(x);
        self.time.set(self.time.get() + start.elapsed());
        self.calls.set(self.calls.get() + 1);
        value
    }

    /// The time of `work` without that of its calls.
    fn apart<T>(&self, work: impl FnOnce() -> T) -> (T, Duration) {
        let (before, start) = (self.time.get(), Instant::now());
        let result = work();
        (result, start.elapsed().saturating_sub(self.time.get() - before))
    }
}

type Boxed = Box<dyn FnMut(&cmaes::DVector<f64>) -> f64>;

/// `cmaes` 0.2.
struct CmaesCrate {
    es: cmaes::CMAES<Boxed>,
    objective: TimedObjective,
    stopped: bool,
}

impl CmaesCrate {
    fn new(instance: &Instance, seed: u64) -> Self {
        let objective = TimedObjective::new(instance);
        let called = objective.clone();
        let options = cmaes::CMAESOptions::new(instance.initial_mean().to_vec(), instance.initial_sigma()).seed(seed);
        let function: Boxed = Box::new(move |x| called.at(x.as_slice()));
        Self { es: options.build(function).expect("valid options"), objective, stopped: false }
    }
}

impl Run for CmaesCrate {
    fn generation(&mut self) -> Option<Duration> {
        if self.stopped {
            return None;
        }
        let (stopped, time) = self.objective.apart(|| self.es.next().is_some());
        self.stopped = stopped;
        Some(time)
    }

    fn best_value(&self) -> f64 {
        self.es.overall_best_individual().map_or(f64::INFINITY, |best| best.value)
    }

    fn evaluations(&self) -> u64 {
        self.objective.calls.get()
    }
}

/// `fcmaes-core` 0.2, by ask and tell.
struct FcmaesCrate {
    es: fcmaes_core::cmaes::Cmaes,
    instance: Instance,
    best: f64,
    evaluations: u64,
    stopped: bool,
}

impl FcmaesCrate {
    fn new(instance: &Instance, seed: u64) -> Self {
        let n = instance.dimension();
        let fitness = fcmaes_core::fitness::Fitness::new(n, 1, vec![], vec![]);
        let params = fcmaes_core::cmaes::CmaesParams {
            popsize: 4 + (3.0 * (n as f64).ln()).floor() as i32,
            max_evaluations: u64::MAX / 2,
            seed,
            ..Default::default()
        };
        let sigma = [instance.initial_sigma()];
        let es = fcmaes_core::cmaes::Cmaes::new(fitness, instance.initial_mean(), &sigma, &params);
        Self { es, instance: instance.clone(), best: f64::INFINITY, evaluations: 0, stopped: false }
    }
}

impl Run for FcmaesCrate {
    fn generation(&mut self) -> Option<Duration> {
        if self.stopped {
            return None;
        }
        let start = Instant::now();
        let points = self.es.ask();
        let asking = start.elapsed();
        let values: Vec<f64> = points.iter().map(|x| self.instance.at(x)).collect();
        let start = Instant::now();
        self.stopped = self.es.tell(&values) != 0;
        let time = asking + start.elapsed();
        self.evaluations += values.len() as u64;
        self.best = values.into_iter().fold(self.best, f64::min);
        Some(time)
    }

    fn best_value(&self) -> f64 {
        self.best
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

impl basin::CostFunction for TimedObjective {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Infallible;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Infallible> {
        Ok(self.at(x))
    }
}

type BasinSolver = basin::CmaEs<Vec<f64>, basin::DenseMatrix>;

/// `basin` 3.2 with its own matrices. It evaluates the mean too, λ + 1 points in a generation.
struct BasinCrate {
    stepper: basin::Stepper<TimedObjective, basin::PopulationProgress<Vec<f64>>, BasinSolver>,
    objective: TimedObjective,
}

impl BasinCrate {
    fn new(instance: &Instance, seed: u64) -> Self {
        let objective = TimedObjective::new(instance);
        let solver = BasinSolver::new(seed, instance.initial_sigma());
        let state = basin::PopulationProgress::from_point(instance.initial_mean().to_vec());
        let Ok(stepper) = basin::Executor::new(objective.clone(), solver, state).max_iter(u64::MAX).into_stepper();
        Self { stepper, objective }
    }
}

impl Run for BasinCrate {
    fn generation(&mut self) -> Option<Duration> {
        let (Ok(outcome), time) = self.objective.apart(|| self.stepper.step());
        matches!(outcome, basin::StepOutcome::Continue).then_some(time)
    }

    fn best_value(&self) -> f64 {
        basin::State::best_cost(self.stepper.state())
    }

    fn evaluations(&self) -> u64 {
        self.objective.calls.get()
    }
}
