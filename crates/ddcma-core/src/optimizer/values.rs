//! The values of a generation, some of which may be missing.

use crate::stored::stored;

stored! {
    /// One value per candidate; some may be missing.
    #[doc(hidden)]
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Values {
        /// NaN where a value is missing.
        numbers: Vec<f64>,
        is_told: Vec<bool>,
        told: usize,
    }
}

impl Values {
    /// Allocates room for the values of λ candidates.
    pub fn with_capacity(lambda: usize) -> Self {
        Self { numbers: Vec::with_capacity(lambda), is_told: Vec::with_capacity(lambda), told: 0 }
    }

    /// Clears all values, and expects those of `lambda` candidates.
    pub fn open(&mut self, lambda: usize) {
        self.clear();
        self.numbers.resize(lambda, f64::NAN);
        self.is_told.resize(lambda, false);
    }

    /// Clears all values, and expects none.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.is_told.clear();
        self.told = 0;
    }

    /// Stores the value of a candidate that has none.
    pub fn take(&mut self, index: usize, value: f64) {
        debug_assert!(!self.is_told[index], "candidate {index} has a value");
        self.numbers[index] = value;
        self.is_told[index] = true;
        self.told += 1;
    }

    /// Stores the values of all candidates.
    pub fn take_all(&mut self, values: &[f64]) {
        self.clear();
        self.numbers.extend_from_slice(values);
        self.is_told.resize(values.len(), true);
        self.told = values.len();
    }

    /// Returns the number of candidates; 0 before the first generation.
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

    /// Checks that stored parts fit together, for a generation of `lambda` candidates or for none.
    #[cfg(feature = "checkpoint")]
    pub fn fit(&self, lambda: usize) -> bool {
        let Self { numbers, is_told, told } = self;
        let missing_have_none = numbers.iter().zip(is_told).all(|(number, is_told)| *is_told || number.is_nan());
        let counted = is_told.iter().filter(|is_told| **is_told).count();
        [0, lambda].contains(&numbers.len()) && numbers.len() == is_told.len() && counted == *told && missing_have_none
    }
}
