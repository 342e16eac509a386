//! Benchmarks of the ddcma workspace, and optimizers of other crates as algorithms of the lab.
//!
//! `cargo xtask bench` runs the examples `speed` and `peers`. Everything is behind the feature `peers`, so that nothing else builds the
//! other crates.

#![forbid(unsafe_code)]

#[cfg(feature = "peers")]
pub mod flags;
#[cfg(feature = "peers")]
pub mod objective;
#[cfg(feature = "peers")]
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
#[cfg(feature = "peers")]
pub mod timed;
