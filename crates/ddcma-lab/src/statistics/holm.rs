//! Holm's correction for multiple comparisons.

/// Returns p-values with Holm's correction for multiple comparisons.
///
/// If you compare each of them with a level, the probability of rejecting any true "no difference" is at most that level, whether or not
/// the comparisons are independent.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (k, index) in order.into_iter().enumerate() {
        largest = largest.max(p_values[index] * (p_values.len() - k) as f64).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `multipletests(p, method="holm")` of statsmodels 0.15.0, printed by tests/data/scipy_numbers.py.
    #[test]
    fn as_statsmodels_has_it() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.5, 0.2]);
        let known = [0.05, 0.12, 0.12, 0.03, 0.5, 0.4];
        assert!(adjusted.iter().zip(known).all(|(a, b)| (a - b).abs() < 1e-12), "{adjusted:?}");
        assert_eq!(holm(&[]), [0.0; 0]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
