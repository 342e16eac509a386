//! The command line of `cargo xtask coco`: strategies with restarts on the suites of COCO. What it does is
//! [`ddcma_lab::CocoExperiment`]'s.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ddcma_lab::coco::{CocoLabel, SuiteName, TARGETS};
use ddcma_lab::{CocoExperiment, StrategyAlgorithm, algorithm};
use ddcma_restarts::{Bipop, Independent, Ipop, Nbipop, Nipop};

use crate::lab::names::{PolicyName, StrategyName, with_strategy};
use crate::lab::pool::Terminal;
use crate::lab::{self, LabError};

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The suite.
    #[arg(long, default_value_t = SuiteName::Bbob, value_parser = suite())]
    pub suite: SuiteName,
    /// Functions by their numbers, separated by commas or spaces, or from-to.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "1-24")]
    pub functions: Vec<Numbers>,
    /// Dimensions, separated by commas or spaces. Default: all of the suite.
    #[arg(long, num_args = 1.., value_delimiter = ',', value_parser = lab::dimension)]
    pub dims: Vec<u32>,
    /// Instances, separated by commas or spaces, or from-to.
    #[arg(long, num_args = 1.., value_delimiter = ',', default_value = "1-15")]
    pub instances: Vec<Numbers>,
    /// Strategies, separated by commas or spaces.
    #[arg(long, alias = "strategies", value_enum, num_args = 1.., value_delimiter = ',', default_values_t = [StrategyName::Dd])]
    pub strategy: Vec<StrategyName>,
    /// Policies, separated by commas or spaces.
    #[arg(long, alias = "policies", value_enum, num_args = 1.., value_delimiter = ',', default_values_t = [PolicyName::Bipop])]
    pub policy: Vec<PolicyName>,
    /// Evaluations on a problem at the most, for each variable.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget_multiplier: u64,
    /// The seed, which each problem makes its own from.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Problems that are run at the same time. Default: one for each processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// The folder for COCO's folders, records and tables. The same command continues there. Default: target/coco/SUITE.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Numbers on the command line: one, or first-last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
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
    lab::once(&numbers.iter().flat_map(|numbers| numbers.first..=numbers.last).collect::<Vec<u32>>())
}

/// A suite by its name.
fn suite() -> impl TypedValueParser<Value = SuiteName> {
    PossibleValuesParser::new(SuiteName::ALL.map(SuiteName::name)).try_map(|name| name.parse::<SuiteName>())
}

/// Runs the experiment and prints its table.
pub fn run(options: &Options) -> Result<(), LabError> {
    let outcomes = experiment(options).run(&Terminal::default())?;
    println!("{}", outcomes.table());
    println!("below each algorithm: solved instances; ERT: all evaluations over the number of solved instances;");
    println!("targets: the share that was reached of {TARGETS} targets from 1e2 to 1e-8");
    println!("one row for each problem: {}", outcomes.csv_path().display());
    let folders: Vec<String> = outcomes.folders().iter().map(|folder| folder.display().to_string()).collect();
    println!("COCO's pages:             python -m cocopp {}", folders.join(" "));
    Ok(())
}

fn experiment(options: &Options) -> CocoExperiment {
    let out = options.out.clone().unwrap_or_else(|| Path::new("target/coco").join(options.suite.name()));
    let mut experiment = CocoExperiment::new(out)
        .suite(options.suite)
        .functions(list(&options.functions))
        .instances(list(&options.instances).into_iter().map(u64::from))
        .budget_multiplier(options.budget_multiplier)
        .seed(options.seed);
    if !options.dims.is_empty() {
        experiment = experiment.dimensions(options.dims.iter().map(|n| *n as usize));
    }
    if let Some(jobs) = options.jobs {
        experiment = experiment.jobs(jobs);
    }
    for policy in lab::once(&options.policy) {
        for strategy in lab::once(&options.strategy) {
            experiment = experiment.algorithm_as(with_restarts(strategy, policy), label(strategy, policy));
        }
    }
    experiment
}

/// A strategy with a policy: what COCO calls an algorithm.
fn with_restarts(strategy: StrategyName, policy: PolicyName) -> StrategyAlgorithm {
    let name = format!("{}/{}", strategy.name(), policy.name());
    let algorithm = with_strategy!(strategy, S => algorithm::<S>(name)).settings(strategy.settings());
    match policy {
        PolicyName::Independent => algorithm.policy(Independent::new()),
        PolicyName::Ipop => algorithm.policy(Ipop::new().restarts(None)),
        PolicyName::Nipop => algorithm.policy(Nipop::new().restarts(None)),
        PolicyName::Bipop => algorithm.policy(Bipop::new().restarts(None)),
        PolicyName::Nbipop => algorithm.policy(Nbipop::new().restarts(None)),
    }
}

/// Its names in tables, and that of its folder, which is its name in the pages of cocopp.
fn label(strategy: StrategyName, policy: PolicyName) -> CocoLabel {
    let cma = match strategy.with_csa() {
        StrategyName::Sep => "sep-CMA-ES",
        StrategyName::Dd => "dd-CMA-ES",
        _ => "CMA-ES",
    };
    let rule = if strategy == strategy.with_csa() { "" } else { "-TPA" };
    let folder = format!("{}-{cma}{rule}", policy.name().to_uppercase());
    CocoLabel { strategy: strategy.name().to_string(), policy: policy.name().to_string(), folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_one_or_a_range() {
        let numbers = |text: &str| text.parse::<Numbers>();
        assert_eq!(list(&[numbers("3").unwrap(), numbers("1-4").unwrap()]), [3, 1, 2, 4]);
        for text in ["", "-", "1-", "-3", "4-2", "1-2-3", "a", "1..3", "1-1001", "99999999999"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
