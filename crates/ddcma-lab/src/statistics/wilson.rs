//! Confidence intervals of success rates.

use super::Interval;
use super::permutations::normal_quantile_95;

/// Returns Wilson's 95 % interval for a success rate, which is also valid for few trials and for rates of 0 and 1.
///
/// ```
/// use ddcma_lab::statistics::wilson;
///
/// // None of 11 trials succeeded. That does not mean that none ever would.
/// assert!((wilson(0, 11).high - 0.2588).abs() < 1e-4);
/// ```
pub fn wilson(successes: usize, trials: usize) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, rate) = (trials as f64, successes as f64 / trials as f64);
    let z = normal_quantile_95();
    let center = (rate + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1, except for rounding.
    let low = if successes == 0 { 0.0 } else { center - half };
    let high = if successes == trials { 1.0 } else { center + half };
    Interval { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `proportion_confint(k, n, method="wilson")` of statsmodels 0.15.0, printed by tests/data/scipy_numbers.py.
    #[test]
    fn as_statsmodels_has_it() {
        let known = [
            (0, 11, 0.0, 0.2588329669680318),
            (7, 11, 0.35380117450784887, 0.8483352890463243),
            (11, 11, 0.7411670330319682, 1.0),
            (150, 200, 0.6856590168795417, 0.8049183199318249),
            (1, 1, 0.2065493143772374, 1.0),
        ];
        for (successes, trials, low, high) in known {
            let found = wilson(successes, trials);
            assert!((found.low - low).abs() < 1e-12 && (found.high - high).abs() < 1e-12, "{successes}: {found:?}");
        }
        assert_eq!(wilson(0, 0), Interval { low: 0.0, high: 1.0 });
    }
}
