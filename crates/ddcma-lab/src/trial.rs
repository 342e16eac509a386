//! One trial: an algorithm on a problem. Counts evaluations, and keeps the best value and the course.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ddcma_core::{Observer, Variables};
use ddcma_restarts::Starts;
use serde::{Deserialize, Serialize};

use crate::records::number;
use crate::statistics::{TARGETS, Targets};
use crate::unbounded::Unbounded;
use crate::{Algorithm, Family, LabError, TrialProblem};

/// The maximum number of points of a course.
const LONGEST_COURSE: usize = 64;

/// The version of the recorded outcome. Records of another version are refused.
pub(crate) const FORMAT: u32 = 2;

/// The recorded outcome of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialOutcome {
    /// Whether it reached the target.
    pub success: bool,
    /// The number of evaluations, up to the end of the last generation if there are generations.
    pub evaluations: u64,
    /// The number of iterations; 0 if there are none.
    pub iterations: u64,
    /// The best value.
    #[serde(with = "number")]
    pub best_f: f64,
    /// The value of the first evaluation, which may be NaN.
    #[serde(with = "number")]
    pub first_f: f64,
    /// The target.
    #[serde(with = "number")]
    pub target: f64,
    /// The evaluations after which each of the [`Targets`] was reached, from the easiest to the hardest one reached: all 51 if the trial
    /// is a success. Each is 1, for the first evaluation, or the count at the end of a generation. The course is too coarse for this: in a
    /// long run, its first points are many generations apart.
    pub hits: Vec<u64>,
    /// The reason why it ended: `target`, `evaluations`, or a reason of the algorithm.
    pub stop: String,
    /// The time spent in the algorithm, without evaluations.
    pub internal_seconds: f64,
    /// Evaluations and finite best values over time.
    pub course: Vec<(u64, f64)>,
    /// Additional numbers from the algorithm, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, f64>,
}

impl TrialOutcome {
    /// Returns everything that must be the same if the trial is repeated: all except the time.
    pub(crate) fn bits(&self) -> impl Iterator<Item = u64> {
        let Self { success, evaluations, iterations, best_f, first_f, target, hits, stop, course, notes, .. } = self;
        let values = [best_f, first_f, target].map(|value| value.to_bits());
        let numbers =
            [u64::from(*success), *evaluations, *iterations].into_iter().chain(values).chain(hits.iter().copied());
        let course = course.iter().flat_map(|(evaluations, value)| [*evaluations, value.to_bits()]);
        numbers.chain(stop.bytes().map(u64::from)).chain(course).chain(notes.values().map(|n| n.to_bits()))
    }
}

/// A problem for an algorithm to minimize. All evaluations go through it.
///
/// If the problem has variables with ranges and scales, [`start`](Self::start), [`evaluate`](Self::evaluate) and
/// [`evaluate_all`](Self::evaluate_all) present it as a problem on all of ℝⁿ: points are mapped into the box as in `ddcma_core`, and are in
/// units of the variables' initial deviations, each limited to a third of the range. An algorithm that supports variables uses
/// [`variables`](Self::variables), [`own_start`](Self::own_start), [`starts`](Self::starts) and [`evaluate_own`](Self::evaluate_own).
pub struct Trial<'a> {
    problem: TrialProblem<'a>,
    /// The map from all of ℝⁿ, if the problem has variables.
    unbounded: Option<Unbounded>,
    target: f64,
    budget: u64,
    seed: u64,
    lambda: Option<usize>,
    evaluations: u64,
    iterations: u64,
    first: f64,
    best: f64,
    hits: Hits,
    stop: Option<String>,
    evaluating: Duration,
    course: Course,
    notes: BTreeMap<String, f64>,
    observers: Vec<&'a mut dyn Observer>,
}

impl std::fmt::Debug for Trial<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Trial");
        shown.field("seed", &self.seed).field("evaluations", &self.evaluations).finish_non_exhaustive()
    }
}

impl<'a> Trial<'a> {
    pub(crate) fn new(
        problem: TrialProblem<'a>,
        target: f64,
        budget: u64,
        seed: u64,
        lambda: Option<usize>,
    ) -> Result<Self, LabError> {
        let unbounded = problem.variables.as_ref().map(|variables| Unbounded::new(variables, &problem.initial_mean));
        Ok(Self {
            unbounded: unbounded.transpose()?,
            problem,
            target,
            budget,
            seed,
            lambda,
            evaluations: 0,
            iterations: 0,
            first: f64::NAN,
            best: f64::INFINITY,
            hits: Hits::new(target),
            stop: None,
            evaluating: Duration::ZERO,
            course: Course::default(),
            notes: BTreeMap::new(),
            observers: Vec::new(),
        })
    }

    /// Adds observers of each generation, if the algorithm has generations.
    pub(crate) fn observed(mut self, observers: Vec<&'a mut dyn Observer>) -> Self {
        self.observers = observers;
        self
    }

