//! The example `queue`, a run that is kept in files. Killed, continued and told in portions, it is identical to the run of one process.
//! Each problem with a file is reported in one line, and nothing is lost.
#![cfg(all(unix, feature = "dense", feature = "checkpoint", feature = "rayon"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::bits;
use ddcma_core::{DdCma, StopCriteria};

/// A folder for a run.
struct Run {
    folder: tempfile::TempDir,
}

/// A row of the candidates.
struct Candidate {
    index: usize,
    key: String,
    x: Vec<f64>,
}

impl Run {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, verb: &str) -> Command {
        let mut command = Command::new(crate::examples::path("queue"));
        command.arg(verb).arg(self.folder.path());
        command
    }

    /// Returns the exit code, the output and the errors.
    fn call(&self, verb: &str) -> (Option<i32>, String, String) {
        let output = self.command(verb).output().expect("cargo test builds the example");
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), stdout, stderr)
    }

    /// Returns what a successful call prints.
    fn said(&self, verb: &str) -> String {
        let (code, stdout, stderr) = self.call(verb);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{verb}: {stdout}");
        stdout
    }

    /// Starts a call, and kills it.
    fn kill(&self, verb: &str, after: Duration) {
        let mut child = self.command(verb).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn generation(&self, number: u64) -> PathBuf {
        self.folder.path().join(number.to_string())
    }

    fn candidates(&self, number: u64) -> Vec<Candidate> {
        let text = fs::read_to_string(self.generation(number).join("candidates.csv")).unwrap();
        let rows = text.lines().skip(1).map(|row| row.split(',').collect::<Vec<&str>>());
        rows.map(|row| {
            assert_eq!(row[0], number.to_string());
            let x = row[3..].iter().map(|x| x.parse().unwrap()).collect();
            Candidate { index: row[1].parse().unwrap(), key: row[2].to_string(), x }
        })
        .collect()
    }

    fn evaluate(&self, number: u64, Candidate { index, key, x }: &Candidate) {
        let line = format!("{number},{index},{key},{:e}\n", sphere(x));
        fs::write(self.generation(number).join(format!("{index}.value")), line).unwrap();
    }

    fn state(&self) -> DdCma {
        DdCma::load(self.folder.path().join("run.checkpoint")).unwrap()
    }
}

fn sphere(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    x.iter().for_each(|x| sum += x * x);
    sum
}

/// The same run in one process.
fn serial(generations: u64) -> DdCma {
    let criteria = StopCriteria::new().target(1e-8);
    let mut es = DdCma::builder(&[0.0; 6], 0.5).lambda(9).criteria(criteria).seed(5).build().unwrap();
    while es.iterations() < generations {
        es.step(&mut sphere).unwrap();
    }
    es
}

#[test]
fn killed_and_told_in_three_portions_it_is_the_run_of_one_process() {
    let run = Run::new();
    let mut pauses = (0..).map(|k: u64| Duration::from_micros(k * 770 % 5000));
    for generation in 0..12 {
        run.kill("ask", pauses.next().unwrap());
        assert_eq!(run.said("ask"), format!("{generation} 0,1,2,3,4,5,6,7,8\n"));
        let candidates = run.candidates(generation);
        for (portion, missing) in [(&candidates[6..], 6), (&candidates[..2], 4), (&candidates[2..6], 0)] {
            portion.iter().for_each(|candidate| run.evaluate(generation, candidate));
            run.kill("tell", pauses.next().unwrap());
            // The call that was killed may have done everything, including the end of the generation.
            if run.state().iterations() == generation {
                assert!(run.said("tell").ends_with(&format!(" {missing} missing\n")));
            }
        }
        assert_eq!(run.state().iterations(), generation + 1);
    }
    assert_eq!(bits(&run.state()), bits(&serial(12)));
}

