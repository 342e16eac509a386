//! `cargo xtask damping`: studies how to damp D: by the condition number of C as in the paper, by its shortest axis, or by the agreement of
//! updates.
//!
//! Cells, variants, seeds and trials of each part of the study were fixed before the runs.
//! `docs/damping.md` states the protocol and the results.

mod choice;
mod follow;
mod long;
mod multimodal;
mod noise;
mod picture;
mod plan;
mod ratios;
mod tables;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use self::plan::{Plan, Variant};
use crate::lab::names::Form;
use crate::lab::records::write_file;
use crate::lab::{self, LabError};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Choose the part of the study.
    pub part: Part,
    /// Run these dimensions instead of those of the part, separated by commas or spaces.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Run these functions instead of those of the part, separated by commas or spaces.
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    pub functions: Vec<Form>,
    /// Run this variant instead of those of the part, such as `dd damping=shortest-axis beta_exponent=0.7`. Can be given several times; the
    /// other variants are compared with the first one.
    #[arg(long = "variant", value_name = "STRATEGY NAME=VALUE …")]
    pub variants: Vec<Variant>,
    /// Run this many trials instead of the number of the part: one number, or one per dimension.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub trials: Vec<u32>,
    /// Use this seed for the first trial instead of that of the part; the next trials have the following seeds. Affects only parts that
    /// compare trials.
    #[arg(long, value_name = "SEED")]
    pub first_seed: Option<u64>,
    /// Set the minutes for each run of the part `long`; running the same command again continues for as long.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub minutes: u64,
    /// Set the number of threads.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,
    /// Set the folder for records and tables. Running the same command again continues from there.
    #[arg(long, default_value = "target/damping", value_name = "DIR")]
    pub out: PathBuf,
}

/// A part of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The grid of constants of the damping by the shortest axis, with few trials at n = 40.
    Choose,
    /// The grid of constants of the damping by agreement, at n = 40, 80 and 160.
    Agreement,
    /// The finalists of the grid, on the same seeds, with more trials and in all dimensions.
    Finalists,
    /// The chosen constants on other seeds.
    Judge,
    /// Success rates on functions with many minima, at the population size with which half of the paper's runs succeed.
    Multimodal,
    /// 320 and 640 variables.
    Large,
    /// Separable functions, compared with separable CMA-ES, up to 2560 variables.
    Separable,
    /// One run of each variant with 5120 variables, as far as it gets in the given time; it is saved on the way.
    Long,
    /// Populations of 2n and 4n.
    Populations,
    /// The paper's proposals: a threshold that grows with n, fewer updates of C, larger populations.
    Rivals,
    /// All three dampings with two-point step-size adaptation.
    Tpa,
    /// All three dampings with exact eigenvalues.
    Exact,
    /// One run of each variant: the extreme eigenvalues of C, β and D on the way.
    Follow,
    /// The smallest eigenvalue of C on a random objective: what the damping sees if there is nothing to learn.
    Noise,
    /// The picture of the part `judge`.
    Picture,
}

/// Runs a part and prints its tables.
pub fn run(options: &Options) -> Result<(), LabError> {
    let name = options.part.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string());
    let text = match options.part {
        Part::Multimodal => multimodal::run(options)?,
        Part::Follow => follow::run(options)?,
        Part::Long => long::run(options)?,
        Part::Noise => noise::run(options)?,
        Part::Picture => picture::run(options)?,
        part => {
            let plan = Plan::of(part).with(options)?;
            let results = plan.run(options)?;
            let mut text = tables::ratios(&results);
            if matches!(part, Part::Choose | Part::Agreement | Part::Finalists) {
                text += &choice::table(&results);
            }
            text
        }
    };
    let wrong = |error: std::io::Error| LabError::new(format!("{}: {error}", options.out.display()));
    std::fs::create_dir_all(&options.out).map_err(wrong)?;
    write_file(&options.out.join(format!("{name}.md")), &text)?;
    println!("{text}");
    Ok(())
}
