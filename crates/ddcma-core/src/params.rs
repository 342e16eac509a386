//! The strategy parameters: Algorithm 2 of the paper, as one chain from left to right.
//!
//! ```text
//! n → λ → w′ → μ_w, μ_w⁻ → c_σ → d_σ
//!                        → c_1 → c_c                  (for C, and the same for D)
//!                          c_1 → c_μ → w, t_eig
//! ```
//!
//! Whatever a user sets replaces its formula, and everything that an arrow leads to follows.

use crate::settings::{Damping, Definiteness, Rates, Root, Settings, StepSize};
use crate::{ParamsError, weights};

/// Validated, immutable strategy parameters for one dimension and population size.
///
/// ```
/// use ddcma_core::Params;
///
/// let params = Params::new(10)?; // the defaults of the paper
/// assert_eq!(params.lambda(), 10);
/// assert_eq!(params.t_eig(), 1);
/// # Ok::<(), ddcma_core::ParamsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    origin: Origin,
    pub(crate) n: usize,
    pub(crate) lambda: usize,
    pub(crate) mu_w: f64,
    pub(crate) mu_w_neg: f64,
    pub(crate) c_m: f64,
    pub(crate) c_sigma: f64,
    pub(crate) d_sigma: f64,
    pub(crate) step_size: StepSize,
    pub(crate) tpa_damping: f64,
    pub(crate) tpa_exponent: f64,
    pub(crate) chi_n: f64,
    pub(crate) c_1: f64,
    pub(crate) c_mu: f64,
    pub(crate) c_c: f64,
    pub(crate) c_1_d: f64,
    pub(crate) c_mu_d: f64,
    pub(crate) c_c_d: f64,
    pub(crate) w_mean: Vec<f64>,
    pub(crate) w: Vec<f64>,
    pub(crate) w_d: Vec<f64>,
    pub(crate) beta_eig: f64,
    pub(crate) t_eig: usize,
    pub(crate) beta_thresh: f64,
    pub(crate) beta_exponent: f64,
    pub(crate) beta_min: f64,
    pub(crate) agreement_rate: f64,
    pub(crate) agreement_level: f64,
    pub(crate) agreement_gain: f64,
    pub(crate) agreement_limit: f64,
    pub(crate) definiteness: Definiteness,
    pub(crate) method2_alpha: Option<f64>,
    pub(crate) damping: Damping,
    pub(crate) root: Root,
    pub(crate) keep_determinant: bool,
}

/// The settings that the parameters were derived from. Parameters are equal if their numbers are, whatever their origin.
#[derive(Clone, Debug)]
struct Origin(Settings);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Params {
    /// Creates the paper's default parameters for `n` variables.
    pub fn new(n: usize) -> Result<Self, ParamsError> {
        Settings::new().params(n)
    }

    /// Returns the number of variables n.
    pub fn dimension(&self) -> usize {
        self.n
    }

