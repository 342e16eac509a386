//! Engineering designs with constraints: a cost, and how far a design violates its constraints.

use super::{Applied, Optimum, Quantity, beam, truss10, vessel};

/// A design problem: minimize a cost over a box, subject to g(x) ≤ 0 for every constraint.
///
/// As an [`Applied`] problem, the cost is multiplied by a penalty. To treat constraints in your own way, use both
/// separately:
///
/// ```
/// use ddcma_problems::applied::vessel::VESSEL;
///
/// let thin = [0.7, 0.4, 40.0, 200.0]; // the shell would have to be 0.0193 times as thick as its radius
/// assert!((VESSEL.violation(&thin) - 0.072 - 0.02).abs() < 0.01);
/// assert!(VESSEL.penalized(100.0, &thin) > (VESSEL.cost)(&thin));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Design {
    /// The name.
    pub name: &'static str,
    /// Lower and upper bounds of the variables.
    pub bounds: &'static [(f64, f64)],
    /// The cost to minimize.
    pub cost: fn(&[f64]) -> f64,
    /// The constraints, each relative to its limit, so that 0.01 is a violation of one percent.
    pub constraints: fn(&[f64]) -> Vec<f64>,
    /// The best known cost of a feasible design.
    pub optimum: f64,
}

/// All designs.
pub const DESIGNS: [Design; 3] = [vessel::VESSEL, beam::BEAM, truss10::TRUSS10];

impl Design {
    /// Returns the sum of violations, Σ max(0, g_i).
    pub fn violation(&self, x: &[f64]) -> f64 {
        (self.constraints)(x).iter().map(|g| g.max(0.0)).sum()
    }

    /// Returns the cost, multiplied by (1 + κ·violation)².
    pub fn penalized(&self, kappa: f64, x: &[f64]) -> f64 {
        (self.cost)(x) * (1.0 + kappa * self.violation(x)).powi(2)
    }

    /// Its variables, by their names.
    pub(super) fn quantities<'a>(&self, unit: &'static str, names: impl IntoIterator<Item = &'a str>) -> Vec<Quantity> {
        let bounds = self.bounds.iter();
        names
            .into_iter()
            .zip(bounds)
            .map(|(name, (lower, upper))| Quantity::between(name, unit, *lower, *upper))
            .collect()
    }

    /// Returns the design as an unconstrained problem with a penalty.
    pub(super) fn problem(&self, kappa: f64, about: About) -> Applied {
        let About { title, goal, quantities, naive_deviation, point, source, proven, budget } = about;
        let design = self.clone();
        Applied {
            name: self.name.into(),
            title,
            goal,
            quantities,
            naive_deviation,
            f: std::sync::Arc::new(move |x| design.penalized(kappa, x)),
            optimum: Some(Optimum { value: self.optimum, point: Some(point), source, proven }),
            budget,
        }
    }
}

/// What a problem has in addition to its design.
pub(super) struct About {
    pub(super) title: &'static str,
    pub(super) goal: &'static str,
    pub(super) quantities: Vec<Quantity>,
    pub(super) naive_deviation: f64,
    pub(super) point: Vec<f64>,
    pub(super) source: &'static str,
    pub(super) proven: bool,
    pub(super) budget: u64,
}
