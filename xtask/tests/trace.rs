//! `cargo xtask trace` draws four panels, and rejects invalid input.

use std::fs;
use std::process::Command;

fn trace(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("trace").args(arguments).output().expect("the binary runs")
}

#[test]
fn four_panels_with_a_line_for_each_axis() {
    let folder = tempfile::tempdir().unwrap();
    for (strategy, lines) in [("dd", 2 + 5 + 5 + 1), ("plain", 2 + 5 + 5 + 1), ("sep", 2 + 5 + 5 + 1)] {
        let path = folder.path().join("a folder").join(format!("{strategy}.svg"));
        let output = trace(&["ellipsoid/n=5/seed=1", "--strategy", strategy, "--out", &path.to_string_lossy()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let svg = fs::read_to_string(&path).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let drawn = |color: &str| document.descendants().filter(|node| node.attribute("stroke") == Some(color)).count();
        let all: usize = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"].iter().map(|color| drawn(color)).sum();
        assert_eq!(all, lines + 3, "{strategy}: lines, and three of them named");
        assert!(String::from_utf8(output.stdout).unwrap().contains("target: the best value"));
        // The numbers in the file next to it draw the same run.
        let numbers = path.with_extension("csv");
        let again = folder.path().join("again.svg");
        let output = trace(&["--from", &numbers.to_string_lossy(), "--out", &again.to_string_lossy()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_is_left_out_of_an_instance_is_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.svg");
    for (name, whole) in [("sphere", "sphere/n=20/seed=1, dd"), ("sphere/n=3", "sphere/n=3/seed=1, dd")] {
        let output = trace(&[name, "--out", &path.to_string_lossy()]);
        assert!(String::from_utf8(output.stdout).unwrap().starts_with(whole), "{name}");
    }
}

#[test]
fn bad_input_is_exit_code_2() {
    for (arguments, message) in [
        (&["ellipsoid/n=0/seed=1"][..], "variable"),
        (&["elipsoid"], "there is no function \"elipsoid\""),
        (&["ellipsoid/5"], "such as ellipsoid/n=20/seed=1, got \"ellipsoid/5\""),
        (&["ellipsoid", "--out", "x.png"], "must end in .svg"),
        (&["ellipsoid/n=5/seed=1", "--algorithm", "sep:t_eig=3"], "sep has no parameter \"t_eig\""),
        (&["ellipsoid/n=5/seed=1", "--algorithm", "sep,dd"], "must be one algorithm, got \"sep,dd\""),
        (&["ellipsoid/n=5/seed=1", "--out", "."], "must end in .svg"),
    ] {
        let output = trace(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains(message), "{arguments:?}");
    }
}

#[test]
fn a_users_run_is_drawn_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my run.csv");
    let mut csv = ddcma_core::CsvWriter::new(fs::File::create(&file).unwrap());
    let f = |x: &[f64]| 5885.0 + x.iter().enumerate().map(|(k, x)| 10f64.powi(k as i32) * x * x).sum::<f64>();
    let solution = ddcma_core::minimize(f, &[1.0; 4], 0.5).seed(1).observer(&mut csv).run().unwrap();
    csv.finish().unwrap();

    let picture = folder.path().join("x.svg");
    let output = trace(&["--from", &file.to_string_lossy(), "--out", &picture.to_string_lossy()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let expected = format!("my run: best value {:e} after {} evaluations", solution.value, solution.evaluations);
    assert_eq!(said.lines().next(), Some(expected.as_str()));
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("my run") && svg.contains("best f − (5.885000e3)"));
    roxmltree::Document::parse(&svg).unwrap();

    fs::write(&file, "a table\nof something else\n").unwrap();
    for (arguments, message) in [
        (vec!["--from", "no/such.csv"], "no/such.csv"),
        (vec!["--from", file.to_str().unwrap()], "there is no column"),
        (vec!["sphere", "--from", file.to_str().unwrap()], "cannot be used with"),
        (vec![], "required"),
    ] {
        let output = trace(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
}
