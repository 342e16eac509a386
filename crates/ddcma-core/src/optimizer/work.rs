//! The workspace of a generation. It is not part of a run's state: everything here is recomputed or overwritten.

use crate::ranking::Ranking;
use crate::{Columns, Params};

#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(super) y: Columns, // n × λ, ~ N(0, C)
    pub(super) x: Columns, // as a user sees them: n × λ, ~ N(m, σ²·D·C·D), or their image
    /// The values by which candidates are ranked: +∞ where one is missing.
    pub(super) ranked: Vec<f64>,
    pub(super) ranking: Ranking,
    /// The values told, the best first.
    pub(super) sorted: Vec<f64>,
    /// The keys, the best first, if they are not the values.
    pub(super) sorted_keys: Vec<f64>,
    pub(super) w_mean: Vec<f64>,
    pub(super) w: Vec<f64>,
    pub(super) w_d: Vec<f64>,
    pub(super) z_length2: Vec<f64>,
    pub(super) z_mean: Vec<f64>,
    pub(super) step: Vec<f64>,
    pub(super) next_mean: Vec<f64>,
    /// 0, 1, 2, …: the numbers that `ranks` are made of.
    pub(super) rank_numbers: Vec<f64>,
    pub(super) ranks: Vec<f64>,
    pub(super) sorted_last: Vec<f64>,
    pub(super) ranks_in_last: Vec<f64>,
    /// D⁻¹·Σ w_i·D·y_i of the last generation, and the same whitened.
    pub(super) unscaled_step: Vec<f64>,
    pub(super) direction: Vec<f64>,
    /// The next D.
    pub(super) next_d: Vec<f64>,
    /// The ratio of the next D to the current one, per coordinate.
    pub(super) shortened: Vec<f64>,
    /// A point from elsewhere, in the coordinates of the search.
    pub(super) searched: Vec<f64>,
    /// A principal axis, for the stop criteria.
    pub(super) axis: Vec<f64>,
    /// The parameters of the last generation that left candidates out.
    pub(super) fewer: Option<Params>,
}

impl Work {
    /// Creates workspace for a search in n dimensions that shows points of `shown` coordinates.
    pub(super) fn new(n: usize, shown: usize, lambda: usize) -> Self {
        Self {
            y: Columns::zeros(n, lambda),
            x: Columns::zeros(shown, lambda),
            ranked: Vec::with_capacity(lambda),
            ranking: Ranking::new(lambda),
            sorted: Vec::with_capacity(lambda),
            sorted_keys: Vec::new(),
            w_mean: vec![0.0; lambda],
            w: vec![0.0; lambda],
            w_d: vec![0.0; lambda],
            z_length2: vec![0.0; lambda],
            z_mean: vec![0.0; n],
            step: vec![0.0; n],
            next_mean: vec![0.0; n],
            rank_numbers: (0..lambda).map(|rank| rank as f64).collect(),
            ranks: Vec::with_capacity(lambda),
            sorted_last: Vec::with_capacity(lambda),
            ranks_in_last: Vec::with_capacity(lambda),
            unscaled_step: vec![0.0; n],
            direction: vec![0.0; n],
            next_d: vec![0.0; n],
            shortened: vec![0.0; n],
            searched: vec![0.0; n],
            axis: vec![0.0; n],
            fewer: None,
        }
    }
}
