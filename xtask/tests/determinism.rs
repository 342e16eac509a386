//! The same seed gives the same bits: with one thread and with many, with and without checkpoints. Builds are
//! compared by hand, see `docs/reliability.md`.

use std::process::Command;

fn digest(arguments: &[&str], threads: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.arg("digest").args(arguments).env("RAYON_NUM_THREADS", threads).output();
    let output = output.expect("the binary runs");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn threads_and_checkpoints_change_no_bit() {
    let usual = digest(&[], "1");
    assert_eq!(usual.lines().count(), 4 * 5 + 6);
    let mut hashes: Vec<&str> = usual.lines().filter_map(|line| line.split_whitespace().last()).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), usual.lines().count(), "every run is another one: {usual}");
    assert_eq!(digest(&[], "4"), usual);
    assert_eq!(digest(&["--checkpoints"], "2"), usual);
}
