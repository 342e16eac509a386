//! What C asks of its root, whichever way it is kept: `literal.rs` or `low_rank.rs`.
//!
//! An update is proposed, which does all that can fail and leaves the present root alone, and then applied, which cannot
//! fail, or discarded. Knows no path and no D.

use super::literal::Literal;
use super::low_rank::LowRank;
use super::range;
use crate::settings::Root as Choice;
use crate::{Columns, Params, UpdateError};

/// A with A·Aᵀ = C, and the pending K.
pub(super) trait Root {
    /// y = A·z, for every column.
    fn sample(&self, z: &[f64], y: &mut [f64]);

    /// z = A⁻¹·y, for every column.
    fn whiten(&mut self, y: &[f64], z: &mut [f64]);

    /// K ← K + Z.
    fn add(&mut self, addition: &Addition<'_>);

    /// Works out the next C = A·(I + α·K)·Aᵀ, divided from both sides, and its root. `next` has the variances of the present
    /// C, and gets those of the next one.
    ///
    /// Changes nothing but workspace.
    fn propose(&mut self, divide: Divide<'_>, params: &Params, next: &mut Next) -> Result<Proposal, UpdateError>;

    /// Makes the next C the present one; K ← O.
    fn apply(&mut self, proposal: Proposal, next: &Next);

    /// K ← O.
    fn discard(&mut self);

    /// The smallest and the largest eigenvalue of C, as far as they are known.
    fn extremes(&self) -> (f64, f64);

    /// A principal axis of N(0, C), as long as its standard deviation; another one for each `t`.
    fn principal_axis(&self, t: u64, axis: &mut [f64]);

    /// C, computed on demand.
    fn c(&self) -> Columns;

    /// √C, computed on demand; none, if C is too ill-conditioned to have one in double precision.
    fn sqrt_c(&self) -> Option<Columns>;

    /// The square roots of the eigenvalues of C, computed on demand; NaN, if they cannot be.
    fn axis_lengths(&self) -> Vec<f64>;

    /// The diagonal of C, computed on demand.
    #[cfg(feature = "checkpoint")]
    fn variances(&self) -> Vec<f64>;
}

/// What a generation adds to K = Σ g_i·v_i·v_iᵀ − s·I.
pub(super) struct Addition<'a> {
    /// z of each candidate.
    pub(super) z: &'a Columns,
    /// y = A·z of each candidate.
    pub(super) y: &'a Columns,
    /// c_μ·ŵ of each candidate.
    pub(super) weights: &'a [f64],
    /// The whitened path A⁻¹·D⁻¹·p_c.
    pub(super) path: &'a [f64],
    /// D⁻¹·p_c.
    pub(super) path_y: &'a [f64],
    /// The weight of the path.
    pub(super) c_1: f64,
    /// s.
    pub(super) shrinkage: f64,
    /// The number of columns that K will have when C is updated by it.
    pub(super) columns: usize,
}

/// What the next C is divided by from both sides.
#[derive(Clone, Copy)]
pub(crate) enum Divide<'a> {
    /// Its own deviations: it becomes a correlation matrix.
    ByDeviations,
    /// A power of two, where C has become very small or very large and D can take it over; by 1 as a rule.
    ByScale(&'a dyn Fn(f64) -> bool),
}

/// What is known of the next C. Workspace.
#[derive(Clone, Debug)]
pub(super) struct Next {
    pub(super) alpha: f64,
    /// The diagonal of C.
    pub(super) variances: Vec<f64>,
    /// Its square root before C was divided, if it is divided by that.
    pub(super) deviations: Vec<f64>,
    pub(super) divisor: Divisor,
}

/// What C is divided by from both sides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Divisor {
    /// [`Next::deviations`].
    Deviations,
    /// 1 as a rule.
    Scale(f64),
}

impl Next {
    pub(super) fn new(n: usize) -> Self {
        Self { alpha: 1.0, variances: vec![1.0; n], deviations: vec![1.0; n], divisor: Divisor::Scale(1.0) }
    }

    /// Works out what C will be divided by, from its variances, and divides them.
    pub(super) fn divide(&mut self, divide: Divide<'_>) -> Result<(), UpdateError> {
        // Rounding may leave a matrix that decomposes although its diagonal is not positive.
        if let Some(&smallest) = self.variances.iter().find(|c| !(**c > 0.0 && c.is_finite())) {
            return Err(UpdateError::NotPositiveDefinite { smallest });
        }
        self.divisor = match divide {
            Divide::ByDeviations => {
                for (deviation, variance) in self.deviations.iter_mut().zip(&mut self.variances) {
                    *deviation = variance.sqrt(); // eq. (dc2)
                    *variance = 1.0;
                }
                Divisor::Deviations
            }
            Divide::ByScale(fits) => {
                let scale = range::scale_to_take(&self.variances, fits);
                self.variances.iter_mut().for_each(|variance| *variance /= scale * scale);
                Divisor::Scale(scale)
            }
        };
        Ok(())
    }
}

/// An update that has been worked out. What belongs to it is in the workspace of its root.
pub(super) enum Proposal {
    LowRank(ddcma_linalg::Proposal),
    Literal,
}

/// The two ways to have a root of C.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum RootOfC {
    LowRank(Box<LowRank>),
    Literal(Box<Literal>),
}

impl RootOfC {
    pub(super) fn new(params: &Params) -> Self {
        match params.root {
            Choice::LowRank => Self::LowRank(Box::new(LowRank::identity(params.n))),
            Choice::Literal => Self::Literal(Box::new(Literal::identity(params.n))),
        }
    }

    pub(super) fn get(&self) -> &dyn Root {
        match self {
            Self::LowRank(root) => &**root,
            Self::Literal(root) => &**root,
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut dyn Root {
        match self {
            Self::LowRank(root) => &mut **root,
            Self::Literal(root) => &mut **root,
        }
    }
}
