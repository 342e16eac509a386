//! From function values to weights. Values are only compared; no arithmetic is done with them.
//!
//! NaN ranks last, behind +∞, and all NaNs are tied; −∞ ranks first; −0 and +0 are tied.

use std::cmp::Ordering;

/// The order of a generation, from the best candidate to the worst.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    order: Vec<usize>,
}

impl Ranking {
    pub(crate) fn new(lambda: usize) -> Self {
        Self { order: (0..lambda).collect() }
    }

    /// Sorts the candidates that take part by value, and tied ones by index. Allocates nothing.
    pub(crate) fn sort(&mut self, f: &[f64], takes_part: impl Fn(usize) -> bool) {
        self.order.clear();
        self.order.extend((0..f.len()).filter(|candidate| takes_part(*candidate)));
        self.order.sort_unstable_by(|&a, &b| compare(f[a], f[b]).then(a.cmp(&b)));
    }

    /// The candidates that take part, from the best to the worst.
    pub(crate) fn candidates(&self) -> &[usize] {
        &self.order
    }

    /// Gives each candidate the weight of its rank; tied candidates share the average of their weights (footnote 2).
    /// Candidates that do not take part get 0.
    pub(crate) fn assign(&self, f: &[f64], by_rank: &[f64], by_candidate: &mut [f64]) {
        if self.order.len() < by_candidate.len() {
            by_candidate.fill(0.0);
        }
        let mut rank = 0;
        for tied in self.order.chunk_by(|&a, &b| compare(f[a], f[b]).is_eq()) {
            let weights = &by_rank[rank..][..tied.len()];
            let shared = match weights {
                [alone] => *alone,
                _ => weights.iter().sum::<f64>() / tied.len() as f64,
            };
            for &candidate in tied {
                by_candidate[candidate] = shared;
            }
            rank += tied.len();
        }
    }
}

/// Sorts values, the best first.
pub(crate) fn sort(values: &mut [f64]) {
    values.sort_unstable_by(|a, b| compare(*a, *b));
}

/// Returns the number of sorted values that are better than the given one; a tie counts as one half.
pub(crate) fn rank_in(sorted: &[f64], value: f64) -> f64 {
    let better = sorted.partition_point(|other| compare(*other, value).is_lt());
    let not_worse = sorted.partition_point(|other| compare(*other, value).is_le());
    (better + not_worse) as f64 / 2.0
}

fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(f: &[f64], by_rank: &[f64]) -> Vec<f64> {
        let mut ranking = Ranking::new(f.len());
        ranking.sort(f, |_| true);
        let mut by_candidate = vec![f64::NAN; f.len()];
        ranking.assign(f, by_rank, &mut by_candidate);
        by_candidate
    }

    #[test]
    fn the_best_candidate_gets_the_first_weight() {
        assert_eq!(weights(&[3.0, 1.0, 2.0], &[0.5, 0.25, -0.75]), [-0.75, 0.5, 0.25]);
    }

    #[test]
    fn ties_share_the_average() {
        assert_eq!(weights(&[1.0, 0.0, 1.0, 2.0], &[4.0, 2.0, 1.0, -1.0]), [1.5, 4.0, 1.5, -1.0]);
        assert_eq!(weights(&[7.0; 4], &[4.0, 2.0, 1.0, -1.0]), [1.5; 4]);
        assert_eq!(weights(&[0.0, -0.0], &[1.0, 0.0]), [0.5, 0.5]);
    }

    #[test]
    fn nan_ranks_last_and_minus_infinity_first() {
        let f = [f64::NAN, f64::INFINITY, -f64::NAN, f64::NEG_INFINITY, 1e308];
        assert_eq!(weights(&f, &[5.0, 4.0, 3.0, 2.0, 1.0]), [1.5, 3.0, 1.5, 5.0, 4.0]);
    }

    #[test]
    fn ranks_among_others_count_ties_by_halves() {
        let mut others = [3.0, f64::NAN, 1.0, 3.0, f64::NEG_INFINITY];
        sort(&mut others);
        for (value, rank) in [(-1.0, 1.0), (1.0, 1.5), (2.0, 2.0), (3.0, 3.0), (f64::INFINITY, 4.0), (f64::NAN, 4.5)] {
            assert_eq!(rank_in(&others, value), rank, "{value}");
        }
    }

    #[test]
    fn the_first_of_the_best_is_the_best_whatever_came_before() {
        let mut ranking = Ranking::new(4);
        ranking.sort(&[4.0, 3.0, 2.0, 1.0], |_| true);
        assert_eq!(ranking.candidates()[0], 3);
        ranking.sort(&[5.0, 1.0, 1.0, 1.0], |_| true);
        assert_eq!(ranking.candidates()[0], 1);
    }

    #[test]
    fn candidates_that_do_not_take_part_get_no_weight() {
        let mut ranking = Ranking::new(4);
        let (f, mut weights) = ([4.0, 3.0, 1.0, 2.0], [9.0; 4]);
        ranking.sort(&f, |candidate| candidate != 2);
        assert_eq!(ranking.candidates(), [3, 1, 0]);
        ranking.assign(&f, &[0.5, 0.25, -0.75], &mut weights);
        assert_eq!(weights, [-0.75, 0.25, 0.0, 0.5]);
    }
}
