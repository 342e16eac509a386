//! Experiments on COCO's suites in all kinds of programs: that print, have several experiments, panic, die, change or are killed. The
//! program is a test of this file, started by itself.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the program that is tested prints")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use ddcma_core::{DiagonalDecoding, StopCriteria};
use ddcma_lab::coco::{self, CocoOutcomes};
use ddcma_lab::{Algorithm, CocoExperiment, Experiment, LabError, Silent, Trial, algorithm, dd, sep, suite};
use ddcma_restarts::{Bipop, Ipop};

/// Steps along the coordinates, which are halved if none is better; with options for what can go wrong.
#[derive(Default)]
struct Steps {
    shrinks: Option<f64>,
    /// Called in three dimensions, which the fingerprint does not use.
    in_three: Option<fn() -> Result<(), LabError>>,
    /// Changes the start from process to process.
    offset: f64,
}

impl Algorithm for Steps {
    fn name(&self) -> &str {
        "steps, halved"
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        if let Some(mishap) = self.in_three.filter(|_| trial.dimension() == 3) {
            mishap()?;
        }
        let mut x: Vec<f64> = trial.start().iter().map(|x| x + self.offset).collect();
        let (mut best, mut step) = (f64::INFINITY, trial.sigma());
        while !trial.is_over() && step > 1e-12 {
            let before = best;
            for k in 0..x.len() {
                for sign in [1.0, -1.0] {
                    x[k] += sign * step;
                    let value = trial.evaluate(&x);
                    if value < best { best = value } else { x[k] -= sign * step }
                }
            }
            step *= if best < before { 1.0 } else { self.shrinks.unwrap_or(0.5) };
        }
        Ok(())
    }
}

fn experiment(folder: &Path, steps: Steps) -> CocoExperiment {
    let experiment = CocoExperiment::new(folder).algorithm(steps).algorithm(dd()).functions([1, 2]);
    experiment.dimensions([2, 3]).instances([1, 2]).budget_multiplier(300).jobs(2)
}

/// Runs a scenario of the program by name.
fn scenario(name: &str, folder: &Path) -> Result<CocoOutcomes, LabError> {
    let run = |steps: Steps| experiment(&folder.join("out"), steps).run(&Silent);
    match name {
        "plain" => run(Steps::default()),
        "prints" => {
            println!("{{\"done\":1}}");
            eprintln!("nothing is wrong");
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).unwrap();
            run(Steps::default())
        }
        "two" => {
            let local = Experiment::new().algorithm(dd()).problems(suite(["sphere"])?).dimensions([2]).trials(2);
            let local = local.records(folder.join("local")).run(&Silent)?;
            let first = experiment(&folder.join("first"), Steps::default()).run(&Silent)?;
            let hits = first.outcomes().iter().chain(local.iter()).filter(|(_, outcome)| outcome.success).count();
            println!("hits: {hits}");
            experiment(&folder.join("out"), Steps::default()).seed(hits as u64).run(&Silent)
        }
        "panics" => run(Steps { in_three: Some(|| panic!("out of steps")), ..Steps::default() }),
        "dies" => run(Steps { in_three: Some(|| std::process::exit(7)), ..Steps::default() }),
        "aborts" => run(Steps { in_three: Some(|| std::process::abort()), ..Steps::default() }),
        "fails" => run(Steps { in_three: Some(|| Err(LabError::new("no more steps"))), ..Steps::default() }),
        "hangs" => {
            let two_minutes = || {
                std::thread::sleep(Duration::from_secs(120));
                Ok(())
            };
            run(Steps { in_three: Some(two_minutes), ..Steps::default() })
        }
        "changed" => run(Steps { shrinks: Some(0.25), ..Steps::default() }),
        "not deterministic" => run(Steps { offset: f64::from(std::process::id()) / 1e6, ..Steps::default() }),
        "another one each time" => {
            let experiment = experiment(&folder.join("out"), Steps::default());
            experiment.seed(u64::from(std::process::id())).run(&Silent)
        }
        "slow" => {
            let slow = algorithm::<DiagonalDecoding>("slow").policy(Bipop::new().restarts(None));
            let experiment = CocoExperiment::new(folder.join("out")).algorithm(slow).functions([3, 4, 24]);
            experiment.dimensions([5]).instances(1..=4).budget_multiplier(3000).run(&Silent)
        }
        _ => panic!("there is no scenario {name}"),
    }
}

const SCENARIO: &str = "COCO_TEST_SCENARIO";
const FOLDER: &str = "COCO_TEST_FOLDER";

