//! Figure "add": ellipses of C, of D·C·D and of the damped D_β·C·D_β, for three axis ratios.

use super::Figure;
use super::cells::Laboratory;
use super::claims::{Bound, Claim};
use crate::lab::LabError;
use crate::lab::picture::{Axis, Panel, Series};

/// C with this axis ratio, the long axis at π/4 and length 1, as (c_11, c_12): c_22 = c_11.
fn covariance(ratio: f64) -> (f64, f64) {
    let (long, short) = (1.0, 1.0 / (ratio * ratio)); // squared lengths
    ((long + short) / 2.0, (long - short) / 2.0)
}

/// Points of the ellipse of diag(d)·C·diag(d).
fn ellipse(ratio: f64, d: [f64; 2]) -> Vec<(f64, f64)> {
    let (long, short) = (1.0, 1.0 / ratio);
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let point = |k: usize| {
        let t = std::f64::consts::TAU * k as f64 / 240.0;
        let (a, b) = (long * t.cos(), short * t.sin());
        (d[0] * h * (a - b), d[1] * h * (a + b))
    };
    (0..=240).map(point).collect()
}

/// The KL divergence of N(0, C) from N(0, D·C·D), with det D = 1: half of Tr(D·C·D·C⁻¹) − 2.
fn divergence(ratio: f64, d: [f64; 2]) -> f64 {
    let (diagonal, off) = covariance(ratio);
    let determinant = diagonal * diagonal - off * off;
    let trace = (diagonal * diagonal * (d[0] * d[0] + d[1] * d[1]) - 2.0 * off * off * d[0] * d[1]) / determinant;
    (trace - 2.0) / 2.0
}

pub(super) fn figure(_: &mut Laboratory) -> Result<Figure, LabError> {
    let d = [1.2, 1.0 / 1.2];
    let mut panels = Vec::new();
    let (mut plain, mut damped) = (Vec::new(), Vec::new());
    for ratio in [1.0f64, 10.0, 100.0] {
        // √cond of the correlation matrix is the axis ratio here.
        let beta = (ratio - 2.0 + 1.0).max(1.0); // eq. (ddamp)
        let d_beta = d.map(|d: f64| d.powf(1.0 / beta));
        plain.push(divergence(ratio, d));
        damped.push(divergence(ratio, d_beta));
        let line = |name: &str, color: usize, d: [f64; 2]| Series {
            name: Some(name.to_string()),
            color,
            points: ellipse(ratio, d),
            ..Series::default()
        };
        panels.push(Panel {
            title: format!("axis ratio {ratio}"),
            x: Axis::linear("").range(-1.3, 1.3),
            y: Axis::linear("").range(-1.3, 1.3),
            series: vec![line("C", 2, [1.0; 2]), line("D C D", 0, d), line("damped", 1, d_beta)],
        });
    }
    let growths = [("from axis ratio 1 to 10", plain[1] / plain[0]), ("from 10 to 100", plain[2] / plain[1])];
    let claims = vec![
        Claim::new(
            "The change from N(0, C) to N(0, DCD) is minimal when C is diagonal, and greater as its condition number grows",
            "growth of the KL divergence",
            Bound::Above(1.0),
            growths,
        ),
        Claim::new(
            "Damping by eq. (ddamp) prevents drastic changes of the distribution",
            "KL divergence with damping over that for diagonal C, eq. (divineq)",
            Bound::Below(1.0),
            [("for axis ratio 10", damped[1] / plain[0]), ("for 100", damped[2] / plain[0])],
        ),
    ];
    let title = "the effect of an update of D on the distribution, with and without damping".to_string();
    Ok(Figure { label: "add", title, panels, columns: 3, claims })
}
