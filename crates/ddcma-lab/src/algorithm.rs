//! What takes part in an experiment. Knows neither problems nor records.

use std::sync::Arc;

use crate::{LabError, Trial};

/// Something that minimizes a problem under a budget, from a seed.
///
/// It evaluates its points through the [`Trial`], which counts, keeps the best value and the course, and says when it is
/// [over](Trial::is_over).
///
/// ```
/// use ddcma_lab::{Algorithm, Experiment, LabError, Silent, Trial, dd, suite};
///
/// /// Steps of half the size in each coordinate in turn.
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
    /// Its name in tables and records: two algorithms of an experiment must not share one.
    fn name(&self) -> &str;

    /// Minimizes until the trial is over, or until there is another reason to end, which it [notes](Trial::ended).
    ///
    /// An error ends the experiment; what is on record stays.
    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError>;

    /// What it was configured with, in words, for the records: those of another configuration are not continued.
    fn configuration(&self) -> String {
        String::new()
    }

    /// The population size that it takes in n dimensions if this one is asked for; none, if it has no such thing.
    fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
        let _ = n;
        Ok(asked)
    }

    /// Whether the same seed gives the same trial, to the bit. An algorithm that is not deterministic is spared the checks of its
    /// records.
    fn is_deterministic(&self) -> bool {
        true
    }
}

/// What points to an algorithm is one.
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
