//! Safeguards against overflow in the terms of C and D. None of them is in Algorithm 1.

use super::Generation;
use crate::UpdateError;
use crate::numeric::{DRIFTED, power_of_two, squared_length};

/// Squares up to this size can be summed over all candidates and iterations that contribute to K without overflow.
const LARGEST_SQUARE: f64 = 1e280;

/// Checks the squares of the whitened path and of all z, of which K consists: if one of them overflows, nothing can be added
/// to K.
pub(super) fn check_squares(whitened_path: &[f64], generation: &Generation<'_>) -> Result<(), UpdateError> {
    let fits = |length2: f64| length2 < LARGEST_SQUARE; // false with NaN
    if !fits(squared_length(whitened_path)) {
        let longest = whitened_path.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let (index, &value) = longest.unwrap_or((0, &f64::NAN));
        return Err(UpdateError::Path { index, value });
    }
    match generation.z_length2.iter().position(|length2| !fits(*length2)) {
        Some(candidate) => Err(UpdateError::Step { candidate, length2: generation.z_length2[candidate] }),
        None => Ok(()),
    }
}

/// Returns the scale that a C with these variances hands over to D, if it fits there: 1 unless C is very small or very
/// large.
///
/// It is a power of two, so that D·C·D is unchanged, without rounding.
pub(super) fn scale_to_take(variances: &[f64], fits: &dyn Fn(f64) -> bool) -> f64 {
    let (smallest, largest) = variances.iter().fold((f64::MAX, 0.0), |(least, most), c| (c.min(least), c.max(most)));
    let scale = power_of_two(largest.sqrt());
    // Variances that are too far apart for one scale occur only in a forged checkpoint.
    let scaled = smallest / (scale * scale);
    if (1.0 / DRIFTED..=DRIFTED).contains(&largest) || !scaled.is_normal() || !fits(scale) { 1.0 } else { scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_taken_from_all_variances_or_from_none() {
        for unchanged in [[1e-280, 1.0, 1e200], [1e-59, 1e-30, 1.0], [1.0, 2.0, 3.0]] {
            assert_eq!(scale_to_take(&unchanged, &|_| true), 1.0, "{unchanged:?}");
        }
        let small = [1e-80, 3e-80, 2e-90];
        assert_eq!(scale_to_take(&small, &|scale| scale > 1.0), 1.0, "where it does not fit, it stays");
        let scale = scale_to_take(&small, &|_| true);
        assert_eq!(scale, scale.log2().round().exp2(), "a power of two");
        assert!((0.1..10.0).contains(&(small[1] / (scale * scale))), "{scale}");
    }
}
