//! Small numerical helpers: sums over vectors, and the limits of floating point.

/// Runs a loop over numbers with all vector instructions of this processor, not only with those of the compile target.
///
/// The results are the same. Use it for one loop at a time: longer code is not compiled again for these instructions. A
/// short loop is faster without the dispatch.
pub(crate) fn vectorized(length: usize, work: impl FnOnce()) {
    #[cfg(feature = "dense")]
    if length >= SHORT {
        return pulp::Arch::new().dispatch(work);
    }
    let _ = length;
    work();
}

/// Loops below this length are short.
#[cfg(feature = "dense")]
const SHORT: usize = 32;

/// `‖v‖²`, with four running sums so that vector instructions can be used; their order is fixed.
pub(crate) fn squared_length(v: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (quads, rest) = v.as_chunks::<4>();
    for quad in quads {
        for (sum, v) in sums.iter_mut().zip(quad) {
            *sum += v * v;
        }
    }
    let rest: f64 = rest.iter().map(|v| v * v).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// `sum ← sum + w·v`.
pub(crate) fn add_scaled(sum: &mut [f64], w: f64, v: &[f64]) {
    vectorized(v.len(), || sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += w * v));
}

/// `sum ← sum + w·v²`, entry by entry.
pub(crate) fn add_scaled_squares(sum: &mut [f64], w: f64, v: &[f64]) {
    vectorized(v.len(), || sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += w * (v * v)));
}

/// `t ← e^t` for each entry. If all are near 0, as they are in the update of D, a polynomial replaces the calls.
pub(crate) fn exponentiate(t: &mut [f64]) {
    /// Up to this magnitude, the polynomial is exact to rounding: (1/8)^11/11! is 3e-18.
    const NEAR: f64 = 0.125;
    const DEGREE: u32 = 10;
    let all_near = t.iter().all(|t| t.abs() <= NEAR); // false with NaN
    for t in t {
        *t = if all_near {
            1.0 + *t * (2..=DEGREE).rev().fold(1.0, |sum, k| 1.0 + *t * sum * (1.0 / f64::from(k)))
        } else {
            t.exp()
        };
    }
}

/// Returns the power of two next to a positive number.
pub(crate) fn power_of_two(number: f64) -> f64 {
    2f64.powi(number.log2().round() as i32)
}

/// Scales above this number, or below its inverse, are moved into D, from σ or from C.
pub(crate) const DRIFTED: f64 = 1e60;

/// The largest distance of a candidate from the mean, in deviations. Normal deviates never get that large.
const REACH: f64 = 64.0;

/// Returns whether all candidates of a coordinate are finite and its deviation does not underflow; `shape` is D_k·√C_kk.
pub(crate) fn is_in_range(mean: f64, sigma: f64, shape: f64) -> bool {
    let farthest = REACH * shape;
    (sigma * shape).is_normal() && farthest.is_finite() && (mean.abs() + sigma * farthest).is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_near_and_far_are_those_of_the_standard_library() {
        for scale in [1e-9, 1e-3, 0.1, 0.125, 0.126, 3.0] {
            let numbers: Vec<f64> = (-20..=20).map(|k| scale * f64::from(k) / 20.0).collect();
            let mut exponentials = numbers.clone();
            exponentiate(&mut exponentials);
            for (t, e) in numbers.iter().zip(exponentials) {
                assert!((e / t.exp() - 1.0).abs() < 4e-16, "e^{t}: {e}");
            }
        }
        let mut infinite = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0];
        exponentiate(&mut infinite);
        assert!(infinite[0].is_nan() && infinite[1..] == [f64::INFINITY, 0.0, 1.0]);
    }
}
