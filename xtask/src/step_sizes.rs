//! `cargo xtask step-sizes`: compares step-size rules with CSA, for each strategy, by four questions.

use std::path::PathBuf;

use clap::Args;
use ddcma_core::{Settings, StepSize, StopCriteria};
use ddcma_lab::{OwnProblem, SingleTrial, SuiteFunction, TrialOutcome, altered, family};
use ddcma_problems::Function;
use serde::Serialize;

use crate::lab::names::{Form, StrategyName};
use crate::lab::records::{Records, write_file};
use crate::lab::statistics::{Cost, median, paired_ratio};
use crate::lab::{LabError, fingerprint, pool};

/// The command-line options.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Set the number of trials of each combination up to 40 variables; half as many are run beyond, and four times as many for success
    /// rates.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(4..=1000))]
    pub trials: u32,
    /// Limit the dimension.
    #[arg(long, default_value_t = 640, value_parser = clap::value_parser!(u32).range(10..))]
    pub largest: u32,
    /// Set the number of threads. Default: one per processor.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Set the folder for records and tables. Running the same command again continues from there.
    #[arg(long, default_value = "target/step-sizes", value_name = "DIR")]
    pub out: PathBuf,
}

/// The target value.
const TARGET: f64 = 1e-8;

/// A step-size rule with its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Csa,
    Tpa,
    /// TPA with the exponent and the damping of VkD-CMA.
    TpaVkd,
}

impl Rule {
    const ALL: [Self; 3] = [Self::Csa, Self::Tpa, Self::TpaVkd];

    fn name(self) -> &'static str {
        match self {
            Self::Csa => "CSA",
            Self::Tpa => "TPA",
            Self::TpaVkd => "TPA, VkD",
        }
    }

    fn settings(self, n: usize) -> Settings {
        match self {
            Self::Csa => Settings::new(),
            Self::Tpa => Settings::new().step_size(StepSize::Tpa),
            Self::TpaVkd => {
                Settings::new().step_size(StepSize::Tpa).tpa_exponent(1.0).tpa_damping(4.0 - 3.0 / n as f64)
            }
        }
    }
}

/// A question about the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Evaluations to the target.
    Evaluations(Form),
    /// The sphere with only a quarter of the variables relevant.
    Irrelevant,
    /// The sphere, started with a millionth of its step size.
    SmallSigma,
    /// How often Rastrigin's function is solved by one run with this λ.
    Rugged(usize),
}

/// Trials that differ only by their seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    question: Question,
    n: usize,
    strategy: StrategyName,
    rule: Rule,
}

struct Trial {
    cell: Cell,
    seed: u64,
}

impl Trial {
    fn key(&self) -> String {
        let Cell { question, n, strategy, rule } = self.cell;
        let question = match question {
            Question::Evaluations(form) => form.to_string(),
            Question::Irrelevant => "irrelevant".into(),
            Question::SmallSigma => "small-sigma".into(),
            Question::Rugged(lambda) => format!("rastrigin/lambda={lambda}"),
        };
        format!("{question}/n={n}/{}/{}/seed={}", strategy.name(), rule.name(), self.seed)
    }

    fn run(&self) -> Result<TrialOutcome, LabError> {
        let Cell { question, n, strategy, rule } = self.cell;
        let mut settings = rule.settings(n);
        if let Question::Rugged(lambda) = question {
            settings = settings.lambda(lambda);
        }
        let form = match question {
            Question::Evaluations(form) => form,
            Question::Rugged(_) => Form { function: Function::Rastrigin, rotated: false },
            Question::Irrelevant | Question::SmallSigma => Form { function: Function::Sphere, rotated: false },
        };
        // If there is more than one minimum, a run also ends when it has found a local one.
        let rugged = matches!(question, Question::Rugged(_));
        let criteria = if rugged { StopCriteria::new() } else { StopCriteria::none() };
        let algorithm = strategy.algorithm().settings(settings).criteria(criteria);
        let seed = self.seed;
        let trial = SingleTrial { n, problem_seed: seed, seed, lambda: None, target: TARGET, budget: None };
        let function = SuiteFunction::new(form.function, form.rotated)?;
        match question {
            Question::Irrelevant => {
                let quarter = family("irrelevant", |n, seed| {
                    let instance = function.instance(n, seed)?;
                    let relevant = |x: &[f64]| x[..x.len() / 4].iter().map(|x| x * x).sum();
                    let problem = OwnProblem::new(relevant, instance.initial_mean().to_vec(), instance.initial_sigma());
                    Ok(problem.budget(instance.budget()))
                });
                trial.run(&algorithm, &quarter, &mut [])
            }
            Question::SmallSigma => {
                let small = altered(function, |problem| problem.initial_sigma *= 1e-6);
                trial.run(&algorithm, &small, &mut [])
            }
            Question::Evaluations(_) | Question::Rugged(_) => trial.run(&algorithm, &function, &mut []),
        }
    }
}

