//! Optimizers of other crates as algorithms of the lab, each with the defaults of its crate.

mod basin;
mod cmaes;
mod fcmaes;

pub use basin::Basin;
pub use cmaes::Cmaes;
pub use fcmaes::Fcmaes;

use ddcma_lab::{Algorithm, LabError, Trial};

/// All optimizers.
pub fn all() -> Vec<Box<dyn Algorithm>> {
    vec![Box::new(Cmaes), Box::new(Fcmaes), Box::new(Basin)]
}

/// Returns the requested population size, if the crate accepts it, or the default of CMA-ES, which is that of all three crates.
fn population_size(name: &str, least: usize, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
    let lambda = asked.unwrap_or(4 + (3.0 * (n as f64).ln()).floor() as usize);
    if lambda < least {
        return Err(LabError::new(format!("{name}: lambda must be at least {least}, got {lambda}")));
    }
    Ok(Some(lambda))
}

/// Records how a run ended: by a criterion of the crate, unless the trial was over anyway.
fn note_end(trial: &mut Trial<'_>, criterion: Option<String>, iterations: u64) {
    match criterion.filter(|_| !trial.is_over()) {
        Some(criterion) => trial.ended(criterion, iterations),
        None => trial.note_iterations(iterations),
    }
}

#[cfg(test)]
mod tests {
    use ddcma_lab::{Experiment, Silent, fingerprint, suite};

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_run() {
        for peer in all() {
            let bits = || fingerprint::of_algorithm(&*peer).unwrap();
            assert!(peer.is_deterministic() && bits().is_some());
            assert_eq!(bits(), bits(), "{}", peer.name());
        }
    }

    #[test]
    fn target_and_budget_end_a_trial_with_its_generation() {
        let experiment = |budget| {
            let problems = suite(["sphere"]).unwrap();
            let experiment = Experiment::new().algorithms(all()).problems(problems).dimensions([5]).lambdas([12]);
            experiment.trials(2).budget_per_variable(budget).run(&Silent).unwrap()
        };
        for (trial, outcome) in experiment(1000).iter() {
            assert!(outcome.success && outcome.stop == "target", "{trial}: {outcome:?}");
            assert!(outcome.evaluations < 3000, "{trial}: {outcome:?}");
        }
        for (trial, outcome) in experiment(10).iter() {
            // basin evaluates the mean, too: 13 points in a generation, and one at the start.
            assert!((50..=66).contains(&outcome.evaluations) && outcome.stop == "evaluations", "{trial}: {outcome:?}");
            assert!((4..=5).contains(&outcome.iterations), "{trial}: {outcome:?}");
        }
    }

    #[test]
    fn a_population_that_a_crate_does_not_take_is_an_error() {
        let error = Basin.lambda(5, Some(3)).unwrap_err();
        assert_eq!(error.to_string(), "basin: lambda must be at least 4, got 3");
        assert_eq!(Cmaes.lambda(10, None), Ok(Some(10)));
    }
}
