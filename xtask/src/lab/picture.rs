//! Pictures as SVG: empirical run-time distributions. Knows lines with names, and nothing of what they mean.

use plotters::prelude::*;

use super::LabError;

/// Colours that people who see few of them can tell apart (Okabe & Ito).
pub const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// A line of a run-time distribution: the evaluations after which each successful trial reached its target.
#[derive(Clone, Debug)]
pub struct RunTimes {
    /// The name of the line.
    pub name: String,
    /// The evaluations of the successful trials.
    pub successes: Vec<f64>,
    /// The number of trials.
    pub trials: usize,
}

/// A panel with a title and its lines.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// In it.
    pub lines: Vec<RunTimes>,
}

/// Empirical run-time distributions, panel beside panel: the share of trials that reached the target within so many
/// evaluations.
pub fn run_time_distributions(title: &str, panels: &[Panel], budget: f64) -> Result<String, LabError> {
    let mut svg = String::new();
    let drawn = draw(&mut svg, title, panels, budget);
    drawn.map_err(|error| LabError::new(format!("the picture \"{title}\" could not be drawn: {error}")))?;
    Ok(svg)
}

fn draw(svg: &mut String, title: &str, panels: &[Panel], budget: f64) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (60 + 380 * panels.len() as u32, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let root = root.titled(title, ("sans-serif", 22))?;
    let all = || panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.successes);
    let first = all().copied().fold(budget, f64::min).min(0.5 * budget) * 0.8;
    for (area, panel) in root.split_evenly((1, panels.len())).iter().zip(panels) {
        let mut chart = ChartBuilder::on(area)
            .caption(&panel.title, ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(45)
            .build_cartesian_2d((first..budget).log_scale(), 0.0..1.02)?;
        let axes = &mut chart.configure_mesh();
        axes.x_desc("evaluations").y_desc("share of trials at the target").light_line_style(WHITE);
        axes.x_label_formatter(&|x| power_of_ten(*x)).draw()?;
        for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
            let style = colour.stroke_width(2);
            let steps = steps(line, first, budget);
            let drawn = chart.draw_series(LineSeries::new(steps, style))?;
            drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        let labels = &mut chart.configure_series_labels();
        let labels = labels.position(SeriesLabelPosition::UpperLeft).background_style(WHITE.mix(0.8));
        labels.border_style(BLACK.mix(0.3)).label_font(("sans-serif", 14)).draw()?;
    }
    root.present()?;
    Ok(())
}

/// The corners of the stairs.
fn steps(line: &RunTimes, first: f64, last: f64) -> Vec<(f64, f64)> {
    let mut sorted = line.successes.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut corners = vec![(first, 0.0)];
    for (k, evaluations) in sorted.iter().enumerate() {
        let share = |k: usize| k as f64 / line.trials as f64;
        corners.extend([(*evaluations, share(k)), (*evaluations, share(k + 1))]);
    }
    corners.push((last.max(sorted.last().copied().unwrap_or(last)), sorted.len() as f64 / line.trials as f64));
    corners
}

fn power_of_ten(x: f64) -> String {
    let exponent = x.log10();
    if (exponent - exponent.round()).abs() < 1e-9 { format!("1e{exponent:.0}") } else { format!("{x:.0}") }
}
