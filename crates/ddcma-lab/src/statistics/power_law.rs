//! Fits of power laws, for growth with the dimension.

/// Fits factor·x^power to points by least squares of their logarithms; `None` if fewer than two are positive and finite.
pub fn power_law(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let logarithms = points.iter().map(|(x, y)| (x.ln(), y.ln())).filter(|(x, y)| x.is_finite() && y.is_finite());
    let known: Vec<(f64, f64)> = logarithms.collect();
    let mean = |value: fn(&(f64, f64)) -> f64| known.iter().map(value).sum::<f64>() / known.len() as f64;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = known.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let common: f64 = known.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let power = common / spread;
    power.is_finite().then(|| ((mean_y - power * mean_x).exp(), power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found() {
        let points = [5.0f64, 10.0, 40.0].map(|n| (n, 3.0 * n.powf(1.5)));
        let (factor, power) = power_law(&points).unwrap();
        assert!((factor - 3.0).abs() < 1e-12 && (power - 1.5).abs() < 1e-12, "{factor} {power}");
        let with_a_failure = [points[0], (20.0, f64::INFINITY), points[1]];
        assert!((power_law(&with_a_failure).unwrap().1 - 1.5).abs() < 1e-12);
        assert_eq!(power_law(&[points[0]]), None);
    }
}
