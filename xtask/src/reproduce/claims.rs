//! The paper's claims about a figure, and whether our records confirm them. Independent of where the numbers come from.

use std::fmt;

/// The expected range of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    /// Below this number.
    Below(f64),
    /// Above this number.
    Above(f64),
    /// Between two numbers, ends included.
    Between(f64, f64),
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::Below(limit) => value < limit,
            Self::Above(limit) => value > limit,
            Self::Between(low, high) => (low..=high).contains(&value),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Below(limit) => write!(f, "below {limit}"),
            Self::Above(limit) => write!(f, "above {limit}"),
            Self::Between(low, high) => write!(f, "from {low} to {high}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    Larger,
}

/// A claim of the paper, our interpretation of it in numbers, and our measurements.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    says: String,
    criterion: String,
    measured: String,
    verdict: Verdict,
    remark: String,
}

impl Claim {
    /// Creates a claim about a quantity. Each of the numbers, given with a note of where it was measured, must be within the bound.
    ///
    /// NaN means that a number was not measured at this scale. If none was, the claim needs a larger scale.
    pub(super) fn new(
        says: &str,
        quantity: &str,
        bound: Bound,
        numbers: impl IntoIterator<Item = (impl AsRef<str>, f64)>,
    ) -> Self {
        let known: Vec<(String, f64)> =
            numbers.into_iter().map(|(at, x)| (at.as_ref().to_string(), x)).filter(|(_, x)| !x.is_nan()).collect();
        let shown: Vec<String> = known.iter().map(|(at, x)| shown(*x, at)).collect();
        let verdict = match known.as_slice() {
            [] => Verdict::Larger,
            known if known.iter().all(|(_, value)| bound.holds(*value)) => Verdict::Yes,
            _ => Verdict::No,
        };
        Self {
            says: says.to_string(),
            criterion: format!("{quantity}: {bound}"),
            measured: if shown.is_empty() { "–".to_string() } else { shown.join(", ") },
            verdict,
            remark: String::new(),
        }
    }

    /// Sets whether this scale is large enough for the claim. If not, the measurements are shown, but they decide nothing.
    #[must_use]
    pub(super) fn if_reached(mut self, reached: bool) -> Self {
        if !reached {
            self.verdict = Verdict::Larger;
        }
        self
    }

    /// Adds a remark.
    #[must_use]
    pub(super) fn remark(mut self, remark: &str) -> Self {
        self.remark = remark.to_string();
        self
    }

    /// Returns the claim as a row of a table.
    pub(super) fn cells(&self) -> [String; 5] {
        let verdict = match self.verdict {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Larger => "needs a larger scale",
        };
        [&self.says, &self.criterion, &self.measured, verdict, &self.remark].map(|cell| cell.to_string())
    }
}

/// Formats a number with the note of where it was measured, in parentheses if the note has commas.
fn shown(value: f64, at: &str) -> String {
    let at = if at.contains(',') { format!("({at})") } else { at.to_string() };
    format!("{} {at}", number(value)).trim_end().to_string()
}

/// Formats a number with about three digits.
fn number(value: f64) -> String {
    let value = value + 0.0; // no −0
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(bound: Bound, numbers: &[f64]) -> String {
        Claim::new("", "ratio", bound, numbers.iter().map(|x| ("", *x))).cells()[3].clone()
    }

    #[test]
    fn every_number_has_to_be_within_the_bound() {
        assert_eq!(verdict(Bound::Below(1.3), &[1.0, 1.29]), "yes");
        assert_eq!(verdict(Bound::Below(1.3), &[1.0, 1.3]), "no");
        assert_eq!(verdict(Bound::Above(1.0), &[2.0, f64::INFINITY]), "yes");
        assert_eq!(verdict(Bound::Above(1.0), &[1.0]), "no");
        assert_eq!(verdict(Bound::Between(0.25, 4.0), &[0.25, 4.0]), "yes");
        assert_eq!(verdict(Bound::Between(0.25, 4.0), &[0.2]), "no");
        assert_eq!(verdict(Bound::Below(1.0), &[f64::INFINITY]), "no");
    }

    #[test]
    fn what_was_not_measured_decides_nothing() {
        assert_eq!(verdict(Bound::Below(1.3), &[]), "needs a larger scale");
        assert_eq!(verdict(Bound::Below(1.3), &[f64::NAN]), "needs a larger scale");
        assert_eq!(verdict(Bound::Below(1.3), &[f64::NAN, 2.0]), "no");
        let claim = Claim::new("it is small", "ratio", Bound::Below(1.0), [("at n = 80", 12.345)]).if_reached(false);
        let [says, criterion, measured, verdict, remark] = claim.remark("so far").cells();
        assert_eq!((says.as_str(), criterion.as_str()), ("it is small", "ratio: below 1"));
        assert_eq!((measured.as_str(), verdict.as_str()), ("12.3 at n = 80", "needs a larger scale"));
        assert_eq!(remark, "so far");
    }

    #[test]
    fn places_with_commas_stand_in_brackets() {
        let claim = Claim::new("", "", Bound::Above(0.0), [("plain, n = 80", 1.0), ("on Discus", 2.0), ("", 3.0)]);
        assert_eq!(claim.cells()[2], "1.00 (plain, n = 80), 2.00 on Discus, 3.00");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1234.5, 99.95, 1.0, 0.25, 0.033, 0.0].map(number),
            ["1234", "100.0", "1.00", "0.25", "3.3e-2", "0.00"]
        );
    }
}