    /// Takes the observers.
    pub(crate) fn take_observers(&mut self) -> Vec<&'a mut dyn Observer> {
        std::mem::take(&mut self.observers)
    }

    /// Returns the number of variables that are searched.
    pub fn dimension(&self) -> usize {
        self.start().len()
    }

    /// Returns the start of a single run, on all of ℝⁿ.
    pub fn start(&self) -> &[f64] {
        self.unbounded.as_ref().map_or(&self.problem.initial_mean, Unbounded::start)
    }

    /// Returns the initial step size; with variables, in units of their initial deviations.
    pub fn sigma(&self) -> f64 {
        self.problem.initial_sigma
    }

    /// Returns the variables with their ranges, scales and initial deviations, if the problem has any.
    pub fn variables(&self) -> Option<&Variables> {
        self.problem.variables.as_ref()
    }

    /// Returns the start of a single run, in the variables' own units.
    pub fn own_start(&self) -> &[f64] {
        &self.problem.initial_mean
    }

    /// Returns the start points of a search with restarts, in the variables' own units.
    pub fn starts(&self) -> &Starts {
        &self.problem.starts
    }

    /// Returns the range of interest of each coordinate, if it is known.
    pub fn domain(&self) -> Option<(f64, f64)> {
        self.problem.domain
    }

    /// Returns the seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the requested population size, if any.
    pub fn lambda(&self) -> Option<usize> {
        self.lambda
    }

    /// Returns the target.
    pub fn target(&self) -> f64 {
        self.target
    }

    /// Returns the budget of evaluations, which the last generation may exceed.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Evaluates a point.
    pub fn evaluate(&mut self, x: &[f64]) -> f64 {
        let mut value = [f64::NAN];
        self.evaluate_all(x, &mut value);
        value[0]
    }

    /// Evaluates several points, stored one after the other.
    pub fn evaluate_all(&mut self, points: &[f64], values: &mut [f64]) {
        let start = Instant::now();
        match (&mut self.unbounded, &self.problem.variables) {
            (Some(unbounded), Some(variables)) => {
                assert_eq!(
                    points.len(),
                    values.len() * unbounded.start().len(),
                    "points of the dimension of the problem"
                );
                for (point, value) in points.chunks_exact(unbounded.start().len()).zip(&mut *values) {
                    *value = unbounded
                        .enter(variables, point)
                        .map_or(f64::NAN, |point| self.problem.objective.value(&point));
                }
            }
            _ => self.problem.objective.values(points, values),
        }
        self.count(start.elapsed(), values);
    }

    /// Evaluates several points in the variables' own units, stored one after the other.
    pub fn evaluate_own(&mut self, points: &[f64], values: &mut [f64]) {
        let start = Instant::now();
        self.problem.objective.values(points, values);
        self.count(start.elapsed(), values);
    }

    fn count(&mut self, time: Duration, values: &[f64]) {
        self.evaluating += time;
        if self.evaluations == 0 {
            self.first = values.first().copied().unwrap_or(f64::NAN);
            self.hits.add(1, self.first);
        }
        self.evaluations += values.len() as u64;
        self.best = values.iter().copied().fold(self.best, f64::min);
        self.hits.add(self.evaluations, self.best);
        if self.best.is_finite() {
            self.course.add(self.evaluations, self.best);
        }
    }

    /// Returns whether the target is reached or the budget is used up.
    pub fn is_over(&self) -> bool {
        self.best <= self.target || self.evaluations >= self.budget
    }

    /// Notes why the algorithm ended, and after how many iterations.
    pub fn ended(&mut self, stop: impl Into<String>, iterations: u64) {
        self.stop = Some(stop.into());
        self.iterations = iterations;
    }

    /// Notes the number of iterations, if the target or the budget is the reason for the end.
    pub fn note_iterations(&mut self, iterations: u64) {
        self.iterations = iterations;
    }

    /// Notes an additional number for the record.
    pub fn note(&mut self, name: impl Into<String>, value: f64) {
        self.notes.insert(name.into(), value);
    }

    /// Runs an algorithm on it.
    pub(crate) fn run(mut self, algorithm: &dyn Algorithm) -> Result<TrialOutcome, LabError> {
        let start = Instant::now();
        algorithm.run(&mut self)?;
        let time = start.elapsed().saturating_sub(self.evaluating);
        let success = self.best <= self.target;
        let by_itself = match (success, self.is_over()) {
            (true, _) => "target",
            (false, true) => "evaluations",
            (false, false) => "algorithm",
        };
        Ok(TrialOutcome {
            success,
            evaluations: self.evaluations,
            iterations: self.iterations,
            best_f: self.best,
            first_f: self.first,
            target: self.target,
            hits: self.hits.at,
            stop: self.stop.unwrap_or_else(|| by_itself.to_string()),
            internal_seconds: time.as_secs_f64(),
            course: self.course.finish(self.evaluations, self.best),
            notes: self.notes,
        })
    }
}

/// A single trial, which observers can watch.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleTrial {
    /// The number of variables.
    pub n: usize,
    /// The seed of the problem.
    pub problem_seed: u64,
    /// The seed of the algorithm.
    pub seed: u64,
    /// The population size. Default: that of the algorithm.
    pub lambda: Option<usize>,
    /// The target, for problems without their own target.
    pub target: f64,
    /// The budget of evaluations, after which it is a failure. Default: that of the problem.
    pub budget: Option<u64>,
}

