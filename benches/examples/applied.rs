//! Runs optimizers of other crates on the applied problems, and writes a row for each trial. `cargo xtask applied against` compares these with
//! ours.
//!
//! Run it with
//! `cargo run --package ddcma-benches --features peers --example applied -- --problems gp,gp-naive --trials 21 --csv target/peers.csv`.
//! The optimizers see a problem on all of ℝⁿ, start with the same initial distribution as ours, and stop by their own criteria.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]

use std::process::ExitCode;

use ddcma_benches::flags::Flags;
use ddcma_benches::peers;
use ddcma_lab::{AppliedFamily, Experiment, Family, LabError, Silent, altered};
use ddcma_problems::applied::Applied;

fn run() -> Result<(), LabError> {
    let flags = Flags::of_program(&["problems", "trials", "most", "csv"])?;
    flags.check_csv()?;
    let all = Applied::NAMES.join(",");
    let number = |name: &str, default: &str| -> Result<u64, LabError> { Ok(flags.list::<u64>(name, default)?[0]) };
    let (trials, most) = (number("trials", "21")?, number("most", "1000000")?);
    let trials = u32::try_from(trials).map_err(|error| LabError::new(format!("--trials: {error}")))?;
    let mut csv = "problem,algorithm,seed,success,evaluations,best\n".to_string();
    for name in flags.list::<String>("problems", &all)? {
        let family = AppliedFamily::from_name(&name)?;
        eprintln!("{}", family.name());
        let limited = altered(family, move |problem| problem.budget = problem.budget.min(most));
        let experiment = Experiment::new().algorithms(peers::all()).problem(limited).trials(trials).jobs(1);
        for (planned, outcome) in experiment.run(&Silent)?.iter() {
            let (success, evaluations) = (u8::from(outcome.success), outcome.evaluations);
            csv += &format!(
                "{name},{},{},{success},{evaluations},{:e}\n",
                planned.algorithm, planned.seed, outcome.best_f
            );
        }
        // An incomplete table is better than none.
        flags.write_csv(&csv)?;
    }
    if flags.write_csv(&csv)?.is_none() {
        print!("{csv}");
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
