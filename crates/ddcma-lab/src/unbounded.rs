//! Presents a problem over variables as one on all of ℝⁿ, for algorithms without bounds and scales.

use ddcma_core::Variables;

use crate::LabError;

/// The largest initial deviation as a fraction of the range, as in `ddcma_core`.
const LARGEST: f64 = 1.0 / 3.0;

/// The map from all of ℝⁿ, in units of initial deviations, to the points of variables.
#[derive(Clone, Debug)]
pub(crate) struct Unbounded {
    units: Vec<f64>,
    start: Vec<f64>,
    scaled: Vec<f64>,
}

impl Unbounded {
    /// Creates the map for variables and the start of a run.
    pub(crate) fn new(variables: &Variables, start: &[f64]) -> Result<Self, LabError> {
        let start = variables.to_search(start).map_err(|error| LabError::new(format!("the start: {error}")))?;
        let largest = variables.free().map(|(_, variable)| {
            let (lower, upper) = variable.bounds();
            LARGEST * (variable.scaled(upper) - variable.scaled(lower)) // NaN if a bound has no logarithm
        });
        let units: Vec<f64> =
            variables.deviations().into_iter().zip(largest).map(|(own, largest)| own.min(largest)).collect();
        let start: Vec<f64> = start.iter().zip(&units).map(|(x, unit)| x / unit).collect();
        Ok(Self { scaled: vec![0.0; units.len()], units, start })
    }

    /// Returns the start of a run.
    pub(crate) fn start(&self) -> &[f64] {
        &self.start
    }

    /// Maps a point to the variables; `None` if a coordinate is NaN.
    pub(crate) fn enter(&mut self, variables: &Variables, point: &[f64]) -> Option<Vec<f64>> {
        if point.iter().any(|x| x.is_nan()) {
            return None; // mirroring would treat it as a point far away
        }
        self.scaled.iter_mut().zip(point).zip(&self.units).for_each(|((scaled, x), unit)| *scaled = unit * x);
        variables.from_search(&self.scaled).ok()
    }
}

#[cfg(test)]
mod tests {
    use ddcma_core::Variable;

    use super::*;

    #[test]
    fn a_step_of_one_is_an_initial_deviation() {
        let variables = Variables::new([
            Variable::between(1e-6, 1e-2).log().start(1e-4).deviation(0.7),
            Variable::fixed(7.0),
            Variable::between(0.0, 9.0).start(4.0).deviation(100.0), // limited to 3
            Variable::around(5.0, 2.0),
            Variable::between(f64::NEG_INFINITY, f64::INFINITY).log().start(1.0).deviation(0.1),
        ])
        .unwrap();
        let mut unbounded = Unbounded::new(&variables, &variables.start()).unwrap();
        let start = unbounded.start().to_vec();
        assert_eq!(start.len(), 4);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a / b - 1.0).abs() < 1e-12);
        assert!(close(&unbounded.enter(&variables, &start).unwrap(), &[1e-4, 7.0, 4.0, 5.0, 1.0]));
        let ahead: Vec<f64> = start.iter().map(|x| x + 1.0).collect();
        let expected = [1e-4 * 0.7f64.exp(), 7.0, 7.0, 7.0, 0.1f64.exp()];
        assert!(close(&unbounded.enter(&variables, &ahead).unwrap(), &expected));
        let far = unbounded.enter(&variables, &[1e4; 4]).unwrap();
        assert!((1e-6..=1e-2).contains(&far[0]) && (0.0..=9.0).contains(&far[2]));
        assert_eq!(unbounded.enter(&variables, &[0.0, f64::NAN, 0.0, 0.0]), None);
        let error = Unbounded::new(&variables, &[1.0]).unwrap_err().to_string();
        assert_eq!(error, "the start: the point must have 5 coordinates, got 1");
    }
}
