//! Ratios of expected running times, with bootstrap intervals.

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_core::rand_core::{Rng, SeedableRng};

use crate::lab::statistics::quantile;

/// A ratio with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) ratio: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

pub(super) type Trials<'a> = &'a [(bool, u64)];

/// The number of resamplings for an interval.
const RESAMPLINGS: usize = 2000;

/// Returns all evaluations divided by the number of successes, of the trials with these indices.
fn expected_running_time(trials: Trials<'_>, indices: impl Iterator<Item = usize>) -> f64 {
    let chosen = indices.map(|i| trials[i]);
    let (all, successes) =
        chosen.fold((0, 0), |(all, successes), trial| (all + trial.1, successes + u64::from(trial.0)));
    all as f64 / successes as f64
}

/// Returns the geometric mean over cells of the ratio of the expected running times of two variants. Trials of a cell have the same seeds, and are
/// resampled together.
///
/// The random numbers are the same in each call.
pub(super) fn geometric_mean(cells: &[(Trials<'_>, Trials<'_>)]) -> Ratio {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mean = |mut indices: Box<dyn FnMut(usize) -> Vec<usize> + '_>| {
        let logarithms = cells.iter().map(|(one, other)| {
            let chosen = indices(one.len().min(other.len()));
            let time = |trials| expected_running_time(trials, chosen.iter().copied());
            (time(one) / time(other)).ln()
        });
        (logarithms.sum::<f64>() / cells.len() as f64).exp()
    };
    let ratio = mean(Box::new(|count| (0..count).collect()));
    let mut resampled: Vec<f64> = Vec::with_capacity(RESAMPLINGS);
    for _ in 0..RESAMPLINGS {
        let draw = |count: usize| (0..count).map(|_| (rng.next_u64() % count as u64) as usize).collect();
        resampled.push(mean(Box::new(draw)));
    }
    Ratio { ratio, low: quantile(&resampled, 0.025), high: quantile(&resampled, 0.975) }
}

/// Returns the ratio of one cell.
pub(super) fn ratio(one: Trials<'_>, other: Trials<'_>) -> Ratio {
    geometric_mean(&[(one, other)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_expected_running_times() {
        // 300 evaluations for one success, compared with 100 for each of two.
        let (one, other) = ([(true, 100), (false, 200)], [(true, 100), (true, 100)]);
        assert!((ratio(&one, &other).ratio - 3.0).abs() < 1e-12);
        let twice: Vec<(bool, u64)> = other.iter().map(|trial| (true, 2 * trial.1)).collect();
        let Ratio { ratio, low, high } = ratio(&twice, &other);
        assert!([ratio, low, high].iter().all(|ratio| (ratio - 2.0).abs() < 1e-12), "certain");
        let mean = geometric_mean(&[(&twice, &other), (&other, &twice)]);
        assert!((mean.ratio - 1.0).abs() < 1e-15);
    }

    #[test]
    fn an_interval_is_that_of_a_mean() {
        let one: Vec<(bool, u64)> = (0..100).map(|k| (true, 900 + 2 * k)).collect();
        let other = vec![(true, 1000); 100];
        let Ratio { ratio, low, high } = ratio(&one, &other);
        // The standard deviation of the mean of 0.9 … 1.098 is 0.0577 / 10.
        assert!((ratio - 0.999).abs() < 1e-12 && (ratio - 1.96 * 0.00577 - low).abs() < 1e-3, "{ratio} {low} {high}");
        assert!((high - low - 2.0 * 1.96 * 0.00577).abs() < 2e-3);
    }
}
