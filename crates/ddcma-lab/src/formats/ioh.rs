//! IOHprofiler's files, for IOHanalyzer and iohinspector: a JSON file for each algorithm and function, and a table of best values for
//! each dimension.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::records::{self, write_file};
use crate::statistics::Targets;
use crate::{LabError, Outcomes, Planned, TrialOutcome};

/// The version of the format.
const VERSION: &str = "0.3.3";

/// The trials of an algorithm on a problem, by dimension.
type Scenarios<'a> = BTreeMap<usize, Vec<(&'a Planned, &'a TrialOutcome)>>;

impl Outcomes {
    /// Writes files of IOHprofiler, for IOHanalyzer and iohinspector, into a folder with one subfolder for each algorithm.
    ///
    /// Functions are numbered from 1 in the order of the experiment, and the instance of a run is the number of its trial, from 1. A run
    /// has the value of its first evaluation, the recorded course, and the 51 [`Targets`] with the evaluations at which they were reached,
    /// so the tools compute the same success rates and expected running times for each of these targets. Except for the first, evaluations
    /// count whole generations. The best points are not on record, so `x` is empty. If an experiment sets several population sizes, each of
    /// them is an algorithm.
    ///
    /// The folder must have neither records nor other JSON files, because the tools would read them.
    pub fn write_ioh(&self, folder: impl AsRef<Path>) -> Result<(), LabError> {
        let folder = folder.as_ref();
        for file in [records::FILE, "report.json"] {
            if folder.join(file).exists() {
                return Err(LabError::new(format!(
                    "{}: the folder must not have a file {file}, because the tools of IOHprofiler would read it: choose another folder",
                    folder.display()
                )));
            }
        }
        let mut algorithms: BTreeMap<(usize, Option<usize>), BTreeMap<usize, Scenarios<'_>>> = BTreeMap::new();
        for (planned, outcome) in self.iter() {
            check_range(planned)?;
            let algorithm = algorithms.entry((planned.algorithm_index, planned.asked_lambda)).or_default();
            let problem = algorithm.entry(planned.problem_index).or_default();
            problem.entry(planned.n).or_default().push((planned, outcome));
        }
        let mut names: Vec<String> = Vec::new();
        for problems in algorithms.into_values() {
            for scenarios in problems.into_values() {
                let Some((planned, _)) = scenarios.values().flatten().next() else { continue };
                let name = algorithm_name(planned);
                if !names.contains(&name) {
                    names.push(name.clone());
                }
                // Names that differ only in characters that file names cannot have must not share a folder.
                let number = names.iter().position(|known| *known == name).unwrap_or(0) + 1;
                write_function(&folder.join(format!("{number}_{}", file_name(&name))), &name, planned, &scenarios)?;
            }
        }
        Ok(())
    }
}

/// Checks the numbers that the tools store in 16 bits.
fn check_range(planned: &Planned) -> Result<(), LabError> {
    let numbers = [
        ("number of the function", planned.problem_index + 1),
        ("dimension", planned.n),
        ("number of the trial", planned.trial as usize + 1),
    ];
    match numbers.iter().find(|(_, number)| *number > usize::from(u16::MAX)) {
        None => Ok(()),
        Some((what, number)) => Err(LabError::new(format!(
            "{planned}: the {what} must be at most {} in files of IOHprofiler, got {number}",
            u16::MAX
        ))),
    }
}

fn algorithm_name(planned: &Planned) -> String {
    let lambda = planned.asked_lambda.map(|lambda| format!(", λ = {lambda}")).unwrap_or_default();
    format!("{}{lambda}", planned.algorithm)
}

/// Returns a file name that is valid on every system.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    name.split(|c| !plain(c)).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

fn write_function(folder: &Path, name: &str, planned: &Planned, scenarios: &Scenarios<'_>) -> Result<(), LabError> {
    let (id, problem) = (planned.problem_index + 1, file_name(&planned.problem));
    let data = format!("data_f{id}_{problem}");
    let in_data = folder.join(&data);
    fs::create_dir_all(&in_data).map_err(|error| LabError::new(format!("{}: {error}", in_data.display())))?;
    let mut described: Vec<Value> = Vec::new();
    for (n, trials) in scenarios {
        let file = format!("IOHprofiler_f{id}_DIM{n}.dat");
        let runs: String = trials.iter().map(|(_, outcome)| table_of(outcome)).collect();
        write_file(&in_data.join(&file), &runs)?;
        let runs: Vec<Value> = trials.iter().map(|(planned, outcome)| run_of(planned, outcome)).collect();
        described.push(json!({ "dimension": n, "path": format!("{data}/{file}"), "runs": runs }));
    }
    let description = json!({
        "version": VERSION,
        "suite": "ddcma-lab",
        "function_id": id,
        "function_name": planned.problem,
        "maximization": false,
        "algorithm": { "name": name, "info": "ddcma-lab" },
        "attributes": ["evaluations", "raw_y"],
        "scenarios": described,
    });
    write_file(&folder.join(format!("IOHprofiler_f{id}_{problem}.json")), &format!("{description:#}\n"))
}

