//! Draws the best known solution of each applied problem.

mod clusters;
mod designs;
mod fits;

use std::path::Path;

use ddcma_problems::Problem;
use ddcma_problems::applied::{Applied, coating, cola, lqr};

use crate::lab::LabError;
use crate::lab::picture::{self, Axis, Panel, Series};
use crate::lab::records::write_file;

/// Writes a picture of each problem to a folder.
pub(super) fn run(out: &Path) -> Result<(), LabError> {
    std::fs::create_dir_all(out).map_err(|error| LabError::new(format!("{}: {error}", out.display())))?;
    for (name, panels) in all()? {
        let svg = match &panels[..] {
            [panel] => picture::single(panel)?,
            panels => {
                picture::grid(Applied::from_name(name).map_or("", |problem| problem.title()), panels.len(), panels)?
            }
        };
        let file = out.join(format!("{name}.svg"));
        write_file(&file, &svg)?;
        println!("{}", file.display());
    }
    Ok(())
}

/// Returns the panels of a picture, by the name of the problem.
fn all() -> Result<Vec<(&'static str, Vec<Panel>)>, LabError> {
    Ok(vec![
        ("alpha-pinene", vec![fits::alpha_pinene(&best("alpha-pinene")?)]),
        ("lynx-hare", vec![fits::lynx_hare(&best("lynx-hare")?)]),
        ("gp", vec![fits::gp(&best("gp")?)?]),
        ("logistic-400-20", fits::logistic(&best("logistic-400-20")?)),
        ("lqr", suspension(&best("lqr")?)),
        ("truss10", vec![designs::truss(&best("truss10")?)]),
        ("vessel", vec![designs::vessel(&best("vessel")?)]),
        ("beam", vec![designs::beam(&best("beam")?)]),
        ("cola", colas(&best("cola")?)),
        ("lennard-jones-7", vec![clusters::cluster("7 atoms", &best("lennard-jones-7")?)]),
        ("lennard-jones-13", vec![clusters::cluster("13 atoms", &best("lennard-jones-13")?)]),
        ("coating", spectrum(&best("coating")?)),
    ])
}

/// Returns the best known point.
fn best(name: &str) -> Result<Vec<f64>, LabError> {
    let problem = Applied::from_name(name).map_err(|error| LabError::new(error.to_string()))?;
    problem.minimizer().ok_or_else(|| LabError::new(format!("{name}: no best point is known")))
}

/// Creates a panel.
fn panel(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Panel {
    Panel { title: title.to_string(), x, y, series }
}

/// Creates a line with a name.
fn line(name: &str, color: usize, points: Vec<(f64, f64)>) -> Series {
    Series { name: Some(name.to_string()), color, points, ..Series::default() }
}

/// Creates points that are not joined by a line: a line ends where there is no value.
fn dots(color: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    let points = points.into_iter().flat_map(|point| [point, (f64::NAN, f64::NAN)]).collect();
    Series { color, points, marked: true, ..Series::default() }
}

/// Creates axes with the same scale in both directions; a panel is wider than high.
fn even_axes(center: (f64, f64), width: f64, unit: &str) -> (Axis, Axis) {
    let height = width * 0.82;
    let axis = |middle: f64, length: f64| Axis::linear(unit).range(middle - 0.5 * length, middle + 0.5 * length);
    (axis(center.0, width), axis(center.1, height))
}

/// The body after a bump under the wheel, with and without the active force.
fn suspension(gains: &[f64]) -> Vec<Panel> {
    let model = lqr::model();
    let course = |gains: &[f64]| {
        let (mut state, mut body, mut forces) = (lqr::STARTS[3], Vec::new(), Vec::new());
        for step in 0..2000 {
            let (time, force) = (step as f64 * lqr::STEP, lqr::force(gains, &state));
            body.push((time, 1000.0 * state[0]));
            forces.push((time, force));
            state = lqr::advance(&model, &state, force);
        }
        (body, forces)
    };
    let ((active, force), (passive, _)) = (course(gains), course(&[0.0; 4]));
    let dashed = Series { dashed: true, ..line("passive", 1, passive) };
    vec![
        panel(
            "after a blow on the wheel of 1 m/s",
            Axis::linear("seconds"),
            Axis::linear("body, in mm"),
            vec![line("active", 0, active), dashed],
        ),
        panel(
            "the active force",
            Axis::linear("seconds"),
            Axis::linear("N"),
            vec![Series { name: None, ..line("", 0, force) }],
        ),
    ]
}

/// The places of the colas, and their distances compared with the judged ones.
fn colas(x: &[f64]) -> Vec<Panel> {
    let places = cola::places(x);
    let ((low_x, high_x), (low_y, high_y)) = (ends(places.iter().map(|p| p.0)), ends(places.iter().map(|p| p.1)));
    let (x_axis, y_axis) = even_axes((0.5 * (low_x + high_x), 0.5 * (low_y + high_y)), 1.35 * (high_y - low_y), "");
    let distances = (1..cola::COLAS).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| {
        let drawn = (places[i].0 - places[j].0).hypot(places[i].1 - places[j].1);
        (cola::DISTANCES[i - 1][j], drawn)
    });
    let diagonal = Series { thin: true, color: 6, points: vec![(1.0, 1.0), (4.0, 4.0)], ..Series::default() };
    vec![
        panel("the map", x_axis, y_axis, vec![dots(0, places)]),
        panel(
            "distances",
            Axis::linear("as judged"),
            Axis::linear("in the map"),
            vec![diagonal, dots(1, distances.collect::<Vec<_>>())],
        ),
    ]
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// The reflectance, compared with glass with a single layer, and the layers.
fn spectrum(thicknesses: &[f64]) -> Vec<Panel> {
    let of = |thicknesses: &[f64]| -> Vec<(f64, f64)> {
        let wavelengths = (350..=750).step_by(2).map(f64::from);
        wavelengths.map(|wavelength| (wavelength, 100.0 * coating::reflectance(thicknesses, wavelength))).collect()
    };
    // A quarter of a wavelength of 550 nm in magnesium fluoride.
    let single = Series { dashed: true, ..line("one layer", 1, of(&[550.0 / 4.0 / 1.38])) };
    let mut depth = 0.0;
    let mut indices = vec![(-60.0, 1.0), (0.0, 1.0)];
    for (k, thickness) in thicknesses.iter().enumerate() {
        let index = coating::LAYER_INDICES[k % 2];
        indices.extend([(depth, index), (depth + thickness, index)]);
        depth += thickness;
    }
    indices.extend([(depth, coating::GLASS_INDEX), (depth + 60.0, coating::GLASS_INDEX)]);
    vec![
        panel(
            "reflectance",
            Axis::linear("wavelength in nm"),
            Axis::log("percent").range(1e-3, 10.0),
            vec![line("bare glass", 6, of(&[])), single, line("eight layers", 0, of(thicknesses))],
        ),
        panel(
            "from air to glass",
            Axis::linear("depth in nm"),
            Axis::linear("refractive index"),
            vec![Series { points: indices, ..Series::default() }],
        ),
    ]
}
