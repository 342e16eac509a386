//! Evolution strategies that minimise f : ℝⁿ → ℝ without gradients: **dd-CMA-ES** of Akimoto & Hansen (2020), and the
//! plain and separable CMA-ES that it combines.
//!
//! One call, for those who want one; [`Minimize`] has the choices:
//!
//! ```
//! use ddcma_core::minimize;
//!
//! let solution = minimize(|x: &[f64]| x.iter().map(|x| x * x).sum(), &[3.0; 5], 1.0).seed(1).run()?;
//! assert!(solution.value < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Or you own the loop: you ask for candidates, evaluate them as you like, and tell their values:
//!
//! ```
//! # #[cfg(feature = "dense")] {
//! use ddcma_core::DdCma;
//!
//! // A valley whose walls are a million times steeper than its floor, and turned against the axes.
//! let f = |x: &[f64]| 1e6 * (x[0] - 2.0 * x[1]).powi(2) + x[1] * x[1];
//!
//! let mut es = DdCma::new(&[3.0, 3.0], 1.0, 42)?;
//! let stop = loop {
//!     let values: Vec<f64> = es.ask().iter().map(f).collect();
//!     es.tell(&values)?;
//!     if let Some(stop) = es.stop() {
//!         break stop; // a reason, with the evidence
//!     }
//! };
//! assert!(es.best_value() < 1e-9, "{stop}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | learns | time for a candidate | take it if |
//! |---|---|---|---|
//! | `DdCma` | D and C | O(n²) | you do not know better |
//! | `PlainCma` | C | the same | you want invariance to rotation |
//! | [`SepCma`] | D | O(n) | n is very large, or the variables hardly interact |
//!
//! `BuiltInStrategy` is any of the three, chosen at run time.
//!
//! [`Settings`] change the strategy parameters, [`Builder`] the start and the random generator (any [`rand_core::Rng`]),
//! and you implement [`Strategy`] to add your own variant. [`StopCriteria`] say when to stop, [`Bounds`] where to stay, [`Variables`]
//! which scales and fixed values your function has, an [`Observer`] looks at every generation ([`Progress`] shows it in the
//! terminal), and autosaves carry a run over the end of a process.
//!
//! The repository's `docs/guide.md` leads from a first run to a strategy of your own, and says what stop reasons mean.
//!
//! # What it is not
//!
//! It restarts nothing (`ddcma-restarts` does), knows no test problems (`ddcma-problems` does), handles no constraints but
//! [`Bounds`], and is not for functions with cheap gradients.
//!
//! # Features
//!
//! | feature | adds | and depends on |
//! |---|---|---|
//! | `dense` (default) | `DdCma` and `PlainCma` | `ddcma-linalg`, and with it faer |
//! | `rayon` | `Parallel(f)`: candidates on all cores; large products of matrices, too | rayon |
//! | `checkpoint` | a run as bytes, in a file, as a serde value | serde, postcard, crc32fast |
//!
//! Without any of them, separable CMA-ES remains with everything else, and four small crates for random numbers:
//! `rand_core`, `rand`, `rand_distr`, `rand_xoshiro` (and `num-traits` with `libm`).
//!
//! # What holds
//!
//! - Runs are reproducible on one platform: the same seed, start and settings give the same points, whatever the number of
//!   threads.
//! - Only the order of function values counts: any increasing transformation of f gives the same points, to the bit; only
//!   stop criteria about values see the difference.
//! - After the first generation neither `ask` nor `tell` allocates memory, up to n = 512; beyond, workspace is made when it
//!   is first needed.
//! - Whatever is told, m, σ, D and C stay finite, and σ and D positive.
//! - Nothing is printed, no thread is started, and no clock is read unless there is a time budget, a [`Progress`] or an
//!   autosave.
//!
//! Names of parameters and fields are the paper's, in ASCII (`c_sigma`, `mu_w`, `p_c`), and comments such as
//! `eq. (zmat)` carry its LaTeX labels.

#![forbid(unsafe_code)]

#[cfg(feature = "checkpoint")]
mod autosave;
mod bounds;
mod builder;
#[cfg(feature = "checkpoint")]
mod checkpoint;
mod columns;
mod distribution;
mod error;
mod feasible_first;
mod minimize;
mod numeric;
mod objective;
mod observe;
mod open_generation;
mod optimizer;
mod options;
mod params;
mod path;
mod point;
mod progress;
mod ranking;
mod saver;
mod settings;
mod space;
mod step_size;
mod stop;
#[cfg(feature = "checkpoint")]
pub mod storage;
mod stored;
mod strategy;
mod variables;
mod weights;

#[cfg(feature = "checkpoint")]
pub use autosave::Autosave;
#[cfg(feature = "checkpoint")]
#[doc(hidden)]
pub use autosave::{Autosaved, part};
pub use bounds::Bounds;
pub use builder::Builder;
#[cfg(feature = "checkpoint")]
pub use checkpoint::{CheckpointError, StoredStrategy};
pub use columns::Columns;
pub use distribution::Distribution;
pub use error::{AskError, BoundsError, InjectError, ParamsError, StartError, TellError, UpdateError};
pub use feasible_first::feasible_first;
pub use minimize::{DefaultStrategy, Minimize, MinimizeError, Solution, minimize, minimize_over};
#[cfg(feature = "rayon")]
pub use objective::Parallel;
pub use objective::{Batch, Fallible, Objective};
pub use observe::{CsvWriter, History, Observer, Record, View};
#[doc(hidden)]
pub use open_generation::AwaitsValues;
pub use open_generation::OpenGeneration;
pub use optimizer::{Best, Interrupted, Missing, Optimizer, Ticket};
pub use options::RunOptions;
pub use params::Params;
pub use path::EvolutionPath;
#[doc(hidden)]
pub use point::Point;
pub use progress::Progress;
pub use rand_core;
pub use rand_xoshiro::Xoshiro256PlusPlus;
#[doc(hidden)]
pub use saver::{Save, Saver};
pub use settings::{Damping, Definiteness, Rates, Root, Settings, StepSize};
pub use step_size::{BuiltInRule, Csa, Selection, StepSizeChange, StepSizeRule, Tpa, WithStepSize};
pub use stop::{Clock, Stop, StopCriteria};
pub use strategy::{Axes, Generation, Separable, Shape, StartShape, Strategy};
#[cfg(feature = "dense")]
pub use strategy::{BuiltInStrategy, DiagonalDecoding, Plain, Variant};
pub use variables::{Variable, Variables, VariablesError};

/// dd-CMA-ES, the recommended default.
#[cfg(feature = "dense")]
pub type DdCma = Optimizer<DiagonalDecoding>;

/// Plain CMA-ES with a full covariance matrix.
#[cfg(feature = "dense")]
pub type PlainCma = Optimizer<Plain>;

/// Separable CMA-ES, linear in the number of variables.
pub type SepCma = Optimizer<Separable>;

/// The example of this crate's readme is a test.
#[cfg(all(doctest, feature = "dense"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
