//! The examples run, and find what they promise to find: each asserts it by itself.

use std::process::Command;

#[test]
fn own_strategy() {
    let stdout = run("own_strategy");
    assert!(stdout.starts_with("f = "), "{stdout}");
}

/// Runs an example that `cargo test` has built beside this test.
fn run(name: &str) -> String {
    let test = std::env::current_exe().expect("a test knows its own path");
    let profile = test
        .parent()
        .and_then(|deps| deps.parent())
        .expect("a folder for the profile");
    let example = profile.join("examples").join(name);
    let output = Command::new(&example).output().unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo build --examples` builds it",
            example.display()
        )
    });
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("the output is text")
}
