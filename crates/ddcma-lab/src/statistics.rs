//! Statistics of trials: how often they succeed, what they cost, and whether two samples of them differ.
//!
//! The functions take numbers and are independent of problems and algorithms. Random numbers are seeded, so results are reproducible.
//!
//! | question | answer |
//! |---|---|
//! | How often does it succeed? | [`wilson`] |
//! | What does it cost? | [`Cost`], [`quantile`] with failures as infinite, [`cost_interval`] |
//! | How do two costs compare? | [`Ratio`] with an interval, [`paired_ert_ratio`] for pairs of trials, [`geometric_mean`] over problems |
//! | How do two shares compare, problem by problem? | [`paired_difference`] |
//! | Do two samples differ? | [`rank_sum`], and [`holm`] for several comparisons |
//! | Is one better over all problems? | [`signed_rank`] |
//! | How much is reached within a budget? | [`Targets`], [`RunTimes`], [`budgets`] |
//!
//! Each of them is tested against SciPy or statsmodels; `tests/data/scipy_numbers.py` prints the expected numbers. The rank-sum test is
//! implemented here because statrs 0.19 computes no exact p-value for tied values, and a wrong one if the first sample is not the
//! longer one: 1 instead of 2/35 for [1, 2, 3] and [4, 5, 6, 7].

mod bootstrap;
mod cost;
mod holm;
mod permutations;
mod power_law;
mod quantile;
mod rank_sum;
mod ratio;
mod run_time;
mod signed_rank;
mod wilson;

pub use bootstrap::{Interval, geometric_mean, paired_difference, paired_ert_ratio, paired_ratio};
pub use cost::{Cost, CostKind, Effort, cost_interval};
pub use holm::holm;
pub use power_law::power_law;
pub use quantile::{median, quantile};
pub use rank_sum::{RankSum, rank_sum, rank_sum_of};
pub use ratio::Ratio;
pub use run_time::{RunTimes, TARGETS, Targets, budgets};
pub use signed_rank::{SignedRank, signed_rank};
pub use wilson::wilson;
