//! Clusters of atoms, seen from one side.

use super::{dots, even_axes, panel};
use crate::lab::picture::{Panel, Series};

/// Atoms are neighbors up to this distance.
const BOND: f64 = 1.35;

/// Draws the atoms of a cluster, with lines between neighbors, which are thin in the background.
pub(super) fn cluster(title: &str, x: &[f64]) -> Panel {
    let (atoms, _) = x.as_chunks::<3>();
    let seen: Vec<[f64; 3]> = atoms.iter().map(turned).collect();
    let place = |k: usize| (seen[k][0], seen[k][1]);
    let pairs = (1..seen.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let bonds = pairs.filter(|(i, j)| distance(&seen[*i], &seen[*j]) < BOND).map(|(i, j)| Series {
        points: vec![place(i), place(j)],
        thin: seen[i][2] + seen[j][2] < 0.0,
        ..Series::default()
    });
    let mut series: Vec<Series> = bonds.collect();
    series.push(dots(1, (0..seen.len()).map(place)));
    let (x_axis, y_axis) = even_axes((0.0, 0.0), 3.4, "σ");
    panel(title, x_axis, y_axis, series)
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Rotates a point about two axes, so that no atom hides another.
fn turned([x, y, z]: &[f64; 3]) -> [f64; 3] {
    let ((sin, cos), (sin2, cos2)) = (0.45f64.sin_cos(), 1.15f64.sin_cos());
    let (x, y) = (cos * x - sin * y, sin * x + cos * y);
    [x, cos2 * y - sin2 * z, sin2 * y + cos2 * z]
}
