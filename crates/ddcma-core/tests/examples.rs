//! The examples run, and find what they promise to find: each asserts it by itself.

use std::process::Command;

#[test]
fn own_strategy() {
    assert!(run("own_strategy", "").starts_with("f = "));
}

#[test]
fn quickstart() {
    assert!(run("quickstart", "").contains("stopped by tol_"));
}

#[test]
fn ask_tell() {
    assert!(run("ask_tell", "").contains("found by evaluation"));
}

#[test]
fn parallel() {
    assert!(run("parallel", "rayon").starts_with("f = "));
}

#[test]
fn bounds() {
    assert!(run("bounds", "").starts_with("radius 5.0000 cm"));
}

#[test]
fn checkpoint() {
    assert!(run("checkpoint", "checkpoint").contains("resuming after 100 generations"));
}

#[test]
fn observe() {
    assert!(run("observe", "").contains("lines of CSV"));
}

/// Builds and runs an example, with the cargo that runs this test.
fn run(name: &str, features: &str) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--package", env!("CARGO_PKG_NAME"), "--example", name, "--features", features]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}
