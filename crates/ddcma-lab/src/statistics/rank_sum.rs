//! The rank-sum test: does one sample tend to smaller values than another?

use std::cmp::Ordering;

use super::Effort;
use super::permutations::{doubled_ranks, tie_term, two_sided, two_sided_normal};

/// The result of the rank-sum test of Wilcoxon, Mann and Whitney.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSum {
    /// U of the first sample: the number of pairs in which its value is the larger one; ties count half.
    pub u: f64,
    /// The number of pairs.
    pub pairs: f64,
    /// The two-sided p-value.
    pub p: f64,
}

impl RankSum {
    /// Returns whether the first sample tends to smaller (`Less`) or larger values.
    pub fn direction(&self) -> Ordering {
        self.u.total_cmp(&(0.5 * self.pairs))
    }
}

/// The largest total size for which the p-value is exact; beyond, the normal approximation is close enough, and faster.
const EXACT: usize = 60;

/// Tests whether one sample of numbers tends to smaller values than another. The p-value is 1 if a sample is empty.
///
/// With up to 60 numbers in both samples the p-value is exact, also for ties: among all ways to distribute the numbers over the two
/// samples, it is the share of those that are at least as extreme. With more numbers, it is the normal approximation with corrections for
/// ties and continuity.
///
/// ```
/// use ddcma_lab::statistics::rank_sum;
///
/// let test = rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]);
/// assert!(test.direction().is_lt());
/// assert!((test.p - 2.0 / 35.0).abs() < 1e-12);
/// ```
pub fn rank_sum(a: &[f64], b: &[f64]) -> RankSum {
    rank_sum_by(a, b, f64::total_cmp)
}

/// Tests whether one sample of trials tends to be better than another. Successes rank first, by their evaluations; failures rank after
/// them, by their best value.
pub fn rank_sum_of(a: &[Effort], b: &[Effort]) -> RankSum {
    rank_sum_by(a, b, Effort::compare)
}

