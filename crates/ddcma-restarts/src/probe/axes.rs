//! The box of a probe and its sides on the scale of the search.

use ddcma_core::Variables;

use crate::SearchError;
use crate::config::Config;
use crate::starts::Kind;

/// A probed coordinate and its interval, on the scale of its variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) index: usize,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Config {
    /// Checks the given box of probes.
    pub(crate) fn check_probe_box(&self) -> Result<(), SearchError> {
        let Some((lower, upper)) = &self.probe_box else { return Ok(()) };
        let expected = self.starts.dimension();
        if lower.len() != expected || upper.len() != expected {
            return Err(SearchError::ProbeBoxOfWrongLength { expected, got: (lower.len(), upper.len()) });
        }
        for (index, side) in lower.iter().copied().zip(upper.iter().copied()).enumerate() {
            let bounds = self.sides(index);
            let is_within = bounds.0 <= side.0 && side.1 <= bounds.1;
            let is_fixed = bounds.0 == bounds.1;
            let is_interval = side.0 < side.1 && (side.1 - side.0).is_finite();
            let is_shown =
                |variables: &Variables| variables.iter().nth(index).is_none_or(|variable| variable.contains(side.0));
            if !(is_fixed || is_within && is_interval && self.options.variables.as_ref().is_none_or(is_shown)) {
                return Err(SearchError::ProbeSide { index, side, bounds });
            }
        }
        Ok(())
    }

    /// Returns the probed coordinates: all free ones, each with the first finite interval of these: its side of the given box of probes,
    /// the bounds of its variable or of the search, its side of the box of start points.
    pub(crate) fn axes(&self) -> Result<Vec<Axis>, SearchError> {
        let given = |index: usize| self.probe_box.as_ref().map(|(lower, upper)| (lower[index], upper[index]));
        let of_starts = |index: usize| match &self.starts.0 {
            Kind::Box { lower, upper } => Some((lower[index], upper[index])),
            _ => None,
        };
        let axis = |index: usize| {
            let sides = [given(index), Some(self.sides(index)), of_starts(index)];
            let scaled = sides
                .into_iter()
                .flatten()
                .map(|(lower, upper)| (self.scaled(index, lower), self.scaled(index, upper)));
            let is_interval = |(lower, upper): &(f64, f64)| lower < upper && (upper - lower).is_finite();
            let (lower, upper) = { scaled }.find(is_interval).ok_or(SearchError::NoProbeBox { index })?;
            Ok(Axis { index, lower, upper })
        };
        let is_free = |index: &usize| {
            let (lower, upper) = self.sides(*index);
            lower < upper
        };
        (0..self.starts.dimension()).filter(is_free).map(axis).collect()
    }

    /// Returns the bounds of a coordinate in its own units: infinite if there are none, equal if it is fixed.
    pub(crate) fn sides(&self, index: usize) -> (f64, f64) {
        let of_variable = self.options.variables.as_ref().and_then(|variables| variables.iter().nth(index));
        let of_bounds =
            || self.options.bounds.as_ref().and_then(|bounds| bounds.lower().zip(bounds.upper()).nth(index));
        let sides = of_variable.map(|variable| variable.bounds()).or_else(of_bounds);
        sides.unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }

    /// Converts a coordinate from its own units to the scale of the search.
    pub(crate) fn scaled(&self, index: usize, x: f64) -> f64 {
        let variable = self.options.variables.as_ref().and_then(|variables| variables.iter().nth(index));
        variable.map_or(x, |variable| variable.scaled(x))
    }
}