/// The program that the tests start. Without a scenario it is a test itself, and starts the program once.
#[test]
fn program() {
    let Ok(name) = std::env::var(SCENARIO) else {
        let folder = tempfile::tempdir().unwrap();
        assert!(run("plain", folder.path()).contains("steps, halved"));
        return assert_eq!(trials_on_record(&folder.path().join("out")), 16);
    };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    match scenario(&name, &folder) {
        Ok(outcomes) => println!("{}", outcomes.table()),
        Err(error) => println!("error: {error}"),
    }
}

fn start(scenario: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "coco::program", "--nocapture"]).env(SCENARIO, scenario).env(FOLDER, folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn run(scenario: &str, folder: &Path) -> String {
    let output = start(scenario, folder).wait_with_output().unwrap();
    assert!(output.status.success(), "{scenario}: {}", said(&output));
    said(&output)
}

/// Returns the one-line error of an experiment that was refused.
fn refused(scenario: &str, folder: &Path) -> String {
    let said = run(scenario, folder);
    let error = said.lines().find_map(|line| line.strip_prefix("error: "));
    error.unwrap_or_else(|| panic!("{scenario}: {said}")).to_string()
}

/// Returns every file by its path, except the records, whose order is that of arrival.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(folder_here) = folders.pop() {
        for entry in fs::read_dir(&folder_here).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap() != "records.jsonl" {
                files.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

fn trials_on_record(out: &Path) -> usize {
    let records = fs::read_to_string(out.join("records.jsonl")).unwrap_or_default();
    records.lines().filter(|line| line.contains("\"trial\":")).count()
}

#[test]
fn any_algorithm_is_observed_by_coco_whatever_the_program_prints() {
    let [quiet, loud] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let said = run("plain", quiet.path());
    assert!(said.contains("steps, halved") && said.contains("behind dd"), "{said}");
    run("prints", loud.path());
    let (quiet, loud) = (files(&quiet.path().join("out")), files(&loud.path().join("out")));
    assert_eq!(quiet, loud);
    let csv = &quiet[Path::new("problems.csv")];
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 2 * 2);
    let row =
        csv.lines().find(|line| line.starts_with("bbob-f1,3,2,\"steps, halved\",,")).expect("a row for each problem");
    let evaluations = row.split(',').nth(6).unwrap();
    let info = &quiet[Path::new("steps-halved/f01-n3-i2/bbobexp_f1_i2.info")];
    assert!(info.contains("algId = 'steps-halved'") && info.contains(&format!(", 2:{evaluations}|")), "{info} {row}");
    assert!(!quiet.keys().any(|name| name.starts_with("unfinished")));
}

#[test]
fn two_experiments_of_one_program_do_not_take_each_others_processes() {
    let folder = tempfile::tempdir().unwrap();
    let said = run("two", folder.path());
    let hits: u64 = said.lines().find_map(|line| line.strip_prefix("hits: ")?.parse().ok()).unwrap();
    let [first, second] = ["first", "out"].map(|name| folder.path().join(name));
    assert_eq!((trials_on_record(&first), trials_on_record(&second)), (16, 16));
    // The second one has a seed that depends on the results of the first, also in each of its processes.
    let records = fs::read_to_string(second.join("records.jsonl")).unwrap();
    assert!(
        (3..=18).contains(&hits) && records.lines().next().unwrap().contains(&format!("\"seed\":{hits}")),
        "{records}"
    );
    assert_ne!(files(&first), files(&second));
    assert_eq!(trials_on_record(&folder.path().join("local")), 2);
}

#[test]
fn problems_whose_process_panics_or_dies_are_named_and_the_others_are_kept() {
    for (scenario, words) in [
        ("panics", "bbob-f1/n=3/i=1/steps, halved: out of steps (and 3 more); the others are on record"),
        ("dies", "bbob-f1/n=3/i=1/steps, halved: its process died, exit status: 7"),
        #[cfg(unix)]
        ("aborts", "bbob-f1/n=3/i=1/steps, halved: its process died, signal: 6 (SIGABRT)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let error = refused(scenario, folder.path());
        assert!(error.contains(words), "{error}");
        assert_eq!(trials_on_record(&out), 12, "all but those of the steps in three dimensions");
        assert!(!out.join("unfinished").exists());
        run("plain", folder.path());
        assert_eq!(trials_on_record(&out), 16);
    }
}

#[test]
fn an_algorithm_that_fails_ends_the_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused("fails", folder.path());
    assert!(error.starts_with("bbob-f") && error.ends_with("/steps, halved: no more steps"), "{error}");
    assert!(trials_on_record(&folder.path().join("out")) < 12);
}

#[test]
fn records_of_another_algorithm_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    run("plain", folder.path());
    let before = files(folder.path());
    assert_eq!(
        refused("changed", folder.path()),
        "the records were made by other code: algorithm steps, halved has changed: choose another folder, or remove this one"
    );
    assert_eq!(files(folder.path()), before);
}

