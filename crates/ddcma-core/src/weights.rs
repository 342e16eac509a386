//! Recombination weights by rank.

/// w′, the default pre-weights: positive for the better half, negative for the worse. Algorithm 2, line 2.
pub(crate) fn default_pre_weights(lambda: usize) -> Vec<f64> {
    let middle = (lambda as f64 + 1.0) / 2.0;
    (1..=lambda).map(|i| middle.ln() - (i as f64).ln()).collect()
}

/// (Σ|w′|)² / Σ|w′|², the variance effective selection mass; 0 without weights. Algorithm 2, line 3.
pub(crate) fn effective_mass(pre_weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let sum: f64 = pre_weights.clone().map(f64::abs).sum();
    let sum_of_squares: f64 = pre_weights.map(|w| w * w).sum();
    if sum > 0.0 { sum * sum / sum_of_squares } else { 0.0 }
}

/// The weights: the positive ones sum to one, the negative ones to −`negative_mass`.
pub(crate) fn scale(pre_weights: &[f64], negative_mass: f64) -> Vec<f64> {
    let sum = |sign: f64| -> f64 { pre_weights.iter().map(|w| (sign * w).max(0.0)).sum() };
    let (positive, negative) = (sum(1.0), sum(-1.0));
    let scaled = |&w: &f64| {
        if w >= 0.0 { w / positive } else { w / negative * negative_mass } // eq. (ourw)
    };
    pre_weights.iter().map(scaled).collect()
}

/// Multiplies the negative weights by a factor.
pub(crate) fn scale_negative(weights: &mut [f64], factor: f64) {
    for w in weights.iter_mut().filter(|w| **w < 0.0) {
        *w *= factor;
    }
}

/// The weights of the mean: the positive ones, and zeros elsewhere.
pub(crate) fn positive_part(weights: &[f64]) -> Vec<f64> {
    weights.iter().map(|w| w.max(0.0)).collect()
}

/// Σ|w_i| over the negative weights.
pub(crate) fn negative_sum(weights: &[f64]) -> f64 {
    weights.iter().map(|w| (-w).max(0.0)).sum()
}
