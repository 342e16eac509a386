//! Draws the picture of `docs/damping.md`: ratios against n.

use super::plan::{Cell, Plan};
use super::tables::{functions, of_cell, sizes, variants};
use super::{Options, Part};
use crate::lab::LabError;
use crate::lab::picture::{Axis, Panel, Series, grid};
use crate::lab::records::write_file;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let judged = Plan::of(Part::Judge).with(options)?.run(options)?;
    let file = options.out.join("ratios.svg");
    write_file(&file, &ratios(&judged)?)?;
    Ok(format!("{}\n", file.display()))
}

/// Draws the ratios of the damping by agreement to the paper's: separable functions and others.
fn ratios(cells: &[Cell]) -> Result<String, LabError> {
    let label = &variants(cells)[2];
    let (sizes, functions) = (sizes(cells), functions(cells));
    let separable = ["sphere", "cigar", "discus", "ellipsoid", "twoaxes", "rosenbrock"];
    let panel = |title: &str, are_separable: bool| {
        let of_panel = functions.iter().filter(|function| separable.contains(&function.as_str()) == are_separable);
        let series = of_panel.enumerate().map(|(color, function)| {
            let known = sizes.iter().filter_map(|size| Some((size.0 as f64, of_cell(cells, function, *size, label)?)));
            let known: Vec<_> = known.collect();
            Series {
                name: Some(function.clone()),
                color,
                points: known.iter().map(|(n, ratio)| (*n, ratio.ratio)).collect(),
                bars: known.iter().map(|(n, ratio)| (*n, ratio.low, ratio.high)).collect(),
                marked: true,
                ..Series::default()
            }
        });
        let ticks: Vec<f64> = sizes.iter().map(|size| size.0 as f64).collect();
        let y = Axis::log("evaluations, over the paper's").range(0.15, 1.2);
        let y = y.ticks(&[0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1]);
        Panel { title: title.to_string(), x: Axis::log("n").ticks(&ticks), y, series: series.collect() }
    };
    grid("The damping by agreement", 2, &[panel("not rotated", true), panel("rotated, and partly so", false)])
}
