//! Cumulative step-size adaptation (CSA), shared by every strategy. Knows nothing of C and D.

use crate::numeric::squared_length;
use crate::stored::{Scratch, stored};
use crate::{EvolutionPath, Params, UpdateError};

stored! {
    /// σ and the path that drives it.
    #[derive(Clone, Debug)]
    pub(crate) struct StepSize {
        sigma: f64,
        path: EvolutionPath,
        /// The path before an update that may fail.
        previous: Scratch<EvolutionPath>,
    }
}

impl StepSize {
    pub(crate) fn new(n: usize, sigma: f64) -> Self {
        Self { sigma, path: EvolutionPath::new(n), previous: Scratch(EvolutionPath::new(n)) }
    }

    /// Makes a stored one ready for use, if it belongs to these parameters.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        if !(self.sigma > 0.0 && self.sigma.is_finite()) {
            return Err("the step size");
        }
        self.path.check(params.n, "the path of the step size")?;
        self.previous = Scratch(EvolutionPath::new(params.n));
        Ok(())
    }

    /// Takes in the recombined z of a generation. Returns h_σ: false while σ grows rapidly.
    ///
    /// A σ that would leave the range of floating point stays as it is, with its path, and is an error.
    pub(crate) fn update(&mut self, z_mean: &[f64], params: &Params) -> Result<bool, UpdateError> {
        let Params { n, c_sigma, d_sigma, chi_n, mu_w, .. } = *params;
        let n = n as f64;

        self.previous.copy_from(&self.path);
        self.path.update(c_sigma, mu_w, z_mean, true)?; // eq. (ps), eq. (gs)
        let length2 = squared_length(self.path.p()); // ‖p_σ‖²
        let gamma = self.path.gamma();
        let log_change = c_sigma / d_sigma * (length2.sqrt() / chi_n - gamma.sqrt()); // eq. (sigma)
        let sigma = self.sigma * log_change.exp();
        if !(sigma.is_normal() && sigma > 0.0) {
            self.path.copy_from(&self.previous);
            return Err(UpdateError::StepSize { sigma });
        }
        self.sigma = sigma;
        Ok(length2 / gamma < (2.0 + 4.0 / (n + 1.0)) * n) // eq. (hs)
    }

    /// Leaves a power of two to D.
    pub(crate) fn give_to_d(&mut self, factor: f64) {
        self.sigma /= factor;
    }

    /// The step size.
    pub(crate) fn sigma(&self) -> f64 {
        self.sigma
    }

    /// p_σ and γ_σ.
    pub(crate) fn path(&self) -> &EvolutionPath {
        &self.path
    }
}