#[test]
fn programs_that_differ_from_process_to_process_are_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused("not deterministic", folder.path());
    assert!(error.contains("return false from its `is_deterministic`"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let error = refused("another one each time", folder.path());
    assert!(error.contains("it must run the same experiments each time"), "{error}");
}

#[test]
fn a_killed_experiment_goes_on_where_it_was() {
    let [whole, killed] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    run("slow", whole.path());
    let out = killed.path().join("out");
    let desks = || fs::read_dir(out.join("unfinished")).map_or(0, Iterator::count);
    let mut process = start("slow", killed.path());
    let begin = Instant::now();
    while (trials_on_record(&out) < 2 || desks() == 0) && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let before = trials_on_record(&out);
    assert!((2..12).contains(&before), "{before} trials when it was killed");
    run("slow", killed.path());
    assert_eq!(files(killed.path()), files(whole.path()));
    assert_eq!(trials_on_record(&out), 12);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_experiment_ends_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("{FOLDER}={}", folder.path().display()).into_bytes();
    let is_ours = |entry: &fs::DirEntry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark)
    };
    let processes = || fs::read_dir("/proc").unwrap().flatten().filter(is_ours).count();
    let wait_for = |condition: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !condition() && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(10));
        }
        condition()
    };
    let mut process = start("hangs", folder.path());
    let begun = |desk: &fs::DirEntry| desk.path().join("begun").is_file();
    let unfinished = || fs::read_dir(folder.path().join("out/unfinished"));
    let desks = || unfinished().map_or(0, |desks| desks.flatten().filter(begun).count());
    assert!(wait_for(&|| desks() > 0 && processes() > 1), "a process has come to its problem, and sleeps there");
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(wait_for(&|| processes() == 0), "{} processes live on", processes());
}

#[test]
fn cocos_functions_are_problems_of_any_experiment() {
    let experiment =
        Experiment::new().algorithms([dd(), sep()]).problems(coco::functions(["bbob-f1", "bbob-f10"]).unwrap());
    let experiment = experiment.problems(suite(["sphere"]).unwrap()).dimensions([2]).trials(2);
    let outcomes = experiment.run(&Silent).unwrap();
    let keys: Vec<String> = outcomes.iter().map(|(planned, _)| planned.to_string()).collect();
    assert_eq!((keys.len(), keys[0].as_str()), (12, "bbob-f1/n=2/dd/lambda=6/seed=1"));
    // The target is 1e-8 above the minimum, which is not 0 in COCO.
    let of_f1: Vec<_> = outcomes.iter().filter(|(planned, _)| planned.problem == "bbob-f1").collect();
    assert!(of_f1.len() == 4 && of_f1.iter().all(|(_, outcome)| outcome.success && outcome.best_f >= 0.0));
    let experiment = || Experiment::new().algorithm(dd()).problems(coco::functions(["bbob-f1"]).unwrap());
    let error = |experiment: Experiment| experiment.run(&Silent).unwrap_err().to_string();
    assert_eq!(error(experiment().dimensions([4])), "n must be one of 2, 3, 5, 10, 20, 40 for bbob, got 4");
    assert!(
        error(experiment().dimensions([2]).first_seed(0))
            .starts_with("the number of an instance of COCO must be from 1 to")
    );
}

/// COCO's f19, on which σ grows without bound while D and C shrink.
#[test]
fn runs_that_creep_leave_their_budget_to_others() {
    let with = dd().named("with").criteria(StopCriteria::new().abandon(None)).policy(Ipop::new());
    let without = dd().named("without").criteria(StopCriteria::new().abandon(None).creeping(None)).policy(Ipop::new());
    let f19 = coco::functions(["bbob-f19"]).unwrap();
    let experiment = Experiment::new().algorithms([with, without]).problems(f19).dimensions([5]);
    let outcomes = experiment.trials(6).budget_per_variable(20_000).jobs(2).run(&Silent).unwrap();
    let runs = |name: &str| {
        let of_name = outcomes.iter().filter(|(planned, _)| planned.algorithm == name);
        of_name.map(|(_, outcome)| outcome.notes["runs"]).sum::<f64>()
    };
    assert!(runs("with") > 1.2 * runs("without"), "{} and {}", runs("with"), runs("without"));
}
