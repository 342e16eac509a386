//! Ask and tell: the page to lay beside Algorithm 1.
//!
//! Owns the mean, the step size, the random stream and the bookkeeping; the shape of the distribution is the
//! strategy's. Knows no objective: it hands out points and takes back values.

use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::numeric::{FAR, add_scaled, is_in_range, power_of_two, squared_length};
use crate::ranking::Ranking;
use crate::step_size::StepSize;
use crate::stop::Monitor;
use crate::{
    AskError, Bounds, Builder, Columns, EvolutionPath, Generation, InjectError, Params, StartError, Stops, Strategy,
    TellError, UpdateError,
};

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
    pub(crate) stops: Stops,
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
    workspace: Workspace,
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
struct Workspace {
    ranking: Ranking,
    w_mean: Vec<f64>,
    w: Vec<f64>,
    w_d: Vec<f64>,
    z_length2: Vec<f64>,
    z_mean: Vec<f64>,
    step: Vec<f64>,
    next_mean: Vec<f64>,
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
        }
    }
}

/// The best candidate so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best<'a> {
    /// Where it is.
    pub point: &'a [f64],
    /// Its function value.
    pub value: f64,
    /// The number of its evaluation, counted from 1.
    pub evaluation: u64,
}

impl<S: Strategy> Optimizer<S> {
    /// Starts at `mean` with step size `sigma` and the paper's default parameters.
    ///
    /// The solution is expected within about `mean` ± 2–3 `sigma` in each coordinate. Every seed is a seed, 0 too.
    pub fn new(mean: &[f64], sigma: f64, seed: u64) -> Result<Self, StartError> {
        Self::builder(mean, sigma).seed(seed).build()
    }

