//! Experiments and checks of the ddcma workspace: everything that prints, plots or reads flags.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "experiments print their tables and their progress")]

#[cfg(feature = "coco")]
pub mod coco;
pub mod compare;
pub mod digest;
pub mod endure;
pub mod lab;
pub mod replay;
pub mod reproduce;
pub mod restarts;
pub mod torture;
pub mod trace;
