//! Small numerical helpers: sums over vectors, and where the range of floating point ends. Knows no state and no formula of
//! the paper.

/// Runs loops over numbers with the vector instructions that the processor has, and not only with those that all of its kind have. The
/// numbers are the same.
#[inline(always)]
pub(crate) fn vectorized<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(feature = "dense")]
    return pulp::Arch::new().dispatch(work);
    #[cfg(not(feature = "dense"))]
    work()
}

/// `‖v‖²`, with four running sums so that vector instructions can be used; their order is fixed.
#[inline]
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
#[inline]
pub(crate) fn add_scaled(sum: &mut [f64], w: f64, v: &[f64]) {
    for (sum, v) in sum.iter_mut().zip(v) {
        *sum += w * v;
    }
}

/// The power of two next to a positive number.
pub(crate) fn power_of_two(number: f64) -> f64 {
    2f64.powi(number.log2().round() as i32)
}

/// Scales beyond this and its inverse are handed on: from σ to D, and from C to D.
pub(crate) const FAR: f64 = 1e60;

/// How many deviations a candidate may be away from the mean: no normal deviate ever is.
const REACH: f64 = 64.0;

/// Whether all candidates of a coordinate are floating-point numbers, and its deviation does not vanish: its mean, σ, and
/// D_k·√C_kk.
pub(crate) fn is_in_range(mean: f64, sigma: f64, shape: f64) -> bool {
    let farthest = REACH * shape;
    (sigma * shape).is_normal() && farthest.is_finite() && (mean.abs() + sigma * farthest).is_finite()
}
