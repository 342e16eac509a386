//! A generation that is waiting for values, which an objective tells in any order.

use std::fmt;

use crate::{Columns, Missing, TellError, Ticket};

/// A run or a search whose candidates are waiting for values.
#[doc(hidden)]
pub trait AwaitsValues {
    /// Returns all candidates of the generation.
    fn points(&self) -> &Columns;

    /// Returns the number of the generation.
    fn generation(&self) -> u64;

    /// Returns the value of a candidate, if it was told. The index must be valid.
    fn value(&self, index: usize) -> Option<f64>;

    /// Stores a value. An error changes nothing.
    fn take(&mut self, index: usize, value: f64) -> Result<(), TellError>;

    /// Stores the values of all candidates, none of which has one.
    fn take_all(&mut self, values: &[f64]);
}

/// The candidates of a generation, with the values told so far.
///
/// An [`Objective`](crate::Objective) tells the values of the candidates that have none. Every value that was told is kept,
/// whatever happens afterwards: an error, a panic that is caught, or, with autosaves, the end of the process.
///
/// ```
/// use ddcma_core::{Objective, OpenGeneration, SepCma};
///
/// /// Evaluates the last candidate first.
/// struct Backwards;
///
/// impl Objective for Backwards {
///     type Error = ddcma_core::TellError;
///
///     fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Self::Error> {
///         let missing: Vec<usize> = generation.missing().collect();
///         for index in missing.into_iter().rev() {
///             let value = generation.point(index).iter().map(|x| x * x).sum();
///             generation.tell(index, value)?;
///         }
///         Ok(())
///     }
/// }
///
/// let mut es = SepCma::new(&[3.0; 4], 1.0, 42)?;
/// es.run(Backwards, &mut [])?;
/// assert!(es.best_value() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OpenGeneration<'a> {
    run: &'a mut dyn AwaitsValues,
    early_end: Option<Missing>,
}

impl fmt::Debug for OpenGeneration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("OpenGeneration");
        shown.field("generation", &self.number()).field("missing", &self.missing().count()).finish_non_exhaustive()
    }
}

impl<'a> OpenGeneration<'a> {
    #[doc(hidden)]
    pub fn new(run: &'a mut dyn AwaitsValues) -> Self {
        Self { run, early_end: None }
    }

    /// Returns all candidates, one per column.
    pub fn points(&self) -> &Columns {
        self.run.points()
    }

    /// Returns one candidate.
    ///
    /// # Panics
    /// Panics if the index is not below the number of candidates.
    pub fn point(&self, index: usize) -> &[f64] {
        &self.run.points()[index]
    }

    /// Returns the number of the generation, counted from 0.
    pub fn number(&self) -> u64 {
        self.run.generation()
    }

    /// Returns the ticket of a candidate.
    pub fn ticket(&self, index: usize) -> Ticket {
        Ticket { generation: self.number(), index }
    }

    /// Returns the value of a candidate, if it was told.
    pub fn value(&self, index: usize) -> Option<f64> {
        if index < self.points().len() { self.run.value(index) } else { None }
    }

    /// Returns the candidates that have no value yet.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.points().len()).filter(|index| self.run.value(*index).is_none())
    }

    /// Tells the value of a candidate.
    pub fn tell(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        self.run.take(index, value)
    }

    /// Evaluates the candidates that have no value, one after the other.
    pub fn fill(&mut self, mut f: impl FnMut(&[f64]) -> f64) {
        let Ok(()) = self.try_fill(|x| Ok::<_, std::convert::Infallible>(f(x)));
    }

    /// Evaluates the candidates that have no value, one after the other, and stops at the first error.
    pub fn try_fill<E>(&mut self, mut f: impl FnMut(&[f64]) -> Result<f64, E>) -> Result<(), E> {
        for index in 0..self.points().len() {
            if self.run.value(index).is_none() {
                let value = f(self.point(index))?;
                self.take_missing(index, value);
            }
        }
        Ok(())
    }

    /// Evaluates all candidates that have no value in one call: one point per column, one value each. Values that `f` does
    /// not write are NaN.
    pub fn fill_batch(&mut self, f: impl FnOnce(&Columns, &mut [f64])) {
        let lambda = self.points().len();
        if self.missing().count() == lambda {
            let mut values = vec![f64::NAN; lambda];
            f(self.points(), &mut values);
            return self.run.take_all(&values);
        }
        let missing: Vec<usize> = self.missing().collect();
        let mut values = vec![f64::NAN; missing.len()];
        let mut points = Columns::zeros(self.points().dimension(), missing.len());
        for (to, index) in missing.iter().enumerate() {
            points[to].copy_from_slice(self.point(*index));
        }
        f(&points, &mut values);
        missing.into_iter().zip(values).for_each(|(index, value)| self.take_missing(index, value));
    }

    /// Stores the value of a candidate that is known to have none.
    pub(crate) fn take_missing(&mut self, index: usize, value: f64) {
        self.run.take(index, value).expect("a candidate of this generation without a value");
    }

    /// Ends the generation without the missing values when the objective returns.
    ///
    /// Without this call, missing candidates are [ranked last](Missing::RankLast). Either way, at least μ values must have
    /// been told.
    pub fn end_early(&mut self, missing: Missing) {
        self.early_end = Some(missing);
    }

    #[doc(hidden)]
    pub fn into_early_end(self) -> Missing {
        self.early_end.unwrap_or(Missing::RankLast)
    }
}
