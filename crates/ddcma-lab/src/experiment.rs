//! Experiments: algorithms × problems × dimensions × population sizes × trials, how they are run, and how they are recorded.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::records::Records;
use crate::{
    Algorithm, Family, LabError, LabErrorKind, Outcomes, Planned, Progress, Trial, TrialOutcome, fingerprint, pool,
    trial,
};

/// An experiment: the algorithms, the problems, and where to keep records.
///
/// [`run`](Self::run) starts it.
pub struct Experiment {
    algorithms: Vec<Box<dyn Algorithm>>,
    problems: Vec<Box<dyn Family>>,
    dimensions: Vec<usize>,
    lambdas: Vec<usize>,
    trials: u32,
    first_seed: u64,
    target: f64,
    budget_per_variable: Option<u64>,
    jobs: Option<u32>,
    records: Option<PathBuf>,
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        f.debug_struct("Experiment").field("algorithms", &names).finish_non_exhaustive()
    }
}

impl Default for Experiment {
    fn default() -> Self {
        Self::new()
    }
}

/// The name of this kind of records.
pub(crate) const KIND: &str = "lab";

/// An entry of a file of records: a trial, or an algorithm or problem that made trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Entry {
    Trial(Planned, Box<TrialOutcome>),
    /// An algorithm or a problem.
    Made {
        by: String,
        fingerprint: Option<String>,
    },
}

/// The prefixes of the keys of algorithms and problems.
pub(crate) const ALGORITHM: &str = "algorithm ";
pub(crate) const PROBLEM: &str = "problem ";

/// What all trials have in common.
#[derive(Serialize)]
struct Configuration {
    format: u32,
    target: f64,
    budget_per_variable: Option<u64>,
}

impl Experiment {
    /// Creates an experiment without algorithms and problems, with dimension 10, 11 trials from seed 1, and target 1e-8.
    pub fn new() -> Self {
        Self {
            algorithms: Vec::new(),
            problems: Vec::new(),
            dimensions: vec![10],
            lambdas: Vec::new(),
            trials: 11,
            first_seed: 1,
            target: 1e-8,
            budget_per_variable: None,
            jobs: None,
            records: None,
        }
    }

    /// Adds an algorithm.
    #[must_use = "it returns the changed experiment"]
    pub fn algorithm(mut self, algorithm: impl Algorithm + 'static) -> Self {
        self.algorithms.push(Box::new(algorithm));
        self
    }

