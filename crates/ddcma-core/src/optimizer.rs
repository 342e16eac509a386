//! Ask and tell: the page to lay beside Algorithm 1, in the order of its lines.
//!
//! Owns the mean, the step size, the random stream and the bookkeeping; the shape of the distribution is the
//! strategy's, with lines 8 to 10 and 12 to 17 in `strategy/diagonal_decoding.rs`. Knows no objective: it hands out points
//! and takes back values. What is not in Algorithm 1 is in the files beside this one.

mod injection;
mod run;
mod safeguards;
mod views;

pub(crate) use run::Criterion;
pub use run::Interrupted;
pub use views::Best;

use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::numeric::{add_scaled, squared_length};
use crate::ranking::Ranking;
use crate::step_size::StepSize;
use crate::stop::Monitor;
use crate::{Bounds, Builder, Columns, Generation, Params, StartError, StopCriteria, Strategy, TellError, UpdateError};

/// An evolution strategy that minimises whatever function its candidates are evaluated on.
///
/// The type parameter `S` is the shape of the sampling distribution that it learns; most people want
/// `DdCma`. `R` is the random generator.
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
pub struct Optimizer<S, R = Xoshiro256PlusPlus> {
    pub(crate) params: Params,
    pub(crate) strategy: S,
    pub(crate) step_size: StepSize,
    /// m, in the space of the search: with bounds, its image in the box is the user's.
    pub(crate) mean: Vec<f64>,
    pub(crate) rng: R,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) criteria: StopCriteria,
    pub(crate) monitor: Monitor,
    /// Whether z, y and x are a generation that waits for its values.
    pub(crate) asked: bool,
    pub(crate) z: Columns,       // n × λ, ~ N(0, I)
    pub(crate) y: Columns,       // n × λ, ~ N(0, C)
    pub(crate) x: Columns,       // n × λ, ~ N(m, σ²·D·C·D), with bounds their image
    pub(crate) values: Vec<f64>, // f(x) of the last generation
    pub(crate) best: Option<BestSoFar>,
    pub(crate) evaluations: u64,
    pub(crate) iterations: u64,
    pub(crate) feasible_mean: Vec<f64>,
    pub(crate) workspace: Workspace,
}

/// The best candidate so far.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BestSoFar {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) evaluation: u64,
}

/// What a generation is worked out in. Holds nothing from one generation to the next.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    pub(crate) ranking: Ranking,
    w_mean: Vec<f64>,
    w: Vec<f64>,
    w_d: Vec<f64>,
    z_length2: Vec<f64>,
    z_mean: Vec<f64>,
    step: Vec<f64>,
    next_mean: Vec<f64>,
    /// A point from elsewhere, before bounds are applied.
    unbounded: Vec<f64>,
    /// A principal axis, for the stop criteria.
    pub(crate) axis: Vec<f64>,
    /// Values that an objective computes.
    evaluated: Vec<f64>,
}

impl Workspace {
    fn new(n: usize, lambda: usize) -> Self {
        Self {
            ranking: Ranking::new(lambda),
            w_mean: vec![0.0; lambda],
            w: vec![0.0; lambda],
            w_d: vec![0.0; lambda],
            z_length2: vec![0.0; lambda],
            z_mean: vec![0.0; n],
            step: vec![0.0; n],
            next_mean: vec![0.0; n],
            unbounded: vec![0.0; n],
            axis: vec![0.0; n],
            evaluated: Vec::new(),
        }
    }
}

impl<S: Strategy> Optimizer<S> {
    /// Starts at `mean` with step size `sigma` and the paper's default parameters.
    ///
    /// The solution is expected within about `mean` ± 3 `sigma` in each coordinate. Every seed is a seed, 0 too.
    pub fn new(mean: &[f64], sigma: f64, seed: u64) -> Result<Self, StartError> {
        Self::builder(mean, sigma).seed(seed).build()
    }

