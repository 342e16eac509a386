//! Restart strategies for every CMA-ES of [`ddcma_core`]: IPOP, BIPOP, NIPOP and NBIPOP.
//!
//! A single run of an evolution strategy ends in one valley. If the function has many, run again: with other start
//! points, larger populations, smaller steps. Which, is the business of a [`Policy`]; one driver, [`Search`], executes
//! what it plans, under one budget for all runs together.
//!
//! ```
//! use ddcma_restarts::{Bipop, Starts, restarts};
//!
//! // Rastrigin's function: a valley at every whole number
//! let f = |x: &[f64]| x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>();
//! let outcome = restarts(Bipop::new(), Starts::in_box(&[-5.0; 4], &[5.0; 4])?, 2.0)
//!     .target(1e-9)
//!     .max_evaluations(200_000)
//!     .seed(1)
//!     .minimize(f)?;
//! assert!(outcome.value <= 1e-9);
//! println!("{outcome}"); // with a line for each run
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | policy | λ of restart k | σ of restart k | published |
//! |---|---|---|---|
//! | [`Independent`] | λ | σ | – |
//! | [`Ipop`] | 2^k λ | σ | Auger & Hansen 2005 |
//! | [`Nipop`] | 2^k λ | 1.6^−k σ | Loshchilov, Schoenauer & Sebag 2012 |
//! | [`Bipop`] | large: 2^k λ; small: λ (½ λ_large/λ)^(U²) | large: σ; small: 10^(−2U′) σ | Hansen 2009 |
//! | [`Nbipop`] | large: 2^k λ; small: λ | large: 1.6^−k σ; small: 10^(−2U) σ | Loshchilov, Schoenauer & Sebag 2012 |
//!
//! [`Policy::probed`] adds a probe along the axes to any of them, for functions that are more or less separable: see [`Probed`].
//!
//! If you can say what your variables are, [`restarts_over`] needs neither start points nor a step size.
//!
//! With a loop of your own, [`Search`] has the two calls of an optimizer, [`ask`](Search::ask) and
//! [`tell`](Search::tell), and restarts underneath. For a policy of your own, implement [`Policy`]: one function. It can plan the
//! settings, the strategy and the start of each run: see [`RunPlan`], and [`RunSummary`] for what it sees.
//!
//! # Features
//!
//! | feature | gives | brings |
//! |---|---|---|
//! | `dense` (default) | plain and dd-CMA-ES | ddcma-linalg, faer |
//! | `rayon` | objectives evaluated in parallel | rayon |
//! | `checkpoint` | a whole search as bytes and back, to the bit | serde, postcard, crc32fast |
//!
//! # What holds
//!
//! - The budgets are global: they are exceeded by less than one generation, whatever the policy plans.
//! - The best point is the best of all that were evaluated, in whichever run.
//! - A search is reproducible from one seed. Run k draws from a stream of its own: what happened in another run does not
//!   change its random numbers.
//! - Every run evaluates at least one generation, so that runs that stop at once still use up the budget.
//!
//! The repository's `docs/guide.md` and `docs/restarts.md` have more: which policy when, formulas, where published codes
//! disagree.
//!
//! This crate does not know the algorithm, and does not touch it: a run is an
//! [`Optimizer`](ddcma_core::Optimizer) like any other. It prints nothing and starts no thread.

#![forbid(unsafe_code)]

#[cfg(feature = "checkpoint")]
mod autosave;
mod begin;
mod builder;
#[cfg(feature = "checkpoint")]
mod checkpoint;
mod course;
mod error;
mod outcome;
mod plan;
mod policy;
mod probe;
mod running;
mod search;
mod starts;
mod streams;

pub use builder::{RestartsError, SearchBuilder, restarts, restarts_over};
pub use error::{PolicyError, SearchError, StartPointsError};
pub use outcome::{SearchBest, SearchOutcome, SearchStop, SearchView};
pub use plan::{Past, Regime, RunKind, RunPlan, RunSummary, StartRule};
pub use policy::{Bipop, Independent, Ipop, Nbipop, Nipop, Policy, Probed};
pub use probe::Probe;
pub use search::Search;
pub use starts::Starts;

/// The example of this crate's readme is a test.
#[cfg(all(doctest, feature = "dense"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
