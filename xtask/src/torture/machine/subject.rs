//! The adapter: all calls of the libraries that the sequences make.

use std::path::Path;

use ddcma_core::{
    Autosave, Builder, Columns, InjectError, Missing, Objective, OpenGeneration, Optimizer, StartError, TellError,
    Ticket,
};
use ddcma_restarts::{Search, SearchError, Starts, restarts, restarts_over};

use super::super::runs::Stored;
use super::super::searches::Drawn;
use super::setup::{Kind, Setup};

/// One call.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Ask,
    Tell(Vec<f64>),
    TellOne(Ticket, f64),
    Finish(Missing),
    Inject(Columns, Vec<f64>),
    /// Runs with an objective that evaluates at most so many missing candidates and then fails, and fails in the next generation; or
    /// that is stopped by a criterion after its generation.
    Evaluate {
        most: usize,
        stop: bool,
    },
    /// Evaluates the open generation, outside of any loop.
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

/// A run or a search.
pub(super) trait Subject: Clone {
    const TAKES_NOTHING_AFTER_THE_END: bool;
    /// Whether a budget that is lowered below the evaluations made ends it within a generation.
    const ENDS_WITHIN_GENERATIONS: bool;
    /// Whether it cannot be saved from the start once candidates were asked for.
    const ASKING_BEGINS: bool;
    /// Whether points can be told that were not asked for, and generations be evaluated outside of loops.
    const IS_RUN: bool;

    /// Starts it, or continues from the file.
    fn start(setup: &Setup, file: Option<&Path>) -> Result<Self, String>;
    fn save_to(self, file: &Path) -> Result<(), String>;
    fn act(&mut self, action: &Action, setup: &Setup) -> Outcome;
    fn ask(&mut self) -> Columns;
    fn is_over(&self) -> bool;
    /// The number of values without which a generation cannot be finished.
    fn needed(&self) -> usize;
    fn lambda(&self) -> usize;
    fn evaluations(&self) -> u64;
    fn generation(&self) -> u64;
    fn best(&self) -> Option<Found>;
    /// The best value and the evaluations of the outcome, if it is over.
    fn outcome(&self) -> Option<(f64, u64)>;
    fn bytes(&self) -> Result<Vec<u8>, String>;
    fn restore(bytes: &[u8]) -> Result<Self, String>;
    /// The deviations of a run that has just begun, in units of its σ, and those that were given for it.
    fn begun(&self) -> Option<(Vec<f64>, Option<Vec<f64>>)>;
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
    const ASKING_BEGINS: bool = true;
    const IS_RUN: bool = true;

    fn start(setup: &Setup, file: Option<&Path>) -> Result<Self, String> {
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
        let run = Builder::build(builder).map_err(text)?;
        if let Some(file) = file { run.saving(autosave(file)).map_err(text) } else { Ok(run) }
    }

    fn save_to(self, file: &Path) -> Result<(), String> {
        self.saving(autosave(file)).map(drop).map_err(text)
    }

    fn act(&mut self, action: &Action, setup: &Setup) -> Outcome {
        match action {
            Action::Ask => {
                self.ask();
                Outcome::Asked
            }
            Action::Tell(values) => told(self.tell(values).map(|()| 0)),
            Action::TellOne(ticket, value) => told(self.tell_one(*ticket, *value)),
            Action::Finish(missing) => told(self.finish(*missing).map(|()| 0)),
            Action::Inject(points, values) => match self.tell_points(points, values) {
                Ok(()) => Outcome::Complete,
                Err(InjectError::Tell(error)) => told(Err(error)),
                Err(error) => Outcome::Refused(format!("{error:?}")),
            },
            Action::Evaluate { most, stop } => {
                let mut seen = Evaluated::default();
                let objective = Evaluator { setup, most: *most, seen: &mut seen };
                let ran = self.run_until(objective, &mut [], &mut |_| stop.then(|| "planned".to_string()));
                seen.outcome(ran.err())
            }
            Action::Fill => {
                let mut seen = Evaluated::default();
                let filled =
                    Evaluator { setup, most: usize::MAX, seen: &mut seen }.evaluate(&mut self.open_generation());
                match filled {
                    Ok(()) => Outcome::Filled(seen),
                    Err(error) => Outcome::Refused(error.to_string()),
                }
            }
            Action::Budget(budget) => match self.set_criteria(setup.criteria().max_evaluations(*budget)) {
                Ok(()) => Outcome::Changed,
                Err(error @ StartError::EmptyBudget { .. }) => Outcome::Refused(format!("{error:?}")),
                Err(error) => Outcome::Refused(text(error)),
            },
        }
    }

