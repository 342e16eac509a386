//! Restart policies for every CMA-ES of [`ddcma_core`]: IPOP, BIPOP, NIPOP, NBIPOP and Thrifty.
//!
//! A single run of an evolution strategy ends in one local minimum. If the objective function has many, run again: from other start
//! points, with larger populations or smaller step sizes. Choosing among these is the job of a [`Policy`]. A [`Search`] executes the
//! runs that the policy plans, with one budget for all runs together.
//!
//! ```
//! use ddcma_restarts::{Bipop, Starts, restarts};
//!
//! // Rastrigin's function: a local minimum near every integer
//! let f = |x: &[f64]| x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum::<f64>();
//! let outcome = restarts(Bipop::new(), Starts::in_box(&[-5.0; 4], &[5.0; 4])?, 2.0)
//!     .target(1e-9)
//!     .max_evaluations(200_000)
//!     .seed(1)
//!     .minimize(f)?;
//! assert!(outcome.value <= 1e-9);
//! println!("{outcome}"); // with one line per run
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
//! [`Thrifty`] is the recommended policy: it divides the budget like NBIPOP but keeps full step sizes, ends runs that creep, and later
//! refines the best of them. [`Policy::probed`] adds a probe along the axes to any of them, for functions that are roughly separable: see
//! [`Probed`].
//!
//! If you describe your variables and their ranges, [`restarts_over`] needs neither start points nor a step size.
//!
//! For a custom loop, [`Search`] has the methods of an optimizer, [`ask`](Search::ask) and [`tell`](Search::tell), and restarts
//! automatically. To write a custom policy, implement [`Policy`], which has two required methods. A policy can plan the settings, the
//! strategy and the start of each run: see [`RunPlan`]. It bases its plans on the past runs: see [`RunSummary`].
//!
//! # Features
//!
//! | feature | adds | depends on |
//! |---|---|---|
//! | `dense` (default) | plain and dd-CMA-ES | ddcma-linalg, faer |
//! | `rayon` | parallel evaluation of the objective function | rayon |
//! | `checkpoint` | saving a whole search and continuing it, bit for bit | serde, postcard, crc32fast |
//!
//! # Guarantees
//!
//! - Budgets are global: they are exceeded by less than one generation, whatever the policy plans.
//! - The best point is the best of all evaluated points, from any run.
//! - A search is reproducible from one seed. Run k has its own random stream: what happens in another run does not change its random
//!   numbers.
//! - Every run evaluates at least one generation, so runs that stop immediately still use up the budget.
//! - Nothing is printed, and no thread is started.
//!
//! For more, see `docs/guide.md` and `docs/restarts.md` in the repository: which policy to choose, formulas, and where published
//! implementations disagree.
//!
//! Each run is an ordinary [`Optimizer`](ddcma_core::Optimizer): this crate does not change the algorithm.

#![forbid(unsafe_code)]

mod begin;
mod builder;
#[cfg(feature = "checkpoint")]
mod checkpoint;
mod config;
mod course;
mod error;
#[cfg(all(test, feature = "checkpoint"))]
mod messages;
mod outcome;
mod plan;
mod policy;
mod probe;
mod running;
mod search;
mod starts;
mod state;
mod streams;

pub use builder::{RestartsError, SearchBuilder, restarts, restarts_over};
pub use ddcma_core::Failure;
pub use error::{PolicyError, SearchError, StartPointsError};
pub use outcome::{SearchBest, SearchOutcome, SearchView};
pub use plan::{Past, Regime, RunKind, RunPlan, RunSummary, StartRule};
pub use policy::{Bipop, Independent, Ipop, Nbipop, Nipop, Policy, Probed, Thrifty};
pub use probe::Probe;
pub use search::Search;
pub use starts::Starts;

/// Tests the example of this crate's README.
#[cfg(all(doctest, feature = "dense"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
