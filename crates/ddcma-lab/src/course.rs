//! Draws the course of one run in four panels: function value and step size, D, the axes of C, the damping of D.
//!
//! The data come from a [`History`](ddcma_core::History) or from a file written by a [`CsvWriter`](ddcma_core::CsvWriter).

use std::collections::HashMap;

use ddcma_core::Record;

use super::LabError;
use super::picture::{Axis, Panel, Series, grid};

/// The maximum number of lines of a panel, which keeps it readable.
const MOST_LINES: usize = 40;

/// The maximum number of points of a line.
pub const MOST_POINTS: usize = 400;

/// The state of a run after a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The number of function values told.
    pub evaluations: u64,
    /// The best value so far.
    pub best_value: f64,
    /// The step size.
    pub sigma: f64,
    /// The damping β.
    pub beta: f64,
    /// The diagonal of D.
    pub d: Vec<f64>,
    /// The square roots of the eigenvalues of C.
    pub axis_lengths: Vec<f64>,
}

impl From<&Record> for Moment {
    fn from(record: &Record) -> Self {
        Self {
            evaluations: record.evaluations,
            best_value: record.best_value,
            sigma: record.sigma,
            beta: record.beta,
            d: record.d.clone(),
            axis_lengths: record.axis_lengths.clone(),
        }
    }
}

/// Draws the four panels under a title, as SVG.
pub fn picture(title: &str, moments: &[Moment]) -> Result<String, LabError> {
    grid(title, 2, &panels(moments))
}

/// Returns the moments of a run from [`History::records`](ddcma_core::History::records).
pub fn of_records(records: &[Record]) -> Vec<Moment> {
    one_after_the_other(records.iter().map(Moment::from).collect())
}

/// Parses a file written by a `CsvWriter`. Some generations of long runs are omitted.
pub fn of_csv(text: &str) -> Result<Vec<Moment>, LabError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) =
        lines.next().ok_or_else(|| LabError::new("the file must have a header and generations, but is empty"))?;
    let columns = Columns::new(head)?;
    let moments =
        lines.map(|(k, line)| columns.moment(line).map_err(|what| LabError::new(format!("line {}: {what}", k + 1))));
    let moments = one_after_the_other(moments.collect::<Result<Vec<_>, _>>()?);
    if moments.is_empty() {
        return Err(LabError::new("the file must have at least one generation, got none"));
    }
    Ok(thinned(moments))
}

/// The columns of a line.
struct Columns {
    count: usize,
    evaluations: usize,
    best_value: usize,
    sigma: usize,
    beta: usize,
    d: Vec<usize>,
    axes: Vec<usize>,
}

impl Columns {
    fn new(head: &str) -> Result<Self, LabError> {
        let names: HashMap<&str, usize> = head.split(',').map(str::trim).zip(0..).collect();
        let of = |name: &str| {
            let missing = || LabError::new(format!("there is no column \"{name}\": use a file that a CsvWriter wrote"));
            names.get(name).copied().ok_or_else(missing)
        };
        let has_d = |k: usize| names.contains_key(format!("d_{k}").as_str());
        let first = if !has_d(0) && has_d(1) { 1 } else { 0 }; // version 0.1.0 counted coordinates from 1
        let n = (first..).take_while(|k| has_d(*k)).count();
        let numbered =
            |name: &str| (first..first + n.max(1)).map(|k| of(&format!("{name}_{k}"))).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            count: head.split(',').count(),
            evaluations: of("evaluations")?,
            best_value: of("best_f")?,
            sigma: of("sigma")?,
            beta: of("beta")?,
            d: numbered("d")?,
            axes: match names.get("axis_shortest") {
                Some(shortest) => vec![*shortest, of("axis_longest")?],
                None => numbered("axis")?,
            },
        })
    }

    fn moment(&self, line: &str) -> Result<Moment, String> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != self.count {
            return Err(format!("there must be {} numbers, got {}", self.count, cells.len()));
        }
        let number = |column: usize| {
            cells[column].parse::<f64>().map_err(|_| format!("a cell must be a number, got \"{}\"", cells[column]))
        };
        let numbers = |columns: &[usize]| columns.iter().map(|column| number(*column)).collect::<Result<Vec<_>, _>>();
        let evaluations = cells[self.evaluations];
        Ok(Moment {
            evaluations: evaluations
                .parse()
                .map_err(|_| format!("evaluations must be a whole number, got \"{evaluations}\""))?,
            best_value: number(self.best_value)?,
            sigma: number(self.sigma)?,
            beta: number(self.beta)?,
            d: numbers(&self.d)?,
            axis_lengths: numbers(&self.axes)?,
        })
    }
}

