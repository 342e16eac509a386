//! The values of a generation, of which some may be missing. Does not know what they are compared for.

use crate::stored::stored;

stored! {
    /// One value for each candidate, or none.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub(crate) struct Values {
        /// NaN where there is none.
        numbers: Vec<f64>,
        is_told: Vec<bool>,
        told: usize,
    }
}

impl Values {
    /// Room for the values of λ candidates.
    pub(crate) fn with_capacity(lambda: usize) -> Self {
        Self { numbers: Vec::with_capacity(lambda), is_told: Vec::with_capacity(lambda), told: 0 }
    }

    /// Forgets all values, and waits for those of `lambda` candidates.
    pub(crate) fn open(&mut self, lambda: usize) {
        self.clear();
        self.numbers.resize(lambda, f64::NAN);
        self.is_told.resize(lambda, false);
    }

    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.is_told.clear();
        self.told = 0;
    }

    /// Takes the value of a candidate that has none.
    pub(crate) fn take(&mut self, index: usize, value: f64) {
        debug_assert!(!self.is_told[index], "candidate {index} has a value");
        self.numbers[index] = value;
        self.is_told[index] = true;
        self.told += 1;
    }

    /// Takes the values of all candidates.
    pub(crate) fn take_all(&mut self, values: &[f64]) {
        self.clear();
        self.numbers.extend_from_slice(values);
        self.is_told.resize(values.len(), true);
        self.told = values.len();
    }

    /// The number of candidates: 0 before the first generation.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The number of values that are in.
    pub(crate) fn told(&self) -> usize {
        self.told
    }

    pub(crate) fn is_told(&self, index: usize) -> bool {
        self.is_told[index]
    }

    pub(crate) fn get(&self, index: usize) -> Option<f64> {
        self.is_told[index].then(|| self.numbers[index])
    }

    /// One number for each candidate, NaN where there is no value.
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.numbers
    }

    /// The candidates that have a value, and it.
    pub(crate) fn iter_told(&self) -> impl Iterator<Item = (usize, f64)> {
        self.numbers.iter().copied().enumerate().filter(|(index, _)| self.is_told[*index])
    }

    /// Whether stored parts fit together, for a generation of `lambda` candidates or for none.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn fit(&self, lambda: usize) -> bool {
        let Self { numbers, is_told, told } = self;
        let missing_have_none = numbers.iter().zip(is_told).all(|(number, is_told)| *is_told || number.is_nan());
        let counted = is_told.iter().filter(|is_told| **is_told).count();
        [0, lambda].contains(&numbers.len()) && numbers.len() == is_told.len() && counted == *told && missing_have_none
    }
}
