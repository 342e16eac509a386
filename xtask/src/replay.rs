//! Replays recordings of an independent implementation and measures the deviations from them.
//!
//! A recording is a JSON file: an object is a trajectory, an array a table of default parameters.

mod parameters;
mod trajectory;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use ddcma_core::TellError;

/// The deviations of a replay from its recording, by quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    title: String,
    tolerance: f64,
    deviations: BTreeMap<&'static str, f64>,
}

/// The error returned if a file cannot be replayed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// It cannot be read.
    Unreadable(std::io::Error),
    /// It is not JSON, or not JSON of the right form.
    WrongForm(serde_json::Error),
    /// Its numbers do not fit together, or some are missing.
    Inconsistent(String),
    /// The optimizer rejected the content of the recording.
    Refused {
        /// The iteration, counted from 1.
        iteration: usize,
        /// Its reason.
        error: TellError,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::WrongForm(error) => write!(f, "is not a recording: {error}"),
            Self::Inconsistent(what) => write!(f, "is not a consistent recording: {what}"),
            Self::Refused { iteration, error } => write!(f, "iteration {iteration} could not be replayed: {error}"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl ReplayError {
    /// Returns whether the optimizer, rather than the file, is at fault.
    pub fn is_a_deviation(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// Replays one file.
pub fn file(path: &Path) -> Result<Report, ReplayError> {
    let text = std::fs::read_to_string(path).map_err(ReplayError::Unreadable)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    if text.trim_start().starts_with('[') {
        parameters::compare(&name, &parse::<Vec<_>>(&text)?)
    } else {
        trajectory::replay(&name, &parse(&text)?)
    }
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ReplayError> {
    serde_json::from_str(text).map_err(ReplayError::WrongForm)
}

impl Report {
    fn new(title: String, tolerance: f64) -> Self {
        Self { title, tolerance, deviations: BTreeMap::new() }
    }

    /// Compares a quantity, number by number.
    fn compare(&mut self, quantity: &'static str, ours: &[f64], recorded: &[f64]) {
        let largest = self.deviations.entry(quantity).or_insert(0.0);
        if ours.len() != recorded.len() {
            *largest = f64::INFINITY;
        }
        for (&ours, &recorded) in ours.iter().zip(recorded) {
            *largest = largest.max(relative_deviation(ours, recorded));
        }
    }

    /// Compares a quantity that may pass through zero, relative to a scale for each of its numbers.
    fn compare_by(&mut self, quantity: &'static str, ours: &[f64], recorded: &[f64], scales: &[f64]) {
        let largest = self.deviations.entry(quantity).or_insert(0.0);
        if ours.len() != recorded.len() || scales.len() != recorded.len() {
            *largest = f64::INFINITY;
        }
        for ((ours, recorded), scale) in ours.iter().zip(recorded).zip(scales) {
            *largest = largest.max(deviation_by(*ours, *recorded, *scale));
        }
    }

    /// Returns the largest relative deviation of each quantity.
    pub fn deviations(&self) -> &BTreeMap<&'static str, f64> {
        &self.deviations
    }

    /// Returns the largest deviation of all.
    pub fn largest(&self) -> f64 {
        self.deviations.values().copied().fold(0.0, f64::max)
    }

    /// Returns whether no deviation exceeds the tolerance.
    pub fn is_within_tolerance(&self) -> bool {
        self.largest() <= self.tolerance
    }
}

/// |ours − recorded| / |recorded|. A recorded zero must be matched exactly; NaN matches nothing.
fn relative_deviation(ours: f64, recorded: f64) -> f64 {
    deviation_by(ours, recorded, recorded)
}

/// |ours − recorded| / |scale|. NaN matches nothing.
fn deviation_by(ours: f64, recorded: f64, scale: f64) -> f64 {
    if ours == recorded {
        return 0.0;
    }
    let deviation = ((ours - recorded) / scale).abs();
    if deviation.is_nan() { f64::INFINITY } else { deviation }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        for (quantity, deviation) in &self.deviations {
            writeln!(f, "  {quantity:<14} {deviation:8.1e}")?;
        }
        let verdict = if self.is_within_tolerance() { "within" } else { "EXCEEDS" };
        writeln!(f, "  {:<14} {:8.1e}  {verdict} {:e}", "largest", self.largest(), self.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_relative_and_nan_is_no_agreement() {
        assert_eq!(relative_deviation(2.0, 2.0), 0.0);
        assert_eq!(relative_deviation(3.0, 2.0), 0.5);
        assert_eq!(relative_deviation(0.0, 0.0), 0.0);
        assert_eq!(relative_deviation(1e-300, 0.0), f64::INFINITY);
        assert_eq!(relative_deviation(f64::NAN, 2.0), f64::INFINITY);

        let mut report = Report::new("test".into(), 0.1);
        report.compare("a", &[1.0, 1.05], &[1.0, 1.0]);
        assert!(report.is_within_tolerance());
        report.compare("b", &[1.0], &[1.0, 1.0]);
        assert!(!report.is_within_tolerance());
    }

    #[test]
    fn a_coordinate_at_zero_is_measured_by_its_scale() {
        // The error is due to rounding, but many times as large as the number itself.
        let (ours, recorded, scales) = ([3.0, 1e-17], [3.0, -1e-18], [0.1, 0.1]);
        let mut report = Report::new("test".into(), 1e-9);
        report.compare_by("m", &ours, &recorded, &scales);
        assert!(report.is_within_tolerance());
        report.compare("relative to itself", &ours, &recorded);
        assert!(!report.is_within_tolerance());

        // The error is a millionth of a deviation, and a tiny fraction of the number itself.
        let mut report = Report::new("test".into(), 1e-9);
        report.compare("relative to itself", &[1000.0 + 1e-7], &[1000.0]);
        assert!(report.is_within_tolerance());
        report.compare_by("m", &[1000.0 + 1e-7], &[1000.0], &[0.1]);
        assert!(!report.is_within_tolerance());

        let infinite = |ours: &[f64], recorded: &[f64], scales: &[f64]| {
            let mut report = Report::new("test".into(), 1.0);
            report.compare_by("m", ours, recorded, scales);
            report.largest() == f64::INFINITY
        };
        assert!(infinite(&[1.0], &[1.0, 1.0], &[1.0, 1.0]) && infinite(&[1.0, 1.0], &[1.0, 1.0], &[1.0]));
        assert!(infinite(&[f64::NAN], &[1.0], &[1.0]) && infinite(&[2.0], &[1.0], &[0.0]));
    }
}
