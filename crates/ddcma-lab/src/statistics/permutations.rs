//! Shared parts of the two rank tests: ranks with ties, exact p-values of rank sums, and the normal approximation.

use std::cmp::Ordering;

/// Returns ranks from 1, doubled so that the mean rank of ties is an integer, and the sizes of the groups of ties.
pub(super) fn doubled_ranks<T>(values: &[T], compare: impl Fn(&T, &T) -> Ordering) -> (Vec<u64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| compare(&values[*a], &values[*b]));
    let (mut ranks, mut ties) = (vec![0; values.len()], Vec::new());
    let mut before = 0;
    for equal in order.chunk_by(|a, b| compare(&values[*a], &values[*b]).is_eq()) {
        // The mean of before + 1 … before + k, twice.
        equal.iter().for_each(|index| ranks[*index] = (2 * before + equal.len() + 1) as u64);
        ties.push(equal.len());
        before += equal.len();
    }
    (ranks, ties)
}

/// Returns the two-sided p-value of a sum under a distribution, given as weights of 0, 1, 2, …: twice that of its smaller tail.
pub(super) fn two_sided(weights: &[f64], sum: u64) -> f64 {
    let total: f64 = weights.iter().sum();
    let (below, from) = weights.split_at(sum as usize);
    let at = from.first().copied().unwrap_or(0.0);
    let tails = [below.iter().sum::<f64>() + at, from.iter().sum::<f64>()];
    (2.0 * tails[0].min(tails[1]) / total).min(1.0)
}

/// Returns the two-sided p-value of a sum under the normal distribution, with continuity correction.
pub(super) fn two_sided_normal(sum: f64, mean: f64, variance: f64, step: f64) -> f64 {
    if variance <= 0.0 {
        return 1.0;
    }
    let z = ((sum - mean).abs() - 0.5 * step).max(0.0) / variance.sqrt();
    libm::erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

/// Returns Σ (t³ − t) over groups of t equal values.
pub(super) fn tie_term(ties: &[usize]) -> f64 {
    ties.iter().map(|&t| t as f64).map(|t| t * t * t - t).sum()
}

/// The number z for which 5 % of the standard normal distribution lies outside [−z, z].
pub(super) fn normal_quantile_95() -> f64 {
    1.959_963_984_540_054
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank() {
        let (ranks, ties) = doubled_ranks(&[30.0, 10.0, 20.0, 20.0], f64::total_cmp);
        assert_eq!((ranks, ties), (vec![8, 2, 5, 5], vec![1, 2, 1]));
    }
}
