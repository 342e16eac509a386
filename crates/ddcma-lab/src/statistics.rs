//! Numbers about numbers of evaluations. Knows neither functions nor strategies.

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};

/// A quantile, by linear interpolation between the sorted values; NaN if there is none.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = q * last as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    // Not a difference, which would be NaN between infinities.
    if low == high { low } else { low + (position - position.floor()) * (high - low) }
}

/// The median; NaN if there is no value.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Resamplings behind an interval.
const RESAMPLINGS: usize = 4000;

/// The geometric mean of a/b over pairs, with its 95 % interval by the bootstrap; infinite where an a is.
///
/// The random numbers are the same each time.
pub fn paired_ratio(a: &[f64], b: &[f64]) -> (f64, f64, f64) {
    let logarithms: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a / b).ln()).collect();
    let count = logarithms.len();
    if count == 0 {
        return (f64::NAN, f64::NAN, f64::NAN);
    }
    let mean = |sum: f64| (sum / count as f64).exp();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut resampled = || (0..count).map(|_| logarithms[(rng.next_u64() % count as u64) as usize]).sum::<f64>();
    let means: Vec<f64> = (0..RESAMPLINGS).map(|_| mean(resampled())).collect();
    (mean(logarithms.iter().sum()), quantile(&means, 0.025), quantile(&means, 0.975))
}

/// factor·x^power through points by least squares of their logarithms; none, if fewer than two are positive and finite.
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

/// What trials with successes and failures cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The number of trials.
    pub trials: usize,
    /// The number of those that reached the target.
    pub successes: usize,
    /// The median of the evaluations of the successful ones.
    pub median: f64,
    /// The expected running time: all evaluations over the number of successes.
    pub ert: f64,
    /// SP1: the mean evaluations of the successful ones over the success rate.
    pub sp1: f64,
}

impl Cost {
    /// Of trials: whether they reached the target, and their evaluations.
    pub fn of(trials: &[(bool, u64)]) -> Self {
        let successful: Vec<f64> = trials.iter().filter(|trial| trial.0).map(|trial| trial.1 as f64).collect();
        let all: f64 = trials.iter().map(|trial| trial.1 as f64).sum();
        let successes = successful.len();
        let mean = successful.iter().sum::<f64>() / successes as f64;
        Self {
            trials: trials.len(),
            successes,
            median: median(&successful),
            ert: all / successes as f64,
            sp1: mean * trials.len() as f64 / successes as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paired_ratio_is_certain_where_all_pairs_agree() {
        let (ratio, low, high) = paired_ratio(&[2.0, 20.0, 200.0], &[1.0, 10.0, 100.0]);
        assert!([ratio, low, high].iter().all(|r| (r - 2.0).abs() < 1e-12));
        let (ratio, low, high) = paired_ratio(&[1.0, 4.0], &[1.0, 1.0]);
        assert!((ratio - 2.0).abs() < 1e-12 && low < 1.01 && high > 3.99, "{low}, {high}");
        assert!(paired_ratio(&[f64::INFINITY, 1.0], &[1.0, 1.0]).0.is_infinite());
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 0.5), 2.5);
        assert_eq!(quantile(&[4.0, 1.0, 2.0, 3.0], 0.25), 1.75);
        assert_eq!(median(&[5.0]), 5.0);
        assert_eq!(median(&[1.0, f64::INFINITY, f64::INFINITY]), f64::INFINITY);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_power_law_is_found() {
        let points = [5.0f64, 10.0, 40.0].map(|n| (n, 3.0 * n.powf(1.5)));
        let (factor, power) = power_law(&points).unwrap();
        assert!((factor - 3.0).abs() < 1e-12 && (power - 1.5).abs() < 1e-12, "{factor} {power}");
        let with_a_failure = [points[0], (20.0, f64::INFINITY), points[1]];
        assert!((power_law(&with_a_failure).unwrap().1 - 1.5).abs() < 1e-12);
        assert_eq!(power_law(&[points[0]]), None);
    }

    #[test]
    fn failures_cost() {
        // Two successes with 100 and 300, one failure with 1000.
        let cost = Cost::of(&[(true, 100), (false, 1000), (true, 300)]);
        assert_eq!((cost.trials, cost.successes, cost.median), (3, 2, 200.0));
        assert_eq!(cost.ert, 700.0);
        assert_eq!(cost.sp1, 300.0);
        assert_eq!(Cost::of(&[(false, 10)]).ert, f64::INFINITY);
        assert!(Cost::of(&[(false, 10)]).median.is_nan());
    }
}
