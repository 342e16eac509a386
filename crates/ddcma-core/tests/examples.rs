//! The examples run and find what they promise; each one asserts that itself.
#![cfg(all(feature = "dense", feature = "rayon", feature = "checkpoint"))]

use std::path::PathBuf;
use std::process::Command;

#[test]
fn own_strategy() {
    let output = run("own_strategy");
    assert!(output.contains("rate 0.1: f = 9.80e-9 after 4116 evaluations"), "{output}");
    assert!(output.contains("the rate must be in [0, 1], but it is 2"), "{output}");
}

#[test]
fn custom_dd() {
    assert!(run("custom_dd").contains("\npassive-d: "));
}

#[cfg(feature = "checkpoint")]
#[test]
fn take_turns() {
    assert!(run("take_turns").contains("generations, with step sizes 0."));
}

#[test]
fn own_step_size() {
    assert!(run("own_step_size").contains("msr: "));
}

#[test]
fn quickstart() {
    assert!(run("quickstart").contains("stopped by tol_"));
}

#[test]
fn ask_tell() {
    assert!(run("ask_tell").contains("found by evaluation"));
}

#[test]
fn parallel() {
    assert!(run("parallel").starts_with("f = "));
}

#[test]
fn bounds() {
    assert!(run("bounds").starts_with("radius 5.0000 cm"));
}

#[test]
fn checkpoint() {
    assert!(run("checkpoint").contains("resuming after 100 generations"));
}

/// Rust prints the debug form of an error that `main` returns.
#[test]
fn an_example_that_fails_prints_a_sentence() {
    let output = Command::new(path("checkpoint")).arg("no-such-folder/run.checkpoint").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.starts_with("Error: no-such-folder"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn observe() {
    assert!(run("observe").contains("lines of CSV"));
}

#[test]
fn variables() {
    let output = run("variables");
    assert!(output.starts_with("rate = 2e-4\nscale = 3\noffset = -0.7\n"), "{output}");
    assert!(output.ends_with("its bounds and its start must be positive, got 0\n"), "{output}");
}

/// The path of an example, which cargo has built next to the tests.
pub(crate) fn path(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("in a folder of its own");
    folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

fn run(name: &str) -> String {
    let example = path(name);
    let output = Command::new(&example).output();
    let output =
        output.unwrap_or_else(|error| panic!("{}: {error}; cargo test --workspace builds it", example.display()));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}");
    assert!(said.is_empty(), "{name} is not run in a terminal, and its progress is silent: {said}");
    String::from_utf8(output.stdout).expect("the output is text")
}
