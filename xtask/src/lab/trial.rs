//! One trial: a strategy on a problem until something stops it, with its course and the time of its own work.
//!
//! Knows how a run is made and timed. Does not know what it is made for, nor where its record goes.

use std::time::{Duration, Instant};

use ddcma_core::{Batch, Columns, Optimizer, Settings, StopCriteria, Strategy};
use ddcma_lab::Course;
pub use ddcma_lab::TrialOutcome;

use super::LabError;
use super::names::{StrategyName, with_strategy};
use super::problem::TrialProblem;

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
        notes: Default::default(),
    })
}
