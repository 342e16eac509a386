//! Optional inputs of step-size rules: two candidates along the last step of the mean, and the ranks of the candidates in
//! their own generation and in the previous one. None of this is in Algorithm 1.

use super::{Keys, State, Work};
use crate::numeric::squared_length;
use crate::ranking;
use crate::step_size::{Selected, StepSizeRule};
use crate::{Optimizer, Strategy};

impl<S: Strategy> Optimizer<S> {
    /// Replaces the first two z by a pair along the last step of the mean, if the rule wants it and there was a step.
    ///
    /// z_1 points along the step and keeps the length that was drawn, and z_2 = −z_1.
    pub(super) fn place_pair(&mut self) {
        let Self { strategy, step_size, state: State { z, last_step, pair, .. }, .. } = self;
        *pair = false;
        if !step_size.rule().wants_pair() || last_step.is_empty() || z.len() < 3 {
            return;
        }
        let Work { unscaled_step, direction, .. } = &mut self.work;
        for ((unscaled, step), d) in unscaled_step.iter_mut().zip(&*last_step).zip(strategy.shape().d) {
            *unscaled = step / d;
        }
        strategy.whiten(unscaled_step, direction); // A⁻¹·D⁻¹·Σ w_i·D·y_i, with the current A and D
        let factor = (squared_length(&z[0]) / squared_length(direction)).sqrt();
        direction.iter_mut().for_each(|u| *u *= factor);
        if !factor.is_normal() || direction.iter().any(|u| !u.is_finite()) {
            return; // a step without direction
        }
        z[0].copy_from_slice(direction);
        z[1].iter_mut().zip(&*direction).for_each(|(z, u)| *z = -u);
        *pair = true;
    }

    /// Remembers the values of the last generation before the next ones are taken, and forgets its step.
    pub(super) fn remember_values(&mut self, keys: Keys<'_>) {
        let Self { step_size, state: State { values, ranked_by_values, last_values, last_step, .. }, .. } = self;
        last_step.clear();
        last_values.clear();
        // Given keys cannot be compared with those of another generation.
        let is_by_values = matches!(keys, Keys::Values(_));
        if step_size.rule().wants_last() && is_by_values && *ranked_by_values {
            last_values.extend(values.iter_told().map(|(_, value)| value));
        }
        *ranked_by_values = is_by_values;
    }

    /// Remembers the step of the mean, and ranks the candidates among each other and among those of the last generation.
    pub(super) fn prepare_step_size(&mut self) {
        let Self { step_size, state: State { values, last_values, last_step, .. }, .. } = self;
        let Work { ranked, ranking, rank_numbers, ranks, sorted_last, ranks_in_last, step, .. } = &mut self.work;
        if step_size.rule().wants_pair() {
            last_step.extend_from_slice(step);
        }
        ranks.clear();
        ranks_in_last.clear();
        if step_size.rule().wants_ranks() {
            ranks.resize(ranked.len(), 0.0);
            ranking.assign(ranked, rank_numbers, ranks);
        }
        if !last_values.is_empty() {
            sorted_last.clone_from(last_values);
            ranking::sort(sorted_last);
            ranks_in_last.extend(ranked.iter().map(|value| ranking::rank_in(sorted_last, *value)));
        }
        if ranking.candidates().len() < ranked.len() {
            // Candidates that were left out have no rank.
            for ranks in [ranks, ranks_in_last] {
                let mut candidate = 0..;
                ranks.retain(|_| candidate.next().is_some_and(|candidate| values.is_told(candidate)));
            }
        }
    }
}

impl Work {
    /// The part of the generation that the step-size rule sees.
    pub(super) fn selected(&self, pair: bool) -> Selected<'_> {
        let ranks_in_last = Some(&self.ranks_in_last[..]).filter(|ranks| !ranks.is_empty());
        Selected { z_mean: &self.z_mean, ranks: &self.ranks, ranks_in_last, pair }
    }
}
