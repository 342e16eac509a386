//! Samples of error messages of every kind, made by the code that reports them, for the record in `docs/messages.txt`.

#[allow(unused_macros, reason = "the macro is for errors with variants")]
mod record;

use std::fs;
use std::path::Path;

use clap::Parser;

use crate::experiment::{Entry, note_maker};
use crate::records::{FILE, Records};
use crate::{
    AppliedFamily, Choices, Experiment, Family, LabError, LabErrorKind, OwnProblem, ReportOptions, Silent, cli, dd,
    family, pool, suite,
};

#[test]
fn the_messages_are_the_recorded_ones() {
    let mut text = String::new();
    let samples =
        [of_choices(), of_commands(), of_experiments(), of_reports(), of_courses(), of_records(), of_makers()];
    let samples: Vec<LabError> = samples.into_iter().flatten().chain([of_panic()]).collect();
    let kinds = [
        (LabErrorKind::Input, "Input"),
        (LabErrorKind::File, "File"),
        (LabErrorKind::Records, "Records"),
        (LabErrorKind::Changed, "Changed"),
        (LabErrorKind::Panic, "Panic"),
    ];
    for sample in &samples {
        match sample.kind() {
            // A new kind needs a name above, and a sample.
            LabErrorKind::Input
            | LabErrorKind::File
            | LabErrorKind::Records
            | LabErrorKind::Changed
            | LabErrorKind::Panic => {}
        }
    }
    let of_kind = |(kind, name): (LabErrorKind, &'static str)| {
        let found: Vec<_> =
            samples.iter().filter(|sample| sample.kind() == kind).map(|sample| (name, sample)).collect();
        assert!(!found.is_empty(), "{name} has no sample");
        found
    };
    record::write_type(&mut text, "LabError", &kinds.into_iter().flat_map(of_kind).collect::<Vec<_>>());
    record::compare("ddcma-lab", &text);
}

fn refused<T>(result: Result<T, LabError>) -> LabError {
    result.err().expect("it is refused")
}

fn of_choices() -> Vec<LabError> {
    let choices = |text: &str| text.parse::<Choices>();
    let choose = |text: &str| refused(dd().choose(choices(text).expect("choices")));
    vec![
        refused(choices("active")),
        refused(choices("c_1=0.1:c_1=0.2")),
        refused(choices("restarts=5").and_then(|choices| choices.done("ipop", &["factor", "sigma_divisor"]))),
        refused(choices("factor=5").and_then(|choices| choices.done("independent", &[]))),
        choose("sigma=-1"),
        choose("method=3"),
        choose("creeping=false"),
        choose("beta=1"),
        refused(suite(["spheer"])),
        refused(suite(["sphere-rotated"])),
        refused(AppliedFamily::from_name("vesel")),
        refused(AppliedFamily::from_name("vessel").and_then(|vessel| vessel.with(3, 1, &mut |_| {}))),
    ]
}

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: cli::Command,
}

/// Returns the errors of command lines that are rejected before any work starts.
fn of_commands() -> Vec<LabError> {
    let refusal = |arguments: &str| {
        let line = Line::try_parse_from(std::iter::once("program").chain(arguments.split(' '))).expect("it is parsed");
        refused(cli::cli().run(&line.command))
    };
    [
        "compare --algorithms de",
        "compare --functions spher",
        "compare --algorithms dd --baseline sep",
        "compare --csv /no/such/folder/trials.csv",
        "restarts --policies twice",
        "restarts --policies bipop:budget_share=-1",
        "trace ellcig/5",
        "trace ellcig --out x.png",
        "trace ellcig --algorithm sep,dd",
    ]
    .map(refusal)
    .into()
}

fn sphere() -> impl Family {
    family("bowl", |_, _| Ok(OwnProblem::new(|x: &[f64]| x.iter().map(|x| x * x).sum(), vec![1.0; 3], 1.0)))
}

fn of_experiments() -> Vec<LabError> {
    let error = |experiment: Experiment| refused(experiment.run(&Silent));
    let bowl = || Experiment::new().problem(sphere()).algorithm(dd());
    vec![
        error(Experiment::new().problem(sphere())),
        error(bowl().algorithm(dd())),
        error(bowl().target(f64::NAN)),
        error(bowl().first_seed(u64::MAX)),
        error(bowl().budget_per_variable(u64::MAX)),
        error(bowl().dimensions([4])),
        error(bowl().dimensions([3]).lambdas([1])),
    ]
}

fn of_reports() -> Vec<LabError> {
    let bowl = |trials: u32| {
        let experiment = Experiment::new().problem(sphere()).algorithm(dd()).dimensions([3]).trials(trials);
        experiment.run(&Silent).expect("outcomes")
    };
    let error = |options: ReportOptions| refused(bowl(1).report(&options));
    vec![
        error(ReportOptions::new().level(5.0)),
        error(ReportOptions::new().baseline("DD")),
        refused(bowl(0).report(&ReportOptions::new())),
    ]
}

fn of_courses() -> Vec<LabError> {
    let head = "evaluations,best_f,sigma,beta,d_0,axis_0";
    let error = |text: &str| refused(crate::course::of_csv(text));
    vec![
        error(""),
        error("evaluations,best_f,sigma"),
        error(head),
        error(&format!("{head}\n6,1,1,1,1")),
        error(&format!("{head}\n6,1,1,1,x,1")),
    ]
}

/// Files that are not records, that are damaged, and that belong to others; `FOLDER` stands for the folder.
fn of_records() -> Vec<LabError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(FILE);
    let open = |experiment: &str, target: f64| {
        let configuration = serde_json::json!({ "format": 2, "target": target });
        Records::<f64>::open(folder.path(), experiment, &configuration)
    };
    let mut samples = Vec::new();
    for contents in [&b"hello\n"[..], b"\xff\xfe\n", b"without an end of line"] {
        fs::write(&path, contents).expect("a file");
        samples.push(refused(open("lab", 1e-8)));
    }
    fs::remove_file(&path).expect("a file");
    let mut records = open("lab", 1e-8).expect("records");
    records.append("key".to_string(), 1.5).expect("a record");
    samples.push(refused(open("lab", 1e-8)));
    drop(records);
    samples.extend([refused(open("coco", 1e-8)), refused(open("lab", 1e-3))]);
    let good = fs::read_to_string(&path).expect("a file");
    fs::write(&path, good.replace("1.5", "2.5")).expect("a file");
    samples.push(refused(open("lab", 1e-8)));
    samples.into_iter().map(|error| without_folder(&error, folder.path())).collect()
}

fn without_folder(error: &LabError, folder: &Path) -> LabError {
    let text = error.to_string().replace(&folder.display().to_string(), "FOLDER");
    LabError::of(error.kind(), text.replace('\\', "/"))
}

fn of_makers() -> Vec<LabError> {
    let refused = |now: (&str, &str)| {
        let mut records: Records<Entry> = Records::in_memory();
        let mut note = |(by, bits): (&str, &str)| {
            note_maker(&mut records, "algorithm mine", (by.to_string(), Some(bits.to_string())))
        };
        note(("c_mu: 0.1", "1234")).expect("the first one is noted");
        refused(note(now))
    };
    vec![refused(("c_mu: 0.2", "1234")), refused(("c_mu: 0.1", "5678"))]
}

fn of_panic() -> LabError {
    let mut records: Records<f64> = Records::in_memory();
    let trial = |seed: &u64| -> Result<f64, LabError> { panic!("the simulator crashed in trial {seed}") };
    refused(pool::run(&[1, 2], |seed| format!("bowl/n=3/mine/seed={seed}"), Some(1), &mut records, &Silent, trial))
}
