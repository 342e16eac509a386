//! The command line of [`xtask`]: parses flags, calls the library, turns outcomes into exit codes.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
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
    /// Measure speed, next to the floor, to the paper's literal way and to other implementations.
    ///
    /// Builds the benchmarks with those implementations, which nothing else depends on.
    ///
    /// Example: cargo xtask bench speed --dims 10,40,160 --strategies dd
    Bench {
        /// `speed`: microseconds for an iteration and for an evaluation, without the objective. `target`: seconds and
        /// evaluations to reach 1e-8.
        #[arg(value_parser = ["speed", "target"])]
        what: String,
        /// Dimensions, separated by commas or spaces. Default: 2,5,10,20,40,80,160,320,640 for `speed`, 10,40,160 for `target`.
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
        /// Seconds for each measurement at the most. Default: 3 for `speed`, 120 for `target`.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        seconds: Option<u32>,
        /// Where to write the table as comma-separated values.
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
    },
    /// Run strategies with restarts on COCO's suites, for cocopp to draw its pages from.
    ///
    /// Writes COCO's own folders, one for each strategy with each policy, prints solved instances and expected running
    /// times, and writes one row for each problem. The same command again continues where it was interrupted. Needs the
    /// feature `coco`, which the alias `cargo xtask-coco` has, and libclang to build it.
    ///
    /// Example: cargo xtask-coco coco --suite bbob --dims 5,20 --instances 1-5 --strategy dd,plain,sep --policy bipop
    #[cfg(feature = "coco")]
    Coco(xtask::coco::Options),
    #[cfg(feature = "coco")]
    #[command(name = xtask::coco::worker::COMMAND, hide = true)]
    CocoProblem(xtask::coco::worker::Options),
    /// Run strategies with restarts on COCO's suites: not in this build. Says how to get it.
    ///
    /// Example: cargo xtask-coco coco --dims 2,5 --instances 1-3
    #[cfg(not(feature = "coco"))]
    Coco {
        /// Whatever it would be given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        _arguments: Vec<String>,
    },
    /// Compare strategies by the evaluations that they need.
    ///
    /// Without arguments it takes about a minute on two cores and shows what diagonal decoding is good for. Prints a table
    /// and writes one row for each trial, pictures, and a page with all of it. The same command again continues where it
    /// was interrupted.
    ///
    /// Example: cargo xtask compare --functions ellipsoid,ellipsoid-rotated --dims 10,20,40 --strategies dd,plain
    Compare(xtask::compare::Options),
    /// Compare restart policies on functions with many minima.
    ///
    /// Prints success rates and expected running times of each policy with each strategy, and writes one row for each trial
    /// and pictures of the run-time distributions. The same command again continues where it was interrupted.
    ///
    /// Example: cargo xtask restarts --functions rastrigin --dims 10 --policies ipop,bipop --trials 20
    Restarts(xtask::restarts::Options),
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
    /// Draw one run: function value and step size, D, the axes of C, and the damping of D.
    ///
    /// `--from` draws a run of your own, from what a `CsvWriter` wrote.
    ///
    /// Example: cargo xtask trace ellcig/n=20/seed=1 --strategy dd
    Trace(xtask::trace::Options),
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
    end_quietly_when_nobody_reads();
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        // Help is an error to clap, and nothing that went wrong; who gives no command gets it, too.
        Err(error) if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        Err(error) => {
            eprintln!("{}", one_line(&error.render().to_string()));
            return ExitCode::from(2);
        }
    };
    match command {
        Command::Replay { files } => replay(&files),
        #[cfg(feature = "coco")]
        Command::Coco(options) => experiment(xtask::coco::run(&options)),
        #[cfg(feature = "coco")]
        Command::CocoProblem(options) => experiment(xtask::coco::worker::run(&options)),
        #[cfg(not(feature = "coco"))]
        Command::Coco { .. } => experiment(Err(LabError::new(xtask::lab::HOW_TO_GET_COCO))),
        Command::Compare(options) => experiment(xtask::compare::run(&options)),
        Command::Reproduce(options) => experiment(xtask::reproduce::run(&options)),
        Command::Endure(options) => match xtask::endure::run(&options) {
            Ok(good) => ExitCode::from(u8::from(!good)),
            Err(error) => experiment(Err(error)),
        },
        Command::Digest(options) => {
            xtask::digest::run(&options);
            ExitCode::SUCCESS
        }
        Command::Torture(options) => ExitCode::from(u8::from(!xtask::torture::run(&options))),
        Command::Trace(options) => experiment(xtask::trace::run(&options)),
        Command::Restarts(options) => experiment(xtask::restarts::run(&options)),
        Command::Constraints(options) => experiment(xtask::constraints::run(&options)),
        Command::EarlyEnds(options) => experiment(xtask::early_ends::run(&options)),
        Command::Tolerances(options) => experiment(xtask::tolerances::run(&options)),
        Command::Extremes(options) => experiment(xtask::extremes::run(&options)),
        Command::BoxStart(options) => experiment(xtask::box_start::run(&options)),
        Command::WarmStart(options) => experiment(xtask::warm_start::run(&options)),
        Command::Damping(options) => experiment(xtask::damping::run(&options)),
        Command::StepSizes(options) => experiment(xtask::step_sizes::run(&options)),
        Command::Bench { what, dims, strategies, lambda, threads, against, seconds, csv } => {
            let mut arguments = vec![what];
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
            bench(&arguments)
        }
    }
}

/// A population size as a multiple of n, with its factor written out: `n` is `1n`.
fn multiple_of_n(text: &str) -> Result<String, String> {
    let factor = text.strip_suffix('n').map(|factor| if factor.is_empty() { "1" } else { factor });
    let known = factor.filter(|factor| factor.parse().is_ok_and(|factor: f64| factor > 0.0 && factor.is_finite()));
    known.map(|factor| format!("{factor}n")).ok_or_else(|| "this must be a multiple of n, such as `2n`".to_string())
}

/// `cargo xtask … | head` is no mistake: a closed pipe ends the program, without a word about it.
fn end_quietly_when_nobody_reads() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        if message.is_some_and(|message| message.starts_with("failed printing to stdout: Broken pipe")) {
            std::process::exit(0);
        }
        usual(panic);
    }));
}

/// What is wrong, what would be right and where to read more, without the usage between them.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Usage:"));
    lines.collect::<Vec<_>>().join("; ").replace(":; ", ": ")
}

/// An experiment that cannot be made says why in one line.
fn experiment(outcome: Result<(), LabError>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the benchmark as a program of its own: its dependencies are no part of xtask.
fn bench(arguments: &[String]) -> ExitCode {
    let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["run", "--release", "--quiet", "--package", "ddcma-benches", "--features", "peers"]);
    cargo.args(["--example", "bench", "--"]);
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
