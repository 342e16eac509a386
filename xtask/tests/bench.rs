//! The command line of the benchmarks rejects invalid options before it builds anything.

use std::process::Command;

#[test]
fn bad_input_is_exit_code_2() {
    for arguments in [
        &["bench"][..],
        &["bench", "size"],
        &["bench", "speed", "--dims", "0"],
        &["bench", "speed", "--strategies", "de"],
        &["bench", "target", "--seconds", "2"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1, "{arguments:?}");
    }
}