    pub(crate) fn derive(n: usize, chosen: &Settings) -> Result<Self, ParamsError> {
        if n == 0 {
            return Err(ParamsError::NoVariables);
        }
        let dimension = n;
        let n = n as f64;

        // Algorithm 2, lines 1 to 3
        let default_lambda = 4 + (3.0 * n.ln()).floor() as usize;
        let given = chosen.pre_weights.as_deref();
        let lambda = chosen.lambda.or(given.map(<[f64]>::len)).unwrap_or(default_lambda);
        if lambda < 2 {
            return Err(ParamsError::PopulationTooSmall { lambda });
        }
        if lambda.checked_mul(dimension).is_none_or(|numbers| numbers > LARGEST_GENERATION) {
            return Err(ParamsError::GenerationTooLarge { n: dimension, lambda });
        }
        let pre_weights = match given {
            Some(given) => checked_pre_weights(given, lambda)?,
            None => weights::default_pre_weights(lambda),
        };
        let mu_w = weights::effective_mass(pre_weights.iter().copied().filter(|w| *w > 0.0));
        let mu_w_neg = weights::effective_mass(pre_weights.iter().copied().filter(|w| *w < 0.0));

        // lines 4 and 5
        let c_m = chosen.c_m.unwrap_or(1.0);
        let c_sigma = chosen.c_sigma.unwrap_or((mu_w + 2.0) / (n + mu_w + 5.0)); // eq. (cs)
        let d_sigma = chosen.d_sigma.unwrap_or_else(|| {
            1.0 + c_sigma + 2.0 * (((mu_w - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) // eq. (ds)
        });
        let chi_n = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)); // ≈ E‖N(0, I)‖
        check("c_m", c_m, c_m > 0.0 && c_m <= 1.0, "(0, 1]")?;
        check("c_sigma", c_sigma, c_sigma > 0.0 && c_sigma <= 1.0, "(0, 1]")?;
        check("d_sigma", d_sigma, d_sigma > 0.0 && d_sigma.is_finite(), "(0, ∞)")?;

        // not in Algorithm 2: another rule for the step size
        let tpa_damping = chosen.tpa_damping.unwrap_or(0.7 + 2.0 * n.ln());
        let tpa_exponent = chosen.tpa_exponent.unwrap_or(0.5);
        check("tpa_damping", tpa_damping, tpa_damping > 0.0 && tpa_damping.is_finite(), "(0, ∞)")?;
        check("tpa_exponent", tpa_exponent, tpa_exponent > 0.0 && tpa_exponent.is_finite(), "(0, ∞)")?;

        // lines 6 to 8, with m degrees of freedom: n(n + 1)/2 of C, and n of D
        let formulas = RateFormulas { rates: chosen.rates, n, lambda: lambda as f64, mu_w };
        let (c_1, c_mu, c_c) = formulas.derive(Matrix::C, [chosen.c_1, chosen.c_mu, chosen.c_c]);
        let (c_1_d, c_mu_d, c_c_d) = formulas.derive(Matrix::D, [chosen.c_1_d, chosen.c_mu_d, chosen.c_c_d]);
        check_rates(["c_1", "c_mu", "c_c"], c_1, c_mu, c_c)?;
        check_rates(["c_1_d", "c_mu_d", "c_c_d"], c_1_d, c_mu_d, c_c_d)?;

        // line 9
        let negative_mass = |c_1: f64, c_mu: f64| -> f64 {
            // c_μ = 0 makes the first bound infinite, whatever c_1 is.
            let ratio = if c_mu > 0.0 { c_1 / c_mu } else { f64::INFINITY };
            let mass = (1.0 + ratio).min(1.0 + 2.0 * mu_w_neg / (mu_w + 2.0));
            if chosen.active { mass } else { 0.0 }
        };
        let mut w = weights::scale(&pre_weights, negative_mass(c_1, c_mu)); // eq. (ourw)
        let w_d = weights::scale(&pre_weights, negative_mass(c_1_d, c_mu_d)); // eq. (ourw)
        let w_mean = weights::positive_part(&w);

        // lines 10 and 11
        let beta_eig = chosen.beta_eig.unwrap_or(10.0 * n);
        check("beta_eig", beta_eig, beta_eig > 0.0 && beta_eig.is_finite(), "(0, ∞)")?;
        let t_eig = chosen.t_eig.unwrap_or((1.0 / (beta_eig * (c_1 + c_mu))).floor().max(1.0) as usize);
        check("t_eig", t_eig as f64, t_eig >= 1, "[1, ∞)")?;
        let by_shortest_axis = matches!(chosen.damping, Damping::ShortestAxis | Damping::Agreement);
        let beta_thresh = chosen.beta_thresh.unwrap_or(if by_shortest_axis { 1.0 } else { 2.0 });
        check("beta_thresh", beta_thresh, beta_thresh.is_finite(), "(−∞, ∞)")?;

        // not in Algorithm 2: other dampings
        let beta_exponent = chosen.beta_exponent.unwrap_or(0.8);
        check("beta_exponent", beta_exponent, beta_exponent > 0.0 && beta_exponent.is_finite(), "(0, ∞)")?;
        let beta_min = chosen.beta_min.unwrap_or(0.6);
        check("beta_min", beta_min, beta_min > 0.0 && beta_min.is_finite(), "(0, ∞)")?;
        let beta_min = beta_min.max(c_1_d + c_mu_d); // rates over β are at most one
        let agreement_memory = chosen.agreement_memory.unwrap_or(8.0);
        check("agreement_memory", agreement_memory, agreement_memory > 0.0 && agreement_memory.is_finite(), "(0, ∞)")?;
        let agreement_rate = ((c_1_d + c_mu_d) / agreement_memory).min(1.0);
        let agreement_level = chosen.agreement_level.unwrap_or(2.0);
        check("agreement_level", agreement_level, agreement_level > 0.0 && agreement_level.is_finite(), "(0, ∞)")?;
        let agreement_gain = chosen.agreement_gain.unwrap_or(4.0);
        check("agreement_gain", agreement_gain, agreement_gain >= 1.0 && agreement_gain.is_finite(), "[1, ∞)")?;
        let agreement_limit = chosen.agreement_limit.unwrap_or(0.2);
        check("agreement_limit", agreement_limit, agreement_limit > 0.0 && agreement_limit.is_finite(), "(0, ∞)")?;
        if let Damping::Fixed(beta) = chosen.damping {
            check("damping", beta, beta > 0.0 && beta.is_finite(), "(0, ∞)")?;
        }

        // Section 3.2
        let method2_alpha = method2_alpha(n, c_1, c_mu, t_eig, weights::negative_sum(&w));
        if chosen.definiteness == Definiteness::ScaleWeights {
            let alpha = method2_alpha.ok_or(ParamsError::DecomposedTooRarely { t_eig, c_1, c_mu })?;
            weights::scale_negative(&mut w, alpha);
        }

        Ok(Self {
            origin: Origin(chosen.clone()),
            n: dimension,
            lambda,
            mu_w,
            mu_w_neg,
            c_m,
            c_sigma,
            d_sigma,
            step_size: chosen.step_size,
            tpa_damping,
            tpa_exponent,
            chi_n,
            c_1,
            c_mu,
            c_c,
            c_1_d,
            c_mu_d,
            c_c_d,
            w_mean,
            w,
            w_d,
            beta_eig,
            t_eig,
            beta_thresh,
            beta_exponent,
            beta_min,
            agreement_rate,
            agreement_level,
            agreement_gain,
            agreement_limit,
            definiteness: chosen.definiteness,
            method2_alpha,
            damping: chosen.damping,
            root: chosen.root,
            keep_determinant: chosen.keep_determinant,
        })
    }
}

