//! What every experiment of the laboratory shares: names, records that survive, a pool of workers, tables and pictures.
//!
//! Knows trials as keys with a record. Does not know what is measured.

pub mod fingerprint;
pub mod names;
pub mod pool;
pub mod root;

pub use ddcma_lab::cli::{dimension, population};
pub use ddcma_lab::{LabError, course, page, patiently, picture, records, statistics, table};

/// What to do when something needs the platform COCO and this program was built without it.
pub const HOW_TO_GET_COCO: &str = "run `cargo xtask-coco …` instead of `cargo xtask …`; building \
                                   it needs libclang (Debian: apt-get install libclang-dev); see docs/coco.md";

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
