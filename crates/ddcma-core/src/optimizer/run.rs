//! Generation after generation with an objective: the loop around ask and tell. Knows objectives and observers; the
//! algorithm is in `optimizer.rs`.

use std::fmt;

use rand_core::Rng;

use crate::objective::Failed;
use crate::{Objective, Observer, Optimizer, Stop, Strategy, TellError, View};

/// An objective that failed in the middle of a run.
///
/// The optimizer is as it was before the generation, which still waits for its values: fix what was wrong, and run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupted<E> {
    /// Why the objective failed.
    pub error: E,
    /// The values of the first candidates of the generation, which were computed before.
    pub values: Vec<f64>,
}

impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the objective failed after {} values of the generation: {}", self.values.len(), self.error)
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Interrupted<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source() // its text is part of ours
    }
}

/// A user's own criterion: a reason to stop, or none.
pub(crate) type Criterion<'a> = dyn FnMut(&View<'_>) -> Option<String> + 'a;

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    /// One generation: asks, evaluates and tells.
    ///
    /// An update that could not be made is a reason to [stop](Self::stop). If the objective fails, its error is returned and
    /// nothing is lost: see [`Interrupted`]. If it panics and the panic is caught, the optimizer is as it was, too.
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
        // Taken out for as long as the points are lent; a panic would only cost the room.
        let mut values = std::mem::take(&mut self.work.evaluated);
        values.clear();
        values.resize(self.params.lambda, f64::NAN); // what an objective does not evaluate has no value
        if let Err(Failed { error, evaluated }) = objective.evaluate(self.ask(), &mut values) {
            values.truncate(evaluated);
            return Err(Interrupted { error, values });
        }
        let told = self.tell(&values);
        self.work.evaluated = values;
        match told {
            Ok(()) | Err(TellError::Update(_)) => Ok(()),
            Err(TellError::NotAsked | TellError::WrongCount { .. }) => {
                unreachable!("the points were asked, and there is one value for each")
            }
        }
    }

    /// Asks, evaluates and tells until there is a reason to [stop](Self::stop), which it returns.
    ///
    /// Observers are called after each generation, and at the end. If the objective fails, its error is returned and nothing is lost: see
    /// [`Interrupted`]. If it panics and the panic is caught, the optimizer is as it was before the generation, too.
    pub fn run<O: Objective>(
        &mut self,
        objective: O,
        observers: &mut [&mut dyn Observer],
    ) -> Result<Stop, Interrupted<O::Error>> {
        self.run_until(objective, observers, &mut |_| None)
    }

    /// Like [`run`](Self::run), with a criterion of one's own, asked after each generation: a reason to stop, or `None` to go
    /// on.
    pub fn run_until<O: Objective>(
        &mut self,
        mut objective: O,
        observers: &mut [&mut dyn Observer],
        criterion: &mut Criterion<'_>,
    ) -> Result<Stop, Interrupted<O::Error>> {
        loop {
            let told = self.iterations() > 0; // before, there is nothing to look at
            let own = || told.then(|| criterion(&self.view())).flatten().map(|reason| Stop::User { reason });
            let stop = self.target_or_budget().or_else(own).or_else(|| self.numerical()).or_else(|| self.stagnated());
            if let Some(stop) = stop {
                for observer in observers.iter_mut() {
                    observer.finished(&self.view(), &stop);
                }
                return Ok(stop);
            }
            self.step(&mut objective)?;
            for observer in observers.iter_mut() {
                observer.observe(&self.view());
            }
        }
    }
}
