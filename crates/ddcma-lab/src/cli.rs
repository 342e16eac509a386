//! A command line for your own algorithms, policies and problems, together with the built-in ones.
//!
//! ```no_run
//! use ddcma_core::{DiagonalDecoding, Settings};
//! use ddcma_lab::algorithm;
//!
//! fn main() -> std::process::ExitCode {
//!     let mine = algorithm::<DiagonalDecoding>("mine").settings(Settings::new().c_mu(1e-3));
//!     ddcma_lab::cli().algorithm(mine).main()
//! }
//! ```
//!
//! This program has the commands `compare`, `restarts`, `trace`, `merge` and `report`, and with the feature `coco` also `coco`;
//! `--help` explains them. Only this module prints, and only the output of a command.
//!
//! # Names on the command line
//!
//! Lists are separated by commas. A name may be followed by parameters, each after a colon, which make it another algorithm:
//! `--algorithms dd,dd:beta_thresh=5,dd:active=false:c_1=0.01` compares three. Neither character is special in a shell; only names with
//! spaces need quotes. In tables and files, the algorithm has the name that was typed. Policies take parameters in the same way:
//! `--policies bipop,bipop:budget_share=0.25`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line prints")]

mod arguments;
#[cfg(feature = "coco")]
mod coco;
mod compare;
mod help;
mod merge;
mod names;
mod policies;
mod registry;
mod report;
mod restarts;
mod terminal;
mod trace;

use std::ffi::OsString;
use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use ddcma_restarts::Policy;

use crate::{Algorithm, Choices, Family, LabError, StrategyAlgorithm};
pub use arguments::{dimension, population};
use registry::Registry;
pub use terminal::Terminal;

/// Returns a command line with the built-in algorithms, policies and problems, to which you can add your own.
pub fn cli() -> CommandLine {
    CommandLine { registry: Registry::new() }
}

/// A command line, from [`cli`].
#[derive(Debug)]
pub struct CommandLine {
    registry: Registry,
}

/// Compare optimization algorithms on test problems, with records, tables and pictures.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Compare algorithms by the evaluations that they need.
    ///
    /// Prints a summary and a table, and writes them to files, with one row per trial, pictures, and a page with all of it. Run the same
    /// command again to continue after an interruption.
    ///
    /// Example: PROGRAM compare --algorithms dd,dd:beta_thresh=5,sep --functions twoaxes,discus-rotated --dims 20,40
    Compare(compare::Options),
    /// Compare restart policies on functions with many minima.
    ///
    /// Runs every policy with every strategy. Prints and writes the same as `compare`. Run the same command again to continue after an
    /// interruption.
    ///
    /// Example: PROGRAM restarts --functions rastrigin --dims 10 --policies ipop,bipop:budget_share=0.25 --trials 20
    Restarts(restarts::Options),
    /// Draw one run: function value and step size, D, the axes of C, and the damping of D.
    ///
    /// Writes the numbers next to the picture. `--from` draws a run of your own, from a file written by a `CsvWriter`.
    ///
    /// Example: PROGRAM trace ellcig/n=20/seed=1 --algorithm dd:damping=1
    Trace(trace::Options),
    /// Run strategies with restarts on COCO's suites, and write data for cocopp.
    ///
    /// Writes COCO's own folders, one for each strategy with each policy, prints solved instances and expected running times, and
    /// writes one row per problem. Run the same command again to continue after an interruption.
    ///
    /// Example: PROGRAM coco --suite bbob --dims 5,20 --instances 1-5 --strategies dd,plain,sep --policies bipop
    #[cfg(feature = "coco")]
    Coco(coco::Options),
    /// Merge the records of several folders into one, such as those of two halves of an experiment made on two machines.
    ///
    /// Example: PROGRAM merge target/whole target/half-1 target/half-2
    Merge(merge::Options),
    /// Make tables, pictures and the page again from records, without running trials.
    ///
    /// Example: PROGRAM report target/compare --baseline plain
    Report(report::Options),
}

#[derive(Parser)]
struct Whole {
    #[command(subcommand)]
    command: Command,
}

impl CommandLine {
    /// Adds a strategy. It takes the parameters of [`StrategyAlgorithm::choose`].
    #[must_use = "it returns the changed command line"]
    pub fn algorithm(mut self, algorithm: StrategyAlgorithm) -> Self {
        self.registry.add_strategy(algorithm);
        self
    }

    /// Adds strategies.
    #[must_use = "it returns the changed command line"]
    pub fn algorithms(self, algorithms: impl IntoIterator<Item = StrategyAlgorithm>) -> Self {
        algorithms.into_iter().fold(self, Self::algorithm)
    }

    /// Adds an optimizer that is not a strategy of `ddcma-core`. It takes no parameters.
    #[must_use = "it returns the changed command line"]
    pub fn optimizer(self, optimizer: impl Algorithm + 'static) -> Self {
        let (name, optimizer) = (optimizer.name().to_string(), Arc::new(optimizer));
        self.optimizer_with(name.clone(), move |_, choices| {
            choices.done(&name, &[])?;
            Ok(Arc::clone(&optimizer))
        })
    }