/// The largest number of coordinates in a generation, which is half a terabyte.
const LARGEST_GENERATION: usize = 1 << 36;

/// The default learning rates as functions of the degrees of freedom.
struct RateFormulas {
    rates: Rates,
    n: f64,
    lambda: f64,
    mu_w: f64,
}

/// The matrix that is adapted, which determines the degrees of freedom m.
#[derive(Clone, Copy, PartialEq)]
enum Matrix {
    C,
    D,
}

impl RateFormulas {
    /// (c_1, c_μ, c_c) of a matrix; a chosen rate replaces its formula.
    fn derive(&self, matrix: Matrix, chosen: [Option<f64>; 3]) -> (f64, f64, f64) {
        let Self { rates, n, lambda, mu_w } = *self;
        let m = match matrix {
            Matrix::C => n * (n + 1.0) / 2.0,
            Matrix::D => n,
        };
        let [c_1, c_mu, c_c] = chosen;
        match rates {
            Rates::Paper => {
                let default = 1.0 / (2.0 * (m / n + 1.0) * (n + 1.0).powf(0.75) + mu_w / 2.0);
                let c_1 = c_1.unwrap_or(default); // eq. (cone)
                let mu_prime = mu_w + 1.0 / mu_w - 2.0 + 0.5 * lambda / (lambda + 5.0); // μ′ of eq. (cmu)
                let c_mu = c_mu.unwrap_or((mu_prime * c_1).min(1.0 - c_1)); // eq. (cmu)
                let c_c = c_c.unwrap_or((mu_w * c_1).sqrt() / 2.0); // eq. (cc)
                (c_1, c_mu, c_c)
            }
            Rates::Older => {
                // Hansen & Auger (2014); for D times (n + 2)/3, Ros & Hansen (2008)
                let faster = if matrix == Matrix::D { (n + 2.0) / 3.0 } else { 1.0 };
                let default = faster * 2.0 / ((n + 1.3) * (n + 1.3) + mu_w);
                let c_1 = c_1.unwrap_or(default);
                let default = faster * 2.0 * (mu_w - 2.0 + 1.0 / mu_w) / ((n + 2.0) * (n + 2.0) + mu_w);
                let c_mu = c_mu.unwrap_or(default.min(1.0 - c_1));
                let c_c = c_c.unwrap_or((4.0 + mu_w / n) / (n + 4.0 + 2.0 * mu_w / n));
                (c_1, c_mu, c_c)
            }
        }
    }
}

