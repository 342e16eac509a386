//! Draws the picture of `docs/scale.md`: the speed-up against the number of workers.

use crate::lab::LabError;
use crate::lab::picture::{Axis, Panel, Series, grid};

/// Named lines under a title.
pub(super) struct Lines {
    pub(super) title: String,
    /// Names with points.
    pub(super) series: Vec<(String, Vec<(f64, f64)>)>,
}

/// Draws a panel for each function, with a line for each time of an evaluation.
pub(super) fn draw(panels: Vec<Lines>) -> Result<String, LabError> {
    let panels: Vec<Panel> = panels
        .into_iter()
        .map(|Lines { title, series }| {
            let series = series.into_iter().enumerate().map(|(color, (name, points))| Series {
                name: Some(name),
                color,
                points,
                marked: true,
                ..Series::default()
            });
            let series = series.collect();
            Panel { title, x: Axis::log("workers"), y: Axis::log("speed-up over one worker"), series }
        })
        .collect();
    grid("Simulated time to the target", 2, &panels)
}
