//! `cargo xtask coco` writes the same folders after being killed and with any number of processes, and COCO's files agree with our table.
//! Without the feature `coco`, it prints how to enable it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn xtask(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).arg("--out").arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], out: &Path) -> Output {
    xtask(arguments, out).output().expect("the binary runs")
}

/// Returns the one-line error message for invalid input.
fn refusal(arguments: &[&str], out: &Path) -> String {
    let output = run(arguments, out);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!out.exists(), "nothing was begun: {arguments:?}");
    message
}

#[cfg(not(feature = "coco"))]
#[test]
fn without_the_feature_one_line_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for arguments in [
        &["coco"][..],
        &["coco", "--suite", "bbob", "--dims", "2"],
        &["restarts", "--functions", "bbob-f1"],
        &["compare", "--functions", "sphere,bbob-f1"],
    ] {
        let message = refusal(arguments, &out);
        assert!(message.contains("libclang-dev") && message.contains("cargo xtask-coco"), "{message}");
    }
    assert_eq!(refusal(&["coco"], &out).lines().count(), 1);
}

#[cfg(feature = "coco")]
mod with_the_feature {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use super::*;

    const SMALL: [&str; 11] = [
        "coco",
        "--dims",
        "2",
        "--functions",
        "1,3,8",
        "--instances",
        "1-2",
        "--strategy",
        "dd,sep",
        "--budget-multiplier",
        "500",
    ];

    /// Returns every file by its path, except the records, whose order is that of arrival.
    fn files(out: &Path) -> BTreeMap<PathBuf, String> {
        let (mut files, mut folders) = (BTreeMap::new(), vec![out.to_path_buf()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(out).unwrap().to_path_buf();
                if path.is_dir() {
                    folders.push(path);
                } else if name != Path::new("records.jsonl") {
                    files.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
        files
    }

    /// Returns the trials among the complete lines of records.
    fn trials(records: &str) -> usize {
        records.split_inclusive('\n').filter(|line| line.ends_with('\n') && line.contains("\"trial\":")).count()
    }

    fn csv(out: &Path) -> Vec<Vec<String>> {
        let text = fs::read_to_string(out.join("problems.csv")).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
    }

    #[test]
    fn cocos_files_say_what_our_table_says() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let output = run(&[&SMALL[..], &["--jobs", "2"]].concat(), out);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("dd bipop") && printed.contains("python -m cocopp"), "{printed}");

        let rows = csv(out);
        assert_eq!(rows[0].join(","), "function,n,instance,strategy,policy,evaluations,hit,best_precision");
        assert_eq!(rows.len(), 1 + 3 * 2 * 2);
        let mut hits = 0;
        for row in &rows[1..] {
            let [function, n, instance, strategy, _, evaluations, hit, precision] = &row[..] else { panic!("{row:?}") };
            let (evaluations, precision): (u64, f64) = (evaluations.parse().unwrap(), precision.parse().unwrap());
            let number = function.strip_prefix("bbob-f").unwrap();
            let name = format!("BIPOP-{strategy}-CMA-ES");
            let problem = out.join(&name).join(format!("f{number:0>2}-n{n}-i{instance}"));
            let info = fs::read_to_string(problem.join(format!("bbobexp_f{number}_i{instance}.info"))).unwrap();
            assert!(
                info.contains(&format!("funcId = {number}, DIM = {n},")) && info.contains("suite = 'bbob'"),
                "{info}"
            );
            assert!(info.contains(&format!("algId = '{name}'")), "{info}");
            assert!(info.ends_with(&format!(", {instance}:{evaluations}|{}", scientific(precision))), "{info} {row:?}");
            // The last evaluation that COCO has seen is the one that reached the target.
            let data = problem.join(format!("data_f{number}/bbobexp_f{number}_DIM{n}_i{instance}.dat"));
            let data = fs::read_to_string(data).unwrap();
            let last: Vec<&str> = data.lines().last().unwrap().split(' ').collect();
            if hit == "1" {
                hits += 1;
                assert!(precision < 1.001e-8 && evaluations < 1000, "{row:?}");
                assert_eq!(last[0], evaluations.to_string(), "{row:?}");
            } else {
                assert!(precision > 0.999e-8, "{row:?}");
                assert_eq!(evaluations, 1000, "the whole budget: {row:?}");
            }
        }
        assert!((1..rows.len() - 1).contains(&hits), "some are solved, others not: {hits}");
    }

    /// Formats a number as C does.
    fn scientific(value: f64) -> String {
        let (digits, exponent) =
            format!("{value:.1e}").split_once('e').map(|(d, e)| (d.to_string(), e.to_string())).unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }

    #[test]
    fn processes_and_interruptions_do_not_change_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let [one, three, cut] = ["one", "three", "cut"].map(|name| folder.path().join(name));
        assert!(run(&[&SMALL[..], &["--jobs", "1"]].concat(), &one).status.success());
        assert!(run(&[&SMALL[..], &["--jobs", "3"]].concat(), &three).status.success());
        let expected = files(&one);
        assert_eq!(files(&three), expected);

        // What a killed process leaves: some lines, the last one incomplete, and folders without a record, complete or not.
        let records = fs::read(one.join("records.jsonl")).unwrap();
        let first = fs::read_to_string(one.join("records.jsonl")).unwrap().lines().take(4).map(|l| l.len() + 1).sum();
        for length in [0, first, records.len() - 1] {
            assert!(run(&SMALL, &cut).status.success());
            fs::write(cut.join("records.jsonl"), &records[..length]).unwrap();
            fs::create_dir_all(cut.join("unfinished/something/exdata/data")).unwrap();
            let unrecorded = cut.join("BIPOP-sep-CMA-ES/f08-n2-i2");
            fs::write(unrecorded.join("bbobexp_f8_i2.info"), "half a").unwrap();
            let output = run(&SMALL, &cut);
            assert!(output.status.success(), "{length} bytes");
            let known = trials(&String::from_utf8_lossy(&records[..length]));
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(message.contains(&format!("{known} of 12 trials are on record")), known > 0, "{message}");
            assert_eq!(files(&cut), expected, "{length} bytes");
            fs::remove_dir_all(&cut).unwrap();
        }
    }

