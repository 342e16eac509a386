//! Trials of the reproduction: what identifies a trial, how it is run, and how its record is found. Independent of the figures.

use ddcma_core::{Settings, StopCriteria};
use ddcma_lab::{SingleTrial, SuiteFunction, TrialOutcome, altered};
use serde::{Deserialize, Serialize};

use super::{Options, Scale};
use crate::lab::names::{Form, StrategyName};
use crate::lab::records::Records;
use crate::lab::statistics::median;
use crate::lab::{LabError, fingerprint, pool};

/// A run that may end early has converged if its values have differed by at most this for some generations.
const CONVERGED: f64 = 1e-12;

/// A setting; its trials differ by their seeds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// The function.
    pub(super) form: Form,
    /// The number of variables.
    pub(super) n: usize,
    /// The strategy.
    pub(super) strategy: StrategyName,
    /// Its settings, including λ if it is not the default.
    pub(super) settings: Settings,
    /// The name of the settings, for records.
    pub(super) name: String,
    /// The target value.
    pub(super) target: f64,
    /// The budget of evaluations; `None` is the suite's.
    pub(super) budget: Option<u64>,
    /// Whether a run that has converged to a local minimum ends before its budget is used up. It is a failure either way.
    pub(super) ends_converged: bool,
    /// A start that differs from the suite's: the first coordinate of the mean, whose other coordinates are 0, and σ.
    pub(super) start: Option<(f64, f64)>,
}

impl Cell {
    /// Creates a cell with the paper's defaults.
    pub(super) fn new(form: Form, n: usize, strategy: StrategyName) -> Self {
        let settings = Settings::new();
        Self {
            form,
            n,
            strategy,
            settings,
            name: String::new(),
            target: 1e-8,
            budget: None,
            ends_converged: false,
            start: None,
        }
    }

    /// Sets the population size.
    #[must_use]
    pub(super) fn lambda(mut self, lambda: usize) -> Self {
        self.settings = self.settings.lambda(lambda);
        self.name += &format!("/lambda={lambda}");
        self
    }

    /// Sets the settings and their name.
    #[must_use]
    pub(super) fn with(mut self, name: &str, change: impl FnOnce(Settings) -> Settings) -> Self {
        self.settings = change(self.settings);
        self.name += &format!("/{name}");
        self
    }

    /// Lets runs end when they have converged to any minimum.
    #[must_use]
    pub(super) fn until_converged(mut self) -> Self {
        self.ends_converged = true;
        self.name += "/until_flat";
        self
    }

    fn key(&self, seed: u64) -> String {
        let Self { form, n, strategy, name, target, budget, start, .. } = self;
        let budget = budget.map_or(String::new(), |budget| format!("/budget={budget}"));
        let start = start.map_or(String::new(), |(mean, sigma)| format!("/start={mean},{sigma:e}"));
        format!("{form}/n={n}/{}{name}/target={target:e}{budget}{start}/seed={seed}", strategy.name())
    }
}

/// The record of a trial.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CellOutcome {
    /// Whether it reached the target.
    pub(super) success: bool,
    /// The number of evaluations, in complete generations.
    pub(super) evaluations: u64,
    /// The number of generations.
    pub(super) iterations: u64,
}

/// Runs the trials of the figures.
pub(super) struct Laboratory {
    records: Records<CellOutcome>,
    /// The scale of the experiments.
    pub(super) scale: Scale,
    largest: Option<u32>,
    most_trials: Option<u64>,
    jobs: Option<u32>,
}

/// Everything that the outcome of a single trial depends on, apart from its key.
#[derive(Serialize)]
struct Configuration {
    code: String,
}

impl Laboratory {
    /// Opens the records.
    pub(super) fn open(options: &Options) -> Result<Self, LabError> {
        let configuration = Configuration { code: fingerprint::of_code() };
        let records = Records::open(&options.out, "reproduce", &configuration)?;
        Ok(Self {
            records,
            scale: options.scale,
            largest: options.largest,
            most_trials: options.trials,
            jobs: options.jobs,
        })
    }

