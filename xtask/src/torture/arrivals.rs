//! Values that arrive one by one, in any order, with the run stored and restored in between, and generations that end early.
//!
//! One run in five does so, depending on its seed. Cases that the tests repeat by number are not among them.

use ddcma_core::{Missing, Optimizer, TellError, Ticket};

use super::draw::Draw;
use super::invariants;
use super::runs::Stored;

/// How values arrive in a run.
#[derive(Debug)]
pub(super) struct Arrivals {
    draw: Draw,
    /// The probability that the values of a generation are told one by one.
    pub(super) one_by_one: f64,
    /// The probability that such a generation ends early.
    early: f64,
}

impl Arrivals {
    pub(super) fn of_case(seed: u64) -> Self {
        let mut draw = Draw::of_case(seed, 21);
        let one_by_one = if matches!(seed % 41, 0..=7) { draw.pick(&[0.05, 0.3, 1.0]) } else { 0.0 };
        let early = draw.pick(&[0.0, 0.3, 1.0]);
        Self { draw, one_by_one, early }
    }

    pub(super) fn come_one_by_one(&mut self) -> bool {
        self.draw.chance(self.one_by_one)
    }

    /// Tells all or some values of a generation to both runs. Returns the result of the run; values that were not told become NaN.
    pub(super) fn tell<S: Stored>(
        &mut self,
        es: &mut Optimizer<S>,
        twin: Option<&mut Optimizer<S>>,
        values: &mut [f64],
        is_told: &mut Vec<bool>,
    ) -> Result<Result<(), TellError>, String> {
        let (lambda, mu, generation) = (values.len(), es.params().mu(), es.iterations());
        let order = self.shuffled(lambda);
        let early = self.draw.chance(self.early) && mu < lambda;
        let count = if early { mu + self.draw.below(lambda - mu) } else { lambda };
        is_told.clear();
        is_told.resize(lambda, false);
        let ticket = |index: usize| Ticket { generation, index };
        let mut outcome = Ok(());
        for (k, index) in order[..count].iter().copied().enumerate() {
            is_told[index] = true;
            match es.tell_one(ticket(index), values[index]) {
                Ok(missing) if missing == lambda - k - 1 => {}
                Err(error @ TellError::Update(_)) if k + 1 == lambda => outcome = Err(error),
                other => return Err(format!("telling value {k} of {lambda} returned {other:?}")),
            }
            if k + 1 < lambda && self.draw.chance(1.0 / lambda as f64) {
                *es = self.interfere(es, ticket(index), mu)?;
            }
        }
        let missing = self.draw.pick(&[Missing::RankLast, Missing::LeaveOut]);
        if early {
            outcome = finish(es, missing);
        }
        if let Some(twin) = twin {
            for index in order[..count].iter().copied() {
                let _ = twin.tell_one(ticket(index), values[index]); // checked below, and at the next points
            }
            if early && format!("{:?}", finish(twin, missing)) != format!("{outcome:?}") {
                return Err(format!("a restored run did not end the generation with {outcome:?}"));
            }
        }
        values.iter_mut().zip(is_told).filter(|(_, is_told)| !**is_told).for_each(|(value, _)| *value = f64::NAN);
        Ok(outcome)
    }

    /// Checks that invalid tickets are rejected and change nothing, and that a checkpoint restores the run.
    fn interfere<S: Stored>(&mut self, es: &mut Optimizer<S>, told: Ticket, mu: usize) -> Result<Optimizer<S>, String> {
        let before = es.to_checkpoint().map_err(|error| format!("not stored: {error}"))?;
        let lambda = es.params().lambda();
        let (evaluations, best) = (es.evaluations(), es.best_value());
        let in_open = lambda - es.ask_missing().count();
        let refused = [
            matches!(es.tell_one(told, 1.0), Err(TellError::Twice { .. })),
            matches!(es.tell_one(Ticket { index: lambda, ..told }, 1.0), Err(TellError::NoSuchCandidate { .. })),
            matches!(es.tell_one(Ticket { generation: told.generation + 1, ..told }, 1.0), Err(TellError::NotAsked)),
            told.generation == 0
                || matches!(es.tell_one(Ticket { generation: 0, ..told }, 1.0), Err(TellError::Late { .. })),
            matches!(es.tell(&vec![0.0; lambda]), Err(TellError::PartlyTold { .. })),
            in_open >= mu || matches!(es.finish(Missing::RankLast), Err(TellError::TooFew { .. })),
        ];
        if let Some(k) = refused.iter().position(|refused| !refused) {
            return Err(format!("an invalid call of tell ({k}) was not rejected with the right error"));
        }
        if es.to_checkpoint().map_err(|error| format!("not stored: {error}"))? != before {
            return Err("a rejected value has changed the state".to_string());
        }
        let mut restored = Optimizer::from_checkpoint(&before).map_err(|error| format!("not restored: {error}"))?;
        invariants::same("points of an incomplete generation", restored.ask().as_slice(), es.ask().as_slice())?;
        if (restored.evaluations(), restored.best_value().to_bits()) != (evaluations, best.to_bits()) {
            return Err("an incomplete generation was restored as a different one".to_string());
        }
        Ok(restored)
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            order.swap(k, self.draw.below(k + 1));
        }
        order
    }
}

/// Ends a generation. Weights or rates that fit only one population size leave no choice.
fn finish<S: Stored>(es: &mut Optimizer<S>, missing: Missing) -> Result<(), TellError> {
    match es.finish(missing) {
        Err(TellError::NoWeights(_)) => es.finish(Missing::RankLast),
        finished => finished,
    }
}
