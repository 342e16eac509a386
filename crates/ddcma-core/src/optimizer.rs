//! Ask and tell: the lines of Algorithm 1, in order.
//!
//! This file owns the mean, the step size, the random numbers and the bookkeeping. The strategy owns the shape of the
//! distribution, with lines 8 to 10 and 12 to 17 in `strategy/diagonal_decoding.rs`. Whatever is not in Algorithm 1 is in
//! the files of `optimizer/`.

mod arrival;
mod as_run;
mod corrections;
mod injection;
mod safeguards;
mod state;
mod step_size;
mod stopping;
mod views;
mod work;

pub(crate) use state::State;
pub use views::Best;

use rand_distr::{Distribution, StandardNormal};

use state::BestSoFar;
use work::Work;

use crate::numeric::{add_scaled, squared_length, vectorized};
use crate::parts::Parts;
use crate::persist::Origin;
use crate::step_size::StepSizeAdaptation;
use crate::{
    Builder, Columns, FullPace, Generation, Missing, Params, StartError, Strategy, TellError, UpdateError, Variables,
};

/// A run of an evolution strategy. Ask for candidates, evaluate them, and tell their values.
///
/// The type parameter `S` is the strategy: the shape of the sampling distribution that it learns. Most users want `DdCma`.
/// A clone is a run of its own; nothing is shared.
///
/// ```
/// use ddcma_core::SepCma;
///
/// let sphere = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
/// let mut es = SepCma::new(&[3.0; 10], 1.0, 42)?;
/// while es.best_value() > 1e-8 {
///     let values: Vec<f64> = es.ask().iter().map(sphere).collect();
///     es.tell(&values)?;
/// }
/// assert!(es.evaluations() < 2000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Optimizer<S: Strategy> {
    pub(crate) params: Params,
    pub(crate) strategy: S,
    pub(crate) step_size: StepSizeAdaptation<S::StepSize>,
    pub(crate) state: State,
    pub(crate) parts: Parts,
    pub(crate) origin: Origin,
    pub(crate) work: Work,
}

impl<S: Strategy> Optimizer<S> {
    /// Starts at `mean` with step size `sigma` and the paper's default parameters.
    ///
    /// The solution should lie within about `mean` ± 3 `sigma` in each coordinate. Any seed is valid, including 0.
    pub fn new(mean: &[f64], sigma: f64, seed: u64) -> Result<Self, StartError> {
        Self::builder(mean, sigma).seed(seed).build()
    }

    /// Returns a [`Builder`], for a start with options.
    pub fn builder(mean: &[f64], sigma: f64) -> Builder<S> {
        Builder::new(mean, sigma)
    }

    /// Returns a [`Builder`] for a run over [`Variables`], which define the start and the initial deviations.
    ///
    /// By default, a variable starts in the middle of its range, with a fifth of the range as its deviation.
    ///
    /// ```
    /// use ddcma_core::{SepCma, Variable, Variables};
    ///
    /// let variables = Variables::new([Variable::between(1e-4, 1.0).log(), Variable::fixed(7.0)])?;
    /// let mut es = SepCma::over(&variables).seed(1).build()?;
    /// assert!((es.mean()[0] - 1e-2).abs() < 1e-12);
    /// assert!(es.ask().iter().all(|x| (1e-4..=1.0).contains(&x[0]) && x[1] == 7.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn over(variables: &Variables) -> Builder<S> {
        Builder::over(variables)
    }
}

impl<S: Strategy> Optimizer<S> {
    /// Line 1.
    pub(crate) fn start(
        params: Params,
        strategy: S,
        step_size: StepSizeAdaptation<S::StepSize>,
        state: State,
        origin: Origin,
    ) -> Self {
        let work = Work::new(params.n, state.space.dimension(), params.lambda);
        Self { params, strategy, step_size, state, parts: Parts::default(), origin, work }
    }

