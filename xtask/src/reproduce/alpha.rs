//! Figure "alpha": the correction factor of Method 2, eq. (alpha2), for the default weights and learning rates.

use ddcma_core::{Params, Settings};

use super::Figure;
use super::cells::Laboratory;
use super::claims::{Bound, Claim};
use crate::lab::LabError;
use crate::lab::picture::{Axis, Panel, Series};

const DIMS: [usize; 7] = [5, 10, 20, 40, 80, 160, 320];

/// λ from the default to 64 n², spaced evenly on a logarithmic scale.
pub(super) fn population_sizes(n: usize, count: usize) -> Vec<usize> {
    let default = 4.0 + (3.0 * (n as f64).ln()).floor();
    let largest = 64.0 * (n * n) as f64;
    let step = (largest / default).ln() / (count - 1) as f64;
    (0..count).map(|k| (default * (step * k as f64).exp()).round() as usize).collect()
}

fn params(n: usize, lambda: usize) -> Result<Params, LabError> {
    Settings::new().lambda(lambda).params(n).map_err(|error| LabError::new(error.to_string()))
}

pub(super) fn figure(_: &mut Laboratory) -> Result<Figure, LabError> {
    let mut series = Vec::new();
    let (mut largest, mut largest_ratio) = (f64::NAN, f64::NAN);
    for (color, n) in DIMS.into_iter().enumerate() {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for lambda in population_sizes(n, 24) {
            let alpha = params(n, lambda)?.method2_alpha().unwrap_or(f64::NAN);
            if let Some((_, last)) = points.last() {
                largest_ratio = largest_ratio.max(alpha / last);
            }
            points.push((lambda as f64, alpha));
        }
        if n >= 320 {
            let large = points.iter().filter(|(lambda, _)| *lambda >= (n as f64).powf(1.5));
            largest = large.map(|(_, alpha)| *alpha).fold(largest, f64::max);
        }
        series.push(Series { name: Some(format!("n = {n}")), color, points, ..Series::default() });
    }
    let x = Axis::log("population size λ");
    let y = Axis::log("correction factor α");
    let claims = vec![
        Claim::new(
            "The sum of the negative weights needs to decrease as the population size increases",
            "largest ratio of α to the α of the next smaller λ, over all n (α is at most 1)",
            Bound::Below(1.0 + 1e-9),
            [("", largest_ratio)],
        ),
        Claim::new(
            "For n ≥ 320 the factor is less than 0.1 for λ ≥ n^1.5",
            "largest α",
            Bound::Below(0.1),
            [("at n = 320", largest)],
        ),
    ];
    let panel = Panel { title: "default weights and rates".to_string(), x, y, series };
    let title = "the correction factor of Method 2".to_string();
    Ok(Figure { label: "alpha", title, panels: vec![panel], columns: 1, claims })
}
