//! Ask and tell: the page to lay beside Algorithm 1.
//!
//! Owns the mean, the step size, the random stream and the bookkeeping; the shape of the distribution is the
//! strategy's. Knows no objective: it hands out points and takes back values.

use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::numeric::{add_scaled, squared_length};
use crate::ranking::Ranking;
use crate::step_size::StepSize;
use crate::{
    AskError, Builder, Columns, EvolutionPath, Generation, Params, StartError, Strategy, TellError, UpdateError,
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
    params: Params,
    strategy: S,
    step_size: StepSize,
    mean: Vec<f64>,
    rng: R,
    /// Whether z, y and x are a generation that waits for its values.
    asked: bool,
    z: Columns, // n × λ, ~ N(0, I)
    y: Columns, // n × λ, ~ N(0, C)
    x: Columns, // n × λ, ~ N(m, σ²·D·C·D)
    z_length2: Vec<f64>,
    ranking: Ranking,
    w_mean: Vec<f64>,
    w: Vec<f64>,
    w_d: Vec<f64>,
    z_mean: Vec<f64>,
    step: Vec<f64>,
    next_mean: Vec<f64>,
    best_point: Vec<f64>,
    best_value: f64,
    best_evaluation: u64,
    evaluations: u64,
    iterations: u64,
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

impl<S: Strategy, R: Rng> Optimizer<S, R> {
    pub(crate) fn from_parts(params: Params, mean: Vec<f64>, sigma: f64, d: &[f64], rng: R) -> Self {
        let Params { n, lambda, .. } = params;
        Self {
            strategy: S::new(&params, d),
            step_size: StepSize::new(n, sigma),
            mean,
            rng,
            asked: false,
            z: Columns::zeros(n, lambda),
            y: Columns::zeros(n, lambda),
            x: Columns::zeros(n, lambda),
            z_length2: vec![0.0; lambda],
            ranking: Ranking::new(lambda),
            w_mean: vec![0.0; lambda],
            w: vec![0.0; lambda],
            w_d: vec![0.0; lambda],
            z_mean: vec![0.0; n],
            step: vec![0.0; n],
            next_mean: vec![0.0; n],
            best_point: vec![f64::NAN; n],
            best_value: f64::INFINITY,
            best_evaluation: 0,
            evaluations: 0,
            iterations: 0,
            params,
        }
    }

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
    fn decode(&mut self) {
        self.strategy.sample(&self.z, &mut self.y); // y = √C·z, eq. (sampling)
        let (sigma, d) = (self.step_size.sigma(), self.strategy.d());
        for (x, y) in self.x.iter_mut().zip(&self.y) {
            for (((x, y), d), m) in x.iter_mut().zip(y).zip(d).zip(&self.mean) {
                *x = m + sigma * (d * y); // eq. (sampling)
            }
        }
        self.asked = true;
    }

    /// Takes the function values of the asked candidates, in their order, and updates the distribution.
    ///
    /// Only the order of the values matters. Ties share their weights; NaN ranks last, behind +∞, and all NaNs are
    /// tied. A generation without any finite value, or of one value only, is all ties: every candidate has the average
    /// weight, and the distribution drifts without a direction.
    ///
    /// An error about the values themselves changes nothing. After an [update error](TellError::Update) the values are
    /// counted, and the distribution is as far as it came: points can still be asked for.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), TellError> {
        if !self.asked {
            return Err(TellError::NotAsked);
        }
        if values.len() != self.params.lambda {
            return Err(TellError::WrongCount { expected: self.params.lambda, got: values.len() });
        }
        self.asked = false;
        self.iterations += 1; // line 11
        self.rank(values); // line 5
        self.recombine();
        self.update_mean()?; // line 6
        let h_sigma = self.step_size.update(&self.z_mean, &self.params)?; // line 7
        let generation = Generation {
            z: &self.z,
            y: &self.y,
            z_length2: &self.z_length2,
            w: &self.w,
            w_d: &self.w_d,
            w_mean: &self.w_mean,
            z_mean: &self.z_mean,
            step: &self.step,
            h_sigma,
        };
        Ok(self.strategy.update(&generation, &self.params)?) // lines 8 to 10, 12 to 17
    }

    fn rank(&mut self, values: &[f64]) {
        self.ranking.sort(values);
        let best = self.ranking.best();
        // The first candidate is the best so far even at +∞: it is a point that was evaluated.
        if values[best] < self.best_value || (self.best_evaluation == 0 && !values[best].is_nan()) {
            self.best_value = values[best];
            self.best_point.copy_from_slice(&self.x[best]);
            self.best_evaluation = self.evaluations + best as u64 + 1;
        }
        self.evaluations += self.params.lambda as u64;
        self.ranking.assign(values, &self.params.w_mean, &mut self.w_mean);
        self.ranking.assign(values, &self.params.w, &mut self.w);
        self.ranking.assign(values, &self.params.w_d, &mut self.w_d);
    }

    /// Σ w_i·z_i and Σ w_i·D·y_i over the positive weights.
    fn recombine(&mut self) {
        self.z_mean.fill(0.0);
        self.step.fill(0.0);
        for ((z, y), &w) in self.z.iter().zip(&self.y).zip(&self.w_mean) {
            if w > 0.0 {
                add_scaled(&mut self.z_mean, w, z); // Σ w_i·z_i
                add_scaled(&mut self.step, w, y); // Σ w_i·y_i
            }
        }
        for (step, d) in self.step.iter_mut().zip(self.strategy.d()) {
            *step *= d; // Σ w_i·D·y_i
        }
        for (length2, z) in self.z_length2.iter_mut().zip(&self.z) {
            *length2 = squared_length(z);
        }
    }

    fn update_mean(&mut self) -> Result<(), UpdateError> {
        let c_m_sigma = self.params.c_m * self.step_size.sigma();
        self.next_mean.copy_from_slice(&self.mean);
        add_scaled(&mut self.next_mean, c_m_sigma, &self.step); // eq. (m), with x − m = σ·D·y
        if let Some(index) = self.next_mean.iter().position(|m| !m.is_finite()) {
            return Err(UpdateError::Mean { index, value: self.next_mean[index] });
        }
        std::mem::swap(&mut self.mean, &mut self.next_mean);
        Ok(())
    }

    /// The best point that was told a value, unless all values were NaN.
    pub fn best(&self) -> Option<Best<'_>> {
        let Self { best_value: value, best_evaluation: evaluation, .. } = *self;
        (evaluation > 0).then_some(Best { point: &self.best_point, value, evaluation })
    }

    /// The best function value; +∞ as long as there is none.
    pub fn best_value(&self) -> f64 {
        self.best_value
    }

    /// m, the centre of the distribution: often a better estimate of the solution than the best point.
    pub fn mean(&self) -> &[f64] {
        &self.mean
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

    /// The number of function values told.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// The number of generations told.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }
}
