//! The benchmark platform [COCO](https://coco-platform.org): its functions in any [experiment](crate::Experiment), and experiments under
//! COCO's own observer, for the pages of its `cocopp`.
//!
//! [`functions`] returns COCO's functions by name. A [`CocoExperiment`] follows COCO's usual protocol, and `cocopp` reads its folders.

mod bbob;
mod distributions;
mod protocol;
mod summary;
mod worker;

pub use bbob::{Function, SuiteName, functions};
pub use summary::{CocoOutcomes, TARGETS};
pub(crate) use worker::is_worker;

use std::path::PathBuf;

use ddcma_problems::Problem;
use serde::Serialize;

use crate::experiment::{ALGORITHM, Entry, note_maker, other_code, unique};
use crate::fingerprint::{self, fnv};
use crate::records::{self, Records};
use crate::{Algorithm, LabError, Planned, Progress, TrialOutcome, pool};
use bbob::{FUNCTIONS, Spec};
use protocol::Conditions;
use worker::{Job, Task};

/// An experiment on a suite of COCO, observed by COCO: algorithms × functions × dimensions × instances.
///
/// It writes a folder for each algorithm, which `cocopp` reads, the files `problems.csv`, `table.txt` and `table.md`, and records: the
/// same program, started again, continues from there.
///
/// ```no_run
/// use ddcma_core::DiagonalDecoding;
/// use ddcma_lab::{CocoExperiment, Failure, Silent, algorithm, plain};
/// use ddcma_restarts::Bipop;
///
/// fn main() -> Result<(), Failure> {
///     let mine = algorithm::<DiagonalDecoding>("mine").policy(Bipop::new().restarts(None));
///     let experiment = CocoExperiment::new("target/coco").algorithms([mine, plain()]).dimensions([5, 20]).instances(1..=5);
///     println!("{}", experiment.run(&Silent)?.table());
///     Ok(()) // python -m cocopp target/coco/mine target/coco/plain
/// }
/// ```
///
/// # Protocol
///
/// A single run starts at a point that is uniformly distributed in [−4, 4]^n, with a step size of 2, and so do the runs of a search.
/// A [probe](ddcma_restarts::Probed) stays in the domain of the suites, [−5, 5]^n. Random numbers depend on the seed, the suite, the
/// function, n and the instance, so all algorithms have the same start on a problem. A trial ends at the evaluation that hits COCO's final
/// target, 1e-8 above the minimum, or uses up the budget. Later points of the same generation are not evaluated; their values are
/// infinite. An algorithm without restarts wastes the rest of the budget after its only run has converged: give it a
/// [policy](crate::StrategyAlgorithm::policy).
///
/// # Processes
///
/// COCO's observers keep their state in global variables, so each problem runs in a separate process. This process is **the program
/// itself, started again with the same arguments**. There, [`run`](Self::run) runs one trial and ends the process. So everything that your
/// `main` does before that call is repeated in each of these processes:
///
/// - It must build the same experiments each time. Its output is discarded, and its standard input is empty.
/// - Keep it short. Earlier experiments with records are not run again: there, they return what is on record.
/// - An algorithm that reads files should do so when it is created, because a trial runs in another folder.
///
/// A trial that panics, or whose process dies, is reported by its key at the end; the others continue.
pub struct CocoExperiment {
    folder: PathBuf,
    suite: SuiteName,
    functions: Vec<u32>,
    dimensions: Option<Vec<usize>>,
    instances: Vec<u64>,
    entrants: Vec<Entrant>,
    budget_multiplier: u64,
    seed: u64,
    jobs: Option<u32>,
}

/// The label of an algorithm in tables and folders, if its name is not enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CocoLabel {
    /// The column `strategy` of `problems.csv`. Default: the name.
    pub strategy: String,
    /// The column `policy`. Default: empty.
    pub policy: String,
    /// The name of the folder, which is also the name in the pages of `cocopp`: ASCII letters, digits and `-`, `_`, `.`, `+`. Default: the
    /// name, with `-` for all other characters.
    pub folder: String,
}

impl CocoLabel {
    pub(crate) fn of_name(name: &str) -> Self {
        let allowed = |letter: char| if is_allowed(letter) { letter } else { '-' };
        let folder: String = name.chars().map(allowed).collect();
        let parts: Vec<&str> = folder.split('-').filter(|part| !part.is_empty()).collect();
        Self { strategy: name.to_string(), policy: String::new(), folder: parts.join("-") }
    }

    /// Returns the name in tables.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.strategy, self.policy).trim_end().to_string()
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_.+".contains(letter)
}

