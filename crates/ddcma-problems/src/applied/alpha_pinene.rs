//! Thermal isomerization of α-pinene: five rate constants fitted to eight measurements of five species.

use super::runge_kutta::rk4;
use super::{Applied, Optimum, Quantity};

/// The times of the measurements, in minutes.
pub const TIMES: [f64; 8] = [1230.0, 3060.0, 4920.0, 7800.0, 10_680.0, 15_030.0, 22_620.0, 36_420.0];

/// The names of the species.
pub const SPECIES: [&str; 5] = ["α-pinene", "dipentene", "allo-ocimene", "pyronene", "dimer"];

/// The measured shares of the species at each time, in percent.
pub const MEASURED: [[f64; 5]; 8] = [
    [88.35, 7.3, 2.3, 0.4, 1.75],
    [76.4, 15.6, 4.5, 0.7, 2.8],
    [65.1, 23.1, 5.3, 1.1, 5.8],
    [50.4, 32.9, 6.0, 1.5, 9.3],
    [37.5, 42.7, 6.0, 1.9, 12.0],
    [25.9, 49.1, 5.9, 2.2, 17.0],
    [14.0, 57.4, 5.1, 2.6, 21.0],
    [4.5, 63.1, 3.8, 2.9, 25.7],
];

/// The longest step of the integration, in minutes.
const LONGEST_STEP: f64 = 60.0;

/// Returns the fit of the five rate constants.
pub fn problem() -> Applied {
    let quantities: Vec<Quantity> = (1..=5).map(|k| Quantity::between(format!("k{k}"), "1/min", 0.0, 5e-4)).collect();
    Applied {
        name: "alpha-pinene".into(),
        title: "rate constants of the isomerization of α-pinene",
        goal: "sum of squared residuals, in percent²",
        naive_deviation: quantities[0].deviation,
        quantities,
        f: std::sync::Arc::new(sum_of_squares),
        optimum: Some(Optimum {
            value: 19.872_166_9,
            point: Some(vec![5.925_848_783e-5, 2.963_402_122e-5, 2.047_284_087e-5, 2.744_679_298e-4, 3.997_949_849e-5]),
            source: "COPS (Dolan, Moré & Munson 2004)",
            proven: false,
        }),
        budget: 20_000,
    }
}

/// Returns the shares of the species after an interval of time, in minutes.
pub fn advance(shares: [f64; 5], rates: &[f64], minutes: f64) -> [f64; 5] {
    let steps = (minutes / LONGEST_STEP).ceil();
    rk4(shares, minutes / steps, steps as usize, |y| {
        [
            -(rates[0] + rates[1]) * y[0],
            rates[0] * y[0],
            rates[1] * y[0] - (rates[2] + rates[3]) * y[2] + rates[4] * y[4],
            rates[2] * y[2],
            rates[3] * y[2] - rates[4] * y[4],
        ]
    })
}

/// The shares of the species before the reaction, in percent.
pub const INITIAL: [f64; 5] = [100.0, 0.0, 0.0, 0.0, 0.0];

fn sum_of_squares(rates: &[f64]) -> f64 {
    let (mut shares, mut time, mut sum) = (INITIAL, 0.0, 0.0);
    for (at, measured) in TIMES.iter().zip(&MEASURED) {
        shares = advance(shares, rates, at - time);
        time = *at;
        sum += shares.iter().zip(measured).map(|(ours, theirs)| (ours - theirs).powi(2)).sum::<f64>();
    }
    sum
}
