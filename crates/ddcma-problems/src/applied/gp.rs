//! The hyperparameters of a Gaussian process for the yield of a reactor.

use super::splitmix::SplitMix64;
use super::{Applied, Optimum, Quantity};

/// The number of measurements.
pub const POINTS: usize = 40;

/// Measurements of a reactor.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// Temperature in kelvin, pressure in pascal, concentration in mol/m³.
    pub inputs: [[f64; 3]; POINTS],
    /// The yields, without their mean.
    pub yields: [f64; POINTS],
    /// The mean of the yields.
    pub mean: f64,
}

/// Returns the yield without noise.
pub fn true_yield([temperature, pressure, concentration]: [f64; 3]) -> f64 {
    let warm = (-((temperature - 340.0) / 25.0).powi(2)).exp();
    100.0 * warm * (pressure / 1e5).sqrt() * concentration / (concentration + 0.002)
}

/// Returns the measurements that the process is fitted to, generated from fixed random numbers.
pub fn measurements() -> Measurements {
    let mut rng = SplitMix64::new(1);
    let (mut inputs, mut yields) = ([[0.0; 3]; POINTS], [0.0; POINTS]);
    for (input, output) in inputs.iter_mut().zip(&mut yields) {
        *input = [280.0 + 100.0 * rng.uniform(), 5e4 + 1.5e5 * rng.uniform(), 0.01 * rng.uniform()];
        *output = true_yield(*input) + 0.5 * rng.normal();
    }
    let mean = yields.iter().sum::<f64>() / POINTS as f64;
    yields.iter_mut().for_each(|y| *y -= mean);
    Measurements { inputs, yields, mean }
}

/// Returns the fit of three length scales and two deviations.
pub fn problem() -> Applied {
    let data = measurements();
    Applied {
        name: "gp".into(),
        title: "hyperparameters of a Gaussian process for the yield of a reactor",
        goal: "negative logarithm of the marginal likelihood",
        quantities: vec![
            Quantity::between("length of temperature", "K", 1.0, 500.0).log(),
            Quantity::between("length of pressure", "Pa", 1e3, 1e6).log(),
            Quantity::between("length of concentration", "mol/m³", 1e-4, 0.1).log(),
            Quantity::between("signal", "%", 1.0, 1000.0).log(),
            Quantity::between("noise", "%", 0.01, 50.0).log(),
        ],
        naive_deviation: 1.0,
        f: std::sync::Arc::new(move |x| negative_log_likelihood(&data, x)),
        optimum: Some(Optimum {
            value: 124.469_130_427_137,
            point: Some(vec![24.274_547_4, 273_417.547_3, 0.005_841_318_856, 39.762_057_49, 0.387_543_060_3]),
            source: "our runs",
            proven: false,
        }),
        budget: 20_000,
    }
}

/// Lower triangles by rows.
type Matrix = [[f64; POINTS]; POINTS];

/// Evaluates the squared-exponential kernel.
pub fn kernel(a: &[f64; 3], b: &[f64; 3], x: &[f64]) -> f64 {
    let distance: f64 = (0..3).map(|k| ((a[k] - b[k]) / x[k]).powi(2)).sum();
    x[3] * x[3] * (-0.5 * distance).exp()
}

/// The Cholesky factor of the covariance of the measurements; `None` if it is not positive definite.
fn factor(data: &Measurements, x: &[f64]) -> Option<Matrix> {
    let mut l = [[0.0; POINTS]; POINTS];
    for i in 0..POINTS {
        for j in 0..=i {
            let noise = if i == j { x[4] * x[4] } else { 0.0 };
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let rest = kernel(&data.inputs[i], &data.inputs[j], x) + noise - sum;
            l[i][j] = match i == j {
                true if rest > 0.0 => rest.sqrt(),
                true => return None,
                false => rest / l[j][j],
            };
        }
    }
    Some(l)
}

/// L⁻¹ b.
fn forward(l: &Matrix, b: &[f64; POINTS]) -> [f64; POINTS] {
    let mut x = *b;
    for i in 0..POINTS {
        let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    x
}

fn negative_log_likelihood(data: &Measurements, x: &[f64]) -> f64 {
    let Some(l) = factor(data, x) else { return f64::INFINITY };
    let white = forward(&l, &data.yields);
    let square: f64 = white.iter().map(|w| w * w).sum();
    let log_determinant: f64 = (0..POINTS).map(|i| l[i][i].ln()).sum();
    0.5 * square + log_determinant + 0.5 * POINTS as f64 * std::f64::consts::TAU.ln()
}

/// Returns the mean and the deviation of the yield at an input, without noise; `None` if the covariance is not positive
/// definite.
pub fn predict(data: &Measurements, x: &[f64], input: [f64; 3]) -> Option<(f64, f64)> {
    let l = factor(data, x)?;
    let to_input = std::array::from_fn(|i| kernel(&data.inputs[i], &input, x));
    let (white, yields) = (forward(&l, &to_input), forward(&l, &data.yields));
    let mean: f64 = white.iter().zip(&yields).map(|(a, b)| a * b).sum();
    let variance = kernel(&input, &input, x) - white.iter().map(|w| w * w).sum::<f64>();
    Some((data.mean + mean, variance.max(0.0).sqrt()))
}
