//! The command line of [`xtask`]: parses flags, calls the library, turns outcomes into exit codes.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
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
    /// Replay recorded trajectories and parameter tables, and print how far we are from them.
    ///
    /// Exit code 1 if a deviation exceeds its tolerance (1e-9 for trajectories, 1e-12 for parameters), 2 if a file
    /// cannot be read or has the wrong form.
    ///
    /// Example: cargo xtask replay xtask/tests/data/*.json
    Replay {
        /// Recordings, as JSON.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Replay { files } => replay(&files),
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
