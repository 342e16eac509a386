//! The interface between C and its root, which `literal.rs` and `low_rank.rs` implement.
//!
//! An update is first proposed, which does everything that can fail and leaves the current root unchanged. Then it is
//! applied, which cannot fail, or discarded.

use ddcma_linalg::{MatMut, MatRef, RootError};

use super::literal::Literal;
use super::low_rank::LowRank;
use super::range;
use crate::settings::Root as Choice;
use crate::stored::stored;
use crate::{Columns, Params, StartError, UpdateError};

/// A with A·Aᵀ = C, and the pending K.
pub(super) trait Root {
    /// y = A·z, for every column.
    fn sample(&self, z: &[f64], y: &mut [f64]);

    /// z = A⁻¹·y, for every column.
    fn whiten(&mut self, y: &[f64], z: &mut [f64]);

    /// K ← K + Z.
    fn add(&mut self, addition: &Addition<'_>);

    /// Computes the next C = A·(I + α·K)·Aᵀ, divided from both sides, and its root. `next` holds the variances of the
    /// current C, and receives those of the next one.
    ///
    /// Changes only workspace.
    fn propose(&mut self, divide: Divide<'_>, params: &Params, next: &mut Next) -> Result<Proposal, UpdateError>;

    /// Returns whether [`apply`](Self::apply) can carry a vector, so that A⁻¹ is not needed.
    fn carries(&self) -> bool {
        false
    }

    /// Makes the next C the current one; K ← O. Converts a `carried` vector A⁻¹·y to the next A, with y divided in the same way as C.
    fn apply(&mut self, proposal: Proposal, next: &Next, carried: Option<&mut [f64]>);

    /// K ← O.
    fn discard(&mut self);

    /// Returns estimates of the smallest and the largest eigenvalue of C.
    fn extremes(&self) -> (f64, f64);

    /// Writes a principal axis of N(0, C), as long as its standard deviation; a different one for each `t`.
    fn principal_axis(&self, t: u64, axis: &mut [f64]);

    /// C, computed on demand.
    fn c(&self) -> Columns;

    /// Returns √C, computed on demand; `None` if C is too ill-conditioned for double precision.
    fn sqrt_c(&self) -> Option<Columns>;

    /// Returns the square roots of the eigenvalues of C, computed on demand; NaN if they cannot be computed.
    fn axis_lengths(&self) -> Vec<f64>;

    /// The diagonal of C, computed on demand.
    fn variances(&self) -> Vec<f64>;

    /// Makes a stored root ready for use, if it is n × n.
    fn resume(&mut self, n: usize) -> Result<(), &'static str>;
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

/// How the next C is divided from both sides.
#[derive(Clone, Copy)]
pub(crate) enum Divide<'a> {
    /// By its own deviations: it becomes a correlation matrix.
    ByDeviations,
    /// By a power of two if C has become very small or very large and D can take it over; usually by 1.
    ByScale(&'a dyn Fn(f64) -> bool),
}

/// What is known of the next C. This is workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Next {
    pub(super) alpha: f64,
    /// The diagonal of C.
    pub(super) variances: Vec<f64>,
    /// Its square root before C was divided, if C is divided by it.
    pub(super) deviations: Vec<f64>,
    pub(super) divisor: Divisor,
    /// A bound on the relative error of the variances, if they are updated alongside A.
    pub(super) variance_error: f64,
}

/// The divisor of C from both sides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Divisor {
    /// [`Next::deviations`].
    Deviations,
    /// Usually 1.
    Scale(f64),
}

impl Default for Divisor {
    fn default() -> Self {
        Self::Scale(1.0)
    }
}

impl Next {
    pub(super) fn new(n: usize) -> Self {
        Self {
            alpha: 1.0,
            variances: vec![1.0; n],
            deviations: vec![1.0; n],
            divisor: Divisor::default(),
            variance_error: 0.0,
        }
    }

    /// Computes the divisor of C from its variances, and divides them.
    pub(super) fn divide(&mut self, divide: Divide<'_>) -> Result<(), UpdateError> {
        // Because of rounding, a matrix may be decomposed although its diagonal is not positive.
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

/// A proposed update. Its data are in the workspace of its root.
pub(super) enum Proposal {
    LowRank(ddcma_linalg::Proposal),
    Literal,
}

stored! {
    /// The two ways to maintain a root of C.
    #[derive(Clone, Debug)]
    pub(super) enum RootOfC {
        LowRank(Box<LowRank>),
        Literal(Box<Literal>),
    }
}

impl RootOfC {
    /// The root of a given C, or of the identity.
    pub(super) fn new(params: &Params, c: Option<&Columns>) -> Result<Self, StartError> {
        let n = params.n;
        let of_c = |error: RootError| StartError::Covariance { reason: error.to_string() };
        let root = match (params.root, c) {
            (Choice::LowRank, None) => Self::LowRank(Box::new(LowRank::identity(n))),
            (Choice::LowRank, Some(c)) => Self::LowRank(Box::new(LowRank::of(c).map_err(of_c)?)),
            (Choice::Literal, None) => Self::Literal(Box::new(Literal::identity(n))),
            (Choice::Literal, Some(c)) => Self::Literal(Box::new(Literal::of(c).map_err(of_c)?)),
        };
        let (smallest, largest) = root.get().extremes();
        // Beyond this limit, the smallest eigenvalues are rounding errors, and A·Aᵀ is not C.
        if largest * f64::EPSILON * n as f64 > smallest {
            let reason = format!(
                "its eigenvalues range from {smallest:e} to {largest:e}, too far for double precision; give the scales as deviations"
            );
            return Err(StartError::Covariance { reason });
        }
        Ok(root)
    }

    /// Returns whether it is of the chosen kind.
    pub(super) fn is(&self, choice: Choice) -> bool {
        matches!((self, choice), (Self::LowRank(_), Choice::LowRank) | (Self::Literal(_), Choice::Literal))
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

/// Columns as a matrix.
pub(super) fn matrix(columns: &Columns) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(columns.as_slice(), columns.dimension(), columns.len())
}

/// Columns as a mutable matrix.
pub(super) fn matrix_mut(columns: &mut Columns) -> MatMut<'_, f64> {
    let (rows, count) = (columns.dimension(), columns.len());
    MatMut::from_column_major_slice_mut(columns.as_mut_slice(), rows, count)
}

/// A matrix as columns.
pub(super) fn columns(matrix: MatRef<'_, f64>) -> Columns {
    let mut columns = Columns::zeros(matrix.nrows(), matrix.ncols());
    let entries = matrix.col_iter().flat_map(|column| column.iter());
    columns.as_mut_slice().iter_mut().zip(entries).for_each(|(to, from)| *to = *from);
    columns
}

/// Returns whether stored columns are a finite n × n matrix.
pub(super) fn is_square(columns: &Columns, n: usize) -> bool {
    let has_size = columns.dimension() == n && Some(columns.as_slice().len()) == n.checked_mul(n);
    has_size && columns.as_slice().iter().all(|entry| entry.is_finite())
}