    /// Returns the candidates of this generation, one per column. Evaluate them in any order.
    ///
    /// They are drawn once: until their values are told, asking again returns the same points.
    pub fn ask(&mut self) -> &Columns {
        if !self.state.asked {
            // Line 3.
            let mut rng = self.state.rng.clone(); // a local one can stay in registers
            for z in self.state.z.as_mut_slice() {
                *z = StandardNormal.sample(&mut rng); // ~ N(0, I), eq. (sampling)
            }
            self.state.rng = rng;
            self.place_pair();
            self.decode(); // y and x
            self.await_values();
        }
        &self.work.x
    }

    /// Line 3, from z on.
    fn decode(&mut self) {
        let Self { strategy, step_size, state: State { mean, space, z, .. }, work: Work { y, x, .. }, .. } = self;
        strategy.sample(z, y); // y = √C·z, eq. (sampling)
        let (sigma, d) = (step_size.sigma(), strategy.shape().d);
        for (x, y) in x.iter_mut().zip(&*y) {
            vectorized(y.len(), || {
                for (((x, y), d), m) in x.iter_mut().zip(y).zip(d).zip(&*mean) {
                    let value = m + sigma * (d * y); // eq. (sampling)
                    // This matters only where `stop` calls the distribution out of range, or with given deviates.
                    *x = value.clamp(f64::MIN, f64::MAX);
                }
            });
            space.to_user(x);
        }
    }

    fn await_values(&mut self) {
        self.state.asked = true;
        self.state.open.open(self.params.lambda);
    }

