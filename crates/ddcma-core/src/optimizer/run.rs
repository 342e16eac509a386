//! The loop around ask and tell: generation after generation, with an objective and observers. The algorithm is in
//! `optimizer.rs`.

use std::fmt;

use rand_core::Rng;

use crate::saver::SaveError;
use crate::{Missing, Objective, Observer, OpenGeneration, Optimizer, Stop, Strategy, TellError, View};

/// The error returned if a run was interrupted.
///
/// Nothing is lost: the values told so far are kept, and running again evaluates only the missing candidates.
#[derive(Debug)]
#[non_exhaustive]
pub enum Interrupted<E> {
    /// The objective failed.
    Objective {
        /// Its error.
        error: E,
        /// The number of candidates of the generation with a value.
        told: usize,
        /// The number of candidates of the generation without a value.
        missing: usize,
    },
    /// The objective ended the generation with too few values.
    Generation(TellError),
    /// The run could not be saved. The file holds the last state that was saved.
    Autosave(SaveError),
}

impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objective { error, told, missing } => {
                write!(f, "the objective failed after {told} of {} values of the generation: {error}", told + missing)
            }
            Self::Generation(error) => write!(f, "the objective ended the generation without all values: {error}"),
            Self::Autosave(error) => write!(f, "the run could not be saved: {error}"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Interrupted<E> {
    /// Our text includes the text of the inner error, so the chain continues with its source.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Objective { error, .. } => error.source(),
            Self::Generation(error) => error.source(),
            Self::Autosave(error) => error.source(),
        }
    }
}

/// A custom stop criterion, which returns a reason to stop, or `None`.
pub(crate) type Criterion<'a> = dyn FnMut(&View<'_>) -> Option<String> + 'a;

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    /// Runs one generation: asks, evaluates and tells.
    ///
    /// If an update fails, that is a reason to [stop](Self::stop). If the objective fails, its error is returned and nothing
    /// is lost: see [`Interrupted`]. The same is true if it panics and the panic is caught.
    ///
    /// ```
    /// use ddcma_core::SepCma;
    ///
    /// let mut sphere = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    /// let mut es = SepCma::new(&[3.0; 10], 1.0, 42)?;
    /// while es.stop().is_none() {
    ///     es.step(&mut sphere)?;
    /// }
    /// assert!(es.best_value() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step<O: Objective + ?Sized>(&mut self, objective: &mut O) -> Result<(), Interrupted<O::Error>> {
        self.ask();
        let mut generation = OpenGeneration::new(self);
        let evaluated = objective.evaluate(&mut generation);
        let missing = generation.into_early_end();
        self.end_step(evaluated, missing)
    }

    /// Ends a generation that an objective has evaluated.
    #[doc(hidden)]
    pub fn end_step<E>(&mut self, evaluated: Result<(), E>, missing: Missing) -> Result<(), Interrupted<E>> {
        if let Err(error) = evaluated {
            let told = self.state.open.told();
            self.save_now(); // report the first error only
            return Err(Interrupted::Objective { error, told, missing: self.params.lambda - told });
        }
        match self.finish(missing) {
            Ok(()) | Err(TellError::Update(_)) => {}
            Err(error) => {
                self.save_now();
                return Err(Interrupted::Generation(error));
            }
        }
        self.save_after_generation()
    }

    /// Asks, evaluates and tells until there is a reason to [stop](Self::stop), which it returns.
    ///
    /// Observers are called after each generation, and at the end. If the objective fails, its error is returned and nothing
    /// is lost: see [`Interrupted`]. The same is true if it panics and the panic is caught.
    pub fn run<O: Objective>(
        &mut self,
        objective: O,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Stop, Interrupted<O::Error>> {
        self.run_until(objective, observers, &mut |_| None)
    }

    /// Like [`run`](Self::run), with a custom stop criterion, called after each generation: it returns a reason to stop, or
    /// `None` to continue.
    pub fn run_until<O: Objective>(
        &mut self,
        mut objective: O,
        observers: &mut [&mut dyn Observer],
        criterion: &mut Criterion<'_>,
    ) -> Result<Stop, Interrupted<O::Error>> {
        self.run_any(&mut objective, observers, criterion)
    }

    /// The loop, which is compiled once for all objectives with the same type of error.
    pub(crate) fn run_any<E>(
        &mut self,
        objective: &mut dyn Objective<Error = E>,
        observers: &mut [&mut dyn Observer],
        criterion: &mut Criterion<'_>,
    ) -> Result<Stop, Interrupted<E>> {
        loop {
            // There is nothing to check before the first generation, and an incomplete generation was checked before.
            let told = self.iterations() > 0 && self.state.open.told() == 0;
            let own = || told.then(|| criterion(&self.view())).flatten().map(|reason| Stop::User { reason });
            let stop = self.target_or_budget().or_else(own).or_else(|| self.numerical()).or_else(|| self.stagnated());
            if let Some(stop) = stop {
                self.save_at_end()?;
                for observer in observers.iter_mut() {
                    observer.finished(&self.view(), &stop);
                }
                return Ok(stop);
            }
            let stepped = self.step(objective);
            if matches!(stepped, Ok(()) | Err(Interrupted::Autosave(_))) {
                observers.iter_mut().for_each(|observer| observer.observe(&self.view()));
            }
            stepped?;
        }
    }
}
