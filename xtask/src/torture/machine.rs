//! A run, or a search with its probes, under random sequences of everything that can happen to it, next to a reference model.
//!
//! A sequence is a list of random words. Each word becomes a transition that fits the current state, so every list is a valid sequence,
//! and so is every part of it. The libraries are called in `machine/subject.rs` only, and what must be true is in `machine/model.rs`.

mod model;
mod setup;
mod subject;
#[path = "../../../crates/ddcma-core/examples/take_turns.rs"]
#[allow(dead_code, unreachable_pub, reason = "it is also a program")]
mod take_turns;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ddcma_core::{BuiltInStrategy, Columns, DiagonalDecoding, Missing, Optimizer, Plain, Run, Separable, Ticket, With};
use ddcma_restarts::Search;

use super::draw::Draw;
use super::searches::Drawn;
use model::Model;
use setup::{Kind, Setup};
use subject::{Action, Outcome, Subject};
use take_turns::TakeTurns;

/// The number of transitions of each kind: those that were carried out, and those that were refused.
pub type Counts = BTreeMap<&'static str, (u64, u64)>;

/// The outcomes of actions that were not refused.
const CARRIED_OUT: [&str; 6] = ["Asked", "Open", "Complete", "Changed", "Filled", "Failed"];

/// Carries out a sequence, and returns what was violated, if anything. `drawn` is told what happens.
pub fn check(setup: u64, words: &[u64], counts: &mut Counts, drawn: &mut dyn FnMut(String)) -> Result<(), String> {
    let setup = Setup::draw(setup);
    drawn(format!("{setup:?}"));
    match (&setup.kind, setup.seed % 4) {
        (Kind::Run, 0) => walk::<Optimizer<Plain>>(setup, words, counts, drawn),
        (Kind::Run, 1) => walk::<Optimizer<Separable>>(setup, words, counts, drawn),
        (Kind::Run, 2) => walk::<Optimizer<BuiltInStrategy>>(setup, words, counts, drawn),
        (Kind::Turns, _) => walk::<TakeTurns>(setup, words, counts, drawn),
        (Kind::Run, _) => walk::<Optimizer<DiagonalDecoding>>(setup, words, counts, drawn),
        (Kind::Search(_), 0) => walk::<Search<Plain, Drawn>>(setup, words, counts, drawn),
        (Kind::Search(_), 1) => walk::<Search<Separable, Drawn>>(setup, words, counts, drawn),
        (Kind::Search(_), 2) => walk::<Search<BuiltInStrategy, Drawn>>(setup, words, counts, drawn),
        (Kind::Search(_), _) => walk::<Search<DiagonalDecoding, Drawn>>(setup, words, counts, drawn),
    }
}

fn walk<T: Subject>(
    setup: Setup,
    words: &[u64],
    counts: &mut Counts,
    drawn: &mut dyn FnMut(String),
) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = setup.saves.then(|| folder.path().join("run"));
    let Some(mut machine) = Machine::<T>::start(setup, file)? else { return Ok(()) };
    for word in words {
        let mut step = |machine: &mut Machine<T>| machine.step(*word, counts, drawn);
        step(&mut machine)?;
    }
    machine.end(words.last().copied().unwrap_or_default())
}

/// A run or a search, and what is known about it.
struct Machine<T: Subject> {
    setup: Setup,
    subject: T,
    /// A copy from before it was stored and restored; both must continue in the same way.
    twin: Option<T>,
    model: Model,
    /// Whether the subject is saved to the file: copies are not.
    is_saved: bool,
    /// The file, and the state in it.
    file: Option<(PathBuf, Model)>,
}

impl<T: Subject> Machine<T> {
    /// Starts it; `None` if what was drawn must be, and was, refused.
    fn start(setup: Setup, file: Option<PathBuf>) -> Result<Option<Self>, String> {
        let started = T::start(&setup, file.as_deref());
        if setup.must_be_refused() {
            return if started.is_err() { Ok(None) } else { Err("an invalid start was not refused".to_string()) };
        }
        let subject = started.map_err(|error| format!("a valid start was refused: {error}"))?;
        let model = Model::new::<T>(setup.budget);
        let file = file.map(|path| (path, model.clone()));
        let machine = Self { setup, subject, twin: None, model, is_saved: file.is_some(), file };
        machine.check()?;
        Ok(Some(machine))
    }

