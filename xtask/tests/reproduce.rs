//! `cargo xtask reproduce` draws the figures that need no trials, continues the others, and rejects unknown ones.

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
    assert!(markdown.contains("| the paper says | our criterion | we measured | holds | remark |"));
    assert!(markdown.contains("| largest α: below 0.1 |"));
    assert!(fs::read_to_string(folder.path().join("index.html")).unwrap().contains("Figure lrcomp"));

    // The same command again has nothing to run and prints the same.
    let again = reproduce(&["alpha", "add", "lrcomp", "--largest", "10"], folder.path());
    assert!(String::from_utf8(again.stderr).unwrap().contains("24 of 24 trials are on record"));
    assert_eq!(fs::read_to_string(folder.path().join("reproduction.md")).unwrap(), markdown);
}

#[test]
fn figures_against_dimension_compare_strategies_in_the_smallest_one() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(&["fes", "fes2", "--largest", "5", "--trials", "1"], folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let markdown = fs::read_to_string(folder.path().join("reproduction.md")).unwrap();
    let row = |claim: &str| {
        let row = markdown.lines().find(|line| line.contains(claim)).unwrap_or_else(|| panic!("{claim}: {markdown}"));
        row.split('|').map(str::trim).collect::<Vec<_>>()
    };
    let fails = row("does not find the target on rotated functions");
    assert_eq!(fails[3..5], ["0.00 on Cigar, 0.00 on Discus, 0.00 on Ellipsoid", "yes"]);
    let competitive = row("On the rotated Ellipsoid, dd is competitive with plain CMA");
    assert!(competitive[3].ends_with("at n = 5") && competitive[4] == "yes", "{competitive:?}");
    for needs_more in ["on the 160-dimensional separable Ellipsoid", "up to 5120 dimensions", "when n > 80"] {
        assert_eq!(row(needs_more)[4], "needs a larger scale", "{needs_more}");
    }
    for figure in ["fes", "fes2"] {
        let svg = fs::read_to_string(folder.path().join(format!("reproduction/{figure}.svg"))).unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok());
    }
}

#[test]
fn records_of_other_code_are_not_mixed_in() {
    let folder = tempfile::tempdir().unwrap();
    assert!(reproduce(&["alpha"], folder.path()).status.success());
    let records = folder.path().join("records.jsonl");
    let header = fs::read_to_string(&records).unwrap();
    let (before, after) = header.split_once(" (").unwrap();
    let other = if after.starts_with('0') { '1' } else { '0' };
    fs::write(&records, format!("{before} ({other}{}", &after[1..])).unwrap();
    let output = reproduce(&["alpha"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    let expected = format!("got \"0.1.0 ({other}");
    assert!(message.contains(&expected), "{message}");
}

#[test]
fn the_documented_reproduction_has_every_figure_and_its_claims() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let markdown = fs::read_to_string(docs.join("reproduction.md")).unwrap();
    for figure in ["alpha", "add", "lrcomp", "cc", "active", "fes", "fes2", "conv", "lam", "rastrigin"] {
        assert!(markdown.contains(&format!("## Figure `{figure}`")), "{figure}");
        assert!(docs.join(format!("reproduction/{figure}.svg")).is_file(), "{figure}");
    }
    let is_verdict = |cell: &str| ["yes", "no", "needs a larger scale"].contains(&cell.trim());
    let decided = markdown.lines().filter(|line| line.split('|').any(is_verdict)).count();
    assert!(decided >= 15, "{decided} claims");
}

#[test]
fn bad_input_is_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for arguments in
        [&[][..], &["cigar"], &["alpha", "--scale", "huge"], &["alpha", "--jobs", "0"], &["fes", "--largest", "4"]]
    {
        let output = reproduce(arguments, &out);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("error: ") && message.trim_end().lines().count() == 1, "{message}");
        assert!(!out.exists());
    }
}
