//! An antireflective coating of eight layers.

use super::{Applied, Optimum, Quantity};

/// The number of layers.
pub const LAYERS: usize = 8;

/// The refractive index of air.
const AIR_INDEX: f64 = 1.0;

/// The refractive indices of the layers, alternating from the air side.
pub const LAYER_INDICES: [f64; 2] = [1.38, 2.35];

/// The refractive index of glass.
pub const GLASS_INDEX: f64 = 1.52;

/// Returns the wavelengths that count, in nm.
pub fn wavelengths() -> impl ExactSizeIterator<Item = f64> {
    (0..31).map(|k| 400.0 + 10.0 * f64::from(k))
}

/// The best known thicknesses.
const POINT: [f64; LAYERS] = [
    93.656_799_467,
    116.783_994_808,
    55.550_775_402,
    19.314_892_605,
    50.904_781_995,
    124.686_046_852,
    33.066_432_710,
    13.029_250_610,
];

/// Returns the search for the thicknesses of the layers.
pub fn problem() -> Applied {
    let layer = |k: usize| Quantity::between(format!("layer {}", k + 1), "nm", 0.0, 200.0);
    Applied {
        name: "coating".into(),
        title: "an antireflective coating of eight layers",
        goal: "mean reflectance of visible light, in percent",
        quantities: (0..LAYERS).map(layer).collect(),
        naive_deviation: 40.0,
        f: std::sync::Arc::new(mean_reflectance),
        optimum: Some(Optimum {
            value: 0.041_886_348_089,
            point: Some(POINT.to_vec()),
            source: "our runs",
            proven: false,
        }),
        budget: 10_000_000,
    }
}

/// Returns the reflectance of layers of these thicknesses at a wavelength, both in nm.
pub fn reflectance(thicknesses: &[f64], wavelength: f64) -> f64 {
    // (B, C) behind the glass; each layer multiplies it by its matrix, the one next to the glass first.
    let (mut b, mut c) = ((1.0, 0.0), (GLASS_INDEX, 0.0));
    for (k, thickness) in thicknesses.iter().enumerate().rev() {
        let index = LAYER_INDICES[k % 2];
        let (sin, cos) = (std::f64::consts::TAU * index * thickness / wavelength).sin_cos();
        // [cos, i sin/η; i η sin, cos]
        (b, c) = (
            (cos * b.0 - sin / index * c.1, cos * b.1 + sin / index * c.0),
            (cos * c.0 - index * sin * b.1, cos * c.1 + index * sin * b.0),
        );
    }
    let square = |re: f64, im: f64| re * re + im * im;
    square(AIR_INDEX * b.0 - c.0, AIR_INDEX * b.1 - c.1) / square(AIR_INDEX * b.0 + c.0, AIR_INDEX * b.1 + c.1)
}

fn mean_reflectance(thicknesses: &[f64]) -> f64 {
    let sum: f64 = wavelengths().map(|wavelength| reflectance(thicknesses, wavelength)).sum();
    100.0 * sum / wavelengths().len() as f64
}