    fn step(&mut self, word: u64, counts: &mut Counts, drawn: &mut dyn FnMut(String)) -> Result<(), String> {
        let (mut which, argument) = (word % 32, word / 32);
        if which < 12 && T::TAKES_NOTHING_AFTER_THE_END && self.subject.is_over() && self.file.is_some() {
            which = 28; // otherwise, most of a sequence would be refused
        }
        let share = |most: usize| (argument % (most as u64 + 1)) as usize;
        let (name, refused) = match which {
            0..2 => ("ask", self.act(&Action::Ask, drawn)?),
            2..5 => ("tell", self.tell(0, drawn)?),
            5 => ("tell a wrong number", self.tell(1 + share(1), drawn)?),
            6..12 => ("tell one", self.tell_one(share(20), drawn)?),
            12 => ("tell one twice", self.tell_again(share(20), drawn)?),
            13 => ("tell one late or never asked", self.tell_elsewhere(share(3), share(5), drawn)?),
            14 => ("finish, missing ones last", self.act(&Action::Finish(Missing::RankLast), drawn)?),
            15 => ("finish, missing ones left out", self.act(&Action::Finish(Missing::LeaveOut), drawn)?),
            16 => ("inject", self.inject(argument, drawn)?),
            17..20 => ("evaluate a generation", self.evaluate(usize::MAX, false, drawn)?),
            20..22 => ("evaluate some and fail", self.evaluate(share(8), false, drawn)?),
            22 => ("stop by a criterion", self.evaluate(usize::MAX, true, drawn)?),
            23 => ("evaluate through the trait", self.act(&Action::Fill, drawn)?),
            24..26 => ("change the budget", self.change_budget(self.budget(argument), drawn)?),
            26 => ("store and load", self.store(drawn)?),
            27 => ("clone", self.copy(drawn)),
            28..31 => ("start the program again", self.start_again(argument, drawn)?),
            _ => ("start another program", self.start_other(argument, drawn)?),
        };
        let count = counts.entry(name).or_default();
        *(if refused { &mut count.1 } else { &mut count.0 }) += 1;
        self.check().map_err(|error| format!("{error}, after: {name}"))
    }

    /// Carries out an action on the subject and on its twin, and compares the outcome with the model's. Returns whether it was refused.
    fn act(&mut self, action: &Action, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let expected = self.model.expect(action, &self.subject);
        let may_be_refused = expected.iter().any(|name| !CARRIED_OUT.contains(name));
        let before = may_be_refused.then(|| self.subject.bytes()).transpose()?;
        let outcome = self.subject.act(action, &self.setup);
        drawn(format!("{action:?}: {outcome:?}"));
        if let Some(twin) = &mut self.twin {
            let of_twin = twin.act(action, &self.setup);
            if format!("{of_twin:?}") != format!("{outcome:?}") {
                return Err(format!("{action:?} of a restored run is {outcome:?}, of the original {of_twin:?}"));
            }
        }
        if !expected.contains(&outcome.name()) {
            return Err(format!("{action:?} is {outcome:?} instead of {expected:?}"));
        }
        let refused = matches!(outcome, Outcome::Refused(_));
        if refused && before.is_some_and(|before| self.subject.bytes().ok() != Some(before)) {
            return Err(format!("{action:?} was refused, but it has changed the state"));
        }
        self.model.follow(action, &outcome, &mut self.subject);
        if matches!(action, Action::Budget(_)) && !self.subject.is_over() && self.model.forget_what_was_only_asked() {
            // A search that was over, and has been asked all the same, may continue with its next run.
            self.act(&Action::Ask, drawn)?;
        }
        if let (Action::Evaluate { .. }, Some((_, saved)), true) = (action, &mut self.file, self.is_saved) {
            *saved = self.model.clone();
        }
        Ok(refused)
    }

    /// Tells the values of the whole generation, or too few, or too many.
    fn tell(&mut self, wrong: usize, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let mut values = self.model.values(&self.setup);
        match wrong {
            0 => {}
            1 => values.push(0.0),
            _ => drop(values.pop()),
        }
        self.act(&Action::Tell(values), drawn)
    }

    /// Tells the value of a missing candidate, mostly of one that was asked for.
    fn tell_one(&mut self, nth: usize, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        if !nth.is_multiple_of(7) {
            self.act(&Action::Ask, drawn)?;
        }
        let missing = self.model.missing();
        let index = if missing.is_empty() { nth } else { missing[nth % missing.len()] };
        self.tell_ticket(Ticket { generation: self.model.generation, index }, drawn)
    }

    fn tell_again(&mut self, nth: usize, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let told = self.model.told();
        let index = if told.is_empty() { nth } else { told[nth % told.len()] };
        self.tell_ticket(Ticket { generation: self.model.generation, index }, drawn)
    }

