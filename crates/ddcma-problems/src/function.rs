//! The functions of the suite: their names, formulas and where the paper starts from. Knows no rotation and no seed.

use std::fmt;
use std::str::FromStr;

use crate::ProblemError;

/// A function of the paper's Table 1, or of the two rows that its source defines beside them.
///
/// Notation, as in the table: n variables x; z = R·x with R = I unless rotated; y = D_ell²·x with
/// D_ell = diag(1, …, 10^((i−1)/(n−1)), …, 10), which is 1 for n = 1; u and v the first and second row of R, which for the
/// Ell-… functions is random in any case. All minima are 0.
// The numbers are part of the seeds of initial means: a new function takes a new one, and none is ever changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Function {
    /// ‖x‖². Minimiser 0. The paper's "Sphere".
    Sphere = 0,
    /// ⟨u, x⟩² + 10⁶ (‖x‖² − ⟨u, x⟩²). Minimiser 0. The paper's "Cigar": one long axis.
    Cigar = 1,
    /// 10⁶ ⟨u, x⟩² + (‖x‖² − ⟨u, x⟩²). Minimiser 0. The paper's "Discus": one short axis.
    Discus = 2,
    /// ‖D_ell³ z‖². Minimiser 0. The paper's "Ellipsoid": axes of all lengths.
    Ellipsoid = 3,
    /// 10⁶ Σ_{i ≤ n/2} z_i² + Σ_{i > n/2} z_i². Minimiser 0. The paper's "TwoAxes"; for odd n, n/2 is rounded down.
    TwoAxes = 4,
    /// 10⁻⁴ ⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²). Minimiser 0. The paper's "Ell-Cig": a cigar across scaled coordinates.
    EllCig = 5,
    /// 10⁴ ⟨u, y⟩² + (‖y‖² − ⟨u, y⟩²). Minimiser 0. The paper's "Ell-Dis": a discus across scaled coordinates.
    EllDis = 6,
    /// 10⁻⁴ ⟨u, y⟩² + 10⁴ ⟨v, y⟩² + (‖y‖² − ⟨u, y⟩² − ⟨v, y⟩²). Minimiser 0. "Ell-Cig-Dis" in the paper's source.
    EllCigDis = 7,
    /// Σ_{i < n} 100 (z_i² − z_{i+1})² + (z_i − 1)². Minimiser z = (1, …, 1). The paper's "Rosenbrock".
    Rosenbrock = 8,
    /// Σ_{i < n} z_i² + 2 z_{i+1}² − 0.3 cos(3π z_i) − 0.4 cos(4π z_{i+1}) + 0.7. Minimiser 0. The paper's "Bohachevsky".
    Bohachevsky = 9,
    /// Σ z_i² + 10 (1 − cos(2π z_i)). Minimiser 0. The paper's "Rastrigin".
    Rastrigin = 10,
    /// Σ_{i < n} s_i^¼ (1 + sin²(50 s_i^0.1)) with s_i = z_i² + z_{i+1}². Minimiser 0. "Ill-Schaffer" in the paper's source.
    Schaffer = 11,
}

/// Where the initial mean comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum InitialMean {
    /// The same number in every coordinate.
    Constant(f64),
    /// N(0, s²·I) with this deviation s, drawn from the instance's own stream.
    Normal(f64),
}

impl Function {
    /// All of them, in the order of the table.
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

    /// The name on command lines, in files and in the names of instances.
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

    /// The paper's label.
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

    /// The formula, in the notation of the [type's documentation](Self).
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

    /// Whether it has a rotated form.
    ///
    /// The sphere looks the same from everywhere, and the Ell-… functions already combine a random direction with scaled
    /// coordinates; the paper rotates neither.
    pub fn has_rotated_form(self) -> bool {
        !matches!(self, Self::Sphere | Self::EllCig | Self::EllDis | Self::EllCigDis)
    }

    /// The smallest number of variables for which the formula depends on them all.
    pub fn smallest_dimension(self) -> usize {
        match self {
            Self::Rosenbrock | Self::Bohachevsky | Self::Schaffer | Self::EllCigDis => 2,
            _ => 1,
        }
    }

    /// The initial mean of Table 1. The paper gives none for Ill-Schaffer; it has Bohachevsky's here.
    pub fn initial_mean(self) -> InitialMean {
        match self {
            Self::Rosenbrock => InitialMean::Constant(0.0),
            Self::Bohachevsky | Self::Schaffer => InitialMean::Normal(8.0),
            Self::Rastrigin => InitialMean::Normal(3.0),
            _ => InitialMean::Constant(3.0),
        }
    }

    /// The initial step size of Table 1. The paper gives none for Ill-Schaffer; it has Bohachevsky's here.
    pub fn initial_sigma(self) -> f64 {
        match self {
            Self::Rosenbrock => 0.1,
            Self::Bohachevsky | Self::Schaffer => 7.0,
            Self::Rastrigin => 2.0,
            _ => 1.0,
        }
    }

    /// The evaluations for each variable after which a trial counts as failed (Section 6.1).
    pub fn budget_per_variable(self) -> u64 {
        match self {
            Self::Rastrigin => 200_000,
            _ => 50_000,
        }
    }

    /// How many rows of R the formula uses by themselves: u is the first, v the second.
    pub(crate) fn directions(self) -> usize {
        match self {
            Self::Cigar | Self::Discus | Self::EllCig | Self::EllDis => 1,
            Self::EllCigDis => 2,
            _ => 0,
        }
    }

    /// Whether u is random even in the form that is not rotated.
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
