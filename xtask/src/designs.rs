//! Engineering designs with constraints and published optima: what a practitioner's problem looks like. Knows no optimizer.

use std::f64::consts::PI;

/// A design problem: minimize a cost over a box, subject to g(x) ≤ 0 for every constraint.
pub struct Design {
    /// Its name.
    pub name: &'static str,
    /// Lower and upper bounds of the variables.
    pub bounds: &'static [(f64, f64)],
    /// What is minimized.
    pub cost: fn(&[f64]) -> f64,
    /// The constraints, each relative to its limit, so that 0.01 is a violation of one percent.
    pub constraints: fn(&[f64]) -> Vec<f64>,
    /// The best known cost of a feasible design.
    pub optimum: f64,
}

impl Design {
    /// Σ max(0, g_i).
    pub fn violation(&self, x: &[f64]) -> f64 {
        (self.constraints)(x).iter().map(|g| g.max(0.0)).sum()
    }

    /// The cost, multiplied by (1 + κ·violation)².
    pub fn penalized(&self, kappa: f64, x: &[f64]) -> f64 {
        (self.cost)(x) * (1.0 + kappa * self.violation(x)).powi(2)
    }
}

/// All designs.
pub const DESIGNS: [Design; 3] = [VESSEL, BEAM, TRUSS10];

/// The pressure vessel of Kannan & Kramer (1994), with continuous thicknesses: its optimum lies at three constraints and a bound.
pub const VESSEL: Design = Design {
    name: "vessel",
    bounds: &[(0.0625, 6.1875), (0.0625, 6.1875), (10.0, 200.0), (10.0, 200.0)],
    cost: vessel_cost,
    constraints: vessel_constraints,
    // Published as 5885.3328; further digits are those that runs agree on.
    optimum: 5_885.332_773_616_44,
};

/// The welded beam of Rao (1996).
const BEAM: Design = Design {
    name: "beam",
    bounds: &[(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)],
    cost: beam_cost,
    constraints: beam_constraints,
    optimum: 1.724_852_309,
};

/// The ten-bar truss, which has a second local optimum of 5076.67 pounds.
const TRUSS10: Design = Design {
    name: "truss10",
    bounds: &[(0.1, 35.0); 10],
    cost: truss_weight,
    constraints: truss_constraints,
    optimum: 5060.85,
};

/// Thickness of shell and head, radius and length, in inches; dollars.
fn vessel_cost(x: &[f64]) -> f64 {
    0.6224 * x[0] * x[2] * x[3] + 1.7781 * x[1] * x[2] * x[2] + 3.1661 * x[0] * x[0] * x[3] + 19.84 * x[0] * x[0] * x[2]
}

fn vessel_constraints(x: &[f64]) -> Vec<f64> {
    let volume = PI * x[2].powi(2) * x[3] + 4.0 / 3.0 * PI * x[2].powi(3);
    vec![0.0193 * x[2] - x[0], 0.00954 * x[2] - x[1], 1.0 - volume / 1_296_000.0]
}

/// Thickness and length of the weld, height and thickness of the bar, in inches; dollars.
fn beam_cost(x: &[f64]) -> f64 {
    1.10471 * x[0] * x[0] * x[1] + 0.04811 * x[2] * x[3] * (14.0 + x[1])
}

fn beam_constraints(x: &[f64]) -> Vec<f64> {
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

/// Nodes in inches; the last two are fixed.
const NODES: [(f64, f64); 6] = [(720.0, 360.0), (720.0, 0.0), (360.0, 360.0), (360.0, 0.0), (0.0, 360.0), (0.0, 0.0)];

/// The nodes that a bar joins, counted from 0.
const BARS: [(usize, usize); 10] = [(4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0)];

/// Young's modulus, in pounds per square inch.
const YOUNG: f64 = 1e7;

fn bar(k: usize) -> (f64, f64, f64) {
    let ((x1, y1), (x2, y2)) = (NODES[BARS[k].0], NODES[BARS[k].1]);
    let length = (x2 - x1).hypot(y2 - y1);
    (length, (x2 - x1) / length, (y2 - y1) / length)
}

/// Cross sections in square inches; pounds.
fn truss_weight(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(k, area)| 0.1 * area * bar(k).0).sum()
}

/// Stresses of the bars and displacements of the free nodes, under two loads of 100 000 pounds.
fn truss_constraints(x: &[f64]) -> Vec<f64> {
    let mut stiffness = [[0.0; 8]; 8];
    for (k, area) in x.iter().enumerate() {
        let (length, c, s) = bar(k);
        let direction = [(BARS[k].0, -c, -s), (BARS[k].1, c, s)];
        for (a, ax, ay) in direction {
            for (b, bx, by) in direction {
                for (i, u) in [(2 * a, ax), (2 * a + 1, ay)] {
                    for (j, v) in [(2 * b, bx), (2 * b + 1, by)] {
                        if i < 8 && j < 8 {
                            stiffness[i][j] += YOUNG * area / length * u * v;
                        }
                    }
                }
            }
        }
    }
    let mut u = [0.0, 0.0, 0.0, -1e5, 0.0, 0.0, 0.0, -1e5];
    solve(&mut stiffness, &mut u);
    let displacement = |i: usize| if i < 8 { u[i] } else { 0.0 };
    let stresses = (0..10).map(|k| {
        let ((a, b), (length, c, s)) = (BARS[k], bar(k));
        let along = |node: usize| c * displacement(2 * node) + s * displacement(2 * node + 1);
        (YOUNG * (along(b) - along(a)) / length).abs() / 25_000.0 - 1.0
    });
    stresses.chain(u.iter().map(|u| u.abs() / 2.0 - 1.0)).collect()
}

/// Cholesky's decomposition, in place; the stiffness of a truss whose bars all exist is positive definite.
fn solve(a: &mut [[f64; 8]; 8], b: &mut [f64; 8]) {
    for j in 0..8 {
        for i in j..8 {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let rest = a[i][j] - sum;
            a[i][j] = if i == j { rest.sqrt() } else { rest / a[j][j] };
        }
    }
    for i in 0..8 {
        let sum: f64 = (0..i).map(|k| a[i][k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    for i in (0..8).rev() {
        let sum: f64 = (i + 1..8).map(|k| a[k][i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_optima_have_their_costs_and_are_feasible() {
        let at: [&[f64]; 3] = [
            &[0.778_169, 0.384_649, 40.319_619, 200.0],
            &[0.205_730, 3.470_489, 9.036_624, 0.205_730],
            &[30.52, 0.1, 23.20, 15.22, 0.1, 0.551, 7.457, 21.04, 21.53, 0.1],
        ];
        for ((design, x), tolerance) in DESIGNS.iter().zip(at).zip([1e-5, 1e-5, 1e-3]) {
            let Design { name, cost, optimum, .. } = design;
            assert!((cost(x) / optimum - 1.0).abs() < tolerance, "{name}: {}", cost(x));
            assert!(design.violation(x) < 3.0 * tolerance, "{name}: {:?}", (design.constraints)(x));
        }
    }
}
