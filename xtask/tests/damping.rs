//! `cargo xtask damping` prints the same tables from new trials and from records, and reports what it cannot run.

use std::path::Path;
use std::process::{Command, Output};

fn damping(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("damping").args(arguments).arg("--out").arg(out).output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_part_gives_the_same_tables_from_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let judge = ["judge", "--dims", "5", "--trials", "3", "--functions", "sphere,twoaxes"];
    let tables = text(&damping(&judge, folder.path()));
    assert!(tables.contains("| twoaxes |") && tables.contains("| geometric mean |"), "{tables}");
    assert!(tables.contains("agreement over paper, with 95 % intervals"), "{tables}");
    assert_eq!(text(&damping(&judge, folder.path())), tables, "from its records");
    assert_eq!(std::fs::read_to_string(folder.path().join("judge.md")).unwrap().trim_end(), tables.trim_end());
}

#[test]
fn variants_are_compared_with_the_first_one() {
    let folder = tempfile::tempdir().unwrap();
    let variants = ["--variant", "sep", "--variant", "dd damping=3 lambda=2x"];
    let part = ["finalists", "--dims", "5,12", "--trials", "2", "--functions", "sphere"];
    let tables = text(&damping(&[&part[..], &variants[..]].concat(), folder.path()));
    assert!(tables.contains("dd damping=3 lambda=2x over sep"), "{tables}");
    assert!(tables.contains("The least mean with no cell significantly above 1.05: "), "{tables}");
    let output = damping(&["judge", "--dims", "5,6", "--trials", "1,2,3"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    for wrong in ["none", "sep beta_thresh=1", "dd beta_min", "dd lambda=x"] {
        let output = damping(&["finalists", "--variant", wrong], folder.path());
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_run_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let followed = text(&damping(&["follow", "--dims", "5", "--functions", "discus-rotated"], folder.path()));
    assert_eq!(followed.matches("| evaluations | f | λ_min |").count(), 4, "{followed}");
}

#[test]
fn the_picture_shows_every_function() {
    let folder = tempfile::tempdir().unwrap();
    let part = ["picture", "--dims", "4,5", "--trials", "2,1", "--functions", "sphere,elldis"];
    text(&damping(&part, folder.path()));
    let svg = std::fs::read_to_string(folder.path().join("ratios.svg")).unwrap();
    assert!(svg.contains("sphere") && svg.contains("elldis"));
}