    /// Tells the value of a candidate of an earlier or a later generation, or of none.
    fn tell_elsewhere(&mut self, which: usize, index: usize, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let generation = self.model.generation;
        let ticket = match which {
            0 => Ticket { generation: generation.wrapping_sub(1), index },
            1 => Ticket { generation: generation + 1, index },
            2 => Ticket { generation: u64::MAX, index },
            _ => Ticket { generation, index: usize::MAX - index },
        };
        self.tell_ticket(ticket, drawn)
    }

    fn tell_ticket(&mut self, ticket: Ticket, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let value = self.model.values(&self.setup).get(ticket.index).copied().unwrap_or(0.0);
        self.act(&Action::TellOne(ticket, value), drawn)
    }

    /// Returns the number of candidates of the next generation, or of the open one.
    fn lambda(&self) -> usize {
        let mut asked = self.subject.clone();
        asked.open();
        asked.pending().lambda()
    }

    /// Tells points that were not asked for.
    fn inject(&mut self, argument: u64, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        if !T::INJECTS {
            return Ok(true);
        }
        let mut draw = Draw::of_case(argument, 1);
        let (n, lambda) = (self.setup.start.len(), self.lambda());
        let start = &self.setup.start;
        // Within all bounds and variables.
        let numbers = (0..n * lambda).map(|k| start[k % n] + draw.between(-0.4, 0.4)).collect();
        let points = Columns::from_vec(n, numbers).ok_or("no columns")?;
        let values = points.iter().map(|x| self.setup.value(x)).collect();
        self.act(&Action::Inject(points, values), drawn)
    }

    /// Drives it for a generation, or less.
    fn evaluate(&mut self, most: usize, stop: bool, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let file = self.file.as_ref().filter(|_| self.is_saved).map(|(path, _)| path.clone());
        self.act(&Action::Evaluate { most, stop, file }, drawn)
    }

    fn change_budget(&mut self, budget: u64, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        if T::HAS_BUDGET { self.act(&Action::Budget(budget), drawn) } else { Ok(true) }
    }

    /// Returns a budget of evaluations below, at, or above those made so far; 0 is invalid.
    fn budget(&self, argument: u64) -> u64 {
        let made = self.model.evaluations();
        match argument % 8 {
            0 => 0,
            1 => made / 2,
            2 => made,
            3 => made + argument / 8 % 4,
            4..6 => made + argument / 8 % 50,
            _ => made + 1000,
        }
    }

    /// Continues with the restored subject, and keeps the original as its twin.
    fn store(&mut self, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        drawn("store and load".to_string());
        let restored = self.subject.restored(&self.subject.self_contained()?)?;
        let original = std::mem::replace(&mut self.subject, restored);
        self.twin.get_or_insert(original.clone()); // a clone is not saved
        self.is_saved = false;
        Ok(false)
    }

    /// Continues with a clone.
    fn copy(&mut self, drawn: &mut dyn FnMut(String)) -> bool {
        drawn("clone".to_string());
        self.subject = self.subject.clone();
        self.is_saved = false;
        false
    }

    /// Drops everything but the file, and continues from it, with other budgets. A run without a file must have one from the start.
    fn start_again(&mut self, argument: u64, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let Some((path, saved)) = self.file.take() else { return self.save_late(drawn) };
        self.model = saved;
        let budget = self.budget(argument).max(1).min(if T::HAS_BUDGET { u64::MAX } else { 60 });
        self.setup.budget = Some(budget);
        self.setup.max_runs = [None, Some(1), Some(2), Some(5)][(argument / 8 % 4) as usize];
        drawn(format!("start again with {budget} evaluations and {:?} runs", self.setup.max_runs));
        self.subject = T::start(&self.setup, Some(&path)).map_err(|error| format!("not continued: {error}"))?;
        (self.twin, self.is_saved) = (None, true);
        self.model.set_budget(budget, T::HAS_BUDGET);
        // It is saved when it starts.
        self.file = Some((path, self.model.clone()));
        if self.subject.is_over() {
            // Nothing is opened.
        } else if self.model.forget_what_was_only_asked() {
            // A search that was over continues with its next run, with other candidates.
            self.act(&Action::Ask, drawn)?;
        } else {
            self.model.check_open(&mut self.subject)?;
        }
        Ok(false)
    }

