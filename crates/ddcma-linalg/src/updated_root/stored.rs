//! Storing a root, and checking a stored one.

use faer::{Mat, MatRef};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::extremes::{Extreme, start_vector};
use super::{Factors, MANY_DIMENSIONS, Undo, UpdatedRoot, Work};

/// Squared lengths of stored rows that are accepted; roots in use stay far within this range.
const STORED: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

impl Serialize for UpdatedRoot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.factors.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for UpdatedRoot {
    /// Returns the stored root, if its parts are finite and fit together: A⁻¹ must look like the inverse of A.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let factors = Factors::deserialize(deserializer)?;
        let mut root = factors.fit_together().then(|| Self { factors, work: Work::default() });
        let is_good = root.as_mut().is_some_and(|root| root.is_in_range() && root.undoes_itself());
        root.filter(|_| is_good).ok_or_else(|| D::Error::custom("the parts of the root do not fit together"))
    }
}

impl Factors {
    fn fit_together(&self) -> bool {
        let Self { raw, inverse, rows, longest, shortest, updates, period, asked: _, was_asked: _ } = self;
        let n = rows.len();
        let has_direction = |vector: &[f64]| vector.iter().map(|v| v * v).sum::<f64>().is_normal();
        let is_positive = |number: &f64| *number > 0.0 && number.is_finite();
        let is_extreme = |Extreme { value, vector }: &Extreme| {
            let is_axis = vector.len() == n && vector.iter().all(|v| v.is_finite());
            is_positive(value) && is_axis && (n == 0 || has_direction(vector))
        };
        let is_matrix = |matrix: &Mat<f64>| matrix.nrows() == n && matrix.is_all_finite();
        let inverse_fits = match inverse {
            Undo::Kept(raw_inverse) => n < MANY_DIMENSIONS && is_matrix(raw_inverse),
            Undo::Solved(inverse) => inverse.as_ref().is_none_or(|inverse| inverse.fits(n)),
        };
        let matrices_fit = is_matrix(raw) && inverse_fits;
        let counts_fit = *updates < usize::MAX / 8 && *period < usize::MAX / 8;
        counts_fit && matrices_fit && rows.iter().all(is_positive) && is_extreme(longest) && is_extreme(shortest)
    }
}

impl UpdatedRoot {
    /// Returns whether the squares of the rows of A and A⁻ᵀ leave room for updates. This is true for every root that was
    /// updated to its state.
    fn is_in_range(&self) -> bool {
        let Factors { raw, inverse, rows, .. } = &self.factors;
        let squares = |matrix: &Mat<f64>, factor: &dyn Fn(f64) -> f64| {
            let mut sums = vec![0.0; rows.len()];
            for column in matrix.col_iter() {
                let entries = column.iter().zip(rows).map(|(entry, row)| entry * factor(*row));
                sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry * entry);
            }
            sums.iter().all(|sum| STORED.contains(sum))
        };
        let inverse_is_in_range = match inverse {
            Undo::Kept(raw_inverse) => squares(raw_inverse, &|row| row),
            Undo::Solved(_) => true, // its result is checked
        };
        squares(raw, &|row| row.recip()) && inverse_is_in_range
    }

    /// Returns whether A⁻¹·A·v is about v for some v. This is a rough check, not a measurement.
    fn undoes_itself(&mut self) -> bool {
        let v = start_vector(self.n());
        let (mut av, mut back) = (vec![0.0; v.len()], vec![0.0; v.len()]);
        self.apply(&v, &mut av);
        let mut other = self.clone(); // this check must not count as a use of A⁻¹
        other.whiten(&av, &mut back);
        back.iter().zip(&v).all(|(back, v)| (back - v).abs() < 0.5)
    }
}

/// A square matrix as its size and entries, column by column.
pub(super) mod square {
    use super::*;

    pub(in super::super) fn serialize<S: Serializer>(matrix: &Mat<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        let entries: Vec<f64> = matrix.col_iter().flat_map(|column| column.iter().copied()).collect();
        (matrix.nrows(), entries).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mat<f64>, D::Error> {
        let (n, entries) = <(usize, Vec<f64>)>::deserialize(deserializer)?;
        if n.checked_mul(n) != Some(entries.len()) {
            return Err(D::Error::custom("a stored matrix must be square"));
        }
        Ok(MatRef::from_column_major_slice(&entries, n, n).to_owned())
    }
}
