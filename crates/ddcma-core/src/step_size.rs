//! The step size σ, its path p_σ, and the rule that adapts it.

mod built_in;
mod csa;
mod tpa;
mod with;

pub use built_in::BuiltInRule;
pub use csa::Csa;
pub use tpa::Tpa;
pub use with::WithStepSize;

use std::fmt::Debug;

use crate::numeric::squared_length;
use crate::settings::StepSize;
#[cfg(feature = "checkpoint")]
use crate::{CheckpointError, storage};
use crate::{EvolutionPath, Params, StartError, UpdateError};

/// A rule that adapts the step size, based on the order of the candidates.
///
/// A rule sees ranks, the path p_σ and the recombined z. It never sees a function value, m, C or D, so only the order of
/// values matters, whatever the rule. Implement this trait to add your own rule, and run it as the step size of any
/// strategy, `Optimizer<WithStepSize<DiagonalDecoding, MyRule>>`: see `examples/own_step_size.rs`. The built-in rules are
/// [`Csa`] and [`Tpa`], chosen by [`Settings::step_size`](crate::Settings::step_size).
///
/// A rule is cloned in every generation, so that an update that fails can be undone: it should be small.
pub trait StepSizeRule: Clone + Debug + Send + Sync + 'static {
    /// A short name, for checkpoints.
    const NAME: &'static str;

    /// Creates the rule before the first generation.
    fn start(params: &Params) -> Result<Self, StartError>;

    /// Returns whether this rule may run with settings that choose this built-in rule. Default: only if that is the default
    /// rule or this one.
    fn accepts(chosen: StepSize) -> bool {
        chosen == StepSize::default() || chosen.name() == Self::NAME
    }

    /// Learns from a generation, and returns the change of σ.
    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange;

    /// Returns whether the first two candidates should lie on a line through the mean, one along its last step, the other
    /// opposite. Default: false.
    fn wants_pair(&self) -> bool {
        false
    }

    /// Returns whether the rule needs the ranks of this generation. Default: true.
    fn wants_ranks(&self) -> bool {
        true
    }

    /// Returns whether this generation should be compared with the last one. Default: false.
    fn wants_last(&self) -> bool {
        false
    }

    /// Returns the rule as bytes, for checkpoints; `None`, the default, if it cannot be stored. See
    /// [`Strategy::to_bytes`](crate::Strategy::to_bytes).
    fn to_bytes(&self) -> Option<Vec<u8>> {
        None
    }

    /// Restores the rule from [bytes](Self::to_bytes). Default: `None`.
    fn from_bytes(_bytes: &[u8]) -> Option<Self> {
        None
    }

    /// Checks a rule that was read from a checkpoint; an error names the part that does not fit. Default: accepts it.
    fn resume(&mut self, _params: &Params) -> Result<(), &'static str> {
        Ok(())
    }
}

/// What a [rule](StepSizeRule) sees of an evaluated generation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Selection<'a> {
    /// p_σ and γ_σ, updated with this generation.
    pub path: &'a EvolutionPath,
    /// ‖p_σ‖.
    pub path_length: f64,
    /// Σ w_i·z_i, with the weights of the mean.
    pub z_mean: &'a [f64],
    /// For each candidate, the number of better candidates in its generation; a tie counts as one half. Empty if the rule
    /// does not [want](StepSizeRule::wants_ranks) it. Candidates that were [left out](crate::Missing::LeaveOut) are not
    /// included.
    pub ranks: &'a [f64],
    /// For each of these candidates, the number of better candidates in the last generation; a tie counts as one half.
    /// `None` in the first generation, or if the rule does not [want](StepSizeRule::wants_last) it.
    pub ranks_in_last: Option<&'a [f64]>,
    /// Whether the first two candidates are the pair that the rule [wants](StepSizeRule::wants_pair). This is false in the
    /// first generation, after a step of the mean without direction, with λ = 2, if one of them was replaced by a point or
    /// by deviates from elsewhere, and if the value of one of them is missing.
    pub pair: bool,
    /// h_σ by eq. (hs): false while p_σ is long.
    pub h_sigma: bool,
}

/// The change of the step size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSizeChange {
    /// The logarithm of the factor of σ.
    pub log_sigma: f64,
    /// h_σ: whether the paths of C and D include this generation. [`Selection::h_sigma`] is the paper's.
    pub h_sigma: bool,
}

