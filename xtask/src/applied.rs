//! `cargo xtask applied`: the collection of applied problems as a table and in pictures, and how algorithms do on it.
//!
//! Knows what is asked for; the problems are those of `ddcma_problems::applied`.

mod pictures;
mod study;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::lab::LabError;

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// What to do.
    #[arg(value_enum)]
    pub what: What,
    /// Problems, separated by commas or spaces; `-naive` behind a name stands for the naive start. Default: the whole collection.
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    pub problems: Vec<String>,
    /// Trials of each combination, each from a start of its own.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub trials: u32,
    /// Try another initial step size than that of the problem, in a folder of its own. The scaled starts have 1.
    #[arg(long)]
    pub sigma: Option<f64>,
    /// Threads. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// The folder for records and tables, or for pictures. Default: `target/applied`, and `docs/applied` for pictures.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What to do with the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Print the collection as a Markdown table.
    Table,
    /// Draw the best known solution of each problem.
    Pictures,
    /// Check that dd-CMA-ES with BIPOP restarts reaches each best known value within the budget of the problem.
    Reach,
    /// Compare strategies on all of them: single runs and restarts, naive and scaled starts.
    Study,
}

/// Does what is asked for.
pub fn run(options: &Options) -> Result<(), LabError> {
    let out = |default: &str| options.out.clone().unwrap_or_else(|| PathBuf::from(default));
    match options.what {
        What::Table => {
            print!("{}", ddcma_problems::applied::table());
            Ok(())
        }
        What::Pictures => pictures::run(&out("docs/applied")),
        What::Reach => study::reach(options, &out("target/applied")),
        What::Study => study::study(options, &out("target/applied")),
    }
}
