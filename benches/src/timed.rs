//! Trials of the laboratory whose time is taken, without that of the objective and of the start.
//!
//! Knows what an iteration of an algorithm takes. Does not know how it is shown.

use std::time::{Duration, Instant};

use ddcma_core::{DiagonalDecoding, Plain, Root, Separable};
use ddcma_lab::{Algorithm, Experiment, Family, LabError, Silent, TrialOutcome, TrialProblem};
use ddcma_problems::{Function, Instance, Spec};

use crate::ours::Ours;
use crate::peers::{Basin, Cmaes, Fcmaes};

/// Where a trial ends at the latest.
pub const TARGET: f64 = 1e-8;

/// Makes an algorithm: an experiment owns those that take part in it.
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
pub struct Contest {
    make: Make,
    instance: Instance,
    lambda: usize,
    threads: u32,
    /// The generations of a trial, unless it reaches the target before.
    generations: u64,
    /// A trial of one generation: the start of a run is not an iteration.
    start: TrialOutcome,
    seed: u64,
}

/// The time of a trial.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The mean time of an iteration after the first.
    pub us_per_iteration: f64,
    /// Evaluations in an iteration.
    pub evaluations_per_iteration: f64,
    /// Iterations of the trial.
    pub iterations: u64,
    /// The best value of the trial.
    pub best_value: f64,
}

impl Contest {
    /// Finds out by short trials how many generations fit into a time.
    pub fn new(make: Make, n: usize, lambda: usize, threads: u32, limit: Duration) -> Result<Self, LabError> {
        let instance = Instance::new(Spec { function: Function::Ellipsoid, n, rotated: false, seed: 1 });
        let instance = instance.map_err(|error| LabError::new(error.to_string()))?;
        let (seed, begin) = (0, Instant::now());
        let start = trial(make, &instance, lambda, threads, 1, seed)?;
        let mut contest = Self { make, instance, lambda, threads, generations: 5, start, seed };
        while begin.elapsed() < limit / 10 {
            let start = contest.trial(1)?;
            if start.internal_seconds < contest.start.internal_seconds {
                contest.start = start;
            }
        }
        loop {
            let TrialOutcome { success, internal_seconds, .. } = contest.trial(contest.generations)?;
            if success || 4.0 * internal_seconds > limit.as_secs_f64() {
                return Ok(contest);
            }
            contest.generations *= 4;
        }
    }

    /// The time of one trial with the next seed.
    pub fn timing(&mut self) -> Result<Timing, LabError> {
        let outcome = self.trial(self.generations)?;
        let TrialOutcome { evaluations, iterations, internal_seconds, best_f, .. } = outcome;
        // A trial that was timed must be one that works.
        let first = outcome.course.first().map_or(f64::INFINITY, |first| first.1);
        if iterations <= self.start.iterations || !(outcome.success || best_f < first) {
            let (name, n) = ((self.make)().name().to_string(), self.instance.spec().n);
            let stop = outcome.stop;
            let line = format!("{name}, n = {n}: {first:e} to {best_f:e} in {iterations} iterations, {stop}");
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

    fn trial(&mut self, generations: u64) -> Result<TrialOutcome, LabError> {
        self.seed += 1;
        trial(self.make, &self.instance, self.lambda, self.threads, generations, self.seed)
    }
}

fn trial(
    make: Make,
    instance: &Instance,
    lambda: usize,
    threads: u32,
    generations: u64,
    seed: u64,
) -> Result<TrialOutcome, LabError> {
    let problem = Fixed { instance: instance.clone(), budget: generations * lambda as u64 };
    let experiment = Experiment::new().algorithm(make()).problem(problem).dimensions([instance.spec().n]);
    // One trial has all threads of the experiment for itself.
    let experiment = experiment.lambdas([lambda]).trials(1).first_seed(seed).target(TARGET).jobs(threads);
    let outcomes = experiment.run(&Silent)?;
    let outcome = outcomes.iter().next().map(|(_, outcome)| outcome.clone());
    outcome.ok_or_else(|| LabError::new("an experiment without a trial"))
}
