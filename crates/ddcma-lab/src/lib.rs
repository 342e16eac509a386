//! Experiments with optimizers: runs any [`Algorithm`] on any family of [problems](Family), in several dimensions and with many trials,
//! and records each trial on disk.
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
//! You can compare your own variants with the built-in ones. Use [`algorithm`] for a custom [`Strategy`](ddcma_core::Strategy), custom
//! settings, options or a restart policy. For any other optimizer, implement [`Algorithm`]. To add a problem, pass a closure to
//! [`family`].
//!
//! An experiment with [records](Experiment::records) appends each trial to a file when it ends. The same program, started again,
//! continues from there. If an algorithm has changed, the old records are refused and never mixed with new ones.
//!
//! [`Outcomes::report`] makes a [`Report`] of an experiment: a summary in sentences, one table, pictures and details, as text, Markdown,
//! CSV, JSON and an HTML page. [`Outcomes::write_ioh`] writes files for IOHanalyzer and iohinspector. The module [`statistics`] is public.
//!
//! With the feature `coco`, the functions of the benchmark platform COCO are problems like any other, and a `CocoExperiment` runs any
//! algorithm under COCO's own observer, for the pages of its `cocopp`.
//!
//! The library prints nothing. Use a [`Progress`] to follow an experiment.
//!
//! # Features
//!
//! | feature | adds | depends on |
//! |---|---|---|
//! | `cli` | `ddcma_lab::cli()`, a command line for the algorithms, policies and problems of your program | clap, indicatif |
//! | `pictures` (default) | pictures of experiments and runs as SVG, also in pages | plotters |
//! | `coco` | functions of the benchmark platform COCO, and experiments that COCO observes, for its `cocopp` | coco-rs, and libclang to build it |

#![forbid(unsafe_code)]

mod algorithm;
mod applied;
mod builtin;
mod choices;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "coco")]
pub mod coco;
#[cfg(feature = "pictures")]
pub mod course;
mod error;
mod experiment;
mod family;
pub mod fingerprint;
mod formats;
mod merge;
#[cfg(all(test, feature = "cli", feature = "pictures"))]
mod messages;
mod outcomes;
pub mod page;
mod parameters;
#[cfg(feature = "pictures")]
pub mod picture;
mod plan;
pub mod pool;
mod progress;
pub mod records;
pub mod report;
pub mod statistics;
mod suite;
pub mod table;
mod trial;
mod unbounded;

pub use algorithm::Algorithm;
pub use applied::{AppliedFamily, applied};
pub use builtin::{StrategyAlgorithm, algorithm, algorithm_with, dd, plain, sep};
pub use choices::Choices;
#[cfg(feature = "cli")]
pub use cli::cli;
#[cfg(feature = "coco")]
pub use coco::CocoExperiment;
pub use ddcma_core::Failure;
pub use error::{LabError, LabErrorKind};
pub use experiment::Experiment;
pub use family::{Family, OwnProblem, TrialProblem, altered, family};
pub use merge::merge;
pub use outcomes::Outcomes;
pub use plan::Planned;
pub use progress::{Progress, Silent};
pub use report::{Report, ReportOptions, Verdict};
pub use suite::{SuiteFunction, starts_of, suite};
pub use trial::{Course, SingleTrial, Trial, TrialOutcome};

use std::time::Duration;

/// Returns whether this process was started for one problem of an experiment on COCO's suites.
fn is_worker() -> bool {
    #[cfg(feature = "coco")]
    return coco::is_worker();
    #[cfg(not(feature = "coco"))]
    false
}

/// Retries for a second while the error is a temporary one.
pub fn patiently<T, E>(passes: impl Fn(&E) -> bool, attempt: impl Fn() -> Result<T, E>) -> Result<T, E> {
    for _ in 0..20 {
        match attempt() {
            Err(error) if passes(&error) => std::thread::sleep(Duration::from_millis(50)),
            outcome => return outcome,
        }
    }
    attempt()
}

/// Tests the examples of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
