//! Transformations of problems: of their points, of their values, of how often they may be asked.
//!
//! Each knows the problem inside only through its trait. Workspace is allocated at the first generation.

mod coordinates;
mod counted;
mod values;

pub use coordinates::{Rotated, Scaled, Shifted};
pub use counted::Counted;
pub use values::{Noise, Noisy, Transformed};
