//! A variable of an applied problem: name, unit, range, scale.

use std::fmt;

use rand_core::Rng;

use super::Start;
use super::splitmix::uniform;

/// The initial deviation of a variable with a range, as a fraction of it.
const FRACTION: f64 = 0.2;

/// A variable of an applied problem.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Quantity {
    /// Its name.
    pub name: String,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// Its lower bound; −∞ if it has none.
    pub lower: f64,
    /// Its upper bound; ∞ if it has none.
    pub upper: f64,
    /// Whether it is common in the field to search its logarithm.
    pub log: bool,
    /// Starts are drawn from this range.
    pub starts: (f64, f64),
    /// The initial deviation; that of the natural logarithm if the variable is logarithmic.
    pub deviation: f64,
}

impl Quantity {
    /// Creates a variable with a range, from which starts are drawn, too.
    pub(super) fn between(name: impl Into<String>, unit: &'static str, lower: f64, upper: f64) -> Self {
        let (starts, deviation) = ((lower, upper), FRACTION * (upper - lower));
        Self { name: name.into(), unit, lower, upper, log: false, starts, deviation }
    }

    /// Creates a variable without bounds.
    pub(super) fn free(name: impl Into<String>, unit: &'static str, starts: (f64, f64), deviation: f64) -> Self {
        let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { name: name.into(), unit, lower, upper, log: false, starts, deviation }
    }

    /// Makes the variable logarithmic, with a fifth of the range of its logarithm as its deviation.
    pub(super) fn log(self) -> Self {
        Self { log: true, deviation: FRACTION * (self.upper / self.lower).ln(), ..self }
    }

    /// Draws a start: uniformly distributed, on the variable's own scale if the start is scaled.
    pub(super) fn draw(&self, start: Start, rng: &mut impl Rng) -> f64 {
        let (u, (low, high)) = (uniform(rng.next_u64()), self.starts);
        let x = match start {
            Start::Scaled if self.log => low * (high / low).powf(u),
            _ => low + (high - low) * u,
        };
        x.clamp(low, high)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, lower, upper, log, .. } = self;
        f.write_str(name)?;
        if lower.is_finite() || upper.is_finite() {
            write!(f, " in [{}, {}]", number(*lower), number(*upper))?;
        }
        let unit = [" ", unit].concat();
        write!(f, "{}{}", unit.trim_end(), if *log { ", logarithmic" } else { "" })
    }
}

/// Short for tables: 1000000 is 1e6.
fn number(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e5).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}
