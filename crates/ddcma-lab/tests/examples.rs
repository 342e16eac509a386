//! The examples run, and their tables show what they compare.

use std::process::Command;

/// With its own tests.
#[cfg(feature = "cli")]
#[path = "../examples/restart_ideas.rs"]
#[allow(dead_code, reason = "its main is for the example")]
mod restart_ideas;

/// Runs an example, which cargo builds with the tests.
fn run(name: &str) -> String {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("in a folder of its own");
    let example = folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(&example).output();
    let output =
        output.unwrap_or_else(|error| panic!("{}: {error}; cargo test --workspace builds it", example.display()));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn own_strategy() {
    let table = run("compare_own_strategy");
    assert!(table.lines().next().unwrap().contains("mine, slow"), "{table}");
    assert!(table.contains("ellipsoid, n = 10"), "{table}");
}

#[test]
fn own_policy() {
    assert!(run("compare_own_policy").contains("rastrigin, n = 3"));
}

#[test]
fn own_step_size() {
    let table = run("compare_own_step_size");
    let head = table.lines().next().unwrap();
    assert!(["dd, mine", "dd, tpa"].iter().all(|name| head.contains(name)), "{table}");
    let sphere = table.lines().find(|line| line.starts_with("sphere, n = 20")).unwrap();
    assert_eq!(sphere.matches("(5/5)").count(), 3, "{table}");
}

#[test]
fn own_problem() {
    let table = run("own_problem");
    assert!(table.lines().find(|line| line.starts_with("decays, n = 2")).unwrap().contains("(5/5)"), "{table}");
}

#[test]
fn foreign_optimizer() {
    let table = run("foreign_optimizer");
    let ellipsoid = table.lines().find(|line| line.starts_with("ellipsoid")).unwrap();
    assert!(ellipsoid.contains("(0/5)") && ellipsoid.ends_with("(5/5)"), "{table}");
}
