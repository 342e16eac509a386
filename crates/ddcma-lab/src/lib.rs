//! Experiments with optimizers: any [`Algorithm`] on any family of [problems](Family), in several dimensions and many trials, with
//! records that survive whatever ends the program.
//!
//! ```
//! use ddcma_lab::{Experiment, Silent, dd, sep, suite};
//!
//! let experiment = Experiment::new()
//!     .algorithms([dd(), sep()])
//!     .problems(suite(["ellipsoid", "ellipsoid-rotated"])?)
//!     .dimensions([5])
//!     .trials(3)
//!     .budget_per_variable(2_000);
//! for (trial, outcome) in experiment.run(&Silent)?.iter() {
//!     println!("{trial}: {} evaluations, {}", outcome.evaluations, outcome.stop);
//! }
//! # Ok::<(), ddcma_lab::LabError>(())
//! ```
//!
//! Your own variant takes part beside the built-in ones: a [`Strategy`](ddcma_core::Strategy) by [`algorithm`], with settings, options and a
//! restart policy of your own; anything else that minimizes by implementing [`Algorithm`], in a page. A problem of your own is a
//! closure: see [`family`].
//!
//! An experiment with [records](Experiment::records) appends each trial to a file as it ends. The same program started again continues
//! there; after a change of an algorithm it refuses the old records, instead of mixing them with new ones.
//!
//! The library prints nothing. A [`Progress`] hears how far an experiment is.
//!
//! # Features
//!
//! | feature | adds | and depends on |
//! |---|---|---|
//! | `pictures` (default) | pictures of experiments and runs as SVG, and pages with them | plotters |

#![forbid(unsafe_code)]

mod algorithm;
mod applied;
mod builtin;
#[cfg(feature = "pictures")]
pub mod course;
mod experiment;
mod family;
pub mod fingerprint;
mod merge;
#[cfg(feature = "pictures")]
pub mod page;
#[cfg(feature = "pictures")]
pub mod picture;
mod plan;
pub mod pool;
mod progress;
pub mod records;
pub mod statistics;
mod suite;
pub mod table;
mod trial;

pub use algorithm::Algorithm;
pub use applied::{AppliedFamily, applied};
pub use builtin::{StrategyAlgorithm, algorithm, algorithm_with, dd, plain, sep};
pub use experiment::{Experiment, Outcomes};
pub use family::{Family, OwnProblem, TrialProblem, family};
pub use merge::merge;
pub use plan::Planned;
pub use progress::{Progress, Silent};
pub use suite::{SuiteFunction, starts_of, suite};
pub use trial::{Course, Trial, TrialOutcome};

use std::fmt;
use std::time::Duration;

/// Why an experiment does not start, or cannot go on: one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabError(String);

impl LabError {
    /// With this line.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LabError {}

/// Tries again for a second, as long as the error is one that passes.
pub fn patiently<T, E>(passes: impl Fn(&E) -> bool, attempt: impl Fn() -> Result<T, E>) -> Result<T, E> {
    for _ in 0..20 {
        match attempt() {
            Err(error) if passes(&error) => std::thread::sleep(Duration::from_millis(50)),
            outcome => return outcome,
        }
    }
    attempt()
}

/// The examples of this crate's readme are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
