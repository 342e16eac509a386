//! What the stop criteria remember of past generations.

use std::collections::VecDeque;

use super::StopCriteria;
use super::clock::Clock;
use crate::stored::stored;
use crate::{Params, UpdateError};

/// The longest window of [`Stop::Stagnation`](super::Stop::Stagnation).
const LONGEST_WINDOW: usize = 20_000;

stored! {
    /// What the stop criteria remember of past generations.
    #[derive(Clone, Debug)]
    pub(crate) struct Monitor {
        /// σ0·D0, with the deviations of C0.
        pub(crate) initial_deviations: Vec<f64>,
        /// The binary logarithm of the factor to which bounds have reduced each D_k.
        pub(crate) left_by_bounds: Vec<f64>,
        /// The range of the values of the last generation.
        pub(crate) range: f64,
        /// Best and median values of the last generations, the newest last.
        pub(crate) best: VecDeque<f64>,
        pub(crate) median: VecDeque<f64>,
        /// Whether the last generations were flat.
        pub(crate) flat: VecDeque<bool>,
        pub(crate) not_finite: u64,
        /// The largest coordinate of a step along a principal axis that had no effect.
        pub(crate) no_effect_axis: Option<f64>,
        pub(crate) failure: Option<UpdateError>,
        /// The value that a run must be able to reach.
        pub(crate) reference: Option<f64>,
        pub(crate) clock: Clock,
    }
}

impl Monitor {
    pub(crate) fn new(initial_deviations: Vec<f64>, criteria: &StopCriteria, params: &Params) -> Self {
        let mut monitor = Self {
            left_by_bounds: vec![0.0; initial_deviations.len()],
            initial_deviations,
            range: f64::NAN,
            best: VecDeque::new(),
            median: VecDeque::new(),
            flat: VecDeque::new(),
            not_finite: 0,
            no_effect_axis: None,
            failure: None,
            reference: None,
            clock: Clock::default(),
        };
        monitor.prepare(criteria, params);
        monitor
    }

    /// Allocates room for the whole history, and starts the clock if there is a time budget.
    pub(crate) fn prepare(&mut self, criteria: &StopCriteria, params: &Params) {
        let longest = if criteria.stagnation { LONGEST_WINDOW } else { 0 }.max(self.history_length(params));
        let missing = |length: usize, needed: usize| (needed + 1).saturating_sub(length);
        self.best.reserve_exact(missing(self.best.len(), longest));
        self.median.reserve_exact(missing(self.median.len(), longest));
        self.flat.reserve_exact(missing(self.flat.len(), self.flat_window(params)));
        self.clock.run(criteria.max_time.is_some());
    }

    /// Makes a stored monitor ready for use, if it belongs to such a run.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn resume(
        &mut self,
        criteria: &StopCriteria,
        iterations: u64,
        params: &Params,
    ) -> Result<(), &'static str> {
        let check = |good: bool, what| if good { Ok(()) } else { Err(what) };
        let positive = self.initial_deviations.iter().all(|number| *number > 0.0 && number.is_finite());
        check(self.initial_deviations.len() == params.n && positive, "the initial deviations")?;
        let shortened = self.left_by_bounds.iter().all(|number| *number <= 0.0 && number.is_finite());
        check(self.left_by_bounds.len() == params.n && shortened, "what bounds have left of D")?;
        check(self.not_finite <= iterations, "the counts")?;
        let remembered = self.best.len();
        check(remembered == self.median.len() && remembered as u64 <= iterations, "the history")?;
        check(self.flat.len() <= self.flat_window(params), "the history of flat generations")?;
        check(!self.reference.is_some_and(f64::is_nan), "the reference value")?;
        self.prepare(criteria, params);
        Ok(())
    }

    /// 10 + ⌈30 n/λ⌉ generations.
    pub(crate) fn history_length(&self, params: &Params) -> usize {
        10 + (30 * params.n).div_ceil(params.lambda)
    }

    /// Half of the history, but at least ten generations: on easy functions, the other half would take a third of the run.
    pub(crate) fn short_history_length(&self, params: &Params) -> usize {
        self.history_length(params).div_ceil(2).max(10)
    }

    /// n generations, at least ten: a single plateau should not end a search of few variables.
    pub(crate) fn flat_window(&self, params: &Params) -> usize {
        params.n.max(10)
    }

    /// ⌈0.2 t + 120 + 30 n/λ⌉ generations, at most as many as are remembered.
    pub(crate) fn window(&self, iterations: u64, params: &Params) -> usize {
        let window = 0.2 * iterations as f64 + 120.0 + 30.0 * params.n as f64 / params.lambda as f64;
        (window.ceil() as usize).min(LONGEST_WINDOW)
    }

    /// Records that bounds have reduced each D_k to this share of its value.
    pub(crate) fn note_shortened(&mut self, shares: &[f64]) {
        for (left, share) in self.left_by_bounds.iter_mut().zip(shares).filter(|(_, share)| **share < 1.0) {
            *left += share.log2().max(-1e3); // also if the share is 0
        }
    }

    /// Records the values of a generation that were told, and the keys by which its candidates were ranked, the best first. There is at
    /// least one key.
    pub(crate) fn record(&mut self, told: &[f64], keys: &[f64], iterations: u64, stagnation: bool, params: &Params) {
        if let [best, ..] = told {
            // A single value has no spread.
            let others = told.len() > 1;
            self.range = if others { told[told.len() - 1] - best } else { f64::NAN };
            let median = if others { told[told.len() / 2] } else { f64::NAN };
            let longest = if stagnation { self.window(iterations, params) } else { 0 }.max(self.history_length(params));
            for (history, value) in [(&mut self.best, *best), (&mut self.median, median)] {
                history.push_back(value);
                while history.len() > longest {
                    history.pop_front();
                }
            }
        }

        // Counted from 1, and never the best value alone, which always equals itself.
        let quarter = ((0.1 + keys.len() as f64 / 4.0).ceil() as usize).max(2).min(keys.len());
        // Generations without any finite value are handled elsewhere: see `not_finite`.
        let is_flat = keys.len() > 1 && keys[0] == keys[quarter - 1] && keys[0] < f64::INFINITY;
        self.flat.push_back(is_flat);
        if self.flat.len() > self.flat_window(params) {
            self.flat.pop_front();
        }

        let finite = keys.iter().filter(|value| **value < f64::INFINITY).count(); // excludes NaN, too
        self.not_finite = if finite < params.mu() { self.not_finite + 1 } else { 0 };
    }
}
