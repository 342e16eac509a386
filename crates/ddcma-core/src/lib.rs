//! Evolution strategies that minimize a function f : ℝⁿ → ℝ without gradients: **dd-CMA-ES** (Akimoto & Hansen, 2020), and
//! the plain and separable CMA-ES that it combines.
//!
//! For most uses, one call is enough. [`Minimize`] lists its options:
//!
//! ```
//! use ddcma_core::minimize;
//!
//! let solution = minimize(|x: &[f64]| x.iter().map(|x| x * x).sum(), &[3.0; 5], 1.0).seed(1).run()?;
//! assert!(solution.value < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To control the loop yourself, ask for candidates, evaluate them as you like, and tell their values:
//!
//! ```
//! # #[cfg(feature = "dense")] {
//! use ddcma_core::DdCma;
//!
//! // A narrow valley, rotated against the axes: its walls are a million times steeper than its floor.
//! let f = |x: &[f64]| 1e6 * (x[0] - 2.0 * x[1]).powi(2) + x[1] * x[1];
//!
//! let mut es = DdCma::new(&[3.0, 3.0], 1.0, 42)?;
//! let stop = loop {
//!     let values: Vec<f64> = es.ask().iter().map(f).collect();
//!     es.tell(&values)?;
//!     if let Some(stop) = es.stop() {
//!         break stop; // the reason, with its numbers
//!     }
//! };
//! assert!(es.best_value() < 1e-9, "{stop}");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | learns | time per candidate | use it if |
//! |---|---|---|---|
//! | `DdCma` | D and C | O(n²) | in doubt: it is the recommended default |
//! | `PlainCma` | C | O(n²) | you need invariance to rotation |
//! | [`SepCma`] | D | O(n) | n is very large, or the variables hardly interact |
//!
//! `BuiltInStrategy` is any of the three, chosen at run time.
//!
//! Where to go next:
//!
//! - [`Variables`] declare ranges, logarithmic scales and fixed values; [`Bounds`] are the simple form.
//! - [`StopCriteria`] say when to stop, [`Settings`] change the strategy parameters, and [`Builder`] sets the start.
//! - An [`Observer`] sees every generation; [`Progress`] shows it in the terminal.
//! - [`drive`] evaluates anything that asks for points, a [`Run`]; [`With`] is what happens beside it.
//! - With the feature `checkpoint`, autosaves let a run continue after its process has ended.
//! - Implement [`Strategy`] to add your own variant, or [`StepSizeRule`] to add your own step-size adaptation.
//!
//! The guide (`docs/guide.md` in the repository) leads from a first run to a custom strategy, and explains the stop reasons.
//!
//! # Limits
//!
//! Restarts are in `ddcma-restarts`, test problems in `ddcma-problems`. Constraints are supported as bounds and by
//! [`feasible_first`], and in no other way. If your function has cheap gradients, use a gradient method instead.
//!
//! # Features
//!
//! | feature | adds | depends on |
//! |---|---|---|
//! | `dense` (default) | `DdCma` and `PlainCma` | `ddcma-linalg`, and through it faer |
//! | `rayon` | `Parallel(f)`: evaluates candidates on all cores; also speeds up large matrix products | rayon |
//! | `checkpoint` | saves a run as bytes, to a file, or as a serde value | serde, postcard, crc32fast |
//!
//! Without any feature you still have separable CMA-ES and everything that is not in this table. The only dependencies are then four small
//! crates for random numbers: `rand_core`, `rand`, `rand_distr` and `rand_xoshiro` (and `num-traits` with `libm`).
//!
//! # Guarantees
//!
//! - Runs are reproducible on one platform: the same seed, start and settings give the same points, with any number of
//!   threads.
//! - Only the order of function values matters: any increasing transformation of f gives exactly the same points. Only stop
//!   criteria that compare values see the difference.
//! - After the first generation, neither `ask` nor `tell` allocates memory up to n = 512. In larger dimensions, workspace is
//!   allocated when it is first needed.
//! - Whatever values are told, m, σ, D and C stay finite, and σ and D stay positive.
//! - The library prints nothing, starts no threads, and reads no clock except for a time budget, a [`Progress`] or an
//!   autosave.
//!
//! Parameters and fields have the paper's names, in ASCII (`c_sigma`, `mu_w`, `p_c`). Comments such as `eq. (zmat)` refer to
//! the LaTeX labels of its equations.

#![forbid(unsafe_code)]

#[macro_use]
mod errors;

mod bounds;
mod builder;
mod columns;
mod correction;
mod distribution;
mod error;
mod failure;
mod feasible_first;
#[cfg(all(test, feature = "checkpoint"))]
mod messages;
mod minimize;
mod number;
mod numeric;
mod objective;
mod observe;
mod open_generation;
mod optimizer;
mod options;
mod pace;
mod params;
mod parts;
mod path;
mod pending;
mod persist;
mod point;
mod progress;
mod ranking;
mod run;
mod settings;
mod space;
mod step_size;
mod stop;
mod stored;
mod strategy;
mod values;
mod variables;
mod weights;
mod with;

pub use bounds::Bounds;
pub use builder::Builder;
pub use columns::Columns;
pub use correction::{Correction, Ranked, Updated};
pub use distribution::Distribution;
pub use error::{BoundsError, ParamsError, StartError, TellError, UpdateError};
pub use failure::Failure;
pub use feasible_first::feasible_first;
pub use minimize::{DefaultStrategy, Minimize, MinimizeError, Solution, minimize, minimize_over};
pub(crate) use number::Number;
#[cfg(feature = "rayon")]
pub use objective::Parallel;
pub use objective::{Batch, Fallible, Objective};
pub use observe::{CsvWriter, History, Observer, Record, View};
pub use open_generation::OpenGeneration;
pub use optimizer::{Best, Optimizer};
pub use options::RunOptions;
pub use pace::{FullPace, Pace, WhitenedChange};
pub use params::Params;
pub use path::EvolutionPath;
pub use pending::{Missing, Pending, Ticket, Told};
#[cfg(feature = "checkpoint")]
pub use persist::{Autosave, storage};
pub use persist::{CheckpointError, Origin};
pub use progress::Progress;
pub use rand_core;
pub use rand_xoshiro::Xoshiro256PlusPlus;
pub use run::{Interrupted, Run, drive, step};
pub use settings::{Damping, Definiteness, Rates, Root, Settings, StepSize};
pub use step_size::{BuiltInRule, Csa, Selection, StepSizeChange, StepSizeRule, Tpa, WithStepSize};
pub use stop::{Clock, Stop, StopCriteria};
pub use strategy::{Axes, Generation, Separable, Shape, StartShape, Strategy};
#[cfg(feature = "dense")]
pub use strategy::{BuiltInStrategy, DiagonalDecoding, Plain, Variant};
pub use values::Values;
pub use variables::{Labeled, Variable, Variables, VariablesError};
pub use with::With;

/// dd-CMA-ES, the recommended default.
#[cfg(feature = "dense")]
pub type DdCma = Optimizer<DiagonalDecoding>;

/// Plain CMA-ES with a full covariance matrix.
#[cfg(feature = "dense")]
pub type PlainCma = Optimizer<Plain>;

/// Separable CMA-ES, linear in the number of variables.
pub type SepCma = Optimizer<Separable>;

/// Compiles and runs the example in this crate's readme as a test.
#[cfg(all(doctest, feature = "dense"))]
#[doc = include_str!("../README.md")]
struct CrateReadme;