    /// Adds an optimizer with parameters: `make` gets the typed name, which becomes the name of the optimizer, and the parameters after it.
    #[must_use = "it returns the changed command line"]
    pub fn optimizer_with<A: Algorithm + 'static>(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&str, Choices) -> Result<A, LabError> + 'static,
    ) -> Self {
        let make = move |typed: &str, choices| Ok(Arc::new(make(typed, choices)?) as Arc<dyn Algorithm>);
        self.registry.add_optimizer(name.into(), Box::new(make));
        self
    }

    /// Adds a restart policy. It takes no parameters.
    #[must_use = "it returns the changed command line"]
    pub fn policy<P>(self, name: impl Into<String>, policy: P) -> Self
    where
        P: Policy + Clone + Debug + Send + Sync + 'static,
    {
        let name = name.into();
        self.policy_with(name.clone(), move |choices| {
            choices.done(&name, &[])?;
            Ok(policy.clone())
        })
    }

    /// Adds a restart policy with parameters: `make` gets the parameters after its name.
    #[must_use = "it returns the changed command line"]
    pub fn policy_with<P>(
        mut self,
        name: impl Into<String>,
        make: impl Fn(Choices) -> Result<P, LabError> + 'static,
    ) -> Self
    where
        P: Policy + Clone + Debug + Send + Sync + 'static,
    {
        self.registry.add_policy(name.into(), Box::new(move |choices| Ok(Arc::new(make(choices)?))));
        self
    }

    /// Adds a family of problems.
    #[must_use = "it returns the changed command line"]
    pub fn problem(mut self, problem: impl Family + 'static) -> Self {
        self.registry.add_problem(Arc::new(problem));
        self
    }

    /// Adds families of problems.
    #[must_use = "it returns the changed command line"]
    pub fn problems(self, problems: impl IntoIterator<Item = Box<dyn Family>>) -> Self {
        problems.into_iter().fold(self, Self::problem)
    }

    /// Sets the hint for users who ask for COCO in a build without the feature `coco`. Default: to build the program with it.
    #[must_use = "it returns the changed command line"]
    pub fn how_to_get_coco(mut self, text: impl Into<String>) -> Self {
        self.registry.set_how_to_get_coco(text.into());
        self
    }

    /// Runs the command given by the arguments of this program; this can be the whole body of `main`.
    pub fn main(&self) -> ExitCode {
        match parse::<Whole>(std::env::args_os()) {
            Ok(Whole { command }) => exit(self.run(&command)),
            Err(code) => code,
        }
    }

    /// Runs a command, for programs with additional commands.
    pub fn run(&self, command: &Command) -> Result<(), LabError> {
        self.registry.check()?;
        match command {
            Command::Compare(options) => compare::run(&self.registry, options),
            Command::Restarts(options) => restarts::run(&self.registry, options),
            Command::Trace(options) => trace::run(&self.registry, options),
            #[cfg(feature = "coco")]
            Command::Coco(options) => coco::run(&self.registry, options),
            Command::Merge(options) => merge::run(options),
            Command::Report(options) => report::run(options),
        }
    }
}

/// Parses arguments, of which the first is the name of the program.
///
/// Prints help if it is asked for, and errors in one line. The returned exit code is the one to end the program with.
pub fn parse<P: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<P, ExitCode> {
    end_quietly_when_nobody_reads();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command = named(P::command(), arguments.first());
    let parsed = command.try_get_matches_from(arguments).and_then(|mut matches| P::from_arg_matches_mut(&mut matches));
    parsed.map_err(|error| {
        // For clap, help is an error; it is also shown if there is no command.
        if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            error.exit();
        }
        eprintln!("{}", one_line(&error.render().to_string()));
        ExitCode::from(2)
    })
}

/// Returns the exit code for the outcome of a command. Prints an error in one line; its exit code is 2.
pub fn exit(outcome: Result<(), LabError>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Puts the name of the program into the examples in the help of each command.
fn named(command: clap::Command, path: Option<&OsString>) -> clap::Command {
    let stem =
        path.and_then(|path| std::path::Path::new(path).file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    let program = command.get_bin_name().map(str::to_string).or(stem).unwrap_or_else(|| command.get_name().to_string());
    command.mut_subcommands(|subcommand| {
        let about = subcommand.get_long_about().map(|about| about.to_string().replace("PROGRAM", &program));
        if let Some(about) = about { subcommand.long_about(about) } else { subcommand }
    })
}

/// Makes a closed pipe, as in `program … | head`, end the program without a message.
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

/// Joins the lines of an error message of clap into one, without the usage.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Usage:"));
    lines.collect::<Vec<_>>().join("; ").replace(":; ", ": ")
}
