//! `cargo xtask applied` prints the current applied problems, and draws them.

use std::fs;
use std::path::Path;
use std::process::Command;

use ddcma_problems::applied::Applied;

fn xtask(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_page_has_the_table_and_a_picture_of_each_problem() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = fs::read_to_string(docs.join("applied-problems.md")).unwrap();
    let table: String = page.lines().filter(|line| line.starts_with('|')).map(|line| format!("{line}\n")).collect();
    assert_eq!(table, xtask(&["applied", "table"]).1, "`cargo xtask applied table` prints the new one");
    for problem in Applied::all() {
        // A picture of one size of the regression is enough.
        let name = problem.name();
        let shown =
            page.contains(&format!("](applied/{name}.svg)")) && docs.join(format!("applied/{name}.svg")).is_file();
        assert!(shown || name == "logistic-600-60", "{name} has no picture");
    }
}

#[test]
fn pictures_are_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/pictures");
    let (code, printed, errors) = xtask(&["applied", "pictures", "--out", out.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(printed.lines().count(), 12);
    for file in printed.lines() {
        let svg = fs::read_to_string(file).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        let drawn = svg.matches("<polyline").count() + svg.matches("<circle").count();
        assert!(drawn > 8 && !svg.contains("NaN"), "{file}");
    }
}

#[test]
fn the_study_compares_and_unknown_problems_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let study = ["applied", "study", "--problems", "lqr,lqr-naive", "--trials", "1", "--jobs", "1", "--out", out];
    let (code, printed, errors) = xtask(&study);
    assert_eq!(code, Some(0), "{errors}");
    for row in ["| lqr | scaled |", "| lqr | naive |"] {
        assert_eq!(printed.matches(row).count(), 4, "costs and ratios of single runs and of restarts: {printed}");
    }
    let trials = fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    assert_eq!(trials.lines().filter(|line| line.split(',').nth(3) == Some("1")).count(), 16, "{trials}");
    let (code, again, _) = xtask(&study);
    assert_eq!((code, again), (Some(0), printed), "from the records");
    let (code, printed, errors) = xtask(&["applied", "reach", "--problems", "lqr", "--trials", "2", "--out", out]);
    assert_eq!((code, printed.contains("| lqr | 4 | 10000 | 2/2 |")), (Some(0), true), "{printed}{errors}");
    let (code, _, errors) = xtask(&["applied", "study", "--problems", "nothing", "--out", out]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("there is no applied problem \"nothing\""), "{errors}");
}
