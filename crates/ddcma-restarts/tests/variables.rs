//! A search over variables: its runs start anywhere in their ranges, on their scales, and everything is shown in their units.
#![cfg(feature = "dense")]

use std::f64::consts::LN_10;

use ddcma_core::{Bounds, Columns, DdCma, Distribution, StartError, StopCriteria, Variable, Variables};
use ddcma_restarts::{
    Bipop, Independent, Ipop, Past, Policy, RunPlan, SearchError, SearchOutcome, Starts, restarts, restarts_over,
};

fn variables() -> Variables {
    Variables::new([
        Variable::between(-5.0, 5.0).named("place"),
        Variable::fixed(2.0),
        Variable::between(1e-8, 1.0).log().named("rate"),
        Variable::around(10.0, 3.0),
        Variable::around(1.0, 2.0).at_least(0.0),
        Variable::around(1e-3, LN_10).log(),
        Variable::between(0.0, 1.0).start(0.25),
    ])
    .unwrap()
}

/// Has its minimum at (−3, 2, 1e-4, 7, 0, 1e-2, 1).
fn f(x: &[f64]) -> f64 {
    assert_eq!((x.len(), x[1]), (7, 2.0));
    let terms = [x[0] + 3.0, x[2].log10() + 4.0, x[3] - 7.0, x[4], x[5].log10() + 2.0, x[6] - 1.0];
    terms.iter().map(|term| term * term).sum()
}

/// Runs of three generations each.
fn short_runs(runs: usize) -> SearchOutcome {
    let search = restarts_over(Independent::new(), &variables()).criteria(StopCriteria::none().max_iterations(3));
    search.max_runs(runs).seed(1).minimize(f).unwrap()
}

#[test]
fn starts_are_spread_over_the_ranges_on_their_scales() {
    let outcome = short_runs(400);
    let starts: Vec<&[f64]> = outcome.runs.iter().map(|run| &run.start[..]).collect();
    assert_eq!(starts.len(), 400);
    for x in &starts {
        let inside = variables().iter().zip(*x).all(|(variable, x)| variable.contains(*x));
        assert!(inside && x[1] == 2.0, "{x:?}");
    }
    let share = |is: &dyn Fn(&[f64]) -> bool| starts.iter().filter(|x| is(x)).count() as f64 / 400.0;
    // Uniform: each quarter of a range has a quarter of the starts, within four deviations of that number (0.087).
    for quarter in 0..4 {
        let (low, high) = (f64::from(quarter) / 4.0, f64::from(quarter + 1) / 4.0);
        let within = |at: f64| low <= at && at < high;
        let shares = [
            share(&|x| within((x[0] + 5.0) / 10.0)),
            share(&|x| within((x[2].log10() + 8.0) / 8.0)),
            share(&|x| within(x[6])),
        ];
        assert!(shares.iter().all(|share| (share - 0.25).abs() < 0.087), "{quarter}: {shares:?}");
    }
    // Normal: 68 % within a deviation.
    let shares =
        [share(&|x| (x[3] - 10.0).abs() < 3.0), share(&|x| (x[5].log10() + 3.0).abs() < 1.0), share(&|x| x[4] > 0.0)];
    assert!(shares.iter().all(|share| (share - 0.683).abs() < 0.1), "{shares:?}");
    // In the first run, only variables with a given start are there.
    assert_eq!((starts[0][3], starts[0][4], starts[0][5], starts[0][6]), (10.0, 1.0, 1e-3, 0.25));
    assert!(starts[0][0] != 0.0 && starts[1][6] != 0.25);
}

#[test]
fn a_search_over_variables_finds_their_optimum_in_their_units() {
    let outcome = restarts_over(Bipop::new(), &variables()).max_evaluations(30_000).seed(2).minimize(f).unwrap();
    let expected = [-3.0, 2.0, 1e-4, 7.0, 0.0, 1e-2, 1.0];
    for (x, expected) in outcome.point.iter().zip(expected) {
        assert!((x - expected).abs() < 1e-4 * expected.abs().max(1e-2), "{:?}", outcome.point);
    }
    assert!(outcome.runs.len() > 1);
    assert!(outcome.runs.iter().all(|run| run.best_point.as_ref().is_some_and(|x| x.len() == 7 && x[1] == 2.0)));
}

#[test]
fn a_policy_sees_the_number_of_free_variables() {
    #[derive(Debug)]
    struct Six;
    impl Policy for Six {
        fn name(&self) -> &'static str {
            "six"
        }
        fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
            assert_eq!((past.n, past.sigma), (6, 1.0));
            Independent::new().next(past, &mut || 0.5)
        }
    }
    let search = restarts_over(Six, &variables()).criteria(StopCriteria::none().max_iterations(2)).max_runs(3);
    let outcome = search.minimize(f).unwrap();
    assert_eq!(outcome.runs[0].plan.lambda, 4 + 5); // 4 + ⌊3 ln 6⌋
}

