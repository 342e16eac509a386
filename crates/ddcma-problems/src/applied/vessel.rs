//! A pressure vessel with two hemispherical heads.

use std::f64::consts::PI;

use super::design::About;
use super::{Applied, Design};

/// The pressure vessel of Kannan & Kramer (1994), with continuous thicknesses: at its optimum, three constraints and a bound are active.
pub const VESSEL: Design = Design {
    name: "vessel",
    bounds: &[(0.0625, 6.1875), (0.0625, 6.1875), (10.0, 200.0), (10.0, 200.0)],
    cost,
    constraints,
    optimum: 5_885.332_773_616_44,
};

/// The factor of the penalty. With 10, a corner of the box that violates a constraint wins.
const KAPPA: f64 = 100.0;

/// Returns the search for the cheapest vessel, with a penalty for violated constraints.
pub fn problem() -> Applied {
    VESSEL.problem(
        KAPPA,
        About {
            title: "the cheapest pressure vessel",
            goal: "cost in dollars, with a penalty",
            quantities: VESSEL.quantities("in", ["shell", "head", "radius", "length"]),
            naive_deviation: 1.0,
            point: vec![0.778_168_641_375, 0.384_649_162_628, 40.319_618_724_099, 200.0],
            source: "Kannan & Kramer (1994), continuous; one variable is left at its constraints",
            proven: true,
            budget: 100_000,
        },
    )
}

/// The cost in dollars, as a function of the thicknesses of shell and head, the radius and the length, in inches.
fn cost(x: &[f64]) -> f64 {
    0.6224 * x[0] * x[2] * x[3] + 1.7781 * x[1] * x[2] * x[2] + 3.1661 * x[0] * x[0] * x[3] + 19.84 * x[0] * x[0] * x[2]
}

fn constraints(x: &[f64]) -> Vec<f64> {
    let volume = PI * x[2].powi(2) * x[3] + 4.0 / 3.0 * PI * x[2].powi(3);
    vec![0.0193 * x[2] - x[0], 0.00954 * x[2] - x[1], 1.0 - volume / 1_296_000.0]
}
