//! If a disk is full or a folder cannot be written, an experiment ends with a one-line error; afterwards, the same command completes it with
//! the same files. The test works for any user: a limit on the size of files simulates a full disk.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const WORK: [&str; 8] = ["--functions", "sphere,ellipsoid", "--dims", "2,3", "--trials", "4", "--jobs", "2"];

/// Runs with files of at most this many blocks, of 512 or 1024 bytes depending on the shell; writing more is an error.
fn compare(out: &Path, blocks: Option<u32>) -> Output {
    let limit = blocks.map_or(String::new(), |blocks| format!("trap '' XFSZ; ulimit -f {blocks}; "));
    let script = format!("{limit}exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_xtask"), "compare"]).args(WORK).arg("--out").arg(out);
    command.output().expect("a shell runs")
}

/// Returns the measurements, without the times.
fn rows(out: &Path) -> Vec<String> {
    let csv = fs::read_to_string(out.join("trials.csv")).expect("a table");
    csv.lines().map(|line| line.rsplit_once(',').expect("columns").0.to_string()).collect()
}

#[test]
fn a_full_disk_ends_it_with_one_line_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (undisturbed, disturbed) = (folder.path().join("undisturbed"), folder.path().join("disturbed"));
    assert!(compare(&undisturbed, None).status.success());
    let all = fs::metadata(undisturbed.join("records.jsonl")).unwrap().len();
    let mut lengths = Vec::new();
    for blocks in [0, 4, 8, 16] {
        assert!(u64::from(blocks) * 1024 < all, "it does not fit: {all}");
        let output = compare(&disturbed, Some(blocks));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        let errors: Vec<&str> = message.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(errors.len() == 1 && errors[0].contains("records.jsonl"), "{message}");
        lengths.push(fs::metadata(disturbed.join("records.jsonl")).unwrap().len());
    }
    assert!(lengths.is_sorted() && lengths[3] > lengths[0], "each attempt adds what fits: {lengths:?}");
    let last = compare(&disturbed, None);
    assert!(last.status.success());
    assert!(String::from_utf8(last.stderr).unwrap().contains("of 48 trials are on record"), "nothing is done twice");
    assert_eq!(rows(&disturbed), rows(&undisturbed));
    let keys = |out: &Path| -> Vec<String> {
        let text = fs::read_to_string(out.join("records.jsonl")).unwrap();
        let mut keys: Vec<String> =
            text.lines().skip(1).map(|line| line.split("record").next().unwrap().into()).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&disturbed), keys(&undisturbed), "nothing is lost, and nothing is doubled");
}

#[test]
fn a_table_that_does_not_fit_leaves_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    assert!(compare(&out, None).status.success());
    let files = || -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = files();
    // All trials have records, so only the table can fail.
    let output = compare(&out, Some(1));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(files(), before, "the old files, and no others");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let output = compare(&file.join("out"), None);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.lines().count() == 1 && message.contains("file/out"), "{message}");
}
