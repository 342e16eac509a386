//! Trials of the lab that measure the time of an iteration, without the time of the objective function and of the start.

use std::time::Duration;

use ddcma_core::{DiagonalDecoding, Plain, Root, Separable};
use ddcma_lab::{Algorithm, Experiment, Family, LabError, Silent, TrialOutcome, TrialProblem};
use ddcma_problems::{Function, Instance, Spec};

use crate::ours::Ours;
use crate::peers::{Basin, Cmaes, Fcmaes};

/// The target at which a trial ends.
pub const TARGET: f64 = 1e-8;

/// Creates an algorithm; an experiment owns its algorithms.
pub type Make = fn() -> Box<dyn Algorithm>;

/// Strategies, by their names in tables.
pub const STRATEGIES: [(&str, Make); 3] = [
    ("dd", || Box::new(Ours::<DiagonalDecoding>::new(Root::LowRank))),
    ("plain", || Box::new(Ours::<Plain>::new(Root::LowRank))),
    ("sep", || Box::new(Ours::<Separable>::new(Root::LowRank))),
];

/// The eigendecompositions of the paper's text, for strategies that have them.
pub const LITERAL: [(&str, Make); 2] = [
    ("literal dd", || Box::new(Ours::<DiagonalDecoding>::new(Root::Literal))),
    ("literal plain", || Box::new(Ours::<Plain>::new(Root::Literal))),
];

/// Other crates.
pub const PEERS: [(&str, Make); 3] =
    [("cmaes", || Box::new(Cmaes)), ("fcmaes", || Box::new(Fcmaes)), ("basin", || Box::new(Basin))];

/// The same instance for every seed, with a budget.
struct Fixed {
    instance: Instance,
    budget: u64,
}

impl Family for Fixed {
    fn name(&self) -> &str {
        self.instance.spec().function.name()
    }

    fn with(&self, _: usize, _: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        let mut instance = self.instance.clone();
        let (mean, sigma) = (instance.initial_mean().to_vec(), instance.initial_sigma());
        trial(TrialProblem::new(&mut instance, mean, sigma, self.budget)?);
        Ok(())
    }
}

/// An algorithm on the ellipsoid, with a population size and a number of threads.
#[derive(Clone, Debug)]
struct Setup {
    make: Make,
    instance: Instance,
    lambda: usize,
    threads: u32,
}

impl Setup {
    /// Runs trials of this many generations, or fewer if the target is reached, one after the other.
    fn trials(&self, generations: u64, trials: u32, first_seed: u64) -> Result<Vec<TrialOutcome>, LabError> {
        let problem = Fixed { instance: self.instance.clone(), budget: generations * self.lambda as u64 };
        let experiment = Experiment::new().algorithm((self.make)()).problem(problem);
        let experiment = experiment.dimensions([self.instance.spec().n]).lambdas([self.lambda]).target(TARGET);
        let outcomes = experiment.trials(trials).first_seed(first_seed).jobs(self.threads).run(&Silent)?;
        Ok(outcomes.iter().map(|(_, outcome)| outcome.clone()).collect())
    }

    /// Runs the trials that fit into a time, at most 20. With several threads there is only one trial, which uses all of them.
    fn trials_within(&self, limit: Duration, of: &TrialOutcome) -> u32 {
        if self.threads == 1 { (limit.as_secs_f64() / of.internal_seconds).clamp(1.0, 20.0) as u32 } else { 1 }
    }

    /// Returns the fastest of some trials.
    fn quickest(&self, generations: u64, trials: u32) -> Result<TrialOutcome, LabError> {
        let outcomes = self.trials(generations, trials, 1)?.into_iter();
        let quickest = outcomes.min_by(|a, b| a.internal_seconds.total_cmp(&b.internal_seconds));
        quickest.ok_or_else(|| LabError::new("an experiment without a trial"))
    }
}

/// An algorithm whose iterations are timed.
#[derive(Clone, Debug)]
pub struct Contest {
    setup: Setup,
    /// A trial of one generation, to subtract the start of a run.
    start: TrialOutcome,
    generations: u64,
    /// The number of trials on one thread; the first iterations on a new thread are slower.
    trials: u32,
    next_seed: u64,
}

/// The time of a trial.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The mean time of an iteration after the first.
    pub us_per_iteration: f64,
    /// The number of evaluations in an iteration.
    pub evaluations_per_iteration: f64,
    /// The number of iterations of the trial.
    pub iterations: u64,
    /// The best value of the trial.
    pub best_value: f64,
}

impl Contest {
    /// Creates a contest of an algorithm on the ellipsoid, with a population size and a number of threads. Short trials determine how many
    /// generations and how many trials fit into a time.
    pub fn new(make: Make, n: usize, lambda: usize, threads: u32, limit: Duration) -> Result<Self, LabError> {
        let instance = Instance::new(Spec { function: Function::Ellipsoid, n, rotated: false, seed: 1 });
        let instance = instance.map_err(|error| LabError::new(error.to_string()))?;
        let setup = Setup { make, instance, lambda, threads };
        let first = setup.quickest(1, 1)?;
        let start = setup.quickest(1, setup.trials_within(limit, &first))?;
        let mut generations = 5;
        loop {
            let longest = setup.quickest(generations, 1)?;
            if longest.success || 4.0 * longest.internal_seconds > limit.as_secs_f64() {
                let trials = setup.trials_within(limit, &longest);
                return Ok(Self { setup, start, generations, trials, next_seed: 1 });
            }
            generations *= 4;
        }
    }

    /// Returns the times of the next trials.
    pub fn timings(&mut self) -> Result<Vec<Timing>, LabError> {
        let outcomes = self.setup.trials(self.generations, self.trials, self.next_seed)?;
        self.next_seed += u64::from(self.trials);
        outcomes.iter().map(|outcome| self.timing(outcome)).collect()
    }

    fn timing(&self, outcome: &TrialOutcome) -> Result<Timing, LabError> {
        let TrialOutcome { success, evaluations, iterations, internal_seconds, best_f, .. } = *outcome;
        // A trial that is timed must make progress.
        let first = outcome.course.first().map_or(f64::INFINITY, |first| first.1);
        if iterations <= self.start.iterations || !(success || best_f < first) {
            let (algorithm, n, stop) = ((self.setup.make)(), self.setup.instance.spec().n, &outcome.stop);
            let name = algorithm.name();
            let line =
                format!("{name}, n = {n}: {first:e} to {best_f:e} in {iterations} iterations, stopped by {stop}");
            return Err(LabError::new(line));
        }
        let further = (iterations - self.start.iterations) as f64;
        Ok(Timing {
            us_per_iteration: 1e6 * (internal_seconds - self.start.internal_seconds) / further,
            evaluations_per_iteration: (evaluations - self.start.evaluations) as f64 / further,
            iterations,
            best_value: best_f,
        })
    }
}
