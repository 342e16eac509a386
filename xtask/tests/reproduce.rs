//! `cargo xtask reproduce` draws the figures that need no trials, continues the others, and refuses what it does not know.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn reproduce(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("reproduce").args(arguments).arg("--out").arg(out).output().expect("the binary runs")
}

#[test]
fn figures_come_with_pictures_and_claims() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(&["alpha", "add", "lrcomp", "--largest", "10"], folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("yes: For n ≥ 320 the factor is less than 0.1"), "{printed}");
    for figure in ["alpha", "add", "lrcomp"] {
        let svg = fs::read_to_string(folder.path().join(format!("reproduction/{figure}.svg"))).unwrap();
        assert!(roxmltree::Document::parse(&svg).unwrap().descendants().any(|node| node.has_tag_name("polyline")));
    }
    let markdown = fs::read_to_string(folder.path().join("reproduction.md")).unwrap();
    assert!(markdown.contains("cargo xtask reproduce alpha add lrcomp --scale quick --largest 10"));
    assert!(markdown.contains("| the paper says | we measured | holds | remark |"));
    assert!(fs::read_to_string(folder.path().join("index.html")).unwrap().contains("Figure lrcomp"));

    // The same again has nothing to run and gives the same.
    let again = reproduce(&["alpha", "add", "lrcomp", "--largest", "10"], folder.path());
    assert!(String::from_utf8(again.stderr).unwrap().contains("24 of 24 trials are on record"));
    assert_eq!(fs::read_to_string(folder.path().join("reproduction.md")).unwrap(), markdown);
}

#[test]
fn bad_input_is_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for arguments in
        [&[][..], &["cigar"], &["alpha", "--scale", "huge"], &["alpha", "--jobs", "0"], &["fes", "--largest", "4"]]
    {
        assert_eq!(reproduce(arguments, &out).status.code(), Some(2), "{arguments:?}");
        assert!(!out.exists());
    }
}
