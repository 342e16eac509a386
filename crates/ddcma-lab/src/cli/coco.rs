//! The command `coco`: strategies with restarts on the suites of COCO. Knows its options, and what experiment they mean.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::arguments::{dimension, sizes};
use super::registry::Registry;
use super::{Terminal, help};
use crate::coco::{CocoLabel, SuiteName, TARGETS};
use crate::{CocoExperiment, LabError};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The suite.
    #[arg(long, default_value_t = SuiteName::Bbob, value_parser = suite())]
    suite: SuiteName,
    /// Functions by their numbers, separated by commas or spaces, or from-to.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "1-24")]
    functions: Vec<Numbers>,
    /// Dimensions, separated by commas or spaces. Default: all of the suite.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = dimension)]
    dims: Vec<u32>,
    /// Instances, separated by commas or spaces, or from-to.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "1-15")]
    instances: Vec<Numbers>,
    /// Strategies, with parameters if you like. Optimizers that are no strategies take part as they are.
    #[arg(long, aliases = ["strategy", "algorithms", "algorithm"], help = help::algorithms(), default_value = "dd", num_args = 1..)]
    strategies: Vec<String>,
    /// Policies, with parameters if you like.
    #[arg(long, alias = "policy", help = help::policies(), default_value = "bipop", num_args = 1..)]
    policies: Vec<String>,
    /// Evaluations on a problem at the most, for each variable.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    budget_multiplier: u64,
    /// The seed, which each problem makes its own from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Problems that are run at the same time. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// The folder for COCO's folders, records and tables. The same command continues there. Default: target/coco/SUITE.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Numbers on the command line: one, or first-last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    first: u32,
    last: u32,
}

/// As many numbers as nobody wants to list.
const MOST_NUMBERS: u32 = 1000;

impl FromStr for Numbers {
    type Err = LabError;

    fn from_str(text: &str) -> Result<Self, LabError> {
        let wrong = || LabError::new(format!("\"{text}\" is neither a number nor two of them, such as 1-5"));
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let numbers = Self { first: number(first)?, last: number(last)? };
        let count = numbers.last.checked_sub(numbers.first).ok_or_else(wrong)?;
        if count < MOST_NUMBERS {
            return Ok(numbers);
        }
        Err(LabError::new(format!("{text} are more than {MOST_NUMBERS} numbers")))
    }
}

fn list(numbers: &[Numbers]) -> Vec<u32> {
    numbers.iter().flat_map(|numbers| numbers.first..=numbers.last).collect()
}

/// A suite by its name.
fn suite() -> impl TypedValueParser<Value = SuiteName> {
    PossibleValuesParser::new(SuiteName::ALL.map(SuiteName::name)).try_map(|name| name.parse::<SuiteName>())
}

pub(crate) fn run(registry: &Registry, options: &Options) -> Result<(), LabError> {
    let outcomes = experiment(registry, options)?.run(&Terminal::default())?;
    println!("{}", outcomes.table());
    println!("below each algorithm: solved instances; ERT: all evaluations over the number of solved instances;");
    println!("targets: the share that was reached of {TARGETS} targets from 1e2 to 1e-8");
    println!("one row for each problem: {}", outcomes.csv_path().display());
    let folders: Vec<String> = outcomes.folders().iter().map(|folder| folder.display().to_string()).collect();
    println!("COCO's pages:             python -m cocopp {}", folders.join(" "));
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

/// What an algorithm is called in tables, and in the pages of cocopp, such as `BIPOP-dd-CMA-ES`.
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
