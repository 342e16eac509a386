//! A batch of vectors: each vector is one contiguous column.

use std::ops::{Index, IndexMut};
use std::slice::{ChunksExact, ChunksExactMut};

/// Vectors of the same length, stored one after the other.
///
/// [`Optimizer::ask`](crate::Optimizer::ask) returns the candidates of a generation as the columns of an n × λ
/// matrix; iterating over it gives them one by one.
///
/// ```
/// use ddcma_core::Columns;
///
/// let points = Columns::from_vec(2, vec![1.0, 2.0, 3.0, 4.0]).expect("two columns of two rows");
/// let sums: Vec<f64> = points.iter().map(|x| x.iter().sum()).collect();
/// assert_eq!(sums, [3.0, 7.0]);
/// assert_eq!(points[1], [3.0, 4.0]);
/// ```
#[derive(Debug, PartialEq)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "(usize, Vec<f64>)", into = "(usize, Vec<f64>)")
)]
pub struct Columns {
    rows: usize,
    data: Vec<f64>,
}

/// Creates columns from the length of a column and all columns, one after the other.
impl TryFrom<(usize, Vec<f64>)> for Columns {
    type Error = &'static str;

    fn try_from((rows, data): (usize, Vec<f64>)) -> Result<Self, &'static str> {
        Self::from_vec(rows, data).ok_or("the numbers must fill whole columns")
    }
}

impl From<Columns> for (usize, Vec<f64>) {
    fn from(columns: Columns) -> Self {
        (columns.rows, columns.data)
    }
}

impl Columns {
    /// Creates `columns` zero vectors of length `rows`.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, data: vec![0.0; rows * columns] }
    }

    /// Splits numbers into columns of length `rows`; returns `None` if the last column would be incomplete.
    pub fn from_vec(rows: usize, data: Vec<f64>) -> Option<Self> {
        data.len().is_multiple_of(rows).then_some(Self { rows, data })
    }

    /// Creates the unit vectors of length `n`: the n × n identity.
    pub fn identity(n: usize) -> Self {
        let mut identity = Self::zeros(n, n);
        for i in 0..n {
            identity.data[i * n + i] = 1.0;
        }
        identity
    }

    /// Returns the length of a column.
    pub fn dimension(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.iter().len()
    }

    /// Returns whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns an iterator over the columns.
    pub fn iter(&self) -> ChunksExact<'_, f64> {
        self.data.chunks_exact(self.rows.max(1)) // columns without rows hold no data
    }

    /// Returns a mutable iterator over the columns.
    pub fn iter_mut(&mut self) -> ChunksExactMut<'_, f64> {
        self.data.chunks_exact_mut(self.rows.max(1))
    }

    /// Returns all columns, one after the other.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// Returns all columns, one after the other, as a mutable slice.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }
}

impl Index<usize> for Columns {
    type Output = [f64];

    fn index(&self, column: usize) -> &[f64] {
        &self.data[column * self.rows..][..self.rows]
    }
}

impl IndexMut<usize> for Columns {
    fn index_mut(&mut self, column: usize) -> &mut [f64] {
        &mut self.data[column * self.rows..][..self.rows]
    }
}

impl Clone for Columns {
    fn clone(&self) -> Self {
        Self { rows: self.rows, data: self.data.clone() }
    }

    /// Allocates nothing if there is enough room already.
    fn clone_from(&mut self, source: &Self) {
        self.rows = source.rows;
        self.data.clone_from(&source.data);
    }
}

impl<'a> IntoIterator for &'a Columns {
    type Item = &'a [f64];
    type IntoIter = ChunksExact<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Columns {
    type Item = &'a mut [f64];
    type IntoIter = ChunksExactMut<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
