//! Test problems for black-box optimisation: Table 1 of the dd-CMA-ES paper, and relatives.
//!
//! An [`Instance`] is a function with a dimension, an orientation and a seed, which an experiment can name, rebuild and
//! cite; it knows where the paper starts from, what counts as success, and when to give up:
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
//! [`Problem`] is what transformations compose on: shift, rotation, coordinate scaling, transformation of values,
//! noise, and a counter with a budget. A closure of your own goes through the same doors, by [`from_fn`].
//!
//! [`applied`] has problems of practice: fits, designs and controllers, with units, ranges and the best values that are known.
//!
//! [`Function`] lists the formulas, [`table`] prints them. `examples/suite.rs` does so on the command line.
//!
//! # Features
//!
//! | feature | gives | brings |
//! |---|---|---|
//! | `dense` (default) | a whole generation rotated by one matrix product; without it the same values, to rounding, one scalar product at a time | ddcma-linalg, faer |
//! | `core` | a problem is an objective of `ddcma_core`: `minimize(instance, …)` | ddcma-core |
//! | `serde` | functions, specs and instances written and read as their names | serde |
//!
//! Apart from these, the crate depends on `rand_core`, `rand_distr` and `rand_xoshiro`, for rotations, initial means and
//! noise. It knows no optimizer, but for that one trait.

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

/// The example of this crate's readme is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