#[test]
fn dead_jobs_are_asked_for_again_and_the_end_has_an_exit_code() {
    let run = Run::new();
    assert_eq!(run.call("status").0, Some(1), "there is no run yet");
    let mut generation = 0;
    let over = loop {
        let (code, stdout, stderr) = run.call("ask");
        if code != Some(0) {
            break (code, stdout, stderr);
        }
        // Sometimes only candidate 4 comes back first, and then all others that are missing.
        let mut missing = 9;
        if generation % 20 == 1 {
            run.evaluate(generation, &run.candidates(generation)[4]);
            assert_eq!(run.said("tell"), format!("generation {generation}: 1 values told, 8 missing\n"));
            assert_eq!(run.said("ask"), format!("{generation} 0,1,2,3,5,6,7,8\n"));
            assert!(run.said("status").ends_with(&format!("generation {generation}: 8 of 9 values missing\n")));
            missing = 8;
        }
        run.candidates(generation).iter().for_each(|candidate| run.evaluate(generation, candidate));
        assert_eq!(run.said("tell"), format!("generation {generation}: {missing} values told, 0 missing\n"));
        generation += 1;
    };
    assert_eq!((over.0, over.2.as_str()), (Some(3), ""));
    assert!(over.1.starts_with("the run is over: target"), "{}", over.1);
    assert_eq!(run.call("status").0, Some(3));
    assert!(run.state().best_value() <= 1e-8);
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_nothing_is_lost() {
    let run = Run::new();
    run.said("ask");
    let candidates = run.candidates(0);
    let folder = run.generation(0);
    run.evaluate(0, &candidates[0]);
    let key = &candidates[1].key;
    let problems = [
        ("1.value", format!("0,1,{key},1.25"), "half-written: no end of line"),
        ("2.value", String::new(), "half-written: no end of line"),
        ("3.value", format!("0,1,{key},1.25\n"), "foreign: expected 0,3,"),
        ("4.value", format!("0,4,{key},1.25\n"), "foreign: expected 0,4,"),
        ("5.value", format!("0,5,{},?\n", candidates[5].key), "expected a number, got \"?\""),
        ("9.value", format!("0,9,{key},1.25\n"), "not a value of this generation"),
        ("notes.txt", "what happened\n".to_string(), "not a value of this generation"),
        (".6.1234", "0,6,".to_string(), ""), // still being written
    ];
    for (name, text, _) in &problems {
        fs::write(folder.join(name), text).unwrap();
    }
    let (code, stdout, stderr) = run.call("tell");
    assert_eq!((code, stdout.as_str()), (Some(1), "generation 0: 1 values told, 8 missing\n"));
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 7, "{stderr}");
    for ((name, _, problem), line) in problems.iter().zip(lines) {
        assert!(line.starts_with("error: ") && line.contains(name) && line.contains(problem), "{line}");
    }
    assert_eq!(run.state().evaluations(), 1);

    // The same value again changes nothing; another one is refused, and the first one stays.
    problems.iter().for_each(|(name, ..)| fs::remove_file(folder.join(name)).unwrap());
    assert_eq!(run.said("tell"), "generation 0: 0 values told, 8 missing\n");
    fs::write(folder.join("0.value"), format!("0,0,{},7e0\n", candidates[0].key)).unwrap();
    let (code, _, stderr) = run.call("tell");
    assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{stderr}");
    let known = sphere(&candidates[0].x);
    assert!(stderr.ends_with(&format!("0.value: told twice, first {known:e} and now 7e0\n")), "{stderr}");

    // A generation that is over cannot be told.
    candidates.iter().for_each(|candidate| run.evaluate(0, candidate));
    run.said("tell");
    let (code, _, stderr) = run.call("tell");
    assert_eq!((code, stderr.as_str()), (Some(1), "error: nothing waits for values: ask for generation 1 first\n"));
    assert_eq!(bits(&run.state()), bits(&serial(1)));

    // A file that is not a checkpoint is refused, and kept.
    let file = run.folder.path().join("run.checkpoint");
    fs::write(&file, "not a checkpoint").unwrap();
    for verb in ["ask", "tell", "status"] {
        let (code, _, stderr) = run.call(verb);
        assert_eq!((code, stderr.lines().count()), (Some(1), 1), "{stderr}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"not a checkpoint");
}

/// A program that other programs find in a folder.
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The sphere, as a program.
const SPHERE: &str = r#"#!/usr/bin/env bash
echo >> "$(dirname "$0")/calls"
[ $(($(wc -l < "$(dirname "$0")/calls") % 7)) != 3 ] || exit 1   # now and then a job dies
awk 'BEGIN { for (i = 1; i < ARGC; i++) sum += ARGV[i] * ARGV[i]; printf "%.17g\n", sum }' "$@"
"#;

/// The example, modified so that it does not ask for generation 3.
const QUEUE: &str = r#"#!/usr/bin/env bash
if [ "$1" = ask ] && EXAMPLE status "$2" 2> /dev/null | grep -q "^generation 3:"; then exit 1; fi
exec EXAMPLE "$@"
"#;

/// A stand-in for Slurm: it runs the tasks of an array one after the other.
const SBATCH: &str = r#"#!/usr/bin/env bash
while [[ $1 == --* ]]; do
    case $1 in --array=*) tasks=${1#--array=} ;; --partition=*) echo "$1" >> "$(dirname "$0")/options" ;; esac
    shift
done
code=0
for task in ${tasks//,/ }; do SLURM_ARRAY_TASK_ID=$task "$@" || code=1; done
exit $code
"#;

#[test]
fn scripts_evaluate_generations_with_jobs_that_die() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/ddcma-core/examples/queue");
    for name in ["local.sh", "slurm.sh"] {
        let run = Run::new();
        let tools = tempfile::tempdir().unwrap();
        let program = script(tools.path(), "sphere", SPHERE);
        script(tools.path(), "sbatch", SBATCH);
        // Ends the script after three generations, as a time limit would.
        let example = crate::examples::path("queue");
        let queue = script(tools.path(), "queue", &QUEUE.replace("EXAMPLE", &example.display().to_string()));
        let path = format!("{}:{}", tools.path().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(scripts.join(name));
        command.args([&queue, run.folder.path(), &program]).env("PATH", path);
        if name == "slurm.sh" {
            command.arg("--partition=long");
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(run.said("ask").split_whitespace().next(), Some("3"), "{name}: {said}");
        assert_eq!(run.state().best(), serial(3).best(), "{name}");
        if name == "slurm.sh" {
            assert!(fs::read_to_string(tools.path().join("options")).unwrap().contains("--partition=long"));
        }
    }
}
