//! What the paper says about a figure, and whether our records say so too.

/// A claim of the paper, with what was measured.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    says: String,
    measured: String,
    verdict: Verdict,
    remark: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Yes,
    No,
    Larger,
}

impl Claim {
    /// A claim that the records decide.
    pub(super) fn new(says: &str, measured: impl Into<String>, holds: bool) -> Self {
        let verdict = if holds { Verdict::Yes } else { Verdict::No };
        Self { says: says.to_string(), measured: measured.into(), verdict, remark: String::new() }
    }

    /// A claim about what this scale does not reach.
    pub(super) fn needs_larger_scale(says: &str, reached: impl Into<String>) -> Self {
        Self { says: says.to_string(), measured: reached.into(), verdict: Verdict::Larger, remark: String::new() }
    }

    /// A claim that is decided if there are numbers, and else needs a larger scale.
    pub(super) fn of(says: &str, numbers: Option<(String, bool)>) -> Self {
        match numbers {
            Some((measured, holds)) => Self::new(says, measured, holds),
            None => Self::needs_larger_scale(says, "–"),
        }
    }

    /// With a remark.
    #[must_use]
    pub(super) fn remark(mut self, remark: &str) -> Self {
        self.remark = remark.to_string();
        self
    }

    /// As a row of a table.
    pub(super) fn cells(&self) -> [String; 4] {
        let verdict = match self.verdict {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Larger => "needs a larger scale",
        };
        [self.says.clone(), self.measured.clone(), verdict.to_string(), self.remark.clone()]
    }
}
