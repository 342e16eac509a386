//! The report of an experiment: which algorithm wins, by how much, where it does not, and how certain this is. Available as text,
//! Markdown, CSV, JSON and an HTML page.
//!
//! Reports of the same outcomes are identical, byte for byte: they have no dates and no times.

mod analysis;
mod html;
mod json;
#[cfg(feature = "pictures")]
mod panels;
mod summary;
mod text;
mod trials;

use std::path::{Path, PathBuf};

use crate::records::write_file;
use crate::statistics::{Effort, Interval, Ratio, RunTimes};
use crate::{LabError, Outcomes, TrialOutcome};

/// The options of a report: its title, the baseline, and the significance level of tests.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    title: String,
    baseline: Option<String>,
    level: f64,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ReportOptions {
    /// Creates options with the first algorithm as the baseline and a level of 5 %.
    pub fn new() -> Self {
        Self { title: "Comparison of algorithms".to_string(), baseline: None, level: 0.05 }
    }

    /// Sets the title.
    #[must_use = "it returns the changed options"]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the baseline, the algorithm that the others are compared with, by name. Default: the first.
    #[must_use = "it returns the changed options"]
    pub fn baseline(mut self, name: impl Into<String>) -> Self {
        self.baseline = Some(name.into());
        self
    }

    /// Sets the significance level: the probability of any false verdict in the report. Default: 0.05.
    #[must_use = "it returns the changed options"]
    pub fn level(mut self, level: f64) -> Self {
        self.level = level;
        self
    }
}

/// A report, from [`Outcomes::report`].
#[derive(Clone, Debug)]
pub struct Report {
    title: String,
    level: f64,
    algorithms: Vec<String>,
    /// The index of the baseline.
    baseline: usize,
    /// The target, if all trials have the same.
    target: Option<f64>,
    rows: Vec<Row>,
    overall: Vec<Overall>,
    pairs: Vec<Pair>,
    groups: Vec<Group>,
}

/// A problem in one dimension: a row of the table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The name of the problem.
    pub problem: String,
    /// The number of variables.
    pub n: usize,
    /// The population size set by the experiment, if any.
    pub lambda: Option<usize>,
    /// A cell for each algorithm; `None` if it has no trials here.
    pub cells: Vec<Option<Cell>>,
}

/// The trials of an algorithm on a problem.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Cell {
    /// The population size of the algorithm, if it has one.
    pub lambda: Option<usize>,
    /// The number of trials.
    pub trials: usize,
    /// The number of trials that reached the target.
    pub successes: usize,
    /// Wilson's 95 % interval for the success rate.
    pub success_rate: Interval,
    /// The median of the evaluations; failures count as infinite.
    pub median: f64,
    /// The quartiles of the evaluations; failures count as infinite.
    pub quartiles: Interval,
    /// The expected running time: all evaluations divided by the number of successes.
    pub ert: f64,
    /// The bootstrap 95 % interval of the expected running time.
    pub ert_interval: Interval,
    /// The comparison with the baseline; `None` for the baseline itself.
    pub comparison: Option<Comparison>,
    efforts: Vec<Effort>,
    outcomes: Vec<TrialOutcome>,
}

/// An algorithm compared with the baseline on a problem.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// The cost divided by that of the baseline.
    pub ratio: Ratio,
    /// The p-value of the rank-sum test.
    pub p: f64,
    /// The p-value with Holm's correction for all comparisons of the report.
    pub adjusted_p: f64,
    /// The result of the test at the level of the report.
    pub verdict: Verdict,
}

/// The result of a test between an algorithm and the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The algorithm needs fewer evaluations, or fails less often.
    Faster,
    /// The algorithm needs more evaluations, or fails more often.
    Slower,
    /// The trials do not show a difference.
    NoDifference,
}

impl Verdict {
    /// Returns the verdict in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::NoDifference => "no difference",
        }
    }

    /// Returns its mark in a table.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Faster => "+",
            Self::Slower => "−",
            Self::NoDifference => "≈",
        }
    }
}

/// An algorithm compared with the baseline over all problems.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Overall {
    /// The index of the algorithm.
    pub algorithm: usize,
    /// The geometric mean of the ratios to the baseline, over problems that both solve at least once.
    pub mean_ratio: f64,
    /// Its 95 % interval for these problems, from a bootstrap over trials.
    pub interval: Interval,
    /// The number of these problems.
    pub compared: usize,
    /// The number of problems that only this algorithm ever solves.
    pub only_it: usize,
    /// The number of problems that only the baseline ever solves.
    pub only_baseline: usize,
    /// The number of problems that neither ever solves.
    pub neither: usize,
    /// The number of verdicts *faster*.
    pub wins: usize,
    /// The number of verdicts *no difference*.
    pub ties: usize,
    /// The number of verdicts *slower*.
    pub losses: usize,
}

/// Two algorithms compared over all problems, with a [signed-rank test](crate::statistics::signed_rank) of the logarithms of their
/// ratios.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pair {
    /// The indices of the two algorithms.
    pub algorithms: [usize; 2],
    /// The numbers of problems on which the first algorithm has the lower and the higher cost.
    pub better: [usize; 2],
    /// The p-value of the test.
    pub p: f64,
    /// The p-value with Holm's correction for all pairs.
    pub adjusted_p: f64,
}

