//! `cargo xtask restarts` writes the same files after interruptions and with any number of threads.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn restarts(out: &Path, arguments: &[&str]) -> Output {
    let small =
        ["restarts", "--dims", "2", "--trials", "2", "--budget", "2000", "--functions", "rastrigin,bohachevsky"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(small).args(arguments).arg("--out").arg(out).output().expect("the binary runs")
}

fn files(out: &Path) -> Vec<(String, String)> {
    let names = ["trials.csv", "table.txt", "problems.svg", "runtimes.svg"];
    names.map(|name| (name.to_string(), fs::read_to_string(out.join(name)).expect(name))).to_vec()
}

#[test]
fn threads_and_interruptions_do_not_change_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two, cut] = ["one", "two", "cut"].map(|name| folder.path().join(name));
    assert!(restarts(&one, &["--jobs", "1"]).status.success());
    assert!(restarts(&two, &["--jobs", "3"]).status.success());
    let expected = files(&one);
    assert_eq!(files(&two), expected);

    // What a killed process leaves: some lines, the last one incomplete.
    let records = fs::read(one.join("records.jsonl")).unwrap();
    for length in [10, 95, records.len() / 3, records.len() - 1] {
        fs::create_dir_all(&cut).unwrap();
        fs::write(cut.join("records.jsonl"), &records[..length]).unwrap();
        assert!(restarts(&cut, &[]).status.success(), "{length} bytes");
        assert_eq!(files(&cut), expected, "{length} bytes");
        fs::remove_dir_all(&cut).unwrap();
    }

    let header = "function,rotated,n,strategy,policy,trial,seed,success,evaluations,runs,largest_lambda,best_f,stop";
    let csv = &expected[0].1;
    assert_eq!(csv.lines().next(), Some(header));
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 3 * 6);
    assert!(csv.lines().skip(1).all(|line| line.split(',').count() == header.split(',').count()));
    for (name, text) in &expected[2..] {
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{name}");
        assert_eq!(text.matches("<svg").count(), 1);
    }
}

#[test]
fn records_of_another_configuration_are_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let few = ["--policies", "ipop", "--strategies", "sep"];
    assert!(restarts(out, &few).status.success());
    let before = fs::read(out.join("records.jsonl")).unwrap();
    let other = restarts(out, &[&few[..], &["--target", "1e-3"]].concat());
    assert_eq!(other.status.code(), Some(2));
    let message = String::from_utf8(other.stderr).unwrap();
    assert!(message.contains("target must be 0.001, got 1e-8") && message.lines().count() == 1, "{message}");
    assert_eq!(fs::read(out.join("records.jsonl")).unwrap(), before);
    // More trials of the same configuration can be added.
    assert!(restarts(out, &["--policies", "ipop,bipop", "--strategies", "sep"]).status.success());
    assert!(fs::read(out.join("records.jsonl")).unwrap().starts_with(&before));
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for arguments in [
        &["--functions", "rastrigi"][..],
        &["--functions", "sphere-rotated"],
        &["--functions", "bohachevsky", "--dims", "1"],
        &["--dims", "0"],
        &["--policies", "none"],
        &["--trials", "0"],
        &["--target", "NaN"],
        &["--target", "inf"],
        &["--target=-inf"],
        &["--sigma", "0"],
        &["--jobs", "0"],
        &["--seed", "18446744073709551615"],
        &["--budget", "18446744073709551615"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let output = command.arg("restarts").args(arguments).arg("--out").arg(&out).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1, "{arguments:?}");
        assert!(!out.exists(), "nothing was begun: {arguments:?}");
    }
    // A finite step size that is so large that candidates overflow.
    let output =
        restarts(&folder.path().join("far"), &["--sigma", "1e307", "--policies", "ipop", "--strategies", "sep"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("is out of range: candidates with mean"));

    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let output = restarts(&file.join("out"), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
}

#[test]
fn what_is_not_a_file_of_records_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let few = ["--policies", "ipop", "--strategies", "sep"];
    let other = b"{\"experiment\":\"compare\",\"configuration\":{}}\n";
    for contents in [&b"hello\n"[..], b"\xff\xfe\n", other, b"one line without an end", b"first\nsecond without an end"]
    {
        fs::write(folder.path().join("records.jsonl"), contents).unwrap();
        let output = restarts(folder.path(), &few);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(fs::read(folder.path().join("records.jsonl")).unwrap(), contents, "and left alone");
    }
}

#[test]
fn what_is_given_twice_is_done_once_and_infinite_values_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let twice = [
        "--policies",
        "ipop,ipop",
        "--strategies",
        "sep,sep",
        "--sigma",
        "1e200",
        "--functions",
        "rastrigin,rastrigin",
    ];
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        let small = ["restarts", "--dims", "2,2", "--trials", "2", "--budget", "2000"];
        command.args(small).args(twice).arg("--out").arg(folder.path()).output().unwrap()
    };
    assert!(run().status.success());
    let csv = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3);
    assert!(csv.contains("inf"), "{csv}");
    let again = run();
    assert!(String::from_utf8(again.stderr).unwrap().contains("2 of 2 trials are on record"));
    assert_eq!(fs::read_to_string(folder.path().join("trials.csv")).unwrap(), csv);
}

#[test]
fn applied_problems_have_their_own_dimension_and_budget() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["restarts", "--functions", "lqr-naive,alpha-pinene", "--policies", "bipop", "--strategies", "dd,sep"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(arguments).args(["--trials", "2", "--out"]).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let csv = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 2);
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let n = if cells[0] == "lqr-naive" { "4" } else { "5" };
        assert_eq!((cells[2], cells[7]), (n, "1"), "{line}");
    }
}
