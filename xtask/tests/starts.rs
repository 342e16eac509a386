//! `cargo xtask warm-start` and `box-start` print the same tables from records and with any number of threads.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the table that a command prints and writes.
fn table(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let out = folder.join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).arg("--out").arg(&out).output();
    let output = output.expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tables = fs::read_to_string(out.join("tables.md")).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), tables.trim_end());
    tables
}

#[test]
fn warm_starts_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, jobs: &str| {
        table(folder.path(), name, &["warm-start", "--dim", "8", "--trials", "2", "--jobs", jobs])
    };
    let text = run("one", "1");
    assert_eq!(run("one", "2"), text, "from its records");
    assert_eq!(run("two", "2"), text);
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with("| ellipsoid")).map(|line| line.split('|').collect()).collect();
    assert_eq!(rows.len(), 12, "{text}");
    // With an angle of 0, the learned shape is still right.
    let row = rows.iter().find(|row| row[1..4] == [" ellipsoid-rotated ", " plain ", " 0 "]).expect("it has a row");
    for ratio in &row[6..10] {
        let ratio: f64 = ratio.split_whitespace().next().unwrap().parse().unwrap();
        assert!(ratio < 0.9, "{text}");
    }
}

#[test]
fn fractions_of_a_box_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, jobs: &str| {
        table(folder.path(), name, &["box-start", "--dims", "2", "--trials", "2", "--jobs", jobs])
    };
    let text = run("one", "1");
    assert_eq!(run("one", "2"), text, "from its records");
    assert_eq!(run("two", "2"), text);
    let sphere = text.lines().find(|line| line.starts_with("| sphere |")).expect("it has a row");
    let evaluations: Vec<f64> = sphere.split('|').skip(2).filter_map(|cell| cell.trim().parse().ok()).collect();
    assert_eq!(evaluations.len(), 6, "n, and five fractions: {sphere}");
    assert!(evaluations[1..].iter().all(|count| (50.0..1000.0).contains(count)), "{sphere}");
}