impl SingleTrial {
    /// Runs the trial. Observers see each generation of a strategy of `ddcma-core`, and nothing of other algorithms.
    ///
    /// ```
    /// use ddcma_core::History;
    /// use ddcma_lab::{SingleTrial, SuiteFunction, dd};
    ///
    /// let ellcig: SuiteFunction = "ellcig".parse()?;
    /// let trial = SingleTrial { n: 5, problem_seed: 1, seed: 1, lambda: None, target: 1e-8, budget: None };
    /// let mut history = History::new(100);
    /// let outcome = trial.run(&dd(), &ellcig, &mut [&mut history])?;
    /// assert!(outcome.success && history.records().len() > 10);
    /// # Ok::<(), ddcma_lab::LabError>(())
    /// ```
    pub fn run(
        &self,
        algorithm: &dyn Algorithm,
        problem: &dyn Family,
        observers: &mut [&mut dyn Observer],
    ) -> Result<TrialOutcome, LabError> {
        let Self { n, problem_seed, seed, lambda, target, budget } = *self;
        let lambda = algorithm.lambda(n, lambda)?;
        let mut outcome =
            Err(LabError::new(format!("{}: Family::with must call its closure, but did not", problem.name())));
        problem.with(n, problem_seed, &mut |problem| {
            let (target, budget) = (problem.target.unwrap_or(target), budget.unwrap_or(problem.budget));
            let problem = TrialProblem { objective: &mut *problem.objective, ..problem }; // shortens its lifetime to that of the observers
            let observers = observers.iter_mut().map(|observer| &mut **observer as &mut dyn Observer).collect();
            let trial = Trial::new(problem, target, budget, seed, lambda);
            outcome = trial.and_then(|trial| trial.observed(observers).run(algorithm));
        })?;
        outcome
    }
}

/// Records when targets are reached.
#[derive(Clone, Debug)]
pub(crate) struct Hits {
    targets: Targets,
    /// The next target.
    next: f64,
    /// The number of evaluations after which each target was reached.
    pub(crate) at: Vec<u64>,
}

impl Hits {
    pub(crate) fn new(target: f64) -> Self {
        let targets = Targets::to(target);
        Self { targets, next: targets.get(0), at: Vec::new() }
    }

    /// Adds the best value after this number of evaluations.
    pub(crate) fn add(&mut self, evaluations: u64, best: f64) {
        while best <= self.next && self.at.len() < TARGETS {
            self.at.push(evaluations);
            self.next = self.targets.get(self.at.len());
        }
    }
}

/// The best values of a run of unknown length, evenly spaced: when there are too many points, every second one is removed.
#[derive(Clone, Debug)]
pub struct Course {
    points: Vec<(u64, f64)>,
    seen: u64,
    stride: u64,
}

impl Default for Course {
    fn default() -> Self {
        Self { points: Vec::new(), seen: 0, stride: 1 }
    }
}

impl Course {
    /// Adds the best value after this number of evaluations.
    pub fn add(&mut self, evaluations: u64, value: f64) {
        if self.seen.is_multiple_of(self.stride) {
            if self.points.len() == LONGEST_COURSE {
                self.stride *= 2;
                let mut position = 0u64..;
                self.points.retain(|_| position.next().is_some_and(|k| k.is_multiple_of(2)));
            }
            if self.seen.is_multiple_of(self.stride) {
                self.points.push((evaluations, value));
            }
        }
        self.seen += 1;
    }

    /// Returns all points, including the end.
    pub fn finish(mut self, evaluations: u64, value: f64) -> Vec<(u64, f64)> {
        if self.points.last().is_some_and(|last| last.0 < evaluations) {
            self.points.push((evaluations, value));
        }
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_hit_once() {
        let mut hits = Hits::new(1e-8);
        for (evaluations, best) in [(1, 200.0), (2, 50.0), (3, 50.0), (4, 2e-8), (5, 1e-8), (6, 0.0)] {
            hits.add(evaluations, best);
        }
        // 100 and 63; 47 of them down to 2.5e-8; the last two, 1.6e-8 and 1e-8, at once.
        let count = |at: u64| hits.at.iter().filter(|hit| **hit == at).count();
        assert_eq!([1, 2, 3, 4, 5, 6].map(count), [0, 2, 0, 47, 2, 0]);
        assert!(hits.at.is_sorted());
    }

    #[test]
    fn a_course_is_short_even_and_complete() {
        for length in [1, 63, 64, 65, 1000, 12345] {
            let mut course = Course::default();
            (1..=length).for_each(|t| course.add(10 * t, 1.0 / t as f64));
            let points = course.finish(10 * length, 1.0 / length as f64);
            assert!(points.len() <= LONGEST_COURSE + 1);
            assert_eq!((points[0].0, points.last().unwrap().0), (10, 10 * length));
            let strides: Vec<u64> = points.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
            assert!(strides.split_last().is_none_or(|(_, others)| others.iter().all(|s| *s == others[0])));
        }
    }
}
