//! Pictures as SVG: panels with lines, points and quartiles on linear or logarithmic axes.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

use super::LabError;

/// Colors that color-blind people can distinguish (Okabe & Ito).
pub const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// An axis with a name.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The name, shown next to the axis.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// The ends; `None`: computed from the data.
    pub range: Option<(f64, f64)>,
    /// The places of the numbers; `None`: chosen automatically.
    pub ticks: Option<Vec<f64>>,
}

impl Axis {
    /// Creates a linear axis.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_string(), log: false, range: None, ticks: None }
    }

    /// Creates a logarithmic axis.
    pub fn log(label: &str) -> Self {
        Self { log: true, ..Self::linear(label) }
    }

    /// Sets the ends.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Sets the places of the numbers.
    #[must_use]
    pub fn ticks(mut self, ticks: &[f64]) -> Self {
        self.ticks = Some(ticks.to_vec());
        self
    }

    /// Returns the place of a value: on logarithmic axes its logarithm; `None` if it has none.
    fn place(&self, value: f64) -> Option<f64> {
        let place = if self.log { value.log10() } else { value };
        place.is_finite().then_some(place)
    }

    /// Returns the ends of the axis, around all values.
    fn ends(&self, values: impl Iterator<Item = f64>) -> (f64, f64) {
        let given = self.range.and_then(|(low, high)| self.place(low).zip(self.place(high)));
        let (low, high) = given.unwrap_or_else(|| {
            let places = values.filter_map(|value| self.place(value));
            let (low, high) =
                places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            if low > high {
                return (0.0, 1.0);
            }
            let margin = (0.05 * (high - low)).max(if self.log { 0.05 } else { 1e-9 * (1.0 + high.abs()) });
            (low - margin, high + margin)
        });
        if high - low > 1e-12 { (low, high) } else { (low - 0.5, high + 0.5) }
    }

    /// Returns the places of the numbers: at most ten, at round numbers.
    fn places_of_ticks(&self, (low, high): (f64, f64)) -> Vec<f64> {
        if let Some(ticks) = &self.ticks {
            let places = ticks.iter().filter_map(|tick| self.place(*tick));
            return places.filter(|place| (low..=high).contains(place)).collect();
        }
        if self.log && high - low < 0.8 {
            // For less than a decade, round numbers as on a linear axis.
            return round_numbers(10f64.powf(low), 10f64.powf(high), 0.0).iter().map(|value| value.log10()).collect();
        }
        if self.log && high - low < 2.0 {
            let decades = low.floor() as i32..=high.ceil() as i32;
            let places = decades.flat_map(|decade| [1.0f64, 2.0, 5.0].map(|m| f64::from(decade) + m.log10()));
            return places.filter(|place| (low..=high).contains(place)).collect();
        }
        round_numbers(low, high, if self.log { 1.0 } else { 0.0 })
    }

    fn number(&self, place: f64) -> String {
        if !self.log {
            return format!("{}", (place * 1e9).round() / 1e9);
        }
        let value = 10f64.powf(place);
        if (0.01..99_999.0).contains(&value) {
            return format!("{}", (value * 1e4).round() / 1e4);
        }
        let exponent = (place + 1e-9).floor();
        format!("{}e{exponent:.0}", (10f64.powf(place - exponent) * 100.0).round() / 100.0)
    }
}

/// Returns about five multiples of 1, 2 or 5 times a power of ten between two numbers.
fn round_numbers(low: f64, high: f64, least_step: f64) -> Vec<f64> {
    let raw = (high - low) / 6.0;
    let magnitude = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * magnitude).into_iter().find(|step| *step >= raw);
    let step = step.unwrap_or(raw).max(least_step);
    let (first, slack) = ((low / step - 1e-9).ceil() as i64, 1e-9 * step);
    (0..20).map(|k| (first + k) as f64 * step).take_while(|x| *x <= high + slack).collect()
}

/// Places on an axis with their numbers.
struct Scale {
    ends: (f64, f64),
    ticks: Vec<f64>,
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value - self.ends.0) / (self.ends.1 - self.ends.0);
        // Clips what is far outside, so that pixels do not overflow.
        first + (share.clamp(-10.0, 10.0) * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.ends.0..self.ends.1
    }
}

/// A line with a name.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The name in the legend, if any.
    pub name: Option<String>,
    /// The index of the color in [`COLORS`].
    pub color: usize,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// Vertical bars: x, lower end and upper end.
    pub bars: Vec<(f64, f64, f64)>,
    /// Whether the points are marked.
    pub marked: bool,
    /// Whether the line is thin.
    pub thin: bool,
    /// Whether the line is dashed.
    pub dashed: bool,
}

/// The lengths of dashes and gaps, in pixels.
const DASH: u32 = 5;
const GAP: u32 = 3;

