//! The outcomes of an experiment: every trial with its outcome.

use std::collections::BTreeMap;
use std::path::Path;

use crate::experiment::{ALGORITHM, Entry, PROBLEM};
use crate::records::{Header, Records};
use crate::statistics::Cost;
use crate::{LabError, Planned, TrialOutcome, table};

/// The outcomes of all trials, in the order in which they were planned.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcomes {
    trials: Vec<(Planned, TrialOutcome)>,
}

impl Outcomes {
    pub(crate) fn new(trials: Vec<(Planned, TrialOutcome)>) -> Self {
        Self { trials }
    }

    /// Reads all trials on record in a folder, for tables and pictures without running trials. Algorithms and problems are in the order of
    /// their first appearance in experiments.
    pub fn on_record(folder: impl AsRef<Path>) -> Result<Self, LabError> {
        let folder = folder.as_ref();
        let header = Header::of(folder)?;
        let records: Records<Entry> = Records::read(folder, &header.experiment, &header.configuration)?;
        let (mut algorithms, mut problems): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for (key, _) in records.iter() {
            algorithms.extend(key.strip_prefix(ALGORITHM));
            let problem = key.strip_prefix(PROBLEM).and_then(|key| key.rsplitn(3, '/').nth(2));
            problems.extend(problem.filter(|problem| !problems.contains(problem)));
        }
        let place = |of: &[&str], name: &str| of.iter().position(|known| *known == name);
        let mut trials = Vec::new();
        for (key, entry) in records.iter() {
            let Entry::Trial(planned, outcome) = entry else { continue };
            let nobody = || {
                let folder = folder.display();
                LabError::new(format!(
                    "{folder}: the records must have the algorithm and the problem of {key}, but do not"
                ))
            };
            let algorithm_index = place(&algorithms, &planned.algorithm).ok_or_else(nobody)?;
            let problem_index = place(&problems, &planned.problem).ok_or_else(nobody)?;
            trials.push((Planned { algorithm_index, problem_index, ..planned.clone() }, TrialOutcome::clone(outcome)));
        }
        // Parts of an experiment may have other first seeds.
        let first_seed = trials.iter().map(|(planned, _)| planned.seed).min().unwrap_or(0);
        for (planned, _) in &mut trials {
            planned.trial = u32::try_from(planned.seed - first_seed).unwrap_or(planned.trial);
        }
        trials.sort_by_key(|(planned, _)| planned.order());
        Ok(Self::new(trials))
    }

    /// Returns the names of the algorithms, in order.
    pub fn algorithms(&self) -> Vec<&str> {
        let by_place: BTreeMap<usize, &str> =
            self.iter().map(|(planned, _)| (planned.algorithm_index, planned.algorithm.as_str())).collect();
        by_place.into_values().collect()
    }

    /// Iterates over the trials with their outcomes.
    pub fn iter(&self) -> impl Iterator<Item = (&Planned, &TrialOutcome)> {
        self.trials.iter().map(|(planned, outcome)| (planned, outcome))
    }

    /// Returns a table as text: a row for each problem and dimension, and a column for each algorithm with the median evaluations of its
    /// successful trials and their number.
    pub fn table(&self) -> String {
        let mut algorithms: BTreeMap<usize, &str> = BTreeMap::new();
        let mut rows: BTreeMap<(usize, usize, Option<usize>), Row> = BTreeMap::new();
        for (planned, outcome) in self.iter() {
            let Planned { algorithm, algorithm_index, problem, problem_index, n, asked_lambda, .. } = planned;
            algorithms.insert(*algorithm_index, algorithm);
            let lambda = asked_lambda.map(|lambda| format!(", λ = {lambda}")).unwrap_or_default();
            let row = rows.entry((*problem_index, *n, *asked_lambda)).or_default();
            row.name = format!("{problem}, n = {n}{lambda}");
            row.trials.entry(*algorithm_index).or_default().push((outcome.success, outcome.evaluations));
        }
        let cell = |trials: &Vec<(bool, u64)>| {
            let Cost { trials, successes, median, .. } = Cost::of(trials);
            format!("{} ({successes}/{trials})", table::count(median))
        };
        let lines = rows.into_values().map(|Row { name, trials }| {
            let cells = algorithms.keys().map(|index| trials.get(index).map_or(String::new(), cell));
            std::iter::once(name).chain(cells).collect()
        });
        let lines: Vec<Vec<String>> = lines.collect();
        let head: Vec<&str> = std::iter::once("").chain(algorithms.values().copied()).collect();
        table::text(&head, &lines)
    }
}

/// A row of the table: for each algorithm, the success and the evaluations of its trials.
#[derive(Default)]
struct Row {
    name: String,
    trials: BTreeMap<usize, Vec<(bool, u64)>>,
}
