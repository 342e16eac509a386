//! `cargo xtask applied`: shows the collection of applied problems as a table and in pictures, and compares algorithms on it.
//!
//! The problems are those of `ddcma_problems::applied`.

mod against;
mod pictures;
mod serve;
mod study;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ddcma_lab::AppliedFamily;

use crate::lab::LabError;

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Choose what to do.
    #[arg(value_enum)]
    pub what: What,
    /// Read these tables of trials for `against`.
    pub files: Vec<PathBuf>,
    /// Run these problems, separated by commas or spaces; append `-naive` to a name for the naive start. Default: the whole collection.
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    pub problems: Vec<String>,
    /// Set the number of trials of each combination, each with its own start.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub trials: u32,
    /// Set the restart policy, in the notation of `cargo xtask restarts`, such as `bipop:budget_share=0.25`.
    #[arg(long, default_value = "bipop")]
    pub policy: String,
    /// Run only this part of the study. Default: both.
    #[arg(long, value_enum)]
    pub part: Option<Part>,
    /// Limit the evaluations of a trial of the study, unless the problem's own budget is smaller. A different limit requires a different
    /// folder.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub most: u64,
    /// Multiply the initial deviations of all variables by this factor. A different factor requires a different folder.
    #[arg(long)]
    pub sigma: Option<f64>,
    /// Set the number of threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Set the folder for records and tables, or for pictures. Default: `target/applied`, `target/applied-reach`, and `docs/applied` for pictures.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A part of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Single runs.
    Single,
    /// Searches with restarts.
    Restarts,
}

/// An action on the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Print the collection as a Markdown table.
    Table,
    /// Draw the best known solution of each problem.
    Pictures,
    /// Check that dd-CMA-ES with restarts reaches each best known value within the budget of the problem.
    Reach,
    /// Compare strategies on all problems: single runs and restarts, naive and scaled starts.
    Study,
    /// Compare the trials of several tables, such as `target/applied/trials.csv` of the study and those of other programs, with dd-CMA-ES.
    Against,
    /// Answer requests from standard input (`start SEED`, or a point) on standard output, for optimizers in other languages.
    Serve,
}

/// Executes the action.
pub fn run(options: &Options) -> Result<(), LabError> {
    let out = |default: &str| options.out.clone().unwrap_or_else(|| PathBuf::from(default));
    match options.what {
        What::Table => {
            print!("{}", ddcma_problems::applied::table());
            Ok(())
        }
        What::Pictures => pictures::run(&out("docs/applied")),
        What::Reach => study::reach(options, &out("target/applied-reach")),
        What::Study => study::study(options, &out("target/applied")),
        What::Against => {
            println!("{}", against::tables(&options.files, &options.problems)?);
            Ok(())
        }
        What::Serve => {
            let [name] = &options.problems[..] else {
                return Err(LabError::new("serve needs exactly one problem: --problems NAME"));
            };
            serve::serve(&AppliedFamily::from_name(name)?, std::io::stdin().lock(), std::io::stdout().lock())
        }
    }
}
