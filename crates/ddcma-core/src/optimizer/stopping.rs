//! Whether it is time to stop. Knows the state of a run; changes nothing of what it learns.

use std::collections::VecDeque;

use super::{State, Work};
use crate::stop::Monitor;
use crate::{Optimizer, StartError, Stop, StopCriteria, Strategy, UpdateError};

/// How many generations at either end of the window of [`Stop::Stagnation`] are compared.
const COMPARED: usize = 20;

/// The deviations, relative to the initial ones, from which on [`Stop::TolFunRel`] may end a run.
const SHRUNK: f64 = 1e-3;

impl<S: Strategy, R> Optimizer<S, R> {
    /// Other criteria, for a run that goes on after it was stopped. Time is counted on.
    pub fn set_criteria(&mut self, criteria: StopCriteria) -> Result<(), StartError> {
        criteria.check()?;
        self.state.monitor.prepare(&criteria, &self.params);
        self.state.criteria = criteria;
        Ok(())
    }

    /// Notes what the stop criteria want to know.
    pub(super) fn watch(&mut self, failure: Option<&UpdateError>) {
        let State { monitor, criteria, values, iterations, strategy, step_size, mean, .. } = &mut self.state;
        monitor.failure = failure.cloned();
        let Work { ranking, sorted, .. } = &mut self.work;
        sorted.clear();
        sorted.extend(ranking.candidates().iter().filter_map(|candidate| values.get(*candidate)));
        monitor.record(sorted, *iterations, criteria.stagnation, &self.params);
        if criteria.no_effect_axis {
            let axis = &mut self.work.axis;
            strategy.principal_axis(*iterations, axis);
            let (sigma, d) = (step_size.sigma(), strategy.shape().d);
            let steps = || axis.iter().zip(d).map(|(axis, d)| 0.1 * sigma * d * axis);
            let lost = steps().zip(&*mean).all(|(step, m)| m + step == *m);
            monitor.no_effect_axis = lost.then(|| steps().fold(0.0, |longest: f64, step| longest.max(step.abs())));
        }
    }

    /// Whether it is time to stop, and why. `None` means: go on.
    ///
    /// Criteria are evaluated on the state after the last [`tell`](Optimizer::tell), in O(n).
    pub fn stop(&self) -> Option<Stop> {
        self.target_or_budget().or_else(|| self.numerical()).or_else(|| self.stagnated())
    }

    pub(crate) fn target_or_budget(&self) -> Option<Stop> {
        let StopCriteria { target, max_evaluations, max_iterations, max_time, .. } = self.state.criteria;
        // A generation that is being told changes nothing: whoever resumes it in the middle ends where others do.
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
            let condition = (axes.longest / axes.shortest).powi(2).max(1.0); // axes that are followed may lag behind
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
                    let index = self.state.space.shown_index(index);
                    return Some(Stop::NoEffectCoordinate { index, deviation, mean });
                }
            }
        }
        self.state.criteria.tol_x_up.and_then(|limit| self.outgrown(limit))
    }

    /// Whether the deviations have grown as they do where there is no minimum.
    ///
    /// On a slope without end σ grows, and all deviations with it. To learn its scale, one coordinate may grow while the
    /// others stay, and D is there for that: it is given room, but not without end, for a function may fall for ever along
    /// one coordinate and hold the others.
    fn outgrown(&self, limit: f64) -> Option<Stop> {
        let growths =
            || self.deviations().zip(&self.state.monitor.initial_deviations).map(|(now, initial)| now / initial);
        let smallest = growths().fold(f64::INFINITY, f64::min);
        if smallest > limit {
            return Some(Stop::TolXUp { index: None, factor: smallest, limit });
        }
        let limit = limit * limit;
        let (index, factor) = growths().enumerate().find(|(_, factor)| *factor > limit)?;
        Some(Stop::TolXUp { index: Some(self.state.space.shown_index(index)), factor, limit })
    }

    pub(crate) fn stagnated(&self) -> Option<Stop> {
        let Monitor { range: generation, best, median, flat, .. } = &self.state.monitor;
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

    /// Whether values are the same but for digits that do not count.
    fn indistinguishable(&self, tolerance: f64) -> Option<Stop> {
        let Monitor { range: generation, best, .. } = &self.state.monitor;
        let (generation, length) = (*generation, self.state.monitor.short_history_length(&self.params));
        if best.len() < length {
            return None;
        }
        let newest = || best.iter().rev().take(length);
        let history = range(newest());
        // The smallest one: where values fall to zero, or pass through it, no range is small against them.
        let magnitude = newest().fold(f64::INFINITY, |smallest, value| smallest.min(value.abs()));
        let most = tolerance * magnitude;
        let is_small = generation < most && history < most && self.has_shrunk();
        is_small.then_some(Stop::TolFunRel { generation, history, magnitude, tolerance })
    }

    /// Whether the deviations are a thousandth of the initial ones, by their geometric mean.
    ///
    /// Steps that are tiny from the start change values by little, too: they should grow. And whatever constant is added to
    /// f, the minimum is found to a thousandth of the initial steps.
    fn has_shrunk(&self) -> bool {
        let growths = self.deviations().zip(&self.state.monitor.initial_deviations);
        let (sum, n) = growths.fold((0.0, 0.0), |(sum, n), (now, initial)| (sum + (now / initial).ln(), n + 1.0));
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

/// The largest minus the smallest; NaN or infinite if a number is.
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

/// The median of at most [`COMPARED`] numbers; NaNs count as the largest.
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
