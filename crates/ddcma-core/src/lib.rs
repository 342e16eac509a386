//! Evolution strategies that minimise f : ℝⁿ → ℝ without gradients: **dd-CMA-ES** of Akimoto & Hansen (2020), and the
//! plain and separable CMA-ES that it combines.
//!
//! You ask for candidates, evaluate them as you like, and tell their values:
//!
//! ```
//! # #[cfg(feature = "dense")] {
//! use ddcma_core::DdCma;
//!
//! // A valley whose walls are a million times steeper than its floor, and turned against the axes.
//! let f = |x: &[f64]| 1e6 * (x[0] - 2.0 * x[1]).powi(2) + x[1] * x[1];
//!
//! let mut es = DdCma::new(&[3.0, 3.0], 1.0, 42)?;
//! while es.best_value() > 1e-10 && es.evaluations() < 10_000 {
//!     let values: Vec<f64> = es.ask().iter().map(f).collect();
//!     es.tell(&values)?;
//! }
//! let best = es.best().expect("values were told");
//! assert!(best.value <= 1e-10);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | learns | time for a candidate | take it if |
//! |---|---|---|---|
//! | `DdCma` | D and C | O(n²) and the decomposition of C | you do not know better |
//! | `PlainCma` | C | the same | you want invariance to rotation |
//! | [`SepCma`] | D | O(n) | n is very large, or the variables hardly interact |
//!
//! [`Settings`] change the strategy parameters, [`Builder`] the start and the random generator (any [`rand_core::Rng`]),
//! and [`Strategy`] is the door for an own variant.
//!
//! # Features
//!
//! - `dense` (default): `DdCma` and `PlainCma`, on the matrix kernels of `ddcma-linalg` and with them faer. Without it,
//!   separable CMA-ES remains, and a handful of small dependencies for random numbers.
//!
//! # What holds
//!
//! - Runs are reproducible: the same seed, start and settings give the same points, whatever the number of threads.
//! - Only the order of function values counts: any increasing transformation of f gives the same run, to the bit.
//! - After the first generation neither `ask` nor `tell` allocates memory.
//! - Whatever is told, m, σ, D and C stay finite, and σ and D positive.
//! - Nothing is printed, no thread is started, no clock is read.
//!
//! Names of parameters and fields are the paper's, in ASCII (`c_sigma`, `mu_w`, `p_c`), and comments such as
//! `eq. (zmat)` carry its LaTeX labels.

#![forbid(unsafe_code)]

mod builder;
mod columns;
mod error;
mod numeric;
mod optimizer;
mod params;
mod path;
mod ranking;
mod settings;
mod step_size;
mod strategy;
mod weights;

pub use builder::Builder;
pub use columns::Columns;
pub use error::{AskError, ParamsError, StartError, TellError, UpdateError};
pub use optimizer::{Best, Optimizer};
pub use params::Params;
pub use path::EvolutionPath;
pub use rand_core;
pub use rand_xoshiro::Xoshiro256PlusPlus;
pub use settings::{Damping, Definiteness, Rates, Settings};
#[cfg(feature = "dense")]
pub use strategy::{DiagonalDecoding, Plain};
pub use strategy::{Generation, Separable, Strategy};

/// dd-CMA-ES: the strategy for everyone who does not know better.
#[cfg(feature = "dense")]
pub type DdCma = Optimizer<DiagonalDecoding>;

/// Plain CMA-ES with a full covariance matrix.
#[cfg(feature = "dense")]
pub type PlainCma = Optimizer<Plain>;

/// Separable CMA-ES, linear in the number of variables.
pub type SepCma = Optimizer<Separable>;

/// The examples of the README are tests.
#[cfg(all(doctest, feature = "dense"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
