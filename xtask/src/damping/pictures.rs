//! The pictures of `docs/damping.md`, from records. Knows which cells they show.

use super::plan::{Cell, Plan};
use super::tables::{functions, of_cell, sizes, trials, variants};
use super::{Options, Part};
use crate::lab::LabError;
use crate::lab::picture::{Axis, Panel, Series, grid};
use crate::lab::records::write_file;

pub(super) fn run(options: &Options) -> Result<String, LabError> {
    let judged = Plan::of(Part::Judge)?.run(options)?;
    let separable = Plan::of(Part::Separable)?.with(&Options { trials: None, ..options.clone() });
    let beside = separable.run(options)?;
    let file = |name: &str, svg: &str| write_file(&options.out.join(name), svg);
    file("ratios.svg", &ratios(&judged)?)?;
    file("separable.svg", &next_to_sep(&beside)?)?;
    Ok(format!("ratios.svg and separable.svg are in {}\n", options.out.display()))
}

/// The new damping over the paper's: separable functions and others.
fn ratios(cells: &[Cell]) -> Result<String, LabError> {
    let label = &variants(cells)[1];
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
        let y = Axis::log("evaluations, new over the paper's").range(0.25, 1.2);
        let y = y.ticks(&[0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1]);
        Panel { title: title.to_string(), x: Axis::log("n").ticks(&ticks), y, series: series.collect() }
    };
    grid("The damping by the shortest axis", 2, &[panel("not rotated", true), panel("rotated, and partly so", false)])
}

/// Evaluations for each variable, of sep and of both dampings.
fn next_to_sep(cells: &[Cell]) -> Result<String, LabError> {
    let panel = |function: &String| {
        let series = variants(cells).into_iter().enumerate().map(|(color, variant)| {
            let of = |size| {
                let trials = trials(cells, function, size, &variant);
                let successes = trials.iter().filter(|trial| trial.0).count();
                trials.iter().map(|trial| trial.1).sum::<u64>() as f64 / successes as f64 / size.0 as f64
            };
            let points = sizes(cells).into_iter().map(|size| (size.0 as f64, of(size))).collect();
            Series { name: Some(variant.clone()), color, points, marked: true, ..Series::default() }
        });
        let ticks: Vec<f64> = sizes(cells).iter().map(|size| size.0 as f64).collect();
        Panel {
            title: function.clone(),
            x: Axis::log("n").ticks(&ticks),
            y: Axis::log("evaluations / n"),
            series: series.collect(),
        }
    };
    let panels: Vec<Panel> = functions(cells).iter().map(panel).collect();
    grid("Separable functions next to separable CMA-ES", 2, &panels)
}
