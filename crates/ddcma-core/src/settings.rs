//! The settings of a strategy. [`Params`] derives the parameters that are not set.

use crate::stored::stored;
use crate::{Params, ParamsError};

stored! {
    /// The method that keeps C positive definite in the active update (Section 3).
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Definiteness {
        /// Method 1: scales the whole update of C down if it would shrink an axis too much. This is the paper's choice.
        #[default]
        ScaleUpdate,
        /// Method 2: scales the negative weights down beforehand, for the worst possible case.
        ScaleWeights,
    }

    /// The formulas of the default learning rates.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Rates {
        /// The formulas of the paper, Θ(n^-1.75) for C and Θ(n^-0.75) for D.
        #[default]
        Paper,
        /// The formulas that the paper's Figure "lrcomp" calls the original setting, Θ(n^-2) and Θ(n^-1).
        Older,
    }

    /// The damping β of the update of D in dd-CMA-ES: the update of log D is divided by it.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Damping {
        /// The paper's damping: β depends on the condition number of the correlation matrix,
        /// β = max(1, √(λ_max/λ_min) − β_thresh + 1), eq. (ddamp).
        #[default]
        Adaptive,
        /// β depends on the smallest eigenvalue of the correlation matrix, β = β_min·max(1, λ_min^−γ − β_thresh + 1), where
        /// γ is [`beta_exponent`](Settings::beta_exponent) and β_min is [`beta_min`](Settings::beta_min).
        ///
        /// Noise in D spoils the short axes of C, but not the long ones. This damping is not in the paper.
        /// `docs/damping.md` has the derivation, the measurements, and the costs.
        ShortestAxis,
        /// β depends on the shortest axis and on the updates of D themselves: it is that of
        /// [`ShortestAxis`](Self::ShortestAxis), multiplied by a factor between 1/[gain](Settings::agreement_gain) and
        /// 1/[β_min](Settings::beta_min), which is small while successive updates of D agree with each other, and large
        /// while they look like noise.
        ///
        /// This damping is not in the paper. It is recommended for about 20 variables or more: functions whose scales matter
        /// need fewer evaluations, down to a sixth at n = 160, and most others need about as many as before. `docs/damping.md` has the
        /// derivation, the measurements, and the costs.
        Agreement,
        /// β has this fixed value, which must be positive. `Fixed(1.0)` is the ablation in the paper's Figure "conv".
        Fixed(f64),
    }

    /// The rule that adapts the step size.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum StepSize {
        /// Cumulative step-size adaptation, [`Csa`](crate::Csa), as in the paper.
        #[default]
        Csa,
        /// Two-point adaptation, [`Tpa`](crate::Tpa).
        Tpa,
    }

    /// How plain and dd-CMA-ES maintain a root of C.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub enum Root {
        /// By low-rank updates of a root. From the same state this gives the same C, in a fraction of the time.
        ///
        /// The root differs from √C by a rotation, so D and σ learn from rotated coordinates, and β is computed from estimated eigenvalues.
        /// A run therefore differs from one with [`Literal`](Self::Literal), but takes about as many evaluations.
        #[default]
        LowRank,
        /// As in the paper: the symmetric root, by an eigendecomposition every t_eig iterations.
        Literal,
    }

    /// Settings of a run; all other parameters have the defaults of the paper's Algorithm 2.
    ///
    /// A setting changes only what is derived from it: another λ changes all weights and rates; another `c_1` also changes
    /// `c_mu` and `c_c`, unless they are set, too.
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
        pub(crate) agreement_memory: Option<f64>,
        pub(crate) agreement_level: Option<f64>,
        pub(crate) agreement_gain: Option<f64>,
        pub(crate) agreement_limit: Option<f64>,
    }
}