    /// A run that has begun can be saved, too; a new one continues from there.
    fn save_late(&self, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        drawn("save late".to_string());
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("late");
        let mut with = With::new().saving(&path);
        with.begin(&mut self.subject.clone()).map_err(|error| format!("not saved late: {error}"))?;
        drop(with);
        let continued = T::start(&self.setup, Some(&path)).map_err(|error| format!("not continued: {error}"))?;
        let evaluations = (Run::evaluations(&continued), self.model.evaluations());
        if evaluations.0 == evaluations.1 && continued.found() == self.subject.found() {
            return Ok(false);
        }
        Err(format!("a late save has {} of {} evaluations", evaluations.0, evaluations.1))
    }

    /// Another program must not continue from this file, nor change it.
    fn start_other(&self, argument: u64, drawn: &mut dyn FnMut(String)) -> Result<bool, String> {
        let Some((path, _)) = &self.file else { return Ok(true) };
        let mut other = self.setup.clone();
        match argument % 3 {
            // The seed of runs that take turns is fixed.
            _ if !T::HAS_BUDGET => other.start[0] += 0.25,
            // Variables bring their own start.
            _ if other.variables.is_some() => other.seed = other.seed.wrapping_add(4),
            0 => other.seed = other.seed.wrapping_add(4),
            1 => other.sigma *= 2.0,
            _ => other.start[0] += 0.25,
        }
        drawn("start another program".to_string());
        let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
        let before = read(path)?;
        if T::start(&other, Some(path)).is_ok() {
            return Err("the file of another run was continued".to_string());
        }
        if read(path)? != before {
            return Err("a refused program has changed the file".to_string());
        }
        let mut same = T::begin(&self.setup)?;
        let mut with = With::new().saving(path);
        with.begin(&mut same).map_err(|error| format!("not continued: {error}"))?;
        if T::start(&self.setup, Some(path)).is_ok() {
            return Err("a file was used by two programs at the same time".to_string());
        }
        // It was saved when it began, perhaps with another budget.
        std::fs::write(path, before).map_err(|error| error.to_string())?;
        Ok(true)
    }

    /// What is true after every transition.
    fn check(&self) -> Result<(), String> {
        self.model.check(&self.subject)?;
        self.check_start()?;
        let bytes = self.subject.bytes()?;
        let restored = self.subject.restored(&self.subject.self_contained()?)?;
        if restored.bytes()? != bytes {
            return Err("it is different after it was stored and restored".to_string());
        }
        self.model.check(&restored).map_err(|error| format!("after it was stored and restored, {error}"))?;
        if let Some(twin) = &self.twin
            && twin.bytes()? != bytes
        {
            return Err("a restored run and its original are different".to_string());
        }
        Ok(())
    }

    /// A run begins with the deviations that were given for it, whatever else was given.
    fn check_start(&self) -> Result<(), String> {
        let Some((deviations, planned)) = self.subject.begun() else { return Ok(()) };
        let Some(given) = planned.or(self.setup.deviations.clone()) else { return Ok(()) };
        if self.setup.bounds.is_some() || self.setup.variables.is_some() {
            return Ok(()); // they limit deviations
        }
        let close = |(one, other): (&f64, &f64)| (one / other - 1.0).abs() < 1e-9;
        if deviations.iter().zip(&given).all(close) {
            return Ok(());
        }
        Err(format!("the deviations {given:?} were given, but a run begins with {deviations:?}"))
    }

    /// Every loop that a user may write ends, within a budget.
    fn end(&mut self, word: u64) -> Result<(), String> {
        let silent: &mut dyn FnMut(String) = &mut drop;
        let budget = self.model.evaluations() + 60;
        self.change_budget(budget, silent)?;
        let mut passes = 0u32;
        while !self.subject.is_over() {
            // One by one, the large populations of some restarts would take long.
            let kind = if self.lambda() > 200 { 1 } else { word / 32 % 4 };
            match kind {
                0 if self.model.told().is_empty() => {
                    self.act(&Action::Ask, silent)?;
                    self.tell(0, silent)?;
                }
                1 => drop(self.evaluate(usize::MAX, false, silent)?),
                2 => drop(self.act(&Action::Fill, silent)?),
                _ => {
                    self.act(&Action::Ask, silent)?;
                    if self.model.missing().is_empty() {
                        self.act(&Action::Finish(Missing::RankLast), silent)?;
                    } else {
                        self.tell_one(0, silent)?;
                    }
                }
            }
            self.check()?;
            passes += 1;
            if passes > 2000 {
                return Err(format!("a loop of kind {kind} does not end, with a budget of {budget}"));
            }
        }
        Ok(())
    }
}
