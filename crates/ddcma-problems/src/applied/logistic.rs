//! Logistic regression on features whose units differ by orders of magnitude, in any size.

mod newton;

use super::splitmix::SplitMix64;
use super::{Applied, Optimum, Quantity};
use crate::ProblemError;

/// The largest number of features.
const MOST_FEATURES: usize = 1000;

/// The largest number of entries.
const MOST_ENTRIES: usize = 1_000_000;

/// The strength of the penalty on weights.
const PENALTY: f64 = 0.0005;

/// The mean of the features, in their units.
const OFFSET: f64 = 3.0;

/// Labeled rows, generated from fixed random numbers.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The unit of each feature: its standard deviation.
    pub units: Vec<f64>,
    /// The features of each row, one row after the other.
    pub features: Vec<f64>,
    /// The label of each row: 1 or −1.
    pub labels: Vec<f64>,
}

/// Generates rows of features. Features are correlated, far from zero, and have units from 0.01 to 1000.
pub fn rows(rows: usize, features: usize) -> Rows {
    let mut rng = SplitMix64::new(2);
    let spread = |j: usize| if features > 1 { 5.0 * j as f64 / (features - 1) as f64 } else { 0.0 };
    let units: Vec<f64> = (0..features).map(|j| 10f64.powf(-2.0 + spread(j))).collect();
    let weights: Vec<f64> = (0..features).map(|_| rng.normal()).collect();
    let mut data = Rows { units, features: Vec::with_capacity(rows * features), labels: Vec::with_capacity(rows) };
    for _ in 0..rows {
        let common = rng.normal();
        let mut activation = 0.5;
        for (weight, unit) in weights.iter().zip(&data.units) {
            let z = 0.6 * common + 0.8 * rng.normal();
            activation += weight * z;
            data.features.push(unit * (z + OFFSET));
        }
        data.labels.push(if rng.uniform() < 1.0 / (1.0 + (-activation).exp()) { 1.0 } else { -1.0 });
    }
    data
}

/// Returns the regression on `m` rows with `q` features: one weight per feature, and the intercept.
pub fn problem(m: usize, q: usize) -> Result<Applied, ProblemError> {
    for (name, size, largest) in [
        ("the number of features", q, MOST_FEATURES),
        ("the number of rows", m, MOST_ENTRIES / q.clamp(1, MOST_FEATURES)),
    ] {
        if !(1..=largest).contains(&size) {
            let rule = format!("between 1 and {largest}");
            return Err(ProblemError::OutOfRange { name, rule, value: size as f64 });
        }
    }
    let data = rows(m, q);
    let point = newton::minimize(&data, PENALTY);
    let optimum = point.map(|point| Optimum {
        value: mean_loss(&data, &point),
        point: Some(point),
        source: "Newton's method; the loss is convex",
        proven: true,
    });
    let weight =
        |(j, unit): (usize, &f64)| Quantity::free(format!("weight {}", j + 1), "1/unit", (0.0, 0.0), 1.0 / unit);
    let weights = data.units.iter().enumerate().map(weight);
    let quantities = weights.chain([Quantity::free("intercept", "", (0.0, 0.0), 1.0)]).collect();
    let f = move |x: &[f64]| mean_loss(&data, x);
    Ok(Applied {
        name: format!("logistic-{m}-{q}"),
        title: "logistic regression on features in very different units",
        goal: "mean logistic loss with a penalty",
        quantities,
        naive_deviation: 0.1,
        f: std::sync::Arc::new(f),
        optimum,
        budget: 5_000 * (q as u64 + 1),
    })
}

fn mean_loss(data: &Rows, x: &[f64]) -> f64 {
    let (weights, intercept) = (&x[..data.units.len()], x[data.units.len()]);
    let loss = |(features, label): (&[f64], &f64)| {
        let activation: f64 = features.iter().zip(weights).map(|(f, w)| f * w).sum();
        softplus(-label * (activation + intercept))
    };
    let total: f64 = data.features.chunks_exact(weights.len()).zip(&data.labels).map(loss).sum();
    let penalty: f64 = weights.iter().zip(&data.units).map(|(w, unit)| (w * unit).powi(2)).sum();
    total / data.labels.len() as f64 + PENALTY * penalty
}

/// ln(1 + eᵗ), without overflow.
fn softplus(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}
