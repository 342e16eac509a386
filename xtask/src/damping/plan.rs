//! The experimental plan: variants, cells, seeds and trials of each part, and how they are run.

use std::path::Path;
use std::str::FromStr;

use ddcma_core::StopCriteria;
use ddcma_lab::cli::Terminal;
use ddcma_lab::{Experiment, StrategyAlgorithm, suite};

use super::{Options, Part};
use crate::lab::LabError;
use crate::lab::names::{Form, StrategyName};

/// A strategy with its choices: `dd damping=shortest-axis beta_exponent=0.7`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name in tables, the same in all dimensions.
    pub(super) label: String,
    strategy: StrategyName,
    /// Each `name=value`.
    choices: Vec<String>,
    /// The population size, as a multiple of the default.
    lambda_factor: Option<usize>,
}

impl FromStr for Variant {
    type Err = LabError;

    fn from_str(text: &str) -> Result<Self, LabError> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let strategy = clap::ValueEnum::from_str(name, false);
        let strategy = strategy.map_err(|_| LabError::new(format!("there is no strategy \"{name}\"")))?;
        let (mut choices, mut lambda_factor) = (Vec::new(), None);
        for word in words {
            match word.strip_prefix("lambda=").and_then(|factor| factor.strip_suffix('x')) {
                Some(factor) => {
                    let wrong = |_| {
                        LabError::new(format!(
                            "lambda must be a multiple of the default, such as lambda=2x, got \"{word}\""
                        ))
                    };
                    lambda_factor = Some(factor.parse().map_err(wrong)?);
                }
                None => choices.push(word.to_string()),
            }
        }
        let variant = Self { label: text.to_string(), strategy, choices, lambda_factor };
        variant.chosen(None)?;
        Ok(variant)
    }
}

impl Variant {
    fn new(text: &str) -> Self {
        text.parse().expect("a variant of the study")
    }

    pub(super) fn labeled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Returns the paper's dd-CMA-ES.
    pub(super) fn paper() -> Self {
        Self::new("dd")
    }

    /// Returns the damping by the shortest axis with explicit constants.
    pub(super) fn by_axis(gamma: f64, threshold: f64, least: f64) -> Self {
        let constants = format!("beta_exponent={gamma} beta_thresh={threshold} beta_min={least}");
        Self::new(&format!("dd damping=shortest-axis {constants}"))
    }

    /// Returns the same variant with another choice, if it has a parameter for it.
    pub(super) fn and(mut self, choice: &str) -> Self {
        self.label += &format!(" {choice}");
        self.choices.push(choice.to_string());
        self
    }

    /// Returns the name in records, which includes everything that it depends on.
    fn name(&self, lambda: Option<usize>) -> String {
        let choices = self.choices.iter().map(|choice| format!(" {choice}"));
        let lambda = lambda.map(|lambda| format!(" lambda={lambda}")).unwrap_or_default();
        format!("{}{}{lambda}", self.strategy.name(), choices.collect::<String>())
    }

    fn algorithm(&self, n: usize) -> Result<StrategyAlgorithm, LabError> {
        let wrong = |error: ddcma_core::ParamsError| LabError::new(error.to_string());
        let usual = ddcma_core::Params::new(n).map_err(wrong)?.lambda();
        self.chosen(self.lambda_factor.map(|factor| factor * usual))
    }

    /// Returns the strategy with its choices.
    fn chosen(&self, lambda: Option<usize>) -> Result<StrategyAlgorithm, LabError> {
        let name = self.name(lambda);
        let lambda = lambda.map(|lambda| format!("lambda={lambda}"));
        let choices: Vec<String> = self.choices.iter().cloned().chain(lambda).collect();
        self.strategy.algorithm().named(name).choose(choices.join(":").parse()?)
    }

    /// Returns the settings for n variables, with their strategy.
    pub(super) fn settings(&self) -> Result<(StrategyName, ddcma_core::Settings), LabError> {
        Ok((self.strategy, self.chosen(None)?.chosen_settings().clone()))
    }
}

/// The constants that were chosen, γ, β_thresh and β_min; they are the library's defaults.
pub(super) const CHOSEN: (f64, f64, f64) = (0.8, 1.0, 0.6);

/// Returns the damping by the shortest axis with the chosen constants.
pub(super) fn chosen() -> Variant {
    Variant::by_axis(CHOSEN.0, CHOSEN.1, CHOSEN.2)
}

