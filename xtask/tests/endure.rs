//! `cargo xtask endure`: in long runs, memory does not grow and the root stays accurate.

use std::process::Command;

fn endure(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("endure").args(arguments).output().expect("it runs");
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn long_runs_keep_their_memory_and_their_root() {
    for arguments in [
        &["--dim", "10", "--generations", "70000"][..],
        &["--dim", "3", "--generations", "70000", "--strategy", "plain"],
        &["--dim", "10", "--generations", "70000", "--strategy", "sep"],
        &["--dim", "100", "--generations", "4000"],
    ] {
        let (code, text) = endure(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {text}");
        assert!(text.ends_with("memory does not grow, A⁻¹ is the inverse of A\n"), "{text}");
        assert_eq!(text.lines().filter(|line| line.ends_with(" 0")).count(), 10, "no update was rejected: {text}");
    }
}

#[test]
fn a_run_that_goes_wrong_is_exit_code_1() {
    // The run cannot follow a center that jumps beyond the range of floating point.
    let (code, text) = endure(&["--dim", "2", "--generations", "5000", "--walk", "1e306"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("updates were rejected"), "{text}");
}
