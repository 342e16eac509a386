//! The adapter: all calls of the libraries that the sequences make.

use std::path::{Path, PathBuf};

use ddcma_core::{
    Autosave, Columns, Missing, Objective, OpenGeneration, Optimizer, Run, TellError, Ticket, With, drive,
};
use ddcma_restarts::{Search, SearchError, Starts, restarts, restarts_over};

use super::super::runs::Stored;
use super::super::searches::Drawn;
use super::setup::{Kind, Setup};
use super::take_turns::TakeTurns;

/// One call.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Ask,
    Tell(Vec<f64>),
    TellOne(Ticket, f64),
    Finish(Missing),
    Inject(Columns, Vec<f64>),
    /// Drives it with an objective that evaluates at most so many missing candidates and then fails, and fails in the next generation; or
    /// that is stopped by a criterion after its generation. It may be saved on the way.
    Evaluate {
        most: usize,
        stop: bool,
        file: Option<PathBuf>,
    },
    /// Evaluates one generation in a loop of one's own, through the trait.
    Fill,
    Budget(u64),
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Asked,
    Open,
    Complete,
    Changed,
    Filled(Evaluated),
    Evaluated(Evaluated),
    Refused(String),
}

/// What an objective has seen and told of one generation.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluated {
    /// The candidates; `None` if it was not called.
    pub(super) points: Option<Columns>,
    pub(super) told: Vec<(usize, f64)>,
    pub(super) failed: bool,
}

impl Evaluated {
    /// Returns what came of a run with this objective.
    fn outcome<E: std::fmt::Debug>(self, error: Option<E>) -> Outcome {
        match error {
            None if self.failed => Outcome::Refused("a failure without an error".to_string()),
            Some(error) if !self.failed => Outcome::Refused(format!("an error without a failure: {error:?}")),
            _ => Outcome::Evaluated(self),
        }
    }
}

impl Outcome {
    /// Returns a word for what happened.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Asked => "Asked",
            Self::Open => "Open",
            Self::Complete => "Complete",
            Self::Changed => "Changed",
            Self::Filled(_) => "Filled",
            Self::Evaluated(Evaluated { failed: true, .. }) => "Failed",
            Self::Evaluated(_) => "Over",
            Self::Refused(error) => error.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default(),
        }
    }
}

/// A point, its value and the number of its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
    pub(super) evaluation: u64,
}

/// A run, a search, or two runs that take turns: what is not the same for all of them.
pub(super) trait Subject: Run + Clone {
    const TAKES_NOTHING_AFTER_THE_END: bool;
    /// Whether a budget that is lowered below the evaluations made ends it within a generation.
    const ENDS_WITHIN_GENERATIONS: bool;
    /// Whether points can be told that were not asked for.
    const INJECTS: bool;
    /// Whether its budget can be changed.
    const HAS_BUDGET: bool;
    /// Whether the best point is the first one of its value, with the number of its evaluation.
    const NUMBERS_BEST: bool;

    fn begin(setup: &Setup) -> Result<Self, String>;
    /// Makes a call of its own methods.
    fn call(&mut self, action: &Action, setup: &Setup) -> Outcome;
    /// The number of values without which a generation cannot be finished.
    fn needed(&self) -> usize;
    fn generation(&self) -> u64;
    /// The best value and the evaluations of the outcome, if it is over.
    fn outcome(&self) -> Option<(f64, u64)> {
        None
    }
    fn self_contained(&self) -> Result<Vec<u8>, String>;
    fn restored(&self, bytes: &[u8]) -> Result<Self, String>;
    /// The deviations of a run that has just begun, in units of its σ, and those that were planned for it.
    fn begun(&self) -> Option<(Vec<f64>, Option<Vec<f64>>)> {
        None
    }

    /// Starts it, or continues from the file.
    fn start(setup: &Setup, file: Option<&Path>) -> Result<Self, String> {
        let mut run = Self::begin(setup)?;
        if let Some(file) = file {
            With::new().saving(autosave(file)).begin(&mut run).map_err(text)?;
        }
        Ok(run)
    }

    fn act(&mut self, action: &Action, setup: &Setup) -> Outcome {
        match action {
            Action::Ask => {
                self.open();
                Outcome::Asked
            }
            Action::Evaluate { most, stop, file } => {
                let mut seen = Evaluated::default();
                let mut objective = Evaluator { setup, most: *most, seen: &mut seen };
                let mut with = With::new().stop_when(|_| stop.then(|| "planned".to_string()));
                if let Some(file) = file {
                    with = with.saving(autosave(file));
                }
                let ran = drive(self, &mut objective, &mut with);
                seen.outcome(ran.err())
            }
            Action::Fill => {
                self.open();
                let pending = self.pending();
                let mut seen = Evaluated { points: Some(pending.points().clone()), ..Evaluated::default() };
                seen.told = pending.missing().map(|index| (index, setup.value(&pending.points()[index]))).collect();
                for (index, value) in &seen.told {
                    let ticket = self.pending().ticket(*index);
                    if let Err(error) = self.take(ticket, (*value).into()) {
                        return Outcome::Refused(format!("{error:?}"));
                    }
                }
                match Run::finish(self, Missing::RankLast, &mut With::new()) {
                    Ok(()) => Outcome::Filled(seen),
                    Err(error) => Outcome::Refused(format!("{error:?}")),
                }
            }
            action => self.call(action, setup),
        }
    }