    /// Starts with other settings, see [`Builder`].
    pub fn builder(mean: &[f64], sigma: f64) -> Builder<S> {
        Builder::new(mean, sigma)
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Line 1.
    pub(crate) fn from_parts(
        params: Params,
        start: Vec<f64>,
        sigma: f64,
        d: &[f64],
        bounds: Option<Bounds>,
        criteria: StopCriteria,
        rng: R,
    ) -> Self {
        let Params { n, lambda, .. } = params;
        let mu = params.w_mean.iter().filter(|w| **w > 0.0).count();
        let monitor = Monitor::new(lambda, mu, d.iter().map(|d| sigma * d).collect(), &criteria);
        let mut mean = start.clone();
        if let Some(bounds) = &bounds {
            bounds.leave(&mut mean);
        }
        Self {
            strategy: S::new(&params, d),
            step_size: StepSize::new(n, sigma),
            mean,
            rng,
            bounds,
            criteria,
            monitor,
            asked: false,
            z: Columns::zeros(n, lambda),
            y: Columns::zeros(n, lambda),
            x: Columns::zeros(n, lambda),
            values: Vec::with_capacity(lambda),
            best: None,
            evaluations: 0,
            iterations: 0,
            feasible_mean: start,
            workspace: Workspace::new(n, lambda),
            params,
        }
    }
}

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    /// The candidates of this generation, one a column, to be evaluated in any order.
    ///
    /// They are drawn once: until their values are told, asking again returns the same points.
    pub fn ask(&mut self) -> &Columns {
        if !self.asked {
            // Line 3.
            for z in self.z.as_mut_slice() {
                *z = StandardNormal.sample(&mut self.rng); // ~ N(0, I), eq. (sampling)
            }
            self.decode(); // y and x
        }
        &self.x
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Line 3, from z on.
    pub(crate) fn decode(&mut self) {
        self.strategy.sample(&self.z, &mut self.y); // y = √C·z, eq. (sampling)
        let (sigma, d) = (self.step_size.sigma(), self.strategy.d());
        for (x, y) in self.x.iter_mut().zip(&self.y) {
            for (((x, y), d), m) in x.iter_mut().zip(y).zip(d).zip(&self.mean) {
                let value = m + sigma * (d * y); // eq. (sampling)
                // Only where `stop` calls the distribution out of range, or by deviates that were given.
                *x = value.clamp(f64::MIN, f64::MAX);
            }
            if let Some(bounds) = &self.bounds {
                bounds.enter(x);
            }
        }
        self.asked = true;
    }

    /// Takes the function values of the asked candidates, in their order, and updates the distribution.
    ///
    /// Only the order of the values matters. Ties share their weights; −∞ ranks first, NaN last, behind +∞, and all NaNs
    /// are tied. In a generation with fewer than μ values below +∞, those few take the first ranks, and the others share
    /// the weights that are left: they pull at the mean, too, in no particular direction. If all values are equal, or all
    /// are NaN, every candidate has the average weight, and the distribution drifts.
    ///
    /// An error about the values themselves changes nothing. After an [update error](TellError::Update) the values are
    /// counted, and the distribution is as far as it came: points can still be asked for, and [`stop`](Self::stop) says
    /// why not to. Coordinates beyond the largest number are then at the largest number.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), TellError> {
        if !self.asked {
            return Err(TellError::NotAsked);
        }
        self.check_count(values)?;
        self.iterate(values)
    }

    fn check_count(&self, values: &[f64]) -> Result<(), TellError> {
        let (expected, got) = (self.params.lambda, values.len());
        if got == expected { Ok(()) } else { Err(TellError::WrongCount { expected, got }) }
    }

