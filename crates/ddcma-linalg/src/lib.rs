//! Dense symmetric kernels on [faer], for covariance matrix adaptation.
//!
//! Most users want [`SymmetricRoot`]: the symmetric root `√C` of a positive definite matrix, its inverse, and the
//! eigenvalues of C.
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
//! To track a matrix that changes by low-rank terms, use [`UpdatedRoot`]: it needs no decomposition for each change.
//!
//! Conventions and guarantees:
//!
//! - A batch of vectors is a slice of whole columns: each vector is one contiguous column.
//! - Workspace is allocated when a value is created, or by its first call. Matrices computed on demand are allocated by each
//!   call; their documentation says so.
//! - The numbers do not depend on threads. Everything runs on the calling thread, unless the feature `rayon` is on. Then
//!   products of 2²⁰ multiplications and more are spread over rayon's pool, in the same blocks as on one thread;
//!   decompositions and symmetric products of up to 512 rows are not.
//! - No function leaves the upper halves of the processor's vector registers in use. faer's own large products do, including
//!   those by operators on [`Mat`]: on Intel processors, code compiled for plain x86-64 would run many times slower after
//!   that.
//! - Symmetric arguments give results that are symmetric to the last bit.
//!
//! | feature | adds | depends on |
//! |---|---|---|
//! | `rayon` | computes large products on the threads of rayon's pool, with the same results | rayon |
//! | `serde` | stores an [`UpdatedRoot`] without rounding | serde |
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

/// Compiles and runs the example in this crate's readme as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

#[cfg(test)]
mod messages;