    fn is_over(&self) -> bool {
        Run::stop(self).is_some()
    }

    fn found(&self) -> Option<Found> {
        let best = Run::best(self)?;
        if Self::NUMBERS_BEST {
            return Some(Found { point: best.point.to_vec(), value: best.value, evaluation: best.evaluation });
        }
        Some(Found { point: Vec::new(), value: best.value, evaluation: 0 })
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Run::to_bytes(self).map_err(text)
    }
}

/// The autosave of all programs: after each generation, and whenever the objective fails.
fn autosave(file: &Path) -> Autosave {
    Autosave::new(file).every_generations(1)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Evaluates some candidates of one generation, then fails.
struct Evaluator<'a> {
    setup: &'a Setup,
    most: usize,
    seen: &'a mut Evaluated,
}

impl Objective for Evaluator<'_> {
    type Error = &'static str;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Self::Error> {
        if self.seen.points.is_some() {
            self.seen.failed = true;
            return Err("the second generation");
        }
        self.seen.points = Some(generation.points().clone());
        let missing: Vec<usize> = generation.missing().collect();
        for index in missing {
            if self.seen.told.len() == self.most {
                self.seen.failed = true;
                return Err("planned");
            }
            let value = self.setup.value(generation.point(index));
            generation.tell(index, value).map_err(|_| "a missing value was refused")?;
            self.seen.told.push((index, value));
        }
        Ok(())
    }
}

fn told(result: Result<usize, TellError>) -> Outcome {
    match result {
        Ok(0) | Err(TellError::Update(_)) => Outcome::Complete,
        Ok(_) => Outcome::Open,
        Err(error) => Outcome::Refused(format!("{error:?}")),
    }
}

fn told_in_search(result: Result<usize, SearchError>) -> Outcome {
    match result {
        Ok(missing) => told(Ok(missing)),
        Err(SearchError::Tell(error)) => told(Err(error)),
        Err(error) => Outcome::Refused(format!("{error:?}")),
    }
}

impl<S: Stored> Subject for Optimizer<S> {
    const TAKES_NOTHING_AFTER_THE_END: bool = false;
    const ENDS_WITHIN_GENERATIONS: bool = false;
    const INJECTS: bool = true;
    const HAS_BUDGET: bool = true;
    const NUMBERS_BEST: bool = true;

    fn begin(setup: &Setup) -> Result<Self, String> {
        let builder = match &setup.variables {
            Some(variables) => {
                let options = setup.options().variables(setup.other_variables.as_ref().unwrap_or(variables).clone());
                Self::over(variables).options(options)
            }
            None => Self::builder(&setup.start, setup.sigma).options(setup.options()),
        };
        let builder = match setup.budget {
            Some(budget) => builder.max_evaluations(budget),
            None => builder,
        };
        builder.build().map_err(text)
    }

    fn call(&mut self, action: &Action, setup: &Setup) -> Outcome {
        match action {
            Action::Tell(values) => told(self.tell(values).map(|()| 0)),
            Action::TellOne(ticket, value) => told(self.tell_one(*ticket, *value)),
            Action::Finish(missing) => told(self.finish(*missing).map(|()| 0)),
            Action::Inject(points, values) => told(self.tell_points(points, values).map(|()| 0)),
            Action::Budget(budget) => match self.set_criteria(setup.criteria().max_evaluations(*budget)) {
                Ok(()) => Outcome::Changed,
                Err(error) => Outcome::Refused(format!("{error:?}")),
            },
            Action::Ask | Action::Evaluate { .. } | Action::Fill => unreachable!("these are the same for all"),
        }
    }

    fn needed(&self) -> usize {
        self.params().mu()
    }

    fn generation(&self) -> u64 {
        self.iterations()
    }

    fn self_contained(&self) -> Result<Vec<u8>, String> {
        self.to_checkpoint().map_err(text)
    }

    fn restored(&self, bytes: &[u8]) -> Result<Self, String> {
        Self::from_checkpoint(bytes).map_err(text)
    }

    fn begun(&self) -> Option<(Vec<f64>, Option<Vec<f64>>)> {
        (self.iterations() == 0).then(|| (self.deviations().map(|deviation| deviation / self.sigma()).collect(), None))
    }
}

impl<S: Stored> Subject for Search<S, Drawn> {
    const TAKES_NOTHING_AFTER_THE_END: bool = true;
    const ENDS_WITHIN_GENERATIONS: bool = true;
    const INJECTS: bool = false;
    const HAS_BUDGET: bool = true;
    const NUMBERS_BEST: bool = true;

