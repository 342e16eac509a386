//! The ratio of the cost of an algorithm to that of a baseline.

use super::bootstrap::geometric_mean;
use super::{CostKind, Effort, Interval};

/// The cost of an algorithm divided by that of a baseline: below 1, it needs fewer evaluations.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// The kind of cost: medians if all trials of both succeed, expected running times otherwise.
    pub kind: CostKind,
    /// The ratio. Infinite if only the baseline ever succeeds, 0 if only the algorithm does, NaN if neither does.
    pub value: f64,
    /// The bootstrap 95 % interval.
    pub interval: Interval,
    /// The ratios of resampled trials.
    resampled: Vec<f64>,
}

impl Ratio {
    /// Compares two samples of trials. The streams seed the random numbers of the bootstrap and must differ.
    pub fn new(algorithm: &[Effort], baseline: &[Effort], streams: [u64; 2]) -> Self {
        let kind = CostKind::of(algorithm.iter().chain(baseline));
        let value = kind.cost(algorithm) / kind.cost(baseline);
        let costs = kind.resampled(algorithm, streams[0]);
        let resampled: Vec<f64> = costs.iter().zip(kind.resampled(baseline, streams[1])).map(|(a, b)| a / b).collect();
        // A resampling in which neither succeeds has no information.
        let known = resampled.iter().copied().filter(|ratio| !ratio.is_nan()).collect();
        Self { kind, value, interval: Interval::of_resampled(known), resampled }
    }

    /// Returns whether both succeed at least once.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.value > 0.0
    }

    /// Returns the geometric mean of ratios, such as those of several problems, and its 95 % interval. The interval is for these
    /// problems: trials are resampled, problems are not.
    pub fn mean<'a>(ratios: impl IntoIterator<Item = &'a Self> + Clone) -> (f64, Interval) {
        let values = ratios.clone().into_iter().map(|ratio| ratio.value);
        let of_resampling = |k: usize| geometric_mean(ratios.clone().into_iter().map(|ratio| ratio.resampled[k]));
        let means = (0..super::bootstrap::RESAMPLINGS).map(of_resampling).filter(|mean| !mean.is_nan());
        (geometric_mean(values), Interval::of_resampled(means.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(evaluations: &[u64]) -> Vec<Effort> {
        evaluations.iter().map(|&evaluations| Effort { success: true, evaluations, best: 0.0 }).collect()
    }

    fn failed(efforts: Vec<Effort>) -> Vec<Effort> {
        efforts.into_iter().map(|effort| Effort { success: false, ..effort }).collect()
    }

    /// `scipy.stats.bootstrap` of SciPy 1.17.1 for the ratio of two medians, with 200000 resamplings, printed by
    /// tests/data/scipy_numbers.py: intervals of 94 and 96 %, because our random numbers differ.
    #[test]
    fn the_interval_of_a_ratio_of_medians_is_that_of_scipy() {
        let a = all(&[310, 470, 220, 990, 550, 610, 730, 880, 150, 440, 660]);
        let b = all(&[520, 770, 810, 940, 1030, 690, 1120, 1250, 330, 710, 900]);
        let ratio = Ratio::new(&a, &b, [1, 2]);
        assert_eq!(ratio.kind, CostKind::Median);
        assert!((ratio.value - 0.6790123456790124).abs() < 1e-12);
        let Interval { low, high } = ratio.interval;
        assert!((0.34444444444444444..=0.3827160493827161).contains(&low), "{low}");
        assert!((0.948051948051948..=0.9565217391304348).contains(&high), "{high}");
        // The reciprocal, except for the random numbers.
        let back = Ratio::new(&b, &a, [1, 2]);
        assert!((back.interval.high * low - 1.0).abs() < 0.12 && (back.interval.low * high - 1.0).abs() < 0.06);
    }

    #[test]
    fn failures_make_ratios_infinite_zero_or_unknown() {
        let (good, bad) = (all(&[100, 120, 90]), failed(all(&[1000, 1000, 1000])));
        let some = [good.clone(), bad.clone()].concat();
        assert_eq!(Ratio::new(&bad, &good, [1, 2]).value, f64::INFINITY);
        assert_eq!(Ratio::new(&bad, &good, [1, 2]).interval.low, f64::INFINITY);
        assert_eq!(Ratio::new(&good, &bad, [1, 2]).value, 0.0);
        assert!(Ratio::new(&bad, &bad, [1, 2]).value.is_nan());
        let ratio = Ratio::new(&some, &good, [1, 2]);
        assert_eq!((ratio.kind, ratio.value), (CostKind::Ert, 3310.0 / 310.0));
        assert!(ratio.is_finite() && ratio.interval.contains(ratio.value));
    }

    #[test]
    fn a_mean_is_as_sure_as_its_trials() {
        let ratio = |factor: u64, stream| {
            let of = |factor: u64| all(&[100, 110, 120, 130, 140].map(|evaluations| factor * evaluations));
            Ratio::new(&of(factor), &of(1), [stream, stream + 1])
        };
        let ratios = [ratio(2, 1), ratio(8, 3)];
        let (mean, interval) = Ratio::mean(&ratios);
        assert!((mean - 4.0).abs() < 1e-12, "{mean}");
        assert!(interval.contains(4.0) && interval.low > 3.0 && interval.high < 5.0, "{interval:?}");
        assert!(interval.high - interval.low < ratios[1].interval.high - ratios[1].interval.low);
    }
}
