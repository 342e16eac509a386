//! The reference model: what must be true of a run or a search, whatever has happened to it.

use ddcma_core::{Columns, Missing, Run};

use super::setup::Setup;
use super::subject::{Action, Evaluated, Found, Outcome, Subject};

/// Counts, the best point, and the generation that is waiting for values.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// Of complete generations.
    evaluations: u64,
    /// Of complete generations.
    best: Option<Found>,
    pub(super) generation: u64,
    /// The candidates of the open generation, with their values.
    open: Option<(Columns, Vec<Option<f64>>)>,
    /// The budget of evaluations.
    pub(super) budget: Option<u64>,
    /// Whether the budget had been used up when it was set: then a search is over, even within a generation.
    set_too_late: bool,
    /// Whether the best point is the first one of its value, with the number of its evaluation.
    numbers_best: bool,
}

impl Model {
    pub(super) fn new<T: Subject>(budget: Option<u64>) -> Self {
        // The budgets of runs that take turns are their own.
        Self { budget: budget.filter(|_| T::HAS_BUDGET), numbers_best: T::NUMBERS_BEST, ..Self::default() }
    }

    pub(super) fn evaluations(&self) -> u64 {
        self.evaluations + self.told().len() as u64
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The first of the smallest values. Evaluations of an open generation are counted in the order of its candidates.
    fn best(&self) -> Option<Found> {
        let mut best = self.best.clone();
        if let Some((points, values)) = &self.open {
            let told = values.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?)));
            for (nth, (index, value)) in told.enumerate() {
                if best.as_ref().map_or(!value.is_nan(), |best| value < best.value) {
                    let number = self.evaluations + nth as u64 + 1;
                    let (point, evaluation) =
                        if self.numbers_best { (points[index].to_vec(), number) } else { (Vec::new(), 0) };
                    best = Some(Found { point, value, evaluation });
                }
            }
        }
        best
    }

    fn indices(&self, told: bool) -> Vec<usize> {
        let values = self.open.iter().flat_map(|(_, values)| values.iter().enumerate());
        values.filter(|(_, value)| value.is_some() == told).map(|(index, _)| index).collect()
    }

    pub(super) fn missing(&self) -> Vec<usize> {
        self.indices(false)
    }

    pub(super) fn told(&self) -> Vec<usize> {
        self.indices(true)
    }

    /// Returns the values of all candidates of the open generation.
    pub(super) fn values(&self, setup: &Setup) -> Vec<f64> {
        self.open.iter().flat_map(|(points, _)| points.iter()).map(|x| setup.value(x)).collect()
    }

    /// Returns the outcomes that an action may have now.
    pub(super) fn expect<T: Subject>(&self, action: &Action, subject: &T) -> Vec<&'static str> {
        let (missing, told) = (self.missing().len(), self.told().len());
        let name = match (action, &self.open) {
            (Action::Ask, _) => "Asked",
            (Action::Budget(0), _) => "EmptyBudget",
            (Action::Budget(_), _) => "Changed",
            (Action::Inject(..), _) if told > 0 => "PartlyTold",
            (Action::Inject(..), _) => "Complete",
            (Action::Fill, _) if T::TAKES_NOTHING_AFTER_THE_END && subject.is_over() => "Over",
            (Action::Fill, _) => "Filled",
            (Action::Evaluate { .. }, _) if subject.is_over() => "Over",
            (Action::Evaluate { stop: true, .. }, _) => "Over",
            (Action::Evaluate { most, .. }, Some(_)) if *most < missing => "Failed",
            // The budget or a criterion may end it after this generation. If not, the next evaluation fails.
            (Action::Evaluate { .. }, _) => return vec!["Failed", "Over"],
            _ if T::TAKES_NOTHING_AFTER_THE_END && subject.is_over() => "Over",
            (Action::Tell(_) | Action::Finish(_), None) => "NotAsked",
            (Action::Tell(_), Some(_)) if told > 0 => "PartlyTold",
            (Action::Tell(values), Some((points, _))) if values.len() != points.len() => "WrongCount",
            (Action::Tell(_), Some(_)) => "Complete",
            (Action::TellOne(ticket, _), _) if ticket.generation < self.generation => "Late",
            (Action::TellOne(..), None) => "NotAsked",
            (Action::TellOne(ticket, _), _) if ticket.generation > self.generation => "NotAsked",
            (Action::TellOne(ticket, _), Some((_, values))) => match values.get(ticket.index) {
                None => "NoSuchCandidate",
                Some(Some(_)) => "Twice",
                Some(None) if missing == 1 => "Complete",
                Some(None) => "Open",
            },
            (Action::Finish(_), Some(_)) if told < subject.needed() => "TooFew",
            (Action::Finish(Missing::LeaveOut), Some(_)) if missing > 0 => return vec!["Complete", "NoWeights"],
            (Action::Finish(_), Some(_)) => "Complete",
        };
        vec![name]
    }

    /// Does to the model what an action has done to the subject.
    pub(super) fn follow<T: Subject>(&mut self, action: &Action, outcome: &Outcome, subject: &mut T) {
        match (action, outcome) {
            (_, Outcome::Refused(_)) => {}
            (Action::Ask, _) => self.ask(subject),
            (Action::Budget(budget), _) => self.set_budget(*budget, true),
            (Action::Tell(values), _) => {
                if let Some((_, told)) = &mut self.open {
                    *told = values.iter().copied().map(Some).collect();
                }
                self.complete();
            }
            (Action::Inject(points, values), _) => {
                self.open = Some((points.clone(), values.iter().copied().map(Some).collect()));
                self.complete();
            }
            (Action::TellOne(ticket, value), _) => {
                if let Some((_, told)) = &mut self.open {
                    told[ticket.index] = Some(*value);
                }
                if self.missing().is_empty() {
                    self.complete();
                }
            }
            (Action::Finish(_), _) => self.complete(),
            (Action::Fill, Outcome::Filled(evaluated)) => {
                self.take(evaluated);
                self.complete();
            }
            (Action::Evaluate { .. }, Outcome::Evaluated(evaluated)) if evaluated.points.is_some() => {
                self.take(evaluated);
                if self.missing().is_empty() {
                    self.complete();
                    if evaluated.failed {
                        self.ask(subject); // the next generation has failed at its first evaluation
                    }
                }
            }
            (Action::Evaluate { .. } | Action::Fill, _) => {} // it was over
        }
    }

    fn ask<T: Subject>(&mut self, subject: &mut T) {
        if self.open.is_none() && !(T::TAKES_NOTHING_AFTER_THE_END && subject.is_over()) {
            subject.open();
            let points = subject.pending().points().clone();
            let values = vec![None; points.len()];
            self.open = Some((points, values));
        }
    }

    /// Forgets an open generation without values; returns whether there was one.
    pub(super) fn forget_what_was_only_asked(&mut self) -> bool {
        self.is_open() && self.told().is_empty() && self.open.take().is_some()
    }

    fn take(&mut self, evaluated: &Evaluated) {
        let Some(points) = &evaluated.points else { return };
        let (_, values) = self.open.get_or_insert_with(|| (points.clone(), vec![None; points.len()]));
        evaluated.told.iter().for_each(|(index, value)| values[*index] = Some(*value));
    }

    fn complete(&mut self) {
        let (best, evaluations) = (self.best(), self.evaluations());
        (self.best, self.evaluations, self.open) = (best, evaluations, None);
        self.generation += 1;
    }

    pub(super) fn set_budget(&mut self, budget: u64, has_budget: bool) {
        self.budget = has_budget.then_some(budget);
        self.set_too_late = has_budget && self.evaluations() >= budget;
    }

    /// Checks that the same candidates are open as before the program was started again.
    pub(super) fn check_open<T: Subject>(&self, subject: &mut T) -> Result<(), String> {
        let Some((points, _)) = &self.open else { return Ok(()) };
        subject.open();
        let shown = subject.pending().points().clone();
        if shown == *points { Ok(()) } else { Err(format!("the open generation is {shown:?} instead of {points:?}")) }
    }

    /// Compares what the subject shows.
    pub(super) fn check<T: Subject>(&self, subject: &T) -> Result<(), String> {
        if Run::evaluations(subject) != self.evaluations() {
            return Err(format!("{} evaluations instead of {}", Run::evaluations(subject), self.evaluations()));
        }
        if subject.generation() != self.generation {
            return Err(format!("generation {} instead of {}", subject.generation(), self.generation));
        }
        let (best, expected) = (subject.found(), self.best());
        if best != expected {
            return Err(format!("the best is {best:?} instead of {expected:?}"));
        }
        let used_up = |evaluations: u64| self.budget.is_some_and(|budget| evaluations >= budget);
        let within = T::ENDS_WITHIN_GENERATIONS && self.set_too_late && used_up(self.evaluations());
        if (used_up(self.evaluations) || within) && !subject.is_over() {
            let budget = self.budget.unwrap_or_default();
            return Err(format!("it is not over after {} evaluations, with a budget of {budget}", self.evaluations()));
        }
        let Some((value, evaluations)) = subject.outcome() else { return Ok(()) };
        let expected = expected.map_or(f64::NAN, |best| best.value);
        if value.to_bits() != expected.to_bits() || evaluations != self.evaluations() {
            return Err(format!("the outcome is {value} after {evaluations} evaluations, the best value {expected}"));
        }
        Ok(())
    }
}
