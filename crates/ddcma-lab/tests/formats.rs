//! Files for other tools in the field, read by one of them.

use std::path::Path;
use std::process::Command;

use ddcma_lab::statistics::Targets;
use ddcma_lab::{Experiment, Outcomes, Silent, TrialOutcome, dd, sep, suite};
use serde_json::Value;

fn outcomes() -> Outcomes {
    let experiment = Experiment::new().algorithms([dd(), sep().named("sep, λ: 8")]);
    let experiment = experiment.problems(suite(["sphere", "ellipsoid-rotated"]).unwrap()).dimensions([3, 5]);
    experiment.lambdas([8]).trials(5).first_seed(70_000).budget_per_variable(1_000).run(&Silent).unwrap()
}

/// Returns a Python with iohinspector: the one named by `IOHINSPECTOR_PYTHON`, or `python3`.
fn python() -> Option<String> {
    let python = std::env::var("IOHINSPECTOR_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let known = Command::new(&python).args(["-c", "import iohinspector"]).output();
    known.is_ok_and(|output| output.status.success()).then_some(python)
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn iohinspector_gives_our_numbers_back() {
    let Some(python) = python() else {
        eprintln!("skipped: no Python with iohinspector (pip install iohinspector; IOHINSPECTOR_PYTHON=…/bin/python)");
        return;
    };
    let (outcomes, folder) = (outcomes(), tempfile::tempdir().unwrap());
    outcomes.write_ioh(folder.path()).unwrap();
    let targets = Targets::to(1e-8);
    let indices = [0, 7, 20, 33, 49, 50];
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/ddcma-lab/tests/data/read_ioh.py");
    let mut command = Command::new(python);
    command.arg(script).arg(folder.path()).args(indices.map(|index| format!("{:e}", targets.get(index))));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut failures = 0;
    let lines: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2 * 2 * 2 * indices.len());
    for line in lines {
        let index = indices.into_iter().find(|index| line["target"] == targets.get(*index)).unwrap();
        let trials: Vec<&TrialOutcome> = outcomes
            .iter()
            .filter(|(planned, _)| {
                line["algorithm"] == format!("{}, λ = 8", planned.algorithm)
                    && line["function"] == planned.problem.as_str()
                    && line["n"] == planned.n
            })
            .map(|(_, outcome)| outcome)
            .collect();
        assert_eq!(trials.len(), 5, "{line}");
        let hit = |outcome: &&TrialOutcome| outcome.hits.get(index).copied();
        let successes = trials.iter().filter_map(hit).count();
        let evaluations: u64 = trials.iter().map(|outcome| hit(outcome).unwrap_or(outcome.evaluations)).sum();
        assert_eq!(line["successes"], successes, "{line}");
        let ert: f64 = line["ert"].as_str().unwrap().parse().unwrap();
        assert_eq!(ert, evaluations as f64 / successes as f64, "{line}");
        failures += 5 - successes;
    }
    assert!(failures > 10, "sep fails on the rotated ellipsoid");
}

#[test]
fn files_of_ioh_have_a_folder_of_their_own() {
    let (outcomes, folder) = (outcomes(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("report.json"), "{}").unwrap();
    let error = outcomes.write_ioh(folder.path()).unwrap_err().to_string();
    assert!(error.contains("the folder must not have a file report.json"), "{error}");
    let inside = folder.path().join("ioh");
    outcomes.write_ioh(&inside).unwrap();
    let mut names: Vec<String> =
        std::fs::read_dir(&inside).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["1_dd_8", "2_sep_8_8"]);
    let described = std::fs::read_to_string(inside.join("1_dd_8/IOHprofiler_f2_ellipsoid-rotated.json")).unwrap();
    let described: Value = serde_json::from_str(&described).unwrap();
    assert_eq!(described["scenarios"][1]["path"], "data_f2_ellipsoid-rotated/IOHprofiler_f2_DIM5.dat");
    assert_eq!(described["scenarios"][1]["runs"][4]["instance"], 5, "seeds may be too large for 16 bits");
    let best = described["scenarios"][0]["runs"][0]["best"].as_object().unwrap();
    assert_eq!(best.keys().collect::<Vec<_>>(), ["evals", "x", "y"]);
}
