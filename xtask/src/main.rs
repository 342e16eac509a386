//! The command line of [`xtask`]: parses flags, calls the library, turns outcomes into exit codes.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ddcma_lab::cli::exit;
#[cfg(not(feature = "coco"))]
use xtask::lab::LabError;
use xtask::replay;

/// Experiments and checks of the ddcma workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the applied problems, or compare strategies on them.
    ///
    /// The problems are fits, designs and controllers with their best known values. The exit code is 2 if `reach` finds a value that no
    /// strategy reaches. Running the same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask applied study --problems gp,gp-naive --trials 11
    Applied(xtask::applied::Options),
    /// Measure speed, compared with a lower bound, with a literal implementation of the paper, and with other libraries.
    ///
    /// Builds the benchmarks with those libraries; nothing else depends on them.
    ///
    /// Example: cargo xtask bench speed --dims 10,40,160 --strategies dd
    Bench {
        /// Choose the measurement. `speed`: microseconds per iteration and per evaluation, without the objective function.
        /// `target`: evaluations and seconds to reach 1e-8 on a few functions, without the time of the objective function.
        #[arg(value_parser = ["speed", "target"])]
        what: String,
        /// Run these dimensions, separated by commas or spaces. Default: 2,5,10,20,40,80,160,320,640 for `speed`, 10,40 for `target`.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = xtask::lab::dimension)]
        dims: Vec<u32>,
        /// Run these strategies, separated by commas or spaces. Default: all three.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = ["dd", "plain", "sep"])]
        strategies: Vec<String>,
        /// Run `speed` with these population sizes, as multiples of n, such as `0.5n,n,4n`. Default: 4 + ⌊3 ln n⌋.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = multiple_of_n)]
        lambda: Vec<String>,
        /// Run `speed` with these numbers of threads, separated by commas or spaces. Default: 1.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1024))]
        threads: Vec<u32>,
        /// Choose what to compare with: `none` leaves out the literal implementation and the other libraries. Default: all.
        #[arg(long, value_parser = ["all", "none"])]
        against: Option<String>,
        /// Limit the seconds of each measurement of `speed`. Default: 3.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        seconds: Option<u32>,
        /// Write the table to this file, as comma-separated values.
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
    },
    /// Run strategies with restarts on COCO's suites. Not available in this build; prints how to enable it.
    ///
    /// Example: cargo xtask-coco coco --dims 2,5 --instances 1-3
    #[cfg(not(feature = "coco"))]
    Coco {
        /// Accept any arguments of the real command.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _arguments: Vec<String>,
    },
    #[command(flatten)]
    Lab(ddcma_lab::cli::Command),
    /// Reproduce the paper's figures, and compare its claims about them with our records.
    ///
    /// Writes a picture of each figure, a page with all figures, and the claims as Markdown. Running the same command again continues
    /// where it was interrupted; the figures share their trials.
    ///
    /// Example: cargo xtask reproduce all --scale quick
    Reproduce(xtask::reproduce::Options),
    /// Compare step-size rules: CSA and two versions of TPA.
    ///
    /// Compares numbers of evaluations, also with irrelevant variables and from a small σ0, and success rates on a rugged function. Prints
    /// Markdown tables with paired ratios and their intervals. Running the same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask step-sizes --trials 8 --largest 40
    StepSizes(xtask::step_sizes::Options),
    /// Study how to damp D: choose the constants of the dampings, judge them on other seeds, and more.
    ///
    /// Prints Markdown tables of expected running times relative to the paper's damping, with intervals. Running the same command again
    /// continues where it was interrupted. docs/damping.md has the protocol.
    ///
    /// Example: cargo xtask damping judge --dims 10,20 --trials 20
    Damping(xtask::damping::Options),
    /// Measure when runs with values far from zero end, with and without the relative tolerance on values.
    ///
    /// Uses a pressure vessel, and the functions of Table 1 with values that are shifted, scaled, both or neither. Prints a Markdown table.
    ///
    /// Example: cargo xtask tolerances --dims 5 --runs 3 --functions sphere,ellipsoid
    Tolerances(xtask::tolerances::Options),
    /// Measure which fraction of a variable's range is the best initial deviation.
    ///
    /// Prints a Markdown table of expected evaluations in a box. Running the same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask box-start --dims 5 --trials 21
    BoxStart(xtask::box_start::Options),
    /// Measure how many evaluations a start from the distribution of a finished run saves on a similar function.
    ///
    /// The second function is the first one, shifted by 1 in each coordinate and rotated by small angles in random planes. Prints a
    /// Markdown table for several initial step sizes. Running the same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask warm-start --dim 20 --trials 11
    WarmStart(xtask::warm_start::Options),
    /// Try to break the library with endless random cases, and check invariants in all of them.
    ///
    /// Cases have hostile objectives, extreme starts and settings, misuse, faults and damaged checkpoints. If an invariant is violated,
    /// prints the number of the case and the command that repeats it, and exits with code 1.
    ///
    /// Example: cargo xtask torture --minutes 30
    Torture(xtask::torture::Options),
    /// Run for a very long time on a noisy sphere, and check memory, the accuracy of the root, and rejected updates.
    ///
    /// The exit code is 1 if memory grows, if A⁻¹ is no longer the inverse of A, or if an update was rejected.
    ///
    /// Example: cargo xtask endure --dim 100 --generations 100000
    Endure(xtask::endure::Options),
    /// Compare ways to treat constraints on engineering designs with published optima.
    ///
    /// Example: cargo xtask constraints --trials 11
    Constraints(xtask::constraints::Options),
    /// Measure the costs and savings of not waiting for the slowest evaluations of a generation.
    ///
    /// Example: cargo xtask early-ends --dims 10
    EarlyEnds(xtask::early_ends::Options),
    /// Simulate runs on up to 10⁴ workers: the efficiency of generations, and the time to a target.
    ///
    /// Prints Markdown tables. Given the trials of `compare` for several λ, also prints the time to their target, and draws a picture.
    /// docs/scale.md explains what is measured and what is simulated.
    ///
    /// Example: cargo xtask scale --trials target/scale/trials.csv --seconds 0.1,60
    Scale(xtask::scale::Options),
    /// Measure how far the extreme eigenvalues of C that dd-CMA-ES tracks lag behind the true ones, over whole runs.
    ///
    /// Example: cargo xtask extremes --dims 40
    Extremes(xtask::extremes::Options),
    /// Print a hash of each of several short seeded runs. Two builds that print the same lines compute the same runs.
    ///
    /// Example: cargo xtask digest --checkpoints
    Digest(xtask::digest::Options),
    /// Replay recorded trajectories and parameter tables, and print the deviations from them.
    ///
    /// Deviations are relative to the recorded numbers; those of the mean are relative to σ·d of the coordinate. The exit code is 1 if a
    /// deviation exceeds its tolerance (1e-9 for trajectories, 1e-12 for parameters), and 2 if a file cannot be read or has the wrong form.
    ///
    /// Example: cargo xtask replay xtask/tests/data/*.json
    Replay {
        /// Replay these recordings, which are JSON files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    let command = match ddcma_lab::cli::parse::<Cli>(std::env::args_os()) {
        Ok(cli) => cli.command,
        Err(code) => return code,
    };
    match command {
        Command::Replay { files } => replay(&files),
        #[cfg(not(feature = "coco"))]
        Command::Coco { .. } => {
            exit(Err(LabError::new(format!("COCO is not in this build: {}", xtask::lab::HOW_TO_GET_COCO))))
        }
        Command::Lab(command) => exit(ddcma_lab::cli().how_to_get_coco(xtask::lab::HOW_TO_GET_COCO).run(&command)),
        Command::Applied(options) => exit(xtask::applied::run(&options)),
        Command::Reproduce(options) => exit(xtask::reproduce::run(&options)),
        Command::Endure(options) => match xtask::endure::run(&options) {
            Ok(good) => ExitCode::from(u8::from(!good)),
            Err(error) => exit(Err(error)),
        },
        Command::Digest(options) => {
            xtask::digest::run(&options);
            ExitCode::SUCCESS
        }
        Command::Torture(options) => ExitCode::from(u8::from(!xtask::torture::run(&options))),
        Command::Constraints(options) => exit(xtask::constraints::run(&options)),
        Command::EarlyEnds(options) => exit(xtask::early_ends::run(&options)),
        Command::Scale(options) => exit(xtask::scale::run(&options)),
        Command::Tolerances(options) => exit(xtask::tolerances::run(&options)),
        Command::Extremes(options) => exit(xtask::extremes::run(&options)),
        Command::BoxStart(options) => exit(xtask::box_start::run(&options)),
        Command::WarmStart(options) => exit(xtask::warm_start::run(&options)),
        Command::Damping(options) => exit(xtask::damping::run(&options)),
        Command::StepSizes(options) => exit(xtask::step_sizes::run(&options)),
        Command::Bench { what, dims, strategies, lambda, threads, against, seconds, csv } => {
            if what == "target" && !(lambda.is_empty() && threads.is_empty() && seconds.is_none()) {
                eprintln!("error: --lambda, --threads and --seconds are for `bench speed`");
                return ExitCode::from(2);
            }
            let example = if what == "target" { "peers" } else { "speed" };
            let mut arguments = Vec::new();
            let [dims, threads] = [dims, threads].map(|list| list.iter().map(u32::to_string).collect::<Vec<String>>());
            let csv = csv.map(|path| path.display().to_string());
            for (name, value) in [
                ("--dims", Some(dims.join(",")).filter(|dims| !dims.is_empty())),
                ("--strategies", Some(strategies.join(",")).filter(|strategies| !strategies.is_empty())),
                ("--lambda", Some(lambda.join(",")).filter(|lambda| !lambda.is_empty())),
                ("--threads", Some(threads.join(",")).filter(|threads| !threads.is_empty())),
                ("--against", against),
                ("--seconds", seconds.map(|seconds| seconds.to_string())),
                ("--csv", csv),
            ] {
                arguments.extend(value.into_iter().flat_map(|value| [name.to_string(), value]));
            }
            bench(example, &arguments)
        }
    }
}