/// Returns the damping by agreement with the library's constants, which were chosen.
pub(super) fn by_agreement() -> Variant {
    Variant::new("dd damping=agreement")
}

/// Returns the paper's damping and those that were chosen.
pub(super) fn all_dampings() -> Vec<Variant> {
    vec![Variant::paper().labeled("paper"), chosen().labeled("shortest axis"), by_agreement().labeled("agreement")]
}

/// The grid of constants of the damping by agreement: its memory, its level and its gain.
const AGREEMENTS: [(f64, f64, f64); 11] = [
    (3.0, 2.0, 4.0),
    (3.0, 2.5, 4.0),
    (3.0, 3.0, 4.0),
    (5.0, 2.0, 4.0),
    (5.0, 2.5, 4.0),
    (5.0, 3.0, 4.0),
    (8.0, 2.0, 4.0),
    (8.0, 2.5, 4.0),
    (8.0, 3.0, 4.0),
    (5.0, 2.5, 2.0),
    (5.0, 2.5, 8.0),
];

/// The grid of constants of the damping by the shortest axis: γ, β_thresh and β_min.
const GAMMAS: [f64; 3] = [0.6, 0.7, 0.8];
const THRESHOLDS: [f64; 4] = [1.0, 1.5, 2.0, 2.5];
const LEAST: [f64; 3] = [1.0, 0.67, 0.5];

/// The finalists of the grid, chosen with results for n = 80 and 160.
const FINALISTS: [(f64, f64, f64); 4] = [(0.8, 1.0, 0.6), (0.8, 1.0, 0.67), (0.7, 1.0, 0.67), (0.7, 1.0, 0.6)];

/// The functions with one minimum of the paper's Table 1, in their forms.
pub(super) const FUNCTIONS: [&str; 13] = [
    "sphere",
    "cigar",
    "discus",
    "ellipsoid",
    "twoaxes",
    "rosenbrock",
    "ellcig",
    "elldis",
    "cigar-rotated",
    "discus-rotated",
    "ellipsoid-rotated",
    "twoaxes-rotated",
    "rosenbrock-rotated",
];

/// Seeds of the trials by which constants are chosen, and of those by which they are judged.
const CHOOSING: u64 = 1;
const JUDGING: u64 = 700_001;

/// One part of the study.
pub(super) struct Plan {
    folder: &'static str,
    first_seed: u64,
    /// The variants for n variables; the others are compared with the first one.
    variants: Box<dyn Fn(usize) -> Vec<Variant>>,
    functions: Vec<String>,
    dims: Vec<usize>,
    trials: Box<dyn Fn(usize) -> u32>,
    /// Population sizes as multiples of n; empty for the default.
    multiples: Vec<usize>,
}

/// All trials of one variant on one function.
pub(super) struct Cell {
    pub(super) function: String,
    pub(super) n: usize,
    pub(super) lambda: Option<usize>,
    pub(super) variant: String,
    /// Whether they reached the target, and their evaluations.
    pub(super) trials: Vec<(bool, u64)>,
}

/// The number of trials by the number of variables: `[(10, 8), (160, 1)]` means 8 up to n = 10, and 1 beyond.
fn schedule<const K: usize>(steps: [(usize, u32); K]) -> Box<dyn Fn(usize) -> u32> {
    Box::new(move |n| steps.iter().find(|step| n <= step.0).unwrap_or(&steps[K - 1]).1)
}

