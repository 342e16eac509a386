//! A run whose candidates are evaluated by the jobs of a queue. Between two calls of this program, its state is kept in files:
//!
//! ```text
//! queue ask RUN      writes the candidates of a generation, and prints its number and the candidates without a value
//! queue tell RUN     reads the values that have arrived, some or all of them
//! queue status RUN   prints the progress of the run
//! ```
//!
//! `RUN` is a folder. The candidates of generation 12 are the rows of `RUN/12/candidates.csv`: generation, candidate, key, and the
//! variables. A job that evaluates candidate 3 writes one line into `RUN/12/3.value`: generation, candidate, key, value. The scripts in
//! `examples/queue` do that for a Slurm array and for background processes. Each of these processes can be killed at any time and started again.
//!
//! `cargo run --release --features checkpoint --example queue -- ask RUN`. The exit code is 1 after an error, and 3 when the run is over.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use ddcma_core::{DdCma, StartError, StopCriteria, Ticket, storage};

/// The run. Replace it with your own.
fn start() -> Result<DdCma, StartError> {
    DdCma::builder(&[0.0; 6], 0.5).lambda(9).criteria(StopCriteria::new().target(1e-8)).seed(5).build()
}

const OVER: u8 = 3;

type Failure = Box<dyn std::error::Error>;

#[allow(clippy::print_stderr, reason = "a program reports its errors")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<&str>>()[..] {
        ["ask", run] => ask(Path::new(run)),
        ["tell", run] => tell(Path::new(run)),
        ["status", run] => status(Path::new(run)),
        _ => Err("usage: queue ask|tell|status RUN".into()),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

#[allow(clippy::print_stdout, reason = "scripts read it")]
fn ask(run: &Path) -> Result<ExitCode, Failure> {
    let mut es = match DdCma::load(checkpoint(run)) {
        Err(_) if !checkpoint(run).exists() => start()?,
        loaded => loaded?,
    };
    if let Some(stop) = es.stop() {
        println!("the run is over: {stop}");
        return Ok(ExitCode::from(OVER));
    }
    let generation = es.iterations();
    let mut csv = String::from("generation,candidate,key");
    (0..es.mean().len()).for_each(|i| write!(csv, ",x{i}").expect("text"));
    for (candidate, x) in es.ask().iter().enumerate() {
        write!(csv, "\n{generation},{candidate},{}", key(x))?;
        // Rust writes enough digits to read back exactly the same number.
        x.iter().for_each(|x| write!(csv, ",{x:e}").expect("text"));
    }
    csv.push('\n');
    fs::create_dir_all(folder(run, generation)).map_err(|error| named(&folder(run, generation), &error))?;
    es.save(checkpoint(run))?;
    storage::write(&folder(run, generation).join("candidates.csv"), csv.as_bytes())?;
    let missing: Vec<String> = es.pending().missing().map(|candidate| candidate.to_string()).collect();
    println!("{generation} {}", missing.join(","));
    Ok(ExitCode::SUCCESS)
}

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "one line for each file that cannot be used")]
fn tell(run: &Path) -> Result<ExitCode, Failure> {
    let mut es = DdCma::load(checkpoint(run))?;
    let generation = es.iterations();
    let folder = folder(run, generation);
    if !folder.join("candidates.csv").exists() {
        return Err(format!("nothing waits for values: ask for generation {generation} first").into());
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| named(&folder, &error))? {
        files.push(entry.map_err(|error| named(&folder, &error))?.path());
    }
    files.sort();
    es.ask();
    let open = es.pending();
    let (mut values, mut problems) = (BTreeMap::new(), Vec::new());
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Files that begin with a dot are still being written.
        if name == "candidates.csv" || name.starts_with('.') {
            continue;
        }
        let index = name.strip_suffix(".value").and_then(|index| index.parse().ok());
        let Some(index) = index.filter(|index| *index < open.points().len()) else {
            problems.push(format!("{}: not a value of this generation", file.display()));
            continue;
        };
        match (read(file, generation, index, &key(&open.points()[index])), open.value(index)) {
            (Err(problem), _) => problems.push(format!("{}: {problem}", file.display())),
            (Ok(value), None) => _ = values.insert(index, value),
            // Told before: this program may have been called again.
            (Ok(value), Some(known)) if value.to_bits() == known.to_bits() => {}
            (Ok(value), Some(known)) => {
                problems.push(format!("{}: told twice, first {known:e} and now {value:e}", file.display()));
            }
        }
    }
    let missing = open.missing().count() - values.len();
    for (index, value) in &values {
        es.tell_one(Ticket { generation, index: *index }, *value)?;
    }
    es.save(checkpoint(run))?;
    println!("generation {generation}: {} values told, {missing} missing", values.len());
    problems.iter().for_each(|problem| eprintln!("error: {problem}"));
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[allow(clippy::print_stdout, reason = "it is asked for")]
fn status(run: &Path) -> Result<ExitCode, Failure> {
    let mut es = DdCma::load(checkpoint(run))?;
    let (generation, evaluations) = (es.iterations(), es.evaluations());
    match es.best() {
        Some(best) => println!("{evaluations} evaluations, best {:e} at {:?}", best.value, best.point),
        None => println!("{evaluations} evaluations"),
    }
    if let Some(stop) = es.stop() {
        println!("the run is over: {stop}");
        return Ok(ExitCode::from(OVER));
    }
    es.ask();
    let open = es.pending();
    println!("generation {generation}: {} of {} values missing", open.missing().count(), open.points().len());
    Ok(ExitCode::SUCCESS)
}

fn checkpoint(run: &Path) -> PathBuf {
    run.join("run.checkpoint")
}

fn folder(run: &Path, generation: u64) -> PathBuf {
    run.join(generation.to_string())
}

fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Tells points apart, those of other runs too: FNV-1a over their bits.
fn key(x: &[f64]) -> String {
    let bytes = x.iter().flat_map(|x| x.to_bits().to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

/// The value that a job has written for a candidate.
fn read(file: &Path, generation: u64, candidate: usize, key: &str) -> Result<f64, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let line = text.strip_suffix('\n').ok_or("half-written: no end of line")?;
    let expected = format!("{generation},{candidate},{key},");
    let value = line.strip_prefix(&expected).ok_or(format!("foreign: expected {expected}VALUE, got {line:?}"))?;
    value.trim().parse().map_err(|_| format!("expected a number, got {value:?}"))
}