    /// Lines 4 to 17, and what is not in Algorithm 1: the best so far, bounds, and care for the range of numbers.
    fn iterate(&mut self, values: &[f64]) -> Result<(), TellError> {
        self.take(values); // line 4
        self.sort(); // line 5
        self.keep_best();
        let updated = self.update(); // lines 6 to 10, 12 to 17
        self.iterations += 1; // line 11: the strategy counts for itself what line 12 asks for
        self.keep_within_bounds();
        self.balance();
        let updated = updated.and_then(|()| Ok(self.check_range()?));
        self.watch(updated.as_ref().err());
        Ok(updated?)
    }

    fn take(&mut self, values: &[f64]) {
        self.asked = false;
        self.values.clear();
        self.values.extend_from_slice(values);
        self.evaluations += values.len() as u64;
    }

    /// Line 5: to each candidate the weights of its rank.
    fn sort(&mut self) {
        let Workspace { ranking, w_mean, w, w_d, .. } = &mut self.workspace;
        ranking.sort(&self.values);
        ranking.assign(&self.values, &self.params.w_mean, w_mean);
        ranking.assign(&self.values, &self.params.w, w);
        ranking.assign(&self.values, &self.params.w_d, w_d);
    }

    fn keep_best(&mut self) {
        let candidate = self.workspace.ranking.candidate(0);
        let value = self.values[candidate];
        // The first value is the best so far even at +∞: it is of a point that was evaluated.
        if self.best.as_ref().map_or(!value.is_nan(), |best| value < best.value) {
            let n = self.params.n;
            let best = self.best.get_or_insert_with(|| BestSoFar { point: vec![0.0; n], value, evaluation: 0 });
            best.point.copy_from_slice(&self.x[candidate]);
            best.value = value;
            best.evaluation = self.evaluations - self.params.lambda as u64 + candidate as u64 + 1;
        }
    }

    /// Lines 6 to 10, 12 to 17.
    fn update(&mut self) -> Result<(), UpdateError> {
        self.recombine();
        self.update_mean()?; // line 6
        let h_sigma = self.step_size.update(&self.workspace.z_mean, &self.params)?; // line 7
        let generation = Generation {
            z: &self.z,
            y: &self.y,
            z_length2: &self.workspace.z_length2,
            w: &self.workspace.w,
            w_d: &self.workspace.w_d,
            w_mean: &self.workspace.w_mean,
            z_mean: &self.workspace.z_mean,
            step: &self.workspace.step,
            h_sigma,
        };
        self.strategy.update(&generation, &self.params) // lines 8 to 10, 12 to 17
    }

    /// The sums over candidates that lines 6 to 10 share.
    fn recombine(&mut self) {
        let Workspace { w_mean, z_length2, z_mean, step, .. } = &mut self.workspace;
        z_mean.fill(0.0);
        step.fill(0.0);
        for ((z, y), &w) in self.z.iter().zip(&self.y).zip(&*w_mean) {
            if w > 0.0 {
                add_scaled(z_mean, w, z); // Σ w_i·z_i, for line 7
                add_scaled(step, w, y);
            }
        }
        for (step, d) in step.iter_mut().zip(self.strategy.d()) {
            *step *= d; // Σ w_i·D·y_i, for lines 6 and 8
        }
        for (length2, z) in z_length2.iter_mut().zip(&self.z) {
            *length2 = squared_length(z); // ‖z_i‖², for lines 9 and 10
        }
    }

    /// Line 6.
    fn update_mean(&mut self) -> Result<(), UpdateError> {
        let c_m_sigma = self.params.c_m * self.step_size.sigma();
        let next_mean = &mut self.workspace.next_mean;
        next_mean.copy_from_slice(&self.mean);
        add_scaled(next_mean, c_m_sigma, &self.workspace.step); // eq. (m), with x − m = σ·D·y
        if let Some(index) = next_mean.iter().position(|m| !m.is_finite()) {
            return Err(UpdateError::Mean { index, value: next_mean[index] });
        }
        std::mem::swap(&mut self.mean, next_mean);
        Ok(())
    }
}
