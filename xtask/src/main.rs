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
    /// Fits, designs and controllers with their best known values. Exit code 2 if `reach` finds one that is never reached. The same
    /// command again continues where it was interrupted.
    ///
    /// Example: cargo xtask applied study --problems gp,gp-naive --trials 11
    Applied(xtask::applied::Options),
    /// Measure speed, next to the floor, to the paper's literal way and to other implementations.
    ///
    /// Builds the benchmarks with those implementations, which nothing else depends on.
    ///
    /// Example: cargo xtask bench speed --dims 10,40,160 --strategies dd
    Bench {
        /// `speed`: microseconds for an iteration and for an evaluation, without the objective. `target`: evaluations and
        /// seconds to reach 1e-8 on a few functions, without those of the objective.
        #[arg(value_parser = ["speed", "target"])]
        what: String,
        /// Dimensions, separated by commas or spaces. Default: 2,5,10,20,40,80,160,320,640 for `speed`, 10,40 for `target`.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = xtask::lab::dimension)]
        dims: Vec<u32>,
        /// Strategies, separated by commas or spaces. Default: all three.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = ["dd", "plain", "sep"])]
        strategies: Vec<String>,
        /// Population sizes for `speed` as multiples of n, such as `0.5n,n,4n`. Default: 4 + ⌊3 ln n⌋.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = multiple_of_n)]
        lambda: Vec<String>,
        /// Numbers of threads for `speed`, separated by commas or spaces. Default: 1.
        #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1024))]
        threads: Vec<u32>,
        /// `none` leaves the literal way and the other implementations out. Default: all.
        #[arg(long, value_parser = ["all", "none"])]
        against: Option<String>,
        /// Seconds for each measurement of `speed` at the most. Default: 3.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        seconds: Option<u32>,
        /// Where to write the table as comma-separated values.
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
    },
    /// Run strategies with restarts on COCO's suites: not in this build. Says how to get it.
    ///
    /// Example: cargo xtask-coco coco --dims 2,5 --instances 1-3
    #[cfg(not(feature = "coco"))]
    Coco {
        /// Whatever it would be given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _arguments: Vec<String>,
    },
    #[command(flatten)]
    Lab(ddcma_lab::cli::Command),
    /// Reproduce the paper's figures, and compare its claims about them with our records.
    ///
    /// Writes a picture for each figure, a page with all of them, and the claims as Markdown. The same command again
    /// continues where it was interrupted; the figures share their trials.
    ///
    /// Example: cargo xtask reproduce all --scale quick
    Reproduce(xtask::reproduce::Options),
    /// Compare step-size rules: CSA and two versions of TPA, by evaluations, with irrelevant variables, from a small σ0, and by
    /// success rates on a rugged function.
    ///
    /// Prints Markdown tables, with paired ratios and their intervals. The same command again continues where it was
    /// interrupted.
    ///
    /// Example: cargo xtask step-sizes --trials 8 --largest 40
    StepSizes(xtask::step_sizes::Options),
    /// Study the damping of D by the shortest axis of C next to the paper's: choose its constants, judge them on other seeds, and more.
    ///
    /// Prints Markdown tables of expected running times over the paper's, with intervals. The same command again continues where it was
    /// interrupted. docs/damping.md has the protocol.
    ///
    /// Example: cargo xtask damping judge --dims 10,20 --trials 20
    Damping(xtask::damping::Options),
    /// Measure when runs end whose values are far from zero, with the relative tolerance on values and without.
    ///
    /// A pressure vessel, and the functions of Table 1 with values that are shifted, scaled, both and neither. Prints a Markdown
    /// table.
    ///
    /// Example: cargo xtask tolerances --dims 5 --runs 3 --functions sphere,ellipsoid
    Tolerances(xtask::tolerances::Options),
    /// Measure which fraction of the range of a variable to start with as its deviation.
    ///
    /// Prints a Markdown table of expected evaluations over a box. The same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask box-start --dims 5 --trials 21
    BoxStart(xtask::box_start::Options),
    /// Measure what a start from the distribution of a finished run saves on a similar function, by its step size.
    ///
    /// The second function is the first one shifted by 1 in each coordinate, and turned by small angles in random planes. Prints a
    /// Markdown table. The same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask warm-start --dim 20 --trials 11
    WarmStart(xtask::warm_start::Options),
    /// Try to break the library: endless random cases, and what must hold in all of them.
    ///
    /// Hostile objectives, extreme starts and settings, misuse, faults, checkpoints that were spoilt. Exit code 1 if an
    /// invariant is broken, with the number of the case and the command that repeats it.
    ///
    /// Example: cargo xtask torture --minutes 30
    Torture(xtask::torture::Options),
    /// One very long run on a noisy sphere: memory, the accuracy of the root, updates that were refused.
    ///
    /// Exit code 1 if memory grows, if A⁻¹ is no longer that of A, or if an update was refused.
    ///
    /// Example: cargo xtask endure --dim 100 --generations 100000
    Endure(xtask::endure::Options),
    /// Compare ways to treat constraints on engineering designs with published optima.
    ///
    /// Example: cargo xtask constraints --trials 11
    Constraints(xtask::constraints::Options),
    /// What it costs, and what it saves, not to wait for the slowest evaluations of a generation.
    ///
    /// Example: cargo xtask early-ends --dims 10
    EarlyEnds(xtask::early_ends::Options),
    /// How many workers are worth it: efficiencies of generations on up to 10⁴ workers, and the time to a target, by simulation.
    ///
    /// Prints Markdown tables; with the trials of `compare` for several λ also the time to their target, and a picture.
    /// docs/scale.md says what is measured and what is simulated.
    ///
    /// Example: cargo xtask scale --trials target/scale/trials.csv --seconds 0.1,60
    Scale(xtask::scale::Options),
    /// How far the extreme eigenvalues of C that dd-CMA-ES follows lag behind the true ones, over whole runs.
    ///
    /// Example: cargo xtask extremes --dims 40
    Extremes(xtask::extremes::Options),
    /// The bits of short seeded runs, a line for each: the same lines from two builds are the same runs.
    ///
    /// Example: cargo xtask digest --checkpoints
    Digest(xtask::digest::Options),
    /// Replay recorded trajectories and parameter tables, and print how far we are from them.
    ///
    /// Deviations are relative to the recorded numbers, those of the mean to σ·d of the coordinate. Exit code 1 if one exceeds its
    /// tolerance (1e-9 for trajectories, 1e-12 for parameters), 2 if a file cannot be read or has the wrong form.
    ///
    /// Example: cargo xtask replay xtask/tests/data/*.json
    Replay {
        /// Recordings, as JSON.
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
    known.map(|factor| format!("{factor}n")).ok_or_else(|| "this must be a multiple of n, such as `2n`".to_string())
}

/// Runs a benchmark as a program of its own: its dependencies are no part of xtask.
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
