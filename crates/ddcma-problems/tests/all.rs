//! All integration tests in one program: separate programs would each link the libraries again.

mod applied;
mod instances;
mod records;
mod rotations;
mod transformations;
