//! Experiments and checks of the ddcma workspace: everything that prints, plots or reads flags.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "experiments print their tables and their progress")]

pub mod applied;
pub mod box_start;
pub mod constraints;
pub mod damping;
pub mod digest;
pub mod early_ends;
pub mod endure;
pub mod extremes;
pub mod lab;
pub mod replay;
pub mod reproduce;
pub mod scale;
pub mod step_sizes;
pub mod tolerances;
pub mod torture;
pub mod warm_start;

/// The examples of the README are tests: here, because from here everything can be seen.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide.md")]
struct Guide;

/// The example of the page on applied problems is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/applied-problems.md")]
struct AppliedProblemsPage;

/// The example of the page on restarts is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/restarts.md")]
struct RestartsPage;

/// The example of the page on the damping is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/damping.md")]
struct DampingPage;

/// The example of the page on step-size rules is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/step-sizes.md")]
struct StepSizesPage;
