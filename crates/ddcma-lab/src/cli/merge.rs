//! The command `merge`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::LabError;

/// The options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Copy into this folder, which may already have records.
    #[arg(value_name = "INTO")]
    into: PathBuf,
    /// Copy from these folders, with records of the same experiment.
    #[arg(value_name = "FROM", required = true)]
    from: Vec<PathBuf>,
}

pub(crate) fn run(Options { into, from }: &Options) -> Result<(), LabError> {
    let folders: Vec<&Path> = from.iter().map(PathBuf::as_path).collect();
    crate::merge(into, &folders)?;
    println!("{}: the records of {} folders", into.display(), from.len());
    Ok(())
}