    fn begin(setup: &Setup) -> Result<Self, String> {
        let Kind::Search(policy) = setup.kind.clone() else { return Err("not a search".to_string()) };
        let sides = |below: f64, above: f64| setup.start.iter().map(|x| (x - below, x + above)).unzip();
        let mut builder = match &setup.variables {
            Some(variables) => {
                let (lower, upper): (Vec<f64>, Vec<f64>) = sides(0.5, 0.5);
                let options = setup.options().variables(setup.other_variables.as_ref().unwrap_or(variables).clone());
                restarts_over(policy, variables).strategy::<S>().options(options).probe_box(&lower, &upper)
            }
            None => {
                let (lower, upper): (Vec<f64>, Vec<f64>) = sides(1.0, 0.5);
                let starts = Starts::around(&setup.start, 1.0).map_err(text)?;
                let builder = restarts(policy, starts, setup.sigma).strategy::<S>().options(setup.options());
                builder.probe_box(&lower, &upper)
            }
        };
        if let Some(budget) = setup.budget {
            builder = builder.max_evaluations(budget);
        }
        if let Some(limit) = setup.max_runs {
            builder = builder.max_runs(limit);
        }
        builder.build().map_err(text)
    }

    fn call(&mut self, action: &Action, _: &Setup) -> Outcome {
        match action {
            Action::Tell(values) => told_in_search(self.tell(values).map(|()| 0)),
            Action::TellOne(ticket, value) => told_in_search(self.tell_one(*ticket, *value)),
            Action::Finish(missing) => told_in_search(self.finish(*missing).map(|()| 0)),
            Action::Budget(budget) => match self.set_max_evaluations(*budget) {
                Ok(()) => Outcome::Changed,
                Err(error) => Outcome::Refused(format!("{error:?}")),
            },
            _ => unreachable!("no call of a search"),
        }
    }

    fn needed(&self) -> usize {
        self.optimizer().map_or(1, |run| run.params().mu())
    }

    fn generation(&self) -> u64 {
        let of_runs: u64 = self.runs().iter().map(|run| run.iterations).sum();
        // The last run of a search that is over is among the finished ones.
        of_runs + if self.is_over() { 0 } else { Run::view(self).iterations }
    }

    fn outcome(&self) -> Option<(f64, u64)> {
        let outcome = Self::outcome(self)?;
        let of_runs: u64 = outcome.runs.iter().map(|run| run.evaluations).sum();
        Some((outcome.value, if of_runs == outcome.evaluations { of_runs } else { u64::MAX }))
    }

    fn self_contained(&self) -> Result<Vec<u8>, String> {
        self.to_checkpoint().map_err(text)
    }

    fn restored(&self, bytes: &[u8]) -> Result<Self, String> {
        Self::from_checkpoint(bytes).map_err(text)
    }

    fn begun(&self) -> Option<(Vec<f64>, Option<Vec<f64>>)> {
        let run = self.optimizer().filter(|run| run.iterations() == 0)?;
        Some((run.deviations().map(|deviation| deviation / run.sigma()).collect(), self.plan().deviations.clone()))
    }
}

impl Subject for TakeTurns {
    const TAKES_NOTHING_AFTER_THE_END: bool = false;
    const ENDS_WITHIN_GENERATIONS: bool = false;
    const INJECTS: bool = false;
    const HAS_BUDGET: bool = false;
    const NUMBERS_BEST: bool = false;

    fn begin(setup: &Setup) -> Result<Self, String> {
        // Each of its runs has a budget.
        TakeTurns::new(&setup.start, [setup.sigma, 0.1 * setup.sigma], setup.budget.unwrap_or(40)).map_err(text)
    }

    fn call(&mut self, action: &Action, _: &Setup) -> Outcome {
        let finish = |run: &mut Self, missing| Run::finish(run, missing, &mut With::new());
        match action {
            Action::Tell(values) => {
                let (lambda, told_before, got) = (self.pending().lambda(), self.pending().told(), values.len());
                if lambda == 0 {
                    return told(Err(TellError::NotAsked));
                }
                if told_before > 0 {
                    return told(Err(TellError::PartlyTold { told: told_before, lambda }));
                }
                if got != lambda {
                    return told(Err(TellError::WrongCount { expected: lambda, got }));
                }
                for (index, value) in values.iter().enumerate() {
                    let ticket = self.pending().ticket(index);
                    if let Err(error) = self.take(ticket, (*value).into()) {
                        return told(Err(error));
                    }
                }
                told(finish(self, Missing::RankLast).map(|()| 0))
            }
            Action::TellOne(ticket, value) => {
                if let Err(error) = self.take(*ticket, (*value).into()) {
                    return told(Err(error));
                }
                match self.pending().missing().count() {
                    0 => told(finish(self, Missing::RankLast).map(|()| 0)),
                    missing => told(Ok(missing)),
                }
            }
            Action::Finish(missing) => told(finish(self, *missing).map(|()| 0)),
            _ => unreachable!("no call of this run"),
        }
    }

    fn needed(&self) -> usize {
        self.params().mu()
    }

    fn generation(&self) -> u64 {
        self.pending().generation()
    }

    fn self_contained(&self) -> Result<Vec<u8>, String> {
        self.bytes()
    }

    fn restored(&self, bytes: &[u8]) -> Result<Self, String> {
        let mut restored = self.clone();
        restored.restore(bytes).map_err(text)?;
        Ok(restored)
    }
}