/// Everything that a trial depends on, apart from its key.
#[derive(Serialize)]
struct Configuration {
    code: String,
}

/// Functions with one minimum: in both forms for dd, the separable ones for sep.
fn forms(strategy: StrategyName) -> Vec<Form> {
    use Function::{Cigar, Discus, EllCig, EllDis, Ellipsoid, Rosenbrock, Sphere, TwoAxes};
    let separable = [Sphere, Ellipsoid, Discus, Cigar, TwoAxes];
    let dependent = [EllCig, EllDis, Rosenbrock];
    match strategy {
        StrategyName::Sep => separable.map(|function| Form { function, rotated: false }).to_vec(),
        _ => {
            let all = separable.into_iter().chain(dependent).map(|function| Form { function, rotated: false });
            let rotated = all.clone().filter(|form| form.function.has_rotated_form());
            all.clone().chain(rotated.map(|form| Form { rotated: true, ..form })).collect()
        }
    }
}

/// The tables: strategies with their dimensions.
const TABLES: [(StrategyName, &[usize]); 2] = [(StrategyName::Dd, &[10, 40, 160]), (StrategyName::Sep, &[40, 640])];
const RUGGED: (usize, [usize; 3]) = (20, [100, 200, 400]);
const IRRELEVANT: (usize, [StrategyName; 3]) = (40, [StrategyName::Dd, StrategyName::Plain, StrategyName::Sep]);
const SMALL_SIGMA: (usize, StrategyName) = (160, StrategyName::Dd);

/// Runs the experiment and prints its tables.
pub fn run(options: &Options) -> Result<(), LabError> {
    let trials = trials(options);
    let mut records = Records::open(&options.out, "step-sizes", &Configuration { code: fingerprint::of_code() })?;
    pool::run(&trials, Trial::key, options.jobs, &mut records, Trial::run)?;
    let outcomes = |cell: Cell| -> Vec<TrialOutcome> {
        let of_cell = trials.iter().filter(|trial| trial.cell == cell);
        of_cell.filter_map(|trial| records.get(&trial.key())).cloned().collect()
    };
    let text = report(options, &outcomes);
    write_file(&options.out.join("tables.md"), &text)?;
    println!("{text}");
    Ok(())
}

fn trials(options: &Options) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |question: Question, n: usize, strategy: StrategyName, count: u32| {
        for rule in Rule::ALL {
            let cell = Cell { question, n, strategy, rule };
            trials.extend((1..=u64::from(count)).map(|seed| Trial { cell, seed }));
        }
    };
    for (strategy, dims) in TABLES {
        for n in dims.iter().rev().copied().filter(|n| *n <= options.largest as usize) {
            let count = if n > 40 { options.trials / 2 } else { options.trials };
            forms(strategy).into_iter().for_each(|form| add(Question::Evaluations(form), n, strategy, count));
        }
    }
    IRRELEVANT.1.into_iter().for_each(|strategy| add(Question::Irrelevant, IRRELEVANT.0, strategy, options.trials));
    if SMALL_SIGMA.0 <= options.largest as usize {
        add(Question::SmallSigma, SMALL_SIGMA.0, SMALL_SIGMA.1, options.trials / 2);
    }
    RUGGED.1.into_iter().for_each(|lambda| {
        add(Question::Rugged(lambda), RUGGED.0, StrategyName::Dd, 4 * options.trials);
    });
    trials
}

