//! Diagonal matrices, stored as slices: scaling vectors by them, and splitting one off a covariance matrix.

use std::fmt;

use faer::MatMut;

/// The error returned for a diagonal entry that is not positive and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotPositive {
    /// The index on the diagonal.
    pub index: usize,
    /// The value of the entry.
    pub value: f64,
}

impl fmt::Display for NotPositive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} of the diagonal must be positive and finite, got {:e}", self.index, self.value)
    }
}

impl std::error::Error for NotPositive {}

/// Multiplies every column of `v` by D: `v ← D·v`.
///
/// # Panics
/// Panics if the length of `v` is not a multiple of the length of `d`.
pub fn scale_columns(d: &[f64], v: &mut [f64]) {
    for_columns(d, v, |v, d| *v *= d);
}

/// Divides every column of `v` by D: `v ← D⁻¹·v`.
///
/// # Panics
/// Panics if the length of `v` is not a multiple of the length of `d`.
pub fn unscale_columns(d: &[f64], v: &mut [f64]) {
    if v.len() <= 2 * d.len() {
        return for_columns(d, v, |v, d| *v /= d);
    }
    // Divisions are slow: divide once per row, then multiply the columns.
    assert!(
        v.len().is_multiple_of(d.len()),
        "v must hold whole columns of {} numbers, got {} numbers",
        d.len(),
        v.len()
    );
    let mut inverse = [0.0; 64];
    for (first, d_block) in (0..).step_by(inverse.len()).zip(d.chunks(inverse.len())) {
        inverse.iter_mut().zip(d_block).for_each(|(inverse, d)| *inverse = d.recip());
        let inverse = &inverse[..d_block.len()];
        for column in v.chunks_exact_mut(d.len()) {
            column[first..][..inverse.len()].iter_mut().zip(inverse).for_each(|(v, inverse)| *v *= inverse);
        }
    }
}

fn for_columns(d: &[f64], v: &mut [f64], each: impl Fn(&mut f64, &f64)) {
    assert!(
        v.len().is_multiple_of(d.len()),
        "v must hold whole columns of {} numbers, got {} numbers",
        d.len(),
        v.len()
    );
    for column in v.chunks_exact_mut(d.len().max(1)) {
        column.iter_mut().zip(d).for_each(|(v, d)| each(v, d));
    }
}

/// Splits a covariance matrix into standard deviations and correlations: `C ↦ (√diag C, corr C)`.
///
/// `c` becomes the correlation matrix, with a diagonal of exactly one. After an error, nothing is changed.
///
/// ```
/// use ddcma_linalg::{correlate, mat};
///
/// let mut c = mat![[4.0, 3.0], [3.0, 9.0]];
/// let mut deviations = [0.0; 2];
/// correlate(c.as_mut(), &mut deviations)?;
/// assert_eq!(deviations, [2.0, 3.0]);
/// assert_eq!(c, mat![[1.0, 0.5], [0.5, 1.0]]);
/// # Ok::<(), ddcma_linalg::NotPositive>(())
/// ```
///
/// # Panics
/// Panics if `deviations` does not have one entry per row of `c`.
pub fn correlate(mut c: MatMut<'_, f64>, deviations: &mut [f64]) -> Result<(), NotPositive> {
    let n = c.nrows();
    assert_eq!(deviations.len(), n, "there must be one deviation per row");
    for index in 0..n {
        let value = c[(index, index)];
        if !(value > 0.0 && value.is_finite()) {
            return Err(NotPositive { index, value });
        }
    }
    for (i, deviation) in deviations.iter_mut().enumerate() {
        *deviation = c[(i, i)].sqrt();
    }
    for j in 0..n {
        for i in 0..n {
            c[(i, j)] /= deviations[i] * deviations[j];
        }
        c[(j, j)] = 1.0;
    }
    Ok(())
}
