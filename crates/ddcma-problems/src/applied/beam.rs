//! A welded beam under a load at its end.

use super::design::About;
use super::{Applied, Design};

/// The welded beam of Rao (1996).
pub const BEAM: Design = Design {
    name: "beam",
    bounds: &[(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)],
    cost,
    constraints,
    optimum: 1.724_852_308_597,
};

/// The factor of the penalty.
const KAPPA: f64 = 100.0;

/// Returns the search for the cheapest beam, with a penalty for violated constraints.
pub fn problem() -> Applied {
    BEAM.problem(
        KAPPA,
        About {
            title: "the cheapest welded beam",
            goal: "cost in dollars, with a penalty",
            quantities: BEAM.quantities("in", ["weld thickness", "weld length", "bar height", "bar thickness"]),
            naive_deviation: 1.0,
            point: vec![0.205_729_639_786, 3.470_488_665_628, 9.036_623_910_358, 0.205_729_639_786],
            source: "Rao (1996); 1.724852 by many",
            proven: false,
            budget: 100_000,
        },
    )
}

/// The cost in dollars, as a function of the thickness and length of the weld and the height and thickness of the bar, in inches.
fn cost(x: &[f64]) -> f64 {
    1.10471 * x[0] * x[0] * x[1] + 0.04811 * x[2] * x[3] * (14.0 + x[1])
}

fn constraints(x: &[f64]) -> Vec<f64> {
    let (h, l, t, b) = (x[0], x[1], x[2], x[3]);
    let (load, length, e, g) = (6000.0, 14.0, 30e6, 12e6);
    let direct = load / (2f64.sqrt() * h * l);
    let moment = load * (length + l / 2.0);
    let radius = (l * l / 4.0 + ((h + t) / 2.0).powi(2)).sqrt();
    let inertia = 2.0 * (2f64.sqrt() * h * l * (l * l / 12.0 + ((h + t) / 2.0).powi(2)));
    let torsion = moment * radius / inertia;
    let shear = (direct * direct + direct * torsion * l / radius + torsion * torsion).sqrt();
    let bending = 6.0 * load * length / (b * t * t);
    let deflection = 4.0 * load * length.powi(3) / (e * t.powi(3) * b);
    let slender = 1.0 - t / (2.0 * length) * (e / (4.0 * g)).sqrt();
    let buckling = 4.013 * e * (t * t * b.powi(6) / 36.0).sqrt() / (length * length) * slender;
    vec![
        shear / 13_600.0 - 1.0,
        bending / 30_000.0 - 1.0,
        h / b - 1.0,
        (0.10471 * h * h + 0.04811 * t * b * (14.0 + l)) / 5.0 - 1.0,
        1.0 - h / 0.125,
        deflection / 0.25 - 1.0,
        1.0 - buckling / load,
    ]
}