#[test]
fn other_starts_know_the_variables_too() {
    let point = [1.0, 2.0, 1e-4, 0.0, 1.0, 1e-3, 0.5];
    let criteria = StopCriteria::none().max_iterations(1);
    let around = restarts(Independent::new(), Starts::around(&point, 0.1).unwrap(), 0.1).variables(variables());
    let outcome = around.criteria(criteria.clone()).max_runs(100).seed(3).minimize(f).unwrap();
    assert_eq!(outcome.runs[0].start, point);
    let spread = |of: &dyn Fn(&[f64]) -> f64| {
        let sum: f64 = outcome.runs[1..].iter().map(|run| of(&run.start).powi(2)).sum();
        (sum / 99.0).sqrt()
    };
    // A tenth of their own deviations: 2, a fifth of eight decades, 3.
    let relative = [
        spread(&|x| x[0] - 1.0) / 0.2,
        spread(&|x| x[2].log10() + 4.0) / 0.16,
        spread(&|x| x[3]) / 0.3,
        spread(&|x| x[5].log10() + 3.0) / 0.1,
    ];
    assert!(relative.iter().all(|ratio| (0.75..1.25).contains(ratio)), "{relative:?}");

    let (lower, upper) = ([0.0, 2.0, 1e-3, 0.0, 1.0, 1e-3, 0.0], [1.0, 2.0, 1e-2, 1.0, 2.0, 1e-2, 1.0]);
    let in_box = |upper: &[f64]| {
        let search = restarts(Independent::new(), Starts::in_box(&lower, upper).unwrap(), 1.0).variables(variables());
        search.criteria(criteria.clone()).max_runs(5).build()
    };
    assert!(in_box(&upper).is_ok());
    let mut wide = upper;
    wide[2] = 10.0;
    let error = in_box(&wide).unwrap_err();
    assert_eq!(error, SearchError::BoxOutsideBounds { index: 2, side: (1e-3, 10.0), bounds: (1e-8, 1.0) });

    let short = restarts(Independent::new(), Starts::around(&[1.0; 3], 0.1).unwrap(), 1.0).variables(variables());
    let error = short.max_runs(2).build().unwrap_err();
    assert_eq!(error, SearchError::Start { run: 0, error: StartError::StartOfWrongLength { expected: 7, got: 3 } });
    let both = restarts_over(Independent::new(), &variables()).bounds(Bounds::uniform(7, 0.0, 1.0).unwrap());
    let error = both.max_runs(2).build().unwrap_err();
    assert_eq!(error, SearchError::Start { run: 0, error: StartError::BoundsBesideVariables });
    let other = Variables::new(variables().iter().skip(1).cloned()).unwrap();
    let twice = restarts_over(Independent::new(), &variables()).variables(other).max_runs(2).build();
    assert_eq!(twice.unwrap_err(), SearchError::OtherVariables);
}

#[test]
fn every_run_starts_with_the_shape_of_another_one() {
    let known = Distribution {
        mean: vec![0.0; 2],
        sigma: 1e-9,
        d: vec![1.0, 4.0],
        c: Columns::from_vec(2, vec![1.0, 0.5, 0.5, 1.0]),
    };
    let starts = Starts::in_box(&[-1.0; 2], &[1.0; 2]).unwrap();
    let search = restarts(Independent::new(), starts, 3.0).shape_of(known).max_runs(3);
    let mut search = search.criteria(StopCriteria::none().max_iterations(2)).build().unwrap();
    let mut seen = 0;
    while search.stop().is_none() {
        if search.optimizer().unwrap().iterations() == 0 {
            seen += 1;
            let deviations: Vec<f64> = search.optimizer().unwrap().deviations().collect();
            assert!((deviations[0] - 1.5).abs() < 1e-12 && (deviations[1] - 6.0).abs() < 1e-12, "{deviations:?}");
        }
        let values: Vec<f64> = search.ask().iter().map(|x| x[0]).collect();
        search.tell(&values).unwrap();
    }
    assert_eq!(seen, 3);
}

#[test]
fn the_first_run_is_that_of_an_optimizer_over_the_variables() {
    let mut search = restarts_over(Independent::new(), &variables()).max_runs(1).build().unwrap();
    let run = search.optimizer().unwrap();
    let alone = DdCma::over(&variables()).build().unwrap();
    assert_eq!((run.sigma(), run.d()), (alone.sigma(), alone.d()));
    assert!(search.ask().iter().all(|x| x.len() == 7));
}

#[cfg(feature = "checkpoint")]
mod stored {
    use super::*;
    use ddcma_core::DiagonalDecoding;
    use ddcma_restarts::Search;

    fn run(stored_at: &[usize]) -> String {
        let known = DdCma::over(&variables()).build().unwrap().distribution();
        let search = restarts_over(Bipop::new(), &variables()).shape_of(known).max_evaluations(3000).seed(5);
        let mut search = search.build().unwrap();
        let mut generation = 0;
        while search.stop().is_none() {
            search.ask();
            if stored_at.contains(&generation) {
                let bytes = search.to_checkpoint().unwrap();
                search = Search::<DiagonalDecoding, Bipop>::from_checkpoint(&bytes).unwrap();
            }
            let values: Vec<f64> = search.ask().iter().map(f).collect();
            search.tell(&values).unwrap();
            generation += 1;
        }
        format!("{:?} {:?}", search.outcome(), search.best())
    }

    #[test]
    fn a_stored_search_over_variables_goes_on_to_the_bit() {
        let undisturbed = run(&[]);
        assert!(undisturbed.matches("RunSummary").count() > 1, "{undisturbed}");
        assert_eq!(run(&[0, 1, 7, 50, 51, 52, 100, 150, 200]), undisturbed);
    }
}

#[test]
fn an_outcome_shows_the_names_of_variables() {
    let named = |name: &str| Variable::between(0.0, 4.0).named(name);
    let variables = Variables::new([named("width"), named("height")]).unwrap();
    let f = |x: &[f64]| (x[0] - 1.0).powi(2) + (x[1] - 2.0).powi(2);
    let outcome = restarts_over(Ipop::new(), &variables).target(1e-20).minimize(f).unwrap();
    assert!(outcome.to_string().contains("\nwidth = 1\nheight = 2\n"), "{outcome}");
}
