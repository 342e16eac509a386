//! The trait of everything that an experiment can run.

use std::sync::Arc;

use crate::{LabError, Trial};

/// An optimizer that minimizes a problem within a budget, from a seed.
///
/// It evaluates points with the [`Trial`], which counts evaluations, keeps the best value and the course, and decides when the trial is
/// [over](Trial::is_over).
///
/// ```
/// use ddcma_lab::{Algorithm, Experiment, LabError, Silent, Trial, dd, suite};
///
/// /// Steps along one coordinate after the other; halves the step size if no step is better.
/// struct CoordinateSearch;
///
/// impl Algorithm for CoordinateSearch {
///     fn name(&self) -> &str {
///         "coordinates"
///     }
///
///     fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
///         let (mut x, mut step) = (trial.start().to_vec(), trial.sigma());
///         let mut value = trial.evaluate(&x);
///         while !trial.is_over() {
///             let before = value;
///             for k in 0..x.len() {
///                 for sign in [1.0, -1.0] {
///                     let mut next = x.clone();
///                     next[k] += sign * step;
///                     let next_value = trial.evaluate(&next);
///                     if next_value < value {
///                         (x, value) = (next, next_value);
///                     }
///                 }
///             }
///             if value == before {
///                 step /= 2.0;
///             }
///         }
///         Ok(())
///     }
/// }
///
/// let experiment = Experiment::new().algorithm(CoordinateSearch).algorithm(dd());
/// let outcomes = experiment.problems(suite(["sphere"])?).dimensions([3]).trials(2).run(&Silent)?;
/// assert!(outcomes.iter().all(|(_, outcome)| outcome.success));
/// # Ok::<(), LabError>(())
/// ```
pub trait Algorithm: Send + Sync {
    /// Returns its name in tables and records, which must be unique within an experiment.
    fn name(&self) -> &str;

    /// Minimizes until the trial is over, or until there is another reason to stop, which it [notes](Trial::ended).
    ///
    /// An error ends the experiment; trials on record are kept.
    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError>;

    /// Describes its configuration, for the records: records of another configuration are not continued.
    fn configuration(&self) -> String {
        String::new()
    }

    /// Returns its population size in n dimensions, given the requested one; `None` if it has no population.
    fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
        let _ = n;
        Ok(asked)
    }

    /// Returns whether the same seed gives the same trial, bit for bit. If not, records are not checked against the algorithm.
    fn is_deterministic(&self) -> bool {
        true
    }
}

/// Implements `Algorithm` for pointers to algorithms.
macro_rules! pointers {
    ($($pointer:ident),*) => {
        $(
            impl<A: Algorithm + ?Sized> Algorithm for $pointer<A> {
                fn name(&self) -> &str {
                    (**self).name()
                }

                fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
                    (**self).run(trial)
                }

                fn configuration(&self) -> String {
                    (**self).configuration()
                }

                fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
                    (**self).lambda(n, asked)
                }

                fn is_deterministic(&self) -> bool {
                    (**self).is_deterministic()
                }
            }
        )*
    };
}
pointers!(Box, Arc);
