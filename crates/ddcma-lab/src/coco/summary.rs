//! The results of an experiment on COCO's suites: solved instances, expected running times and shares of targets, as a table, Markdown and
//! CSV. They are computed from outcomes; COCO's own files are not read.

use std::cmp::Ordering;
use std::path::PathBuf;

use super::CocoLabel;
use super::bbob::{Function, Spec};
use super::distributions::{self, OfDimension};
use crate::records::write_file;
use crate::statistics::Cost;
use crate::{LabError, Outcomes, Planned, TrialOutcome, table};

/// The number of targets of COCO's run-time distributions: from 1e2 to 1e-8, five per decade.
pub const TARGETS: u32 = 51;

/// The file with one row per problem, in the folder of the experiment.
pub(super) const CSV: &str = "problems.csv";
/// The file with the table as text.
pub(super) const TEXT: &str = "table.txt";
/// The file with the table as Markdown.
pub(super) const MARKDOWN: &str = "table.md";
/// The file with the run-time distributions.
pub(super) const PICTURE: &str = "runtimes.svg";

/// The outcomes of a [`CocoExperiment`](super::CocoExperiment).
#[derive(Clone, Debug, PartialEq)]
pub struct CocoOutcomes {
    folder: PathBuf,
    labels: Vec<CocoLabel>,
    trials: Vec<(Planned, Spec, TrialOutcome)>,
}

impl CocoOutcomes {
    pub(super) fn new(folder: PathBuf, labels: Vec<CocoLabel>, mut trials: Vec<(Planned, Spec, TrialOutcome)>) -> Self {
        trials.sort_by_key(|(planned, spec, _)| (spec.n(), *spec, planned.algorithm_index));
        Self { folder, labels, trials }
    }

    /// Returns the outcomes like those of any other experiment: each function of COCO is a problem, the seed is the number of the instance,
    /// and values are differences to the minimum.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::new(self.trials.iter().map(|(planned, _, outcome)| (planned.clone(), outcome.clone())).collect())
    }

    /// Returns the folders of the algorithms, for `python -m cocopp`.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.labels.iter().map(|label| self.folder.join(&label.folder)).collect()
    }

    /// Returns the path of the file with one row per problem.
    pub fn csv_path(&self) -> PathBuf {
        self.folder.join(CSV)
    }

    /// Returns the table as text: for each function and dimension, and for each algorithm, the solved instances, the expected running time
    /// (all evaluations divided by the number of solved instances) and the share of [targets](TARGETS) reached.
    ///
    /// Below it are the functions on which the first strategy with each policy is behind the others, and how all algorithms compare with
    /// the first one, problem by problem.
    pub fn table(&self) -> String {
        let (head, cells, notes) = self.cells();
        table::text(&head.iter().map(String::as_str).collect::<Vec<_>>(), &cells) + &notes + &self.compared(table::text)
    }

    /// Returns the table as Markdown.
    pub fn markdown(&self) -> String {
        let (head, cells, notes) = self.cells();
        let table = table::markdown(&head.iter().map(String::as_str).collect::<Vec<_>>(), &cells);
        table + &notes + &self.compared(table::markdown)
    }

    /// Returns CSV with one row for each problem and algorithm, with the columns `function`, `n`, `instance`, `strategy`, `policy`,
    /// `evaluations`, `hit` and `best_precision`.
    pub fn csv(&self) -> String {
        let mut csv = String::from("function,n,instance,strategy,policy,evaluations,hit,best_precision\n");
        for (planned, spec, outcome) in &self.trials {
            let CocoLabel { strategy, policy, .. } = &self.labels[planned.algorithm_index];
            let TrialOutcome { success, evaluations, best_f, .. } = outcome;
            let (function, n, instance, hit) = (spec.function(), spec.n(), spec.instance(), u8::from(*success));
            let (strategy, policy) = (quoted(strategy), quoted(policy));
            csv += &format!("{function},{n},{instance},{strategy},{policy},{evaluations},{hit},{best_f:e}\n");
        }
        csv
    }

    /// Writes the files.
    pub(super) fn write(&self) -> Result<(), LabError> {
        write_file(&self.csv_path(), &self.csv())?;
        write_file(&self.folder.join(TEXT), &self.table())?;
        write_file(&self.folder.join(MARKDOWN), &self.markdown())?;
        write_file(&self.folder.join(PICTURE), &self.picture()?)
    }

    /// Returns the run-time distributions as SVG: the share of all pairs of a problem and a target that are reached, with a panel for each
    /// dimension.
    pub fn picture(&self) -> Result<String, LabError> {
        distributions::picture(&self.by_dimension())
    }

    /// Compares the algorithms with the first one; empty if there is only one.
    fn compared(&self, table: impl Fn(&[&str], &[Vec<String>]) -> String) -> String {
        let rows: Vec<Vec<String>> = self.by_dimension().iter().flat_map(distributions::compared).collect();
        if self.labels.len() < 2 { String::new() } else { format!("\n{}", table(&distributions::HEAD, &rows)) }
    }

    /// Returns the outcomes of each dimension, for each algorithm those of the same problems.
    fn by_dimension(&self) -> Vec<OfDimension<'_>> {
        let mut dimensions = Vec::new();
        for trials in self.trials.chunk_by(|(_, a, _), (_, b, _)| a.n() == b.n()) {
            let of_algorithm = |(index, label): (usize, &CocoLabel)| {
                let trials = trials.iter().filter(|(planned, ..)| planned.algorithm_index == index);
                (label.name(), trials.map(|(_, _, outcome)| outcome).collect())
            };
            let algorithms = self.labels.iter().enumerate().map(of_algorithm).collect();
            dimensions.push(OfDimension { n: trials[0].1.n(), algorithms });
        }
        dimensions
    }

    /// Returns the head, the rows, and the lines below them.
    fn cells(&self) -> (Vec<String>, Vec<Vec<String>>, String) {
        let rows = self.rows();
        let of_algorithms =
            self.labels.iter().flat_map(|label| [label.name(), "ERT".to_string(), "targets".to_string()]);
        let head = ["function".to_string(), "n".to_string()].into_iter().chain(of_algorithms).collect();
        let mut cells = Vec::new();
        for of_dimension in rows.chunk_by(|a, b| a.n == b.n) {
            cells.extend(of_dimension.iter().map(cells_of));
            cells.push(total(of_dimension));
        }
        (head, cells, behind(&self.labels, &rows))
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let place = |spec: &Spec| (spec.n(), spec.function());
        for group in self.trials.chunk_by(|(_, a, _), (_, b, _)| place(a) == place(b)) {
            let cell = |algorithm: usize| {
                let of_cell = group.iter().filter(|(planned, ..)| planned.algorithm_index == algorithm);
                Cell::of(&of_cell.map(|(_, _, outcome)| outcome).collect::<Vec<_>>())
            };
            let (n, function) = place(&group[0].1);
            rows.push(Row { n, function, cells: (0..self.labels.len()).map(cell).collect() });
        }
        rows
    }
}

