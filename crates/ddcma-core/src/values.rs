//! The values of a generation, some of which may be missing.

use crate::stored::stored;
use crate::{TellError, Ticket, Told};

stored! {
    /// What was told about the candidates of a generation: a building block for your own [`Run`](crate::Run).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Values {
        /// NaN where a value is missing.
        numbers: Vec<f64>,
        is_told: Vec<bool>,
        /// How many evaluations each value took; 0 where it is missing.
        evaluations: Vec<u32>,
        told: usize,
    }
}

impl Values {
    /// Allocates room for the values of λ candidates.
    pub fn with_capacity(lambda: usize) -> Self {
        let (numbers, is_told) = (Vec::with_capacity(lambda), Vec::with_capacity(lambda));
        Self { numbers, is_told, evaluations: Vec::with_capacity(lambda), told: 0 }
    }

    /// Clears all values, and expects those of `lambda` candidates.
    pub fn open(&mut self, lambda: usize) {
        self.clear();
        self.numbers.resize(lambda, f64::NAN);
        self.is_told.resize(lambda, false);
        self.evaluations.resize(lambda, 0);
    }

    /// Clears all values, and expects none.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.is_told.clear();
        self.evaluations.clear();
        self.told = 0;
    }

    /// Takes what was told about a candidate of this generation, without constraints. An error changes nothing.
    pub fn take(&mut self, ticket: Ticket, generation: u64, told: Told<'_>) -> Result<(), TellError> {
        let (index, lambda) = (ticket.index, self.len());
        if ticket.generation < generation {
            return Err(TellError::Late { ticket, generation });
        }
        if ticket.generation > generation || self.is_empty() {
            return Err(TellError::NotAsked);
        }
        if index >= lambda {
            return Err(TellError::NoSuchCandidate { index, lambda });
        }
        if let Some(value) = self.get(index) {
            return Err(TellError::Twice { ticket, value });
        }
        if !told.constraints.is_empty() {
            return Err(TellError::Constraints { expected: 0, got: told.constraints.len() });
        }
        self.numbers[index] = told.value;
        self.is_told[index] = true;
        self.evaluations[index] = told.evaluations;
        self.told += 1;
        Ok(())
    }

    /// Takes the values of all candidates, each from one evaluation.
    pub fn take_all(&mut self, values: &[f64]) {
        self.clear();
        self.numbers.extend_from_slice(values);
        self.is_told.resize(values.len(), true);
        self.evaluations.resize(values.len(), 1);
        self.told = values.len();
    }

    /// Returns the number of candidates; 0 if no generation is open.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns whether there are no candidates.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the number of values told so far.
    pub fn told(&self) -> usize {
        self.told
    }

    /// Returns the number of evaluations that these values took.
    pub fn evaluations(&self) -> u64 {
        self.evaluations.iter().map(|count| u64::from(*count)).sum()
    }

    /// Returns how many evaluations the value of a candidate took; 0 where it is missing.
    pub fn evaluations_of(&self, index: usize) -> u32 {
        self.evaluations[index]
    }

    /// Returns whether the value of a candidate was told.
    pub fn is_told(&self, index: usize) -> bool {
        self.is_told[index]
    }

    /// Returns the value of a candidate, if it was told.
    pub fn get(&self, index: usize) -> Option<f64> {
        self.is_told[index].then(|| self.numbers[index])
    }

    /// Returns one number per candidate; NaN where the value is missing.
    pub fn as_slice(&self) -> &[f64] {
        &self.numbers
    }

    /// Returns the candidates that have a value, with their values.
    pub fn iter_told(&self) -> impl Iterator<Item = (usize, f64)> {
        self.numbers.iter().copied().enumerate().filter(|(index, _)| self.is_told[*index])
    }

    /// Returns the first of the smallest values that is below `known`, with its candidate and the number of its evaluation, counted from 1
    /// in the order of the candidates. Without a known value, any number is better, also +∞.
    pub fn better_than(&self, known: Option<f64>) -> Option<(usize, f64, u64)> {
        let (mut better, mut least, mut evaluation) = (None, known, 0);
        for (candidate, value) in self.iter_told() {
            evaluation += u64::from(self.evaluations[candidate]);
            if least.map_or(!value.is_nan(), |least| value < least) {
                least = Some(value);
                better = Some((candidate, value, evaluation));
            }
        }
        better
    }

    /// Checks that stored parts fit together, for a generation of `lambda` candidates or for none.
    #[cfg(feature = "checkpoint")]
    pub fn fit(&self, lambda: usize) -> bool {
        let Self { numbers, is_told, evaluations, told } = self;
        let lengths = [numbers.len(), is_told.len(), evaluations.len()];
        let missing_have_none = numbers
            .iter()
            .zip(is_told)
            .zip(evaluations)
            .all(|((number, told), count)| *told || (number.is_nan() && *count == 0));
        let counted = is_told.iter().filter(|is_told| **is_told).count();
        [[0; 3], [lambda; 3]].contains(&lengths) && counted == *told && missing_have_none
    }
}
