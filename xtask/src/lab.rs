//! What all experiments share: names, records on disk, a pool of workers, tables and pictures.
//!
//! A trial is a key with a record, whatever is measured.

pub mod fingerprint;
pub mod names;
pub mod pool;
pub mod root;

pub use ddcma_lab::cli::{dimension, population};
pub use ddcma_lab::{LabError, course, page, patiently, picture, records, statistics, table};

/// What to do if a command needs the platform COCO and this program was built without it.
pub const HOW_TO_GET_COCO: &str = "run `cargo xtask-coco …` instead of `cargo xtask …`; building \
                                   it needs libclang (Debian: apt-get install libclang-dev); see docs/coco.md";

/// Checks that a target is finite.
pub fn check_target(target: f64) -> Result<(), LabError> {
    if target.is_finite() { Ok(()) } else { Err(LabError::new(format!("the target must be finite, got {target}"))) }
}

/// Removes duplicates from a list; the first occurrences stay in their order.
pub fn once<T: Clone + PartialEq>(list: &[T]) -> Vec<T> {
    let mut seen: Vec<T> = Vec::new();
    list.iter().for_each(|item| {
        if !seen.contains(item) {
            seen.push(item.clone());
        }
    });
    seen
}

/// Returns the seed of a trial, if it does not overflow.
pub fn seed(first: u64, trial: u32) -> Result<u64, LabError> {
    first.checked_add(u64::from(trial)).ok_or_else(|| {
        LabError::new(format!("the first seed, {first}, is too large for trial {trial}: seeds must be below 2^64"))
    })
}

/// Returns the budget for n variables, given that for each of them.
pub fn budget(per_variable: u64, n: usize) -> Result<u64, LabError> {
    let budget = per_variable.checked_mul(n as u64);
    budget.ok_or_else(|| LabError::new(format!("a budget of {per_variable} for each of {n} variables is too large")))
}
