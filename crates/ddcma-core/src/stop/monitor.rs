//! What the criteria remember of past generations. Knows values and their order; decides nothing.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::StopCriteria;
use crate::UpdateError;
use crate::ranking::Ranking;

/// The longest window of [`Stop::Stagnation`](super::Stop::Stagnation).
const LONGEST_WINDOW: usize = 20_000;

/// What the criteria remember of past generations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Monitor {
    n: usize,
    lambda: usize,
    /// The number of weights of the mean that are positive.
    mu: usize,
    /// σ0·D0.
    pub(crate) initial_deviations: Vec<f64>,
    /// The range of the values of the last generation.
    pub(crate) range: f64,
    /// Best and median values of the last generations, the newest last.
    pub(crate) best: VecDeque<f64>,
    pub(crate) median: VecDeque<f64>,
    /// Whether the last generations were flat.
    pub(crate) flat: VecDeque<bool>,
    pub(crate) not_finite: u64,
    /// The longest coordinate of a step along a principal axis that was lost.
    pub(crate) no_effect_axis: Option<f64>,
    pub(crate) failure: Option<UpdateError>,
    /// Time that passed before `started`, in earlier lives of the run.
    pub(crate) elapsed: Duration,
    started: Option<Instant>,
}

impl Monitor {
    pub(crate) fn new(lambda: usize, mu: usize, initial_deviations: Vec<f64>, criteria: &StopCriteria) -> Self {
        let n = initial_deviations.len();
        let mut monitor = Self {
            n,
            lambda,
            mu,
            initial_deviations,
            range: f64::NAN,
            best: VecDeque::new(),
            median: VecDeque::new(),
            flat: VecDeque::new(),
            not_finite: 0,
            no_effect_axis: None,
            failure: None,
            elapsed: Duration::ZERO,
            started: None,
        };
        monitor.prepare(criteria);
        monitor
    }

    /// Makes room for all that will be remembered, and starts the clock if somebody wants to know the time.
    pub(crate) fn prepare(&mut self, criteria: &StopCriteria) {
        let longest = if criteria.stagnation { LONGEST_WINDOW } else { 0 }.max(self.history_length());
        let missing = |length: usize, needed: usize| (needed + 1).saturating_sub(length);
        self.best.reserve_exact(missing(self.best.len(), longest));
        self.median.reserve_exact(missing(self.median.len(), longest));
        self.flat.reserve_exact(missing(self.flat.len(), self.flat_window()));
        self.started = criteria.max_time.map(|_| Instant::now());
    }

    /// 10 + ⌈30 n/λ⌉ generations.
    pub(super) fn history_length(&self) -> usize {
        10 + (30 * self.n).div_ceil(self.lambda)
    }

    /// n generations, and at least ten: one plateau should not end a search of few variables.
    pub(crate) fn flat_window(&self) -> usize {
        self.n.max(10)
    }

    /// ⌈0.2 t + 120 + 30 n/λ⌉ generations, and not more than are remembered.
    pub(super) fn window(&self, iterations: u64) -> usize {
        let window = 0.2 * iterations as f64 + 120.0 + 30.0 * self.n as f64 / self.lambda as f64;
        (window.ceil() as usize).min(LONGEST_WINDOW)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed.saturating_add(self.started.map_or(Duration::ZERO, |started| started.elapsed()))
    }

    /// Takes in the values of a generation.
    pub(crate) fn record(&mut self, values: &[f64], ranking: &Ranking, iterations: u64, stagnation: bool) {
        let at = |rank: usize| values[ranking.candidate(rank)];
        let (best, worst) = (at(0), at(self.lambda - 1));
        self.range = worst - best;

        let longest = if stagnation { self.window(iterations) } else { 0 }.max(self.history_length());
        for (history, value) in [(&mut self.best, best), (&mut self.median, at(self.lambda / 2))] {
            history.push_back(value);
            while history.len() > longest {
                history.pop_front();
            }
        }

        // Counted from 1, and never the best alone, which is as good as itself.
        let quarter = ((0.1 + self.lambda as f64 / 4.0).ceil() as usize).max(2);
        // Values that are all missing are another matter: see `not_finite`.
        self.flat.push_back(best == at(quarter - 1) && best < f64::INFINITY);
        if self.flat.len() > self.flat_window() {
            self.flat.pop_front();
        }

        let finite = values.iter().filter(|value| **value < f64::INFINITY).count(); // not NaN either
        self.not_finite = if finite < self.mu { self.not_finite + 1 } else { 0 };
    }
}
