//! Applied problems in experiments: their best known values are reached from random starts.

use std::sync::{Arc, Mutex};

use ddcma_core::{Plain, StopCriteria, minimize_over};
use ddcma_lab::{
    Algorithm, AppliedFamily, Experiment, Family, LabError, Silent, SingleTrial, SuiteFunction, Trial, applied, dd,
    plain,
};
use ddcma_problems::applied::{Applied, Start};
use ddcma_restarts::Bipop;

/// Problems that take more than a second or two; `cargo xtask applied reach` runs them.
const SLOW: [&str; 2] = ["lennard-jones-13", "coating"];

#[test]
fn best_known_values_are_reached_within_the_budget() {
    for name in Applied::NAMES.iter().filter(|name| !SLOW.contains(name)) {
        let family = AppliedFamily::from_name(name).unwrap();
        let budget = family.problem().budget();
        let search = dd().policy(Bipop::new());
        let experiment = Experiment::new().algorithm(search).problem(family).trials(2);
        for (planned, outcome) in experiment.run(&Silent).unwrap().iter() {
            assert!(outcome.success && outcome.evaluations <= budget, "{planned}: {}", outcome.best_f);
        }
    }
}

/// Returns what `look` returns for the problem of a family, or the error of the family.
fn with<T>(
    family: &dyn Family,
    n: usize,
    mut look: impl FnMut(ddcma_lab::TrialProblem<'_>) -> T,
) -> Result<T, LabError> {
    let mut seen = None;
    family.with(n, 3, &mut |problem| seen = Some(look(problem)))?;
    Ok(seen.unwrap())
}

#[test]
fn every_family_starts_where_its_problem_does() {
    for start in [Start::Naive, Start::Scaled] {
        for problem in Applied::all() {
            let family = AppliedFamily::new(problem.clone(), start);
            let n = family.dimension();
            let seen = with(&family, n, |problem| {
                let value = problem.objective.value(&problem.initial_mean);
                (value, problem.initial_sigma, problem.variables.clone(), problem.target)
            })
            .unwrap();
            let expected = problem.at(&problem.start(start, 3));
            assert_eq!(
                seen,
                (expected, 1.0, Some(problem.variables(start, 3)), Some(problem.target())),
                "{}",
                family.name()
            );
        }
    }
}

/// Evaluates three points and keeps their values.
struct ThreePoints(Arc<Mutex<Vec<f64>>>);

impl Algorithm for ThreePoints {
    fn name(&self) -> &str {
        "three points"
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        assert_eq!((trial.start().len(), trial.own_start().len()), (trial.dimension(), trial.dimension()));
        let start = trial.start().to_vec();
        let mut near = start.clone();
        near[1] -= 0.1;
        let points = [start, near, vec![1e4; trial.dimension()], vec![f64::NAN; trial.dimension()]];
        let values = points.map(|point| trial.evaluate(&point));
        self.0.lock().unwrap().extend(values);
        Ok(())
    }
}

#[test]
fn an_algorithm_that_knows_no_bounds_sees_all_of_space_in_units_of_initial_deviations() {
    for name in ["gp", "gp-naive", "vessel-naive", "lqr", "cola"] {
        let family = AppliedFamily::from_name(name).unwrap();
        let (problem, start) = (family.problem().clone(), family.start());
        let values = Arc::new(Mutex::new(Vec::new()));
        let trial =
            SingleTrial { n: family.dimension(), problem_seed: 3, seed: 3, lambda: None, target: 0.0, budget: None };
        trial.run(&ThreePoints(Arc::clone(&values)), &family, &mut []).unwrap();
        let values = values.lock().unwrap().clone();
        let mut x = problem.start(start, 3);
        let close = |a: f64, b: f64| a == b || (a / b - 1.0).abs() < 1e-6;
        assert!(close(values[0], problem.at(&x)), "{name}: {values:?}");
        // Near a bound the map is not the identity; these starts are not near one.
        let step = 0.1 * problem.deviations(start)[1];
        let is_log = start == Start::Scaled && problem.quantities()[1].log;
        x[1] = if is_log { x[1] * (-step).exp() } else { x[1] - step };
        assert!(close(values[1], problem.at(&x)), "{name}: {values:?}, not {}", problem.at(&x));
        assert!(values[2] < f64::INFINITY && values[3].is_nan(), "{name}: {values:?}, mirrored and not a number");
    }
}

/// The limit of initial deviations is what makes the naive start feasible for plain CMA-ES: without it, the concentration's range of 0.1 is
/// noise to steps of 1, and the condition number of C ends the run.
#[test]
fn strategies_run_over_variables_as_a_users_runs_do() {
    let family = AppliedFamily::from_name("gp-naive").unwrap();
    let (problem, plain) = (family.problem().clone(), plain().criteria(StopCriteria::new()));
    let experiment = Experiment::new().algorithm(plain).problem(family).trials(3);
    for (planned, outcome) in experiment.run(&Silent).unwrap().iter() {
        let variables = problem.variables(Start::Naive, planned.seed);
        let run = minimize_over(problem.clone(), &variables).strategy::<Plain>().seed(planned.seed);
        let solution = run.target(problem.target()).max_evaluations(problem.budget()).run().unwrap();
        assert!(outcome.success, "{planned}");
        assert_eq!((outcome.evaluations, outcome.best_f), (solution.evaluations, solution.value), "{planned}");
    }
}

#[test]
fn invalid_names_and_dimensions_are_errors() {
    let families = applied();
    let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
    assert!(names.contains(&"gp") && names.contains(&"gp-naive") && !names.contains(&"truss10-naive"), "{names:?}");
    assert!(names.iter().all(|name| AppliedFamily::from_name(name).is_ok()));
    assert_eq!(AppliedFamily::from_name("vessel-naive").unwrap().start(), Start::Naive);
    let error = AppliedFamily::from_name("gpp").unwrap_err().to_string();
    assert!(error.starts_with("there is no applied problem \"gpp\": choose one of alpha-pinene"), "{error}");
    let vessel = AppliedFamily::from_name("vessel").unwrap();
    let error = with(&vessel, 10, |_| ()).unwrap_err().to_string();
    assert_eq!(error, "n must be 4 for vessel, got 10");
    // An experiment uses the fixed dimension of a family, whatever the other dimensions are.
    let sphere: SuiteFunction = "sphere".parse().unwrap();
    let experiment = Experiment::new().algorithm(dd()).problem(vessel).problem(sphere).dimensions([10, 2]).trials(1);
    let outcomes = experiment.budget_per_variable(10).run(&Silent).unwrap();
    let planned: Vec<(&str, usize)> = outcomes.iter().map(|(planned, _)| (&*planned.problem, planned.n)).collect();
    assert_eq!(planned, [("sphere", 10), ("vessel", 4), ("sphere", 2)]);
}
