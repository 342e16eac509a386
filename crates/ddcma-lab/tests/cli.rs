//! A custom command line: the example `own_command_line`, as a process.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn program(arguments: &[&str]) -> Output {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("in a folder of its own");
    let example = folder.join("examples/own_command_line").with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(&example).args(arguments).output();
    output.unwrap_or_else(|error| panic!("{}: {error}; cargo test --workspace builds it", example.display()))
}

fn succeeds(arguments: &[&str]) -> String {
    let output = program(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

fn fails(arguments: &[&str]) -> String {
    let output = program(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    let message = String::from_utf8(output.stderr).expect("the message is text");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

#[test]
fn everything_custom_takes_part_without_being_named() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "out");
    let table = succeeds(&["compare", "--dims", "2", "--trials", "3", "--out", &out]);
    for name in ["valley", "dd, slow", "coordinates", "plain", "sep"] {
        assert!(table.contains(name), "{name}: {table}");
    }
    let table = succeeds(&[
        "restarts",
        "--dims",
        "2",
        "--trials",
        "2",
        "--strategies",
        "dd,coordinates",
        "--out",
        &path(folder.path(), "r"),
    ]);
    for name in ["valley", "dd/thrice", "dd/bipop", "coordinates"] {
        assert!(table.contains(name), "{name}: {table}");
    }
}

#[test]
fn names_with_commas_variants_and_custom_parameters_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(folder.path(), "out");
    let list = "dd, slow:active=false,coordinates:divisor=4,dd";
    succeeds(&["compare", "--algorithms", list, "--dims", "2", "--trials", "2", "--out", &out]);
    let csv = fs::read_to_string(folder.path().join("out/trials.csv")).unwrap();
    for name in [",\"dd, slow:active=false\",", ",coordinates:divisor=4,", ",dd,"] {
        assert_eq!(csv.lines().filter(|line| line.contains(name)).count(), 2, "{name}: {csv}");
    }
}

#[test]
fn halves_made_apart_give_the_report_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, first, second, merged] = ["whole", "first", "second", "merged"].map(|name| path(folder.path(), name));
    let work = ["compare", "--algorithms", "dd,coordinates", "--dims", "2,3"];
    succeeds(&[&work[..], &["--trials", "4", "--out", &whole]].concat());
    succeeds(&[&work[..], &["--trials", "2", "--out", &first]].concat());
    succeeds(&[&work[..], &["--trials", "2", "--seed", "3", "--out", &second]].concat());
    succeeds(&["merge", &merged, &second, &first]);
    succeeds(&["report", &merged]);
    let files = |folder: &str| -> Vec<(String, String)> {
        let mut files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "records.jsonl")
            .map(|name| (name.clone(), fs::read_to_string(Path::new(folder).join(&name)).unwrap()))
            .map(|(name, text)| if name == "trials.csv" { (name, without_times(&text)) } else { (name, text) })
            .collect();
        files.sort();
        files
    };
    assert!(files(&whole).len() > 4);
    let same = |a: Vec<(String, String)>, b: Vec<(String, String)>| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(&b).for_each(|(a, b)| assert!(a == b, "{} and {} differ", a.0, b.0));
    };
    same(files(&merged), files(&whole));
    // And again, from the records of the whole experiment.
    let before = files(&whole);
    succeeds(&["report", &whole]);
    same(files(&whole), before);
}

/// Removes the last column, the time, which is never the same.
fn without_times(csv: &str) -> String {
    csv.lines().map(|line| line.rsplit_once(',').map_or(line, |(rest, _)| rest)).collect::<Vec<_>>().join("\n")
}

#[test]
fn mistakes_are_one_line() {
    for (arguments, expected) in [
        (
            &["compare", "--algorithms", "coordinates:factor=2"][..],
            "coordinates has no parameter \"factor\": choose one of divisor",
        ),
        (
            &["compare", "--algorithms", "coordinate"],
            "there is no algorithm \"coordinate\" (did you mean coordinates?): choose one of plain, sep, dd,",
        ),
        (&["compare", "--functions", "valleys"], "there is no function \"valleys\""),
        (&["restarts", "--policies", "thrice:factor=2"], "thrice takes no parameters, got \"factor\""),
        (&["restarts", "--policies", "twice"], "there is no policy \"twice\": choose one of independent, ipop,"),
        (
            &["trace", "valley/n=2", "--algorithm", "coordinates"],
            "coordinates has no generations to draw: choose a strategy of ddcma-core",
        ),
        (&["report", "no/such/folder"], "no/such/folder"),
        (&["compar"], "compar"),
    ] {
        let message = fails(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn help_speaks_of_this_program() {
    let help = succeeds(&["compare", "--help"]);
    assert!(help.contains("Example: own_command_line compare --algorithms"), "{help}");
    assert!(!help.contains("xtask"), "{help}");
}