fn rank_sum_by<T: Copy>(a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> RankSum {
    let both: Vec<T> = a.iter().chain(b).copied().collect();
    let (ranks, ties) = doubled_ranks(&both, compare);
    let doubled_sum: u64 = ranks[..a.len()].iter().sum();
    let (count_a, count_b) = (a.len() as f64, b.len() as f64);
    let u = 0.5 * doubled_sum as f64 - 0.5 * count_a * (count_a + 1.0);
    let pairs = count_a * count_b;
    let p = if a.is_empty() || b.is_empty() {
        1.0
    } else if both.len() <= EXACT {
        two_sided(&sums_of(&ranks, a.len()), doubled_sum)
    } else {
        normal_p(u, [count_a, count_b], &ties)
    };
    RankSum { u, pairs, p }
}

fn normal_p(u: f64, [count_a, count_b]: [f64; 2], ties: &[usize]) -> f64 {
    let (n, pairs) = (count_a + count_b, count_a * count_b);
    let variance = pairs / 12.0 * (n + 1.0 - tie_term(ties) / (n * (n - 1.0)));
    two_sided_normal(u, 0.5 * pairs, variance, 1.0)
}

/// Counts the ways in which a number of the ranks have the sums 0, 1, 2, …
fn sums_of(ranks: &[u64], chosen: usize) -> Vec<f64> {
    let largest: u64 = ranks.iter().sum();
    let mut ways = vec![vec![0.0; largest as usize + 1]; chosen + 1];
    ways[0][0] = 1.0;
    let mut reached = 0;
    for (k, &rank) in ranks.iter().enumerate() {
        reached += rank as usize;
        for count in (1..=chosen.min(k + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(count);
            let (from, to) = (&fewer[count - 1], &mut more[0]);
            (rank as usize..=reached).for_each(|sum| to[sum] += from[sum - rank as usize]);
        }
    }
    ways.swap_remove(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(test: RankSum, u: f64, p: f64) {
        assert!((test.u - u).abs() < 1e-12 && (test.p - p).abs() < 1e-12 * p.max(1e-3), "{test:?}, not {u} {p}");
    }

    const A: [f64; 11] = [3.1, 4.7, 2.2, 9.9, 5.5, 6.1, 7.3, 8.8, 1.5, 4.4, 6.6];
    const B: [f64; 11] = [5.2, 7.7, 8.1, 9.4, 10.3, 6.9, 11.2, 12.5, 3.3, 7.1, 9.0];

    /// `mannwhitneyu(…, method="exact")` of SciPy 1.17.1; where values are equal, all ways to deal them, counted in Python: both are
    /// printed by tests/data/scipy_numbers.py.
    #[test]
    fn exact_as_scipy_has_it() {
        close(rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]), 0.0, 0.05714285714285714);
        close(rank_sum(&[19.0, 22.0, 16.0, 29.0, 24.0], &[20.0, 11.0, 17.0, 12.0]), 17.0, 0.1111111111111111);
        close(rank_sum(&A, &B), 26.0, 0.023307703648260923);
        close(rank_sum(&B, &A), 95.0, 0.023307703648260923);
        let tied = [[10.0, 20.0, 20.0, 30.0, 40.0].to_vec(), [20.0, 30.0, 50.0, 50.0, 60.0, 70.0].to_vec()];
        close(rank_sum(&tied[0], &tied[1]), 4.5, 0.06060606060606061);
        close(rank_sum(&[1.0, 1.0, 2.0], &[1.0, 2.0, 2.0, 2.0]), 3.5, 0.7428571428571429);
        close(rank_sum(&[5.0; 3], &[5.0; 2]), 3.0, 1.0);
    }

    /// `mannwhitneyu(x, y, method="asymptotic")` of SciPy 1.17.1, printed by tests/data/scipy_numbers.py.
    #[test]
    fn approximate_as_scipy_has_it() {
        let x = [
            156, 137, 141, 153, 134, 146, 150, 113, 103, 118, 117, 152, 154, 100, 129, 149, 107, 147, 107, 128, 148,
            118, 120, 116, 143, 115, 159, 126, 128, 130, 134, 133, 130, 159, 148, 147, 142, 137, 120, 159, 127, 112,
            150, 109, 151, 136, 106, 102, 126, 102, 108, 130, 158, 127, 148, 155, 149, 137, 126, 130, 115, 129, 122,
            114, 159, 100, 105, 111, 158, 141, 152, 112, 143, 122, 129, 100, 137, 149, 139, 109,
        ];
        let y = [
            141, 124, 167, 162, 119, 139, 166, 160, 151, 147, 110, 153, 137, 113, 123, 141, 153, 139, 146, 162, 150,
            130, 147, 145, 114, 111, 148, 132, 145, 128, 121, 117, 131, 158, 132, 131, 143, 168, 132, 144, 135, 145,
            135, 147, 141, 149, 167, 117, 142, 135, 130, 122, 111, 132, 159, 113, 133, 168, 166, 121, 108, 149, 108,
            126, 138, 162, 113, 149, 141, 116,
        ];
        let test = rank_sum(&x.map(f64::from), &y.map(f64::from));
        close(test, 2228.0, 0.03128332248204241);
        // Where both are possible, they agree.
        let (exact, normal) = (rank_sum(&A, &B), normal_p(26.0, [11.0, 11.0], &[1; 22]));
        assert!((exact.p - normal).abs() < 3e-3, "{} {normal}", exact.p);
    }

    #[test]
    fn failures_rank_last_by_how_far_they_came() {
        let success = |evaluations| Effort { success: true, evaluations, best: 1e-9 };
        let failure = |best| Effort { success: false, evaluations: 10, best };
        let (a, b) = ([success(900), failure(0.5)], [success(1000), failure(f64::NAN), failure(0.6)]);
        // a < b in all pairs but one: 0.5 is behind 1000.
        assert_eq!(rank_sum_of(&a, &b).u, 1.0);
        assert_eq!(rank_sum_of(&[failure(f64::NAN)], &[failure(f64::INFINITY)]).u, 1.0);
        assert_eq!(rank_sum_of(&[], &b).p, 1.0);
    }
}