/// Returns the factor α ≤ 1 of the negative weights for which Theorem 3.1 applies; `None` if t_eig·(c_1 + c_μ) > 1.
fn method2_alpha(n: f64, c_1: f64, c_mu: f64, t_eig: usize, negative_sum: f64) -> Option<f64> {
    let room = 1.0 / t_eig as f64 - (c_1 + c_mu);
    // If c_1 + c_μ is capped at one, rounding may make the sum slightly larger.
    if room < -f64::EPSILON {
        return None;
    }
    let needed = n * c_mu * negative_sum;
    Some(if needed > 0.0 { (room.max(0.0) / needed).min(1.0) } else { 1.0 }) // eq. (alpha2)
}

fn checked_pre_weights(given: &[f64], lambda: usize) -> Result<Vec<f64>, ParamsError> {
    if given.len() != lambda {
        return Err(ParamsError::WeightsOfWrongLength { expected: lambda, got: given.len() });
    }
    if let Some((rank, &value)) = given.iter().enumerate().find(|(_, w)| !w.is_finite()) {
        return Err(ParamsError::WeightNotFinite { rank, value });
    }
    if given[0] <= 0.0 {
        return Err(ParamsError::FirstWeightNotPositive { value: given[0] });
    }
    if let Some(rank) = given.windows(2).position(|pair| pair[1] > pair[0]) {
        return Err(ParamsError::WeightsIncrease { rank: rank + 1, value: given[rank + 1] });
    }
    // Only their ratios matter. Scaled to a magnitude of one, sums and squares neither overflow nor underflow.
    let largest = given.iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
    Ok(given.iter().map(|w| w / largest).collect())
}

fn check(name: &'static str, value: f64, in_range: bool, range: &'static str) -> Result<(), ParamsError> {
    if in_range { Ok(()) } else { Err(ParamsError::OutOfRange { name, value, range }) }
}

fn check_rates(names: [&'static str; 3], c_1: f64, c_mu: f64, c_c: f64) -> Result<(), ParamsError> {
    let unit = |value: f64| (0.0..=1.0).contains(&value);
    check(names[0], c_1, unit(c_1), "[0, 1]")?;
    check(names[1], c_mu, unit(c_mu), "[0, 1]")?;
    check(names[2], c_c, unit(c_c), "[0, 1]")?;
    // With c_μ = 1 − c_1, rounding may make the sum slightly larger than one.
    if c_1 + c_mu > 1.0 + f64::EPSILON {
        return Err(ParamsError::RatesExceedOne { names: [names[0], names[1]], c_1, c_mu });
    }
    Ok(())
}

/// Writes getters from lines of documentation, name and type.
macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl Params {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> $type {
                    self.$name
                }
            )*
        }
    };
}

