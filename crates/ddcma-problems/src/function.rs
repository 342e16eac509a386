//! The functions of the suite: their names, formulas and initial conditions.

use std::fmt;
use std::str::FromStr;

use crate::ProblemError;

/// A function of the paper's Table 1, or one of the two further functions that its source defines.
///
/// Notation, as in the table: n variables x; z = R·x with R = I unless rotated; y = D_ell²·x with
/// D_ell = diag(1, …, 10^((i−1)/(n−1)), …, 10), which is 1 for n = 1; u and v the first and second row of R, which for the
/// Ell-… functions is always random. All minima are 0.
// The numbers are part of the seeds of initial means: a new function gets a new number, and no number ever changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Function {
    /// The paper's "Sphere". f(x) = ‖x‖², with the minimizer 0.
    Sphere = 0,
    /// The paper's "Cigar": one long axis. f(x) = ⟨u, x⟩² + 10⁶ (‖x‖² − ⟨u, x⟩²), with the minimizer 0.
    Cigar = 1,
    /// The paper's "Discus": one short axis. f(x) = 10⁶ ⟨u, x⟩² + (‖x‖² − ⟨u, x⟩²), with the minimizer 0.
    Discus = 2,
    /// The paper's "Ellipsoid": axes of all lengths. f(x) = ‖D_ell³ z‖², with the minimizer 0.
    Ellipsoid = 3,
    /// The paper's "TwoAxes"; for odd n, n/2 is rounded down. f(x) = 10⁶ Σ_{i ≤ n/2} z_i² + Σ_{i > n/2} z_i², with the minimizer 0.
    TwoAxes = 4,
    /// The paper's "Ell-Cig": a cigar across scaled coordinates. f(x) = 10⁻⁴ ⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²), with the minimizer 0.
    EllCig = 5,
    /// The paper's "Ell-Dis": a discus across scaled coordinates. f(x) = 10⁴ ⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²), with the minimizer 0.
    EllDis = 6,
    /// "Ell-Cig-Dis" in the paper's source. f(x) = 10⁻⁴ ⟨u, y⟩² + 10⁴ ⟨v, y⟩² + (‖y‖² − ⟨u, y⟩² − ⟨v, y⟩²), with the minimizer 0.
    EllCigDis = 7,
    /// The paper's "Rosenbrock". f(x) = Σ_{i < n} 100 (z_i² − z_{i+1})² + (z_i − 1)², with the minimizer z = (1, …, 1).
    Rosenbrock = 8,
    /// The paper's "Bohachevsky". f(x) = Σ_{i < n} z_i² + 2 z_{i+1}² − 0.3 cos(3π z_i) − 0.4 cos(4π z_{i+1}) + 0.7, with the minimizer 0.
    Bohachevsky = 9,
    /// The paper's "Rastrigin". f(x) = Σ z_i² + 10 (1 − cos(2π z_i)), with the minimizer 0.
    Rastrigin = 10,
    /// "Ill-Schaffer" in the paper's source. f(x) = Σ_{i < n} s_i^¼ (1 + sin²(50 s_i^0.1)) where s_i = z_i² + z_{i+1}², with the minimizer 0.
    Schaffer = 11,
}

/// The distribution of the initial mean.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InitialMean {
    /// The same number in every coordinate.
    Constant(f64),
    /// N(0, s²·I) with this deviation s, drawn from the instance's own random stream.
    Normal(f64),
}

