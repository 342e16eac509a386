//! Values that arrive one by one, in any order, and generations that end before all values have arrived.

use super::Keys;
use crate::{Missing, Optimizer, Params, Pending, Strategy, TellError, Ticket, Told};

impl<S: Strategy> Optimizer<S> {
    /// Returns the candidates of this generation that are still waiting for a value, with their tickets. There are none if all values were
    /// [taken](Self::take) one by one: then [`finish`](Self::finish) ends the generation.
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
        self.pending().jobs()
    }

    /// Returns the generation that is waiting for values; without candidates before [`ask`](Self::ask).
    pub fn pending(&self) -> Pending<'_> {
        Pending::new(self.state.iterations, &self.work.x, &self.state.open)
    }

    /// Tells the value of one candidate, in any order, and returns the number of values that are still missing.
    ///
    /// The last value completes the generation and updates the distribution, exactly as if all values had been told at once.
    /// A value of an earlier generation, a value told twice and a value of a candidate that was not asked for are errors
    /// that change nothing. To continue without waiting for the last values, use [`finish`](Self::finish).
    pub fn tell_one(&mut self, ticket: Ticket, value: f64) -> Result<usize, TellError> {
        self.take(ticket, value.into())?;
        let missing = self.params.lambda - self.state.open.told();
        if missing == 0 {
            self.iterate(Keys::Values(Missing::RankLast))?;
        }
        Ok(missing)
    }

    /// Takes what is told about one candidate, and does nothing else: [`finish`](Self::finish) or [`rank`](Self::rank) ends the generation.
    pub fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.state.open.take(ticket, self.state.iterations, told)
    }

    /// Ends the generation with a ranking by these keys, one per candidate: a smaller key is better.
    ///
    /// The keys may be anything that orders candidates, also those without a value: a penalized value, the estimate of a model. The values
    /// told so far are not used for the ranking. They count as evaluations, and they are what the best point, the target and all
    /// [stop criteria](crate::Stop) see that compare values; only flat and infinite generations are judged by their keys.
    ///
    /// ```
    /// use ddcma_core::{SepCma, Told};
    ///
    /// let mut es = SepCma::new(&[3.0; 4], 1.0, 42)?;
    /// for _ in 0..50 {
    ///     let keys: Vec<f64> = es.ask().iter().map(|x| x.iter().map(|x| x * x).sum()).collect();
    ///     let best = (0..keys.len()).min_by(|i, j| keys[*i].total_cmp(&keys[*j])).unwrap_or(0);
    ///     es.take(es.pending().ticket(best), Told::from(keys[best]))?; // evaluate only the candidate that seems best
    ///     es.rank(&keys)?;
    /// }
    /// assert!(es.evaluations() == 50 && es.best_value() < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rank(&mut self, keys: &[f64]) -> Result<(), TellError> {
        let (lambda, got) = (self.params.lambda, keys.len());
        if !self.state.asked {
            return Err(TellError::NotAsked);
        }
        if got != lambda {
            return Err(TellError::WrongCount { expected: lambda, got });
        }
        self.iterate(Keys::Given(keys))
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
        let Some(fewer) = fewer else { return self.iterate(Keys::Values(Missing::RankLast)) };
        // While this generation is processed, the run has the parameters of fewer candidates.
        let params = std::mem::replace(&mut self.params, fewer);
        let iterated = self.iterate(Keys::Values(Missing::LeaveOut));
        self.work.fewer = Some(std::mem::replace(&mut self.params, params));
        iterated
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
