//! `cargo xtask constraints` compares ways to treat constraints.

use std::process::Command;

#[test]
fn feasible_first_solves_what_infinity_does_not() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(["constraints", "--trials", "5", "--budget", "6000"]).output().expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let solved = |value: &str| -> u32 {
        let row = text.lines().find(|line| line.starts_with("| beam") && line.contains(value)).expect("a row");
        row.split('|').nth(3).and_then(|cell| cell.trim().split('/').next()).and_then(|cell| cell.parse().ok()).unwrap()
    };
    assert_eq!(solved("feasible first"), 5, "{text}");
    assert!(solved("+∞ if infeasible") < 4, "{text}");
}
