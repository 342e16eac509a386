//! `cargo xtask tolerances` compares when runs end, at a small scale.

use std::process::Command;

fn tolerances(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.arg("tolerances").args(arguments).output().expect("the binary runs");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("text");
    (output.status.code(), text)
}

#[test]
fn runs_far_from_zero_end_earlier_and_others_as_before() {
    let (code, text) = tolerances(&["--dims", "5", "--runs", "3", "--functions", "sphere,ellipsoid"]);
    assert_eq!(code, Some(0), "{text}");
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with("| ")).skip(1).map(|line| line.split(" | ").collect()).collect();
    assert_eq!(rows.len(), 1 + 4 * 2, "{text}");
    for row in &rows {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        if row[0].contains('+') || row[0].contains("vessel") {
            assert!(number(6) < 1.3 && number(4) < number(3), "{row:?}");
            assert!(row[9].starts_with("3 of 3"), "{row:?}");
        } else {
            assert_eq!((row[3], row[2]), (row[4], "–"), "{row:?}");
            assert!(row[9].starts_with("0 of 3"), "{row:?}");
        }
    }
    assert!(text.contains("Minimum zero: 0 runs end earlier than before."), "{text}");
}

#[test]
fn what_is_no_function_and_no_tolerance_is_refused() {
    for (arguments, message) in
        [(["--functions", "spere"], "there is no function"), (["--tolerance", "-1"], "tol_fun_rel")]
    {
        let (code, text) = tolerances(&arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(message), "{text}");
    }
}
