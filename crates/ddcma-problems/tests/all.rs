//! All integration tests in one program: each of its own would compile and link the libraries once more.

mod applied;
mod instances;
mod records;
mod rotations;
mod transformations;
