//! The cost of trials that succeed or fail.

use std::cmp::Ordering;

use super::bootstrap::{self, Interval};
use super::quantile::{median, of_sorted};

/// The data of a trial that statistics use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Whether it reached its target.
    pub success: bool,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The best value found.
    pub best: f64,
}

impl Effort {
    /// Returns the evaluations to the target; infinite for a failure.
    pub fn evaluations_to_target(&self) -> f64 {
        if self.success { self.evaluations as f64 } else { f64::INFINITY }
    }

    /// Compares two trials; the better one is less. Successes rank by their evaluations, failures after them by their best value, NaN last.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self.success, other.success) {
            (true, true) => self.evaluations.cmp(&other.evaluations),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => match (self.best.is_nan(), other.best.is_nan()) {
                (false, false) => self.best.total_cmp(&other.best),
                (a, b) => a.cmp(&b),
            },
        }
    }
}

/// The cost of trials with successes and failures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The number of trials.
    pub trials: usize,
    /// The number of trials that reached the target.
    pub successes: usize,
    /// The median of the evaluations of the successful trials.
    pub median: f64,
    /// The expected running time: all evaluations divided by the number of successes.
    pub ert: f64,
    /// SP1: the mean evaluations of the successful trials divided by the success rate.
    pub sp1: f64,
}

impl Cost {
    /// Computes the cost of trials, given whether they reached the target, and their evaluations.
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

/// The number by which costs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostKind {
    /// The median of the evaluations, if all trials succeed.
    Median,
    /// The expected running time, if some fail; infinite if all do.
    Ert,
}

impl CostKind {
    /// Chooses medians if every trial succeeds, and expected running times otherwise.
    pub fn of<'a>(efforts: impl IntoIterator<Item = &'a Effort>) -> Self {
        if efforts.into_iter().all(|effort| effort.success) { Self::Median } else { Self::Ert }
    }

    /// Returns this cost of trials; NaN if there are none.
    pub fn cost(self, efforts: &[Effort]) -> f64 {
        match self {
            Self::Median => median(&efforts.iter().map(Effort::evaluations_to_target).collect::<Vec<_>>()),
            Self::Ert if efforts.is_empty() => f64::NAN,
            Self::Ert => {
                let all: f64 = efforts.iter().map(|effort| effort.evaluations as f64).sum();
                let successes = efforts.iter().filter(|effort| effort.success).count();
                if successes == 0 { f64::INFINITY } else { all / successes as f64 }
            }
        }
    }

    /// Returns this cost of samples drawn from the trials with replacement.
    pub(super) fn resampled(self, efforts: &[Effort], stream: u64) -> Vec<f64> {
        match self {
            Self::Median => {
                let values: Vec<f64> = efforts.iter().map(Effort::evaluations_to_target).collect();
                bootstrap::resampled(&values, stream, |sample| {
                    sample.sort_unstable_by(f64::total_cmp);
                    of_sorted(sample, 0.5)
                })
            }
            Self::Ert => bootstrap::resampled(efforts, stream, |sample| self.cost(sample)),
        }
    }
}

/// Returns the 95 % bootstrap interval of a cost. Its upper end is infinite if success is rare. `stream` seeds the random numbers.
pub fn cost_interval(kind: CostKind, efforts: &[Effort], stream: u64) -> Interval {
    Interval::of_resampled(kind.resampled(efforts, stream))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// `scipy.stats.bootstrap(…, method="percentile")` of SciPy 1.17.1 with 200000 resamplings, printed by
    /// tests/data/scipy_numbers.py: intervals of 94 and 96 %, because ours has 4000 resamplings, with other random numbers.
    #[test]
    fn the_interval_of_an_ert_is_that_of_scipy() {
        let evaluations = [1200, 3400, 2500, 10000, 4100, 1800, 10000, 3900, 2750];
        let effort = |evaluations| Effort { success: evaluations < 10000, evaluations, best: 0.0 };
        let efforts = evaluations.map(effort);
        assert_eq!(CostKind::of(&efforts), CostKind::Ert);
        assert!((CostKind::Ert.cost(&efforts) - 5664.285714285715).abs() < 1e-9);
        for stream in [1, 2, 3] {
            let Interval { low, high } = cost_interval(CostKind::Ert, &efforts, stream);
            assert!((2516.6..=2627.8).contains(&low), "{low}");
            assert!((14325.0..=15225.0).contains(&high), "{high}");
        }
        let rare = [effort(10000), effort(10000), effort(10000), effort(500)];
        let interval = cost_interval(CostKind::Ert, &rare, 1);
        assert!(interval.low > 500.0 && interval.high == f64::INFINITY, "{interval:?}");
        assert_eq!(cost_interval(CostKind::Ert, &rare, 1), interval, "the same each time");
    }
}
