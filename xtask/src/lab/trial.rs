//! One trial: a strategy on a problem until something stops it, with its course and the time of its own work.
//!
//! Knows how a run is made and timed. Does not know what it is made for, nor where its record goes.

use std::time::{Duration, Instant};

use ddcma_core::{Batch, Columns, Optimizer, Settings, StopCriteria, Strategy};
use serde::{Deserialize, Serialize};

use super::LabError;
use super::names::{StrategyName, with_strategy};
use super::problem::TrialProblem;
use super::records::number;

/// Points of the course that are kept, at the most.
const LONGEST_COURSE: usize = 64;

/// What is kept of a trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrialOutcome {
    /// Whether it reached the target.
    pub success: bool,
    /// Evaluations, to the full generation.
    pub evaluations: u64,
    /// Generations.
    pub iterations: u64,
    /// The best value.
    #[serde(with = "number")]
    pub best_f: f64,
    /// Why it ended: `target`, `evaluations`, or the name of a numerical reason.
    pub stop: String,
    /// The time of ask and tell, without the objective.
    pub internal_seconds: f64,
    /// Evaluations and best values on the way, as far as they are finite.
    pub course: Vec<(u64, f64)>,
}

/// What a trial is made with, beside its problem and its strategy.
#[derive(Clone, Debug)]
pub struct Conditions<'a> {
    /// The settings of the strategy.
    pub settings: &'a Settings,
    /// Target, budget, and what else ends it. In the paper's Section 6.1 nothing else does.
    pub stops: StopCriteria,
    /// Of the run.
    pub seed: u64,
}

/// Runs a trial. Settings that are out of range are an error.
pub fn run(
    strategy: StrategyName,
    problem: TrialProblem<'_>,
    conditions: Conditions<'_>,
) -> Result<TrialOutcome, LabError> {
    with_strategy!(strategy, S => run_with::<S>(problem, conditions))
}

fn run_with<S: Strategy>(problem: TrialProblem<'_>, conditions: Conditions<'_>) -> Result<TrialOutcome, LabError> {
    let Conditions { settings, stops, seed } = conditions;
    let target = stops.target_value();
    let builder = Optimizer::<S>::builder(&problem.initial_mean, problem.initial_sigma);
    let es = builder.settings(settings.clone()).criteria(stops).seed(seed).build();
    let mut es = es.map_err(|error| LabError::new(error.to_string()))?;
    let (mut time, mut evaluating, mut course) = (Duration::ZERO, Duration::ZERO, Course::default());
    let mut objective = Batch(|points: &Columns, values: &mut [f64]| {
        let start = Instant::now();
        problem.objective.values(points.as_slice(), values);
        evaluating += start.elapsed();
    });
    let stop = loop {
        if let Some(stop) = es.stop() {
            break stop;
        }
        let start = Instant::now();
        es.step(&mut objective).expect("an objective that cannot fail");
        time += start.elapsed();
        if es.best_value().is_finite() {
            course.add(es.evaluations(), es.best_value());
        }
    };
    Ok(TrialOutcome {
        success: target.is_some_and(|target| es.best_value() <= target),
        evaluations: es.evaluations(),
        iterations: es.iterations(),
        best_f: es.best_value(),
        stop: stop.name().to_string(),
        internal_seconds: time.saturating_sub(evaluating).as_secs_f64(),
        course: course.finish(es.evaluations(), es.best_value()),
    })
}

/// Evenly spaced points of a run of unknown length: when there are too many, every second one goes.
#[derive(Debug)]
struct Course {
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
    fn add(&mut self, evaluations: u64, value: f64) {
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

    /// The end belongs to it in any case.
    fn finish(mut self, evaluations: u64, value: f64) -> Vec<(u64, f64)> {
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