    #[test]
    fn a_killed_experiment_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let [whole, killed] = ["whole", "killed"].map(|name| folder.path().join(name));
        let longer =
            ["coco", "--dims", "5", "--functions", "3,4,24", "--instances", "1-4", "--budget-multiplier", "2000"];
        assert!(run(&longer, &whole).status.success());
        let mut process = xtask(&longer, &killed).spawn().unwrap();
        let records = || trials(&fs::read_to_string(killed.join("records.jsonl")).unwrap_or_default());
        let start = Instant::now();
        while records() < 2 && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let before = records();
        assert!(before >= 2, "it was given a minute");
        let output = run(&longer, &killed);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && message.contains("of 12 trials are on record"), "{message}");
        assert_eq!(files(&killed), files(&whole));
    }

    #[test]
    fn more_of_the_same_is_welcome_and_anything_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        let few = ["coco", "--dims", "2", "--functions", "1", "--instances", "1", "--budget-multiplier", "300"];
        assert!(run(&few, out).status.success());
        let before = files(out);
        let more = ["coco", "--dims", "2", "--functions", "1", "--instances", "1-3", "--policy", "ipop,bipop"];
        let output = run(&[&more[..], &["--budget-multiplier", "300"]].concat(), out);
        assert!(String::from_utf8(output.stderr).unwrap().contains("1 of 6 trials are on record"));
        assert_eq!(csv(out).len(), 1 + 6);
        let kept =
            |(name, text): (&PathBuf, &String)| !name.starts_with("BIPOP-dd-CMA-ES") || files(out)[name] == *text;
        assert!(before.iter().all(kept), "what was there is as it was");

        let other = run(&[&more[..], &["--budget-multiplier", "301"]].concat(), out);
        let message = String::from_utf8(other.stderr).unwrap();
        assert_eq!(other.status.code(), Some(2));
        assert!(
            message.contains("budget_multiplier must be 301, got 300") && message.lines().count() == 1,
            "{message}"
        );

        fs::remove_dir_all(out.join("IPOP-dd-CMA-ES/f01-n2-i2")).unwrap();
        let gone = run(&[&more[..], &["--budget-multiplier", "300"]].concat(), out);
        let message = String::from_utf8(gone.stderr).unwrap();
        assert_eq!(gone.status.code(), Some(2));
        assert!(
            message.contains("f01-n2-i2: the folder of a trial on record must exist") && message.lines().count() == 1,
            "{message}"
        );
    }

    #[test]
    fn every_strategy_starts_at_the_same_point() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        // A budget of one evaluation per variable: the first candidates are near the start, which is the same for all.
        let first = |arguments: &[&str], name: &str| {
            let base = ["coco", "--dims", "2", "--functions", "1", "--instances", "2", "--budget-multiplier", "1"];
            assert!(run(&[&base[..], arguments].concat(), &out.join(name)).status.success());
            csv(&out.join(name))[1..].iter().map(|row| row[7].clone()).collect::<Vec<_>>()
        };
        // Before the first update all strategies sample the same points.
        let values = first(&["--strategy", "dd,plain,sep", "--policy", "ipop,bipop"], "one");
        assert!(values.len() == 6 && values.iter().all(|value| *value == values[0]), "{values:?}");
        assert_eq!(first(&[], "again"), values[..1]);
        assert_ne!(first(&["--seed", "2"], "two"), values[..1]);
    }

    #[test]
    fn bad_input_is_refused_before_any_work_starts() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        for (arguments, part) in [
            (&["coco", "--dims", "4"][..], "n must be one of 2, 3, 5, 10, 20, 40 for bbob, got 4"),
            (&["coco", "--suite", "bbob-largescale", "--dims", "5"], "n must be one of 20, 40"),
            (&["coco", "--functions", "0-3"], "the number of a function of bbob must be from 1 to 24, got 0"),
            (&["coco", "--functions", "25"], "must be from 1 to 24, got 25"),
            (&["coco", "--instances", "0"], "the number of an instance of COCO must be from 1 to"),
            (
                &["coco", "--budget-multiplier", "18446744073709551615"],
                "must be from 1 to 2^64 − 1, got 18446744073709551615",
            ),
            (
                &["restarts", "--functions", "bbob-f1", "--dims", "4"],
                "n must be one of 2, 3, 5, 10, 20, 40 for bbob, got 4",
            ),
            (
                &["restarts", "--functions", "bbob-f1", "--seed", "200000"],
                "the number of an instance of COCO must be from 1 to 200000, got 200010",
            ),
            (&["compare", "--functions", "bbob-f25"], "choose one of bbob-f1 to bbob-f24"),
            (
                &["compare", "--functions", "bbob-f1", "--dims", "20", "--seed", "0"],
                "the number of an instance of COCO must be from 1 to",
            ),
        ] {
            let message = refusal(arguments, &out);
            assert!(message.contains(part) && message.lines().count() == 1, "{message}");
        }
        for arguments in [
            &["coco", "--suite", "bbo"][..],
            &["coco", "--functions", "4-2"],
            &["coco", "--instances", "x"],
            &["coco", "--budget-multiplier", "0"],
            &["coco", "--jobs", "0"],
            &["coco", "--strategy", "cma"],
        ] {
            assert!(refusal(arguments, &out).contains("error"));
        }
    }

    #[test]
    fn its_functions_have_names_in_other_experiments() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["bbob-f1,sphere,bbob-f10", "--dims", "2", "--trials", "2", "--jobs", "2"];
        for (command, rows) in [("compare", 3 * 3 * 2), ("restarts", 3 * 3 * 6 * 2)] {
            let out = folder.path().join(command);
            let output = run(&[&[command, "--functions"], &names[..]].concat(), &out);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let csv = fs::read_to_string(out.join("trials.csv")).unwrap();
            assert_eq!(csv.lines().count(), 1 + rows);
            let sphere: Vec<&str> = csv.lines().filter(|line| line.starts_with("bbob-f1,0,2,")).collect();
            assert_eq!(sphere.len(), rows / 3);
            // The target is 1e-8 above the minimum, which is not 0 in COCO.
            assert!(sphere.iter().all(|line| line.contains(",target")), "{sphere:?}");
        }
    }
}
