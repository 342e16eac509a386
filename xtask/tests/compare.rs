//! `cargo xtask compare` writes the same files after being killed and with any number of threads, and rejects invalid input.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn xtask(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("compare").args(arguments).arg("--out").arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], out: &Path) -> Output {
    xtask(arguments, out).output().expect("the binary runs")
}

/// Returns all files except the records, whose order is that of arrival, and without the times, which always differ.
fn files(out: &Path) -> Vec<(String, String)> {
    let names = ["trials.csv", "table.txt", "index.html", "dimensions.svg", "runtimes.svg", "convergence.svg"];
    let read = |name: &str| {
        let text = fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let without_time = |line: &str| line.rsplit_once(',').map_or(line, |(rest, _)| rest).to_string();
        let text =
            if name.ends_with("csv") { text.lines().map(without_time).collect::<Vec<_>>().join("\n") } else { text };
        (name.to_string(), text)
    };
    names.map(read).to_vec()
}

const SMALL: [&str; 6] = ["--functions", "sphere,discus-rotated", "--dims", "2,4", "--trials", "3"];

#[test]
fn threads_do_not_change_the_files_and_pictures_are_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let (one, three) = (folder.path().join("one"), folder.path().join("three"));
    let output = run(&[&SMALL[..], &["--jobs", "1"]].concat(), &one);
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("discus-rotated") && printed.contains("index.html"), "{printed}");
    assert!(run(&[&SMALL[..], &["--jobs", "3"]].concat(), &three).status.success());
    assert_eq!(files(&one), files(&three));

    for (name, text) in files(&one) {
        if name.ends_with("svg") {
            let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(document.root_element().tag_name().name(), "svg");
            assert!(
                document.descendants().filter(|node| node.has_tag_name("polyline")).count() > 3,
                "{name} has lines"
            );
        }
    }
    let csv = fs::read_to_string(one.join("trials.csv")).unwrap();
    let header =
        "function,rotated,n,strategy,lambda,trial,seed,success,evaluations,iterations,best_f,stop,internal_seconds";
    assert_eq!(csv.lines().next(), Some(header));
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 3 * 3);
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), 13);
        let [lambda, evaluations, iterations] = [4, 8, 9].map(|k| cells[k].parse::<u64>().unwrap());
        assert_eq!(evaluations, lambda * iterations);
        let reached = cells[10].parse::<f64>().unwrap() <= 1e-8;
        assert_eq!((cells[7] == "1", cells[11] == "target"), (reached, reached), "{line}");
        assert!(reached || cells[3] == "sep", "only sep fails here: {line}");
    }
}

#[test]
fn a_process_that_is_killed_again_and_again_ends_with_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let (undisturbed, killed) = (folder.path().join("undisturbed"), folder.path().join("killed"));
    let work = ["--functions", "ellipsoid-rotated,rosenbrock", "--dims", "5,8", "--trials", "9", "--jobs", "2"];
    assert!(run(&work, &undisturbed).status.success());
    let mut kills = 0;
    let recorded = || fs::metadata(killed.join("records.jsonl")).map_or(0, |metadata| metadata.len());
    for round in 0..8u64 {
        let before = recorded();
        let mut child = xtask(&work, &killed).spawn().expect("the binary runs");
        // Every second time, wait until it has done something, however slow the machine is.
        while round % 2 == 1 && recorded() < before + 500 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // Independent moments, spread over the time that it takes.
        std::thread::sleep(Duration::from_millis((round * 37) % 90));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    assert!(kills > 0, "it was killed at least once");
    let last = run(&work, &killed);
    assert!(last.status.success());
    let message = String::from_utf8(last.stderr).unwrap();
    assert!(
        message.contains("of 108 trials are on record"),
        "what was done before the kills is not done again: {message}"
    );
    assert_eq!(files(&killed), files(&undisturbed));

    // A trial whose line is incomplete is run again.
    let records = killed.join("records.jsonl");
    let bytes = fs::read(&records).unwrap();
    fs::write(&records, &bytes[..bytes.len() - 25]).unwrap();
    let output = run(&work, &killed);
    assert!(String::from_utf8(output.stderr).unwrap().contains("107 of 108 trials are on record"));
    assert_eq!(files(&killed), files(&undisturbed));
}

