//! What commands have in common: numbers, lists and files on the command line. Knows no experiment.

use std::path::Path;

use clap::Args;

use crate::{Experiment, LabError, records};

/// What experiments of all kinds have: which trials, and who runs them.
#[derive(Args, Clone, Debug)]
pub(crate) struct Trials {
    /// Trials of each combination.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: u32,
    /// The value to reach, for problems that have none of their own.
    #[arg(long, default_value = "1e-8", allow_negative_numbers = true)]
    target: f64,
    /// The seed of the first trial; the next ones follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
}

impl Trials {
    /// The experiment with these trials.
    pub(crate) fn of(&self, experiment: Experiment) -> Experiment {
        let Self { trials, target, seed, jobs } = self;
        let experiment = experiment.trials(*trials).target(*target).first_seed(*seed);
        if let Some(jobs) = jobs { experiment.jobs(*jobs) } else { experiment }
    }
}

/// A dimension.
pub fn dimension(text: &str) -> Result<u32, String> {
    whole(text, 1)
}

/// A population size.
pub fn population(text: &str) -> Result<u32, String> {
    whole(text, 2)
}

fn whole(text: &str, least: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("this must be a whole number from {least} to {}", u32::MAX))
}

/// Numbers as an experiment takes them.
pub(crate) fn sizes(numbers: &[u32]) -> Vec<usize> {
    numbers.iter().map(|number| *number as usize).collect()
}

/// A file that will be written at the end: its folder must be there, and it must not be the records.
pub(crate) fn check_file(file: Option<&Path>, out: &Path) -> Result<(), LabError> {
    let Some(file) = file else { return Ok(()) };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() && folder != out {
        return Err(LabError::new(format!("{}: there is no such folder", folder.display())));
    }
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if file.is_dir() || whole(file) == whole(&out.join(records::FILE)) {
        return Err(LabError::new(format!("{}: this cannot be the file for the table", file.display())));
    }
    Ok(())
}
