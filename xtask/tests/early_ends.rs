//! `cargo xtask early-ends` prints the costs and savings of ending generations early.

use std::process::Command;

#[test]
fn early_ends_cost_evaluations_and_save_time() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(["early-ends", "--dims", "4", "--trials", "5"]).output().expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.contains("| 4 |")).map(|line| line.split('|').collect()).collect();
    assert_eq!(rows.len(), 12, "{text}");
    // The time without the slowest 20 %, both rules.
    let times = rows.iter().flat_map(|row| [row[13], row[16]]).map(|cell| cell.trim().parse::<f64>().unwrap());
    assert!(times.sum::<f64>() / 24.0 < 0.95, "{text}");
}