    /// Adds algorithms.
    #[must_use = "it returns the changed experiment"]
    pub fn algorithms<A: Algorithm + 'static>(mut self, algorithms: impl IntoIterator<Item = A>) -> Self {
        self.algorithms.extend(algorithms.into_iter().map(|algorithm| Box::new(algorithm) as Box<dyn Algorithm>));
        self
    }

    /// Adds a family of problems.
    #[must_use = "it returns the changed experiment"]
    pub fn problem(mut self, problem: impl Family + 'static) -> Self {
        self.problems.push(Box::new(problem));
        self
    }

    /// Adds families of problems.
    #[must_use = "it returns the changed experiment"]
    pub fn problems(mut self, problems: impl IntoIterator<Item = Box<dyn Family>>) -> Self {
        self.problems.extend(problems);
        self
    }

    /// Sets the dimensions. A family with [a fixed dimension](Family::only_dimension) uses that instead.
    #[must_use = "it returns the changed experiment"]
    pub fn dimensions(mut self, dimensions: impl IntoIterator<Item = usize>) -> Self {
        self.dimensions = dimensions.into_iter().collect();
        self
    }

    /// Sets the population sizes. Default: that of each algorithm.
    #[must_use = "it returns the changed experiment"]
    pub fn lambdas(mut self, lambdas: impl IntoIterator<Item = usize>) -> Self {
        self.lambdas = lambdas.into_iter().collect();
        self
    }

    /// Sets the number of trials of each combination.
    #[must_use = "it returns the changed experiment"]
    pub fn trials(mut self, trials: u32) -> Self {
        self.trials = trials;
        self
    }

    /// Sets the seed of the first trial; the next trials have the following seeds.
    #[must_use = "it returns the changed experiment"]
    pub fn first_seed(mut self, seed: u64) -> Self {
        self.first_seed = seed;
        self
    }

    /// Sets the target, for problems without their own target.
    #[must_use = "it returns the changed experiment"]
    pub fn target(mut self, target: f64) -> Self {
        self.target = target;
        self
    }

    /// Sets the budget of evaluations per variable, after which a trial is a failure. Default: that of the problem.
    #[must_use = "it returns the changed experiment"]
    pub fn budget_per_variable(mut self, budget: u64) -> Self {
        self.budget_per_variable = Some(budget);
        self
    }

    /// Sets the number of threads. Default: one per processor.
    #[must_use = "it returns the changed experiment"]
    pub fn jobs(mut self, jobs: u32) -> Self {
        self.jobs = Some(jobs);
        self
    }

    /// Keeps records in a folder: the same experiment continues there, and trials on record are not run again.
    #[must_use = "it returns the changed experiment"]
    pub fn records(mut self, folder: impl Into<PathBuf>) -> Self {
        self.records = Some(folder.into());
        self
    }

    /// Returns the names of the algorithms.
    pub fn algorithm_names(&self) -> Vec<&str> {
        self.algorithms.iter().map(|algorithm| algorithm.name()).collect()
    }

    /// Runs the trials that are not on record, and returns all outcomes.
    ///
    /// Invalid input is an error before any trial starts. With records, each deterministic algorithm is checked first: a short run must
    /// agree bit for bit with the one on record, and so must its cheapest trial on record.
    pub fn run(&self, progress: &dyn Progress) -> Result<Outcomes, LabError> {
        let plan = self.plan()?;
        let configuration =
            Configuration { format: trial::FORMAT, target: self.target, budget_per_variable: self.budget_per_variable };
        let mut records: Records<Entry> = match &self.records {
            // A process of an experiment on COCO's suites may pass through other experiments before its own.
            Some(folder) if crate::is_worker() => Records::read(folder, KIND, &configuration)?,
            Some(folder) => Records::open(folder, KIND, &configuration)?,
            None => Records::in_memory(),
        };
        if self.records.is_some() && !crate::is_worker() {
            self.check_makers(&plan, &mut records)?;
        }
        let key = |planned: &Planned| planned.to_string();
        let trial = |planned: &Planned| Ok(Entry::Trial(planned.clone(), Box::new(self.run_trial(planned)?)));
        pool::run(&plan, key, self.jobs, &mut records, progress, trial)?;
        let outcome = |planned: &Planned| match records.get(&planned.to_string()) {
            Some(Entry::Trial(_, outcome)) => Ok(TrialOutcome::clone(outcome)),
            _ => Err(LabError::new(format!("{planned}: the record must be that of a trial, but is not"))),
        };
        let outcomes: Result<Vec<TrialOutcome>, LabError> = plan.iter().map(outcome).collect();
        Ok(Outcomes::new(plan.into_iter().zip(outcomes?).collect()))
    }

    /// Returns all trials, after checking each combination.
    fn plan(&self) -> Result<Vec<Planned>, LabError> {
        let Self { algorithms, problems, trials, first_seed, .. } = self;
        unique("algorithms", algorithms.iter().map(|algorithm| algorithm.name()))?;
        unique("problems", problems.iter().map(|problem| problem.name()))?;
        if !self.target.is_finite() {
            return Err(LabError::new(format!("the target must be finite, got {}", self.target)));
        }
        let last_seed = first_seed.checked_add(u64::from(trials.saturating_sub(1)));
        let last_seed = last_seed.ok_or_else(|| {
            LabError::new(format!(
                "the seeds of {trials} trials must be below 2^64, but the first is {first_seed}: choose a smaller one"
            ))
        })?;
        // The largest dimensions first: they take longest, and should not be left for the end.
        let of = |problem: &dyn Family| problem.only_dimension().map_or(self.dimensions.clone(), |only| vec![only]);
        let mut dimensions: Vec<usize> = problems.iter().flat_map(|problem| of(&**problem)).collect();
        dimensions.sort_unstable_by(|a, b| b.cmp(a));
        dimensions.dedup();
        let lambdas: Vec<Option<usize>> = match &self.lambdas[..] {
            [] => vec![None],
            lambdas => lambdas.iter().map(|lambda| Some(*lambda)).collect::<BTreeSet<_>>().into_iter().collect(),
        };
        let mut plan: Vec<Planned> = Vec::new();
        for n in dimensions {
            if let Some(budget) = self.budget_per_variable {
                let too_large =
                    || format!("n = {n} times the budget per variable must be at most 2^64 − 1, got {budget}");
                budget.checked_mul(n as u64).ok_or_else(|| LabError::new(too_large()))?;
            }
            let exists = |problem: &dyn Family| of(problem).contains(&n);
            for (problem_index, problem) in problems.iter().enumerate().filter(|(_, problem)| exists(&***problem)) {
                for seed in [*first_seed, last_seed] {
                    problem.with(n, seed, &mut |_| {})?;
                }
                for asked in &lambdas {
                    for (algorithm_index, algorithm) in algorithms.iter().enumerate() {
                        let lambda = algorithm.lambda(n, *asked)?;
                        plan.extend((0..*trials).map(|trial| Planned {
                            algorithm: algorithm.name().to_string(),
                            algorithm_index,
                            problem: problem.name().to_string(),
                            problem_index,
                            n,
                            asked_lambda: *asked,
                            lambda,
                            trial,
                            seed: first_seed + u64::from(trial),
                        }));
                    }
                }
            }
        }
        Ok(plan)
    }

    fn run_trial(&self, planned: &Planned) -> Result<TrialOutcome, LabError> {
        let algorithm = &self.algorithms[planned.algorithm_index];
        let mut outcome = None;
        self.problems[planned.problem_index].with(planned.n, planned.seed, &mut |problem| {
            let budget = self.budget_per_variable.map_or(problem.budget, |budget| budget * planned.n as u64);
            let target = problem.target.unwrap_or(self.target);
            let trial = Trial::new(problem, target, budget, planned.seed, planned.lambda);
            outcome = Some(trial.and_then(|trial| trial.run(&**algorithm)));
        })?;
        outcome.unwrap_or_else(|| {
            Err(LabError::new(format!("{planned}: Family::with must call its closure, but did not")))
        })
    }

    /// Checks that algorithms and problems are those that made the records; records those that are new.
    fn check_makers(&self, plan: &[Planned], records: &mut Records<Entry>) -> Result<(), LabError> {
        for (index, algorithm) in self.algorithms.iter().enumerate() {
            let bits = fingerprint::of_algorithm(&**algorithm)?;
            let made = (algorithm.configuration(), bits.map(|bits| format!("{bits:016x}")));
            note_maker(records, &format!("{ALGORITHM}{}", algorithm.name()), made)?;
            if bits.is_none() {
                continue;
            }
            let on_record = |planned: &&Planned| planned.algorithm_index == index;
            let known = plan.iter().filter(on_record).filter_map(|planned| match records.get(&planned.to_string()) {
                Some(Entry::Trial(_, outcome)) => Some((planned, outcome)),
                _ => None,
            });
            let Some((cheapest, recorded)) = known.min_by_key(|(_, outcome)| outcome.evaluations) else { continue };
            let again = self.run_trial(cheapest)?;
            if !again.bits().eq(recorded.bits()) {
                return Err(other_code(&format!("{cheapest} no longer has the outcome on record")));
            }
        }
        for planned in plan.chunk_by(|a, b| (a.problem_index, a.n) == (b.problem_index, b.n)).map(|group| &group[0]) {
            let problem = &self.problems[planned.problem_index];
            let bits = fingerprint::of_problem(&**problem, planned.n, planned.seed)?;
            let key = format!("{PROBLEM}{}/n={}/seed={}", problem.name(), planned.n, planned.seed);
            note_maker(records, &key, (String::new(), Some(format!("{bits:016x}"))))?;
        }
        Ok(())
    }
}