    /// Chooses one value at the quick scale, another at the paper's.
    pub(super) fn choose<T>(&self, quick: T, paper: T) -> T {
        match self.scale {
            Scale::Quick => quick,
            Scale::Paper => paper,
        }
    }

    /// Returns the paper's dimensions 5, 10, 20, … up to this limit and that of the command line.
    pub(super) fn dims(&self, up_to: usize) -> Vec<usize> {
        let limit = up_to.min(self.largest.map_or(usize::MAX, |largest| largest as usize));
        std::iter::successors(Some(5), |n| Some(2 * n)).take_while(|n| *n <= limit).collect()
    }

    /// Returns the number of trials: the paper's (Section 6.1) or a few.
    pub(super) fn trials(&self, n: usize) -> u64 {
        match (self.scale, n) {
            (Scale::Paper, ..=40) => 20,
            (Scale::Paper, ..=320) => 10,
            (Scale::Paper, _) => 3,
            (Scale::Quick, ..=40) => 5,
            (Scale::Quick, _) => 3,
        }
    }

    /// Runs the trials that have no record yet, with a number of trials for each cell.
    pub(super) fn run(&mut self, cells: &[(Cell, u64)]) -> Result<(), LabError> {
        let mut trials: Vec<(&Cell, u64)> = Vec::new();
        for (cell, count) in cells {
            cell.form.instance(cell.n, 1)?;
            let count = self.most_trials.map_or(*count, |most| most.min(*count));
            trials.extend((1..=count).map(|seed| (cell, seed)));
        }
        // The longest first, so that the pool does not wait for them at the end.
        trials.sort_by_cached_key(|(cell, seed)| (std::cmp::Reverse(cell.n), cell.key(*seed)));
        trials.dedup_by_key(|(cell, seed)| cell.key(*seed));
        pool::run(
            &trials,
            |(cell, seed)| cell.key(*seed),
            self.jobs,
            &mut self.records,
            |(cell, seed)| trial(cell, *seed),
        )
    }

    /// Returns the recorded outcomes of a cell, up to a number of trials.
    pub(super) fn outcomes(&self, cell: &Cell, trials: u64) -> Vec<CellOutcome> {
        (1..=trials).filter_map(|seed| self.records.get(&cell.key(seed)).cloned()).collect()
    }

    /// Returns the median evaluations of a cell; infinite if most trials failed, NaN if there are none.
    pub(super) fn median_evaluations(&self, cell: &Cell, trials: u64) -> f64 {
        median(&costs(&self.outcomes(cell, trials), |outcome| outcome.evaluations))
    }

    /// Returns the median iterations of a cell; infinite if most trials failed, NaN if there are none.
    pub(super) fn median_iterations(&self, cell: &Cell, trials: u64) -> f64 {
        median(&costs(&self.outcomes(cell, trials), |outcome| outcome.iterations))
    }
}

/// Returns the cost of each trial; infinite if it failed.
pub(super) fn costs(outcomes: &[CellOutcome], count: impl Fn(&CellOutcome) -> u64) -> Vec<f64> {
    outcomes.iter().map(|outcome| if outcome.success { count(outcome) as f64 } else { f64::INFINITY }).collect()
}

fn trial(cell: &Cell, seed: u64) -> Result<CellOutcome, LabError> {
    let criteria = if cell.ends_converged { StopCriteria::none().tol_fun(CONVERGED) } else { StopCriteria::none() };
    let algorithm = cell.strategy.algorithm().settings(cell.settings.clone()).criteria(criteria);
    let problem = SuiteFunction::new(cell.form.function, cell.form.rotated)?;
    let problem = altered(problem, |problem| {
        if let Some((first, sigma)) = cell.start {
            problem.initial_mean.fill(0.0);
            problem.initial_mean[0] = first;
            problem.initial_sigma = sigma;
        }
    });
    let Cell { n, target, budget, .. } = *cell;
    let trial = SingleTrial { n, problem_seed: seed, seed, lambda: None, target, budget };
    let TrialOutcome { success, evaluations, iterations, .. } = trial.run(&algorithm, &problem, &mut [])?;
    Ok(CellOutcome { success, evaluations, iterations })
}
