//! Formats numbers for sentences: exactly where a user has set them, rounded where a run has computed them.

use std::fmt;

/// The number of significant digits of a rounded number.
const DIGITS: usize = 4;

/// Displays a number with the fewest digits that identify it, without an exponent where that is shorter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number(pub(crate) f64);

impl Number {
    /// Rounds a number to four significant digits, or to a whole number if that has more digits.
    pub(crate) fn rounded(value: f64) -> Self {
        Self::with_digits(value, DIGITS)
    }

    /// Rounds a number like [`rounded`](Self::rounded), but with as many digits as it takes to stay on its side of a limit.
    ///
    /// A sentence that compares the two is then true as it is printed.
    pub(crate) fn beside(value: f64, limit: f64) -> Self {
        let stays = |rounded: &Self| rounded.0.partial_cmp(&limit) == value.partial_cmp(&limit);
        (DIGITS..17).map(|digits| Self::with_digits(value, digits)).find(stays).unwrap_or(Self(value))
    }

    /// Rounds two numbers, with as many digits as it takes to see which one is larger.
    pub(crate) fn both(one: f64, other: f64) -> (Self, Self) {
        let rounded = |digits| (Self::with_digits(one, digits), Self::with_digits(other, digits));
        let stays = |pair: &(Self, Self)| pair.0.0.partial_cmp(&pair.1.0) == one.partial_cmp(&other);
        (DIGITS..17).map(rounded).find(stays).unwrap_or((Self(one), Self(other)))
    }

    pub(crate) fn with_digits(value: f64, digits: usize) -> Self {
        let has_exponent = !(1.0..1e7).contains(&value.abs());
        let whole = if has_exponent { 0 } else { format!("{:.0}", value.abs().trunc()).len() };
        let decimals = digits.max(whole) - 1;
        let rounded = format!("{value:.decimals$e}").parse().ok();
        Self(rounded.filter(|rounded: &f64| rounded.is_finite()).unwrap_or(value))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        if value == 0.0 || (1e-3..1e7).contains(&value.abs()) || !value.is_finite() {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_numbers_are_short() {
        let text = |value: f64| Number::rounded(value).to_string();
        assert_eq!(
            [1.0 / 3.0, 200.0 / 3.0, 2e6 / 3.0, -2e8 / 3.0].map(text),
            ["0.3333", "66.67", "666667", "-6.667e7"]
        );
        assert_eq!([1e-3 / 3.0, 1e-12, 9.87654321e-11, 1e14].map(text), ["3.333e-4", "1e-12", "9.877e-11", "1e14"]);
        assert_eq!([0.0, 1.0, 5885.3328, 9999999.9].map(text), ["0", "1", "5885", "1e7"]);
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(text), ["NaN", "inf", "-inf"]);
        assert_eq!([5e-324, 1.5e308 + 4e303, f64::MAX].map(text), ["5e-324", "1.5e308", "1.7976931348623157e308"]);
    }

    #[test]
    fn exact_numbers_read_back_as_they_are() {
        for value in [0.1 + 0.2, 1e-8, -1.0, 1234567.890123, 1e300, 5e-324] {
            assert_eq!(Number(value).to_string().parse::<f64>().unwrap(), value);
        }
        assert_eq!([1e-8, 0.5, 1000.0].map(|value| Number(value).to_string()), ["1e-8", "0.5", "1000"]);
    }

    #[test]
    fn rounding_does_not_make_a_comparison_false() {
        assert_eq!(Number::beside(16.1489, 16.149).to_string(), "16.1489");
        assert_eq!(Number::beside(16.1401, 16.149).to_string(), "16.14");
        assert_eq!(Number::beside(1.000000123e14, 1e14).to_string(), "1.0000001e14");
        assert_eq!(Number::beside(0.123456, 0.123456).to_string(), "0.123456");
        assert_eq!(Number::beside(f64::NAN, 1.0).to_string(), "NaN");
        let both = |one, other| Number::both(one, other);
        assert_eq!(both(1.0000012, 1.0000034), (Number(1.000001), Number(1.000003)));
        assert_eq!(both(1.0, f64::NEG_INFINITY), (Number(1.0), Number(f64::NEG_INFINITY)));
        assert_eq!(both(2.0f64.sqrt(), 2.0f64.sqrt()), (Number(1.414), Number(1.414)));
    }
}