impl Plan {
    pub(super) fn of(part: Part) -> Self {
        let all = Self {
            folder: "judge",
            first_seed: JUDGING,
            variants: Box::new(|_| all_dampings()),
            functions: FUNCTIONS.map(String::from).to_vec(),
            dims: vec![10, 20, 40, 80, 160],
            trials: schedule([(10, 200), (20, 100), (40, 40), (80, 16), (160, 8)]),
            multiples: Vec::new(),
        };
        let some = |functions: &[&str]| functions.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        match part {
            Part::Choose => Self {
                folder: "choose",
                first_seed: CHOOSING,
                variants: Box::new(|_| grid()),
                dims: vec![40],
                trials: schedule([(40, 4)]),
                ..all
            },
            Part::Agreement => Self {
                folder: "choose",
                first_seed: CHOOSING,
                variants: Box::new(|_| {
                    let labeled = |(memory, level, gain)| {
                        let constants =
                            format!("agreement_memory={memory} agreement_level={level} agreement_gain={gain}");
                        Variant::new(&format!("dd damping=agreement {constants}"))
                            .labeled(format!("{memory}, {level}, {gain}"))
                    };
                    std::iter::once(Variant::paper().labeled("paper")).chain(AGREEMENTS.map(labeled)).collect()
                }),
                dims: vec![40, 80, 160],
                trials: schedule([(40, 12), (80, 6), (160, 4)]),
                ..all
            },
            Part::Finalists => Self {
                folder: "choose",
                first_seed: CHOOSING,
                variants: Box::new(|_| {
                    let labeled = |(gamma, threshold, least)| {
                        Variant::by_axis(gamma, threshold, least).labeled(format!("{gamma}, {threshold}, {least}"))
                    };
                    std::iter::once(Variant::paper().labeled("paper")).chain(FINALISTS.map(labeled)).collect()
                }),
                trials: schedule([(10, 100), (20, 50), (40, 24), (80, 12), (160, 6)]),
                ..all
            },
            Part::Large => Self {
                folder: "large",
                functions: some(&["ellipsoid", "twoaxes", "rosenbrock", "discus", "discus-rotated"]),
                dims: vec![320, 640],
                trials: schedule([(320, 3), (640, 2)]),
                ..all
            },
            Part::Separable => Self {
                folder: "separable",
                variants: Box::new(move |_| {
                    let faster = Variant::new(&format!("sep damping={}", CHOSEN.2)).labeled("sep, faster");
                    [Variant::new("sep"), faster].into_iter().chain(all_dampings()).collect()
                }),
                functions: some(&["ellipsoid", "twoaxes"]),
                dims: vec![10, 20, 40, 80, 160, 320, 640, 1280, 2560],
                trials: schedule([(160, 8), (320, 3), (1280, 2), (2560, 1)]),
                ..all
            },
            Part::Populations => Self {
                folder: "populations",
                dims: vec![10, 40],
                trials: schedule([(10, 60), (40, 12)]),
                multiples: vec![2, 4],
                ..all
            },
            Part::Rivals => Self {
                folder: "rivals",
                variants: Box::new(rivals),
                dims: vec![40, 160],
                trials: schedule([(40, 12), (160, 4)]),
                ..all
            },
            Part::Tpa => Self {
                folder: "tpa",
                variants: Box::new(|_| {
                    let (gamma, threshold, least) = CHOSEN;
                    let constants = format!("beta_exponent={gamma} beta_thresh={threshold} beta_min={least}");
                    vec![
                        Variant::paper().labeled("CSA, paper"),
                        Variant::new("dd-tpa").labeled("TPA, paper"),
                        chosen().labeled("CSA, shortest axis"),
                        Variant::new(&format!("dd-tpa damping=shortest-axis {constants}"))
                            .labeled("TPA, shortest axis"),
                        by_agreement().labeled("CSA, agreement"),
                        Variant::new("dd-tpa damping=agreement").labeled("TPA, agreement"),
                    ]
                }),
                dims: vec![40, 160],
                trials: schedule([(40, 12), (160, 4)]),
                ..all
            },
            Part::Exact => Self {
                folder: "exact",
                variants: Box::new(|_| {
                    vec![
                        Variant::paper().and("root=literal").labeled("paper, exact"),
                        chosen().and("root=literal").labeled("shortest axis, exact"),
                        by_agreement().and("root=literal").labeled("agreement, exact"),
                    ]
                }),
                dims: vec![40, 160],
                trials: schedule([(40, 24), (160, 4)]),
                ..all
            },
            _ => all,
        }
    }

    /// Applies the options of the command line.
    pub(super) fn with(mut self, options: &Options) -> Result<Self, LabError> {
        if !options.dims.is_empty() {
            self.dims = options.dims.iter().map(|n| *n as usize).collect();
        }
        if !options.functions.is_empty() {
            self.functions = options.functions.iter().map(Form::to_string).collect();
        }
        if let Some(seed) = options.first_seed {
            self.first_seed = seed;
        }
        if !options.variants.is_empty() {
            let variants = options.variants.clone();
            self.variants = Box::new(move |_| variants.clone());
        }
        match options.trials[..] {
            [] => {}
            [trials] => self.trials = Box::new(move |_| trials),
            ref each if each.len() == self.dims.len() => {
                let of_n: Vec<(usize, u32)> = self.dims.iter().copied().zip(each.iter().copied()).collect();
                self.trials = Box::new(move |n| of_n.iter().find(|of_n| of_n.0 == n).map_or(1, |of_n| of_n.1));
            }
            ref each => {
                let (given, dims) = (each.len(), self.dims.len());
                return Err(LabError::new(format!(
                    "--trials must be one number, or one per dimension ({dims}), got {given}"
                )));
            }
        }
        Ok(self)
    }

