//! What the records say: solved instances, expected running times and shares of targets, as table, Markdown and CSV.
//!
//! Knows records. How they came about, and COCO's own files, are not its business.

use std::cmp::Ordering;
use std::path::Path;

use super::protocol::Record;
use super::{Algorithm, Trial};
use crate::lab::bbob::Function;
use crate::lab::names::{PolicyName, StrategyName};
use crate::lab::records::{Records, write_file};
use crate::lab::statistics::Cost;
use crate::lab::{self, LabError, table};

/// The targets of COCO's run-time distributions: 51 from 1e2 to 1e-8, five to each decade.
const TARGETS: i32 = 51;

/// The share of the targets that a precision has reached.
fn share_of_targets(record: &Record) -> f64 {
    // Whether the last one is hit is COCO's word: it compares with the minimum plus 1e-8, rounded.
    let last = i32::from(record.hit);
    let reached = |k: &i32| 10f64.powf(2.0 - 0.2 * f64::from(*k)) >= record.best_precision;
    f64::from((0..TARGETS - 1).filter(reached).count() as i32 + last) / f64::from(TARGETS)
}

/// An algorithm on the instances of a function.
#[derive(Clone, Debug)]
struct Cell {
    cost: Cost,
    /// The mean share of targets.
    share: f64,
}

impl Cell {
    fn of(records: &[&Record]) -> Self {
        let outcomes: Vec<(bool, u64)> = records.iter().map(|record| (record.hit, record.evaluations)).collect();
        let share = records.iter().map(|record| share_of_targets(record)).sum::<f64>() / records.len() as f64;
        Self { cost: Cost::of(&outcomes), share }
    }

