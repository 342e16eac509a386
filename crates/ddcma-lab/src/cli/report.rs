//! The command `report`, and what all experiments end with: tables, pictures and a page. Knows where files go.

use std::path::{Path, PathBuf};

use clap::Args;

use super::arguments::check_file;
use crate::records::write_file;
use crate::{LabError, Outcomes, ReportOptions};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The folder with the records.
    #[arg(value_name = "DIR")]
    records: PathBuf,
    #[command(flatten)]
    shown: Shown,
    /// The folder for tables and pictures. Default: that of the records.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How outcomes are shown.
#[derive(Args, Clone, Debug)]
pub(crate) struct Shown {
    /// The algorithm that the others are compared with. Default: the first that begins with dd or, without one, the first.
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Where to write one row for each trial. Default: `trials.csv` beside the tables.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// A folder for the files of IOHprofiler, which its tools read. Default: none.
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
    /// Whether all of it can be done, before any work starts.
    pub(crate) fn check(&self, algorithms: &[&str], out: &Path) -> Result<(), LabError> {
        check_file(self.csv.as_deref(), out)?;
        match &self.baseline {
            Some(baseline) if !algorithms.contains(&baseline.as_str()) => Err(LabError::new(format!(
                "the baseline \"{baseline}\" is none of the algorithms: {}",
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
        println!("one row for each trial: {}", csv.display());
        if let Some(folder) = &self.ioh {
            outcomes.write_ioh(folder)?;
            println!("files of IOHprofiler:   {}", folder.display());
        }
        println!("page with pictures:     {}", page.display());
        Ok(())
    }
}

/// dd-CMA-ES, as it is or with a policy: what others are compared with, unless somebody says otherwise.
fn is_dd(name: &str) -> bool {
    name == "dd" || name.starts_with("dd/")
}
