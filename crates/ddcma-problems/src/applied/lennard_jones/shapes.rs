//! The shapes of small clusters: simplices, bipyramids and the icosahedron.

use std::f64::consts::TAU;

use super::pairs;

/// Returns the best known cluster of this many atoms, if its shape has a name.
pub(super) fn best(atoms: usize) -> Option<Vec<f64>> {
    let shape = match atoms {
        2 => vec![[0.0; 3], [1.0, 0.0, 0.0]],
        3 => (0..3).map(|k| on_ring(k, 3)).collect(),
        4 => vec![[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
        5..=7 => bipyramid(atoms - 2),
        13 => icosahedron(),
        _ => return None,
    };
    let (scale, _) = best_scale(&shape);
    Some(shape.iter().flatten().map(|x| scale * x).collect())
}

/// Returns the factor by which a shape has the least energy, and that energy: 4 (S₁₂ t⁻¹² − S₆ t⁻⁶) is least where t⁶ = 2
/// S₁₂/S₆.
fn best_scale(shape: &[[f64; 3]]) -> (f64, f64) {
    let sixth = |square: f64| square.powi(-3);
    let s6: f64 = pairs(shape).map(sixth).sum();
    let s12: f64 = pairs(shape).map(|square| sixth(square).powi(2)).sum();
    ((2.0 * s12 / s6).powf(1.0 / 6.0), -s6 * s6 / s12)
}

/// Atom k of a ring of radius 1.
fn on_ring(k: usize, atoms: usize) -> [f64; 3] {
    let (sin, cos) = (TAU * k as f64 / atoms as f64).sin_cos();
    [cos, sin, 0.0]
}

/// A ring with one atom above and one below it, at the best height.
fn bipyramid(ring: usize) -> Vec<[f64; 3]> {
    let of_height = |height: f64| -> Vec<[f64; 3]> {
        (0..ring).map(|k| on_ring(k, ring)).chain([[0.0, 0.0, height], [0.0, 0.0, -height]]).collect()
    };
    let (mut low, mut high) = (0.3, 2.0);
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        let [left, right] = [low + third, high - third].map(|height| best_scale(&of_height(height)).1);
        (low, high) = if left < right { (low, high - third) } else { (low + third, high) };
    }
    of_height(0.5 * (low + high))
}

/// An atom and the twelve corners of an icosahedron around it.
fn icosahedron() -> Vec<[f64; 3]> {
    let golden = 0.5 + 1.25f64.sqrt();
    let corners = [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)];
    let corners = corners.into_iter().flat_map(|(a, b)| [[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
    [[0.0; 3]].into_iter().chain(corners).collect()
}
