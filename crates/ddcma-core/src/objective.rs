//! The objective functions with which [`drive`](crate::drive) evaluates generations.

use std::convert::Infallible;
use std::fmt;

use crate::{Columns, OpenGeneration};

/// A function to minimize, called with one whole generation at a time.
///
/// | you have | write |
/// |---|---|
/// | a closure `Fn(&[f64]) -> f64` | the closure itself |
/// | one that can fail, `-> Result<f64, E>` | [`Fallible`]`(closure)` |
/// | one that takes a generation, `(&Columns, &mut [f64])` | [`Batch`]`(closure)` |
/// | one that is expensive enough to run on several cores | `Parallel(closure)`, with the feature `rayon` |
/// | an expensive one that can fail | `Parallel(Fallible(closure))` |
pub trait Objective {
    /// The error of a failed evaluation.
    type Error;

    /// Evaluates the candidates that have no value, and tells their values in any order.
    ///
    /// After an error, the values told so far are kept, and the next call sees only the other candidates as missing. On
    /// success, candidates that are still missing are ranked last, unless the objective [chose
    /// otherwise](OpenGeneration::end_early).
    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Self::Error>;
}

impl<F: FnMut(&[f64]) -> f64> Objective for F {
    type Error = Infallible;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Infallible> {
        generation.fill(self);
        Ok(())
    }
}

/// A closure that can fail. Its error ends the run and is returned.
#[derive(Clone, Copy)]
pub struct Fallible<F>(
    /// The closure.
    pub F,
);

impl<E, F: FnMut(&[f64]) -> Result<f64, E>> Objective for Fallible<F> {
    type Error = E;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), E> {
        generation.try_fill(&mut self.0)
    }
}

/// A closure that evaluates a whole generation: one value per column.
///
/// After an interruption it gets only the candidates that are still missing.
#[derive(Clone, Copy)]
pub struct Batch<F>(
    /// The closure.
    pub F,
);

impl<F: FnMut(&Columns, &mut [f64])> Objective for Batch<F> {
    type Error = Infallible;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Infallible> {
        generation.fill_batch(&mut self.0);
        Ok(())
    }
}

/// A closure that is called on the threads of rayon's pool, once per candidate: `Parallel(f)`, or `Parallel(Fallible(f))` if
/// it can fail.
///
/// The run is the same as without it, with any number of threads. Values are told as they arrive. After an error, the
/// remaining candidates are still evaluated, and the error of the first candidate that failed is returned.
#[cfg(feature = "rayon")]
#[derive(Clone, Copy)]
pub struct Parallel<F>(
    /// The closure.
    pub F,
);

#[cfg(feature = "rayon")]
impl<F: Fn(&[f64]) -> f64 + Sync> Objective for Parallel<F> {
    type Error = Infallible;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Infallible> {
        parallel::fill(generation, &|x: &[f64]| Ok((self.0)(x)))
    }
}

#[cfg(feature = "rayon")]
impl<E: Send, F: Fn(&[f64]) -> Result<f64, E> + Sync> Objective for Parallel<Fallible<F>> {
    type Error = E;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), E> {
        parallel::fill(generation, &self.0.0)
    }
}

#[cfg(feature = "rayon")]
mod parallel {
    use std::sync::mpsc::{Receiver, TryRecvError, channel};
    use std::time::Duration;

    use rayon::Yield;

    use crate::OpenGeneration;

    /// Evaluates the missing candidates on the pool, and tells each value as soon as it arrives.
    pub(super) fn fill<E: Send, F: Fn(&[f64]) -> Result<f64, E> + Sync>(
        generation: &mut OpenGeneration<'_>,
        f: &F,
    ) -> Result<(), E> {
        let missing: Vec<usize> = generation.missing().collect();
        // The threads borrow these copies while the generation takes values.
        let points: Vec<Vec<f64>> = missing.iter().map(|index| generation.point(*index).to_vec()).collect();
        let (sender, results) = channel();
        let mut first_error: Option<(usize, E)> = None;
        rayon::in_place_scope(|scope| {
            for (index, x) in missing.into_iter().zip(&points) {
                let sender = sender.clone();
                // Sending fails only after a panic has dropped the receiver.
                scope.spawn(move |_| drop(sender.send((index, f(x)))));
            }
            drop(sender);
            while let Some((index, result)) = next(&results) {
                match result {
                    Ok(value) => generation.tell_missing(index, value),
                    Err(error) => match &first_error {
                        Some((first, _)) if *first < index => {}
                        _ => first_error = Some((index, error)),
                    },
                }
            }
        });
        first_error.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Returns the next result, or `None` when all threads are done. A thread of the pool does other work while it waits.
    fn next<T>(results: &Receiver<T>) -> Option<T> {
        loop {
            match results.try_recv() {
                Ok(result) => return Some(result),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => match rayon::yield_now() {
                    None => return results.recv().ok(), // not a thread of the pool
                    Some(Yield::Executed) => {}
                    Some(Yield::Idle) => {
                        // While other threads evaluate, they may spawn work that this thread can do.
                        if let Ok(result) = results.recv_timeout(Duration::from_millis(1)) {
                            return Some(result);
                        }
                    }
                },
            }
        }
    }
}

/// Implements `Debug` without showing the closure.
macro_rules! debug_without_the_closure {
    ($($(#[$feature:meta])? $name:ident),*) => {
        $(
            $(#[$feature])?
            impl<F> fmt::Debug for $name<F> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_tuple(stringify!($name)).finish_non_exhaustive()
                }
            }
        )*
    };
}

debug_without_the_closure!(
    Fallible,
    Batch,
    #[cfg(feature = "rayon")]
    Parallel
);