impl Function {
    /// All functions, in the order of the table.
    pub const ALL: &'static [Self] = &[
        Self::Sphere,
        Self::Cigar,
        Self::Discus,
        Self::Ellipsoid,
        Self::TwoAxes,
        Self::EllCig,
        Self::EllDis,
        Self::EllCigDis,
        Self::Rosenbrock,
        Self::Bohachevsky,
        Self::Rastrigin,
        Self::Schaffer,
    ];

    /// Returns the name, as used on command lines, in files and in the names of instances.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Cigar => "cigar",
            Self::Discus => "discus",
            Self::Ellipsoid => "ellipsoid",
            Self::TwoAxes => "twoaxes",
            Self::EllCig => "ellcig",
            Self::EllDis => "elldis",
            Self::EllCigDis => "ellcigdis",
            Self::Rosenbrock => "rosenbrock",
            Self::Bohachevsky => "bohachevsky",
            Self::Rastrigin => "rastrigin",
            Self::Schaffer => "schaffer",
        }
    }

    /// Returns the paper's label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Sphere => "Sphere",
            Self::Cigar => "Cigar",
            Self::Discus => "Discus",
            Self::Ellipsoid => "Ellipsoid",
            Self::TwoAxes => "TwoAxes",
            Self::EllCig => "Ell-Cig",
            Self::EllDis => "Ell-Dis",
            Self::EllCigDis => "Ell-Cig-Dis",
            Self::Rosenbrock => "Rosenbrock",
            Self::Bohachevsky => "Bohachevsky",
            Self::Rastrigin => "Rastrigin",
            Self::Schaffer => "Ill-Schaffer",
        }
    }

    /// Returns the formula, in the notation of the [type's documentation](Self).
    pub fn formula(self) -> &'static str {
        match self {
            Self::Sphere => "‖x‖²",
            Self::Cigar => "⟨u, x⟩² + 10⁶ (‖x‖² − ⟨u, x⟩²)",
            Self::Discus => "10⁶ ⟨u, x⟩² + (‖x‖² − ⟨u, x⟩²)",
            Self::Ellipsoid => "‖D_ell³ z‖²",
            Self::TwoAxes => "10⁶ Σ_{i ≤ n/2} z_i² + Σ_{i > n/2} z_i²",
            Self::EllCig => "10⁻⁴ ⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²)",
            Self::EllDis => "10⁴ ⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²)",
            Self::EllCigDis => "10⁻⁴ ⟨u, y⟩² + 10⁴ ⟨v, y⟩² + (‖y‖² − ⟨u, y⟩² − ⟨v, y⟩²)",
            Self::Rosenbrock => "Σ_{i < n} 100 (z_i² − z_{i+1})² + (z_i − 1)²",
            Self::Bohachevsky => "Σ_{i < n} z_i² + 2 z_{i+1}² − 0.3 cos(3π z_i) − 0.4 cos(4π z_{i+1}) + 0.7",
            Self::Rastrigin => "Σ z_i² + 10 (1 − cos(2π z_i))",
            Self::Schaffer => "Σ_{i < n} s_i^¼ (1 + sin²(50 s_i^0.1)), s_i = z_i² + z_{i+1}²",
        }
    }

    /// Returns whether the function has a rotated form.
    ///
    /// The sphere is the same in every orientation, and the Ell-… functions already combine a random direction with scaled
    /// coordinates; the paper rotates neither.
    pub fn has_rotated_form(self) -> bool {
        !matches!(self, Self::Sphere | Self::EllCig | Self::EllDis | Self::EllCigDis)
    }

    /// Returns the smallest number of variables for which the formula depends on all of them.
    pub fn smallest_dimension(self) -> usize {
        match self {
            Self::Rosenbrock | Self::Bohachevsky | Self::Schaffer | Self::EllCigDis => 2,
            _ => 1,
        }
    }

    /// Returns the initial mean of Table 1. The paper gives none for Ill-Schaffer, which uses Bohachevsky's here.
    pub fn initial_mean(self) -> InitialMean {
        match self {
            Self::Rosenbrock => InitialMean::Constant(0.0),
            Self::Bohachevsky | Self::Schaffer => InitialMean::Normal(8.0),
            Self::Rastrigin => InitialMean::Normal(3.0),
            _ => InitialMean::Constant(3.0),
        }
    }

    /// Returns the initial step size of Table 1. The paper gives none for Ill-Schaffer, which uses Bohachevsky's here.
    pub fn initial_sigma(self) -> f64 {
        match self {
            Self::Rosenbrock => 0.1,
            Self::Bohachevsky | Self::Schaffer => 7.0,
            Self::Rastrigin => 2.0,
            _ => 1.0,
        }
    }

    /// Returns the number of evaluations per variable after which a trial counts as failed (Section 6.1).
    pub fn budget_per_variable(self) -> u64 {
        match self {
            Self::Rastrigin => 200_000,
            _ => 50_000,
        }
    }

    /// The number of rows of R that the formula uses individually: u is the first, v the second.
    pub(crate) fn directions(self) -> usize {
        match self {
            Self::Cigar | Self::Discus | Self::EllCig | Self::EllDis => 1,
            Self::EllCigDis => 2,
            _ => 0,
        }
    }

    /// Returns whether u is random even in the form that is not rotated.
    pub(crate) fn is_always_oriented(self) -> bool {
        matches!(self, Self::EllCig | Self::EllDis | Self::EllCigDis)
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Function {
    type Err = ProblemError;

    fn from_str(name: &str) -> Result<Self, ProblemError> {
        let known = Self::ALL.iter().copied().find(|function| function.name() == name);
        known.ok_or_else(|| ProblemError::UnknownFunction { name: name.into() })
    }
}
