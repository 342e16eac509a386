//! An evolution path: an exponentially fading sum of steps, with the factor that corrects for its short past.

use crate::UpdateError;
use crate::stored::stored;

stored! {
    /// An evolution path p with its factor γ: for the step size (p_σ, γ_σ), for C (p_c, γ_c) or for D (p_c,D, γ_c,D).
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct EvolutionPath {
        p: Vec<f64>,
        gamma: f64,
    }
}

impl EvolutionPath {
    /// Creates a path of zeros.
    pub fn new(n: usize) -> Self {
        Self { p: vec![0.0; n], gamma: 0.0 }
    }

    /// Lets the path fade with the cumulation factor `c` and, unless `h` is false, adds a recombined step.
    ///
    /// A path that would not be finite keeps its previous state and returns an error.
    pub fn update(&mut self, c: f64, mu_w: f64, step: &[f64], h: bool) -> Result<(), UpdateError> {
        let h = f64::from(h);
        let gain = h * (c * (2.0 - c) * mu_w).sqrt();
        let next = |p: f64, step: f64| (1.0 - c) * p + gain * step; // eq. (ps), eq. (pc)
        let bad = self.p.iter().zip(step).position(|(p, step)| !next(*p, *step).is_finite());
        if let Some(index) = bad {
            return Err(UpdateError::Path { index, value: next(self.p[index], step[index]) });
        }
        for (p, step) in self.p.iter_mut().zip(step) {
            *p = next(*p, *step);
        }
        self.gamma = (1.0 - c).powi(2) * self.gamma + h * c * (2.0 - c); // eq. (gs), eq. (gc)
        Ok(())
    }

    /// Copies another path of the same length, without allocating.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.p.copy_from_slice(&other.p);
        self.gamma = other.gamma;
    }

    /// Changes the unit of coordinate `k`.
    pub(crate) fn scale_coordinate(&mut self, k: usize, factor: f64) {
        self.p[k] *= factor;
    }

    /// Returns the path.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// Returns the correction factor γ, which tends to 1.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Checks that a stored path has `n` coordinates and is valid; otherwise returns `what` as the error.
    pub(crate) fn check(&self, n: usize, what: &'static str) -> Result<(), &'static str> {
        let fits = self.p.len() == n && self.p.iter().chain([&self.gamma]).all(|number| number.is_finite());
        if fits { Ok(()) } else { Err(what) }
    }
}