    /// Runs the trials that have no record yet, and returns the cells dimension by dimension.
    pub(super) fn run(&self, options: &Options) -> Result<Vec<Cell>, LabError> {
        let mut cells = Vec::new();
        for &n in &self.dims {
            let variants = (self.variants)(n);
            let lambdas: Vec<usize> = self.multiples.iter().map(|multiple| multiple * n).collect();
            let until = StopCriteria::none();
            let folder = options.out.join(self.folder);
            let of_n = Group { n, functions: &self.functions, variants: &variants, trials: (self.trials)(n), until };
            cells.extend(of_n.run(self.first_seed, &lambdas, options.jobs, &folder)?);
        }
        Ok(cells)
    }
}

/// Cells of one dimension.
pub(super) struct Group<'a> {
    pub(super) n: usize,
    pub(super) functions: &'a [String],
    pub(super) variants: &'a [Variant],
    pub(super) trials: u32,
    /// The stop criteria of a run, in addition to target and budget.
    pub(super) until: StopCriteria,
}

impl Group<'_> {
    pub(super) fn run(
        &self,
        first_seed: u64,
        lambdas: &[usize],
        jobs: u32,
        folder: &Path,
    ) -> Result<Vec<Cell>, LabError> {
        let Self { n, functions, variants, trials, until } = self;
        let algorithms = variants.iter().map(|variant| Ok(variant.algorithm(*n)?.criteria(until.clone())));
        let experiment = Experiment::new()
            .algorithms(algorithms.collect::<Result<Vec<StrategyAlgorithm>, LabError>>()?)
            .problems(suite(functions.iter().map(String::as_str))?)
            .dimensions([*n])
            .lambdas(lambdas.iter().copied())
            .trials(*trials)
            .first_seed(first_seed)
            .jobs(jobs)
            .records(folder);
        let outcomes = experiment.run(&Terminal::default())?;
        let mut cells: Vec<Cell> = Vec::new();
        for (planned, outcome) in outcomes.iter() {
            let variant = &variants[planned.algorithm_index].label;
            let same = |cell: &&mut Cell| {
                cell.function == planned.problem && cell.lambda == planned.asked_lambda && cell.variant == *variant
            };
            let trial = (outcome.success, outcome.evaluations);
            match cells.iter_mut().find(same) {
                Some(cell) => cell.trials.push(trial),
                None => cells.push(Cell {
                    function: planned.problem.clone(),
                    n: *n,
                    lambda: planned.asked_lambda,
                    variant: variant.clone(),
                    trials: vec![trial],
                }),
            }
        }
        Ok(cells)
    }
}

fn grid() -> Vec<Variant> {
    let mut variants = vec![Variant::paper().labeled("paper")];
    for least in LEAST {
        for gamma in GAMMAS {
            let of_gamma = THRESHOLDS.map(|threshold| {
                Variant::by_axis(gamma, threshold, least).labeled(format!("{gamma}, {threshold}, {least}"))
            });
            variants.extend(of_gamma);
        }
    }
    variants
}

/// Returns the paper's proposals for large n, and the chosen dampings.
fn rivals(n: usize) -> Vec<Variant> {
    let growing = |power: f64| (200.0 * (n as f64 / 10.0).powf(power)).round() / 100.0;
    vec![
        Variant::paper().labeled("paper"),
        chosen().labeled("shortest axis"),
        by_agreement().labeled("agreement"),
        Variant::new(&format!("dd beta_thresh={}", growing(0.5))).labeled("β_thresh = 2 (n/10)^½"),
        Variant::new(&format!("dd beta_thresh={}", growing(1.0))).labeled("β_thresh = 2 n/10"),
        Variant::new("dd beta_eig=10").labeled("β_eig = 10"),
        Variant::new("dd lambda=2x").labeled("2 λ"),
    ]
}
