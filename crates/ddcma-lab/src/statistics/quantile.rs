//! Quantiles of samples that may have infinite values.

/// Returns a quantile, by linear interpolation between the sorted values; NaN if there are none.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    of_sorted(&sorted, q)
}

/// Returns a quantile of sorted values.
pub(super) fn of_sorted(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q * last as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    // Avoids a difference, which would be NaN between infinities.
    if low == high { low } else { low + (position - position.floor()) * (high - low) }
}

/// Returns the median; NaN if there are no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 0.5), 2.5);
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 0.25), 1.75);
        assert_eq!(median(&[5.0]), 5.0);
        assert_eq!(median(&[1.0, f64::INFINITY, f64::INFINITY]), f64::INFINITY);
        assert!(median(&[]).is_nan());
        // numpy.quantile
        let values = [120.0, 340.0, 250.0, 410.0, 180.0, 390.0, 275.0];
        assert_eq!([0.25, 0.5, 0.75].map(|q| quantile(&values, q)), [215.0, 275.0, 365.0]);
    }
}
