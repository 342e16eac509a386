//! Applied problems in the laboratory: their best known values are reached from random starts.

use ddcma_lab::{AppliedFamily, Experiment, Family, LabError, Silent, applied, dd};
use ddcma_problems::applied::{Applied, Start};
use ddcma_restarts::Bipop;

/// All but those that take more than a second or two: `cargo xtask applied reach` has them.
const QUICK: [&str; 11] = [
    "alpha-pinene",
    "lynx-hare",
    "gp",
    "logistic-400-20",
    "logistic-600-60",
    "lqr",
    "truss10",
    "vessel",
    "beam",
    "cola",
    "lennard-jones-7",
];

#[test]
fn best_known_values_are_reached_within_the_budget() {
    for name in QUICK {
        let family = AppliedFamily::from_name(name).unwrap();
        let (n, budget) = (family.dimension(), family.problem().budget());
        let search = dd().policy(Bipop::new());
        let experiment = Experiment::new().algorithm(search).problem(family).dimensions([n]).trials(2);
        for (planned, outcome) in experiment.run(&Silent).unwrap().iter() {
            assert!(outcome.success && outcome.evaluations <= budget, "{planned}: {}", outcome.best_f);
        }
    }
}

/// The number that a family hands out, or its error.
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
            let (value, sigma, target) = with(&family, n, |problem| {
                (problem.objective.value(&problem.initial_mean), problem.initial_sigma, problem.target)
            })
            .unwrap();
            let expected = problem.at(&problem.start(start, 3));
            let name = family.name();
            assert!(value == expected || (value / expected - 1.0).abs() < 1e-6, "{name}: {value}, not {expected}");
            assert_eq!(sigma, if start == Start::Scaled { 1.0 } else { problem.deviations(start)[0] }, "{name}");
            assert_eq!(target, Some(problem.target()));
            // Far outside is mirrored into the box; what is not a number has no value.
            let (far, none) = with(&family, n, |problem| {
                (problem.objective.value(&vec![1e4; n]), problem.objective.value(&vec![f64::NAN; n]))
            })
            .unwrap();
            assert!(!far.is_nan() && none.is_nan(), "{name}: {far}, {none}");
        }
    }
}

#[test]
fn a_step_of_one_is_an_initial_deviation() {
    let gp = AppliedFamily::from_name("gp").unwrap();
    let problem = gp.problem().clone();
    let (mut x, deviations) = (problem.start(Start::Scaled, 3), problem.deviations(Start::Scaled));
    let there = with(&gp, 5, |problem| {
        let mut y = problem.initial_mean.clone();
        y[1] -= 0.1;
        problem.objective.value(&y)
    });
    x[1] *= (-0.1 * deviations[1]).exp();
    // Near a bound the map is not the identity: this start is not.
    assert!((there.unwrap() / problem.at(&x) - 1.0).abs() < 1e-9);
}

#[test]
fn names_and_dimensions_that_are_none_are_errors() {
    let families = applied();
    let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
    assert!(names.contains(&"gp") && names.contains(&"gp-naive") && !names.contains(&"truss10-naive"), "{names:?}");
    assert!(names.iter().all(|name| AppliedFamily::from_name(name).is_ok()));
    assert_eq!(AppliedFamily::from_name("vessel-naive").unwrap().start(), Start::Naive);
    let error = AppliedFamily::from_name("gpp").unwrap_err().to_string();
    assert!(error.starts_with("there is no applied problem \"gpp\"; there are alpha-pinene"), "{error}");
    let vessel = AppliedFamily::from_name("vessel").unwrap();
    let error = with(&vessel, 10, |_| ()).unwrap_err().to_string();
    assert_eq!(error, "vessel has 4 variables, not 10");
    let experiment = Experiment::new().algorithm(dd()).problem(vessel).dimensions([10]);
    assert_eq!(experiment.run(&Silent).unwrap_err().to_string(), error);
}
