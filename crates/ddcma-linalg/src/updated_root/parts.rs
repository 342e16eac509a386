//! A root as its parts, for storing it, and back. Knows what fits together, and no update.

use faer::{Mat, MatRef};

use super::extremes::{Extreme, start_vector};
use super::{UpdatedRoot, Work};
use crate::product::multiply_columns;
use crate::scale_columns;

/// Squared lengths of rows that are believed: those of roots in use stay far away from these.
const STORED: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

/// All that a root is, for storing it.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatedRootParts {
    /// The entries of N·A, column by column.
    pub raw: Vec<f64>,
    /// The entries of N⁻¹·A⁻ᵀ, column by column.
    pub raw_inverse: Vec<f64>,
    /// The diagonal of N.
    pub rows: Vec<f64>,
    /// The largest eigenvalue, as far as it is known, and its vector.
    pub longest: (f64, Vec<f64>),
    /// The smallest eigenvalue, as far as it is known, and its vector.
    pub shortest: (f64, Vec<f64>),
    /// Which of them is followed next.
    pub longest_is_next: bool,
}

impl UpdatedRoot {
    /// All that it is.
    pub fn parts(&self) -> UpdatedRootParts {
        let entries = |matrix: &Mat<f64>| matrix.col_iter().flat_map(|column| column.iter().copied()).collect();
        UpdatedRootParts {
            raw: entries(&self.raw),
            raw_inverse: entries(&self.raw_inverse),
            rows: self.rows.clone(),
            longest: (self.longest.value, self.longest.vector.clone()),
            shortest: (self.shortest.value, self.shortest.vector.clone()),
            longest_is_next: self.longest_is_next,
        }
    }

    /// The root of given parts, if they are finite and fit together: one matrix must look like the inverse of the other.
    pub fn from_parts(parts: UpdatedRootParts) -> Option<Self> {
        let UpdatedRootParts { raw, raw_inverse, rows, longest, shortest, longest_is_next } = parts;
        let n = rows.len();
        let entries = n.checked_mul(n)?;
        let lengths_fit = raw.len() == entries && raw_inverse.len() == entries;
        let has_direction = |vector: &[f64]| vector.iter().map(|v| v * v).sum::<f64>().is_normal();
        let fits = |vector: &[f64]| vector.len() == n && (n == 0 || has_direction(vector));
        let vectors_fit = fits(&longest.1) && fits(&shortest.1);
        let positive = |numbers: &[f64]| numbers.iter().all(|number| *number > 0.0 && number.is_finite());
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let good = lengths_fit
            && vectors_fit
            && positive(&rows)
            && positive(&[longest.0, shortest.0])
            && [&raw, &raw_inverse, &longest.1, &shortest.1].into_iter().all(|numbers| finite(numbers));
        let matrix = |entries: &[f64]| MatRef::from_column_major_slice(entries, n, n).to_owned();
        let root = good.then(|| Self {
            raw: matrix(&raw),
            raw_inverse: matrix(&raw_inverse),
            rows,
            longest: Extreme { value: longest.0, vector: longest.1 },
            shortest: Extreme { value: shortest.0, vector: shortest.1 },
            longest_is_next,
            work: Work::default(),
        });
        root.filter(Self::is_in_range).filter(Self::undoes_itself)
    }

    /// Whether the rows of A, and those of A⁻ᵀ, have squares that leave room for updates: a root that has been updated to
    /// where it is has.
    fn is_in_range(&self) -> bool {
        let squares = |matrix: &Mat<f64>, factor: &dyn Fn(f64) -> f64| {
            let mut sums = vec![0.0; self.n()];
            for column in matrix.col_iter() {
                let entries = column.iter().zip(&self.rows).map(|(entry, row)| entry * factor(*row));
                sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += entry * entry);
            }
            sums.iter().all(|sum| STORED.contains(sum))
        };
        squares(&self.raw, &|row| row.recip()) && squares(&self.raw_inverse, &|row| row)
    }

    /// Whether A⁻¹·A·v is about v, for some v: a look at both matrices, and no measurement.
    fn undoes_itself(&self) -> bool {
        let v = start_vector(self.n());
        let (mut av, mut back) = (vec![0.0; v.len()], vec![0.0; v.len()]);
        self.apply(&v, &mut av);
        scale_columns(&self.rows, &mut av);
        multiply_columns(self.raw_inverse.as_ref().transpose(), &av, &mut back);
        back.iter().zip(&v).all(|(back, v)| (back - v).abs() < 0.5)
    }
}
