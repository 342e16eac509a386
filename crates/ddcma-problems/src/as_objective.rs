//! Problems as objectives of `ddcma-core`, including whole generations.

use std::convert::Infallible;

use ddcma_core::{Objective, OpenGeneration};

use crate::applied::Applied;
use crate::{Counted, FromFn, Instance, Landscape, Noisy, Problem, Rotated, Scaled, Shifted, Transformed};

/// A foreign trait cannot be implemented for all types that implement ours, so this macro implements it for each type.
macro_rules! objective {
    ($(<$($parameter:ident: [$($bound:tt)*]),*> $type:ty;)*) => {
        $(
            impl<$($parameter: $($bound)*),*> Objective for $type {
                type Error = Infallible;

                fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), Infallible> {
                    generation.fill_batch(|points, values| self.values(points.as_slice(), values));
                    Ok(())
                }
            }
        )*
    };
}

objective! {
    <> Applied;
    <> Instance;
    <> Landscape;
    <F: [FnMut(&[f64]) -> f64]> FromFn<F>;
    <P: [Problem]> Shifted<P>;
    <P: [Problem]> Rotated<P>;
    <P: [Problem]> Scaled<P>;
    <P: [Problem]> Noisy<P>;
    <P: [Problem]> Counted<P>;
    <P: [Problem], G: [FnMut(f64) -> f64]> Transformed<P, G>;
    <> Box<dyn Problem>;
    <> &mut dyn Problem;
}
