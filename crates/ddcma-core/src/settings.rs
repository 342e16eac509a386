//! What a user may choose about the strategy. Knows no formula: [`Params`] derives what is not chosen.

use crate::stored::stored;
use crate::{Params, ParamsError};

stored! {
    /// How the active update is kept from making C indefinite (Section 3).
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Definiteness {
        /// Method 1: the whole update of C is scaled down when it would shrink an axis too much. The paper's choice.
        #[default]
        ScaleUpdate,
        /// Method 2: the negative weights are scaled down beforehand, for the worst case of all.
        ScaleWeights,
    }

    /// Which formulas give the default learning rates.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Rates {
        /// Those of the paper, Θ(n^-1.75) for C and Θ(n^-0.75) for D.
        #[default]
        Paper,
        /// Those that the paper compares with in its Figure "lrcomp" as the original setting, Θ(n^-2) and Θ(n^-1).
        Older,
    }

    /// The damping β of the update of D in dd-CMA-ES: the update of log D is divided by it.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Damping {
        /// The paper's: β follows the condition number of the correlation matrix,
        /// β = max(1, √(λ_max/λ_min) − β_thresh + 1), eq. (ddamp).
        #[default]
        Adaptive,
        /// β follows the smallest eigenvalue of the correlation matrix, β = β_min·max(1, λ_min^−γ − β_thresh + 1), where γ is
        /// [`beta_exponent`](Settings::beta_exponent) and β_min is [`beta_min`](Settings::beta_min).
        ///
        /// Noise in D spoils the short axes of C and leaves the long ones as they are. Not the paper's, and recommended from about
        /// 40 variables on: functions whose scales matter need fewer evaluations, down to a quarter at n = 160, and most others as many;
        /// `docs/damping.md` has the derivation, the measurements, and what it costs.
        ShortestAxis,
        /// β stays at this value, which is positive. `Fixed(1.0)` is the ablation in the paper's Figure "conv".
        Fixed(f64),
    }

    /// The rule that adapts the step size.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum StepSize {
        /// Cumulative step-size adaptation, [`Csa`](crate::Csa): the paper's.
        #[default]
        Csa,
        /// Two-point adaptation, [`Tpa`](crate::Tpa).
        Tpa,
    }

    /// How plain and dd-CMA-ES keep a root of C.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Root {
        /// By low-rank updates of a root: from the same state the same C, at a fraction of the time.
        ///
        /// The root differs from √C by a rotation, so that D and σ learn from rotated coordinates, and β follows an estimate. A run
        /// is another one than with [`Literal`](Self::Literal), and takes as many evaluations.
        #[default]
        LowRank,
        /// As the paper writes it: the symmetric root, by an eigendecomposition every t_eig iterations.
        Literal,
    }

    /// Choices for a run; everything else gets its default of the paper's Algorithm 2.
    ///
    /// A choice changes what is derived from it, and nothing else: with another λ all weights and rates are computed
    /// anew; with another `c_1`, also `c_mu` and `c_c`, unless they are chosen too.
    ///
    /// ```
    /// use ddcma_core::{Damping, Settings};
    ///
    /// let settings = Settings::new().lambda(40).damping(Damping::Fixed(1.0));
    /// let params = settings.params(10)?;
    /// assert_eq!((params.dimension(), params.lambda()), (10, 40));
    /// # Ok::<(), ddcma_core::ParamsError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Settings {
        pub(crate) lambda: Option<usize>,
        pub(crate) pre_weights: Option<Vec<f64>>,
        pub(crate) active: bool,
        pub(crate) definiteness: Definiteness,
        pub(crate) rates: Rates,
        pub(crate) damping: Damping,
        pub(crate) root: Root,
        pub(crate) step_size: StepSize,
        pub(crate) keep_determinant: bool,
        pub(crate) c_m: Option<f64>,
        pub(crate) c_sigma: Option<f64>,
        pub(crate) d_sigma: Option<f64>,
        pub(crate) tpa_damping: Option<f64>,
        pub(crate) tpa_exponent: Option<f64>,
        pub(crate) c_1: Option<f64>,
        pub(crate) c_mu: Option<f64>,
        pub(crate) c_c: Option<f64>,
        pub(crate) c_1_d: Option<f64>,
        pub(crate) c_mu_d: Option<f64>,
        pub(crate) c_c_d: Option<f64>,
        pub(crate) beta_eig: Option<f64>,
        pub(crate) t_eig: Option<usize>,
        pub(crate) beta_thresh: Option<f64>,
        pub(crate) beta_exponent: Option<f64>,
        pub(crate) beta_min: Option<f64>,
    }
}

impl StepSize {
    /// The name of the rule.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csa => "csa",
            Self::Tpa => "tpa",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

/// One setter a line: its documentation, name, argument and what it assigns.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $type:ty) = $value:expr;)*) => {
        impl Settings {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, $argument: $type) -> Self {
                    self.$name = $value;
                    self
                }
            )*
        }
    };
}