/// The part of a generation that determines its step size: its order, and where it was drawn.
pub(crate) struct Selected<'a> {
    pub(crate) z_mean: &'a [f64],
    pub(crate) ranks: &'a [f64],
    pub(crate) ranks_in_last: Option<&'a [f64]>,
    pub(crate) pair: bool,
}

/// σ, its path, and the rule that adapts it.
#[derive(Clone, Debug)]
pub(crate) struct StepSizeAdaptation<T> {
    sigma: f64,
    /// σ0.
    initial: f64,
    /// The binary logarithm of the factor that D has taken over from σ.
    given_to_d: f64,
    path: EvolutionPath,
    rule: T,
    /// The path before an update that may fail.
    previous: EvolutionPath,
}

impl<T: StepSizeRule> StepSizeAdaptation<T> {
    pub(crate) fn start(sigma: f64, params: &Params) -> Result<Self, StartError> {
        let chosen = params.step_size;
        if !T::accepts(chosen) {
            return Err(StartError::StepSizeRule { rule: T::NAME, chosen: chosen.name() });
        }
        let (path, previous) = (EvolutionPath::new(params.n), EvolutionPath::new(params.n));
        Ok(Self { sigma, initial: sigma, given_to_d: 0.0, path, rule: T::start(params)?, previous })
    }

    /// Returns the step size as bytes, without what can be recreated.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        let rule = self.rule.to_bytes().ok_or(CheckpointError::Unsupported { what: "the step-size rule" })?;
        storage::to_bytes(&(self.sigma, self.initial, self.given_to_d, &self.path, rule))
    }

    #[cfg(feature = "checkpoint")]
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (sigma, initial, given_to_d, path, rule): (_, _, _, _, Vec<u8>) = storage::from_bytes(bytes).ok()?;
        let rule = T::from_bytes(&rule)?;
        Some(Self { sigma, initial, given_to_d, path, rule, previous: EvolutionPath::new(0) })
    }

    /// Makes a stored step size ready for use, if it belongs to these parameters.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        let is_sigma = |sigma: f64| sigma > 0.0 && sigma.is_finite();
        if !(is_sigma(self.sigma) && is_sigma(self.initial) && self.given_to_d.is_finite()) {
            return Err("the step size");
        }
        self.path.check(params.n, "the path of the step size")?;
        self.previous = EvolutionPath::new(params.n);
        self.rule.resume(params)
    }

    /// Learns from a generation. Returns h_σ, which is false while σ grows rapidly.
    ///
    /// If σ would overflow or underflow, it keeps its previous state, with its path and its rule, and an error is returned.
    pub(crate) fn update(&mut self, selected: &Selected<'_>, params: &Params) -> Result<bool, UpdateError> {
        let Params { n, c_sigma, mu_w, .. } = *params;
        let n = n as f64;
        let Selected { z_mean, ranks, ranks_in_last, pair } = *selected;

        self.previous.copy_from(&self.path);
        let previous_rule = self.rule.clone();
        self.path.update(c_sigma, mu_w, z_mean, true)?; // eq. (ps), eq. (gs)
        let length2 = squared_length(self.path.p()); // ‖p_σ‖²
        let h_sigma = length2 / self.path.gamma() < (2.0 + 4.0 / (n + 1.0)) * n; // eq. (hs)
        let path_length = length2.sqrt();
        let seen = Selection { path: &self.path, path_length, z_mean, ranks, ranks_in_last, pair, h_sigma };
        let StepSizeChange { log_sigma, h_sigma } = self.rule.update(&seen, params);
        let sigma = self.sigma * log_sigma.exp();
        if !(sigma.is_normal() && sigma > 0.0) {
            self.path.copy_from(&self.previous);
            self.rule = previous_rule;
            return Err(UpdateError::StepSize { sigma });
        }
        self.sigma = sigma;
        Ok(h_sigma)
    }

    /// Hands a power of two over to D.
    pub(crate) fn give_to_d(&mut self, factor: f64) {
        self.sigma /= factor;
        self.given_to_d += factor.log2();
    }

    /// The binary logarithm of the factor by which σ has grown since the start, including what it handed over to D.
    pub(crate) fn log2_growth(&self) -> f64 {
        self.sigma.log2() - self.initial.log2() + self.given_to_d
    }

    /// The step size.
    pub(crate) fn sigma(&self) -> f64 {
        self.sigma
    }

    /// p_σ and γ_σ.
    pub(crate) fn path(&self) -> &EvolutionPath {
        &self.path
    }

    /// The rule.
    pub(crate) fn rule(&self) -> &T {
        &self.rule
    }
}