/// An algorithm with its label.
struct Entrant {
    algorithm: Box<dyn Algorithm>,
    label: CocoLabel,
}

/// One problem for one algorithm.
#[derive(Clone, Debug)]
struct CocoTrial {
    /// The index of the algorithm in the experiment.
    algorithm: usize,
    spec: Spec,
    conditions: Conditions,
}

/// Everything that the outcome of a single problem depends on, except its key and the algorithm.
#[derive(Serialize)]
struct Configuration {
    suite: SuiteName,
    budget_multiplier: u64,
    seed: u64,
    /// A fingerprint of COCO's functions.
    coco: String,
    /// The targets whose first hits are on record.
    hits: String,
}

impl std::fmt::Debug for CocoExperiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.entrants.iter().map(|entrant| entrant.algorithm.name()).collect();
        f.debug_struct("CocoExperiment")
            .field("folder", &self.folder)
            .field("algorithms", &names)
            .finish_non_exhaustive()
    }
}

impl CocoExperiment {
    /// Creates an experiment without algorithms, with all functions of `bbob` in all its dimensions, instances 1 to 15, 10 000 evaluations
    /// per variable, and seed 1.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            suite: SuiteName::Bbob,
            functions: (1..=FUNCTIONS).collect(),
            dimensions: None,
            instances: (1..=15).collect(),
            entrants: Vec::new(),
            budget_multiplier: 10_000,
            seed: 1,
            jobs: None,
        }
    }

    /// Adds an algorithm.
    #[must_use = "it returns the changed experiment"]
    pub fn algorithm(self, algorithm: impl Algorithm + 'static) -> Self {
        let label = CocoLabel::of_name(algorithm.name());
        self.algorithm_as(algorithm, label)
    }

    /// Adds algorithms.
    #[must_use = "it returns the changed experiment"]
    pub fn algorithms<A: Algorithm + 'static>(self, algorithms: impl IntoIterator<Item = A>) -> Self {
        algorithms.into_iter().fold(self, Self::algorithm)
    }

    /// Adds an algorithm with a label.
    #[must_use = "it returns the changed experiment"]
    pub fn algorithm_as(mut self, algorithm: impl Algorithm + 'static, label: CocoLabel) -> Self {
        self.entrants.push(Entrant { algorithm: Box::new(algorithm), label });
        self
    }

    /// Sets the suite.
    #[must_use = "it returns the changed experiment"]
    pub fn suite(mut self, suite: SuiteName) -> Self {
        self.suite = suite;
        self
    }

    /// Sets the functions, by number.
    #[must_use = "it returns the changed experiment"]
    pub fn functions(mut self, numbers: impl IntoIterator<Item = u32>) -> Self {
        self.functions = numbers.into_iter().collect();
        self
    }

    /// Sets the dimensions. Default: all of the suite.
    #[must_use = "it returns the changed experiment"]
    pub fn dimensions(mut self, dimensions: impl IntoIterator<Item = usize>) -> Self {
        self.dimensions = Some(dimensions.into_iter().collect());
        self
    }

    /// Sets the instances, by number.
    #[must_use = "it returns the changed experiment"]
    pub fn instances(mut self, numbers: impl IntoIterator<Item = u64>) -> Self {
        self.instances = numbers.into_iter().collect();
        self
    }

    /// Sets the maximum number of evaluations on a problem, per variable.
    #[must_use = "it returns the changed experiment"]
    pub fn budget_multiplier(mut self, evaluations: u64) -> Self {
        self.budget_multiplier = evaluations;
        self
    }

    /// Sets the seed, from which each problem derives its own.
    #[must_use = "it returns the changed experiment"]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of problems that run at the same time. Default: one per processor.
    #[must_use = "it returns the changed experiment"]
    pub fn jobs(mut self, jobs: u32) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Runs the trials that are not on record, each in a separate process, writes the tables, and returns all outcomes.
    ///
    /// Invalid input is an error before any process starts. As in [`Experiment::run`](crate::Experiment::run), each
    /// deterministic algorithm must be the one that made the records. In a process that was started for a problem of this experiment,
    /// this does not return; in one that was started for another experiment of the program, it returns the outcomes on record.
    pub fn run(&self, progress: &dyn Progress) -> Result<CocoOutcomes, LabError> {
        let plan = self.plan()?;
        let identity = self.identity(&plan);
        if let Some(task) = Task::of_this_process()? {
            if task.experiment == identity
                && let Some(trial) = plan.get(task.trial)
            {
                let fingerprint = fingerprint::of_algorithm(&self.entrants[trial.algorithm].algorithm)?;
                worker::run(&task, &self.job(trial), fingerprint, &self.folder);
            }
            return self.outcomes(&plan, &Records::read(&self.folder, "coco", &self.configuration()?)?);
        }
        let mut records: Records<Entry> = Records::open(&self.folder, "coco", &self.configuration()?)?;
        let gone = |trial: &&CocoTrial| records.get(&self.key(trial)).is_some() && !self.place(trial).is_dir();
        if let Some(trial) = plan.iter().find(gone) {
            let place = self.place(trial);
            return Err(LabError::new(format!(
                "{}: the folder of a trial on record must exist: restore it, or choose another folder",
                place.display()
            )));
        }
        let fingerprints = self.check_makers(&plan, &mut records)?;
        worker::clean(&self.folder)?;
        let places: Vec<usize> = (0..plan.len()).collect();
        let key = |place: &usize| self.key(&plan[*place]);
        let done = pool::run(&places, key, self.jobs, &mut records, progress, |place| {
            let trial = &plan[*place];
            let fingerprint = fingerprints[trial.algorithm];
            let task = Task { experiment: identity, trial: *place, fingerprint, parent: std::process::id() };
            let outcome = worker::start(&task, &self.job(trial), &self.folder, &self.place(trial))?;
            Ok(Entry::Trial(self.planned(trial), Box::new(outcome)))
        });
        worker::clean(&self.folder)?;
        done?;
        let outcomes = self.outcomes(&plan, &records)?;
        outcomes.write()?;
        Ok(outcomes)
    }

    fn configuration(&self) -> Result<Configuration, LabError> {
        let Self { suite, budget_multiplier, seed, .. } = *self;
        let hits = format!("{TARGETS} of COCO");
        Ok(Configuration { suite, budget_multiplier, seed, coco: fingerprint_of(suite)?, hits })
    }

    /// Returns all trials, after checking each of them before any work starts.
    fn plan(&self) -> Result<Vec<CocoTrial>, LabError> {
        unique("algorithms", self.entrants.iter().map(|entrant| entrant.algorithm.name()))?;
        self.check_folders()?;
        let mut dimensions = self.dimensions.clone().unwrap_or_else(|| self.suite.dims().map(|n| n as usize).to_vec());
        // The largest dimensions first: they take longest, and should not be left for the end.
        dimensions.sort_unstable_by(|a, b| b.cmp(a));
        dimensions.dedup();
        let (functions, instances) = (once(&self.functions), once(&self.instances));
        let parts = [("functions", functions.len()), ("dimensions", dimensions.len()), ("instances", instances.len())];
        if let Some((missing, _)) = parts.iter().find(|(_, count)| *count == 0) {
            return Err(LabError::new(format!("an experiment must have {missing}, got none")));
        }
        let mut plan = Vec::new();
        for n in dimensions {
            let per_variable = self.budget_multiplier;
            let budget = per_variable.checked_mul(n as u64).filter(|budget| *budget > 0).ok_or_else(|| {
                LabError::new(format!(
                    "n = {n} times the budget per variable must be from 1 to 2^64 − 1, got {per_variable}"
                ))
            })?;
            for number in &functions {
                let function = Function::new(self.suite, *number)?;
                for instance in &instances {
                    let spec = function.instance(n, *instance)?;
                    for (algorithm, entrant) in self.entrants.iter().enumerate() {
                        let lambda = entrant.algorithm.lambda(n, None)?;
                        let conditions = Conditions { budget, seed: spec.seed(self.seed), lambda };
                        plan.push(CocoTrial { algorithm, spec, conditions });
                    }
                }
            }
        }
        Ok(plan)
    }

    /// Checks that each algorithm has its own folder.
    fn check_folders(&self) -> Result<(), LabError> {
        let taken =
            [worker::UNFINISHED, records::FILE, summary::CSV, summary::TEXT, summary::MARKDOWN, summary::PICTURE];
        let mut folders: Vec<(String, &str)> = taken.iter().map(|name| (name.to_string(), *name)).collect();
        for Entrant { algorithm, label } in &self.entrants {
            let (name, folder) = (algorithm.name(), &label.folder);
            if folder.is_empty() || folder.starts_with('.') || !folder.chars().all(is_allowed) {
                return Err(LabError::new(format!(
                    "algorithm {name}: the name of its folder must consist of letters, digits and -_.+ and not begin with a dot, got \
                     \"{folder}\": choose a label"
                )));
            }
            // Some file systems do not distinguish upper and lower case.
            let folded = folder.to_lowercase();
            if let Some((_, other)) = folders.iter().find(|(known, _)| *known == folded) {
                return Err(LabError::new(format!(
                    "algorithm {name}: its folder must not be {folder}, which is that of {other}: choose another name or label"
                )));
            }
            folders.push((folded, name));
        }
        Ok(())
    }

    /// Returns a hash that distinguishes the experiments of a program.
    fn identity(&self, plan: &[CocoTrial]) -> u64 {
        let Self { folder, suite, budget_multiplier, seed, .. } = self;
        let mut words = format!("{folder:?} {suite} {budget_multiplier} {seed}");
        for Entrant { algorithm, label } in &self.entrants {
            words += &format!("\n{} {label:?} {}", algorithm.name(), algorithm.configuration());
        }
        plan.iter().for_each(|trial| words += &format!("\n{}", self.key(trial)));
        fnv(words.into_bytes())
    }

    fn key(&self, trial: &CocoTrial) -> String {
        format!("{}/{}", trial.spec, self.entrants[trial.algorithm].algorithm.name())
    }

    /// Returns the folder of a trial. All folders within that of an algorithm are one data set for `cocopp`.
    fn place(&self, trial: &CocoTrial) -> PathBuf {
        let CocoTrial { algorithm, spec, .. } = trial;
        let name = format!("f{:02}-n{}-i{}", spec.function().number(), spec.n(), spec.instance());
        self.folder.join(&self.entrants[*algorithm].label.folder).join(name)
    }

    fn job(&self, trial: &CocoTrial) -> Job<'_> {
        let Entrant { algorithm, label } = &self.entrants[trial.algorithm];
        let CocoTrial { spec, conditions, .. } = *trial;
        Job { key: self.key(trial), spec, algorithm, name: &label.folder, conditions }
    }

    /// Returns the fingerprints of the algorithms, after checking that these made the records.
    fn check_makers(&self, plan: &[CocoTrial], records: &mut Records<Entry>) -> Result<Vec<Option<u64>>, LabError> {
        let mut fingerprints = Vec::new();
        for (index, Entrant { algorithm, .. }) in self.entrants.iter().enumerate() {
            let bits = fingerprint::of_algorithm(algorithm)?;
            let made = (algorithm.configuration(), bits.map(|bits| format!("{bits:016x}")));
            note_maker(records, &format!("{ALGORITHM}{}", algorithm.name()), made)?;
            fingerprints.push(bits);
            let of_algorithm = plan.iter().filter(|trial| bits.is_some() && trial.algorithm == index);
            let known = of_algorithm.filter_map(|trial| Some((trial, recorded(records, &self.key(trial))?)));
            let Some((cheapest, outcome)) = known.min_by_key(|(_, outcome)| outcome.evaluations) else { continue };
            let again = bbob::with(cheapest.spec, |problem| protocol::solve(problem, algorithm, cheapest.conditions))??;
            if !again.bits().eq(outcome.bits()) {
                let key = self.key(cheapest);
                return Err(other_code(&format!("{key} no longer has the outcome on record")));
            }
        }
        Ok(fingerprints)
    }

    fn outcomes(&self, plan: &[CocoTrial], records: &Records<Entry>) -> Result<CocoOutcomes, LabError> {
        let mut trials = Vec::new();
        for trial in plan {
            let key = self.key(trial);
            let outcome = recorded(records, &key);
            let outcome = outcome.ok_or_else(|| LabError::new(format!("{key} must be on record, but is not")))?;
            trials.push((self.planned(trial), trial.spec, outcome.clone()));
        }
        let labels = self.entrants.iter().map(|entrant| entrant.label.clone()).collect();
        Ok(CocoOutcomes::new(self.folder.clone(), labels, trials))
    }

    fn planned(&self, trial: &CocoTrial) -> Planned {
        let CocoTrial { algorithm, spec, conditions } = trial;
        let position = |found: Option<usize>| found.unwrap_or_default();
        let (function, instance) = (spec.function(), u64::from(spec.instance()));
        Planned {
            algorithm: self.entrants[*algorithm].algorithm.name().to_string(),
            algorithm_index: *algorithm,
            problem: function.to_string(),
            problem_index: position(once(&self.functions).iter().position(|number| *number == function.number())),
            n: spec.n(),
            asked_lambda: None,
            lambda: conditions.lambda,
            trial: position(once(&self.instances).iter().position(|number| *number == instance)) as u32,
            seed: instance,
        }
    }
}

