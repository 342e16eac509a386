//! Compares trials of other programs with ours, from tables of trials.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ddcma_lab::statistics::Effort;

use super::study::{cost_in_words, ratio_in_words};
use crate::lab::{LabError, table};

/// The baseline that the others are compared with.
const BASELINE: &str = "dd";

/// Names in the order of their first appearance.
#[derive(Debug, Default)]
struct Trials {
    problems: Vec<String>,
    algorithms: Vec<String>,
    /// The trials by problem, algorithm and seed.
    efforts: BTreeMap<(String, String), BTreeMap<u64, Effort>>,
}

impl Trials {
    fn add(&mut self, line: &str) -> Option<()> {
        let cells: Vec<&str> = line.split(',').collect();
        let [problem, algorithm, seed, success, evaluations, best] = cells[..] else { return None };
        let effort =
            Effort { success: success == "1", evaluations: evaluations.parse().ok()?, best: best.parse().ok()? };
        for (names, name) in [(&mut self.problems, problem), (&mut self.algorithms, algorithm)] {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        let cell = self.efforts.entry((problem.to_string(), algorithm.to_string())).or_default();
        cell.insert(seed.parse().ok()?, effort);
        Some(())
    }

    fn of(&self, problem: &str, algorithm: &str) -> Option<&BTreeMap<u64, Effort>> {
        self.efforts.get(&(problem.to_string(), algorithm.to_string()))
    }

    /// Returns expected evaluations and successes.
    fn cost(&self, problem: &str, algorithm: &str) -> String {
        let trials: Option<Vec<Effort>> = self.of(problem, algorithm).map(|trials| trials.values().copied().collect());
        trials.map_or(String::new(), |trials| cost_in_words(&trials))
    }

    /// Returns the ratio to the baseline, over the seeds that both have.
    fn ratio(&self, problem: &str, algorithm: &str) -> String {
        let (Some(one), Some(other)) = (self.of(problem, algorithm), self.of(problem, BASELINE)) else {
            return String::new();
        };
        let pairs = one.iter().filter_map(|(seed, effort)| other.get(seed).map(|other| (*effort, *other)));
        let (one, other): (Vec<Effort>, Vec<Effort>) = pairs.unzip();
        ratio_in_words(&one, &other)
    }
}

/// Returns tables of the trials in the files. Each file has a head, and `problem,algorithm,seed,success,evaluations,best` in each line.
pub(super) fn tables(files: &[PathBuf], problems: &[String]) -> Result<String, LabError> {
    let mut trials = Trials::default();
    for file in files {
        let wrong = |what: &dyn std::fmt::Display| LabError::new(format!("{}: {what}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
        for line in text.lines().skip(1) {
            trials.add(line).ok_or_else(|| wrong(&format!("\"{line}\" is not a trial")))?;
        }
    }
    let is_asked = |problem: &&String| problems.is_empty() || problems.contains(problem);
    let rows = |cell: &dyn Fn(&str, &str) -> String, algorithms: &[&str]| -> Vec<Vec<String>> {
        let row = |problem: &String| {
            std::iter::once(problem.clone())
                .chain(algorithms.iter().map(|algorithm| cell(problem, algorithm)))
                .collect()
        };
        trials.problems.iter().filter(is_asked).map(row).collect()
    };
    let all: Vec<&str> = trials.algorithms.iter().map(String::as_str).collect();
    let others: Vec<&str> = all.iter().copied().filter(|name| *name != BASELINE).collect();
    let head = |names: &[String]| -> Vec<String> {
        std::iter::once("problem".to_string()).chain(names.iter().cloned()).collect()
    };
    let table = |names: Vec<String>, rows: Vec<Vec<String>>| {
        table::markdown(&head(&names).iter().map(String::as_str).collect::<Vec<_>>(), &rows)
    };
    let costs = table(all.iter().map(|name| name.to_string()).collect(), rows(&|p, a| trials.cost(p, a), &all));
    let ratios = table(
        others.iter().map(|name| format!("{name} / {BASELINE}")).collect(),
        rows(&|p, a| trials.ratio(p, a), &others),
    );
    Ok(format!("{costs}\n{ratios}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_paired_by_their_seeds() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (folder.path().join("ours.csv"), folder.path().join("theirs.csv"));
        let head = "problem,algorithm,seed,success,evaluations,best\n";
        std::fs::write(&ours, format!("{head}gp,dd,1,1,100,1\ngp,dd,2,1,300,1\ngp,plain,1,0,500,9\n")).unwrap();
        std::fs::write(&theirs, format!("{head}gp,other,2,1,600,1e0\ngp,other,3,1,700,1\n")).unwrap();
        let text = tables(&[ours.clone(), theirs], &[]).unwrap();
        assert!(text.contains("| gp | 200 | – (0/1: 0–79 %) | 650 |"), "{text}");
        assert!(text.contains("| gp | ∞ (∞–∞) | 2.00 (2.00–2.00) |"), "{text}");
        std::fs::write(&ours, format!("{head}gp,dd,1\n")).unwrap();
        let error = tables(&[ours], &[]).unwrap_err().to_string();
        assert!(error.ends_with("\"gp,dd,1\" is not a trial"), "{error}");
    }
}
