//! All integration tests in one program, so that the libraries are linked only once.

mod applied;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "coco")]
mod coco;
mod examples;
mod experiments;
mod formats;
mod report;