    /// Starts with other settings, see [`Builder`].
    pub fn builder(mean: &[f64], sigma: f64) -> Builder<S> {
        Builder::new(mean, sigma)
    }
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Algorithm 1, line 1.
    pub(crate) fn from_parts(
        params: Params,
        start: Vec<f64>,
        sigma: f64,
        d: &[f64],
        bounds: Option<Bounds>,
        stops: Stops,
        rng: R,
    ) -> Self {
        let Params { n, lambda, .. } = params;
        let mu = params.w_mean.iter().filter(|w| **w > 0.0).count();
        let monitor = Monitor::new(lambda, mu, d.iter().map(|d| sigma * d).collect(), &stops);
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
            stops,
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

    /// Like [`ask`](Self::ask), with given standard normal vectors (n × λ) in place of drawn ones.
    ///
    /// A generation that was asked before and not told is replaced. The random stream does not move.
    pub fn ask_with(&mut self, z: &Columns) -> Result<&Columns, AskError> {
        let expected = (self.params.n, self.params.lambda);
        let got = (z.rows(), z.len());
        if got != expected {
            return Err(AskError::WrongShape { expected, got });
        }
        if let Some(position) = z.as_slice().iter().position(|z| !z.is_finite()) {
            let (candidate, index) = (position / self.params.n, position % self.params.n);
            return Err(AskError::NotFinite { candidate, index, value: z[candidate][index] });
        }
        self.z.clone_from(z);
        self.decode();
        Ok(&self.x)
    }

    /// Algorithm 1, line 3, from z on.
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

    /// Takes points from elsewhere, with their values, in place of the asked ones: from another optimizer, from a repair
    /// of candidates, from evaluations that came late.
    ///
    /// There must be λ of them. A point that is the asked one in its place, to the bit, counts as that. Any other is
    /// taken for a step z = (σ·D·√C)⁻¹·(x − m), shortened to ‖z‖ ≤ √n + 2n/(n + 2) (Hansen, "Injecting external solutions
    /// into CMA-ES", 2011), so that one far point cannot blow the distribution up. Such points were not drawn from it, so
    /// that the update loses its stationarity: what the paper proves for random functions no longer holds, and a stream
    /// of bad points can mislead the search. The told point itself, at its full length, can become the best.
    pub fn tell_points(&mut self, points: &Columns, values: &[f64]) -> Result<(), InjectError> {
        let expected = (self.params.n, self.params.lambda);
        let got = (points.rows(), points.len());
        if got != expected {
            return Err(InjectError::WrongShape { expected, got });
        }
        self.check_count(values)?;
        for (candidate, x) in points.iter().enumerate() {
            let outside = self.bounds.as_ref().and_then(|bounds| bounds.violated_by(x));
            if let Some(index) = x.iter().position(|x| !x.is_finite()).or(outside) {
                return Err(InjectError::Point { candidate, index, value: x[index] });
            }
        }
        for (candidate, x) in points.iter().enumerate() {
            if !(self.asked && self.x[candidate] == *x) {
                self.inject(candidate, x);
            }
        }
        Ok(self.iterate(values)?)
    }

    /// Makes a point from elsewhere a candidate.
    fn inject(&mut self, candidate: usize, x: &[f64]) {
        self.x[candidate].copy_from_slice(x);
        let step = &mut self.workspace.step;
        step.copy_from_slice(x);
        if let Some(bounds) = &self.bounds {
            bounds.leave_towards(step, &self.mean);
        }
        let sigma = self.step_size.sigma();
        for (((y, x), m), d) in self.y[candidate].iter_mut().zip(step).zip(&self.mean).zip(self.strategy.d()) {
            // Twice the limit of f64 is nowhere near a candidate; there, only the direction is lost.
            *y = ((*x - m) / sigma / d).clamp(-1e150, 1e150);
        }
        self.strategy.whiten(&self.y[candidate], &mut self.z[candidate]);
        let n = self.params.n as f64;
        let longest = n.sqrt() + 2.0 * n / (n + 2.0);
        let shortening = longest / squared_length(&self.z[candidate]).sqrt();
        if shortening < 1.0 {
            self.z[candidate].iter_mut().for_each(|z| *z *= shortening);
            self.y[candidate].iter_mut().for_each(|y| *y *= shortening);
        }
    }

    fn check_count(&self, values: &[f64]) -> Result<(), TellError> {
        let (expected, got) = (self.params.lambda, values.len());
        if got == expected { Ok(()) } else { Err(TellError::WrongCount { expected, got }) }
    }

    /// Algorithm 1, from line 5 on, and the bookkeeping around it.
    fn iterate(&mut self, values: &[f64]) -> Result<(), TellError> {
        self.asked = false;
        self.iterations += 1; // line 11
        self.values.clear();
        self.values.extend_from_slice(values);
        self.rank(); // line 5
        let updated = self.update();
        self.keep_within_bounds();
        self.balance();
        let out_of_range = |(index, mean, deviation)| UpdateError::OutOfRange { index, mean, deviation };
        let updated = updated.and_then(|()| self.check_range().map_err(out_of_range));
        self.watch(updated.as_ref().err());
        Ok(updated?)
    }

    fn rank(&mut self) {
        let Workspace { ranking, w_mean, w, w_d, .. } = &mut self.workspace;
        ranking.sort(&self.values);
        let candidate = ranking.candidate(0);
        let value = self.values[candidate];
        // The first value is the best so far even at +∞: it is of a point that was evaluated.
        if self.best.as_ref().map_or(!value.is_nan(), |best| value < best.value) {
            let n = self.params.n;
            let best = self.best.get_or_insert_with(|| BestSoFar { point: vec![0.0; n], value, evaluation: 0 });
            best.point.copy_from_slice(&self.x[candidate]);
            best.value = value;
            best.evaluation = self.evaluations + candidate as u64 + 1;
        }
        self.evaluations += self.params.lambda as u64;
        ranking.assign(&self.values, &self.params.w_mean, w_mean);
        ranking.assign(&self.values, &self.params.w, w);
        ranking.assign(&self.values, &self.params.w_d, w_d);
    }

    /// Algorithm 1, lines 6 to 17.
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

    /// Σ w_i·z_i and Σ w_i·D·y_i, with the weights of the mean.
    fn recombine(&mut self) {
        let Workspace { w_mean, z_length2, z_mean, step, .. } = &mut self.workspace;
        z_mean.fill(0.0);
        step.fill(0.0);
        for ((z, y), &w) in self.z.iter().zip(&self.y).zip(&*w_mean) {
            if w > 0.0 {
                add_scaled(z_mean, w, z); // Σ w_i·z_i
                add_scaled(step, w, y); // Σ w_i·y_i
            }
        }
        for (step, d) in step.iter_mut().zip(self.strategy.d()) {
            *step *= d; // Σ w_i·D·y_i
        }
        for (length2, z) in z_length2.iter_mut().zip(&self.z) {
            *length2 = squared_length(z); // ‖z_i‖²
        }
    }

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

    /// Deviations beyond a third of a coordinate's range would only be mirrored back into it.
    fn keep_within_bounds(&mut self) {
        let Some(bounds) = &self.bounds else { return };
        let sigma = self.step_size.sigma();
        self.strategy.limit_deviations(bounds.largest_deviations().map(|largest| largest / sigma));
        self.feasible_mean.copy_from_slice(&self.mean);
        bounds.enter(&mut self.feasible_mean);
    }

    /// Not in Algorithm 1: σ and D may drift apart for ever while their product stays: on a function without trend D shrinks in the mean, and σ
    /// makes up for it. Long before one of them leaves the range of floating point, D takes a power of two from σ. That changes
    /// no bit of the distribution.
    fn balance(&mut self) {
        let sigma = self.step_size.sigma();
        let (shortest, longest) = self.strategy.d().iter().fold((f64::MAX, 0.0), |(a, b), d| (d.min(a), d.max(b)));
        let drifted = (sigma > FAR && longest < 1.0 / FAR) || (sigma < 1.0 / FAR && shortest > FAR);
        if drifted {
            let factor = power_of_two(sigma);
            let fits = (shortest * factor).is_normal() && (longest * factor).is_normal();
            if fits && self.strategy.rescale(factor) {
                self.step_size.divide(factor);
            }
        }
    }

    /// Whether the next candidates will be numbers: the run must end before one is not.
    ///
    /// If not: the coordinate, its mean and its deviation.
    pub(crate) fn check_range(&self) -> Result<(), (usize, f64, f64)> {
        let sigma = self.step_size.sigma();
        let variances = self.strategy.c_diagonal();
        for (index, (&mean, &d)) in self.mean.iter().zip(self.strategy.d()).enumerate() {
            let shape = d * variances.map_or(1.0, |c| c[index].sqrt());
            if !is_in_range(mean, sigma, shape) {
                return Err((index, mean, sigma * shape));
            }
        }
        Ok(())
    }

    /// Notes what the stop criteria want to know.
    fn watch(&mut self, failure: Option<&UpdateError>) {
        self.monitor.failure = failure.cloned();
        self.monitor.record(&self.values, &self.workspace.ranking, self.iterations, self.stops.stagnation);
        if self.stops.no_effect_axis {
            let axis = &mut self.workspace.next_mean;
            self.strategy.principal_axis(self.iterations, axis);
            let sigma = self.step_size.sigma();
            let steps = || axis.iter().zip(self.strategy.d()).map(|(axis, d)| 0.1 * sigma * d * axis);
            let lost = steps().zip(&self.mean).all(|(step, m)| m + step == *m);
            self.monitor.no_effect_axis = lost.then(|| steps().fold(0.0, |longest: f64, step| longest.max(step.abs())));
        }
    }

    /// Other criteria, for a run that goes on after it was stopped. Time is counted on.
    pub fn set_stops(&mut self, stops: Stops) -> Result<(), StartError> {
        stops.check()?;
        self.monitor.elapsed = self.monitor.elapsed();
        self.monitor.prepare(&stops);
        self.stops = stops;
        Ok(())
    }

    /// The best point that was told a value, unless all values were NaN.
    pub fn best(&self) -> Option<Best<'_>> {
        let BestSoFar { point, value, evaluation } = self.best.as_ref()?;
        Some(Best { point, value: *value, evaluation: *evaluation })
    }

