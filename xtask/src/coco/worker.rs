//! One problem in a process of its own, with COCO's observer, and the other end of it: who starts such a process.
//!
//! COCO writes while it runs, so a problem has a folder of its own, which comes to its place when it is complete. Knows
//! processes and folders; what is done on the problem is the protocol's business.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use coco_rs::{LogLevel, Observer, observer};

use super::protocol::{self, Record};
use super::{Algorithm, Trial};
use crate::lab::bbob::{self, Function, SuiteName};
use crate::lab::names::{PolicyName, StrategyName};
use crate::lab::{self, LabError};

/// The hidden command of the process.
pub const COMMAND: &str = "coco-problem";

/// Where problems are that are not complete, in the folder of the experiment.
const UNFINISHED: &str = "unfinished";

/// Where COCO's observer writes, in the folder where its process is. The first half is COCO's choice.
const OBSERVED: [&str; 2] = ["exdata", "data"];

/// The command line of the process.
#[derive(Args, Clone, Debug)]
pub struct Options {
    #[arg(long, value_enum)]
    suite: SuiteName,
    #[arg(long)]
    function: u32,
    #[arg(long)]
    dim: usize,
    #[arg(long)]
    instance: u64,
    #[arg(long, value_enum)]
    strategy: StrategyName,
    #[arg(long, value_enum)]
    policy: PolicyName,
    #[arg(long)]
    budget: u64,
    #[arg(long)]
    seed: u64,
}

/// The process: runs a problem, lets COCO write into the present folder, prints the record.
pub fn run(options: &Options) -> Result<(), LabError> {
    let Options { suite, function, dim, instance, strategy, policy, budget, seed } = *options;
    end_with_parent();
    LogLevel::Warning.set();
    let spec = Function::new(suite, function)?.instance(dim, instance)?;
    let name = Algorithm { policy, strategy }.name();
    let settings = format!("result_folder: {} algorithm_name: {name}", OBSERVED[1]);
    let observer = Observer::new(observer::Name::Bbob, &settings);
    let observer = observer.ok_or_else(|| LabError::new("COCO gives no observer"))?;
    let record = bbob::with(spec, |problem| {
        problem.observe(&observer);
        protocol::solve(problem, strategy, policy, budget, seed)
    })?;
    let record = record.map_err(|error| LabError::new(error.to_string()))?;
    // The problem is closed, and COCO has written how it ended.
    check_info(&OBSERVED.iter().collect::<PathBuf>(), instance, record.evaluations)?;
    println!("{}", serde_json::to_string(&record).map_err(|error| LabError::new(error.to_string()))?);
    Ok(())
}

/// Whoever kills the experiment ends its processes: nothing ever comes from there, but it ends.
fn end_with_parent() {
    std::thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(1);
    });
}

/// COCO's C code does not say when a disk is full; what it wrote last does.
fn check_info(folder: &Path, instance: u64, evaluations: u64) -> Result<(), LabError> {
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
    Err(failed(&format!("COCO has not written \"{expected}\" there")))
}

/// Runs a problem in a process of its own. Its folder is complete and in its place when this returns.
pub(super) fn start(trial: &Trial, out: &Path) -> Result<Record, LabError> {
    let key = trial.key();
    let failed = |error: &dyn std::fmt::Display| LabError::new(format!("{key}: {error}"));
    let desk = out.join(UNFINISHED).join(key.replace('/', "-"));
    fs::create_dir_all(&desk).map_err(|error| failed(&error))?;
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let (spec, Algorithm { policy, strategy }) = (trial.spec, trial.algorithm);
    let arguments = [
        ("--suite", spec.suite().name().to_string()),
        ("--function", spec.function().number().to_string()),
        ("--dim", spec.n().to_string()),
        ("--instance", spec.instance().to_string()),
        ("--strategy", strategy.name().to_string()),
        ("--policy", policy.name().to_string()),
        ("--budget", trial.budget.to_string()),
        ("--seed", trial.seed.to_string()),
    ];
    let mut command = Command::new(program);
    command.arg(COMMAND).args(arguments.iter().flat_map(|(name, value)| [*name, value.as_str()])).current_dir(&desk);
    let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut process = process.map_err(|error| failed(&error))?;
    // Held until it has ended: see `end_with_parent`.
    let stdin = process.stdin.take();
    let output = process.wait_with_output().map_err(|error| failed(&error))?;
    drop(stdin);
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(&format!("{} {}", output.status, said.lines().last().unwrap_or_default())));
    }
    let record: Record = serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))?;
    put(&OBSERVED.iter().fold(desk.clone(), |path, part| path.join(part)), &trial.folder(out))
        .and_then(|()| fs::remove_dir_all(&desk))
        .map_err(|error| failed(&error))?;
    Ok(record)
}

/// Moves a folder to its place. One that is there already has no record: it came there when the experiment was killed.
fn put(folder: &Path, place: &Path) -> io::Result<()> {
    remove(place)?;
    place.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::rename(folder, place)
}

/// Removes what an experiment has left that was killed.
pub(super) fn clean(out: &Path) -> Result<(), LabError> {
    let folder = out.join(UNFINISHED);
    // Its processes may need a moment to see that it has ended, and write as long.
    lab::patiently(|error: &io::Error| error.kind() == io::ErrorKind::DirectoryNotEmpty, || remove(&folder))
        .map_err(|error| LabError::new(format!("{}: {error}", folder.display())))
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
