//! Clusters of atoms of any size, with the Lennard-Jones potential.

mod shapes;

use super::{Applied, Optimum, Quantity};
use crate::ProblemError;

/// The largest number of atoms.
const LARGEST: usize = 1000;

/// Returns the search for the best cluster of this many atoms, at least two.
pub fn problem(atoms: usize) -> Result<Applied, ProblemError> {
    if !(2..=LARGEST).contains(&atoms) {
        let rule = format!("between 2 and {LARGEST}");
        return Err(ProblemError::OutOfRange { name: "the number of atoms", rule, value: atoms as f64 });
    }
    let half = 0.6 * (atoms as f64).cbrt();
    let deviation = 2.0 * half / 3.0;
    let names = (1..=atoms).flat_map(|k| ["x", "y", "z"].map(|axis| format!("{axis} {k}")));
    Ok(Applied {
        name: format!("lennard-jones-{atoms}"),
        title: "the cluster of atoms with the lowest energy",
        goal: "energy, in units of the depth of the potential",
        quantities: names.map(|name| Quantity::free(name, "σ", (-half, half), deviation)).collect(),
        naive_deviation: deviation,
        f: std::sync::Arc::new(energy),
        optimum: optimum_of(atoms),
        budget: 3_000 * (atoms as u64).pow(3),
    })
}

/// Energies of the best known clusters, by the number of atoms.
const KNOWN: [(usize, f64); 13] = [
    (2, -1.0),
    (3, -3.0),
    (4, -6.0),
    (5, -9.103_852),
    (6, -12.712_062),
    (7, -16.505_384),
    (8, -19.821_489),
    (9, -24.113_360),
    (10, -28.422_532),
    (11, -32.765_970),
    (12, -37.967_600),
    (13, -44.326_801),
    (38, -173.928_427),
];

fn optimum_of(atoms: usize) -> Option<Optimum> {
    let (_, published) = *KNOWN.iter().find(|(known, _)| *known == atoms)?;
    let point = shapes::best(atoms);
    Some(Optimum {
        value: point.as_deref().map_or(published, energy),
        point,
        source: "Cambridge Cluster Database",
        proven: atoms <= 4, // no pair can be below −1, and here each pair is at −1
    })
}

fn energy(x: &[f64]) -> f64 {
    let (atoms, _) = x.as_chunks();
    let pair = |square: f64| {
        let s = square.powi(-3);
        4.0 * s * (s - 1.0) // s² − s would be NaN where atoms coincide
    };
    pairs(atoms).map(pair).sum()
}

/// The squared distances of all pairs.
fn pairs(atoms: &[[f64; 3]]) -> impl Iterator<Item = f64> {
    let indices = (1..atoms.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    indices.map(|(i, j)| (0..3).map(|k| (atoms[i][k] - atoms[j][k]).powi(2)).sum())
}
