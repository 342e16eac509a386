//! The diagonal decoding matrix D, its path and its damping β. Knows C only through a whitening function.

use super::Generation;
use crate::settings::Damping;
use crate::{EvolutionPath, Params, UpdateError};

/// D with all that its update needs.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "State", into = "State")
)]
pub(crate) struct Decoding {
    d: Vec<f64>,
    path: EvolutionPath,
    /// The path before an update that may fail.
    previous_path: EvolutionPath,
    beta: f64,
    delta: Vec<f64>,
    q: Vec<f64>,
    next: Vec<f64>,
}

impl Decoding {
    pub(crate) fn new(params: &Params, d: &[f64]) -> Self {
        let n = params.n;
        let beta = match params.damping {
            Damping::Adaptive => 1.0,
            Damping::Fixed(beta) => beta,
        };
        Self {
            d: d.to_vec(),
            path: EvolutionPath::new(n),
            previous_path: EvolutionPath::new(n),
            beta,
            delta: vec![0.0; n],
            q: vec![0.0; n],
            next: vec![0.0; n],
        }
    }

    /// Algorithm 1, lines 8 and 10. `whiten` multiplies by √C⁻¹ of the sampling distribution.
    ///
    /// A D that would leave the range of floating point stays as it is, with its path, and is an error.
    pub(crate) fn update(
        &mut self,
        generation: &Generation<'_>,
        params: &Params,
        whiten: impl FnOnce(&mut [f64]),
    ) -> Result<(), UpdateError> {
        let Params { c_1_d, c_mu_d, c_c_d, mu_w, .. } = *params;
        self.previous_path.copy_from(&self.path);
        self.path.update(c_c_d, mu_w, generation.step, generation.h_sigma)?; // eq. (pc), eq. (gc)

        for ((q, p), d) in self.q.iter_mut().zip(self.path.p()).zip(&self.d) {
            *q = p / d; // D⁻¹·p_c,D
        }
        whiten(&mut self.q); // √C⁻¹·D⁻¹·p_c,D

        let sum_of_weights: f64 = params.w_d.iter().sum(); // ties share weights, and leave their sum
        let constant = -c_1_d * self.path.gamma() - c_mu_d * sum_of_weights; // eq. (deltad), the −γ and −1
        for (delta, q) in self.delta.iter_mut().zip(&self.q) {
            *delta = c_1_d * q * q + constant; // eq. (deltad), rank one
        }
        for (i, z) in generation.z.iter().enumerate() {
            let w = c_mu_d * generation.rescaled_weight(i, generation.w_d[i]);
            for (delta, z) in self.delta.iter_mut().zip(z) {
                *delta += w * (z * z); // eq. (deltad), rank μ
            }
        }
        if params.keep_determinant {
            let mean = self.delta.iter().sum::<f64>() / params.n as f64;
            for delta in &mut self.delta {
                *delta -= mean; // Δ_D − (tr Δ_D / n)·I, end of Section 6.3
            }
        }
        for ((next, d), delta) in self.next.iter_mut().zip(&self.d).zip(&self.delta) {
            *next = d * (delta / (2.0 * self.beta)).exp(); // eq. (dup)
        }
        let taken = self.take_next();
        if taken.is_err() {
            self.path.copy_from(&self.previous_path);
        }
        taken
    }

    /// Makes the next D the present one, if it is a D.
    fn take_next(&mut self) -> Result<(), UpdateError> {
        if let Some(index) = self.next.iter().position(|d| !(*d > 0.0 && d.is_normal())) {
            return Err(UpdateError::Deviation { index, value: self.next[index] });
        }
        std::mem::swap(&mut self.d, &mut self.next);
        Ok(())
    }

    /// Shortens D where a coordinate would deviate by more than its limit.
    ///
    /// The paths are measured in D: `shortened` is told the coordinate and the factor, for paths that live elsewhere.
    pub(crate) fn limit(&mut self, limits: impl Iterator<Item = f64>, mut shortened: impl FnMut(usize, f64)) {
        for (k, (d, limit)) in self.d.iter_mut().zip(limits).enumerate() {
            let limit = limit.max(f64::MIN_POSITIVE);
            if *d > limit {
                let factor = limit / *d;
                *d = limit;
                self.path.scale_coordinate(k, factor);
                shortened(k, factor);
            }
        }
    }

    /// Takes over a power of two from σ.
    pub(crate) fn rescale(&mut self, factor: f64) {
        self.d.iter_mut().for_each(|d| *d *= factor);
        self.path.scale_all(factor);
    }

    pub(crate) fn d(&self) -> &[f64] {
        &self.d
    }

    pub(crate) fn path(&self) -> &EvolutionPath {
        &self.path
    }

    pub(crate) fn beta(&self) -> f64 {
        self.beta
    }
}

/// What depends on a C that is learnt too.
#[cfg(feature = "dense")]
impl Decoding {
    /// Takes over the deviations that C was divided by.
    pub(crate) fn absorb(&mut self, deviations: &[f64]) -> Result<(), UpdateError> {
        for ((next, d), deviation) in self.next.iter_mut().zip(&self.d).zip(deviations) {
            *next = d * deviation; // eq. (dc1)
        }
        self.take_next()
    }

    /// Follows the condition number of the correlation matrix, unless β is fixed.
    pub(crate) fn set_damping(&mut self, condition: f64, params: &Params) {
        if params.damping == Damping::Adaptive {
            self.beta = (condition.sqrt() - params.beta_thresh + 1.0).max(1.0); // eq. (ddamp)
        }
    }
}

/// What a checkpoint keeps: all but the workspace.
#[cfg(feature = "checkpoint")]
#[derive(serde::Serialize, serde::Deserialize)]
struct State {
    d: Vec<f64>,
    path: EvolutionPath,
    beta: f64,
}

#[cfg(feature = "checkpoint")]
impl From<Decoding> for State {
    fn from(Decoding { d, path, beta, .. }: Decoding) -> Self {
        Self { d, path, beta }
    }
}

#[cfg(feature = "checkpoint")]
impl TryFrom<State> for Decoding {
    type Error = &'static str;

    fn try_from(State { d, path, beta }: State) -> Result<Self, &'static str> {
        let n = d.len();
        if !path.is_path_of(n) {
            return Err("the path of D does not belong to it");
        }
        if !(beta > 0.0 && beta.is_finite()) {
            return Err("the damping of D is not positive");
        }
        let previous_path = EvolutionPath::new(n);
        Ok(Self { d, path, previous_path, beta, delta: vec![0.0; n], q: vec![0.0; n], next: vec![0.0; n] })
    }
}
