//! Evaluates the stop criteria of a run.

use std::collections::VecDeque;

use super::{Keys, State, Work};
use crate::ranking;
use crate::stop::Monitor;
use crate::{Optimizer, StartError, Stop, StopCriteria, Strategy, UpdateError};

/// The number of generations at either end of the window of [`Stop::Stagnation`] that are compared.
const COMPARED: usize = 20;

/// The deviations, relative to the initial ones, below which [`Stop::TolFunRel`] may end a run.
const SHRUNK: f64 = 1e-3;

impl<S: Strategy> Optimizer<S> {
    /// Replaces the stop criteria, for example to continue a run that has stopped.
    ///
    /// The time that was counted so far is kept. A first time budget counts from this call.
    pub fn set_criteria(&mut self, criteria: StopCriteria) -> Result<(), StartError> {
        criteria.check()?;
        self.state.monitor.prepare(&criteria, &self.params);
        self.state.criteria = criteria;
        Ok(())
    }

    /// Sets a reference value that the run must be able to reach, or `None`. It can be changed after any generation.
    ///
    /// Without a reference, a run is never [abandoned](StopCriteria::abandon), and never ends because it
    /// [creeps](StopCriteria::creeping). NaN is an error. A search with restarts sets the best value of the earlier runs. A
    /// reference of −∞ can never be reached; +∞ is always reached.
    ///
    /// ```
    /// use ddcma_core::{SepCma, Stop};
    ///
    /// let valleys = |x: &[f64]| x.iter().map(|x| x * x + 10.0 * (1.0 - (6.0 * x).cos())).sum::<f64>();
    /// let mut es = SepCma::new(&[3.0; 4], 0.5, 1)?;
    /// es.set_reference(0.1)?;
    /// while es.stop().is_none() {
    ///     let values: Vec<f64> = es.ask().iter().map(valleys).collect();
    ///     es.tell(&values)?;
    /// }
    /// assert!(matches!(es.stop(), Some(Stop::Abandoned { .. })), "a valley whose floor is far above 0.1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_reference(&mut self, reference: impl Into<Option<f64>>) -> Result<(), StartError> {
        let reference = reference.into();
        if let Some(value) = reference.filter(|value| value.is_nan()) {
            return Err(StartError::Criterion { name: "reference", value });
        }
        self.state.monitor.reference = reference;
        Ok(())
    }

    /// Returns the [reference value](Self::set_reference), if there is one.
    pub fn reference(&self) -> Option<f64> {
        self.state.monitor.reference
    }

    /// Records what the stop criteria need.
    pub(super) fn record_generation(&mut self, keys: Keys<'_>, failure: Option<&UpdateError>) {
        let Self { strategy, step_size, state: State { monitor, criteria, values, iterations, mean, .. }, .. } = self;
        monitor.failure = failure.cloned();
        let Work { ranked, ranking, sorted, sorted_keys, .. } = &mut self.work;
        sorted.clear();
        sorted.extend(ranking.candidates().iter().filter_map(|candidate| values.get(*candidate)));
        if let Keys::Given(_) = keys {
            ranking::sort(sorted);
            sorted_keys.clear();
            sorted_keys.extend(ranking.candidates().iter().map(|candidate| ranked[*candidate]));
            monitor.record(sorted, sorted_keys, *iterations, criteria.stagnation, &self.params);
        } else {
            monitor.record(sorted, sorted, *iterations, criteria.stagnation, &self.params);
        }
        if criteria.no_effect_axis {
            let axis = &mut self.work.axis;
            strategy.principal_axis(*iterations, axis);
            let (sigma, d) = (step_size.sigma(), strategy.shape().d);
            let steps = || axis.iter().zip(d).map(|(axis, d)| 0.1 * sigma * d * axis);
            let lost = steps().zip(&*mean).all(|(step, m)| m + step == *m);
            monitor.no_effect_axis = lost.then(|| steps().fold(0.0, |longest: f64, step| longest.max(step.abs())));
        }
    }

    /// Returns the reason to stop, or `None` to continue.
    ///
    /// The criteria are evaluated on the state after the last [`tell`](Optimizer::tell), in O(n).
    pub fn stop(&self) -> Option<Stop> {
        self.target_or_budget().or_else(|| self.numerical()).or_else(|| self.stagnated())
    }

    pub(crate) fn target_or_budget(&self) -> Option<Stop> {
        let StopCriteria { target, max_evaluations, max_iterations, max_time, .. } = self.state.criteria;
        // Values of an incomplete generation change nothing here, so that a run resumed in the middle of one ends like any
        // other.
        let State { best, evaluations, .. } = &self.state;
        if let Some((target, best)) = target.zip(best.as_ref()).filter(|(target, best)| best.value <= *target) {
            return Some(Stop::Target { best: best.value, target });
        }
        if let Some(budget) = max_evaluations.filter(|budget| evaluations >= budget) {
            return Some(Stop::Evaluations { evaluations: *evaluations, budget });
        }
        if let Some(budget) = max_iterations.filter(|budget| self.iterations() >= *budget) {
            return Some(Stop::Iterations { iterations: self.iterations(), budget });
        }
        let budget = max_time?;
        let elapsed = self.state.monitor.clock.elapsed();
        (elapsed >= budget).then_some(Stop::Time { elapsed, budget })
    }

    pub(crate) fn numerical(&self) -> Option<Stop> {
        if self.iterations() == 0 {
            return None;
        }
        if let Some(error) = &self.state.monitor.failure {
            return Some(Stop::Numerical(error.clone()));
        }
        let generations = self.state.monitor.not_finite;
        if let Some(limit) = self.state.criteria.not_finite.filter(|limit| generations >= *limit) {
            return Some(Stop::NotFinite { generations, limit });
        }
        if let Some(limit) = self.state.criteria.condition {
            let axes = self.strategy().shape().axes;
            let condition = (axes.longest / axes.shortest).powi(2).max(1.0); // tracked axes may lag behind
            if condition > limit {
                return Some(Stop::Condition { condition, limit });
            }
        }
        if let Some(step) = self.state.monitor.no_effect_axis.filter(|_| self.state.criteria.no_effect_axis) {
            return Some(Stop::NoEffectAxis { iteration: self.iterations(), step });
        }
        if self.state.criteria.no_effect_coordinate {
            for (index, deviation) in self.deviations().enumerate() {
                let mean = self.state.mean[index];
                if mean + 0.2 * deviation == mean {
                    let index = self.state.space.users_index(index);
                    let name = self.state.space.name(index);
                    return Some(Stop::NoEffectCoordinate { index, name, deviation, mean });
                }
            }
        }
        self.state.criteria.tol_x_up.and_then(|limit| self.outgrown(limit))
    }

    /// The factors by which the deviations of the coordinates have grown since the start.
    fn growths(&self) -> impl Iterator<Item = f64> {
        self.deviations().zip(&self.state.monitor.initial_deviations).map(|(now, initial)| now / initial)
    }

    /// Checks whether the deviations have grown as they do if there is no minimum.
    ///
    /// On an endless slope, σ grows and all deviations grow with it. While its scale is learned, a single coordinate may
    /// grow while the others do not, which is the purpose of D. So it gets more room, but not without limit, because a
    /// function may fall forever along one coordinate and hold the others.
    fn outgrown(&self, limit: f64) -> Option<Stop> {
        let smallest = self.growths().fold(f64::INFINITY, f64::min);
        if smallest > limit {
            return Some(Stop::TolXUp { index: None, name: None, factor: smallest, limit });
        }
        let limit = limit * limit;
        let (index, factor) = self.growths().enumerate().find(|(_, factor)| *factor > limit)?;
        let index = self.state.space.users_index(index);
        Some(Stop::TolXUp { index: Some(index), name: self.state.space.name(index), factor, limit })
    }

    pub(crate) fn stagnated(&self) -> Option<Stop> {
        let Monitor { range: generation, best, flat, .. } = &self.state.monitor;
        let (generation, length) = (*generation, self.state.monitor.history_length(&self.params));
        let newest = || best.iter().rev().take(length);
        let history = range(newest());
        if let Some(tolerance) = self.state.criteria.tol_fun
            && best.len() >= length
            && generation < tolerance
            && history < tolerance
        {
            return Some(Stop::TolFun { generation, history, tolerance });
        }
        if let Some(tolerance) = self.state.criteria.tol_fun_hist
            && best.len() >= 10
            && history < tolerance
        {
            return Some(Stop::TolFunHist { range: history, generations: newest().len(), tolerance });
        }
        if let Some(tolerance) = self.state.criteria.tol_fun_rel
            && let Some(stop) = self.indistinguishable(tolerance)
        {
            return Some(stop);
        }
        if let Some(tolerance) = self.state.criteria.tol_x
            && self.iterations() > 0
        {
            let largest = self.largest_relative_extent();
            if largest < tolerance {
                return Some(Stop::TolX { largest, tolerance });
            }
        }
        let flat_ones = flat.iter().filter(|flat| **flat).count();
        if self.state.criteria.flat_fitness
            && flat.len() >= self.state.monitor.flat_window(&self.params)
            && 3 * flat_ones > flat.len()
        {
            return Some(Stop::FlatFitness { flat: flat_ones, generations: flat.len() });
        }
        self.without_improvement().or_else(|| self.creeping()).or_else(|| self.abandoned())
    }

    /// Checks whether neither best nor median values have improved over the window.
    fn without_improvement(&self) -> Option<Stop> {
        let Monitor { best, median, .. } = &self.state.monitor;
        let window = self.state.monitor.window(self.iterations(), &self.params);
        if !self.state.criteria.stagnation || best.len() < window {
            return None;
        }
        let ends = |history: &VecDeque<f64>| {
            let window = history.iter().skip(history.len() - window);
            (median_of(window.clone().take(COMPARED)), median_of(history.iter().rev().take(COMPARED)))
        };
        let (best, median) = (ends(best), ends(median));
        (best.1 >= best.0 && median.1 >= median.0).then_some(Stop::Stagnation { window, best, median })
    }

    /// The best value and the reference value, if there is one and the best is above it.
    fn above_reference(&self) -> Option<(f64, f64)> {
        let best = self.state.best.as_ref()?.value;
        Some((best, self.state.monitor.reference?)).filter(|(best, reference)| best > reference)
    }

    /// Checks whether σ has grown while the deviations have not. The limits differ for runs that are above their reference
    /// value and for others.
    ///
    /// Changes of D that were not learned do not count: those made by bounds, and the powers of two that σ hands over.
    fn creeping(&self) -> Option<Stop> {
        let StopCriteria { creeping, creeping_best, .. } = self.state.criteria;
        let reference = self.above_reference().map(|(_, reference)| reference);
        let limit = if reference.is_some() { creeping.or(creeping_best)? } else { creeping_best? };
        let best = self.state.best.as_ref()?.value;
        let left_by_bounds = self.state.monitor.left_by_bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let growth = (self.step_size.log2_growth() + left_by_bounds).exp2();
        let largest = self.growths().fold(0.0, f64::max);
        let creeps = growth > limit && largest < 1.0;
        creeps.then_some(Stop::Creeping { growth, limit, largest, best, reference })
    }

    /// Checks whether the run will not reach its reference value, judged by its recent gains and by the spread of a
    /// generation.
    fn abandoned(&self) -> Option<Stop> {
        let (ratio, (_, reference)) = self.state.criteria.abandon.zip(self.above_reference())?;
        let Monitor { best, median, .. } = &self.state.monitor;
        let length = self.state.monitor.history_length(&self.params);
        if best.len() < length {
            return None;
        }
        let newest = || best.iter().rev().take(length);
        let least = newest().copied().fold(f64::INFINITY, f64::min);
        let (history, spread) = (range(newest()), median.back()? - best.back()?);
        let most = ratio * (least - reference);
        // False if the window contains NaN: then its range is NaN, too.
        let is_small = history < most && spread < most;
        is_small.then_some(Stop::Abandoned { least, reference, history, spread, ratio })
    }

    /// Checks whether values are equal except for digits that do not matter.
    fn indistinguishable(&self, tolerance: f64) -> Option<Stop> {
        let Monitor { range: generation, best, .. } = &self.state.monitor;
        let (generation, length) = (*generation, self.state.monitor.short_history_length(&self.params));
        if best.len() < length {
            return None;
        }
        let newest = || best.iter().rev().take(length);
        let history = range(newest());
        // The smallest magnitude: if values fall to zero, or pass through it, no range is small compared with them.
        let magnitude = newest().fold(f64::INFINITY, |smallest, value| smallest.min(value.abs()));
        let most = tolerance * magnitude;
        let is_small = generation < most && history < most && self.has_shrunk();
        is_small.then_some(Stop::TolFunRel { generation, history, magnitude, tolerance })
    }

    /// Checks whether the geometric mean of the deviations has shrunk to a thousandth of the initial one.
    ///
    /// Steps that are tiny from the start also change values only a little, but they should grow. And whatever constant is
    /// added to f, the minimum is found to a thousandth of the initial steps.
    fn has_shrunk(&self) -> bool {
        let (sum, n) = self.growths().fold((0.0, 0.0), |(sum, n), growth| (sum + growth.ln(), n + 1.0));
        sum < n * SHRUNK.ln()
    }

    /// The largest σ·D_k·√C_kk or σ·|p_k|, relative to the initial σ0·D0_k.
    fn largest_relative_extent(&self) -> f64 {
        let path = self.strategy().shape().path.map(|path| path.p());
        let sigma = self.sigma();
        let extents = self.deviations().enumerate().map(|(k, deviation)| {
            let stride = path.map_or(0.0, |p| sigma * p[k].abs());
            deviation.max(stride) / self.state.monitor.initial_deviations[k]
        });
        extents.fold(0.0, f64::max)
    }
}

/// Returns the largest value minus the smallest; NaN or infinite if a value is.
fn range<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (mut smallest, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for &value in values {
        if value.is_nan() {
            return f64::NAN;
        }
        (smallest, largest) = (smallest.min(value), largest.max(value));
    }
    largest - smallest
}

/// Returns the median of at most [`COMPARED`] numbers; NaN counts as the largest.
fn median_of<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let mut sorted = [f64::NAN; COMPARED];
    let mut count = 0;
    for (to, from) in sorted.iter_mut().zip(values) {
        *to = if from.is_nan() { f64::INFINITY } else { *from };
        count += 1;
    }
    sorted[..count].sort_unstable_by(f64::total_cmp);
    sorted[count / 2]
}
