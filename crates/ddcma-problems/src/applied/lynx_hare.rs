//! The model of Lotka and Volterra, fitted to furs of hares and lynxes.

use super::runge_kutta::rk4;
use super::{Applied, Optimum, Quantity};

/// The first year of the data.
pub const FIRST_YEAR: u32 = 1900;

/// Hares of the Hudson Bay Company, 1900 to 1920, in thousands of furs.
pub const HARES: [f64; 21] = [
    30.0, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22.0, 25.4, 27.1, 40.3, 57.0, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6,
    16.2, 24.7,
];

/// Lynxes of the Hudson Bay Company, 1900 to 1920, in thousands of furs.
pub const LYNXES: [f64; 21] = [
    4.0, 6.1, 9.8, 35.2, 59.4, 41.7, 19.0, 13.0, 8.3, 9.1, 7.4, 8.0, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6,
];

/// The step of the integration, in years.
const STEP: f64 = 0.05;

/// A logarithm of a population beyond this is an explosion, or an extinction.
const LARGEST_LOGARITHM: f64 = 50.0;

/// Returns the fit of four rates and two initial populations.
pub fn problem() -> Applied {
    Applied {
        name: "lynx-hare".into(),
        title: "predator-prey model, fitted to the fur records of the Hudson Bay Company",
        goal: "sum of squared residuals of logarithms",
        quantities: vec![
            Quantity::between("growth of hares", "1/year", 0.0, 2.0),
            Quantity::between("predation", "1/year/thousand", 0.0, 0.2),
            Quantity::between("death of lynxes", "1/year", 0.0, 2.0),
            Quantity::between("growth of lynxes", "1/year/thousand", 0.0, 0.2),
            Quantity::between("hares in 1900", "thousand", 1.0, 100.0).log(),
            Quantity::between("lynxes in 1900", "thousand", 1.0, 100.0).log(),
        ],
        naive_deviation: 1.0,
        f: std::sync::Arc::new(sum_of_squares),
        optimum: Some(Optimum {
            value: 2.018_661_201_307,
            point: Some(vec![
                0.540_158_996_4,
                0.027_165_357_88,
                0.796_386_067_1,
                0.023_694_639_4,
                34.602_423_78,
                5.844_506_007,
            ]),
            source: "our runs",
            proven: false,
        }),
        budget: 100_000,
    }
}

/// Returns the logarithms of hares and lynxes after this many steps of a twentieth of a year; `None` if they overflow.
pub fn advance(logarithms: [f64; 2], x: &[f64], steps: usize) -> Option<[f64; 2]> {
    let after = rk4(logarithms, STEP, steps, |[hare, lynx]| [x[0] - x[1] * lynx.exp(), -x[2] + x[3] * hare.exp()]);
    after.iter().all(|logarithm| logarithm.abs() < LARGEST_LOGARITHM).then_some(after)
}

/// The number of steps per year.
pub const STEPS_OF_A_YEAR: usize = 20;

fn sum_of_squares(x: &[f64]) -> f64 {
    let mut logarithms = [x[4].ln(), x[5].ln()];
    let mut sum = 0.0;
    for (year, (hares, lynxes)) in HARES.iter().zip(&LYNXES).enumerate() {
        if year > 0 {
            // One step at a time: an explosion ends the year before it overflows.
            for _ in 0..STEPS_OF_A_YEAR {
                let Some(next) = advance(logarithms, x, 1) else { return f64::INFINITY };
                logarithms = next;
            }
        }
        sum += (logarithms[0] - hares.ln()).powi(2) + (logarithms[1] - lynxes.ln()).powi(2);
    }
    sum
}
