//! One row for each trial, as CSV.

use std::collections::BTreeSet;

use super::text::csv_cell;
use crate::{Outcomes, Planned, SuiteFunction, TrialOutcome};

pub(super) fn csv(outcomes: &Outcomes) -> String {
    let mut trials: Vec<(&Planned, &TrialOutcome)> = outcomes.iter().collect();
    trials.sort_by_key(|(p, _)| (p.problem_index, p.n, p.asked_lambda, p.algorithm_index, p.trial));
    let notes: BTreeSet<&String> = trials.iter().flat_map(|(_, outcome)| outcome.notes.keys()).collect();
    let mut csv = String::from(
        "function,rotated,n,strategy,lambda,trial,seed,success,evaluations,iterations,best_f,stop,internal_seconds",
    );
    notes.iter().for_each(|name| csv += &format!(",{}", csv_cell(name)));
    csv += "\n";
    for (planned, outcome) in trials {
        let Planned { problem, n, algorithm, lambda, trial, seed, .. } = planned;
        let TrialOutcome { success, evaluations, iterations, best_f, stop, internal_seconds, .. } = outcome;
        let of_suite = problem.parse::<SuiteFunction>().ok();
        let function = of_suite.as_ref().map_or(problem.clone(), |of_suite| of_suite.function.to_string());
        let rotated = u8::from(of_suite.is_some_and(|of_suite| of_suite.rotated));
        let lambda = lambda.map(|lambda| lambda.to_string()).unwrap_or_default();
        let (function, algorithm, stop) = (csv_cell(&function), csv_cell(algorithm), csv_cell(stop));
        csv += &format!(
            "{function},{rotated},{n},{algorithm},{lambda},{trial},{seed},{},{evaluations},{iterations},{best_f:e},{stop},\
             {internal_seconds:.6}",
            u8::from(*success)
        );
        for name in &notes {
            csv += &format!(",{}", outcome.notes.get(*name).map(f64::to_string).unwrap_or_default());
        }
        csv += "\n";
    }
    csv
}