/// Checks that an algorithm or a problem is the one on record; records it if it is new.
pub(crate) fn note_maker(
    records: &mut Records<Entry>,
    key: &str,
    (by, fingerprint): (String, Option<String>),
) -> Result<(), LabError> {
    match records.get(key) {
        None => records.append(key.to_string(), Entry::Made { by, fingerprint }),
        Some(Entry::Made { by: known, .. }) if *known != by => {
            let [was, is] = differing(known, &by);
            Err(other_code(&format!("the configuration of {key} was {was}, and is now {is}")))
        }
        Some(Entry::Made { fingerprint: known, .. }) if *known != fingerprint => {
            Err(other_code(&format!("{key} has changed")))
        }
        Some(Entry::Made { .. }) => Ok(()),
        Some(Entry::Trial(..)) => Err(LabError::new(format!("{key}: the record must not be that of a trial, but is"))),
    }
}

/// The largest number of characters of a configuration in an error.
const MOST_SHOWN: usize = 120;

/// Returns the fields in which two configurations differ, as texts. A configuration has the form of a `Debug` text, with dozens of fields.
fn differing(was: &str, is: &str) -> [String; 2] {
    let [mut was, mut is] = [was, is].map(|text| text.split(", ").collect::<Vec<&str>>());
    let common = was.iter().zip(&is).take_while(|(was, is)| was == is).count();
    was.drain(..common);
    is.drain(..common);
    while was.last().is_some_and(|last| is.last() == Some(last)) {
        was.pop();
        is.pop();
    }
    if was.len() == is.len() {
        let pairs = was.into_iter().zip(is).filter(|(was, is)| was != is);
        (was, is) = pairs.unzip();
    }
    [was, is].map(|fields| {
        let field = |text: &&str| text.rsplit("{ ").next().unwrap_or_default().trim_end_matches([' ', '}']).to_string();
        match fields.iter().map(field).collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "without this".to_string(),
            long if long.chars().count() > MOST_SHOWN => long.chars().take(MOST_SHOWN).chain(['…']).collect(),
            text => text,
        }
    })
}