/// A population size as a multiple of n, with its factor written out: `n` is `1n`.
fn multiple_of_n(text: &str) -> Result<String, String> {
    let factor = text.strip_suffix('n').map(|factor| if factor.is_empty() { "1" } else { factor });
    let known = factor.filter(|factor| factor.parse().is_ok_and(|factor: f64| factor > 0.0 && factor.is_finite()));
    known.map(|factor| format!("{factor}n")).ok_or_else(|| "must be a multiple of n, such as `2n`".to_string())
}

/// Runs a benchmark as a separate program, because xtask does not depend on the other libraries.
fn bench(example: &str, arguments: &[String]) -> ExitCode {
    let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["run", "--release", "--quiet", "--package", "ddcma-benches", "--features", "peers"]);
    cargo.args(["--example", example, "--"]);
    match cargo.args(arguments).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("error: cargo could not be started: {error}");
            ExitCode::from(2)
        }
    }
}

fn replay(files: &[PathBuf]) -> ExitCode {
    let mut worst = 0;
    for file in files {
        let code = match replay::file(file) {
            Ok(report) => {
                print!("{report}");
                u8::from(!report.is_within_tolerance())
            }
            Err(error) => {
                eprintln!("error: {}: {error}", file.display());
                if error.is_a_deviation() { 1 } else { 2 }
            }
        };
        worst = worst.max(code);
    }
    ExitCode::from(worst)
}