impl StepSize {
    /// Returns the name of the rule.
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

/// Writes setters from lines of documentation, name, argument and assignment.
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
    /// Sets the population size λ, at least 2. Default: 4 + ⌊3 ln n⌋.
    lambda(lambda: usize) = Some(lambda);
    /// Sets the pre-weights w′: one per rank, not increasing, the first one positive.
    ///
    /// As in Algorithm 2 they determine μ_w and, after scaling, the weights of the mean, of C and of D. They also determine
    /// λ, unless it is set. Default: ln((λ + 1)/2) − ln i.
    pre_weights(pre_weights: Vec<f64>) = Some(pre_weights);
    /// Sets whether the worse half of a generation takes part in the update of C and D. Default: true.
    active(active: bool) = active;
    /// Sets how C is kept positive definite. Default: [`Definiteness::ScaleUpdate`].
    definiteness(method: Definiteness) = method;
    /// Sets the formulas of the default learning rates. Default: [`Rates::Paper`].
    rates(rates: Rates) = rates;
    /// Sets the damping of the update of D. Default: [`Damping::Adaptive`].
    damping(damping: Damping) = damping;
    /// Sets how the root of C is maintained. Default: [`Root::LowRank`].
    root(root: Root) = root;
    /// Sets the rule that adapts the step size. Default: [`StepSize::Csa`].
    step_size(rule: StepSize) = rule;
    /// Sets whether the update of D keeps its determinant (end of Section 6.3). Default: false.
    keep_determinant(keep: bool) = keep;
    /// Sets the learning rate of the mean, in (0, 1]. Default: 1.
    c_m(rate: f64) = Some(rate);
    /// Sets the cumulation factor of the step-size path, in (0, 1].
    c_sigma(rate: f64) = Some(rate);
    /// Sets the damping of the step size, positive.
    d_sigma(damping: f64) = Some(damping);
    /// Sets the damping d of two-point adaptation, positive. Default: 0.7 + 2 ln n.
    tpa_damping(damping: f64) = Some(damping);
    /// Sets the exponent of two-point adaptation, positive. With 1, its signal is the difference of ranks. Default: ½.
    tpa_exponent(exponent: f64) = Some(exponent);
    /// Sets the rank-one learning rate of C, in [0, 1].
    c_1(rate: f64) = Some(rate);
    /// Sets the rank-μ learning rate of C, in [0, 1 − c_1].
    c_mu(rate: f64) = Some(rate);
    /// Sets the cumulation factor of the path of C, in [0, 1].
    c_c(rate: f64) = Some(rate);
    /// Sets the rank-one learning rate of D, in [0, 1].
    c_1_d(rate: f64) = Some(rate);
    /// Sets the rank-μ learning rate of D, in [0, 1 − c_1_d].
    c_mu_d(rate: f64) = Some(rate);
    /// Sets the cumulation factor of the path of D, in [0, 1].
    c_c_d(rate: f64) = Some(rate);
    /// Sets β_eig, positive, which determines how often C is updated. Default: 10 n.
    beta_eig(beta_eig: f64) = Some(beta_eig);
    /// Sets the number of iterations between two updates of C, at least 1. It takes precedence over β_eig.
    t_eig(iterations: usize) = Some(iterations);
    /// Sets β_thresh, the threshold up to which D is not damped: a bound on the √cond of the correlation matrix, or on its λ_min^−γ with
    /// [`Damping::ShortestAxis`] and [`Damping::Agreement`]. Default: 2, or 1 with these two.
    beta_thresh(threshold: f64) = Some(threshold);
    /// Sets γ of [`Damping::ShortestAxis`] and [`Damping::Agreement`], positive; other dampings do not use it. Default: 0.8.
    beta_exponent(exponent: f64) = Some(exponent);
    /// Sets β_min, the least damping of [`Damping::ShortestAxis`], positive. [`Damping::Agreement`] uses it, too, and multiplies it by
    /// its factor. Default: 0.6.
    ///
    /// With a value below one, D is learned faster than in the paper as long as C has no short axis. If c_1,D + c_μ,D is larger, as in
    /// large populations, it is used instead, so that rates divided by β are at most one.
    beta_min(least: f64) = Some(least);
    /// Sets how long [`Damping::Agreement`] remembers updates of D, as a positive multiple of 1/(c_1,D + c_μ,D), the time in which D
    /// learns. Default: 8.
    agreement_memory(times: f64) = Some(times);
    /// Sets the level r_0 of agreement at which [`Damping::Agreement`] neither slows D down nor speeds it up; it must be positive.
    /// Independent updates have the level 1. Default: 2.
    agreement_level(level: f64) = Some(level);
    /// Sets how much faster D may learn with [`Damping::Agreement`] if its updates agree, at least 1. Default: 4.
    agreement_gain(gain: f64) = Some(gain);
    /// Sets the rate (c_1,D + c_μ,D)/β of D at which [`Damping::Agreement`] no longer has any effect; it must be positive. With higher
    /// rates, as in large populations, it equals [`Damping::ShortestAxis`]. Default: 0.2.
    agreement_limit(rate: f64) = Some(rate);
}

impl Settings {
    /// Creates the paper's defaults.
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
            agreement_memory: None,
            agreement_level: None,
            agreement_gain: None,
            agreement_limit: None,
        }
    }

    /// Checks the settings and derives all parameters for `n` variables.
    pub fn params(&self, n: usize) -> Result<Params, ParamsError> {
        Params::derive(n, self)
    }
}
