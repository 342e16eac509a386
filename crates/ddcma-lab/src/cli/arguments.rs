//! What commands have in common: numbers, lists and files on the command line. Knows no experiment.

use std::path::Path;

use crate::{LabError, records};

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
