//! Drawings of designs, to scale unless their titles say otherwise.

use std::f64::consts::PI;

use ddcma_problems::applied::truss10::{BARS, NODES};

use super::{dots, even_axes, panel};
use crate::lab::picture::{Panel, Series};

fn outline(color: usize, points: Vec<(f64, f64)>) -> Series {
    Series { color, points, ..Series::default() }
}

fn rectangle(color: usize, (left, bottom): (f64, f64), (right, top): (f64, f64)) -> Series {
    outline(color, vec![(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)])
}

/// Draws each bar as a strip whose width shows its cross section.
pub(super) fn truss(areas: &[f64]) -> Panel {
    let strip = |(k, (from, to)): (usize, &(usize, usize))| {
        let ((x1, y1), (x2, y2)) = (NODES[*from], NODES[*to]);
        let length = (x2 - x1).hypot(y2 - y1);
        let half = 0.6 * areas[k];
        let (dx, dy) = (-(y2 - y1) / length * half, (x2 - x1) / length * half);
        outline(
            0,
            vec![(x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy), (x1 + dx, y1 + dy)],
        )
    };
    let mut series: Vec<Series> = BARS.iter().enumerate().map(strip).collect();
    series.push(dots(6, NODES));
    // The loads, as arrows downward.
    for (x, y) in [NODES[1], NODES[3]] {
        series
            .push(outline(1, vec![(x, y), (x, y - 100.0), (x - 15.0, y - 75.0), (x, y - 100.0), (x + 15.0, y - 75.0)]));
    }
    let (x, y) = even_axes((360.0, 150.0), 860.0, "inches");
    panel("strips as wide as 1.2 times the cross section", x, y, series)
}

/// The vessel from the side: inner and outer wall.
pub(super) fn vessel(design: &[f64]) -> Panel {
    let (shell, head, radius, length) = (design[0], design[1], design[2], design[3]);
    let wall = |cylinder: f64, ends: f64| -> Vec<(f64, f64)> {
        // Thicknesses are drawn ten times as large, to be visible.
        let (cylinder, ends) = (radius + 10.0 * cylinder, radius + 10.0 * ends);
        let arc = |center: f64, from: f64| {
            (0..=40)
                .map(move |k| from + PI * f64::from(k) / 40.0)
                .map(move |a| (center + ends * a.cos(), ends * a.sin()))
        };
        let right = arc(length, -PI / 2.0);
        let left = arc(0.0, PI / 2.0);
        let top = [(length, cylinder), (0.0, cylinder)];
        let bottom = [(0.0, -cylinder), (length, -cylinder)];
        right.chain(top).chain(left).chain(bottom).chain([(length, -ends)]).collect()
    };
    let (x, y) = even_axes((0.5 * length, 0.0), 320.0, "inches");
    panel("walls ten times as thick", x, y, vec![outline(0, wall(0.0, 0.0)), outline(0, wall(shell, head))])
}

/// The beam from the side, with its weld and its load.
pub(super) fn beam(design: &[f64]) -> Panel {
    let (weld, length, height) = (design[0], design[1], design[2]);
    let end = length + 14.0;
    let series = vec![
        rectangle(0, (0.0, 0.0), (end, height)),
        rectangle(4, (0.0, height), (length, height + weld)),
        rectangle(4, (0.0, -weld), (length, 0.0)),
        rectangle(6, (-2.0, -3.0), (length, height + 3.0)),
        outline(
            1,
            vec![
                (end, height + 3.0),
                (end, height),
                (end - 0.4, height + 0.7),
                (end, height),
                (end + 0.4, height + 0.7),
            ],
        ),
    ];
    let (x, y) = even_axes((8.0, 0.5 * height), 24.0, "inches");
    panel("the support, the bar and its weld", x, y, series)
}