getters! {
    /// Returns the population size λ.
    lambda: usize;
    /// Returns μ_w, the variance effective selection mass of the positive weights.
    mu_w: f64;
    /// Returns μ_w⁻, the variance effective selection mass of the negative weights.
    mu_w_neg: f64;
    /// Returns the learning rate of the mean.
    c_m: f64;
    /// Returns the cumulation factor of the step-size path.
    c_sigma: f64;
    /// Returns the damping of the step size.
    d_sigma: f64;
    /// Returns the rule that adapts the step size.
    step_size: StepSize;
    /// Returns d, the damping of two-point adaptation.
    tpa_damping: f64;
    /// Returns the exponent of two-point adaptation.
    tpa_exponent: f64;
    /// Returns χ_n, approximately the expected length of a standard normal vector.
    chi_n: f64;
    /// Returns the rank-one learning rate of C.
    c_1: f64;
    /// Returns the rank-μ learning rate of C.
    c_mu: f64;
    /// Returns the cumulation factor of the path of C.
    c_c: f64;
    /// Returns the rank-one learning rate of D.
    c_1_d: f64;
    /// Returns the rank-μ learning rate of D.
    c_mu_d: f64;
    /// Returns the cumulation factor of the path of D.
    c_c_d: f64;
    /// Returns β_eig, which determines how often C is updated.
    beta_eig: f64;
    /// Returns the number of iterations between two updates of C.
    t_eig: usize;
    /// Returns β_thresh, the threshold up to which D is not damped: a bound on the √cond of the correlation matrix, or on its λ_min^−γ.
    beta_thresh: f64;
    /// Returns γ of [`Damping::ShortestAxis`] and [`Damping::Agreement`].
    beta_exponent: f64;
    /// Returns β_min of [`Damping::ShortestAxis`] and [`Damping::Agreement`], or c_1,D + c_μ,D if that is larger.
    beta_min: f64;
    /// Returns c_a of [`Damping::Agreement`], the rate at which it forgets past updates of D.
    agreement_rate: f64;
    /// Returns r_0 of [`Damping::Agreement`], the level at which it neither slows D down nor speeds it up.
    agreement_level: f64;
    /// Returns how much faster D may learn with [`Damping::Agreement`].
    agreement_gain: f64;
    /// Returns the rate (c_1,D + c_μ,D)/β of D at which [`Damping::Agreement`] no longer has any effect.
    agreement_limit: f64;
    /// Returns how C is kept positive definite.
    definiteness: Definiteness;
    /// Returns α of eq. (alpha2), at most one: the factor by which Method 2 multiplies the negative weights of C.
    ///
    /// `None` if C is updated too rarely for Method 2. With Method 1 it has no effect.
    method2_alpha: Option<f64>;
    /// Returns the damping of the update of D.
    damping: Damping;
    /// Returns how the root of C is maintained.
    root: Root;
    /// Returns whether the update of D keeps its determinant.
    keep_determinant: bool;
}

impl Params {
    /// Returns the settings that the parameters were derived from.
    pub fn settings(&self) -> &Settings {
        &self.origin.0
    }

    /// Returns μ, the number of positive weights. A generation needs at least this many values.
    pub fn mu(&self) -> usize {
        self.w_mean.iter().filter(|w| **w > 0.0).count()
    }

    /// Returns the weights of the mean by rank: the positive ones, zeros elsewhere.
    pub fn w_mean(&self) -> &[f64] {
        &self.w_mean
    }

