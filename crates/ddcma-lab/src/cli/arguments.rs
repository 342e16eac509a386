//! Arguments that several commands share: numbers, lists and files.

use std::path::Path;

use clap::Args;

use crate::{Experiment, LabError, records};

/// The options of all experiments: the trials, and the number of threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct Trials {
    /// Run this many trials of each combination.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: u32,
    /// Stop at this function value, on problems without their own target.
    #[arg(long, default_value = "1e-8", allow_negative_numbers = true)]
    target: f64,
    /// Use this seed for the first trial, and the following ones for the next trials.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use this many threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
}

impl Trials {
    /// Applies these options to an experiment.
    pub(crate) fn of(&self, experiment: Experiment) -> Experiment {
        let Self { trials, target, seed, jobs } = self;
        let experiment = experiment.trials(*trials).target(*target).first_seed(*seed);
        if let Some(jobs) = jobs { experiment.jobs(*jobs) } else { experiment }
    }
}

/// Parses a dimension.
pub fn dimension(text: &str) -> Result<u32, String> {
    whole(text, 1)
}

/// Parses a population size.
pub fn population(text: &str) -> Result<u32, String> {
    whole(text, 2)
}

fn whole(text: &str, least: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("it must be a whole number from {least} to {}", u32::MAX))
}

/// Converts numbers to those of an experiment.
pub(crate) fn sizes(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().map(|number| *number as usize).collect()
}

/// Checks a file that will be written at the end: its folder must exist, and it must not be the file of records.
pub(crate) fn check_file(file: Option<&Path>, out: &Path) -> Result<(), LabError> {
    let Some(file) = file else { return Ok(()) };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() && folder != out {
        return Err(LabError::new(format!("{}: this folder must exist: create it first", folder.display())));
    }
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if file.is_dir() || whole(file) == whole(&out.join(records::FILE)) {
        return Err(LabError::new(format!(
            "{}: the file for the trials must be neither a folder nor the file of records",
            file.display()
        )));
    }
    Ok(())
}
