//! The experiment behind `cargo xtask coco`: strategies with restarts on the suites of COCO, observed by COCO itself.
//!
//! Knows which problems there are, who runs them and where their folders go. A problem is run by a process of its own
//! ([`worker`]), because COCO's observers keep their state in variables of the whole process.

mod protocol;
mod summary;
pub mod worker;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use serde::Serialize;

use crate::lab::bbob::{Function, Spec, SuiteName};
use crate::lab::names::{PolicyName, StrategyName};
use crate::lab::records::Records;
use crate::lab::{self, LabError, fingerprint, pool};
use protocol::Record;

/// The command line.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// The suite.
    #[arg(long, value_enum, default_value_t = SuiteName::Bbob)]
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

/// Everything that the outcome of a single problem depends on, beside its key.
#[derive(Serialize)]
struct Configuration {
    code: String,
    suite: SuiteName,
    budget_multiplier: u64,
    seed: u64,
}

/// A strategy with a policy: what COCO calls an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Algorithm {
    policy: PolicyName,
    strategy: StrategyName,
}

impl Algorithm {
    /// The name of its folder, which is its name in the pages of cocopp.
    fn name(self) -> String {
        let strategy = match self.strategy.with_csa() {
            StrategyName::Sep => "sep-CMA-ES",
            StrategyName::Dd => "dd-CMA-ES",
            _ => "CMA-ES",
        };
        let rule = if self.strategy == self.strategy.with_csa() { "" } else { "-TPA" };
        format!("{}-{strategy}{rule}", self.policy.name().to_uppercase())
    }
}

/// One problem for one algorithm.
#[derive(Debug)]
struct Trial {
    algorithm: Algorithm,
    spec: Spec,
    budget: u64,
    seed: u64,
}

impl Trial {
    fn key(&self) -> String {
        let Algorithm { policy, strategy } = self.algorithm;
        format!("{}/{}/{}", self.spec, strategy.name(), policy.name())
    }

    /// Its folder. All that lie in the folder of an algorithm are one data set for cocopp.
    fn folder(&self, out: &Path) -> PathBuf {
        let name = format!("f{:02}-n{}-i{}", self.spec.function().number(), self.spec.n(), self.spec.instance());
        out.join(self.algorithm.name()).join(name)
    }
}

/// Runs the experiment and prints its table.
pub fn run(options: &Options) -> Result<(), LabError> {
    let trials = trials(options)?;
    let out = options.out.clone().unwrap_or_else(|| Path::new("target/coco").join(options.suite.name()));
    let configuration = Configuration {
        code: fingerprint::of_code(),
        suite: options.suite,
        budget_multiplier: options.budget_multiplier,
        seed: options.seed,
    };
    let mut records: Records<Record> = Records::open(&out, "coco", &configuration)?;
    let gone = |trial: &&Trial| records.get(&trial.key()).is_some() && !trial.folder(&out).is_dir();
    if let Some(trial) = trials.iter().find(gone) {
        let folder = trial.folder(&out);
        return Err(LabError::new(format!(
            "{}: on record, but gone; choose another folder by --out",
            folder.display()
        )));
    }
    worker::clean(&out)?;
    pool::run(&trials, Trial::key, options.jobs, &mut records, |trial| worker::start(trial, &out))?;
    worker::clean(&out)?;
    summary::report(&out, &trials, &records)
}

/// All problems, after a look at each: what there is not is an error before any work starts.
fn trials(options: &Options) -> Result<Vec<Trial>, LabError> {
    let mut dims = lab::once(&options.dims);
    if dims.is_empty() {
        dims = options.suite.dims().to_vec();
    }
    // The largest dimensions first: they take longest, and should not come last on a pool.
    dims.sort_unstable_by(|a, b| b.cmp(a));
    let mut trials = Vec::new();
    for n in dims.into_iter().map(|n| n as usize) {
        let budget = lab::budget(options.budget_multiplier, n)?;
        for number in list(&options.functions) {
            let function = Function::new(options.suite, number)?;
            for instance in list(&options.instances) {
                let spec = function.instance(n, u64::from(instance))?;
                for policy in lab::once(&options.policy) {
                    for strategy in lab::once(&options.strategy) {
                        let algorithm = Algorithm { policy, strategy };
                        trials.push(Trial { algorithm, spec, budget, seed: spec.seed(options.seed) });
                    }
                }
            }
        }
    }
    Ok(trials)
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