setters! {
    /// The population size λ, at least 2. Default: 4 + ⌊3 ln n⌋.
    lambda(lambda: usize) = Some(lambda);
    /// The pre-weights w′, one for each rank, not increasing, the first one positive.
    ///
    /// As in Algorithm 2 they give μ_w and, scaled, the weights of the mean, of C and of D. They also set λ, if that
    /// is not chosen. Default: ln((λ + 1)/2) − ln i.
    pre_weights(pre_weights: Vec<f64>) = Some(pre_weights);
    /// Whether the worse half of a generation takes part in the update of C and D. Default: yes.
    active(active: bool) = active;
    /// How C stays positive definite. Default: [`Definiteness::ScaleUpdate`].
    definiteness(method: Definiteness) = method;
    /// Where default learning rates come from. Default: [`Rates::Paper`].
    rates(rates: Rates) = rates;
    /// The damping of the update of D. Default: [`Damping::Adaptive`].
    damping(damping: Damping) = damping;
    /// How the root of C is kept. Default: [`Root::LowRank`].
    root(root: Root) = root;
    /// The rule that adapts the step size. Default: [`StepSize::Csa`].
    step_size(rule: StepSize) = rule;
    /// Whether the update of D keeps its determinant (end of Section 6.3). Default: no.
    keep_determinant(keep: bool) = keep;
    /// The learning rate of the mean, in (0, 1]. Default: 1.
    c_m(rate: f64) = Some(rate);
    /// The cumulation factor of the step-size path, in (0, 1].
    c_sigma(rate: f64) = Some(rate);
    /// The damping of the step size, positive.
    d_sigma(damping: f64) = Some(damping);
    /// The damping d of two-point adaptation, positive. Default: 0.7 + 2 ln n.
    tpa_damping(damping: f64) = Some(damping);
    /// The exponent of two-point adaptation, positive: with 1, its signal is the difference of ranks. Default: ½.
    tpa_exponent(exponent: f64) = Some(exponent);
    /// The rank-one learning rate of C, in [0, 1].
    c_1(rate: f64) = Some(rate);
    /// The rank-μ learning rate of C, in [0, 1 − c_1].
    c_mu(rate: f64) = Some(rate);
    /// The cumulation factor of the path of C, in [0, 1].
    c_c(rate: f64) = Some(rate);
    /// The rank-one learning rate of D, in [0, 1].
    c_1_d(rate: f64) = Some(rate);
    /// The rank-μ learning rate of D, in [0, 1 − c_1_d].
    c_mu_d(rate: f64) = Some(rate);
    /// The cumulation factor of the path of D, in [0, 1].
    c_c_d(rate: f64) = Some(rate);
    /// β_eig, which sets how often C is brought up to date; positive. Default: 10 n.
    beta_eig(beta_eig: f64) = Some(beta_eig);
    /// The number of iterations from one update of C to the next, at least 1. It makes β_eig irrelevant.
    t_eig(iterations: usize) = Some(iterations);
    /// β_thresh, up to which D is not damped: the √cond of the correlation matrix, or its λ_min^−γ with [`Damping::ShortestAxis`].
    /// Default: 2, or 1 with that one.
    beta_thresh(threshold: f64) = Some(threshold);
    /// γ of [`Damping::ShortestAxis`], positive; the other dampings have none. Default: 0.8.
    beta_exponent(exponent: f64) = Some(exponent);
    /// β_min, the least damping of [`Damping::ShortestAxis`], positive: below one, D is learnt faster than in the paper while C has no short
    /// axis. Where c_1,D + c_μ,D is more, as in large populations, that is taken, so that rates over β are at most one. The other dampings have
    /// none. Default: 0.6.
    beta_min(least: f64) = Some(least);
}

impl Settings {
    /// No choice at all: the paper's defaults.
    pub fn new() -> Self {
        Self {
            lambda: None,
            pre_weights: None,
            active: true,
            definiteness: Definiteness::default(),
            rates: Rates::default(),
            damping: Damping::default(),
            root: Root::default(),
            step_size: StepSize::default(),
            keep_determinant: false,
            c_m: None,
            c_sigma: None,
            d_sigma: None,
            tpa_damping: None,
            tpa_exponent: None,
            c_1: None,
            c_mu: None,
            c_c: None,
            c_1_d: None,
            c_mu_d: None,
            c_c_d: None,
            beta_eig: None,
            t_eig: None,
            beta_thresh: None,
            beta_exponent: None,
            beta_min: None,
        }
    }

    /// Checks the choices and derives the rest, for `n` variables.
    pub fn params(&self, n: usize) -> Result<Params, ParamsError> {
        Params::derive(n, self)
    }
}
