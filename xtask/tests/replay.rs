//! Every recording in `tests/data` is reproduced, and a file that is not a recording is rejected with exit code 2.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::replay;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn command(files: &[&Path]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("replay").args(files).output();
    let output = output.expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("the output is text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Writes a changed copy of a recording under another name.
fn changed(name: &str, change: impl FnOnce(String) -> String) -> PathBuf {
    let original = std::fs::read_to_string(data().join("dd_ties_sphere_n4.json")).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, change(original)).unwrap();
    path
}

#[test]
fn every_recorded_trajectory_and_parameter_is_met() {
    let mut trajectories = 0;
    for entry in std::fs::read_dir(data()).unwrap() {
        let path = entry.unwrap().path();
        let report = replay::file(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(report.is_within_tolerance(), "{report}");
        let deviations = report.deviations();
        if deviations.contains_key("p_sigma") {
            trajectories += 1;
            assert!(deviations.len() >= 8, "{report}");
            assert!(report.largest() > 0.0, "an independent implementation rounds differently");
        } else {
            assert_eq!(deviations.len(), 19, "{report}");
        }
    }
    assert_eq!(trajectories, 12);
}

#[test]
fn the_command_prints_deviations_and_succeeds() {
    let file = data().join("dd_lazy_eigen_ellipsoid_n6.json");
    let (code, stdout, stderr) = command(&[&file]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains("dd_lazy_eigen_ellipsoid_n6.json: Dd, n = 6, lambda = 9, 60 iterations"));
    for quantity in ["m", "sigma", "d", "p_sigma", "gamma_sigma", "p_c", "gamma_c", "p_c_d"] {
        let line = |line: &str| line.split_whitespace().next() == Some(quantity);
        assert!(stdout.lines().any(line), "no line for {quantity} in\n{stdout}");
    }
}

#[test]
fn a_deviation_is_exit_code_1() {
    // The first recorded step size, changed by one part in a million.
    let file = changed("deviating.json", |text| {
        assert!(text.contains("1.0177506958025306"));
        text.replacen("1.0177506958025306", "1.0177517135532264", 1)
    });
    let (code, stdout, _) = command(&[&file]);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("EXCEEDS"), "{stdout}");
}

#[test]
fn the_mean_is_measured_by_the_deviations_of_its_coordinates() {
    let moved = |name: &str, by: f64| {
        changed(name, |text| {
            let mut recording: serde_json::Value = serde_json::from_str(&text).unwrap();
            let iteration = &mut recording["iterations"][20];
            let deviation = iteration["sigma"].as_f64().unwrap() * iteration["d"][1].as_f64().unwrap();
            let m = iteration["m"][1].as_f64().unwrap();
            iteration["m"][1] = (m + by * deviation).into();
            recording.to_string()
        })
    };
    let deviation = |path: &Path| replay::file(path).unwrap().deviations()["m"];
    assert!(deviation(&moved("mean_near.json", 0.0)) < 1e-12);
    for by in [1e-10, 1e-8, -1e-2] {
        let measured = deviation(&moved("mean_moved.json", by));
        assert!((measured / by.abs() - 1.0).abs() < 1e-2, "{by:e}: {measured:e}");
    }
    assert_eq!(command(&[&moved("mean_far.json", 1e-8)]).0, Some(1));
}

#[test]
fn what_is_no_recording_is_exit_code_2() {
    let refused = |path: &Path, what: &str| {
        let (code, _, stderr) = command(&[path]);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(what), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    };
    refused(Path::new("no/such/file.json"), "cannot be read");
    refused(&changed("text.json", |_| "a trajectory".into()), "is not a recording");
    refused(&changed("half.json", |text| text[..text.len() / 2].into()), "is not a recording");
    refused(&changed("empty.json", |_| "{}".into()), "missing field");
    let method = |text: String| text.replace("\"method\": 1", "\"method\": 3");
    refused(&changed("method.json", method), "method 3 is neither 1 nor 2");
    let lambda = |text: String| text.replace("\"lambda_\": 8", "\"lambda_\": 9");
    refused(&changed("lambda.json", lambda), "iteration 1");
    refused(&changed("no_rows.json", |_| "[]".into()), "no rows");
    let short = |text: String| {
        text.replace("\"iterations\": [", "\"rest\": [").replace("{\"tag\"", "{\"iterations\": [], \"tag\"")
    };
    refused(&changed("no_iterations.json", short), "no iterations");
    for quantity in ["p_c", "gamma_c", "alpha", "p_c_d", "gamma_c_d", "c", "sqrt_c"] {
        let without = |text: String| text.replace(&format!("\"{quantity}\""), "\"something_else\"");
        let name = format!("without_{quantity}.json");
        refused(&changed(&name, without), &format!("{quantity} is missing"));
    }
    // One bad file does not prevent reports about the others, and the worst outcome determines the exit code.
    let good = data().join("dd_ties_sphere_n4.json");
    let (code, stdout, _) = command(&[Path::new("no/such/file.json"), &good]);
    assert_eq!(code, Some(2));
    assert!(stdout.contains("dd_ties_sphere_n4.json: Dd"), "{stdout}");

    let (code, _, stderr) = command(&[]);
    assert_eq!(code, Some(2), "{stderr}");
}
