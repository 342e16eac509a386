//! `cargo xtask torture` repeats a case by its number, and does not break on what once broke.

use std::process::{Command, Output};

fn torture(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("torture").args(arguments).output().expect("the binary runs")
}

/// Cases that broke something: roots whose inverse was lost, axes that became infinite, a diagonal that became negative,
/// checkpoints that could not be read back.
#[test]
fn what_was_broken_stays_mended() {
    for (seed, case) in [
        ("1", "3276"),
        ("1", "3891"),
        ("1", "9405"),
        ("1", "18803"),
        ("3", "54"),
        ("3", "304"),
        ("3", "357"),
        ("3", "867"),
        ("3", "953"),
        ("3", "1089"),
        ("3", "1227"),
        ("3", "1240"),
        ("3", "1427"),
        ("3", "1540"),
        ("3", "1598"),
        ("13", "354"),
    ] {
        let output = torture(&["--seed", seed, "--case", case]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.ends_with(&format!("case {case} of seed {seed}: nothing broke\n")));
    }
}

#[test]
fn a_case_is_the_same_whenever_it_is_run() {
    for case in ["7", "33", "34"] {
        let once = torture(&["--seed", "2", "--case", case]);
        assert_eq!(once.status.code(), Some(0));
        assert!(once.stdout.len() > 100, "it says what was drawn");
        assert_eq!(once.stdout, torture(&["--seed", "2", "--case", case]).stdout);
        assert_ne!(once.stdout, torture(&["--seed", "4", "--case", case]).stdout);
    }
}

#[test]
fn bad_input_is_exit_code_2() {
    for arguments in [["--minutes", "0"], ["--minutes", "NaN"], ["--case", "-1"], ["--seed", "x"], ["--jobs", "0"]] {
        assert_eq!(torture(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}