/// Puts runs one after the other: a new run begins where the evaluations start again.
fn one_after_the_other(mut moments: Vec<Moment>) -> Vec<Moment> {
    let (mut before, mut last) = (0, 0);
    for moment in &mut moments {
        if moment.evaluations <= last {
            before += last;
        }
        last = moment.evaluations;
        moment.evaluations += before;
    }
    moments
}

/// Keeps at most [`MOST_POINTS`] of them, evenly spaced, including the last.
fn thinned(moments: Vec<Moment>) -> Vec<Moment> {
    let stride = moments.len().div_ceil(MOST_POINTS).max(1);
    let last = moments.len().saturating_sub(1);
    moments
        .into_iter()
        .enumerate()
        .filter(|(k, _)| (last - k).is_multiple_of(stride))
        .map(|(_, moment)| moment)
        .collect()
}

/// Returns the panels: function value and step size; D; the square roots of the eigenvalues of C; 1/β.
pub fn panels(moments: &[Moment]) -> Vec<Panel> {
    let line = |name: Option<&str>, color: usize, value: &dyn Fn(&Moment) -> f64| Series {
        name: name.map(str::to_string),
        color,
        points: moments.iter().map(|moment| (moment.evaluations as f64, value(moment))).collect(),
        thin: name.is_none(),
        ..Series::default()
    };
    let of_axes = |numbers: &dyn Fn(&Moment) -> &[f64]| -> Vec<Series> {
        let n = moments.first().map_or(0, |moment| numbers(moment).len());
        let number = |moment: &Moment, k: usize| numbers(moment).get(k).copied().unwrap_or(f64::NAN);
        some_of(n).into_iter().enumerate().map(|(i, k)| line(None, i, &|moment| number(moment, k))).collect()
    };
    let panel = |title: &str, y: &str, series: Vec<Series>| Panel {
        title: title.to_string(),
        x: Axis::linear("evaluations"),
        y: Axis::log(y),
        series,
    };
    let (name, offset) = level(moments);
    let value = line(Some("best f"), 0, &|moment| moment.best_value - offset);
    let sigma = line(Some("σ"), 1, &|moment| moment.sigma);
    vec![
        panel("function value and step size", &format!("{name}, σ"), vec![value, sigma]),
        panel("coordinate scaling", "diagonal of D", of_axes(&|moment| &moment.d)),
        panel("axes of C", "√ eigenvalues of C", of_axes(&|moment| &moment.axis_lengths)),
        panel("inverse damping", "1/β", vec![line(Some("1/β"), 2, &|moment| 1.0 / moment.beta)]),
    ]
}

/// Returns the name of the axis of values and what is subtracted from them: nothing if they fall to zero, and otherwise the lowest one,
/// because the axis is logarithmic.
fn level(moments: &[Moment]) -> (String, f64) {
    let values = || moments.iter().map(|moment| moment.best_value).filter(|value| value.is_finite());
    let (lowest, highest) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let falls_to_zero = (0.0..=1e-3 * highest).contains(&lowest);
    if falls_to_zero || !lowest.is_finite() {
        return ("best f".to_string(), 0.0);
    }
    (format!("best f − ({lowest:.6e})"), lowest)
}

/// Returns at most [`MOST_LINES`] of n indices, including the first and the last, because the extreme axes matter most.
fn some_of(n: usize) -> Vec<usize> {
    if n <= MOST_LINES { (0..n).collect() } else { (0..MOST_LINES).map(|k| k * (n - 1) / (MOST_LINES - 1)).collect() }
}

