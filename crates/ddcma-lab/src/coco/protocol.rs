//! The usual protocol of COCO on one problem: an algorithm starts anywhere in the box, and continues until the final target or the
//! budget is reached.

use ddcma_problems::Problem;

use super::bbob::{self, CocoProblem};
use crate::trial::Hits;
use crate::{Algorithm, LabError, Trial, TrialOutcome, TrialProblem};

/// The difference of COCO's last target to the minimum.
const FINAL_TARGET: f64 = 1e-8;

/// The conditions of a trial, in addition to the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    pub(super) budget: u64,
    pub(super) seed: u64,
    /// The population size of the algorithm, if it has one.
    pub(super) lambda: Option<usize>,
}

/// A problem that is evaluated until the final target is hit or the budget is used up, also within a generation. All later values are
/// infinite.
struct UntilOver<'a, 'suite> {
    problem: &'a mut CocoProblem<'suite>,
    evaluations: u64,
    budget: u64,
    /// The evaluations at which COCO's targets were reached.
    hits: Hits,
}

impl Problem for UntilOver<'_, '_> {
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    /// Returns the value from COCO.
    fn value(&mut self, x: &[f64]) -> f64 {
        if self.evaluations >= self.budget || self.problem.is_solved() {
            return f64::INFINITY;
        }
        self.evaluations += 1;
        let value = self.problem.evaluate(x);
        self.hits.add(self.evaluations, known_precision(self.problem.precision(), self.problem.is_solved()));
        value
    }
}

/// Returns the precision that counts. COCO decides whether the last target is hit: it compares with the minimum plus 1e-8, rounded.
fn known_precision(precision: f64, is_solved: bool) -> f64 {
    if is_solved { precision.min(FINAL_TARGET) } else { precision.max(FINAL_TARGET.next_up()) }
}

/// Runs an algorithm exactly until the evaluation that hits the final target or uses up the budget. Values in the outcome are
/// differences to the minimum.
pub(super) fn solve(
    problem: &mut CocoProblem<'_>,
    algorithm: &dyn Algorithm,
    conditions: Conditions,
) -> Result<TrialOutcome, LabError> {
    let Conditions { budget, seed, lambda } = conditions;
    let (n, target, minimum) = (problem.dimension(), problem.target(), problem.minimum());
    let mut until_over = UntilOver { problem, evaluations: 0, budget, hits: Hits::new(FINAL_TARGET) };
    let trial_problem = TrialProblem {
        initial_mean: bbob::start(n, seed),
        initial_sigma: bbob::SIGMA,
        budget,
        target: Some(target),
        variables: None,
        starts: bbob::starts(n),
        domain: Some(bbob::DOMAIN),
        objective: &mut until_over,
    };
    let mut outcome = Trial::new(trial_problem, target, budget, seed, lambda)?.run(algorithm)?;
    let UntilOver { evaluations: ours, hits, .. } = until_over;
    let cocos = problem.evaluations();
    if ours != cocos {
        return Err(LabError::new(format!(
            "the numbers of evaluations must agree, but the trial counted {ours} and COCO {cocos}"
        )));
    }
    outcome.success = problem.is_solved();
    outcome.evaluations = ours;
    outcome.best_f = problem.precision();
    (outcome.first_f, outcome.target, outcome.hits) = (outcome.first_f - minimum, FINAL_TARGET, hits.at);
    for (evaluations, value) in &mut outcome.course {
        *evaluations = ours.min(*evaluations);
        *value -= minimum;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use ddcma_core::{DiagonalDecoding, Plain, Separable};
    use ddcma_restarts::{Bipop, Ipop};

    use super::*;
    use crate::coco::bbob::{Function, Spec, SuiteName};
    use crate::{algorithm, sep};

    fn spec(function: u32, n: usize) -> Spec {
        Function::new(SuiteName::Bbob, function).unwrap().instance(n, 1).unwrap()
    }

    /// Evaluates one point after the other.
    struct Climb;

    impl Algorithm for Climb {
        fn name(&self) -> &str {
            "climb"
        }

        fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
            let mut x = trial.start().to_vec();
            let mut best = f64::INFINITY;
            let mut step = trial.sigma();
            while !trial.is_over() {
                let before = best;
                for k in 0..x.len() {
                    for sign in [1.0, -1.0] {
                        x[k] += sign * step;
                        let value = trial.evaluate(&x);
                        if value < best { best = value } else { x[k] -= sign * step }
                    }
                }
                step *= if best < before { 1.0 } else { 0.5 };
            }
            Ok(())
        }
    }

    #[test]
    fn targets_are_counted_from_1e2_to_1e_8() {
        let reached = |precision: f64, is_solved: bool| {
            let mut hits = Hits::new(FINAL_TARGET);
            hits.add(1, known_precision(precision, is_solved));
            hits.at.len()
        };
        assert_eq!(reached(101.0, false), 0);
        assert_eq!(reached(99.0, false), 1);
        assert_eq!(reached(0.9, false), 11);
        assert_eq!(reached(1.1e-8, false), 50);
        assert_eq!(reached(1e-8, false), 50);
        assert_eq!(reached(1.000_000_1e-8, true), 51);
        assert_eq!(reached(0.0, true), 51);
        assert_eq!(reached(f64::INFINITY, false), 0);
    }

    #[test]
    fn it_stops_at_the_very_evaluation_that_hits_or_spends_the_budget() {
        let algorithms: [Box<dyn Algorithm>; 4] = [
            Box::new(algorithm::<DiagonalDecoding>("dd").policy(Bipop::new().restarts(None))),
            Box::new(algorithm::<Plain>("plain").policy(Ipop::new().restarts(None))),
            Box::new(algorithm::<Separable>("sep")),
            Box::new(Climb),
        ];
        let mut within_a_generation = 0;
        for algorithm in &algorithms {
            let run = |function, budget| {
                let conditions = Conditions { budget, seed: 1, lambda: algorithm.lambda(3, None).unwrap() };
                let mut outcome =
                    bbob::with(spec(function, 3), |problem| solve(problem, algorithm, conditions)).unwrap().unwrap();
                outcome.internal_seconds = 0.0;
                outcome
            };
            let solved = run(1, 30_000);
            assert!(solved.success && solved.best_f < 1.001e-8 && solved.evaluations < 3_000, "{solved:?}");
            assert_eq!(
                (solved.stop.as_str(), *solved.course.last().unwrap()),
                ("target", (solved.evaluations, solved.best_f))
            );
            // With one evaluation less, the target is not hit.
            let short = run(1, solved.evaluations - 1);
            assert!(!short.success && short.best_f > 0.999e-8, "{short:?}");
            assert_eq!(short.evaluations, solved.evaluations - 1);
            assert_eq!(run(1, solved.evaluations), solved);
            // λ of the first run is 4 + ⌊3 ln 3⌋ = 7.
            within_a_generation += u32::from(!solved.evaluations.is_multiple_of(7));
            // Schwefel's function with few evaluations: the trial ends exactly at the budget.
            assert_eq!(run(20, 1001).evaluations, 1001);
            assert_eq!(run(20, 1).evaluations, 1);
        }
        assert!(within_a_generation > 0);
    }

    #[test]
    fn evaluations_that_coco_counts_and_we_do_not_are_an_error() {
        let outcome = bbob::with(spec(1, 2), |problem| {
            problem.evaluate(&[1.0, 1.0]);
            solve(problem, &sep(), Conditions { budget: 50, seed: 1, lambda: None })
        });
        let error = outcome.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the numbers of evaluations must agree, but the trial counted 50 and COCO 51");
    }
}
