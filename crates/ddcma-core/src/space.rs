//! The map from points of the search to the points that a user sees, and back: bounds, scales and fixed values.

use crate::stored::stored;
use crate::{Bounds, Variables};

stored! {
    /// The space of a run, and how its points are shown.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) enum Space {
        /// All of ℝⁿ; points are shown unchanged.
        Whole(usize),
        /// A box.
        Box(Bounds),
        /// Variables with scales, some of which may be fixed.
        Over(Variables),
    }
}

impl Space {
    /// The dimension of the points that a user sees.
    pub(crate) fn dimension(&self) -> usize {
        match self {
            Self::Whole(n) => *n,
            Self::Box(bounds) => bounds.dimension(),
            Self::Over(variables) => variables.dimension(),
        }
    }

    /// The dimension of the search.
    pub(crate) fn search_dimension(&self) -> usize {
        match self {
            Self::Over(variables) => variables.free_dimension(),
            Self::Whole(_) | Self::Box(_) => self.dimension(),
        }
    }

    /// Returns whether points are shown unchanged.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Self::Whole(_))
    }

    /// Turns a point of the search, stored in the first numbers of `point`, into the user's point.
    pub(crate) fn to_user(&self, point: &mut [f64]) {
        match self {
            Self::Whole(_) => {}
            Self::Box(bounds) => bounds.to_user(point),
            Self::Over(variables) => variables.to_user(point),
        }
    }

    /// Writes the point of the search, in or next to the box, that is shown as the given point.
    pub(crate) fn to_search(&self, point: &[f64], search: &mut [f64]) {
        self.scale(point, search);
        if let Some(bounds) = self.bounds() {
            bounds.to_search(search);
        }
    }

    /// Writes, among all points of the search that are shown as the given point, the one nearest to `center`.
    pub(crate) fn to_search_near(&self, point: &[f64], search: &mut [f64], center: &[f64]) {
        self.scale(point, search);
        if let Some(bounds) = self.bounds() {
            bounds.to_search_near(search, center);
        }
    }

    fn scale(&self, point: &[f64], search: &mut [f64]) {
        match self {
            Self::Whole(_) | Self::Box(_) => search.copy_from_slice(point),
            Self::Over(variables) => variables.scale(point, search),
        }
    }

    /// The bounds of the search.
    pub(crate) fn bounds(&self) -> Option<&Bounds> {
        match self {
            Self::Whole(_) => None,
            Self::Box(bounds) => Some(bounds),
            Self::Over(variables) => Some(variables.search_bounds()),
        }
    }

    /// Returns the user's index of a coordinate of the search.
    pub(crate) fn users_index(&self, k: usize) -> usize {
        match self {
            Self::Whole(_) | Self::Box(_) => k,
            Self::Over(variables) => variables.free().nth(k).map_or(k, |(index, _)| index),
        }
    }

    /// Returns the variables, if the run has any.
    pub(crate) fn variables(&self) -> Option<&Variables> {
        match self {
            Self::Whole(_) | Self::Box(_) => None,
            Self::Over(variables) => Some(variables),
        }
    }

    /// Returns the name of a user's coordinate, if it has one.
    pub(crate) fn name(&self, index: usize) -> Option<String> {
        self.variables()?.iter().nth(index)?.name().map(str::to_string)
    }

    /// Returns the first coordinate of a user's point that is outside, if any.
    pub(crate) fn violated_by(&self, point: &[f64]) -> Option<usize> {
        match self {
            Self::Whole(_) => None,
            Self::Box(bounds) => bounds.violated_by(point),
            Self::Over(variables) => variables.violated_by(point),
        }
    }

    /// Returns the bounds of a user's coordinate; they are equal if it is fixed.
    pub(crate) fn sides(&self, index: usize) -> (f64, f64) {
        let sides = match self {
            Self::Whole(_) => None,
            Self::Box(bounds) => bounds.lower().zip(bounds.upper()).nth(index),
            Self::Over(variables) => variables.iter().nth(index).map(|variable| variable.range()),
        };
        sides.unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }
}
