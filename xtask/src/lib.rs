//! Experiments and checks of the ddcma workspace: everything that prints, plots or parses flags.

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

/// Runs the examples of the README as tests: here, because this crate depends on all others.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Runs the examples of the guide as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide.md")]
struct Guide;

/// Runs the example of the page on applied problems as a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/applied-problems.md")]
struct AppliedProblemsPage;

/// Runs the example of the page on restarts as a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/restarts.md")]
struct RestartsPage;

/// Runs the example of the page on the damping as a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/damping.md")]
struct DampingPage;

/// Runs the example of the page on step-size rules as a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/step-sizes.md")]
struct StepSizesPage;