/// All problems of a dimension (and a population size, if the experiment sets several).
#[derive(Clone, Debug)]
struct Group {
    n: usize,
    lambda: Option<usize>,
    problems: usize,
    /// The run times of each algorithm.
    run_times: Vec<RunTimes>,
    longest: u64,
}

impl Outcomes {
    /// Makes a report: the statistics of all outcomes, with each algorithm compared with a baseline.
    ///
    /// ```
    /// use ddcma_lab::{Experiment, ReportOptions, Silent, Verdict, dd, sep, suite};
    ///
    /// let experiment = Experiment::new().algorithms([dd(), sep()]).problems(suite(["ellipsoid", "ellipsoid-rotated"])?);
    /// let outcomes = experiment.dimensions([5]).trials(5).budget_per_variable(1_000).run(&Silent)?;
    /// let report = outcomes.report(&ReportOptions::new().baseline("dd"))?;
    /// println!("{}", report.text());
    /// let rotated = report.rows()[1].cells[1].as_ref().and_then(|cell| cell.comparison.as_ref());
    /// assert_eq!(rotated.map(|comparison| comparison.verdict), Some(Verdict::Slower));
    /// # Ok::<(), ddcma_lab::LabError>(())
    /// ```
    pub fn report(&self, options: &ReportOptions) -> Result<Report, LabError> {
        analysis::report(self, options)
    }

    /// Returns one row of CSV for each trial.
    ///
    /// The columns: function, rotated (1 for the rotated functions of the suite), n, strategy (the name of the algorithm), lambda
    /// (empty if it has none), trial, seed, success, evaluations, iterations, best_f, stop, internal_seconds; then the
    /// [notes](crate::Trial::note) of algorithms, by name. If each algorithm is a strategy with a policy, `dd/bipop`: function, rotated, n,
    /// strategy, policy, trial, seed, success, evaluations, runs, largest_lambda, best_f, stop. Trials are sorted by problem, n, λ and
    /// algorithm.
    pub fn trials_csv(&self) -> String {
        trials::csv(self)
    }
}

impl Report {
    /// Returns the names of the algorithms, in the order of the cells of a row.
    pub fn algorithms(&self) -> &[String] {
        &self.algorithms
    }

    /// Returns the name of the algorithm that the others are compared with.
    pub fn baseline(&self) -> &str {
        &self.algorithms[self.baseline]
    }

    /// Returns the problems, by name, dimension and population size.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the comparisons over all problems, for each algorithm except the baseline.
    pub fn overall(&self) -> &[Overall] {
        &self.overall
    }

    /// Returns the tests over all problems, for each pair of algorithms.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the summary in sentences: which algorithm wins, by how much, where it does not, and how certain this is.
    pub fn summary(&self) -> Vec<String> {
        summary::sentences(self)
    }

    /// Returns the table as text: a row for each problem, a column for each algorithm, and an explanation of its marks.
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// Returns the summary and the table as text.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// Returns the summary and the tables as Markdown.
    pub fn markdown(&self) -> String {
        text::markdown(self)
    }

    /// Returns all statistics of single problems as CSV, with a row for each problem and algorithm.
    pub fn csv(&self) -> String {
        text::csv(self)
    }

    /// Returns everything as JSON. Infinite numbers are written as `"inf"`, unknown ones as `null`.
    pub fn json(&self) -> String {
        json::json(self)
    }

    /// Returns everything as a self-contained HTML page, with pictures if the feature `pictures` is enabled.
    pub fn html(&self) -> Result<String, LabError> {
        html::page(self)
    }

    /// Writes `table.txt`, `report.md`, `table.csv`, `report.json` and `index.html` into a folder, and SVG files if the feature `pictures`
    /// is enabled; returns the path of the page.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<PathBuf, LabError> {
        let folder = folder.as_ref();
        std::fs::create_dir_all(folder).map_err(|error| LabError::new(format!("{}: {error}", folder.display())))?;
        write_file(&folder.join("table.txt"), &self.text())?;
        write_file(&folder.join("report.md"), &self.markdown())?;
        write_file(&folder.join("table.csv"), &self.csv())?;
        write_file(&folder.join("report.json"), &self.json())?;
        #[cfg(feature = "pictures")]
        for (name, svg) in panels::files(self)? {
            write_file(&folder.join(name), &svg)?;
        }
        let page = folder.join("index.html");
        write_file(&page, &self.html()?)?;
        Ok(page)
    }
}

impl Row {
    /// Returns the problem with its dimension and population size, in words.
    fn name(&self) -> String {
        let lambda = self.lambda.map(|lambda| format!(", λ = {lambda}")).unwrap_or_default();
        format!("{}, n = {}{lambda}", self.problem, self.n)
    }

    fn comparison(&self, algorithm: usize) -> Option<&Comparison> {
        self.cells.get(algorithm)?.as_ref()?.comparison.as_ref()
    }
}

impl Cell {
    /// Returns the cost shown in the table: the median if all trials succeed, and otherwise the expected running time.
    fn cost(&self) -> f64 {
        if self.successes == self.trials { self.median } else { self.ert }
    }
}

impl Group {
    /// Returns n, and λ if the experiment sets it.
    fn size(&self) -> String {
        self.lambda.map_or(self.n.to_string(), |lambda| format!("{}, λ = {lambda}", self.n))
    }
}