    /// Recreates the candidates of a stored generation that is waiting for values.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn reopen(&mut self) {
        if self.state.asked {
            self.decode();
            for (candidate, x) in self.state.replaced.clone() {
                self.inject(candidate, &x);
            }
        }
    }

    /// Takes the function values of the asked candidates, in their order, and updates the distribution.
    ///
    /// To tell values one by one, as they arrive, use [`tell_one`](Self::tell_one).
    ///
    /// Only the order of the values matters. Ties share their weights. −∞ ranks first, and NaN ranks last, behind +∞; all
    /// NaNs are tied. In a generation with fewer than μ values below +∞, those few take the first ranks, and the others
    /// share the remaining weights, so they also affect the mean, in no particular direction. If all values are equal or NaN,
    /// every candidate has the average weight, and the distribution drifts.
    ///
    /// An error about the values themselves changes nothing. After an [update error](TellError::Update), the values are
    /// counted and the distribution is partly updated: you can still ask for points, but [`stop`](Self::stop) then returns a
    /// reason to stop. Coordinates that would exceed the largest floating-point number are set to it.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), TellError> {
        if !self.state.asked {
            return Err(TellError::NotAsked);
        }
        self.check_whole(values)?;
        self.state.open.take_all(values);
        self.iterate(Keys::Values(Missing::RankLast))
    }

    /// Checks that these can be the values of the whole generation.
    fn check_whole(&self, values: &[f64]) -> Result<(), TellError> {
        let (lambda, got, told) = (self.params.lambda, values.len(), self.state.open.told());
        if told > 0 {
            return Err(TellError::PartlyTold { told, lambda });
        }
        if got == lambda { Ok(()) } else { Err(TellError::WrongCount { expected: lambda, got }) }
    }

    /// Lines 4 to 17, and what is not in Algorithm 1: the best so far, corrections, and safeguards against overflow.
    fn iterate(&mut self, keys: Keys<'_>) -> Result<(), TellError> {
        self.remember_values(keys);
        self.take_values(); // line 4
        self.sort(keys); // line 5
        self.keep_best();
        self.correct_ranked();
        let updated = self.update(); // lines 6 to 10, 12 to 17
        let updated = updated.map_err(|error| error.renumbered(|k| self.state.space.users_index(k)));
        self.state.iterations += 1; // line 11; the strategy has its own counter for line 12
        self.keep_within_bounds();
        self.correct_updated();
        self.balance();
        let updated = updated.and_then(|()| Ok(self.check_range()?));
        self.record_generation(keys, updated.as_ref().err());
        Ok(updated?)
    }

    fn take_values(&mut self) {
        let State { asked, replaced, open, values, evaluations, .. } = &mut self.state;
        *asked = false;
        replaced.clear();
        std::mem::swap(open, values);
        open.clear();
        *evaluations += values.evaluations();
    }

    /// Line 5: gives each candidate the weights of its rank.
    fn sort(&mut self, keys: Keys<'_>) {
        let (values, params) = (&self.state.values, &self.params);
        let Work { ranking, ranked, w_mean, w, w_d, .. } = &mut self.work;
        ranked.clear();
        match keys {
            Keys::Values(_) => {
                ranked.extend((0..values.len()).map(|candidate| values.get(candidate).unwrap_or(f64::INFINITY)));
            }
            Keys::Given(keys) => ranked.extend_from_slice(keys),
        }
        let left_out = matches!(keys, Keys::Values(Missing::LeaveOut));
        ranking.sort(ranked, |candidate| !left_out || values.is_told(candidate));
        ranking.assign(ranked, &params.w_mean, w_mean);
        ranking.assign(ranked, &params.w, w);
        ranking.assign(ranked, &params.w_d, w_d);
    }

    fn keep_best(&mut self) {
        let State { values, best, evaluations, .. } = &mut self.state;
        if let Some((candidate, value, nth)) = values.better_than(best.as_ref().map(|best| best.value)) {
            let point = &self.work.x[candidate];
            let best = best.get_or_insert_with(|| BestSoFar { point: point.to_vec(), value: f64::NAN, evaluation: 0 });
            best.point.copy_from_slice(point);
            best.value = value;
            best.evaluation = *evaluations - values.evaluations() + nth;
        }
    }

    /// Lines 6 to 10, 12 to 17.
    fn update(&mut self) -> Result<(), UpdateError> {
        self.recombine();
        self.update_mean()?; // line 6
        self.prepare_step_size();
        let Self { params, strategy, step_size, state: State { z, pair, .. }, parts, work, .. } = self;
        let Work { y, z_length2, w, w_d, w_mean, z_mean, step, .. } = &*work;
        let h_sigma = step_size.update(&work.selected(*pair), params)?; // line 7
        let generation = Generation { z, y, z_length2, w, w_d, w_mean, z_mean, step, h_sigma };
        let mut full_pace = FullPace;
        let pace = parts.pace.as_deref_mut().unwrap_or(&mut full_pace);
        strategy.update(&generation, pace, params) // lines 8 to 10, 12 to 17
    }

    /// The sums over candidates that lines 6 to 10 share.
    fn recombine(&mut self) {
        let Self { strategy, state: State { z, .. }, work, .. } = self;
        let Work { y, w_mean, z_length2, z_mean, step, .. } = work;
        z_mean.fill(0.0);
        step.fill(0.0);
        for ((z, y), &w) in z.iter().zip(&*y).zip(&*w_mean) {
            if w > 0.0 {
                add_scaled(z_mean, w, z); // Σ w_i·z_i, for line 7
                add_scaled(step, w, y);
            }
        }
        for (step, d) in step.iter_mut().zip(strategy.shape().d) {
            *step *= d; // Σ w_i·D·y_i, for lines 6 and 8
        }
        for (length2, z) in z_length2.iter_mut().zip(&*z) {
            *length2 = squared_length(z); // ‖z_i‖², for lines 9 and 10
        }
    }

    /// Line 6.
    fn update_mean(&mut self) -> Result<(), UpdateError> {
        let Self { params, step_size, state: State { mean, .. }, parts, work, .. } = self;
        let Work { z_mean, step, next_mean, .. } = work;
        let rate = parts.pace.as_mut().map_or(1.0, |pace| pace.mean(z_mean));
        let c_m_sigma = rate * params.c_m * step_size.sigma();
        next_mean.copy_from_slice(mean);
        add_scaled(next_mean, c_m_sigma, step); // eq. (m), with x − m = σ·D·y
        if let Some(index) = next_mean.iter().position(|m| !m.is_finite()) {
            return Err(UpdateError::Mean { index, value: next_mean[index] });
        }
        std::mem::swap(mean, next_mean);
        Ok(())
    }
}

/// By what the candidates of a generation are ranked.
#[derive(Clone, Copy)]
enum Keys<'a> {
    /// The values told, and what happens to candidates without one.
    Values(Missing),
    /// Given numbers, one per candidate.
    Given(&'a [f64]),
}
