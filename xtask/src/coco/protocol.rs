//! The usual protocol of COCO on one problem: start anywhere in the box, restart until the final target or the budget.
//!
//! Knows searches and when to end them; who observes the problem is not its business.

use std::fmt;

use ddcma_core::{Fallible, Strategy};
use ddcma_restarts::{SearchError, restarts};
use serde::{Deserialize, Serialize};

use crate::lab::bbob::{self, CocoProblem};
use crate::lab::names::{PolicyName, StrategyName, with_strategy};
use crate::lab::records::number;

/// What is kept of a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) evaluations: u64,
    pub(super) hit: bool,
    /// The best value above the minimum.
    #[serde(with = "number")]
    pub(super) best_precision: f64,
}

/// Why there is no record.
#[derive(Debug, PartialEq)]
pub(super) enum ProtocolError {
    /// The search could not start.
    Start(SearchError),
    /// The search ended before the target and the budget.
    Early { evaluations: u64, reason: String },
    /// We have counted other evaluations than COCO has.
    Counts { ours: u64, cocos: u64 },
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Early { evaluations, reason } => {
                write!(f, "the search ended after {evaluations} evaluations: {reason}")
            }
            Self::Counts { ours, cocos } => write!(f, "we have counted {ours} evaluations, COCO has counted {cocos}"),
        }
    }
}

impl std::error::Error for ProtocolError {}

/// The target is hit or the budget spent, wherever in a generation.
struct Over;

/// Searches until the evaluation that hits the final target, or spends the budget, and not one further.
pub(super) fn solve(
    problem: &mut CocoProblem<'_>,
    strategy: StrategyName,
    policy: PolicyName,
    budget: u64,
    seed: u64,
) -> Result<Record, ProtocolError> {
    let ours = with_strategy!(strategy, S => search::<S>(problem, strategy, policy, budget, seed))?;
    let cocos = problem.evaluations();
    if ours != cocos {
        return Err(ProtocolError::Counts { ours, cocos });
    }
    Ok(Record { evaluations: ours, hit: problem.is_solved(), best_precision: problem.precision() })
}

/// The evaluations that were made, as the driver counts them.
fn search<S: Strategy>(
    problem: &mut CocoProblem<'_>,
    strategy: StrategyName,
    policy: PolicyName,
    budget: u64,
    seed: u64,
) -> Result<u64, ProtocolError> {
    let n = ddcma_problems::Problem::dimension(problem);
    let search = restarts(policy.policy(), bbob::starts(n), bbob::SIGMA).strategy::<S>();
    let search = search.settings(strategy.settings()).max_evaluations(budget);
    let mut search = search.seed(seed).build().map_err(ProtocolError::Start)?;
    let mut left = budget;
    // A generation that is not finished is an objective that fails: the search keeps the values that it has.
    let objective = Fallible(|x: &[f64]| {
        let value = problem.evaluate(x);
        left -= 1;
        if problem.is_solved() || left == 0 { Err(Over) } else { Ok(value) }
    });
    match search.run(objective, &mut []) {
        // Those that the search has taken, and the last.
        Err(_) => Ok(search.evaluations() + 1),
        Ok(outcome) => Err(ProtocolError::Early { evaluations: outcome.evaluations, reason: outcome.stop.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::bbob::{Function, Spec, SuiteName};

    fn spec(function: u32, n: usize) -> Spec {
        Function::new(SuiteName::Bbob, function).unwrap().instance(n, 1).unwrap()
    }

    #[test]
    fn it_stops_at_the_very_evaluation_that_hits_or_spends_the_budget() {
        use PolicyName::{Bipop, Ipop};
        use StrategyName::{Dd, Plain, Sep};
        let mut within_a_generation = 0;
        for (strategy, policy) in [(Dd, Bipop), (Plain, Ipop), (Sep, Bipop)] {
            let run = |function, budget| {
                bbob::with(spec(function, 3), |problem| solve(problem, strategy, policy, budget, 1)).unwrap().unwrap()
            };
            let solved = run(1, 30_000);
            assert!(solved.hit && solved.best_precision < 1.001e-8 && solved.evaluations < 3_000, "{solved:?}");
            // One evaluation less, and the target is not hit.
            let short = run(1, solved.evaluations - 1);
            assert!(!short.hit && short.best_precision > 0.999e-8, "{short:?}");
            assert_eq!(short.evaluations, solved.evaluations - 1);
            assert_eq!(run(1, solved.evaluations), solved);
            // λ of the first run is 4 + ⌊3 ln 3⌋ = 7.
            within_a_generation += u32::from(!solved.evaluations.is_multiple_of(7));
            // Schwefel's function with few evaluations: the budget ends it, to the evaluation.
            assert_eq!(run(20, 1001).evaluations, 1001);
            assert_eq!(run(20, 1).evaluations, 1);
        }
        assert!(within_a_generation > 0);
    }

    #[test]
    fn evaluations_that_coco_counts_and_we_do_not_are_an_error() {
        let outcome = bbob::with(spec(1, 2), |problem| {
            problem.evaluate(&[1.0, 1.0]);
            solve(problem, StrategyName::Sep, PolicyName::Ipop, 50, 1)
        });
        let error = outcome.unwrap().unwrap_err();
        assert_eq!(error, ProtocolError::Counts { ours: 50, cocos: 51 });
        assert_eq!(error.to_string(), "we have counted 50 evaluations, COCO has counted 51");
    }
}
