//! `cargo xtask extremes` compares tracked eigenvalues with the true ones.

use std::process::Command;

#[test]
fn followed_eigenvalues_are_near_the_true_ones() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(["extremes", "--dims", "8"]).output().expect("the binary runs");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let medians = rows.iter().filter(|row| row.get(1) == Some(&"8")).map(|row| (row[2].parse(), row[5].parse()));
    let medians: Vec<(f64, f64)> = medians.map(|(smallest, largest)| (smallest.unwrap(), largest.unwrap())).collect();
    assert_eq!(medians.len(), 4, "{text}");
    assert!(medians.iter().all(|(smallest, largest)| *smallest < 1.2 && *largest > 0.8), "{text}");
}
