//! `cargo xtask reproduce`: draws the paper's figures from our own records, and compares its claims about them with our measurements.
//!
//! This file lists the figures and writes the page; the settings of each figure are in a separate file.

mod active;
mod alpha;
mod cells;
mod claims;
mod conv;
mod cumulation;
mod decoding;
mod evaluations;
mod fes;
mod fes2;
mod lam;
mod population;
mod rastrigin;
mod rates;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::lab::page::Page;
use crate::lab::picture::{Panel, grid, single};
use crate::lab::records::write_file;
use crate::lab::{LabError, table};
use cells::Laboratory;
use claims::Claim;

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Choose the figures, by their labels in the paper, or `all`.
    #[arg(required = true, value_enum)]
    pub figures: Vec<FigureName>,
    /// Set the scale: `quick` limits dimensions, trials and populations; `paper` runs the complete experiments, which takes days.
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    pub scale: Scale,
    /// Limit the dimensions in figures that have several: `--scale paper --largest 160`.
    #[arg(long, value_parser = clap::value_parser!(u32).range(5..))]
    pub largest: Option<u32>,
    /// Limit the number of trials of each setting. Existing records are used nevertheless.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub trials: Option<u64>,
    /// Set the number of threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Set the folder for records, pictures and the page. Running the same command again continues from there.
    #[arg(long, default_value = "target/reproduce", value_name = "DIR")]
    pub out: PathBuf,
}

/// The scale of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scale {
    /// Limited experiments: half an hour for all figures on two cores.
    Quick,
    /// The paper's dimensions, trials and populations.
    Paper,
}

/// The paper's figures, by their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FigureName {
    /// All of them.
    All,
    /// The correction factor of Method 2.
    Alpha,
    /// The effect of damping on an ellipse.
    Add,
    /// The learning rates, old and new.
    Lrcomp,
    /// The cumulation factor.
    Cc,
    /// The active update.
    Active,
    /// Evaluations against dimension.
    Fes,
    /// Evaluations against dimension, on functions where dd beats both plain and sep.
    Fes2,
    /// Typical runs.
    Conv,
    /// Iterations against the population size.
    Lam,
    /// Functions with many minima.
    Rastrigin,
}

/// A figure with its claims.
struct Figure {
    /// Its label in the paper.
    label: &'static str,
    /// A description of what it shows.
    title: String,
    /// Its panels, in rows of `columns`.
    panels: Vec<Panel>,
    /// How many panels are in a row.
    columns: usize,
    /// The paper's claims about it.
    claims: Vec<Claim>,
}

/// A function that runs the trials of a figure and returns its panels and claims.
type Maker = fn(&mut Laboratory) -> Result<Figure, LabError>;

const FIGURES: [(FigureName, Maker); 10] = [
    (FigureName::Alpha, alpha::figure),
    (FigureName::Add, decoding::figure),
    (FigureName::Lrcomp, rates::figure),
    (FigureName::Cc, cumulation::figure),
    (FigureName::Active, active::figure),
    (FigureName::Fes, fes::figure),
    (FigureName::Fes2, fes2::figure),
    (FigureName::Conv, conv::figure),
    (FigureName::Lam, lam::figure),
    (FigureName::Rastrigin, rastrigin::figure),
];

/// Makes the figures and prints the claims.
pub fn run(options: &Options) -> Result<(), LabError> {
    let mut laboratory = Laboratory::open(options)?;
    let all = options.figures.contains(&FigureName::All);
    let pictures = options.out.join("reproduction");
    std::fs::create_dir_all(&pictures).map_err(|error| LabError::new(format!("{}: {error}", pictures.display())))?;
    let mut figures = Vec::new();
    for (name, make) in FIGURES {
        if all || options.figures.contains(&name) {
            let figure = make(&mut laboratory)?;
            write_file(
                &pictures.join(format!("{}.svg", figure.label)),
                &grid(&figure.title, figure.columns, &figure.panels)?,
            )?;
            println!("{}\n{}", figure.title, claims_text(&figure.claims));
            figures.push(figure);
        }
    }
    let command = command(options);
    write_file(&options.out.join("index.html"), &page(&figures, &command)?)?;
    write_file(&options.out.join("reproduction.md"), &markdown(&figures, &command))?;
    println!("page: {}", options.out.join("index.html").display());
    Ok(())
}

/// Returns the command that created the page.
fn command(options: &Options) -> String {
    let name = |name: &FigureName| name.to_possible_value().map_or(String::new(), |value| value.get_name().to_string());
    let figures: Vec<String> = options.figures.iter().map(name).collect();
    let scale = if options.scale == Scale::Quick { "quick" } else { "paper" };
    let largest = options.largest.map_or(String::new(), |largest| format!(" --largest {largest}"));
    let trials = options.trials.map_or(String::new(), |trials| format!(" --trials {trials}"));
    format!("cargo xtask reproduce {} --scale {scale}{largest}{trials}", figures.join(" "))
}

const CLAIM_HEAD: [&str; 5] = ["the paper says", "our criterion", "we measured", "holds", "remark"];

fn claims_text(claims: &[Claim]) -> String {
    let lines = claims.iter().map(|claim| {
        let [says, criterion, measured, holds, _] = claim.cells();
        format!("  {holds:>3}: {says}\n       {criterion}; measured: {measured}\n")
    });
    lines.collect()
}

fn page(figures: &[Figure], command: &str) -> Result<String, LabError> {
    let mut page = Page::new("The figures of the dd-CMA-ES paper, reproduced");
    page.verbatim(command);
    for figure in figures {
        page.heading(&format!("Figure {}: {}", figure.label, figure.title));
        page.pictures(&figure.panels.iter().map(single).collect::<Result<Vec<_>, _>>()?);
        page.sentences(&CLAIM_HEAD, &figure.claims.iter().map(|claim| claim.cells().to_vec()).collect::<Vec<_>>());
    }
    Ok(page.html())
}

/// Counts the claims that hold, fail, and need larger runs.
fn counts(figures: &[Figure]) -> String {
    let verdicts: Vec<String> =
        figures.iter().flat_map(|figure| &figure.claims).map(|claim| claim.cells()[3].clone()).collect();
    let count = |verdict: &str| verdicts.iter().filter(|known| *known == verdict).count();
    let [yes, no, larger] = ["yes", "no", "needs a larger scale"].map(count);
    format!("{yes} of the {} claims hold at this scale, {no} fail, and {larger} need larger runs.", verdicts.len())
}

fn markdown(figures: &[Figure], command: &str) -> String {
    let mut text = format!(
        "# Which claims of the paper hold?\n\nThis page reproduces the figures of the dd-CMA-ES paper from our own runs, and checks \
         the paper's claims about them. It was generated by\n\n```sh\n{command}\n```\n\n{}\n",
        counts(figures)
    );
    for figure in figures {
        let Figure { label, title, claims, .. } = figure;
        text += &format!("\n## Figure `{label}`: {title}\n\n![{title}](reproduction/{label}.svg)\n\n");
        text += &table::markdown(&CLAIM_HEAD, &claims.iter().map(|claim| claim.cells().to_vec()).collect::<Vec<_>>());
    }
    text
}
