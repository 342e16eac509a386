//! A generation that is waiting for values, which an objective tells in any order.

use std::fmt;

use crate::persist::Saver;
use crate::{Columns, Missing, Pending, Run, TellError, Ticket, Told, View};

/// The candidates of a generation, with the values told so far.
///
/// An [`Objective`](crate::Objective) tells the values of the candidates that have none. Every value that was told is kept by the run,
/// whether the objective then fails or panics. With an autosave, it is also kept after the end of the process if it was told before the
/// last save: see `Autosave::every`.
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
/// es.run(Backwards)?;
/// assert!(es.best_value() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OpenGeneration<'a> {
    run: &'a mut dyn Run,
    saver: Option<&'a mut (dyn Saver + 'static)>,
    early_end: Missing,
    /// The first error of a value that the run has refused.
    refused: Option<TellError>,
}

impl fmt::Debug for OpenGeneration<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("OpenGeneration");
        shown.field("generation", &self.number()).field("missing", &self.missing().count()).finish_non_exhaustive()
    }
}

impl<'a> OpenGeneration<'a> {
    pub(crate) fn new(run: &'a mut dyn Run, saver: Option<&'a mut (dyn Saver + 'static)>) -> Self {
        Self { run, saver, early_end: Missing::RankLast, refused: None }
    }

    fn pending(&self) -> Pending<'_> {
        self.run.pending()
    }

    /// Returns what an observer would see now: the mean, the step size, the best point.
    pub fn view(&self) -> View<'_> {
        self.run.view()
    }

    /// Returns all candidates, one per column.
    pub fn points(&self) -> &Columns {
        self.pending().points()
    }

    /// Returns one candidate.
    ///
    /// # Panics
    /// Panics if the index is not below the number of candidates.
    pub fn point(&self, index: usize) -> &[f64] {
        &self.points()[index]
    }

    /// Returns the number of the generation, counted from 0.
    pub fn number(&self) -> u64 {
        self.pending().generation()
    }

    /// Returns the ticket of a candidate.
    pub fn ticket(&self, index: usize) -> Ticket {
        self.pending().ticket(index)
    }

    /// Returns the value of a candidate, if it was told.
    pub fn value(&self, index: usize) -> Option<f64> {
        self.pending().value(index)
    }

    /// Returns the candidates that want a value.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        self.pending().missing()
    }

    /// Tells the value of a candidate.
    pub fn tell(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        self.take(index, value.into())
    }

    /// Tells what came out for a candidate.
    pub fn take(&mut self, index: usize, told: Told<'_>) -> Result<(), TellError> {
        self.take_ticket(self.ticket(index), told)
    }

    fn take_ticket(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.run.take(ticket, told)?;
        if let Some(saver) = &mut self.saver {
            saver.value_arrived(self.run);
        }
        Ok(())
    }

    /// Evaluates the candidates that want a value, one after the other.
    pub fn fill(&mut self, mut f: impl FnMut(&[f64]) -> f64) {
        let Ok(()) = self.try_fill(|x| Ok::<_, std::convert::Infallible>(f(x)));
    }

    /// Evaluates the candidates that want a value, one after the other, and stops at the first error.
    pub fn try_fill<E>(&mut self, mut f: impl FnMut(&[f64]) -> Result<f64, E>) -> Result<(), E> {
        for index in 0..self.pending().lambda() {
            let pending = self.run.pending();
            if pending.wants(index) {
                let (value, ticket) = (f(&pending.points()[index])?, pending.ticket(index));
                self.take_wanted(ticket, value);
            }
        }
        Ok(())
    }

    /// Evaluates all candidates that want a value in one call: one point per column, one value each. Values that `f` does
    /// not write are NaN.
    pub fn fill_batch(&mut self, f: impl FnOnce(&Columns, &mut [f64])) {
        let missing: Vec<usize> = self.missing().collect();
        let mut values = vec![f64::NAN; missing.len()];
        if missing.len() == self.points().len() {
            f(self.points(), &mut values);
        } else {
            let mut points = Columns::zeros(self.points().dimension(), missing.len());
            points.iter_mut().zip(&missing).for_each(|(to, index)| to.copy_from_slice(self.point(*index)));
            f(&points, &mut values);
        }
        missing.into_iter().zip(values).for_each(|(index, value)| self.tell_missing(index, value));
    }

    /// Tells the value of a candidate that wants one. If the run refuses it, for example because it expects values of constraints, too, that
    /// interrupts the run when the objective returns.
    pub(crate) fn tell_missing(&mut self, index: usize, value: f64) {
        self.take_wanted(self.ticket(index), value);
    }

    fn take_wanted(&mut self, ticket: Ticket, value: f64) {
        let refused = self.take_ticket(ticket, value.into()).err();
        self.refused = self.refused.take().or(refused);
    }

    /// Ends the generation without the missing values when the objective returns.
    ///
    /// Without this call, missing candidates are [ranked last](Missing::RankLast). Either way, at least μ values must have
    /// been told.
    pub fn end_early(&mut self, missing: Missing) {
        self.early_end = missing;
    }

    /// Returns what happens to candidates without a value, and the error of a value that was refused.
    pub(crate) fn end(self) -> (Missing, Option<TellError>) {
        (self.early_end, self.refused)
    }
}
