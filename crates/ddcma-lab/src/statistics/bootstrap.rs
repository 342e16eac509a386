//! Bootstrap intervals, from resampling with replacement. The random numbers are the same each time.

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};

use super::cost::{CostKind, Effort};
use super::quantile::of_sorted;

/// The number of resamplings for an interval.
pub(super) const RESAMPLINGS: usize = 4000;

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, which may be infinite.
    pub high: f64,
}

impl Interval {
    /// Returns the interval from the 2.5 % to the 97.5 % quantile; NaN if there are no values or they are unknown.
    pub(super) fn of_resampled(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        Self { low: of_sorted(&values, 0.025), high: of_sorted(&values, 0.975) }
    }

    /// Returns whether a number is in the interval.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Computes a number for each of [`RESAMPLINGS`] samples drawn with replacement.
pub(super) fn resampled<T: Copy>(sample: &[T], stream: u64, number: impl Fn(&mut [T]) -> f64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream);
    let mut drawn: Vec<T> = sample.to_vec();
    let draw = |_| {
        let count = sample.len() as u64;
        drawn.iter_mut().for_each(|place| *place = sample[(rng.next_u64() % count) as usize]);
        number(&mut drawn)
    };
    if sample.is_empty() { vec![f64::NAN; RESAMPLINGS] } else { (0..RESAMPLINGS).map(draw).collect() }
}

/// Returns the geometric mean of numbers from 0 to infinity; NaN if there are none, or both 0 and infinite ones.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value.ln();
        count += 1;
    }
    (sum / f64::from(count)).exp()
}

/// Returns the geometric mean of a/b over pairs, with its bootstrap 95 % interval over pairs; infinite if a value of a is.
pub fn paired_ratio(a: &[f64], b: &[f64]) -> (f64, f64, f64) {
    let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
    let Interval { low, high } =
        Interval::of_resampled(resampled(&ratios, 1, |sample| geometric_mean(sample.iter().copied())));
    (geometric_mean(ratios), low, high)
}

/// Returns the ratio of the expected running times of a and b over pairs of trials, with its bootstrap 95 % interval over pairs.
///
/// It is infinite if no trial of a succeeds, 0 if no trial of b does, and NaN if neither does.
///
/// ```
/// use ddcma_lab::statistics::{Effort, paired_ert_ratio};
///
/// let trial = |success, evaluations| Effort { success, evaluations, best: 0.0 };
/// let (ratio, ..) = paired_ert_ratio(&[trial(true, 100), trial(false, 300)], &[trial(true, 100), trial(true, 100)]);
/// assert_eq!(ratio, 4.0);
/// ```
pub fn paired_ert_ratio(a: &[Effort], b: &[Effort]) -> (f64, f64, f64) {
    let pairs: Vec<(Effort, Effort)> = a.iter().copied().zip(b.iter().copied()).collect();
    let ratio = |sample: &mut [(Effort, Effort)]| {
        let (a, b): (Vec<Effort>, Vec<Effort>) = sample.iter().copied().unzip();
        CostKind::Ert.cost(&a) / CostKind::Ert.cost(&b)
    };
    // A resampling in which neither succeeds has no information.
    let known = resampled(&pairs, 1, ratio).into_iter().filter(|ratio| !ratio.is_nan()).collect();
    let Interval { low, high } = Interval::of_resampled(known);
    (ratio(&mut pairs.clone()), low, high)
}

/// Returns the mean of a − b over pairs, with its bootstrap 95 % interval over pairs.
pub fn paired_difference(a: &[f64], b: &[f64]) -> (f64, Interval) {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mean = |sample: &[f64]| sample.iter().sum::<f64>() / sample.len() as f64;
    (mean(&differences), Interval::of_resampled(resampled(&differences, 2, |sample| mean(sample))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paired_ratio_of_expected_running_times_knows_failures() {
        let trials = |outcomes: &[(bool, u64)]| -> Vec<Effort> {
            outcomes.iter().map(|&(success, evaluations)| Effort { success, evaluations, best: 0.0 }).collect()
        };
        let easy = trials(&[(true, 100), (true, 200), (true, 300)]);
        let twice = trials(&[(true, 200), (true, 400), (true, 600)]);
        let never = trials(&[(false, 900); 3]);
        let (ratio, low, high) = paired_ert_ratio(&twice, &easy);
        assert!([ratio, low, high].iter().all(|r| (r - 2.0).abs() < 1e-12), "certain where all pairs agree");
        assert_eq!(paired_ert_ratio(&never, &easy), (f64::INFINITY, f64::INFINITY, f64::INFINITY));
        assert_eq!(paired_ert_ratio(&easy, &never), (0.0, 0.0, 0.0));
        assert!(paired_ert_ratio(&never, &never).0.is_nan());
        // A quarter of the resamplings of the first have no success.
        let (ratio, low, high) =
            paired_ert_ratio(&trials(&[(true, 100), (false, 100)]), &trials(&[(true, 100), (true, 100)]));
        assert_eq!((ratio, low, high), (2.0, 1.0, f64::INFINITY));
    }

    #[test]
    fn a_paired_difference_is_certain_where_all_pairs_agree() {
        let (mean, interval) = paired_difference(&[3.0, 5.0, 9.0], &[1.0, 3.0, 7.0]);
        assert_eq!((mean, interval), (2.0, Interval { low: 2.0, high: 2.0 }));
        let (mean, interval) = paired_difference(&[1.0, 0.0], &[0.0, 1.0]);
        assert_eq!((mean, interval), (0.0, Interval { low: -1.0, high: 1.0 }));
        assert!(paired_difference(&[], &[]).0.is_nan());
    }

    #[test]
    fn a_paired_ratio_is_certain_where_all_pairs_agree() {
        let (ratio, low, high) = paired_ratio(&[2.0, 20.0, 200.0], &[1.0, 10.0, 100.0]);
        assert!([ratio, low, high].iter().all(|r| (r - 2.0).abs() < 1e-12));
        let (ratio, low, high) = paired_ratio(&[1.0, 4.0], &[1.0, 1.0]);
        assert!((ratio - 2.0).abs() < 1e-12 && low < 1.01 && high > 3.99, "{low}, {high}");
        assert!(paired_ratio(&[f64::INFINITY, 1.0], &[1.0, 1.0]).0.is_infinite());
        assert!(paired_ratio(&[], &[]).0.is_nan());
    }

    /// `scipy.stats.gmean` of SciPy 1.17.1, printed by tests/data/scipy_numbers.py.
    #[test]
    fn a_geometric_mean_is_that_of_scipy() {
        assert!((geometric_mean([0.5, 2.2, 1.3, 0.8]) - 1.0342046976153585).abs() < 1e-14);
        assert_eq!(geometric_mean([0.0, 2.0]), 0.0);
        assert_eq!(geometric_mean([f64::INFINITY, 2.0]), f64::INFINITY);
        assert!(geometric_mean([f64::INFINITY, 0.0]).is_nan() && geometric_mean([]).is_nan());
    }
}
