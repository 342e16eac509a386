//! What [`Optimizer::run`](crate::Optimizer::run) evaluates generations with. Knows points and values, and no optimizer.

use std::convert::Infallible;
use std::fmt;

use crate::Columns;

/// A function to minimise, called with a whole generation at a time.
///
/// | you have | write |
/// |---|---|
/// | a closure `Fn(&[f64]) -> f64` | the closure itself |
/// | one that can fail, `-> Result<f64, E>` | [`Fallible`]`(closure)` |
/// | one that takes a generation, `(&Columns, &mut [f64])` | [`Batch`]`(closure)` |
/// | one that is worth a core of its own | `Parallel(closure)`, with the feature `rayon` |
pub trait Objective {
    /// Why an evaluation can fail.
    type Error;

    /// Writes the value of each point. On an error, says how many values at the front are good.
    fn evaluate(&mut self, points: &Columns, values: &mut [f64]) -> Result<(), Failed<Self::Error>>;
}

/// An evaluation that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed<E> {
    /// Why.
    pub error: E,
    /// How many candidates were evaluated before, in their order.
    pub evaluated: usize,
}

impl<F: FnMut(&[f64]) -> f64> Objective for F {
    type Error = Infallible;

    fn evaluate(&mut self, points: &Columns, values: &mut [f64]) -> Result<(), Failed<Infallible>> {
        for (x, value) in points.iter().zip(values) {
            *value = self(x);
        }
        Ok(())
    }
}

/// A closure that can fail: its error ends the run and is handed on.
#[derive(Clone, Copy)]
pub struct Fallible<F>(
    /// The closure.
    pub F,
);

impl<E, F: FnMut(&[f64]) -> Result<f64, E>> Objective for Fallible<F> {
    type Error = E;

    fn evaluate(&mut self, points: &Columns, values: &mut [f64]) -> Result<(), Failed<E>> {
        for (evaluated, (x, value)) in points.iter().zip(values).enumerate() {
            *value = (self.0)(x).map_err(|error| Failed { error, evaluated })?;
        }
        Ok(())
    }
}

/// A closure that evaluates a whole generation: one value for each column.
#[derive(Clone, Copy)]
pub struct Batch<F>(
    /// The closure.
    pub F,
);

impl<F: FnMut(&Columns, &mut [f64])> Objective for Batch<F> {
    type Error = Infallible;

    fn evaluate(&mut self, points: &Columns, values: &mut [f64]) -> Result<(), Failed<Infallible>> {
        (self.0)(points, values);
        Ok(())
    }
}

/// A closure that is called from the threads of rayon's pool, a candidate at a time.
///
/// The run is the same as without it, whatever the number of threads.
#[cfg(feature = "rayon")]
#[derive(Clone, Copy)]
pub struct Parallel<F>(
    /// The closure.
    pub F,
);

#[cfg(feature = "rayon")]
impl<F: Fn(&[f64]) -> f64 + Sync> Objective for Parallel<F> {
    type Error = Infallible;

    fn evaluate(&mut self, points: &Columns, values: &mut [f64]) -> Result<(), Failed<Infallible>> {
        use rayon::prelude::*;
        let columns = points.as_slice().par_chunks_exact(points.dimension());
        columns.zip(values).for_each(|(x, value)| *value = (self.0)(x));
        Ok(())
    }
}

/// Closures show nothing of themselves.
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
