//! The signed-rank test: do differences of pairs tend to one side?

use super::permutations::{doubled_ranks, tie_term, two_sided, two_sided_normal};

/// The result of the signed-rank test of Wilcoxon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// The sum of the ranks of positive differences.
    pub positive: f64,
    /// The number of differences that are not 0.
    pub differences: usize,
    /// The two-sided p-value.
    pub p: f64,
}

/// The largest number of differences for which the p-value is exact.
const EXACT: usize = 200;

/// Tests whether differences of pairs tend to one side. Differences of 0 and NaN are omitted; infinite ones rank last.
///
/// Use it with the logarithms of the ratios of two algorithms, one for each problem, to find out which is better over all problems. Each problem is
/// one observation, a pair of costs. A rank-sum test over all problems would be wrong: costs of different problems differ by powers of
/// ten, which hides differences between algorithms, and many trials of one problem are not many problems. A t-test of the logarithms
/// would need finite ratios without outliers. With k problems the p-value is at least 2/2^k: five problems can never show a difference
/// at a level of 5 %.
pub fn signed_rank(differences: &[f64]) -> SignedRank {
    let counted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0 && !d.is_nan()).collect();
    let (ranks, ties) = doubled_ranks(&counted, |a, b| a.abs().total_cmp(&b.abs()));
    let positive: u64 = counted.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let count = counted.len();
    let p = if count <= EXACT {
        two_sided(&sums_of(&ranks), positive)
    } else {
        let n = count as f64;
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term(&ties) / 48.0;
        two_sided_normal(0.5 * positive as f64, 0.25 * n * (n + 1.0), variance, 1.0)
    };
    SignedRank { positive: 0.5 * positive as f64, differences: count, p }
}

/// Returns the probabilities of the sums 0, 1, 2, … of ranks, if each rank is included with probability ½.
fn sums_of(ranks: &[u64]) -> Vec<f64> {
    let mut probabilities = vec![0.0; ranks.iter().sum::<u64>() as usize + 1];
    probabilities[0] = 1.0;
    for &rank in ranks {
        let rank = rank as usize;
        for sum in (0..probabilities.len()).rev() {
            let without = if sum >= rank { probabilities[sum - rank] } else { 0.0 };
            probabilities[sum] = 0.5 * (probabilities[sum] + without);
        }
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `wilcoxon(d, method="exact")` of SciPy 1.17.1; where differences are equal, all signs, counted in Python: both are printed by
    /// tests/data/scipy_numbers.py.
    #[test]
    fn exact_as_scipy_has_it() {
        let test = signed_rank(&[0.3, -0.1, 0.7, 1.2, -0.4, 0.9, 2.1, 0.6]);
        assert!((test.positive, test.p) == (32.0, 0.0546875), "{test:?}");
        let test = signed_rank(&[1.0, 1.0, -1.0, 2.0, 3.0, -2.0, 0.0, 4.0]);
        assert!((test.positive, test.p) == (21.5, 0.265625), "{test:?}");
        let test = signed_rank(&[f64::INFINITY, f64::INFINITY, -1.0, 2.0, 3.0, f64::NAN]);
        assert!((test.positive, test.differences, test.p) == (14.0, 5, 0.125), "{test:?}");
        assert_eq!(signed_rank(&[0.0, 0.0]).p, 1.0);
    }

    /// `wilcoxon(d, method="asymptotic", correction=True)` of SciPy 1.17.1 for the 60 numbers of tests/data/scipy_numbers.py gives
    /// 0.39699…; here they are exact, and close to that. With more than 200, the normal approximation is used.
    #[test]
    fn the_exact_and_the_normal_distribution_agree() {
        let d = [
            1.5, 0.9, -0.1, -0.2, -0.1, 1.7, -0.2, -0.1, 0.6, 0.1, 0.0, -0.9, 0.2, -0.2, 1.4, 0.9, 0.2, 0.9, -0.1, 1.3,
            0.2, 0.8, -1.1, 0.5, -1.5, -1.8, -0.1, -0.7, 0.4, 2.4, -0.6, -0.4, 0.4, 0.7, 0.0, -0.0, 0.9, 0.7, -0.8,
            0.1, 0.2, -0.9, 0.5, -0.7, 1.2, 0.4, 0.3, -0.4, 0.1, -1.8, -0.9, 0.6, -1.9, 1.0, -1.5, 1.0, -0.6, 1.0, 0.3,
            -1.3,
        ];
        let exact = signed_rank(&d);
        assert!((exact.p - 0.3969967024388914).abs() < 3e-3, "{exact:?}");
        let (ranks, ties) =
            doubled_ranks(&d.map(f64::abs).into_iter().filter(|d| *d > 0.0).collect::<Vec<_>>(), f64::total_cmp);
        let n = ranks.len() as f64;
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_term(&ties) / 48.0;
        let p = two_sided_normal(exact.positive, 0.25 * n * (n + 1.0), variance, 1.0);
        assert!((p - 0.3969967024388914).abs() < 1e-12, "{p}");
        let many: Vec<f64> = d.iter().cycle().take(240).copied().collect();
        let few: Vec<f64> = d.iter().cycle().take(180).copied().collect();
        assert!(signed_rank(&many).differences > EXACT && signed_rank(&many).p < signed_rank(&few).p);
    }
}