fn report(options: &Options, outcomes: &dyn Fn(Cell) -> Vec<TrialOutcome>) -> String {
    let mut text = String::new();
    for (strategy, dims) in TABLES {
        for &n in dims.iter().filter(|n| **n <= options.largest as usize) {
            let questions = forms(strategy).into_iter().map(|form| (form.to_string(), Question::Evaluations(form)));
            text += &format!("\n{}, n = {n}:\n\n", strategy.name());
            text += &ratios("function", strategy, n, questions.collect(), outcomes);
        }
    }
    let (n, strategies) = IRRELEVANT;
    text += &format!("\nThe sphere with only {} of {n} variables relevant:\n\n", n / 4);
    for strategy in strategies {
        let question = vec![(strategy.name().to_string(), Question::Irrelevant)];
        let rows = ratios("strategy", strategy, n, question, outcomes);
        text += if strategy == strategies[0] { &rows } else { rows.lines().nth(2).unwrap_or_default() };
        text += if strategy == strategies[0] { "" } else { "\n" };
    }
    let (n, strategy) = SMALL_SIGMA;
    if n <= options.largest as usize {
        let of = |question: Question, rule: Rule| {
            let outcomes = outcomes(Cell { question, n, strategy, rule });
            median(&outcomes.iter().map(|outcome| outcome.evaluations as f64).collect::<Vec<f64>>())
        };
        let sphere = Question::Evaluations(Form { function: Function::Sphere, rotated: false });
        let more = |rule: Rule| format!("{:.0}", of(Question::SmallSigma, rule) - of(sphere, rule));
        let cells = Rule::ALL.map(more).join(" | ");
        text += &format!(
            "\nAdditional evaluations on the sphere when started with a millionth of its σ0 (medians, {}, n = {n}):\n\n",
            strategy.name()
        );
        text += &format!("{}| {cells} |\n", head(&Rule::ALL.map(Rule::name)));
    }
    let (n, lambdas) = RUGGED;
    text += &format!("\nSuccesses of single runs on Rastrigin's function, dd, n = {n}:\n\n");
    text += &head(&["λ", Rule::ALL[0].name(), Rule::ALL[1].name(), Rule::ALL[2].name()]);
    for lambda in lambdas {
        let rates = Rule::ALL.map(|rule| {
            let outcomes = outcomes(Cell { question: Question::Rugged(lambda), n, strategy: StrategyName::Dd, rule });
            let trials: Vec<(bool, u64)> =
                outcomes.iter().map(|outcome| (outcome.success, outcome.evaluations)).collect();
            let cost = Cost::of(&trials);
            format!("{}/{}", cost.successes, cost.trials)
        });
        text += &format!("| {lambda} | {} |\n", rates.join(" | "));
    }
    text
}

fn head(cells: &[&str]) -> String {
    format!("| {} |\n|{}\n", cells.join(" | "), "---|".repeat(cells.len()))
}

/// A row for each question: the median evaluations with CSA, and those with the other rules over them, pair by pair.
fn ratios(
    first: &str,
    strategy: StrategyName,
    n: usize,
    questions: Vec<(String, Question)>,
    outcomes: &dyn Fn(Cell) -> Vec<TrialOutcome>,
) -> String {
    let mut text = head(&[first, "CSA", "TPA over CSA", "TPA, VkD, over CSA"]);
    let mut logarithms = [Vec::new(), Vec::new()];
    let count = questions.len();
    for (name, question) in questions {
        let of = |rule: Rule| -> Vec<f64> {
            let cost = |outcome: TrialOutcome| if outcome.success { outcome.evaluations as f64 } else { f64::INFINITY };
            outcomes(Cell { question, n, strategy, rule }).into_iter().map(cost).collect()
        };
        let csa = of(Rule::Csa);
        text += &format!("| {name} | {:.0} |", median(&csa));
        for (rule, logarithms) in [Rule::Tpa, Rule::TpaVkd].into_iter().zip(&mut logarithms) {
            let (ratio, low, high) = paired_ratio(&of(rule), &csa);
            text += &format!(" {ratio:.2} [{low:.2}, {high:.2}] |");
            logarithms.push(ratio.ln());
        }
        text += "\n";
    }
    if count > 1 {
        let mean = logarithms.map(|ratios| (ratios.iter().sum::<f64>() / ratios.len() as f64).exp());
        text += &format!("| geometric mean | | {:.2} | {:.2} |\n", mean[0], mean[1]);
    }
    text
}