impl Series {
    fn style(&self) -> ShapeStyle {
        COLORS[self.color % COLORS.len()].stroke_width(if self.thin { 1 } else { 2 })
    }
}

/// A panel of a picture.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The title above it.
    pub title: String,
    /// The axis below it.
    pub x: Axis,
    /// The axis to its left.
    pub y: Axis,
    /// The lines; their names are to the right of the panel.
    pub series: Vec<Series>,
}

impl Panel {
    fn named(&self) -> impl Iterator<Item = (&str, &Series)> {
        self.series.iter().filter_map(|one| Some((one.name.as_deref()?, one)))
    }

    /// Returns the width of the names, in pixels.
    fn legend_width(&self) -> u32 {
        self.named().map(|(name, _)| 34 + 7 * name.chars().count() as u32).max().unwrap_or(0)
    }
}

/// Draws panels in a grid with this number of columns, under a title, and returns the SVG.
pub fn grid(title: &str, columns: usize, panels: &[Panel]) -> Result<String, LabError> {
    picture(Some(title), columns.clamp(1, panels.len().max(1)), panels)
}

/// Draws one panel, and returns the SVG.
pub fn single(panel: &Panel) -> Result<String, LabError> {
    picture(None, 1, std::slice::from_ref(panel))
}

fn picture(title: Option<&str>, columns: usize, panels: &[Panel]) -> Result<String, LabError> {
    let mut svg = String::new();
    let drawn = draw(&mut svg, title, columns, panels);
    let name = title.unwrap_or_else(|| panels.first().map_or("", |panel| &panel.title));
    drawn.map_err(|error| LabError::new(format!("the picture \"{name}\" could not be drawn: {error}")))?;
    Ok(scalable(&svg))
}

/// Lets a picture shrink to the width of its page.
fn scalable(svg: &str) -> String {
    let end = svg.find('>').unwrap_or(0);
    let (head, rest) = svg.split_at(end);
    format!("{head} style=\"max-width:100%;height:auto;font-family:sans-serif\"{rest}")
}

fn draw(
    svg: &mut String,
    title: Option<&str>,
    columns: usize,
    panels: &[Panel],
) -> Result<(), Box<dyn std::error::Error>> {
    let rows = panels.len().div_ceil(columns);
    let head = if title.is_some() { 40 } else { 0 };
    let legend_width = panels.iter().map(Panel::legend_width).max().unwrap_or(0);
    let size = ((370 + legend_width) * columns as u32, head + 320 * rows as u32);
    let mut root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    if let Some(title) = title {
        root = root.titled(title, ("sans-serif", 20))?;
    }
    for (area, panel) in root.split_evenly((rows, columns)).iter().zip(panels) {
        let (chart, legend) = area.split_horizontally(area.dim_in_pixel().0 as i32 - legend_width as i32);
        draw_panel(&chart, panel)?;
        for (k, (name, one)) in panel.named().enumerate() {
            let y = 42 + 18 * k as i32;
            let line = [(2, y), (24, y)];
            if one.dashed {
                legend.draw(&plotters::element::DashedPathElement::new(line, DASH, GAP, one.style()))?;
            } else {
                legend.draw(&PathElement::new(line, one.style()))?;
            }
            legend.draw(&Text::new(name.to_string(), (28, y - 6), ("sans-serif", 12)))?;
        }
    }
    root.present()?;
    Ok(())
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    panel: &Panel,
) -> Result<(), Box<dyn std::error::Error>> {
    let Panel { title, x, y, series } = panel;
    let xs = series.iter().flat_map(|s| s.points.iter().map(|p| p.0).chain(s.bars.iter().map(|b| b.0)));
    let ys = series.iter().flat_map(|s| s.points.iter().map(|p| p.1).chain(s.bars.iter().flat_map(|b| [b.1, b.2])));
    let (x_ends, y_ends) = (x.ends(xs), y.ends(ys));
    let (x_ticks, y_ticks) = (x.places_of_ticks(x_ends), y.places_of_ticks(y_ends));
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .margin_right(14)
        .x_label_area_size(38)
        .y_label_area_size(52)
        .build_cartesian_2d(Scale { ends: x_ends, ticks: x_ticks }, Scale { ends: y_ends, ticks: y_ticks })?;
    let (x_number, y_number) = (|place: &f64| x.number(*place), |place: &f64| y.number(*place));
    let mesh = &mut chart.configure_mesh();
    mesh.x_desc(&x.label).y_desc(&y.label).light_line_style(WHITE).bold_line_style(BLACK.mix(0.12));
    mesh.x_label_formatter(&x_number).y_label_formatter(&y_number);
    mesh.axis_desc_style(("sans-serif", 13)).label_style(("sans-serif", 12)).draw()?;
    for one in series {
        let (color, style) = (COLORS[one.color % COLORS.len()], one.style());
        let placed: Vec<Option<(f64, f64)>> =
            one.points.iter().map(|(px, py)| x.place(*px).zip(y.place(*py))).collect();
        // A line ends where there is no value, so that it does not cross unknown ranges.
        for part in placed.split(Option::is_none) {
            let points = part.iter().flatten().copied();
            if one.dashed {
                chart.draw_series(DashedLineSeries::new(points, DASH, GAP, style))?;
            } else {
                chart.draw_series(LineSeries::new(points, style))?;
            }
        }
        if one.marked {
            chart.draw_series(placed.iter().flatten().map(|point| Circle::new(*point, 3, color.filled())))?;
        }
        for (bx, low, high) in &one.bars {
            // If a quarter of the trials failed, the bar extends beyond the panel.
            let high = if *high == f64::INFINITY { Some(y_ends.1) } else { y.place(*high) };
            if let (Some(bx), Some(low), Some(high)) = (x.place(*bx), y.place(*low), high) {
                chart.draw_series([PathElement::new([(bx, low), (bx, high)], color.stroke_width(1))])?;
            }
        }
    }
    Ok(())
}

