//! The diagonal decoding matrix D, its path and its damping β.

use super::Generation;
use super::agreement::Agreement;
use crate::numeric::{add_scaled_squares, exponentiate};
use crate::settings::Damping;
use crate::stored::{Scratch, stored};
use crate::{EvolutionPath, Pace, Params, UpdateError};

stored! {
    /// D, with everything that its update needs.
    #[derive(Clone, Debug)]
    pub(crate) struct Decoding {
        d: Vec<f64>,
        path: EvolutionPath,
        /// The β that is applied.
        beta: f64,
        /// The β that the correlation matrix determines, before the factor of the agreement.
        beta_of_c: f64,
        agreement: Agreement,
        work: Scratch<Work>,
    }
}

#[derive(Clone, Debug, Default)]
struct Work {
    /// The path before an update that may fail.
    previous_path: EvolutionPath,
    delta: Vec<f64>,
    q: Vec<f64>,
    next: Vec<f64>,
}

impl Work {
    fn new(n: usize) -> Self {
        Self { previous_path: EvolutionPath::new(n), delta: vec![0.0; n], q: vec![0.0; n], next: vec![0.0; n] }
    }
}

impl Decoding {
    pub(crate) fn new(params: &Params, d: Vec<f64>) -> Self {
        let n = params.n;
        let beta = match params.damping {
            Damping::Adaptive | Damping::ShortestAxis | Damping::Agreement => 1.0,
            Damping::Fixed(beta) => beta,
        };
        let (path, agreement) = (EvolutionPath::new(n), Agreement::new(params));
        Self { d, path, beta, beta_of_c: beta, agreement, work: Scratch(Work::new(n)) }
    }

