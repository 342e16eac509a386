//! The command `coco`: strategies with restarts on the suites of COCO.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::arguments::{dimension, sizes};
use super::registry::Registry;
use super::{Terminal, help};
use crate::coco::{CocoLabel, SuiteName, TARGETS};
use crate::{CocoExperiment, LabError};

/// The options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Run this suite.
    #[arg(long, default_value_t = SuiteName::Bbob, value_parser = suite())]
    suite: SuiteName,
    /// Run these functions, by number, separated by commas or spaces, or as a range such as 1-5.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "1-24")]
    functions: Vec<Numbers>,
    /// Run these dimensions, separated by commas or spaces. Default: all of the suite.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = dimension)]
    dims: Vec<u32>,
    /// Run these instances, separated by commas or spaces, or as a range such as 1-5.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "1-15")]
    instances: Vec<Numbers>,
    /// Run these strategies, with parameters. Other optimizers are run without a policy.
    #[arg(long, aliases = ["strategy", "algorithms", "algorithm"], help = help::algorithms(), default_value = "dd", num_args = 1..)]
    strategies: Vec<String>,
    /// Restart with these policies, with parameters.
    #[arg(long, alias = "policy", help = help::policies(), default_value = "bipop", num_args = 1..)]
    policies: Vec<String>,
    /// Limit the evaluations on a problem to this number per variable.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    budget_multiplier: u64,
    /// Derive the seeds of all problems from this one.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run this many problems at the same time. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Write COCO's folders, records and tables into this folder. The same command continues there. Default: target/coco/SUITE.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Numbers on the command line: a number, or a range first-last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    first: u32,
    last: u32,
}

/// The maximum length of a range.
const MOST_NUMBERS: u32 = 1000;

impl FromStr for Numbers {
    type Err = LabError;

    fn from_str(text: &str) -> Result<Self, LabError> {
        let wrong = || LabError::new(format!("it must be a number or a range such as 1-5, got \"{text}\""));
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let numbers = Self { first: number(first)?, last: number(last)? };
        let count = numbers.last.checked_sub(numbers.first).ok_or_else(wrong)?;
        if count < MOST_NUMBERS {
            return Ok(numbers);
        }
        Err(LabError::new(format!("a range must have at most {MOST_NUMBERS} numbers, got {text}")))
    }
}

fn list(numbers: &[Numbers]) -> Vec<u32> {
    numbers.iter().flat_map(|numbers| numbers.first..=numbers.last).collect()
}

/// Parses the name of a suite.
fn suite() -> impl TypedValueParser<Value = SuiteName> {
    PossibleValuesParser::new(SuiteName::ALL.map(SuiteName::name)).try_map(|name| name.parse::<SuiteName>())
}

pub(crate) fn run(registry: &Registry, options: &Options) -> Result<(), LabError> {
    let outcomes = experiment(registry, options)?.run(&Terminal::default())?;
    println!("{}", outcomes.table());
    println!("below each algorithm: solved instances; ERT: all evaluations divided by the number of solved instances;");
    println!("targets: the share of {TARGETS} targets from 1e2 to 1e-8 that was reached");
    println!("one row per problem: {}", outcomes.csv_path().display());
    let folders: Vec<String> = outcomes.folders().iter().map(|folder| folder.display().to_string()).collect();
    println!("COCO's pages:        python -m cocopp {}", folders.join(" "));
    Ok(())
}

fn experiment(registry: &Registry, options: &Options) -> Result<CocoExperiment, LabError> {
    let Options { suite, functions, dims, instances, strategies, policies, budget_multiplier, seed, jobs, out } =
        options;
    let out = out.clone().unwrap_or_else(|| Path::new("target/coco").join(suite.name()));
    let mut experiment = CocoExperiment::new(out).suite(*suite).functions(list(functions));
    experiment = experiment.instances(list(instances).into_iter().map(u64::from));
    experiment = experiment.budget_multiplier(*budget_multiplier).seed(*seed);
    if !dims.is_empty() {
        experiment = experiment.dimensions(sizes(dims));
    }
    if let Some(jobs) = jobs {
        experiment = experiment.jobs(*jobs);
    }
    for algorithm in registry.restarted(strategies, &registry.policies(policies)?, None)? {
        let label = label(algorithm.name());
        experiment = experiment.algorithm_as(algorithm, label);
    }
    Ok(experiment)
}

/// Returns the name of an algorithm in tables and in the pages of cocopp, such as `BIPOP-dd-CMA-ES`.
fn label(algorithm: &str) -> CocoLabel {
    let (strategy, policy) = algorithm.rsplit_once('/').unwrap_or((algorithm, ""));
    let (name, parameters) = strategy.split_once(':').unwrap_or((strategy, ""));
    let name = match name {
        "plain" => "CMA-ES",
        "sep" => "sep-CMA-ES",
        "dd" => "dd-CMA-ES",
        "plain-tpa" => "CMA-ES-TPA",
        "sep-tpa" => "sep-CMA-ES-TPA",
        "dd-tpa" => "dd-CMA-ES-TPA",
        own => own,
    };
    let CocoLabel { folder, .. } = CocoLabel::of_name(&format!("{} {name} {parameters}", policy.to_uppercase()));
    CocoLabel { strategy: strategy.to_string(), policy: policy.to_string(), folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_say_what_it_is() {
        let folder = |algorithm: &str| label(algorithm).folder;
        assert_eq!(folder("dd/bipop"), "BIPOP-dd-CMA-ES");
        assert_eq!(folder("plain-tpa/ipop"), "IPOP-CMA-ES-TPA");
        assert_eq!(
            folder("dd:beta_thresh=5/bipop:budget_share=0.25"),
            "BIPOP-BUDGET_SHARE-0.25-dd-CMA-ES-beta_thresh-5"
        );
        assert_eq!(folder("mine"), "mine");
    }

    #[test]
    fn numbers_are_one_or_a_range() {
        let numbers = |text: &str| text.parse::<Numbers>();
        assert_eq!(list(&[numbers("3").unwrap(), numbers("1-4").unwrap()]), [3, 1, 2, 3, 4]);
        for text in ["", "-", "1-", "-3", "4-2", "1-2-3", "a", "1..3", "1-1001", "99999999999"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