    fn ask(&mut self) -> Columns {
        Self::ask(self).clone()
    }

    fn is_over(&self) -> bool {
        self.stop().is_some()
    }

    fn needed(&self) -> usize {
        self.params().mu()
    }

    fn lambda(&self) -> usize {
        self.params().lambda()
    }

    fn evaluations(&self) -> u64 {
        Self::evaluations(self)
    }

    fn generation(&self) -> u64 {
        self.iterations()
    }

    fn best(&self) -> Option<Found> {
        let best = Self::best(self)?;
        Some(Found { point: best.point.to_vec(), value: best.value, evaluation: best.evaluation })
    }

    fn outcome(&self) -> Option<(f64, u64)> {
        None // what `minimize` returns is what `best` and `evaluations` return
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        self.to_checkpoint().map_err(text)
    }

    fn restore(bytes: &[u8]) -> Result<Self, String> {
        Self::from_checkpoint(bytes).map_err(text)
    }

    fn begun(&self) -> Option<(Vec<f64>, Option<Vec<f64>>)> {
        (self.iterations() == 0).then(|| (self.deviations().map(|deviation| deviation / self.sigma()).collect(), None))
    }
}

impl<S: Stored> Subject for Search<S, Drawn> {
    const TAKES_NOTHING_AFTER_THE_END: bool = true;
    const ENDS_WITHIN_GENERATIONS: bool = true;
    const ASKING_BEGINS: bool = false;
    const IS_RUN: bool = false;

    fn start(setup: &Setup, file: Option<&Path>) -> Result<Self, String> {
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
        let search = builder.build().map_err(text)?;
        if let Some(file) = file { search.saving(autosave(file)).map_err(text) } else { Ok(search) }
    }

    fn save_to(self, file: &Path) -> Result<(), String> {
        self.saving(autosave(file)).map(drop).map_err(text)
    }

    fn act(&mut self, action: &Action, setup: &Setup) -> Outcome {
        match action {
            Action::Ask => {
                self.ask();
                Outcome::Asked
            }
            Action::Tell(values) => told_in_search(self.tell(values).map(|()| 0)),
            Action::TellOne(ticket, value) => told_in_search(self.tell_one(*ticket, *value)),
            Action::Finish(missing) => told_in_search(self.finish(*missing).map(|()| 0)),
            Action::Evaluate { most, stop } => {
                let mut seen = Evaluated::default();
                let objective = Evaluator { setup, most: *most, seen: &mut seen };
                let ran = self.run_until(objective, &mut [], &mut |_| stop.then(|| "planned".to_string()));
                seen.outcome(ran.err())
            }
            Action::Budget(budget) => match self.set_max_evaluations(*budget) {
                Ok(()) => Outcome::Changed,
                Err(error) => Outcome::Refused(format!("{error:?}")),
            },
            Action::Inject(..) | Action::Fill => Outcome::Refused("no run".to_string()),
        }
    }

    fn ask(&mut self) -> Columns {
        Self::ask(self).clone()
    }

    fn is_over(&self) -> bool {
        self.stop().is_some()
    }

    fn needed(&self) -> usize {
        self.optimizer().map_or(1, |run| run.params().mu())
    }

    fn lambda(&self) -> usize {
        self.plan().lambda
    }

    fn evaluations(&self) -> u64 {
        Self::evaluations(self)
    }

    fn generation(&self) -> u64 {
        let of_runs: u64 = self.runs().iter().map(|run| run.iterations).sum();
        let of_run = self.optimizer().map(Optimizer::iterations).or(self.probe().map(|probe| probe.iterations()));
        // The last run of a search that is over is among the finished ones.
        of_runs + of_run.filter(|_| self.stop().is_none()).unwrap_or(0)
    }

    fn best(&self) -> Option<Found> {
        let best = Self::best(self)?;
        Some(Found { point: best.point.to_vec(), value: best.value, evaluation: best.evaluation })
    }

    fn outcome(&self) -> Option<(f64, u64)> {
        let outcome = Self::outcome(self)?;
        let of_runs: u64 = outcome.runs.iter().map(|run| run.evaluations).sum();
        Some((outcome.value, if of_runs == outcome.evaluations { of_runs } else { u64::MAX }))
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        self.to_checkpoint().map_err(text)
    }

    fn restore(bytes: &[u8]) -> Result<Self, String> {
        Self::from_checkpoint(bytes).map_err(text)
    }

    fn begun(&self) -> Option<(Vec<f64>, Option<Vec<f64>>)> {
        let run = self.optimizer().filter(|run| run.iterations() == 0)?;
        Some((run.deviations().map(|deviation| deviation / run.sigma()).collect(), self.plan().deviations.clone()))
    }
}
