//! Experiments and checks of the ddcma workspace: everything that prints, plots or reads flags.

#![forbid(unsafe_code)]

pub mod replay;
