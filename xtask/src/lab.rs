//! What every experiment of the laboratory shares: names, records that survive, a pool of workers, tables and pictures.
//!
//! Knows trials as keys with a record. Does not know what is measured.

pub mod fingerprint;
pub mod names;
pub mod pool;
pub mod problem;
pub mod root;
pub mod settings;
pub mod trial;

pub use ddcma_lab::{LabError, course, page, patiently, picture, records, statistics, table};

use std::path::Path;

/// What to do when something needs the platform COCO and this program was built without it.
#[cfg(not(feature = "coco"))]
pub const HOW_TO_GET_COCO: &str = "COCO is not in this build: run `cargo xtask-coco …` instead of `cargo xtask …`; building \
                                   it needs libclang (Debian: apt-get install libclang-dev); see docs/coco.md";

/// A dimension on the command line.
pub fn dimension(text: &str) -> Result<u32, String> {
    whole(text, 1)
}

/// A population size on the command line.
pub fn population(text: &str) -> Result<u32, String> {
    whole(text, 2)
}

fn whole(text: &str, least: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("this must be a whole number from {least} to {}", u32::MAX))
}

/// A target is a number that can be reached or not.
pub fn check_target(target: f64) -> Result<(), LabError> {
    if target.is_finite() { Ok(()) } else { Err(LabError::new(format!("the target is {target}, not a finite number"))) }
}

/// Each of a list once, in the order of its first appearance.
pub fn once<T: Clone + PartialEq>(list: &[T]) -> Vec<T> {
    let mut seen: Vec<T> = Vec::new();
    list.iter().for_each(|item| {
        if !seen.contains(item) {
            seen.push(item.clone());
        }
    });
    seen
}

/// The seed of a trial, if there is one so large.
pub fn seed(first: u64, trial: u32) -> Result<u64, LabError> {
    first.checked_add(u64::from(trial)).ok_or_else(|| LabError::new(format!("there is no seed {trial} after {first}")))
}

/// A budget for each variable, for n of them.
pub fn budget(per_variable: u64, n: usize) -> Result<u64, LabError> {
    let budget = per_variable.checked_mul(n as u64);
    budget.ok_or_else(|| LabError::new(format!("a budget of {per_variable} for each of {n} variables is too large")))
}

/// A file that will be written at the end: its folder must be there, and it must not be the records.
pub fn check_file(file: Option<&Path>, out: &Path) -> Result<(), LabError> {
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
