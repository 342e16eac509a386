//! Transformations of problems: of their points, of their values, and of the number of evaluations.
//!
//! Workspace is allocated in the first generation.

mod coordinates;
mod counted;
mod values;

pub use coordinates::{Rotated, Scaled, Shifted};
pub use counted::Counted;
pub use values::{Noise, Noisy, Transformed};