/// Formats a cell of a CSV file, quoted if necessary.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

/// Returns the share of targets reached.
pub(super) fn share_of_targets(outcome: &TrialOutcome) -> f64 {
    outcome.hits.len() as f64 / f64::from(TARGETS)
}

/// An algorithm on the instances of a function.
#[derive(Clone, Debug)]
struct Cell {
    cost: Cost,
    /// The mean share of targets.
    share: f64,
}

impl Cell {
    fn of(outcomes: &[&TrialOutcome]) -> Self {
        let costs: Vec<(bool, u64)> = outcomes.iter().map(|outcome| (outcome.success, outcome.evaluations)).collect();
        let share = outcomes.iter().map(|outcome| share_of_targets(outcome)).sum::<f64>() / outcomes.len() as f64;
        Self { cost: Cost::of(&costs), share }
    }

    /// Compares two cells; the better one is less: by the expected running time or, if nothing is solved, by the share of targets.
    fn rank(&self, other: &Self) -> Ordering {
        self.cost.ert.total_cmp(&other.cost.ert).then(other.share.total_cmp(&self.share))
    }

    fn text(&self) -> [String; 3] {
        let Cost { trials, successes, ert, .. } = self.cost;
        [format!("{successes}/{trials}"), table::count(ert), format!("{:.2}", self.share)]
    }
}

/// A function in a dimension, with a cell for each algorithm.
struct Row {
    n: usize,
    function: Function,
    cells: Vec<Cell>,
}

fn cells_of(row: &Row) -> Vec<String> {
    let names = [format!("f{}", row.function.number()), row.n.to_string()];
    names.into_iter().chain(row.cells.iter().flat_map(Cell::text)).collect()
}

/// All functions of a dimension together.
fn total(rows: &[Row]) -> Vec<String> {
    let mut cells = vec!["all".to_string(), rows[0].n.to_string()];
    for algorithm in 0..rows[0].cells.len() {
        let column = || rows.iter().map(|row| &row.cells[algorithm]);
        let [solved, all] =
            [column().map(|cell| cell.cost.successes).sum::<usize>(), column().map(|cell| cell.cost.trials).sum()];
        let share = column().map(|cell| cell.share).sum::<f64>() / rows.len() as f64;
        cells.extend([format!("{solved}/{all}"), String::new(), format!("{share:.2}")]);
    }
    cells
}

