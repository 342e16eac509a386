//! The gains of a quarter car's active suspension.

use super::{Applied, Optimum, Quantity};

/// Masses of body and wheel in kg, stiffness and damping of the suspension, stiffness of the tire, in N/m and N·s/m.
const BODY: f64 = 300.0;
const WHEEL: f64 = 60.0;
const SPRING: f64 = 16_000.0;
const DAMPER: f64 = 1_000.0;
const TIRE: f64 = 190_000.0;

/// The time between two forces, in seconds.
pub const STEP: f64 = 1e-3;

/// The number of forces from each start.
pub const STEPS: usize = 4000;

/// Weights of the squares of the states: positions and velocities of body and wheel.
pub const STATE_WEIGHTS: [f64; 4] = [1e4, 1e2, 1e4, 1.0];

/// The weight of the square of the force.
pub const FORCE_WEIGHT: f64 = 1e-6;

/// The initial states.
pub const STARTS: [[f64; 4]; 4] =
    [[0.05, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.02, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// The value of controllers that do not stabilize the car.
const LARGEST: f64 = 1e300;

/// The state after a step is `a`·state + `b`·force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// One row per state.
    pub a: [[f64; 4]; 4],
    /// The effect of the force.
    pub b: [f64; 4],
}

/// Returns the model of the car, with the force held constant over each step.
pub fn model() -> Model {
    // The exponential of the equations with the force as a fifth, constant state.
    let mut equations = [[0.0; 5]; 5];
    equations[0][1] = 1.0;
    equations[1] = [-SPRING, -DAMPER, SPRING, DAMPER, 1.0].map(|entry| entry / BODY);
    equations[2][3] = 1.0;
    equations[3] = [SPRING, DAMPER, -SPRING - TIRE, -DAMPER, -1.0].map(|entry| entry / WHEEL);
    let e = exponential(&equations.map(|row| row.map(|entry| STEP * entry)));
    Model { a: std::array::from_fn(|i| std::array::from_fn(|j| e[i][j])), b: std::array::from_fn(|i| e[i][4]) }
}

type Square = [[f64; 5]; 5];

fn product(a: &Square, b: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..5).map(|k| a[i][k] * b[k][j]).sum()))
}

/// The exponential of a matrix, by the series of a matrix that is 2¹⁰ times as small, and ten squarings.
fn exponential(matrix: &Square) -> Square {
    let small = matrix.map(|row| row.map(|entry| entry / 1024.0));
    let mut term: Square = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(i == j)));
    let mut sum = term;
    for k in 1..=12 {
        term = product(&term, &small).map(|row| row.map(|entry| entry / f64::from(k)));
        sum = std::array::from_fn(|i| std::array::from_fn(|j| sum[i][j] + term[i][j]));
    }
    (0..10).fold(sum, |power, _| product(&power, &power))
}

/// Returns the search for the four gains.
pub fn problem() -> Applied {
    let model = model();
    // The gains of the passive suspension are the scales: a force for each meter, and for each meter per second.
    let gains = [("body position", "N/m", SPRING), ("body velocity", "N·s/m", DAMPER)];
    let gains = gains.into_iter().chain([("wheel position", "N/m", SPRING), ("wheel velocity", "N·s/m", DAMPER)]);
    Applied {
        name: "lqr".into(),
        title: "gains of an active suspension of a quarter car",
        goal: "integrated squares of states and force",
        quantities: gains.map(|(name, unit, scale)| Quantity::free(name, unit, (0.0, 0.0), scale)).collect(),
        naive_deviation: 1000.0,
        f: std::sync::Arc::new(move |gains| cost(&model, gains)),
        optimum: Some(Optimum {
            value: 5.069_187_641_055,
            point: Some(vec![82_738.869, 12_186.702, -75_855.787, -543.544]),
            source: "Riccati's equation",
            proven: true,
        }),
        budget: 10_000,
    }
}

/// Returns the force with which gains respond to a state.
pub fn force(gains: &[f64], state: &[f64; 4]) -> f64 {
    -gains.iter().zip(state).map(|(gain, x)| gain * x).sum::<f64>()
}

/// Returns the state after a step with a force.
pub fn advance(model: &Model, state: &[f64; 4], force: f64) -> [f64; 4] {
    std::array::from_fn(|i| (0..4).map(|j| model.a[i][j] * state[j]).sum::<f64>() + model.b[i] * force)
}

fn cost(model: &Model, gains: &[f64]) -> f64 {
    let mut sum = 0.0;
    for mut state in STARTS {
        for _ in 0..STEPS {
            let force = force(gains, &state);
            let squares: f64 = STATE_WEIGHTS.iter().zip(&state).map(|(weight, x)| weight * x * x).sum();
            sum += squares + FORCE_WEIGHT * force * force;
            if sum.is_nan() || sum > LARGEST {
                return LARGEST;
            }
            state = advance(model, &state, force);
        }
    }
    (STEP * sum).min(LARGEST)
}
