//! Dense symmetric kernels on [faer], as covariance matrix adaptation needs them.
//!
//! Most users want [`SymmetricRoot`]: the symmetric root `√C` of a positive definite matrix and its inverse,
//! with the eigenvalues that come along.
//!
//! ```
//! use ddcma_linalg::{SymmetricRoot, mat};
//!
//! let c = mat![[4.0, 0.0], [0.0, 9.0]];
//! let mut root = SymmetricRoot::identity(2);
//! root.factor(c.as_ref())?;
//!
//! let mut y = [0.0; 2];
//! root.apply(&[1.0, 1.0], &mut y); // y = √C z
//! assert!((y[0] - 2.0).abs() < 1e-15 && (y[1] - 3.0).abs() < 1e-15);
//! # Ok::<(), ddcma_linalg::RootError>(())
//! ```
//!
//! [`UpdatedRoot`] follows a matrix that changes by low-rank terms, without a decomposition each time.
//!
//! What holds everywhere:
//!
//! - A batch of vectors is a slice of whole columns: one vector is one contiguous column.
//! - Workspace is allocated when a type is made, or by its first call; what is made on request says so.
//! - The numbers do not depend on threads. Everything runs on the calling one, unless the feature `rayon` is on: then
//!   products of 2²⁰ multiplications and more are spread over rayon's pool, cut in the same way as on one thread; decompositions
//!   and symmetric products of up to 512 rows are not.
//! - No function here leaves the upper halves of the processor's vector registers in use, as faer's own large products do, those
//!   by operators on [`Mat`] included: on Intel processors, code compiled for plain x86-64 would run many times slower after that.
//! - Symmetric results are symmetric to the last bit, if symmetric arguments are.
//!
//! | feature | gives | brings |
//! |---|---|---|
//! | `rayon` | large products on the threads of rayon's pool, the same numbers | rayon |
//! | `serde` | [`UpdatedRoot`] as a serde value, to the bit | serde |
//!
//! This crate knows matrices. It has never heard of a step size, a population or an objective function.
//!
//! [faer]: https://docs.rs/faer

#![forbid(unsafe_code)]

mod blocks;
mod diag;
mod eigh;
mod kernels;
mod lu;
mod norms;
mod product;
mod root;
mod series;
mod updated_root;
mod vectors;

pub use diag::{NotPositive, correlate, scale_columns, unscale_columns};
pub use eigh::{Eigh, EighError};
pub use faer::{Mat, MatMut, MatRef, mat};
pub use norms::{frobenius, max_abs};
pub use product::{add_diagonal, add_outer, add_weighted_gram, multiply_rows, sandwich};
pub use root::{RootError, SymmetricRoot};
pub use updated_root::{Proposal, Term, UpdatedRoot};

/// The example of this crate's readme is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