/// Lists where the first strategy with each policy is behind each of the others with the same policy, one line per dimension.
fn behind(labels: &[CocoLabel], rows: &[Row]) -> String {
    let mut lines = String::new();
    for (first, label) in labels.iter().enumerate() {
        let same_policy = |other: &&CocoLabel| other.policy == label.policy;
        if labels[..first].iter().any(|other| same_policy(&other)) {
            continue;
        }
        for (other, rival) in labels.iter().enumerate().skip(first + 1).filter(|(_, other)| same_policy(other)) {
            for of_dimension in rows.chunk_by(|a, b| a.n == b.n) {
                let losses: Vec<String> = of_dimension.iter().filter_map(|row| loss(row, first, other)).collect();
                let losses = if losses.is_empty() { "nowhere".to_string() } else { losses.join(", ") };
                let policy = if label.policy.is_empty() { String::new() } else { format!("{}, ", label.policy) };
                let (mine, theirs, n) = (&label.strategy, &rival.strategy, of_dimension[0].n);
                lines +=
                    &format!("\n{policy}n = {n}: {mine} behind {theirs}, by its ERT over {theirs}'s, on: {losses}\n");
            }
        }
    }
    lines
}

/// A function on which an algorithm is behind another one, and by how much.
fn loss(row: &Row, mine: usize, other: usize) -> Option<String> {
    let (mine, other) = (&row.cells[mine], &row.cells[other]);
    let function = format!("f{}", row.function.number());
    let ratio = mine.cost.ert / other.cost.ert;
    match (mine.rank(other), ratio.is_finite()) {
        (Ordering::Greater, true) => Some(format!("{function} ({ratio:.2})")),
        (Ordering::Greater, false) => Some(format!("{function} (–)")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coco::bbob::SuiteName;
    use crate::statistics::Targets;

    fn outcome(evaluations: u64, best_f: f64, success: bool) -> TrialOutcome {
        let (stop, internal_seconds, course) = (String::new(), 0.0, Vec::new());
        let hits = vec![evaluations; Targets::to(1e-8).reached_by(best_f)];
        let notes = Default::default();
        let (first_f, target) = (f64::NAN, 1e-8);
        TrialOutcome {
            success,
            evaluations,
            iterations: 0,
            best_f,
            stop,
            internal_seconds,
            course,
            notes,
            hits,
            first_f,
            target,
        }
    }

    #[test]
    fn cells_are_ranked_by_running_time_then_by_targets() {
        let [fast, slow] = [100, 200].map(|evaluations| Cell::of(&[&outcome(evaluations, 1e-9, true)]));
        let [near, far] = [1e-3, 1.0].map(|precision| Cell::of(&[&outcome(1000, precision, false)]));
        for pair in [&fast, &slow, &near, &far].windows(2) {
            assert_eq!(pair[0].rank(pair[1]), Ordering::Less);
            assert_eq!(pair[1].rank(pair[0]), Ordering::Greater);
        }
        let half = Cell::of(&[&outcome(100, 1e-9, true), &outcome(1000, 1.0, false)]);
        assert_eq!(half.text(), ["1/2", "1100", "0.61"]);
        assert_eq!(near.text()[..2], ["0/1", "–"]);
    }

    fn labels(names: &[(&str, &str)]) -> Vec<CocoLabel> {
        let label = |(strategy, policy): &(&str, &str)| CocoLabel {
            policy: policy.to_string(),
            ..CocoLabel::of_name(strategy)
        };
        names.iter().map(label).collect()
    }

    #[test]
    fn functions_where_dd_is_behind_plain_are_named() {
        let row = |number, dd: TrialOutcome, plain: TrialOutcome| {
            let function = Function::new(SuiteName::Bbob, number).unwrap();
            Row { n: 5, function, cells: vec![Cell::of(&[&dd]), Cell::of(&[&plain])] }
        };
        let rows = [
            row(1, outcome(300, 1e-9, true), outcome(200, 1e-9, true)),
            row(2, outcome(200, 1e-9, true), outcome(300, 1e-9, true)),
            row(3, outcome(500, 1.0, false), outcome(500, 1e-9, true)),
            row(4, outcome(500, 1.0, false), outcome(500, 1e-3, false)),
            row(5, outcome(500, 1.0, false), outcome(500, 1.0, false)),
        ];
        let line = "\nbipop, n = 5: dd behind plain, by its ERT over plain's, on: f1 (1.50), f3 (–), f4 (–)\n";
        assert_eq!(behind(&labels(&[("dd", "bipop"), ("plain", "bipop")]), &rows), line);
        assert_eq!(behind(&labels(&[("dd", "")]), &rows), "");
        assert_eq!(behind(&labels(&[("dd", "bipop"), ("plain", "ipop")]), &rows), "");
        let line = "\nn = 5: mine, slow behind dd, by its ERT over dd's, on: f1 (1.50), f3 (–), f4 (–)\n";
        assert_eq!(behind(&labels(&[("mine, slow", ""), ("dd", "")]), &rows), line);
    }

    #[test]
    fn a_name_with_a_comma_is_one_cell() {
        assert_eq!(quoted("mine, \"slow\""), "\"mine, \"\"slow\"\"\"");
        assert_eq!(quoted("mine slow"), "mine slow");
    }
}