    /// Returns the weights of C by rank.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns the weights of D by rank.
    pub fn w_d(&self) -> &[f64] {
        &self.w_d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_changes_what_lies_to_its_right_and_nothing_else() {
        let defaults = Params::new(10).unwrap();
        let faster = Settings::new().c_1(0.1).params(10).unwrap();
        assert_eq!(faster.c_1, 0.1);
        assert!(faster.c_mu > defaults.c_mu && faster.c_c > defaults.c_c);
        assert_eq!((faster.mu_w, faster.c_sigma), (defaults.mu_w, defaults.c_sigma));
        assert_eq!((faster.c_1_d, faster.c_mu_d), (defaults.c_1_d, defaults.c_mu_d));

        let both = Settings::new().c_1(0.1).c_mu(0.2).params(10).unwrap();
        assert_eq!((both.c_1, both.c_mu, both.c_c), (0.1, 0.2, faster.c_c));
        // Σ|w⁻| = min(1 + c_1/c_μ, …), eq. (ourw)
        assert!((weights::negative_sum(&both.w) - 1.5).abs() < 1e-12);
        assert_eq!(both.w_d, defaults.w_d);

        let lazy = Settings::new().beta_eig(0.5).params(10).unwrap();
        assert_eq!(lazy.t_eig, (1.0 / (0.5 * (lazy.c_1 + lazy.c_mu))).floor() as usize);
        assert_eq!(Settings::new().beta_eig(0.5).t_eig(7).params(10).unwrap().t_eig, 7);

        let large = Settings::new().lambda(100).params(10).unwrap();
        assert!(large.mu_w > defaults.mu_w && large.c_sigma > defaults.c_sigma);
        assert_eq!(large.w.len(), 100);
    }

    #[test]
    fn the_constants_of_the_damping_depend_on_it() {
        let of = |damping| Settings::new().damping(damping).params(10).unwrap();
        assert_eq!(of(Damping::Adaptive), Params::new(10).unwrap());
        assert_eq!(of(Damping::Adaptive).beta_thresh, 2.0);
        assert_eq!(of(Damping::Fixed(3.0)).beta_thresh, 2.0);
        let by_axis = of(Damping::ShortestAxis);
        assert_eq!((by_axis.beta_thresh, by_axis.beta_exponent), (1.0, 0.8));
        let by_agreement = of(Damping::Agreement);
        assert_eq!((by_agreement.beta_thresh, by_agreement.beta_exponent, by_agreement.beta_min), (1.0, 0.8, 0.6));
        assert_eq!(by_agreement.agreement_rate, (by_agreement.c_1_d + by_agreement.c_mu_d) / 8.0);
        assert_eq!(Settings::new().agreement_memory(1e-3).params(10).unwrap().agreement_rate, 1.0);
        let chosen = Settings::new().beta_thresh(4.0).beta_exponent(0.5).damping(Damping::ShortestAxis);
        let chosen = chosen.params(10).unwrap();
        assert_eq!((chosen.beta_thresh, chosen.beta_exponent), (4.0, 0.5));
    }

    #[test]
    fn the_least_damping_lets_the_rates_of_d_reach_one_at_most() {
        let usual = Params::new(20).unwrap();
        assert_eq!(usual.beta_min, 0.6);
        let large = Settings::new().lambda(2000).params(20).unwrap();
        assert_eq!(large.beta_min, large.c_1_d + large.c_mu_d);
        assert!(large.beta_min > 0.99);
        assert_eq!(Settings::new().lambda(2000).beta_min(0.5).params(20).unwrap().beta_min, large.beta_min);
        assert_eq!(Settings::new().beta_min(0.5).params(20).unwrap().beta_min, 0.5);
    }

    #[test]
    fn given_weights_bring_their_own_population_size_and_mass() {
        let params = Settings::new().pre_weights(vec![2.0, 1.0, 0.0, -1.0]).params(3).unwrap();
        assert_eq!(params.lambda, 4);
        assert!((params.mu_w - 9.0 / 5.0).abs() < 1e-15);
        assert_eq!(params.mu_w_neg, 1.0);
        assert_eq!(params.w_mean, [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]);
        assert!(params.w[3] < 0.0);
        let positive = Settings::new().pre_weights(vec![1.0, 1.0]).params(3).unwrap();
        assert_eq!((positive.mu_w, positive.mu_w_neg), (2.0, 0.0));
        assert_eq!(positive.w, [0.5, 0.5]);
        // Only ratios matter, however extreme the numbers.
        let usual = Settings::new().pre_weights(vec![1.0, 0.5, -1.0]).params(3).unwrap();
        for scale in [2f64.powi(900), 2f64.powi(-900)] {
            let scaled = vec![scale, 0.5 * scale, -scale];
            let scaled = Settings::new().pre_weights(scaled).params(3).unwrap();
            assert_eq!((scaled.mu_w, scaled.c_1, &scaled.w), (usual.mu_w, usual.c_1, &usual.w));
        }
    }

    #[test]
    fn the_rank_mu_update_can_be_off() {
        let params = Settings::new().c_mu(0.0).c_mu_d(0.0).params(20).unwrap();
        assert_eq!((params.c_mu, params.c_mu_d), (0.0, 0.0));
        assert!(params.w.iter().chain(&params.w_d).all(|w| w.is_finite()));
        assert!(params.c_1 > 0.0 && params.t_eig >= 1);
        let frozen = Settings::new().c_1(0.0).params(20).unwrap();
        assert_eq!((frozen.c_mu, frozen.c_c, frozen.t_eig), (0.0, 0.0, usize::MAX));
        assert!(frozen.w.iter().all(|w| w.is_finite()));
    }

    #[test]
    fn inactive_weights_are_zero_for_the_worse_half() {
        let params = Settings::new().active(false).params(10).unwrap();
        assert_eq!(weights::negative_sum(&params.w), 0.0);
        assert_eq!(weights::negative_sum(&params.w_d), 0.0);
        assert_eq!(params.w, Params::new(10).unwrap().w_mean);
    }

    #[test]
    fn the_older_rates_are_those_of_their_publications() {
        let params = Settings::new().rates(Rates::Older).params(20).unwrap();
        let mu_w = params.mu_w;
        assert!((params.c_1 - 2.0 / (21.3 * 21.3 + mu_w)).abs() < 1e-16);
        let c_mu = 2.0 * (mu_w - 2.0 + 1.0 / mu_w) / (22.0 * 22.0 + mu_w);
        assert!((params.c_mu - c_mu).abs() < 1e-16);
        assert!((params.c_c - (4.0 + mu_w / 20.0) / (24.0 + mu_w / 10.0)).abs() < 1e-16);
        assert!((params.c_1_d - params.c_1 * 22.0 / 3.0).abs() < 1e-15);
        assert!((params.c_mu_d - params.c_mu * 22.0 / 3.0).abs() < 1e-15);
        // A large population would push c_μ,D beyond one.
        let large = Settings::new().rates(Rates::Older).lambda(2000).params(20).unwrap();
        assert_eq!(large.c_mu_d, 1.0 - large.c_1_d);
        // The smallest population has no rank-μ update: μ_w = 1.
        let smallest = Settings::new().rates(Rates::Older).lambda(2).params(20).unwrap();
        assert_eq!(smallest.c_mu, 0.0);
    }

    #[test]
    fn every_dimension_and_population_size_has_parameters() {
        for n in (1..40).chain([100, 300]) {
            for lambda in (2..20).chain([4 * n, n * n]).filter(|lambda| *lambda >= 2) {
                for rates in [Rates::Paper, Rates::Older] {
                    for method in [Definiteness::ScaleUpdate, Definiteness::ScaleWeights] {
                        let settings = Settings::new().lambda(lambda).rates(rates).definiteness(method);
                        let params = settings.params(n).unwrap();
                        let sum: f64 = params.w_mean.iter().sum();
                        assert!((sum - 1.0).abs() < 1e-12);
                        assert!(params.method2_alpha.is_some_and(|alpha| alpha <= 1.0));
                    }
                }
            }
        }
    }

    #[test]
    fn bad_settings_are_named() {
        let message = |settings: Settings, n| settings.params(n).unwrap_err().to_string();
        let s = Settings::new;
        assert_eq!(message(s(), 0), "the number of variables n must be at least 1, got 0");
        assert_eq!(message(s().lambda(1), 3), "lambda must be at least 2, got 1");
        assert_eq!(message(s().c_m(0.0), 3), "c_m must be in (0, 1], got 0");
        assert_eq!(message(s().c_sigma(f64::NAN), 3), "c_sigma must be in (0, 1], got NaN");
        assert_eq!(message(s().d_sigma(-1.0), 3), "d_sigma must be in (0, ∞), got -1");
        assert_eq!(message(s().c_1(1.5), 3), "c_1 must be in [0, 1], got 1.5");
        assert_eq!(message(s().c_mu_d(-0.5), 3), "c_mu_d must be in [0, 1], got -0.5");
        assert_eq!(message(s().c_c(2.0), 3), "c_c must be in [0, 1], got 2");
        assert_eq!(message(s().c_1(0.5).c_mu(0.75).c_c(0.5), 3), "c_1 + c_mu must be at most 1, got 0.5 + 0.75");
        assert_eq!(message(s().beta_eig(0.0), 3), "beta_eig must be in (0, ∞), got 0");
        assert_eq!(message(s().t_eig(0), 3), "t_eig must be in [1, ∞), got 0");
        assert_eq!(message(s().beta_thresh(f64::INFINITY), 3), "beta_thresh must be in (−∞, ∞), got inf");
        assert_eq!(message(s().damping(Damping::Fixed(0.0)), 3), "damping must be in (0, ∞), got 0");
        assert_eq!(message(s().beta_exponent(0.0), 3), "beta_exponent must be in (0, ∞), got 0");
        assert_eq!(message(s().beta_min(-2.0), 3), "beta_min must be in (0, ∞), got -2");
        assert_eq!(message(s().agreement_memory(0.0), 3), "agreement_memory must be in (0, ∞), got 0");
        assert_eq!(message(s().agreement_level(f64::NAN), 3), "agreement_level must be in (0, ∞), got NaN");
        assert_eq!(message(s().agreement_limit(0.0), 3), "agreement_limit must be in (0, ∞), got 0");
        assert_eq!(message(s().agreement_gain(0.5), 3), "agreement_gain must be in [1, ∞), got 0.5");
        assert_eq!(
            message(s().lambda(3).pre_weights(vec![1.0, 0.0]), 3),
            "there must be one weight per candidate: lambda = 3, got 2 weights"
        );
        assert_eq!(
            message(s().pre_weights(vec![1.0, f64::INFINITY]), 3),
            "the weight of rank 1 (the best is 0) must be finite, got inf"
        );
        assert_eq!(message(s().pre_weights(vec![0.0, -1.0]), 3), "the weight of the best rank must be positive, got 0");
        assert_eq!(
            message(s().pre_weights(vec![1.0, 0.0, 0.5]), 3),
            "weights must not increase from best to worst, but the weight of rank 2 (the best is 0), 0.5, is larger than the \
             weight before it"
        );
        assert_eq!(
            message(s().lambda(usize::MAX), 3),
            format!(
                "a generation must have at most 2^36 numbers, got lambda = {} candidates with n = 3 coordinates",
                usize::MAX
            )
        );
        let method2 = || s().definiteness(Definiteness::ScaleWeights).t_eig(1000);
        for settings in [method2(), method2().active(false), method2().c_mu(0.0).c_1(0.2)] {
            let error = settings.params(3).unwrap_err();
            assert!(matches!(error, ParamsError::DecomposedTooRarely { t_eig: 1000, .. }));
        }
    }
}