    /// The best function value; +∞ as long as there is none.
    pub fn best_value(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |best| best.value)
    }

    /// m, the centre of the distribution: often a better estimate of the solution than the best point.
    ///
    /// With bounds, its image in the box.
    pub fn mean(&self) -> &[f64] {
        if self.bounds.is_some() { &self.feasible_mean } else { &self.mean }
    }

    /// σ, the step size.
    pub fn sigma(&self) -> f64 {
        self.step_size.sigma()
    }

    /// The diagonal of D.
    pub fn d(&self) -> &[f64] {
        self.strategy.d()
    }

    /// C, an n × n matrix made on request. The covariance of the distribution is σ²·D·C·D.
    pub fn c(&self) -> Columns {
        self.strategy.c()
    }

    /// p_σ and γ_σ.
    pub fn path_sigma(&self) -> &EvolutionPath {
        self.step_size.path()
    }

    /// The strategy, for what only some of them have.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// The strategy parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The values of the last generation, in the order of its candidates; empty before the first.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of function values told.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The number of generations told.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }
}

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    /// The candidates of this generation, one a column, to be evaluated in any order.
    ///
    /// They are drawn once: until their values are told, asking again returns the same points.
    pub fn ask(&mut self) -> &Columns {
        if !self.asked {
            for z in self.z.as_mut_slice() {
                *z = StandardNormal.sample(&mut self.rng); // ~ N(0, I), eq. (sampling)
            }
            self.decode();
        }
        &self.x
    }
}
