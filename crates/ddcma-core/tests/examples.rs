//! The examples run, and find what they promise to find: each asserts it by itself.

use std::process::Command;

#[test]
fn own_strategy() {
    let stdout = run("own_strategy");
    assert!(stdout.starts_with("f = "), "{stdout}");
}

/// Builds and runs an example, with the cargo that runs this test.
fn run(name: &str) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--package", env!("CARGO_PKG_NAME"), "--example", name]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}