fn recorded<'a>(records: &'a Records<Entry>, key: &str) -> Option<&'a TrialOutcome> {
    match records.get(key)? {
        Entry::Trial(_, outcome) => Some(outcome),
        Entry::Made { .. } => None,
    }
}

/// Removes duplicates from a list, in order of first appearance.
fn once<T: Copy + PartialEq>(list: &[T]) -> Vec<T> {
    let mut seen = Vec::new();
    list.iter().for_each(|item| {
        if !seen.contains(item) {
            seen.push(*item);
        }
    });
    seen
}

/// Returns a hash of a value of each function of a suite.
fn fingerprint_of(suite: SuiteName) -> Result<String, LabError> {
    let n = suite.dims()[0] as usize;
    let mut bits = Vec::new();
    for number in 1..=FUNCTIONS {
        let spec = Function::new(suite, number)?.instance(n, 1)?;
        bits.push(bbob::with(spec, |problem| problem.value(&bbob::start(n, 1)))?.to_bits());
    }
    Ok(format!("{:016x}", fnv(bits.into_iter().flat_map(u64::to_le_bytes))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Silent, dd, sep};

    #[test]
    fn folders_are_named_by_the_algorithm() {
        for (name, folder) in
            [("mine", "mine"), ("mine, slow", "mine-slow"), ("1+1", "1+1"), (" λ = 7/x ", "7-x"), ("λ", "")]
        {
            assert_eq!(CocoLabel::of_name(name).folder, folder);
        }
    }

    #[test]
    fn what_cannot_be_run_is_an_error_before_any_process_starts() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let new = || CocoExperiment::new(&out).dimensions([2]);
        let error = |experiment: CocoExperiment| {
            let error = experiment.run(&Silent).unwrap_err().to_string();
            assert!(!out.exists() && error.lines().count() == 1, "{error}");
            error
        };
        assert_eq!(error(new()), "an experiment must have algorithms, got none");
        assert_eq!(
            error(new().algorithms([dd(), dd()])),
            "the names of algorithms must differ, but two are called \"dd\""
        );
        let alike = error(new().algorithms([dd().named("a b"), dd().named("A-b")]));
        assert_eq!(
            alike,
            "algorithm A-b: its folder must not be A-b, which is that of a b: choose another name or label"
        );
        assert!(error(new().algorithm(dd().named("table.md"))).contains("which is that of table.md"));
        assert!(error(new().algorithm(dd().named("Unfinished"))).contains("which is that of unfinished"));
        assert!(error(new().algorithm(dd().named("λ"))).contains("got \"\": choose a label"));
        let label = CocoLabel { folder: "../elsewhere".to_string(), ..CocoLabel::of_name("dd") };
        assert!(error(new().algorithm_as(dd(), label)).contains("got \"../elsewhere\": choose a label"));
        let one = || new().algorithm(sep());
        assert_eq!(error(one().functions([])), "an experiment must have functions, got none");
        assert_eq!(error(one().dimensions([])), "an experiment must have dimensions, got none");
        assert_eq!(error(one().instances([])), "an experiment must have instances, got none");
        assert_eq!(error(one().functions([25])), "the number of a function of bbob must be from 1 to 24, got 25");
        assert_eq!(error(one().dimensions([4])), "n must be one of 2, 3, 5, 10, 20, 40 for bbob, got 4");
        assert!(error(one().instances([0])).starts_with("the number of an instance of COCO must be from 1 to"));
        let budget = |got: u64| format!("n = 2 times the budget per variable must be from 1 to 2^64 − 1, got {got}");
        assert_eq!(error(one().budget_multiplier(0)), budget(0));
        assert_eq!(error(one().budget_multiplier(u64::MAX)), budget(u64::MAX));
    }

    #[test]
    fn experiments_are_told_apart_by_everything_they_consist_of() {
        let new = || CocoExperiment::new("a").algorithm(dd()).dimensions([2]).instances([1]);
        let identity = |experiment: CocoExperiment| experiment.identity(&experiment.plan().unwrap());
        assert_eq!(identity(new()), identity(new().jobs(3).functions((1..=24).chain([1]))));
        let others = [
            CocoExperiment { folder: "b".into(), ..new() },
            new().seed(2),
            new().budget_multiplier(5),
            new().functions([1]),
            new().instances([2]),
            new().dimensions([3]),
            new().suite(SuiteName::BbobLargescale).dimensions([20]),
            new().algorithm(sep()),
            CocoExperiment::new("a").algorithm(dd().sigma(1.0)).dimensions([2]).instances([1]),
        ];
        let mut all: Vec<u64> = others.into_iter().chain([new()]).map(identity).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 10);
    }
}
