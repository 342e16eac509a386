//! Test problems for black-box optimization: the functions of Table 1 of the dd-CMA-ES paper, related functions, and applied
//! problems.
//!
//! An [`Instance`] is a function with a dimension, an orientation and a seed. An experiment can name it, rebuild it and cite
//! it. It includes the paper's initial mean and step size, the target, and the budget:
//!
//! ```
//! use ddcma_problems::{Instance, Problem};
//!
//! let mut instance = Instance::from_name("ellipsoid-rotated/n=40/seed=3")?;
//! let start = instance.initial_mean().to_vec();
//! let mut values = [0.0; 2];
//! instance.values(&[&start[..], &[0.0; 40]].concat(), &mut values); // a generation of two points
//! assert!(values[0] > 1e3);
//! assert_eq!(values[1], instance.minimum());
//! # Ok::<(), ddcma_problems::ProblemError>(())
//! ```
//!
//! [`Problem`] is the trait behind all problems. Its methods add transformations: shift, rotation, coordinate scaling,
//! transformation of values, noise, and a counter with a budget. [`from_fn`] turns your own closure into a problem.
//!
//! [`applied`] has practical problems: fits, designs and controllers, with units, ranges and the best known values.
//!
//! [`Function`] lists the formulas, and [`table`] returns them as a Markdown table, which `examples/suite.rs` prints.
//!
//! # Features
//!
//! | feature | adds | depends on |
//! |---|---|---|
//! | `dense` (default) | rotates a whole generation by one matrix product; without it the values are the same up to rounding, one scalar product at a time | ddcma-linalg, faer |
//! | `core` | makes every problem an objective of `ddcma_core`: `minimize(instance, …)` | ddcma-core |
//! | `serde` | writes and reads functions, specs and instances by name | serde |
//!
//! The crate also depends on `rand_core`, `rand_distr` and `rand_xoshiro`, for rotations, initial means and noise.

#![forbid(unsafe_code)]

pub mod applied;
#[cfg(feature = "core")]
mod as_objective;
mod error;
mod function;
mod instance;
mod landscape;
mod problem;
mod rotation;
#[cfg(feature = "serde")]
mod serde_impl;
mod stream;
mod suite;
mod transform;

pub use error::ProblemError;
pub use function::{Function, InitialMean};
pub use instance::{Instance, Spec};
pub use landscape::Landscape;
pub use problem::{FromFn, Problem, from_fn};
pub use rotation::Rotation;
pub use suite::table;
pub use transform::{Counted, Noise, Noisy, Rotated, Scaled, Shifted, Transformed};

/// Compiles and runs the example in this crate's readme as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

#[cfg(test)]
mod messages;
