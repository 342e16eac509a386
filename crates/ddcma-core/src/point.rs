//! Formats a point as text.

use std::fmt;

/// Displays a point in one line: all coordinates if there are at most eight, otherwise the first five and the last.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Point<'a>(pub &'a [f64]);

impl fmt::Display for Point<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0.len();
        let list = |f: &mut fmt::Formatter<'_>, numbers: &[f64]| {
            for (k, number) in numbers.iter().enumerate() {
                write!(f, "{}{}", if k == 0 { "" } else { ", " }, Short(*number))?;
            }
            Ok(())
        };
        f.write_str("[")?;
        if n <= 8 {
            list(f, self.0)?;
            return f.write_str("]");
        }
        list(f, &self.0[..5])?;
        write!(f, ", …, {}] ({n} variables)", Short(self.0[n - 1]))
    }
}

/// Displays a number with seven digits, without an exponent where that is shorter.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number) = *self;
        let rounded: f64 = format!("{number:.6e}").parse().unwrap_or(number);
        if rounded == 0.0 || (1e-3..1e7).contains(&rounded.abs()) || !rounded.is_finite() {
            write!(f, "{rounded}")
        } else {
            write!(f, "{rounded:e}")
        }
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
