//! `cargo xtask step-sizes` prints the same tables after interruptions and with any number of threads.

use std::fs;
use std::process::Command;

#[test]
fn the_same_tables_from_records_and_from_other_threads() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, jobs: &str| {
        let out = folder.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["step-sizes", "--trials", "4", "--largest", "10", "--jobs", jobs, "--out"]).arg(&out);
        let output = command.output().expect("the binary runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let tables = fs::read_to_string(out.join("tables.md")).unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim_end(), tables.trim_end());
        tables
    };
    let tables = run("one", "1");
    assert!(tables.contains("| ellipsoid-rotated |") && tables.contains("| geometric mean |"), "{tables}");
    assert_eq!(run("one", "2"), tables, "from its records");
    assert_eq!(run("two", "2"), tables);
}
