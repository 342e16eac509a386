//! Values that arrive one by one, in any order, and generations that end before all values have arrived.

use std::fmt;

use rand_core::Rng;

use crate::open_generation::AwaitsValues;
use crate::stored::stored;
use crate::{Columns, OpenGeneration, Optimizer, Params, Strategy, TellError};

stored! {
    /// Identifies one candidate of one generation when its value is told.
    ///
    /// If the points of a generation are replaced by [given deviates](Optimizer::ask_with), the tickets stay the same.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Ticket {
        /// The number of the generation, counted from 0; in a search with restarts, it is counted over all runs.
        pub generation: u64,
        /// The candidate's index in its generation, counted from 0.
        pub index: usize,
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "candidate {} of generation {}", self.index, self.generation)
    }
}

/// What happens to candidates without a value when a generation ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Rank them last, as if their value were +∞: the distribution moves away from them.
    RankLast,
    /// Leave them out: the generation counts as one of a smaller population, with its own weights and learning rates.
    LeaveOut,
}

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    /// Returns the candidates of this generation that are still waiting for a value, with their tickets.
    ///
    /// ```
    /// use ddcma_core::SepCma;
    ///
    /// let mut es = SepCma::new(&[3.0; 4], 1.0, 42)?;
    /// while es.stop().is_none() {
    ///     let jobs: Vec<_> = es.ask_missing().map(|(ticket, x)| (ticket, x.to_vec())).collect();
    ///     // Results come back in any order: here, the last job is the first to be done.
    ///     for (ticket, x) in jobs.into_iter().rev() {
    ///         es.tell_one(ticket, x.iter().map(|x| x * x).sum())?;
    ///     }
    /// }
    /// assert!(es.best_value() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask_missing(&mut self) -> impl Iterator<Item = (Ticket, &[f64])> {
        self.ask();
        let (generation, open) = (self.state.iterations, &self.state.open);
        let candidates = self.work.x.iter().enumerate().filter(|(index, _)| !open.is_told(*index));
        candidates.map(move |(index, x)| (Ticket { generation, index }, x))
    }

    /// Returns the generation that is waiting for values, as an [`Objective`](crate::Objective) sees it.
    ///
    /// After its last value, [`finish`](Self::finish) or the next call of this method updates the distribution. An update that fails is a
    /// reason to [stop](Self::stop).
    pub fn open_generation(&mut self) -> OpenGeneration<'_> {
        if self.state.asked && self.state.open.told() == self.params.lambda {
            // The only possible error is a failed update, which `stop` returns.
            let _ = self.finish(Missing::RankLast);
        }
        self.ask();
        OpenGeneration::new(self)
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Tells the value of one candidate, in any order, and returns the number of values that are still missing.
    ///
    /// The last value completes the generation and updates the distribution, exactly as if all values had been told at once.
    /// A value of an earlier generation, a value told twice and a value of a candidate that was not asked for are errors
    /// that change nothing. To continue without waiting for the last values, use [`finish`](Self::finish).
    pub fn tell_one(&mut self, ticket: Ticket, value: f64) -> Result<usize, TellError> {
        let Ticket { generation, index } = ticket;
        if generation < self.state.iterations {
            return Err(TellError::Late { ticket, generation: self.state.iterations });
        }
        if generation > self.state.iterations || !self.state.asked {
            return Err(TellError::NotAsked);
        }
        self.record(index, value)?;
        let missing = self.params.lambda - self.state.open.told();
        if missing == 0 {
            self.iterate(Missing::RankLast)?;
        }
        Ok(missing)
    }

    /// Ends the generation with the values told so far, and updates the distribution.
    ///
    /// At least μ values must have been told, where μ is the number of candidates with a positive weight. Only told values count as
    /// evaluations, and stop criteria see only these. Values of this generation that arrive later are rejected as
    /// [late](TellError::Late).
    pub fn finish(&mut self, missing: Missing) -> Result<(), TellError> {
        if !self.state.asked {
            return Err(TellError::NotAsked);
        }
        let (told, needed) = (self.state.open.told(), self.params.mu());
        if told < needed {
            return Err(TellError::TooFew { told, needed });
        }
        let left_out = missing == Missing::LeaveOut && told < self.params.lambda;
        let fewer = if left_out { Some(self.params_of_fewer(told)?) } else { None };
        let is_told = |index: usize| self.state.open.is_told(index);
        self.state.pair = self.state.pair && is_told(0) && is_told(1);
        let Some(fewer) = fewer else { return self.iterate(Missing::RankLast) };
        // While this generation is processed, the run has the parameters of fewer candidates.
        let params = std::mem::replace(&mut self.params, fewer);
        let iterated = self.iterate(Missing::LeaveOut);
        self.work.fewer = Some(std::mem::replace(&mut self.params, params));
        iterated
    }

    fn record(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        let lambda = self.params.lambda;
        if index >= lambda {
            return Err(TellError::NoSuchCandidate { index, lambda });
        }
        if let Some(value) = self.state.open.get(index) {
            return Err(TellError::Twice { ticket: Ticket { generation: self.state.iterations, index }, value });
        }
        self.state.open.take(index, value);
        Ok(())
    }

    /// Derives the parameters of a smaller population; C is updated as often as before.
    fn params_of_fewer(&mut self, lambda: usize) -> Result<Params, TellError> {
        if let Some(known) = self.work.fewer.take().filter(|known| known.lambda == lambda) {
            return Ok(known);
        }
        let settings = self.params.settings().clone().lambda(lambda);
        let mut fewer = settings.params(self.params.n).map_err(TellError::NoWeights)?;
        fewer.t_eig = self.params.t_eig;
        Ok(fewer)
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    crate::save_on_occasion!();
}

impl<S: Strategy, R> AwaitsValues for Optimizer<S, R> {
    fn points(&self) -> &Columns {
        &self.work.x
    }

    fn generation(&self) -> u64 {
        self.state.iterations
    }

    fn value(&self, index: usize) -> Option<f64> {
        self.state.open.get(index)
    }

    fn take(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        self.record(index, value)?;
        self.save_if_due();
        Ok(())
    }

    fn take_all(&mut self, values: &[f64]) {
        self.state.open.take_all(values);
        self.save_if_due();
    }
}
