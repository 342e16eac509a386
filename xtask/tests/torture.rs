//! `cargo xtask torture` repeats a case by its number, and cases that once failed pass.

use std::process::{Command, Output};

fn torture(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("torture").args(arguments).output().expect("the binary runs")
}

/// Cases that once failed: roots whose inverse was lost, axes that became infinite, a diagonal that became negative,
/// checkpoints that could not be read back.
#[test]
fn what_was_broken_stays_mended() {
    // The text also checks what was drawn: a different case with the same number would test nothing.
    for (seed, case, drawn) in [
        ("1", "3276", "dd, n = 154, 63 generations"),
        ("1", "3891", "dd, n = 3, 127 generations"),
        ("1", "9405", "plain, n = 9, 139 generations"),
        ("1", "18682", "plain, n = 12, 60 generations"),
        ("1", "18803", "dd, n = 132, 100 generations"),
        ("1", "33651", "dd, n = 7, 98 generations"),
        ("1", "28706", "dd, n = 62, 822 generations"),
        ("3", "54", "plain, n = 7, 643 generations"),
        ("3", "304", "plain, n = 2, 778 generations"),
        ("3", "357", "dd, n = 3, 154 generations"),
        ("3", "867", "dd, n = 8, 632 generations"),
        ("3", "953", "plain, n = 10, 242 generations"),
        ("3", "1089", "plain, n = 17, 122 generations"),
        ("3", "1227", "dd, n = 65, 189 generations"),
        ("3", "1240", "plain, n = 7, 341 generations"),
        ("3", "1427", "plain, n = 11, 846 generations"),
        ("3", "1540", "plain, n = 54, 624 generations"),
        ("3", "1598", "plain, n = 6, 67 generations"),
        ("5", "953", "plain, n = 39, 519 generations"),
        ("11", "8439", "plain, n = 1, 941 generations"),
        ("12", "13453", "dd, n = 24, 155 generations"),
        ("13", "354", "plain, n = 14, 970 generations"),
        ("77", "93", "dd, n = 18, 200 generations"),
    ] {
        let output = torture(&["--seed", seed, "--case", case]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.starts_with(&format!("{drawn}, ")), "case {case} of seed {seed} has changed: {text}");
        assert!(text.ends_with(&format!("case {case} of seed {seed}: no violation\n")));
    }
}

#[test]
fn a_case_is_the_same_whenever_it_is_run() {
    for case in ["7", "33", "34"] {
        let once = torture(&["--seed", "2", "--case", case]);
        assert_eq!(once.status.code(), Some(0));
        assert!(once.stdout.len() > 100, "it says what was drawn");
        assert_eq!(once.stdout, torture(&["--seed", "2", "--case", case]).stdout);
    }
    let [one, other] = ["2", "4"].map(|seed| torture(&["--seed", seed, "--case", "7"]).stdout);
    assert_ne!(one, other);
}

#[test]
fn bad_input_is_exit_code_2() {
    for arguments in [["--minutes", "0"], ["--minutes", "NaN"], ["--case", "-1"], ["--seed", "x"], ["--jobs", "0"]] {
        assert_eq!(torture(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}
