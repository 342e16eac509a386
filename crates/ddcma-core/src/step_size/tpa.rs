//! Two-point adaptation: σ grows if a point further along the last step is better than a point equally far back.

use super::{Selection, StepSizeChange, StepSizeRule};
use crate::stored::{stored, stored_as_bytes};
use crate::{Params, StartError};

/// The weight of the current generation in s.
const SMOOTHING: f64 = 0.3;

stored! {
    /// Two-point step-size adaptation (TPA), in the version of pycma.
    ///
    /// From the second generation on, the first two candidates are m ± δ. δ points along the last step of the mean and is as
    /// long as a candidate's step; this takes no extra evaluations or random numbers. With r₊ and r₋ the numbers of
    /// candidates that are better than these two,
    ///
    /// > z = (r₋ − r₊)/(λ − 1),  s ← 0.7 s + 0.3 sign(z)·|z|^½,  σ ← σ·exp(s/d),  d = 0.7 + 2 ln n.
    ///
    /// h_σ is the paper's, by p_σ. In a generation without the pair (see [`Selection::pair`]), σ and s are unchanged.
    ///
    /// Published implementations disagree: older versions of pycma have d = 0.7 + ln n, or √n. VkD-CMA (Akimoto & Hansen, 2016) has
    /// the exponent 1 instead of ½, d = 4 − 3/n or √n, and h_σ is true for s below ½; you can
    /// [set](crate::Settings::tpa_exponent) its exponent and d. Hansen's first version (2008) evaluates two extra points in
    /// each generation.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Tpa {
        s: f64,
    }
}

impl Tpa {
    /// Returns the smoothed signal s, in [−1, 1].
    pub fn s(&self) -> f64 {
        self.s
    }
}

impl StepSizeRule for Tpa {
    const NAME: &'static str = "tpa";

    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self { s: 0.0 })
    }

    fn wants_pair(&self) -> bool {
        true
    }

    stored_as_bytes!();

    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        let h_sigma = seen.h_sigma;
        let ([forwards, backwards, ..], true) = (seen.ranks, seen.pair) else {
            return StepSizeChange { log_sigma: 0.0, h_sigma };
        };
        let z = (backwards - forwards) / (params.lambda - 1) as f64;
        let signal = z.abs().powf(params.tpa_exponent).copysign(z);
        self.s = (1.0 - SMOOTHING) * self.s + SMOOTHING * signal;
        StepSizeChange { log_sigma: self.s / params.tpa_damping, h_sigma }
    }

    fn resume(&mut self, _: &Params) -> Result<(), &'static str> {
        if self.s.abs() <= 1.0 { Ok(()) } else { Err("the signal of the step size") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EvolutionPath, Settings, StepSize};

    fn change(tpa: &mut Tpa, ranks: &[f64], pair: bool, params: &Params) -> f64 {
        let path = EvolutionPath::new(params.n);
        let z_mean = vec![0.0; params.n];
        let (path_length, h_sigma) = (0.0, true);
        let seen = Selection { path: &path, path_length, z_mean: &z_mean, ranks, ranks_in_last: None, pair, h_sigma };
        tpa.update(&seen, params).log_sigma
    }

    /// λ = 5, n = 10: d = 0.7 + 2 ln 10 = 5.30517.
    #[test]
    fn the_formula_by_hand() {
        let params = Settings::new().lambda(5).step_size(StepSize::Tpa).params(10).unwrap();
        let mut tpa = Tpa::start(&params).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a}, not {b}");
        // The best and the worst: z = 4/4, s = 0.3.
        near(change(&mut tpa, &[0.0, 4.0, 1.0, 2.0, 3.0], true, &params), 0.056_548_6);
        near(tpa.s(), 0.3);
        // r₊ = 3, r₋ = 2: z = −1/4, s = 0.21 − 0.15.
        near(change(&mut tpa, &[3.0, 2.0, 0.0, 1.0, 4.0], true, &params), 0.011_309_7);
        near(tpa.s(), 0.06);
        // Tied: z = 0, s fades.
        near(change(&mut tpa, &[1.5, 1.5, 0.0, 3.0, 4.0], true, &params), 0.007_916_8);
        // No pair: nothing happens.
        assert_eq!(change(&mut tpa, &[0.0, 4.0, 1.0, 2.0, 3.0], false, &params), 0.0);
        near(tpa.s(), 0.042);
    }

    /// As VkD-CMA has it: z itself, and d = 4 − 3/n.
    #[test]
    fn damping_and_exponent_can_be_chosen() {
        let settings = Settings::new().lambda(5).step_size(StepSize::Tpa).tpa_damping(3.7).tpa_exponent(1.0);
        let params = settings.params(10).unwrap();
        let mut tpa = Tpa::start(&params).unwrap();
        let log_sigma = change(&mut tpa, &[3.0, 2.0, 0.0, 1.0, 4.0], true, &params);
        assert!((log_sigma - 0.3 * -0.25 / 3.7).abs() < 1e-15, "{log_sigma}");
    }
}
