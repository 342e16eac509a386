//! All integration tests in one program: each of its own would compile and link the libraries once more.

mod applied;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "coco")]
mod coco;
mod examples;
mod experiments;
mod formats;
mod report;
