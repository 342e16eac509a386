//! A cantilever of ten bars under two loads.

use super::design::About;
use super::{Applied, Design};

/// The ten-bar truss, which has a second local optimum of 5076.67 pounds.
pub const TRUSS10: Design =
    Design { name: "truss10", bounds: &[(0.1, 35.0); 10], cost: weight, constraints, optimum: 5_060.853_660_338_47 };

/// The factor of the penalty.
const KAPPA: f64 = 10.0;

/// Returns the search for the lightest truss, with a penalty for violated constraints.
pub fn problem() -> Applied {
    let names: Vec<String> = (1..=10).map(|k| format!("bar {k}")).collect();
    TRUSS10.problem(
        KAPPA,
        About {
            title: "the lightest truss of ten bars",
            goal: "weight in pounds, with a penalty",
            quantities: TRUSS10.quantities("in²", names.iter().map(String::as_str)),
            naive_deviation: 0.2 * (35.0 - 0.1),
            point: vec![
                30.521_805_745,
                0.1,
                23.199_887_724,
                15.222_906_614,
                0.1,
                0.551_355_824,
                7.457_200_362,
                21.036_428_555,
                21.528_441_981,
                0.1,
            ],
            source: "5060.85 by many, since Venkayya (1971)",
            proven: false,
            budget: 100_000,
        },
    )
}

/// Nodes in inches; the last two are fixed.
pub const NODES: [(f64, f64); 6] =
    [(720.0, 360.0), (720.0, 0.0), (360.0, 360.0), (360.0, 0.0), (0.0, 360.0), (0.0, 0.0)];

/// The nodes that a bar joins, counted from 0.
pub const BARS: [(usize, usize); 10] = [(4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0)];

/// Young's modulus, in pounds per square inch.
const YOUNG: f64 = 1e7;

fn bar(k: usize) -> (f64, f64, f64) {
    let ((x1, y1), (x2, y2)) = (NODES[BARS[k].0], NODES[BARS[k].1]);
    let length = (x2 - x1).hypot(y2 - y1);
    (length, (x2 - x1) / length, (y2 - y1) / length)
}

/// The weight in pounds, as a function of the cross sections in square inches.
fn weight(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(k, area)| 0.1 * area * bar(k).0).sum()
}

/// Stresses of the bars and displacements of the free nodes, under two loads of 100 000 pounds.
fn constraints(x: &[f64]) -> Vec<f64> {
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

/// The Cholesky decomposition, in place; the stiffness of a truss whose bars all exist is positive definite.
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
