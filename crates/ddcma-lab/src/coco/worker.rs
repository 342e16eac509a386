//! Runs one problem in a separate process, with COCO's observer, and starts such processes.
//!
//! The process is the same program with the same arguments. An environment variable names its task. Its result goes into a file, so the
//! output of the program does not matter. COCO writes while it runs, so each problem has a temporary folder, its desk, which is moved to
//! its final place when it is complete.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use coco_rs::{LogLevel, Observer, observer};
use serde::{Deserialize, Serialize};

use super::bbob::{self, Spec};
use super::protocol::{self, Conditions};
use crate::records::write_file;
use crate::{Algorithm, LabError, TrialOutcome, pool};

/// The environment variable that holds the task of a process, as JSON.
const TASK: &str = "DDCMA_LAB_COCO_TASK";

/// The folder of incomplete problems, in the folder of the experiment.
pub(super) const UNFINISHED: &str = "unfinished";

/// Where COCO's observer writes, in the folder of its process. COCO chooses the first part.
const OBSERVED: [&str; 2] = ["exdata", "data"];

/// The file on a desk that shows that its process has reached its problem.
const BEGUN: &str = "begun";

/// The file on a desk with the result.
const REPORT: &str = "report.json";

/// The task of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    /// Which of the program's experiments.
    pub(super) experiment: u64,
    /// Which of its trials, by index in the plan.
    pub(super) trial: usize,
    /// The fingerprint of the algorithm, which must be the same in both processes.
    pub(super) fingerprint: Option<u64>,
    /// The id of the process that waits for it.
    pub(super) parent: u32,
}

/// The result of a problem.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Report {
    Done(TrialOutcome),
    Failed(String),
    Panicked(String),
}

/// Returns whether this process was started for one problem.
pub(crate) fn is_worker() -> bool {
    std::env::var_os(TASK).is_some()
}

impl Task {
    /// Returns the task of this process, if it has one.
    pub(super) fn of_this_process() -> Result<Option<Self>, LabError> {
        let Some(text) = std::env::var_os(TASK) else { return Ok(None) };
        let task = text.to_str().and_then(|text| serde_json::from_str(text).ok());
        let wrong = || {
            LabError::new(format!("the environment variable {TASK} is reserved for processes of experiments: unset it"))
        };
        task.map(Some).ok_or_else(wrong)
    }

    /// Returns the folder where its process writes. After this experiment is killed, another one in the same folder has other desks.
    fn desk(&self, folder: &Path) -> PathBuf {
        folder.join(UNFINISHED).join(format!("{}-{}", self.parent, self.trial))
    }
}

/// A problem and its algorithm.
pub(super) struct Job<'a> {
    /// The key of its record.
    pub(super) key: String,
    pub(super) spec: Spec,
    pub(super) algorithm: &'a dyn Algorithm,
    /// Its name for COCO.
    pub(super) name: &'a str,
    pub(super) conditions: Conditions,
}

/// Runs the problem in the started process, leaves the report on the desk, and ends the process.
pub(super) fn run(task: &Task, job: &Job<'_>, fingerprint: Option<u64>, folder: &Path) -> ! {
    end_with_parent(task.parent);
    let desk = std::path::absolute(folder).map(|folder| task.desk(&folder));
    let written = desk.and_then(|desk| {
        fs::write(desk.join(BEGUN), "")?;
        // COCO always writes into the current folder.
        std::env::set_current_dir(&desk)?;
        let report = match catch_unwind(AssertUnwindSafe(|| solve(task, job, fingerprint))) {
            Ok(Ok(outcome)) => Report::Done(outcome),
            Ok(Err(error)) => Report::Failed(error.to_string()),
            Err(payload) => Report::Panicked(pool::message(&*payload).to_string()),
        };
        write_file(&desk.join(REPORT), &serde_json::to_string(&report)?).map_err(io::Error::other)
    });
    std::process::exit(i32::from(written.is_err()))
}