/// Returns a number that every tool can read: neither infinite nor NaN.
fn finite(value: f64) -> f64 {
    if value.is_nan() { f64::MAX } else { value.clamp(f64::MIN, f64::MAX) }
}

/// Describes a run with `best`: exactly these keys, or tools skip the file.
fn run_of(planned: &Planned, outcome: &TrialOutcome) -> Value {
    let last =
        outcome.course.iter().find(|(_, value)| *value <= outcome.best_f).map_or(outcome.evaluations, |point| point.0);
    let best = json!({ "evals": last, "y": finite(outcome.best_f), "x": [] });
    json!({ "instance": planned.trial + 1, "evals": outcome.evaluations, "best": best })
}

/// Returns the lines of a run: a head, the first evaluation, by which tools distinguish runs, the improvements of the best value, and
/// the last evaluation.
fn table_of(outcome: &TrialOutcome) -> String {
    let targets = Targets::to(outcome.target);
    let hits = outcome.hits.iter().enumerate().map(|(index, evaluations)| (*evaluations, targets.get(index)));
    let mut points: Vec<(u64, f64)> = outcome.course.iter().copied().chain(hits).collect();
    points.push((outcome.evaluations, outcome.best_f));
    points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut best = finite(outcome.first_f);
    let mut text = format!("evaluations raw_y\n1 {best:e}\n");
    let mut written = 1;
    for (evaluations, value) in points {
        // The first line has the value of the first evaluation; a lower value of the same generation comes later.
        let falls = finite(value) < best;
        let ends = evaluations == outcome.evaluations && written < evaluations;
        if evaluations > 1 && evaluations > written && (falls || ends) {
            best = best.min(finite(value));
            written = evaluations;
            text += &format!("{evaluations} {best:e}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_falls_from_its_first_evaluation_to_its_last() {
        let outcome = TrialOutcome {
            success: false,
            evaluations: 50,
            iterations: 5,
            best_f: 7.0,
            first_f: f64::INFINITY,
            target: 1e-8,
            hits: vec![20, 20, 30],
            stop: "evaluations".to_string(),
            internal_seconds: 0.0,
            course: vec![(10, 120.0), (30, 30.0), (50, 7.0)],
            notes: BTreeMap::new(),
        };
        let text = table_of(&outcome);
        let lines: Vec<&str> = text.lines().collect();
        let known = ["evaluations raw_y", "1 1.7976931348623157e308", "10 1.2e2"];
        assert_eq!(lines[..3], known);
        assert!(lines[3].starts_with("20 6.309573444801") && lines[4..] == ["30 3e1", "50 7e0"], "{lines:?}");
        // No improvement at the end: the last evaluation is written anyway.
        let stuck = TrialOutcome { course: vec![(10, 7.0), (50, 7.0)], hits: vec![10, 10], first_f: 7.0, ..outcome };
        assert_eq!(table_of(&stuck), "evaluations raw_y\n1 7e0\n50 7e0\n");
    }

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_name("dd:c_1=0.1, λ = 8"), "dd_c_1_0.1_8");
    }

    #[test]
    fn numbers_that_are_too_large_are_refused() {
        let planned = Planned {
            algorithm: "dd".to_string(),
            algorithm_index: 0,
            problem: "sphere".to_string(),
            problem_index: 0,
            n: 65_535,
            asked_lambda: None,
            lambda: None,
            trial: 65_535,
            seed: 1,
        };
        assert!(check_range(&Planned { trial: 65_534, ..planned.clone() }).is_ok());
        let error = check_range(&planned).unwrap_err().to_string();
        assert_eq!(
            error,
            "sphere/n=65535/dd/seed=1: the number of the trial must be at most 65535 in files of IOHprofiler, got 65536"
        );
    }
}