/// Returns an empirical run-time distribution: the share of trials that had reached their target, by evaluations.
pub fn run_time_distribution(successes: &[f64], trials: usize, budget: f64) -> Vec<(f64, f64)> {
    let mut sorted = successes.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |k: usize| k as f64 / trials as f64;
    let mut points = Vec::new();
    for (k, evaluations) in sorted.iter().enumerate() {
        points.extend([(*evaluations, share(k)), (*evaluations, share(k + 1))]);
    }
    points.push((budget.max(sorted.last().copied().unwrap_or(budget)), share(sorted.len())));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let axis = Axis::log("evaluations");
        assert_eq!(axis.places_of_ticks((1.9, 6.1)), [2.0, 3.0, 4.0, 5.0, 6.0]);
        let numbers = |low: f64, high: f64| -> Vec<String> {
            axis.places_of_ticks((low.log10(), high.log10())).iter().map(|place| axis.number(*place)).collect()
        };
        assert_eq!(numbers(80.0, 1300.0), ["100", "200", "500", "1000"]);
        assert_eq!(numbers(2_400.0, 2_900.0), ["2400", "2500", "2600", "2700", "2800", "2900"]);
        assert_eq!(numbers(90_000.0, 900_000.0), ["1e5", "2e5", "5e5"]);
        assert_eq!(numbers(1e-9, 1e9), ["1e-5", "1", "1e5"]);
        let share = Axis::linear("share");
        let shares: Vec<String> = share.places_of_ticks((0.0, 1.02)).iter().map(|place| share.number(*place)).collect();
        assert_eq!(shares, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        for (low, high) in [(-300.0, 300.0), (0.0, 1e-9), (5.0, 5.5)] {
            assert!(Axis::log("").places_of_ticks((low, high)).len() <= 10);
            assert!(Axis::linear("").places_of_ticks((low, high)).len() <= 10);
        }
    }

    #[test]
    fn distributions_are_stairs() {
        let points = run_time_distribution(&[300.0, 100.0], 4, 1000.0);
        assert_eq!(points, [(100.0, 0.0), (100.0, 0.25), (300.0, 0.25), (300.0, 0.5), (1000.0, 0.5)]);
    }

    #[test]
    fn bars_without_an_end_leave_the_panel_and_dashes_are_dashes() {
        let bars = vec![(10.0, 2.0, f64::INFINITY)];
        let points = vec![(1.0, 1.0), (10.0, 5.0), (100.0, 7.0)];
        let series = Series { points, bars, ..Series::default() };
        let panel = |series| Panel { title: String::new(), x: Axis::log("x"), y: Axis::log("y"), series: vec![series] };
        let lines = |svg: String| svg.matches("<polyline").count();
        let without = lines(single(&panel(Series { bars: vec![], ..series.clone() })).unwrap());
        assert_eq!(lines(single(&panel(series.clone())).unwrap()), without + 1);
        assert!(lines(single(&panel(Series { dashed: true, ..series })).unwrap()) > without + 10);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        let points = vec![(0.0, 1.0), (1.0, f64::NAN), (10.0, f64::INFINITY), (100.0, 5.0)];
        let series = Series { name: Some("a & b".to_string()), points, marked: true, ..Series::default() };
        let panel = Panel { title: "<t>".to_string(), x: Axis::log("x"), y: Axis::log("y"), series: vec![series] };
        let svg = grid("empty and not", 2, &[panel.clone(), Panel { series: vec![], ..panel }]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(svg.contains("&lt;t&gt;") && svg.contains("a &amp; b"));
    }
}