#[cfg(test)]
mod tests {
    use ddcma_core::{CsvWriter, History, minimize};

    use super::*;

    #[test]
    fn the_extreme_axes_are_drawn() {
        for n in [1, 5, 40, 41, 80, 320] {
            let indices = some_of(n);
            assert!(indices.len() == n.min(MOST_LINES) && indices.is_sorted());
            assert_eq!((indices[0], indices[indices.len() - 1]), (0, n - 1));
        }
    }

    #[test]
    fn a_file_and_a_history_of_a_run_are_the_same_course() {
        let (mut history, mut csv) = (History::new(1000), CsvWriter::new(Vec::new()));
        for _ in 0..2 {
            let f = |x: &[f64]| 7.0 + x.iter().map(|x| x * x).sum::<f64>();
            let run = minimize(f, &[1.0; 3], 0.5).max_evaluations(490);
            run.observer(&mut history).observer(&mut csv).run().unwrap();
        }
        let text = String::from_utf8(csv.finish().unwrap()).unwrap();
        let course = of_csv(&text).unwrap();
        assert_eq!(course, of_records(history.records()));
        assert_eq!((course.len(), course[69].evaluations, course[70].evaluations), (140, 490, 497));
        let panels = panels(&course);
        assert_eq!(panels.iter().map(|panel| panel.series.len()).collect::<Vec<_>>(), [2, 3, 2, 1]);
        assert_eq!(panels[0].y.label, "best f − (7.000000e0), σ");
    }

    #[test]
    fn long_runs_are_thinned_with_their_end() {
        let moment =
            Moment { evaluations: 0, best_value: 1.0, sigma: 1.0, beta: 1.0, d: vec![1.0], axis_lengths: vec![1.0] };
        for count in [1, 399, 400, 401, 12_345] {
            let moments = (1..=count).map(|evaluations| Moment { evaluations, ..moment.clone() }).collect();
            let thin = thinned(moments);
            assert!(thin.len() <= MOST_POINTS && 2 * thin.len() as u64 >= count.min(400), "{count}: {}", thin.len());
            assert_eq!(thin.last().unwrap().evaluations, count);
        }
    }

    #[test]
    fn what_no_csv_writer_wrote_is_refused() {
        let refused = |text: &str| of_csv(text).unwrap_err().to_string();
        let head = "iterations,evaluations,best_f,generation_best_f,sigma,beta,d_0,axis_0,m_0";
        assert_eq!(refused("\n"), "the file must have a header and generations, but is empty");
        assert_eq!(refused("a,b\n1,2"), "there is no column \"evaluations\": use a file that a CsvWriter wrote");
        assert_eq!(
            refused(&head.replace(",axis_0", "")),
            "there is no column \"axis_0\": use a file that a CsvWriter wrote"
        );
        assert_eq!(refused(head), "the file must have at least one generation, got none");
        assert_eq!(refused(&format!("{head}\n1,6,1,1,1,1,1,1")), "line 2: there must be 9 numbers, got 8");
        assert_eq!(refused(&format!("{head}\n1,6,1,1,1,x,1,1,0")), "line 2: a cell must be a number, got \"x\"");
        assert_eq!(
            refused(&format!("{head}\n1,-6,1,1,1,1,1,1,0")),
            "line 2: evaluations must be a whole number, got \"-6\""
        );
        assert!(of_csv(&format!("{head}\r\n1,6,inf,NaN,1e0,1,1,1,0\r\n")).is_ok(), "no value yet");
    }

    #[test]
    fn files_that_count_coordinates_from_1_can_still_be_read() {
        let of = |columns: &str| of_csv(&format!("evaluations,best_f,sigma,beta,{columns}\n6,1,1,1,2,3,4,5")).unwrap();
        let course = of("d_0,d_1,axis_0,axis_1");
        assert_eq!((&course[0].d[..], &course[0].axis_lengths[..]), (&[2.0, 3.0][..], &[4.0, 5.0][..]));
        assert_eq!(of("d_1,d_2,axis_1,axis_2"), course);
    }
}
