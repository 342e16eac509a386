//! The command `report`, and the end of all experiments: tables, pictures and a page.

use std::path::{Path, PathBuf};

use clap::Args;

use super::arguments::check_file;
use crate::records::write_file;
use crate::{LabError, Outcomes, ReportOptions};

/// The options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Read the records in this folder.
    #[arg(value_name = "DIR")]
    records: PathBuf,
    #[command(flatten)]
    shown: Shown,
    /// Write tables and pictures into this folder. Default: that of the records.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How outcomes are shown.
#[derive(Args, Clone, Debug)]
pub(crate) struct Shown {
    /// Compare the others with this algorithm. Default: the first one that is dd or begins with dd/; without one, the first.
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Write one row per trial to this file. Default: `trials.csv` next to the tables.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write files for the tools of IOHprofiler into this folder. Default: none.
    #[arg(long, value_name = "DIR")]
    ioh: Option<PathBuf>,
}

pub(crate) fn run(Options { records, shown, out }: &Options) -> Result<(), LabError> {
    let outcomes = Outcomes::on_record(records)?;
    let algorithms = outcomes.algorithms();
    let out = out.as_deref().unwrap_or(records);
    shown.check(&algorithms, out)?;
    shown.publish(&outcomes, out)
}

impl Shown {
    /// Checks the options before any work starts.
    pub(crate) fn check(&self, algorithms: &[&str], out: &Path) -> Result<(), LabError> {
        check_file(self.csv.as_deref(), out)?;
        match &self.baseline {
            Some(baseline) if !algorithms.contains(&baseline.as_str()) => Err(LabError::new(format!(
                "there is no algorithm \"{baseline}\" for the baseline: choose one of {}",
                algorithms.join(", ")
            ))),
            _ => Ok(()),
        }
    }

    /// Prints the summary and the table, and writes everything.
    pub(crate) fn publish(&self, outcomes: &Outcomes, out: &Path) -> Result<(), LabError> {
        let mut options = ReportOptions::new();
        let algorithms = outcomes.algorithms();
        let baseline = self.baseline.as_deref().or(algorithms.iter().copied().find(|name| is_dd(name)));
        if let Some(baseline) = baseline {
            options = options.baseline(baseline);
        }
        let report = outcomes.report(&options)?;
        let csv = self.csv.clone().unwrap_or_else(|| out.join("trials.csv"));
        let page = report.write(out)?;
        write_file(&csv, &outcomes.trials_csv())?;
        println!("{}", report.text());
        println!("one row per trial:    {}", csv.display());
        if let Some(folder) = &self.ioh {
            outcomes.write_ioh(folder)?;
            println!("files of IOHprofiler: {}", folder.display());
        }
        println!("page with pictures:   {}", page.display());
        Ok(())
    }
}

/// Returns whether this is dd-CMA-ES, with or without a policy: the default baseline.
fn is_dd(name: &str) -> bool {
    name == "dd" || name.starts_with("dd/")
}