/// Runs a problem; COCO writes into the current folder.
fn solve(task: &Task, job: &Job<'_>, fingerprint: Option<u64>) -> Result<TrialOutcome, LabError> {
    if task.fingerprint != fingerprint {
        return Err(LabError::new(format!(
            "the algorithm {} must compute the same in each process, but does not: if it is not deterministic, return false from \
             its `is_deterministic`; if the program was rebuilt in the meantime, start the experiment again",
            job.algorithm.name()
        )));
    }
    LogLevel::Warning.set();
    let settings = format!("result_folder: {} algorithm_name: {}", OBSERVED[1], job.name);
    let observer = Observer::new(observer::Name::Bbob, &settings);
    let observer = observer.ok_or_else(|| LabError::new("COCO could not create an observer"))?;
    let outcome = bbob::with(job.spec, |problem| {
        problem.observe(&observer);
        protocol::solve(problem, job.algorithm, job.conditions)
    })??;
    // The problem is closed, so COCO has written how it ended.
    check_info(&OBSERVED.iter().collect::<PathBuf>(), job.spec.instance(), outcome.evaluations)?;
    Ok(outcome)
}

/// Ends this process when the experiment is killed: a process whose parent dies is given another parent.
fn end_with_parent(parent: u32) {
    #[cfg(unix)]
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        std::process::exit(1);
    });
    // On other systems, processes end with their problem, and their results are not read.
    #[cfg(not(unix))]
    let _ = parent;
}

/// Checks the last line that COCO wrote, because COCO's C code does not report a full disk.
fn check_info(folder: &Path, instance: u32, evaluations: u64) -> Result<(), LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::new(format!("{}: {error}", folder.display()));
    let mut infos = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(&error))? {
        let path = entry.map_err(|error| failed(&error))?.path();
        if path.extension().is_some_and(|extension| extension == "info") {
            infos.push(fs::read_to_string(&path).map_err(|error| failed(&error))?);
        }
    }
    let expected = format!(", {instance}:{evaluations}|");
    if infos.len() == 1 && infos[0].contains(&expected) {
        return Ok(());
    }
    Err(failed(&format!("COCO must have written \"{expected}\" here, but has not: check that the disk is not full")))
}

/// Runs a problem in a separate process. When this returns, its folder is complete and in its place.
///
/// # Panics
/// Panics if the algorithm panics, or if its process dies.
pub(super) fn start(task: &Task, job: &Job<'_>, folder: &Path, place: &Path) -> Result<TrialOutcome, LabError> {
    let failed = |error: &dyn std::fmt::Display| LabError::new(format!("{}: {error}", job.key));
    let desk = task.desk(folder);
    fs::create_dir_all(&desk).map_err(|error| failed(&error))?;
    let output = same_program(task).map_err(|error| failed(&format!("its process could not start: {error}")))?;
    let report = match fs::read(desk.join(REPORT)) {
        Ok(report) => report,
        Err(_) if desk.join(BEGUN).is_file() => {
            resume_unwind(Box::new(format!("its process died, {}", ending(&output))))
        }
        Err(_) => {
            return Err(failed(&format!(
                "the program was started again with the same arguments, but ended before it reached this problem, {}: it must \
                 run the same experiments each time",
                ending(&output)
            )));
        }
    };
    match serde_json::from_slice(&report).map_err(|error| failed(&error))? {
        Report::Done(outcome) => {
            let data = OBSERVED.iter().fold(desk.clone(), |path, part| path.join(part));
            put(&data, place).and_then(|()| fs::remove_dir_all(&desk)).map_err(|error| failed(&error))?;
            Ok(outcome)
        }
        Report::Failed(error) => Err(failed(&error)),
        Report::Panicked(message) => resume_unwind(Box::new(message)),
    }
}

/// Runs this program again with the same arguments, until it ends. Its output is discarded.
fn same_program(task: &Task) -> io::Result<Output> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(&program);
    command.args(std::env::args_os().skip(1)).env(TASK, serde_json::to_string(task)?);
    let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", program.display()));
    process.map_err(named)?.wait_with_output()
}

/// Describes how a process ended, with its last line of output.
fn ending(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with("note: "));
    last.map_or_else(|| output.status.to_string(), |last| format!("{}: {last}", output.status))
}

/// Moves a folder to its place. A folder that is already there has no record: it is from an experiment that was killed.
fn put(folder: &Path, place: &Path) -> io::Result<()> {
    remove(place)?;
    place.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::rename(folder, place)
}

/// Removes what a killed experiment has left behind.
pub(super) fn clean(folder: &Path) -> Result<(), LabError> {
    let folder = folder.join(UNFINISHED);
    // Its processes may need a moment to notice that it has ended, and may still write.
    crate::patiently(|error: &io::Error| error.kind() == io::ErrorKind::DirectoryNotEmpty, || remove(&folder))
        .map_err(|error| LabError::new(format!("{}: {error}", folder.display())))
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
