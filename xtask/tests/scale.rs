//! `cargo xtask scale` prints how many workers are useful.

use std::fs;
use std::process::Command;

fn scale(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output =
        command.arg("scale").args(["--evaluations", "2000"]).args(arguments).output().expect("the binary runs");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), stdout, stderr)
}

#[test]
fn more_candidates_and_early_ends_keep_workers_busy() {
    let (code, text, _) = scale(&["--workers", "100"]);
    assert_eq!(code, Some(0));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| log") || line.starts_with("| one"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 3 * 3 * 4, "{text}");
    let busy = |times: &str, ends: &str, multiple: &str| -> u32 {
        let row = rows.iter().find(|row| row[1] == times && row[2] == ends && row[3] == multiple);
        row.unwrap_or_else(|| panic!("{text}"))[5].parse().unwrap()
    };
    let all = "with the last value";
    assert!(busy("log-normal, 0.5", all, "1") < busy("log-normal, 0.5", all, "4"));
    assert!(busy("log-normal, 0.5", all, "1") < busy("log-normal, 0.5", "at 80 %", "1"));
    // A hundred workers, one of them three times as slow: (3 + 99) / 300.
    assert_eq!(busy("one slow worker", all, "1"), 34);
}

#[test]
fn trials_of_compare_give_the_time_to_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let [trials, picture] = ["trials.csv", "scale.svg"].map(|name| folder.path().join(name).display().to_string());
    let head =
        "function,rotated,n,strategy,lambda,trial,seed,success,evaluations,iterations,best_f,stop,internal_seconds";
    // Ten times the λ only halves the number of generations.
    let rows =
        ["ellipsoid,1,20,dd,10,0,1,1,1000,100,1e-9,target,0.1", "ellipsoid,1,20,dd,100,0,1,1,5000,50,1e-9,target,0.1"];
    fs::write(&trials, format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    let arguments = ["--workers", "1024", "--seconds", "10", "--trials", &trials, "--picture", &picture];
    let (code, text, stderr) = scale(&arguments);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(text.contains("| 10 | 100 | 1000 | 1.0 |\n| 100 | 50 | 5000 | 5.0 |"), "{text}");
    assert!(text.contains("ellipsoid-rotated, n = 20"), "{text}");
    // More than one worker per candidate cannot be useful; there are a hundred candidates.
    let worth: u32 = text
        .lines()
        .find_map(|line| line.strip_prefix("| 10 s | "))
        .map_or(0, |line| line.trim_end_matches(" |").rsplit('|').next().unwrap().trim().parse().unwrap());
    assert!((8..=128).contains(&worth), "{text}");
    assert!(fs::read_to_string(&picture).unwrap().contains("<svg"));

    for (text, problem) in [("no,columns\n", "has no column function"), ("", "has no column function")] {
        fs::write(&trials, text).unwrap();
        let (code, _, stderr) = scale(&arguments);
        assert_eq!((code, stderr.lines().count()), (Some(2), 1), "{stderr}");
        assert!(stderr.contains(problem), "{stderr}");
    }
    assert_eq!(scale(&["--seconds=-1"]).0, Some(2));
}

/// The median of a pool would belong to no strategy: 1000 and 4000 evaluations are two rows, not one of 4000.
#[test]
fn each_strategy_has_its_own_tables_also_if_its_name_has_a_comma() {
    let folder = tempfile::tempdir().unwrap();
    let [trials, picture] = ["trials.csv", "scale.svg"].map(|name| folder.path().join(name).display().to_string());
    let head = "function,rotated,n,strategy,lambda,success,evaluations";
    let rows = ["sphere,0,20,dd,10,1,1000", "sphere,0,20,sep,10,1,4000", "sphere,0,20,\"dd, \"\"slow\"\"\",10,1,8000"];
    fs::write(&trials, format!("{head}\n{}\n", rows.join("\n"))).unwrap();
    let (code, text, stderr) =
        scale(&["--workers", "10", "--seconds", "10", "--trials", &trials, "--picture", &picture]);
    assert_eq!(code, Some(0), "{stderr}");
    for (strategy, row) in [("dd", "100 | 1000"), ("sep", "400 | 4000"), ("dd, \"slow\"", "800 | 8000")] {
        let table = text.split(&format!("{strategy} on sphere, n = 20: medians")).nth(1);
        let table = table.unwrap_or_else(|| panic!("{strategy}: {text}"));
        assert!(table.lines().nth(4).is_some_and(|line| line.starts_with(&format!("| 10 | {row} |"))), "{text}");
    }
    fs::write(&trials, format!("{head}\nsphere,0,20,dd,ten,1,1000\n")).unwrap();
    let (code, _, stderr) = scale(&["--trials", &trials, "--picture", &picture]);
    assert_eq!((code, stderr.lines().count()), (Some(2), 1), "{stderr}");
    assert!(stderr.contains("line: 2"), "{stderr}");
}