pub(crate) fn other_code(what: &str) -> LabError {
    let message = format!("the records were made by other code: {what}: choose another folder, or remove this one");
    LabError::of(LabErrorKind::Changed, message)
}

pub(crate) fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), LabError> {
    let mut names: Vec<&str> = names.collect();
    if names.is_empty() {
        return Err(LabError::new(format!("an experiment must have {what}, got none")));
    }
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(LabError::new(format!("the names of {what} must differ, but two are called \"{}\"", pair[0])))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ddcma_core::Settings;

    use super::*;
    use crate::dd;

    #[test]
    fn only_what_differs_between_configurations_is_shown() {
        let of = |choices: &str| dd().choose(choices.parse().unwrap()).unwrap().configuration();
        let differing = |was: &str, is: &str| differing(was, is).map(|text| text.replace("Some", ""));
        assert_eq!(differing(&of(""), &of("c_mu=0.5")), ["c_mu: None", "c_mu: (0.5)"]);
        assert_eq!(
            differing(&of("c_mu=0.25:active=false:sigma=3"), &of("c_mu=0.5:sigma=2")),
            ["active: false, c_mu: (0.25), (3.0)", "active: true, c_mu: (0.5), (2.0)"]
        );
        let weights = |count: usize| dd().settings(Settings::new().pre_weights(vec![0.125; count])).configuration();
        let [few, many] = differing(&weights(7), &weights(100));
        assert!(few.chars().count() < 80 && many.chars().count() == MOST_SHOWN + 1, "{few}\n{many}");
        assert_eq!(differing("rate: 1, restarts: 2", "rate: 1"), ["restarts: 2", "without this"]);
    }
}
