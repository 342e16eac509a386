//! One row per trial, as CSV.

use std::collections::BTreeSet;

use super::text::csv_cell;
use crate::builtin::{LARGEST_LAMBDA, RUNS};
use crate::{Outcomes, Planned, SuiteFunction, TrialOutcome};

pub(super) fn csv(outcomes: &Outcomes) -> String {
    let mut trials: Vec<(&Planned, &TrialOutcome)> = outcomes.iter().collect();
    trials.sort_by_key(|(p, _)| (p.problem_index, p.n, p.asked_lambda, p.algorithm_index, p.trial));
    let searches = |(planned, outcome): &(&Planned, &TrialOutcome)| {
        planned.algorithm.contains('/') && [RUNS, LARGEST_LAMBDA].iter().all(|note| outcome.notes.contains_key(*note))
    };
    if trials.iter().all(searches) { csv_of_searches(&trials) } else { csv_of_runs(&trials) }
}

/// Returns the problem of a trial: its name, and 1 for a rotated function of the suite.
fn function(planned: &Planned) -> (String, u8) {
    match planned.problem.parse::<SuiteFunction>() {
        Ok(of_suite) => (csv_cell(&of_suite.function.to_string()), u8::from(of_suite.rotated)),
        Err(_) => (csv_cell(&planned.problem), 0),
    }
}

/// Returns the rows if each algorithm is a strategy with a policy.
fn csv_of_searches(trials: &[(&Planned, &TrialOutcome)]) -> String {
    let head = "function,rotated,n,strategy,policy,trial,seed,success,evaluations,runs,largest_lambda,best_f,stop\n";
    let mut csv = String::from(head);
    for (planned, outcome) in trials {
        let Planned { n, algorithm, trial, seed, .. } = planned;
        let TrialOutcome { success, evaluations, best_f, stop, notes, .. } = outcome;
        let (function, rotated) = function(planned);
        let (strategy, policy) = algorithm.rsplit_once('/').unwrap_or((algorithm, ""));
        let (strategy, policy, stop) = (csv_cell(strategy), csv_cell(policy), csv_cell(stop));
        let note = |name: &str| notes.get(name).map(f64::to_string).unwrap_or_default();
        let (runs, largest_lambda, success) = (note(RUNS), note(LARGEST_LAMBDA), u8::from(*success));
        csv += &format!(
            "{function},{rotated},{n},{strategy},{policy},{trial},{seed},{success},{evaluations},{runs},{largest_lambda},\
             {best_f:e},{stop}\n"
        );
    }
    csv
}

fn csv_of_runs(trials: &[(&Planned, &TrialOutcome)]) -> String {
    let notes: BTreeSet<&String> = trials.iter().flat_map(|(_, outcome)| outcome.notes.keys()).collect();
    let mut csv = String::from(
        "function,rotated,n,strategy,lambda,trial,seed,success,evaluations,iterations,best_f,stop,internal_seconds",
    );
    notes.iter().for_each(|name| csv += &format!(",{}", csv_cell(name)));
    csv += "\n";
    for (planned, outcome) in trials {
        let Planned { n, algorithm, lambda, trial, seed, .. } = planned;
        let TrialOutcome { success, evaluations, iterations, best_f, stop, internal_seconds, .. } = outcome;
        let (function, rotated) = function(planned);
        let lambda = lambda.map(|lambda| lambda.to_string()).unwrap_or_default();
        let (algorithm, stop) = (csv_cell(algorithm), csv_cell(stop));
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
