//! Places for ten colas in the plane, so that their distances match how different people judge their tastes to be.

use super::{Applied, Optimum, Quantity};

/// The number of colas.
pub const COLAS: usize = 10;

/// Judged distances: row i has the distances of cola i + 1 to the ones before it.
pub const DISTANCES: [&[f64]; COLAS - 1] = [
    &[1.27],
    &[1.69, 1.43],
    &[2.04, 2.35, 2.43],
    &[3.09, 3.18, 3.26, 2.85],
    &[3.20, 3.22, 3.27, 2.88, 1.55],
    &[2.86, 2.56, 2.58, 2.59, 3.12, 3.06],
    &[3.17, 3.18, 3.18, 3.12, 1.31, 1.64, 3.00],
    &[3.21, 3.18, 3.18, 3.17, 1.70, 1.36, 2.95, 1.32],
    &[2.38, 2.31, 2.42, 1.94, 2.85, 2.81, 2.56, 2.91, 2.97],
];

/// The best known places.
const POINT: [f64; 17] = [
    0.651_922_938_4,
    1.301_944_390_5,
    0.099_230_884_4,
    -0.883_825_990_9,
    -0.879_597_844_2,
    0.204_624_011_1,
    -3.284_148_842_3,
    0.851_188_588_5,
    -3.462_424_496_2,
    2.532_414_353_5,
    -0.895_254_166_3,
    1.409_919_317_5,
    -3.073_706_919_5,
    1.962_575_691_7,
    -2.978_742_186_2,
    -0.807_814_596_7,
    -1.689_780_502_8,
];

/// Returns the search for the places of the colas: the first is at the origin, the second on the axis.
pub fn problem() -> Applied {
    let places =
        (3..=COLAS).flat_map(|k| ["x", "y"].map(|axis| Quantity::between(format!("{axis} {k}"), "", -4.0, 4.0)));
    Applied {
        name: "cola".into(),
        title: "a map of ten colas whose distances match perceived differences in taste",
        goal: "sum of squared differences of distances",
        quantities: [Quantity::between("x 2", "", 0.0, 4.0)].into_iter().chain(places).collect(),
        naive_deviation: 1.0,
        f: std::sync::Arc::new(stress),
        optimum: Some(Optimum {
            value: 11.746_390_275_7,
            point: Some(POINT.to_vec()),
            source: "Mathar & Žilinskas (1994): 11.7464",
            proven: false,
        }),
        budget: 1_000_000,
    }
}

/// Returns the places of the colas.
pub fn places(x: &[f64]) -> [(f64, f64); COLAS] {
    std::array::from_fn(|k| match k {
        0 => (0.0, 0.0),
        1 => (x[0], 0.0),
        _ => (x[2 * k - 3], x[2 * k - 2]),
    })
}

fn stress(x: &[f64]) -> f64 {
    let places = places(x);
    let difference = |i: usize, j: usize| {
        let distance = (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
        (distance - DISTANCES[i - 1][j]).powi(2)
    };
    (1..COLAS).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| difference(i, j)).sum()
}
