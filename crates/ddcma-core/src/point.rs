//! Formats a point as text.

use std::fmt;

use crate::number::Number;

/// Displays a coordinate with seven digits.
pub(crate) struct Coordinate(pub(crate) f64);

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Number::with_digits(self.0, 7).fmt(f)
    }
}

/// Displays a point in one line: all coordinates if there are at most eight, otherwise the first five and the last.
pub(crate) struct Point<'a>(pub(crate) &'a [f64]);

impl fmt::Display for Point<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0.len();
        let list = |f: &mut fmt::Formatter<'_>, numbers: &[f64]| {
            for (k, number) in numbers.iter().enumerate() {
                write!(f, "{}{}", if k == 0 { "" } else { ", " }, Coordinate(*number))?;
            }
            Ok(())
        };
        f.write_str("[")?;
        if n <= 8 {
            list(f, self.0)?;
            return f.write_str("]");
        }
        list(f, &self.0[..5])?;
        write!(f, ", …, {}] ({n} variables)", Coordinate(self.0[n - 1]))
    }
}

/// Displays a coordinate or a variable by its index and, if it has one, its name.
pub(crate) struct Which<'a>(pub(crate) &'static str, pub(crate) usize, pub(crate) &'a Option<String>);

impl fmt::Display for Which<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(what, index, name) = self;
        write!(f, "{what} {index}")?;
        name.iter().try_for_each(|name| write!(f, " (\"{name}\")"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_points_are_whole_and_long_ones_are_cut() {
        let text = |point: &[f64]| Point(point).to_string();
        assert_eq!(text(&[]), "[]");
        assert_eq!(text(&[1.0, -0.5]), "[1, -0.5]");
        assert_eq!(text(&[1.0 / 3.0, 2e6 / 3.0, 1e-3, 1.23456789e-4]), "[0.3333333, 666666.7, 0.001, 1.234568e-4]");
        assert_eq!(text(&[1e7, 9999999.9, -1e-300, 0.0]), "[1e7, 1e7, -1e-300, 0]");
        assert_eq!(text(&[f64::NAN, f64::INFINITY]), "[NaN, inf]");
        assert_eq!(text(&[1.0; 8]), "[1, 1, 1, 1, 1, 1, 1, 1]");
        let long: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(text(&long), "[1, 2, 3, 4, 5, …, 20] (20 variables)");
    }
}