#[test]
fn settings_change_what_is_run_and_are_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    assert!(run(&SMALL, &out).status.success());
    let usual = files(&out);
    let output = run(&[&SMALL[..], &["--target", "1e-3"]].concat(), &out);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("target must be 0.001, got 1e-8") && message.lines().count() == 1, "{message}");
    assert_eq!(files(&out), usual, "nothing was touched");

    // Variants of one strategy are listed side by side, under the names that were given.
    let variants = ["--algorithms", "dd,dd:active=false,dd:active=false:beta_eig=10"];
    let output = run(&[&SMALL[..], &variants].concat(), &out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let csv = fs::read_to_string(out.join("trials.csv")).unwrap();
    let of = |name: &str| -> Vec<&str> {
        let evaluations = |line: &'_ str| line.split(',').nth(3) == Some(name);
        csv.lines().filter(|line| evaluations(line)).map(|line| line.split(',').nth(8).unwrap()).collect()
    };
    assert_eq!(of("dd").len(), 2 * 2 * 3);
    assert_eq!(of("dd:active=false").len(), 2 * 2 * 3);
    assert_ne!(of("dd"), of("dd:active=false"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("12 of 36 trials are on record"), "those of dd");
    let lambdas = folder.path().join("lambdas");
    assert!(
        run(
            &[&SMALL[..], &["--lambda", "8,16", "--csv", &lambdas.with_extension("csv").to_string_lossy()]].concat(),
            &lambdas
        )
        .status
        .success()
    );
    let csv = fs::read_to_string(lambdas.with_extension("csv")).unwrap();
    assert_eq!(csv.lines().filter(|line| line.contains(",16,")).count(), 2 * 2 * 3 * 3);
}

#[test]
fn bad_input_is_exit_code_2_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (arguments, message) in [
        (&["--functions", "spher"][..], "there is no function \"spher\""),
        (&["--functions", "all,spher"], "there is no function \"spher\""),
        (&["--csv", "/no/such/folder/trials.csv"], "this folder must exist"),
        (&["--functions", "sphere-rotated"], "sphere has no rotated form"),
        (&["--dims", "0"], "a whole number from 1"),
        (&["--dims", "abc"], "a whole number from 1"),
        (&["--functions", "rosenbrock", "--dims", "1"], "rosenbrock"),
        (&["--strategies", "de"], "there is no algorithm \"de\""),
        (&["--strategies", "sep:beta_eig=10"], "sep has no parameter \"beta_eig\""),
        (&["--algorithms", "dd:beta=1"], "dd has no parameter \"beta\": choose one of sigma, lambda, active"),
        (&["--algorithms", "dd:c_1=7"], "c_1"),
        (&["--algorithms", "dd:c_1=x"], "c_1 must be a number, got \"x\""),
        (&["--algorithms", "dd:active"], "must have the form NAME=VALUE, got \"active\""),
        (
            &["--algorithms", "dd", "--baseline", "sep"],
            "there is no algorithm \"sep\" for the baseline: choose one of dd",
        ),
        (&["--lambda", "1"], "a whole number from 2"),
        (&["--target", "NaN"], "the target must be finite, got NaN"),
        (&["--seed", "18446744073709551615"], "must be below 2^64, but the first is 18446744073709551615"),
        (&["--budget", "18446744073709551615"], "must be at most 2^64 − 1, got"),
        (&["--trials", "0"], "0 is not in"),
    ] {
        let output = run(arguments, &out);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.lines().next().is_some_and(|line| line.contains(message)), "{arguments:?}: {stderr}");
        assert!(output.stdout.is_empty() && !out.exists(), "nothing was begun: {arguments:?}");
    }
    let records = folder.path().join("other/../out/records.jsonl");
    fs::create_dir(folder.path().join("other")).unwrap();
    assert!(run(&SMALL, &out).status.success());
    let output = run(&[&SMALL[..], &["--csv", &records.to_string_lossy()]].concat(), &out);
    assert_eq!(output.status.code(), Some(2), "the records by another path");
    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let output = run(&SMALL, &file.join("out"));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("file/out"));
}

#[test]
fn two_at_once_do_not_write_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    // Far more work than the second one needs to notice the first, which is then killed.
    let work = ["--functions", "rosenbrock", "--dims", "40", "--trials", "10000", "--jobs", "1"];
    let mut first = xtask(&work, folder.path()).spawn().expect("the binary runs");
    while !folder.path().join("records.jsonl").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first one has begun");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(50));
    let second = run(&work, folder.path());
    let still_running = first.try_wait().unwrap().is_none();
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(still_running, "the first one was at work all the time");
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8(second.stderr).unwrap().contains("another process is writing here"));
}

#[test]
fn applied_problems_have_names_and_dimensions_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--functions", "lqr,gp-naive,sphere", "--dims", "3", "--algorithms", "dd,plain", "--trials", "2"];
    let output = run(&arguments, folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let csv = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    let mut seen: Vec<String> =
        csv.lines().skip(1).map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    seen.dedup();
    assert_eq!(seen, ["lqr,0,4", "gp-naive,0,5", "sphere,0,3"], "in the order of the command line");
    assert!(csv.lines().skip(1).all(|line| line.split(',').nth(7) == Some("1")), "{csv}");
    let output = run(&["--functions", "gpp"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("there is no function \"gpp\"") && error.contains("applied"), "{error}");
}