    /// Makes a stored D ready for use, if it belongs to these parameters.
    pub(crate) fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        self.path.check(params.n, "the path of D")?;
        if [self.beta, self.beta_of_c].iter().any(|beta| !(*beta > 0.0 && beta.is_finite())) {
            return Err("the damping of D");
        }
        self.agreement.check(params)?;
        self.work = Scratch(Work::new(params.n));
        Ok(())
    }

    /// Algorithm 1, line 8: updates the path of D, and computes D⁻¹·p_c,D, which is still to be whitened.
    pub(crate) fn update_path(&mut self, generation: &Generation<'_>, params: &Params) -> Result<(), UpdateError> {
        let Params { c_c_d, mu_w, .. } = *params;
        let Self { d, path, work, .. } = self;
        let Work { previous_path, q, .. } = &mut **work;
        previous_path.copy_from(path);
        path.update(c_c_d, mu_w, generation.step, generation.h_sigma)?; // eq. (pc), eq. (gc)
        for ((q, p), d) in q.iter_mut().zip(path.p()).zip(&*d) {
            *q = p / d; // D⁻¹·p_c,D
        }
        Ok(())
    }

    /// Undoes the last update of the path.
    pub(crate) fn restore_path(&mut self) {
        self.path.copy_from(&self.work.previous_path);
    }

    /// Algorithm 1, line 10.
    ///
    /// If D would overflow or underflow, D and its path keep their previous state and an error is returned.
    pub(crate) fn update(
        &mut self,
        generation: &Generation<'_>,
        pace: &mut dyn Pace,
        params: &Params,
    ) -> Result<(), UpdateError> {
        let Params { c_1_d, c_mu_d, .. } = *params;
        let Self { d, path, beta, work, .. } = self;
        let Work { delta, q, next, .. } = &mut **work;

        let sum_of_weights: f64 = params.w_d.iter().sum(); // ties share weights, which keeps their sum
        let constant = -c_1_d * path.gamma() - c_mu_d * sum_of_weights; // eq. (deltad), the −γ and −1
        for (delta, q) in delta.iter_mut().zip(&*q) {
            *delta = c_1_d * q * q + constant; // eq. (deltad), rank one
        }
        for (i, z) in generation.z.iter().enumerate() {
            let w = c_mu_d * generation.rescaled_weight(i, generation.w_d[i]);
            add_scaled_squares(delta, w, z); // eq. (deltad), rank μ
        }
        if params.keep_determinant {
            let mean = delta.iter().sum::<f64>() / params.n as f64;
            for delta in &mut *delta {
                *delta -= mean; // Δ_D − (tr Δ_D / n)·I, end of Section 6.3
            }
        }
        let rate = pace.d(delta, *beta); // 1, unless it adapts
        next.iter_mut().zip(&*delta).for_each(|(next, delta)| *next = rate * delta / (2.0 * *beta));
        exponentiate(next);
        next.iter_mut().zip(&*d).for_each(|(next, d)| *next *= d); // eq. (dup)
        let taken = self.take_next();
        if taken.is_err() {
            self.restore_path();
        }
        taken
    }

    /// Makes the next D the current one, if it is positive and finite.
    fn take_next(&mut self) -> Result<(), UpdateError> {
        let next = &mut self.work.next;
        if let Some(index) = next.iter().position(|d| !(*d > 0.0 && d.is_normal())) {
            return Err(UpdateError::Deviation { index, value: next[index] });
        }
        std::mem::swap(&mut self.d, next);
        Ok(())
    }

    /// Sets D. Paths are measured in D: for paths stored elsewhere, `multiplied` is called with the coordinate and the
    /// factor.
    pub(crate) fn set_d(&mut self, d: &[f64], mut multiplied: impl FnMut(usize, f64)) {
        for (k, (old, new)) in self.d.iter_mut().zip(d).enumerate() {
            let factor = new / *old;
            *old = *new;
            self.path.scale_coordinate(k, factor);
            multiplied(k, factor);
        }
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

/// The parts that are needed only if C is learned, too.
#[cfg(feature = "dense")]
impl Decoding {
    /// Returns D, and D⁻¹·p_c,D, which must become A⁻¹·D⁻¹·p_c,D before [`update`](Self::update).
    pub(crate) fn d_and_path(&mut self) -> (&[f64], &mut [f64]) {
        (&self.d, &mut self.work.q)
    }

    /// Moves the deviations, by which C was divided, into D.
    pub(crate) fn absorb(&mut self, deviations: &[f64]) -> Result<(), UpdateError> {
        for ((next, d), deviation) in self.work.next.iter_mut().zip(&self.d).zip(deviations) {
            *next = d * deviation; // eq. (dc1)
        }
        self.take_next()
    }

    /// Computes β from the extreme eigenvalues of the correlation matrix, unless β is fixed.
    pub(crate) fn set_damping(&mut self, (smallest, largest): (f64, f64), params: &Params) {
        let Params { beta_thresh, beta_exponent, beta_min, .. } = *params;
        self.beta_of_c = match params.damping {
            Damping::Adaptive => ((largest / smallest).sqrt() - beta_thresh + 1.0).max(1.0), // eq. (ddamp)
            Damping::ShortestAxis | Damping::Agreement => {
                let beta = beta_min * (smallest.powf(-beta_exponent) - beta_thresh + 1.0).max(1.0); // docs/damping.md
                beta.min(f64::MAX) // finite, whatever the exponent
            }
            Damping::Fixed(beta) => beta,
        };
        self.apply_agreement(params);
    }

    /// Adds the last update of D to those whose agreement determines β, if it does.
    pub(crate) fn follow_agreement(&mut self, params: &Params) {
        if params.damping == Damping::Agreement {
            self.agreement.add(&self.work.delta, params);
            self.apply_agreement(params);
        }
    }

    fn apply_agreement(&mut self, params: &Params) {
        self.beta = self.beta_of_c;
        if params.damping == Damping::Agreement {
            self.beta = (self.beta_of_c * self.agreement.factor(self.beta_of_c, params)).min(f64::MAX); // docs/damping.md
        }
    }
}