    /// Less is better: the expected running time, and where nothing is solved the share of targets.
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

/// Writes the files and prints the table.
pub(super) fn report(out: &Path, trials: &[Trial], records: &Records<Record>) -> Result<(), LabError> {
    let mut sorted: Vec<&Trial> = trials.iter().collect();
    sorted.sort_by_key(|trial| (trial.spec.n(), trial.spec, trial.algorithm));
    let record = |trial: &Trial| records.get(&trial.key()).expect("every problem has been run");
    let csv_path = out.join("problems.csv");
    write_file(&csv_path, &csv(&sorted, record))?;

    let algorithms = lab::once(&trials.iter().map(|trial| trial.algorithm).collect::<Vec<_>>());
    let mut rows = Vec::new();
    let same = |a: &&Trial, b: &&Trial| (a.spec.n(), a.spec.function()) == (b.spec.n(), b.spec.function());
    for group in sorted.chunk_by(same) {
        let cell = |algorithm: &Algorithm| {
            let of_cell = group.iter().filter(|trial| trial.algorithm == *algorithm);
            Cell::of(&of_cell.map(|trial| record(trial)).collect::<Vec<_>>())
        };
        let (n, function) = (group[0].spec.n(), group[0].spec.function());
        rows.push(Row { n, function, cells: algorithms.iter().map(cell).collect() });
    }
    let names: Vec<String> = algorithms
        .iter()
        .map(|algorithm| format!("{} {}", algorithm.strategy.name(), algorithm.policy.name()))
        .collect();
    let head: Vec<&str> =
        ["function", "n"].into_iter().chain(names.iter().flat_map(|name| [name.as_str(), "ERT", "targets"])).collect();
    let mut cells = Vec::new();
    for of_dimension in rows.chunk_by(|a, b| a.n == b.n) {
        cells.extend(of_dimension.iter().map(cells_of));
        cells.push(total(of_dimension));
    }
    let notes = behind(&algorithms, &rows);
    let text = table::text(&head, &cells) + &notes;
    write_file(&out.join("table.txt"), &text)?;
    write_file(&out.join("table.md"), &(table::markdown(&head, &cells) + &notes))?;
    println!("{text}");
    println!("below each algorithm: solved instances; ERT: all evaluations over the number of solved instances;");
    println!("targets: the share that was reached of {TARGETS} targets from 1e2 to 1e-8");
    println!("one row for each problem: {}", csv_path.display());
    let folders: Vec<String> =
        algorithms.iter().map(|algorithm| out.join(algorithm.name()).display().to_string()).collect();
    println!("COCO's pages:             python -m cocopp {}", folders.join(" "));
    Ok(())
}

fn csv<'a>(sorted: &[&Trial], record: impl Fn(&Trial) -> &'a Record) -> String {
    let mut csv = String::from("function,n,instance,strategy,policy,evaluations,hit,best_precision\n");
    for trial in sorted {
        let Record { evaluations, hit, best_precision } = record(trial);
        let (spec, Algorithm { policy, strategy }) = (trial.spec, trial.algorithm);
        csv += &format!(
            "{},{},{},{},{},{evaluations},{},{best_precision:e}\n",
            spec.function(),
            spec.n(),
            spec.instance(),
            strategy.name(),
            policy.name(),
            u8::from(*hit)
        );
    }
    csv
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

/// Where dd-CMA-ES comes behind plain CMA-ES, a line for each policy and dimension that both were run with.
fn behind(algorithms: &[Algorithm], rows: &[Row]) -> String {
    let position =
        |policy: PolicyName, strategy| algorithms.iter().position(|of| *of == Algorithm { policy, strategy });
    let mut lines = String::new();
    for policy in PolicyName::ALL {
        let Some((dd, plain)) = position(policy, StrategyName::Dd).zip(position(policy, StrategyName::Plain)) else {
            continue;
        };
        for of_dimension in rows.chunk_by(|a, b| a.n == b.n) {
            let loss = |row: &Row| {
                let (dd, plain) = (&row.cells[dd], &row.cells[plain]);
                let function = format!("f{}", row.function.number());
                let ratio = dd.cost.ert / plain.cost.ert;
                match (dd.rank(plain), ratio.is_finite()) {
                    (Ordering::Greater, true) => Some(format!("{function} ({ratio:.2})")),
                    (Ordering::Greater, false) => Some(format!("{function} (–)")),
                    _ => None,
                }
            };
            let losses: Vec<String> = of_dimension.iter().filter_map(loss).collect();
            let losses = if losses.is_empty() { "nowhere".to_string() } else { losses.join(", ") };
            lines += &format!(
                "\n{}, n = {}: dd behind plain, by its ERT over plain's, on: {losses}\n",
                policy.name(),
                of_dimension[0].n
            );
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(evaluations: u64, best_precision: f64, hit: bool) -> Record {
        Record { evaluations, hit, best_precision }
    }

    #[test]
    fn targets_are_counted_from_1e2_to_1e_8() {
        let share = |precision: f64, hit: bool| (share_of_targets(&record(1, precision, hit)) * 51.0).round();
        assert_eq!(share(101.0, false), 0.0);
        assert_eq!(share(99.0, false), 1.0);
        assert_eq!(share(0.9, false), 11.0);
        assert_eq!(share(1.1e-8, false), 50.0);
        // COCO's final target is rounded, and COCO's word counts.
        assert_eq!(share(1.000_000_1e-8, true), 51.0);
        assert_eq!(share(0.0, true), 51.0);
        assert_eq!(share(f64::INFINITY, false), 0.0);
    }

    #[test]
    fn cells_are_ranked_by_running_time_then_by_targets() {
        let [fast, slow] = [100, 200].map(|evaluations| Cell::of(&[&record(evaluations, 1e-9, true)]));
        let [near, far] = [1e-3, 1.0].map(|precision| Cell::of(&[&record(1000, precision, false)]));
        for pair in [&fast, &slow, &near, &far].windows(2) {
            assert_eq!(pair[0].rank(pair[1]), Ordering::Less);
            assert_eq!(pair[1].rank(pair[0]), Ordering::Greater);
        }
        let half = Cell::of(&[&record(100, 1e-9, true), &record(1000, 1.0, false)]);
        assert_eq!(half.text(), ["1/2", "1100", "0.61"]);
        assert_eq!(near.text()[..2], ["0/1", "–"]);
    }

    #[test]
    fn functions_where_dd_is_behind_plain_are_named() {
        let [dd, plain] =
            [StrategyName::Dd, StrategyName::Plain].map(|strategy| Algorithm { policy: PolicyName::Bipop, strategy });
        let row = |number, dd: Record, plain: Record| {
            let function = Function::new(crate::lab::bbob::SuiteName::Bbob, number).unwrap();
            Row { n: 5, function, cells: vec![Cell::of(&[&dd]), Cell::of(&[&plain])] }
        };
        let rows = [
            row(1, record(300, 1e-9, true), record(200, 1e-9, true)),
            row(2, record(200, 1e-9, true), record(300, 1e-9, true)),
            row(3, record(500, 1.0, false), record(500, 1e-9, true)),
            row(4, record(500, 1.0, false), record(500, 1e-3, false)),
            row(5, record(500, 1.0, false), record(500, 1.0, false)),
        ];
        let line = "\nbipop, n = 5: dd behind plain, by its ERT over plain's, on: f1 (1.50), f3 (–), f4 (–)\n";
        assert_eq!(behind(&[dd, plain], &rows), line);
        assert_eq!(behind(&[dd], &rows), "");
    }
}
