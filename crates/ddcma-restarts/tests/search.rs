//! The driver keeps its guarantees for any policy, strategy and function.
#![cfg(feature = "dense")]

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::time::Duration;

use ddcma_core::{
    Batch, Bounds, Columns, DiagonalDecoding, Fallible, Generation, Interrupted, Observer, Pace, Plain, Separable,
    Settings, Shape, StartError, StartShape, Stop, StopCriteria, Strategy, TellError, UpdateError, View, With,
};
use ddcma_restarts::{
    Bipop, Independent, Ipop, Nbipop, Nipop, Past, Policy, PolicyError, Regime, RunPlan, Search, SearchError,
    SearchOutcome, StartPointsError, StartRule, Starts, restarts,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn policies() -> Vec<Box<dyn Policy>> {
    vec![
        Box::new(Independent::new()),
        Box::new(Ipop::new()),
        Box::new(Nipop::new()),
        Box::new(Bipop::new()),
        Box::new(Nbipop::new()),
    ]
}

fn cube(n: usize) -> Starts {
    Starts::in_box(&vec![-5.0; n], &vec![5.0; n]).unwrap()
}

/// Runs a search and checks what must hold for every search.
fn checked<S: Strategy>(
    policy: Box<dyn Policy>,
    n: usize,
    f: impl Fn(&[f64]) -> f64,
    budget: u64,
    target: Option<f64>,
    seed: u64,
) -> SearchOutcome {
    let calls = Cell::new(0u64);
    let best = RefCell::new((f64::INFINITY, Vec::new()));
    let reached_at = Cell::new(None);
    let mut search = restarts(policy, cube(n), 2.0)
        .strategy::<S>()
        .max_evaluations(budget)
        .criteria(StopCriteria::new().target(target));
    search = search.seed(seed);
    let objective = |x: &[f64]| {
        calls.set(calls.get() + 1);
        let value = f(x);
        if value < best.borrow().0 {
            *best.borrow_mut() = (value, x.to_vec());
        }
        if target.is_some_and(|target| value <= target) && reached_at.get().is_none() {
            reached_at.set(Some(calls.get()));
        }
        value
    };
    let outcome = search.minimize(objective).unwrap();

    let largest = outcome.runs.last().expect("a run").plan.lambda as u64;
    assert_eq!(outcome.evaluations, calls.get());
    assert_eq!(outcome.evaluations, outcome.runs.iter().map(|run| run.evaluations).sum::<u64>());
    assert!(outcome.evaluations < budget + largest, "{} of {budget}, λ = {largest}", outcome.evaluations);
    if let Some(reached_at) = reached_at.get() {
        assert!(matches!(outcome.stop, Stop::Target { .. }));
        assert!(outcome.evaluations < reached_at + largest, "it stops at once");
    }
    let (value, point) = best.into_inner();
    if value < f64::INFINITY {
        assert_eq!((outcome.value, &outcome.point), (value, &point));
        let of_runs = outcome.runs.iter().map(|run| run.best_value).fold(f64::INFINITY, f64::min);
        assert_eq!(of_runs, value);
    }
    for run in &outcome.runs {
        assert!(run.iterations > 0 && run.evaluations == run.iterations * run.plan.lambda as u64);
        assert!(run.plan.budget.is_none_or(|budget| run.evaluations < budget + run.plan.lambda as u64));
        assert!(run.start.iter().all(|x| (-5.0..=5.0).contains(x)));
        if let Some(point) = &run.best_point {
            assert_eq!(f(point).to_bits(), run.best_value.to_bits());
        }
    }
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn budgets_and_bests_are_global(
        which in 0usize..5,
        strategy in 0usize..3,
        function in 0usize..6,
        n in 1usize..5,
        budget in 1u64..6000,
        with_target in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let f = move |x: &[f64]| match function {
            0 => rastrigin(x),
            1 => sphere(x),
            2 => 1.0, // flat
            3 => f64::NAN,
            4 => -x.iter().sum::<f64>(), // falls forever
            _ => if x[0] > 0.0 { f64::INFINITY } else { rastrigin(x) },
        };
        let run = || {
            let policy = policies().swap_remove(which);
            let target = with_target.then_some(1.0);
            match strategy {
                0 => checked::<DiagonalDecoding>(policy, n, f, budget, target, seed),
                1 => checked::<Plain>(policy, n, f, budget, target, seed),
                _ => checked::<Separable>(policy, n, f, budget, target, seed),
            }
        };
        // Compares the Debug texts, because NaN equals NaN there.
        prop_assert_eq!(format!("{:?}", run()), format!("{:?}", run()), "same seed, same everything");
    }
}

#[test]
fn an_immediate_target_is_one_generation() {
    for policy in policies() {
        let outcome = checked::<Separable>(policy, 3, sphere, 1000, Some(f64::INFINITY), 1);
        assert_eq!((outcome.runs.len(), outcome.evaluations), (1, 7));
        assert!(matches!(outcome.stop, Stop::Target { target: f64::INFINITY, .. }));
    }
}

#[test]
fn flat_functions_end_a_policy_that_ends() {
    for policy in [Box::new(Ipop::new()) as Box<dyn Policy>, Box::new(Nipop::new()), Box::new(Bipop::new())] {
        let outcome = restarts(policy, cube(2), 1.0).strategy::<Separable>().minimize(|_: &[f64]| 0.0).unwrap();
        assert!(matches!(outcome.stop, Stop::PolicyDone { .. }));
        assert_eq!(outcome.runs.iter().filter(|run| run.plan.regime == Regime::Large).count(), 9);
        assert_eq!(outcome.value, 0.0);
    }
}

#[test]
fn a_search_without_end_is_refused() {
    let error = restarts(Independent::new(), cube(2), 1.0).build().map(drop).unwrap_err();
    assert_eq!(error, SearchError::NoBudget { policy: "independent" });
    assert!(error.to_string().contains("budget of evaluations, time or runs"));
    assert!(restarts(Independent::new().restarts(1), cube(2), 1.0).build().is_ok());
    assert!(restarts(Independent::new(), cube(2), 1.0).max_runs(1).build().is_ok());
    assert!(restarts(Independent::new(), cube(2), 1.0).max_time(Duration::from_secs(1)).build().is_ok());
}

#[test]
fn the_number_of_runs_is_a_budget() {
    let outcome = restarts(Independent::new(), cube(2), 1.0).max_runs(3).minimize(|_: &[f64]| 0.0).unwrap();
    assert_eq!(outcome.stop, Stop::Runs { runs: 3 });
    assert_eq!(outcome.runs.len(), 3);
}

#[test]
fn the_time_is_a_budget() {
    let mut search = restarts(Ipop::new(), cube(2), 1.0).max_time(Duration::from_nanos(1)).build().unwrap();
    let outcome = search.run(rastrigin).unwrap();
    assert!(matches!(outcome.stop, Stop::Time { .. }));
    assert!(matches!(outcome.runs[0].stop, Stop::Time { .. }));
    assert_eq!(outcome.runs[0].iterations, 1);
}

#[test]
fn every_setting_reaches_every_run() {
    let lower_than_minus_four = Cell::new(0);
    let bounds = Bounds::uniform(3, -4.0, 4.0).unwrap();
    let starts = Starts::in_box(&[-4.0; 3], &[4.0; 3]).unwrap();
    let search = restarts(Ipop::new().restarts(2), starts, 1.0)
        .settings(Settings::new().lambda(8).active(false))
        .deviations(&[1.0, 0.5, 0.25])
        .bounds(bounds)
        .criteria(StopCriteria::new().max_iterations(7));
    let mut search = search.build().unwrap();
    assert_eq!(search.optimizer().unwrap().d(), [1.0, 0.5, 0.25]);
    let mut seen = Vec::new();
    let mut observer = |view: &View<'_>| seen.push((view.iterations, view.evaluations));
    let f = |x: &[f64]| {
        lower_than_minus_four.set(lower_than_minus_four.get() + usize::from(x.iter().any(|x| x.abs() > 4.0)));
        sphere(x)
    };
    let outcome = search.run_with(f, &mut With::new().observer(&mut observer)).unwrap();
    assert_eq!(lower_than_minus_four.get(), 0);
    let lambdas: Vec<usize> = outcome.runs.iter().map(|run| run.plan.lambda).collect();
    assert_eq!(lambdas, [8, 16, 32]);
    assert!(outcome.runs.iter().all(|run| run.stop == Stop::Iterations { iterations: 7, budget: 7 }));
    assert_eq!(seen.len(), 21, "every generation of every run is observed");
    assert_eq!(seen[..8].iter().map(|seen| seen.1).collect::<Vec<_>>(), [8, 16, 24, 32, 40, 48, 56, 16]);
    let params = search.optimizer().unwrap().params();
    assert!(params.w().iter().all(|w| *w >= 0.0), "no negative weights, as was asked for");
}

#[test]
fn runs_do_not_depend_on_each_other() {
    // The second run does not depend on the length of the first.
    let second = |iterations: u64| {
        let stops = StopCriteria::new().max_iterations(iterations);
        let mut search =
            restarts(Independent::new(), cube(4), 2.0).max_runs(2).seed(9).criteria(stops).build().unwrap();
        while search.runs().is_empty() {
            let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
            search.tell(&values).unwrap();
        }
        search.ask().clone()
    };
    assert_eq!(second(3), second(17));
    let first =
        |seed: u64| restarts(Independent::new(), cube(4), 2.0).max_runs(1).seed(seed).build().unwrap().ask().clone();
    assert_ne!(first(1), first(2));
    assert_ne!(first(9), second(3));
}

#[test]
fn start_points_come_from_where_they_should() {
    let starts = |starts: Starts, bounds: Option<Bounds>| -> Vec<Vec<f64>> {
        let mut search =
            restarts(Independent::new(), starts, 1.0).max_runs(40).criteria(StopCriteria::new().max_iterations(1));
        if let Some(bounds) = bounds {
            search = search.bounds(bounds);
        }
        let outcome = search.minimize(sphere).unwrap();
        outcome.runs.into_iter().map(|run| run.start).collect()
    };
    let boxed = starts(Starts::in_box(&[-1.0, 10.0], &[1.0, 10.0]).unwrap(), None);
    assert!(boxed.iter().all(|x| x[0].abs() <= 1.0 && x[1] == 10.0));
    let spread = boxed.iter().map(|x| x[0]);
    assert!(spread.clone().any(|x| x < -0.5) && spread.clone().any(|x| x > 0.5));

    let around = starts(Starts::around(&[3.0, -1.0], 0.5).unwrap(), None);
    assert_eq!(around[0], [3.0, -1.0], "the first run starts at the point itself");
    assert!(around[1..].iter().all(|x| *x != [3.0, -1.0] && (x[0] - 3.0).abs() < 2.5));
    let bounded = starts(Starts::around(&[3.0, -1.0], 0.5).unwrap(), Some(Bounds::uniform(2, -1.0, 3.0).unwrap()));
    assert!(bounded.iter().flatten().all(|x| (-1.0..=3.0).contains(x)));
    assert!(bounded.iter().any(|x| x[0] == 3.0) && bounded.iter().any(|x| x[1] > -1.0));

    let own = starts(Starts::from_fn(2, |k, _| vec![k as f64, 0.5]), None);
    assert!(own.iter().enumerate().all(|(k, x)| *x == [k as f64, 0.5]));
}

/// Start points deviate in the units of the search, so restarts match the scales of the variables.
#[test]
fn starts_around_a_point_deviate_as_the_variables_do() {
    let (point, deviations) = ([1e-5, 300.0, 1e5], [1e-5, 100.0, 1e5]);
    let starts = |deviations: Option<&[f64]>| {
        let search = restarts(Independent::new(), Starts::around(&point, 0.5).unwrap(), 1.0).max_runs(6).seed(3);
        let search = search.criteria(StopCriteria::new().max_iterations(2));
        let search = if let Some(deviations) = deviations { search.deviations(deviations) } else { search };
        let outcome = search.minimize(sphere).unwrap();
        outcome.runs.into_iter().map(|run| run.start).collect::<Vec<_>>()
    };
    let (scaled, plain) = (starts(Some(&deviations)), starts(None));
    assert_eq!((&scaled[0][..], &plain[0][..]), (&point[..], &point[..]));
    for (scaled, plain) in scaled.iter().zip(&plain).skip(1) {
        for k in 0..3 {
            let (own, same) = ((scaled[k] - point[k]) / deviations[k], plain[k] - point[k]);
            assert!((own - same).abs() < 1e-9 && own != 0.0 && own.abs() < 2.5, "the same draw: {own} and {same}");
        }
    }
}

#[test]
fn options_of_a_search_may_come_in_any_order() {
    let criteria = || StopCriteria::new().target(1.0).max_evaluations(70);
    let first = restarts(Ipop::new(), cube(2), 2.0).criteria(criteria()).target(1e-6).max_evaluations(900).seed(4);
    let last = restarts(Ipop::new(), cube(2), 2.0).seed(4).max_evaluations(900).target(1e-6).criteria(criteria());
    let first = first.minimize(sphere).unwrap();
    assert_eq!(first, last.minimize(sphere).unwrap());
    // Single setters override the criteria, and the budget of the criteria is that of each run.
    assert!(matches!(first.stop, Stop::Evaluations { budget: 900, .. }), "{}", first.stop);
    assert!(first.value < 1.0 && first.runs.len() > 1);
    assert!(matches!(first.runs[0].stop, Stop::Evaluations { budget: 70, .. }), "{}", first.runs[0].stop);
}

#[test]
fn bad_starts_are_named() {
    assert_eq!(
        Starts::in_box(&[0.0, 1.0], &[1.0, 0.5]).unwrap_err(),
        StartPointsError::Side { index: 1, lower: 1.0, upper: 0.5 }
    );
    assert_eq!(
        Starts::in_box(&[0.0], &[1.0, 0.5]).unwrap_err(),
        StartPointsError::BoxOfWrongLength { expected: 1, got: 2 }
    );
    assert!(matches!(Starts::in_box(&[f64::MIN], &[f64::MAX]), Err(StartPointsError::Side { .. })));
    assert!(matches!(Starts::around(&[f64::NAN], 1.0), Err(StartPointsError::Point { index: 0, .. })));
    assert!(matches!(Starts::around(&[0.0], -1.0), Err(StartPointsError::Deviation { deviation: -1.0 })));

    let error = restarts(Ipop::new(), cube(2), -1.0).build().map(drop).unwrap_err();
    assert_eq!(error, SearchError::Start { run: 0, error: StartError::StepSize { sigma: -1.0 } });
    let error = restarts(Ipop::new(), cube(2), 1.0).target(f64::NAN).build().map(drop).unwrap_err();
    assert_eq!(error, SearchError::Target);
    let error = restarts(Ipop::new(), Starts::from_fn(2, |_, _| vec![]), 1.0).build().map(drop).unwrap_err();
    assert_eq!(error, SearchError::StartOfWrongLength { run: 0, expected: 2, got: 0 });
}

#[test]
fn a_run_that_cannot_start_ends_the_search_and_loses_nothing() {
    let starts = || Starts::from_fn(2, |k, _| if k < 2 { vec![1.0, 1.0] } else { vec![f64::NAN, 0.0] });
    let builder =
        || restarts(Independent::new(), starts(), 1.0).max_runs(9).criteria(StopCriteria::new().max_iterations(5));
    let outcome = builder().minimize(sphere).unwrap();
    assert_eq!(outcome.runs.len(), 2);
    assert!(outcome.stop.to_string().contains("run 2 could not start: coordinate 0"), "{}", outcome.stop);
    assert!(outcome.value < 2.0);

    let mut search = builder().build().unwrap();
    let error = loop {
        let values: Vec<f64> = search.ask().iter().map(sphere).collect();
        if let Err(error) = search.tell(&values) {
            break error;
        }
    };
    assert!(matches!(error, SearchError::Start { run: 2, error: StartError::Mean { index: 0, .. } }));
    assert_eq!(search.best().unwrap().value, outcome.value);
    assert!(search.stop().is_some());
}

#[test]
fn an_objective_that_fails_can_be_repaired() {
    let mut search = restarts(Ipop::new(), cube(2), 2.0).max_evaluations(500).seed(3).build().unwrap();
    let mut calls = 0;
    let interrupted = search.run(Fallible(|x: &[f64]| {
        calls += 1;
        if calls == 100 { Err("out of licences") } else { Ok(rastrigin(x)) }
    }));
    let interrupted = interrupted.unwrap_err();
    let Interrupted::Objective { error, told, .. } = interrupted else { panic!("{interrupted}") };
    assert_eq!((error, told), ("out of licences", 99 % 6));
    let resumed = search.run(rastrigin).unwrap();
    let undisturbed = restarts(Ipop::new(), cube(2), 2.0).max_evaluations(500).seed(3).minimize(rastrigin).unwrap();
    assert_eq!(resumed, undisturbed);

    let failed = restarts(Ipop::new(), cube(2), 2.0).minimize(Fallible(|_: &[f64]| Err::<f64, _>("no")));
    assert!(failed.unwrap_err().to_string().ends_with("no"));
}

#[test]
fn all_kinds_of_objectives_give_the_same_search() {
    let search = || restarts(Bipop::new(), cube(3), 2.0).max_evaluations(3000).seed(5).build().unwrap();
    let closure = search().run(rastrigin).unwrap();
    let fallible = search().run(Fallible(|x: &[f64]| Ok::<_, Infallible>(rastrigin(x)))).unwrap();
    let batch = Batch(|points: &ddcma_core::Columns, values: &mut [f64]| {
        points.iter().zip(values).for_each(|(x, value)| *value = rastrigin(x));
    });
    assert_eq!(closure, fallible);
    assert_eq!(closure, search().run(batch).unwrap());
    #[cfg(feature = "rayon")]
    assert_eq!(closure, search().run(ddcma_core::Parallel(rastrigin)).unwrap());
    let mut by_hand: Search<DiagonalDecoding, _> = search();
    while by_hand.stop().is_none() {
        let values: Vec<f64> = by_hand.ask().iter().map(rastrigin).collect();
        by_hand.tell(&values).unwrap();
    }
    assert_eq!(by_hand.runs(), closure.runs);
    let best = by_hand.best().unwrap();
    assert_eq!((best.point, best.value), (&closure.point[..], closure.value));
    assert_eq!(closure.runs[best.run].best_value, best.value);
}

#[test]
fn values_told_wrongly_change_nothing() {
    let mut search = restarts(Ipop::new(), cube(2), 2.0).max_evaluations(100).build().unwrap();
    assert!(matches!(search.tell(&[1.0; 6]), Err(SearchError::Tell(_))), "nothing was asked");
    search.ask();
    assert!(matches!(search.tell(&[1.0; 5]), Err(SearchError::Tell(_))));
    assert_eq!(search.evaluations(), 0);
    search.tell(&[1.0; 6]).unwrap();
    assert_eq!(search.evaluations(), 6);
}

#[test]
fn a_criterion_ends_the_whole_search_within_a_run() {
    let mut seen = Vec::new();
    let search = restarts(Independent::new(), cube(2), 2.0).max_runs(5).stop_when(|view| {
        let View { evaluations, iterations, .. } = view.current;
        seen.push((view.run, view.past.len(), view.evaluations, evaluations));
        assert!(view.best_value <= view.current.best_value());
        (view.run == 1 && iterations >= 4).then(|| "enough".to_string())
    });
    let outcome = search.minimize(sphere).unwrap();
    assert_eq!(outcome.stop, Stop::User { reason: "enough".to_string() });
    assert_eq!(outcome.runs.len(), 2);
    assert!(outcome.runs[1].stop.to_string().contains("enough"));
    let first = outcome.runs[0].evaluations;
    assert_eq!(seen.last(), Some(&(1, 1, first + 24, 24)));
    assert_eq!(seen[0], (0, 0, 6, 6));

    // The target comes first, as in a single run. Here the criterion sees the current run.
    let mut search = restarts(Independent::new(), cube(2), 2.0).max_runs(5).target(1e9).build().unwrap();
    let outcome = search.run_with(sphere, &mut With::new().stop_when(|_| Some("mine".to_string()))).unwrap();
    assert!(matches!(outcome.stop, Stop::Target { .. }));
    assert!(matches!(outcome.runs[0].stop, Stop::Target { target: 1e9, .. }));
}

/// Restarts at the best point.
#[derive(Clone, Debug)]
struct Refine;

impl Policy for Refine {
    fn name(&self) -> &'static str {
        "refine"
    }

    fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let usual = past.usual_run(Regime::Again);
        (past.runs.len() < 4).then_some(RunPlan { start: StartRule::AtBest, sigma: past.sigma / 2.0, ..usual })
    }

    fn ends(&self) -> bool {
        true
    }
}

#[test]
fn a_custom_policy_may_start_at_the_best_point() {
    let outcome =
        restarts(Refine, cube(3), 2.0).criteria(StopCriteria::new().max_iterations(6)).minimize(rastrigin).unwrap();
    assert_eq!(outcome.stop, Stop::PolicyDone { runs: 4 });
    let mut best: Option<(f64, Vec<f64>)> = None;
    for run in &outcome.runs {
        if let Some((_, point)) = &best {
            assert_eq!(&run.start, point);
        }
        if best.as_ref().is_none_or(|(value, _)| run.best_value < *value) {
            best = Some((run.best_value, run.best_point.clone().unwrap()));
        }
    }
}

/// Plans nothing.
#[derive(Debug)]
struct Nothing;

impl Policy for Nothing {
    fn name(&self) -> &'static str {
        "nothing"
    }

    fn next(&self, _: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        None
    }
}

#[test]
fn a_policy_that_plans_nothing_is_refused() {
    let error = restarts(Nothing, cube(3), 2.0).max_runs(1).build().map(drop).unwrap_err();
    assert_eq!(error, SearchError::NothingPlanned { policy: "nothing" });
}

#[test]
fn a_run_starts_with_the_step_size_of_its_plan() {
    let mut search = restarts(Nipop::new(), cube(2), 2.0)
        .max_runs(4)
        .criteria(StopCriteria::new().max_iterations(1))
        .build()
        .unwrap();
    let mut sigmas = Vec::new();
    while search.stop().is_none() {
        sigmas.push(search.optimizer().unwrap().sigma());
        let values: Vec<f64> = search.ask().iter().map(sphere).collect();
        search.tell(&values).unwrap();
    }
    assert_eq!(sigmas.len(), 4);
    for (k, sigma) in sigmas.iter().enumerate() {
        assert!((sigma * 1.6f64.powi(k as i32) - 2.0).abs() < 1e-14, "run {k}: {sigma}");
    }
}

#[test]
fn a_run_has_a_budget_of_its_own_and_the_search_the_last_word() {
    let stops = StopCriteria::new().max_evaluations(30);
    let outcome =
        restarts(Independent::new(), cube(2), 2.0).max_evaluations(100).criteria(stops).minimize(rastrigin).unwrap();
    let evaluations: Vec<u64> = outcome.runs.iter().map(|run| run.evaluations).collect();
    assert_eq!(evaluations, [30, 30, 30, 12]);
    assert_eq!(outcome.stop, Stop::Evaluations { evaluations: 102, budget: 100 });
    assert_eq!(outcome.runs[3].stop, Stop::Evaluations { evaluations: 102, budget: 100 });
    assert_eq!(outcome.runs[2].stop, Stop::Evaluations { evaluations: 30, budget: 30 });
}

#[test]
fn the_target_of_the_search_outranks_that_of_the_criteria() {
    let build = || restarts(Ipop::new(), cube(2), 2.0).criteria(StopCriteria::new().target(1e-3)).max_evaluations(9999);
    let of_stops = build().minimize(sphere).unwrap();
    assert!(matches!(of_stops.stop, Stop::Target { target: 1e-3, .. }));
    let own = build().target(1e-6).minimize(sphere).unwrap();
    assert!(matches!(own.stop, Stop::Target { target: 1e-6, .. }) && own.value <= 1e-6);
}

#[test]
fn the_best_evaluation_is_counted_over_all_runs() {
    let mut values = Vec::new();
    let mut search = restarts(Independent::new(), cube(2), 2.0)
        .max_runs(6)
        .criteria(StopCriteria::new().max_iterations(3))
        .seed(4)
        .build()
        .unwrap();
    while search.stop().is_none() {
        let told: Vec<f64> = search.ask().iter().map(rastrigin).collect();
        values.extend_from_slice(&told);
        search.tell(&told).unwrap();
        let best = search.best().unwrap();
        assert_eq!(values[best.evaluation as usize - 1], best.value);
        assert!(values.iter().all(|value| *value >= best.value));
        assert_eq!(best.run, (best.evaluation as usize - 1) / 18);
    }
    assert_eq!(search.outcome().unwrap().evaluations, values.len() as u64);
}

#[test]
fn after_the_end_no_values_are_taken_until_there_is_a_budget_again() {
    let mut search = restarts(Ipop::new(), cube(2), 2.0).max_evaluations(20).seed(2).build().unwrap();
    assert!(search.outcome().is_none());
    let ended = search.run(rastrigin).unwrap();
    assert_eq!(ended.evaluations, 24);
    search.ask();
    assert_eq!(search.tell(&[0.0; 6]), Err(SearchError::Tell(TellError::Over)));
    assert_eq!(search.outcome(), Some(ended));
    search.set_max_evaluations(24).unwrap();
    assert!(search.stop().is_some(), "nothing is left of that");
    search.set_max_evaluations(60).unwrap();
    let more = search.run(rastrigin).unwrap();
    let whole = restarts(Ipop::new(), cube(2), 2.0).max_evaluations(60).seed(2).minimize(rastrigin).unwrap();
    assert_eq!(more, whole, "as if the budget had been this one from the start");
}

#[test]
fn values_that_are_no_numbers_have_no_best() {
    let outcome = restarts(Ipop::new(), cube(3), 2.0).max_evaluations(500).minimize(|_: &[f64]| f64::NAN).unwrap();
    assert!(outcome.value.is_nan() && outcome.point.len() == 3);
    assert!(outcome.runs.iter().all(|run| run.best_value == f64::INFINITY && run.best_point.is_none()));
}

#[test]
fn an_update_that_cannot_be_made_ends_the_run_and_not_the_search() {
    let starts = Starts::around(&[1e308; 2], 0.0).unwrap();
    let mut search = restarts(Independent::new(), starts, 1e304).max_runs(3).build().unwrap();
    let outcome = search.run(|x: &[f64]| -x[0]).unwrap();
    assert_eq!(outcome.runs.len(), 3);
    assert!(outcome.runs.iter().all(|run| run.stop.name() == "numerical"), "{:?}", outcome.runs[0].stop);
}

#[test]
fn what_leaves_no_room_for_a_run_is_refused() {
    let error = |search: Result<Search<DiagonalDecoding, Ipop>, SearchError>| search.map(drop).unwrap_err();
    let new = || restarts(Ipop::new(), cube(2), 2.0);
    assert_eq!(error(new().max_runs(0).build()), SearchError::EmptyBudget { of: "runs" });
    assert_eq!(error(new().max_evaluations(0).build()), SearchError::EmptyBudget { of: "evaluations" });
    assert_eq!(error(new().max_time(Duration::ZERO).build()), SearchError::EmptyBudget { of: "time" });
    let of_run = |of| SearchError::Start { run: 0, error: StartError::EmptyBudget { of } };
    assert_eq!(error(new().max_iterations(0).build()), of_run("iterations"));
    let of_criteria = new().criteria(StopCriteria::new().max_evaluations(0)).build();
    assert_eq!(error(of_criteria), of_run("evaluations"));
    let narrow = new().bounds(Bounds::uniform(2, -6.0, 4.0).unwrap()).build();
    assert_eq!(error(narrow), SearchError::BoxOutsideBounds { index: 0, side: (-5.0, 5.0), bounds: (-6.0, 4.0) });
    let policy = restarts(Ipop::new().factor(0.5), cube(2), 2.0).build();
    let expected = PolicyError::new("ipop", "factor", 0.5, "finite and at least 1");
    assert_eq!(error(policy), SearchError::Policy(expected));
}

/// A strategy with an option, and nothing else.
#[derive(Clone, Debug)]
struct Chosen {
    separable: Separable,
    option: u32,
}

impl Strategy for Chosen {
    const NAME: &'static str = "chosen";
    type Options = u32;
    type StepSize = ddcma_core::Csa;
    fn start(params: &ddcma_core::Params, option: &u32, shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self { separable: Separable::start(params, &(), shape)?, option: *option })
    }
    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        self.separable.sample(z, y);
    }
    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        self.separable.whiten(y, z);
    }
    fn update(
        &mut self,
        generation: &Generation<'_>,
        pace: &mut dyn Pace,
        params: &ddcma_core::Params,
    ) -> Result<(), UpdateError> {
        self.separable.update(generation, pace, params)
    }
    fn shape(&self) -> Shape<'_> {
        self.separable.shape()
    }
    fn c(&self) -> Columns {
        self.separable.c()
    }
    fn axis_lengths(&self) -> Vec<f64> {
        self.separable.axis_lengths()
    }
}

#[test]
fn every_run_starts_with_the_given_shape_and_the_options_of_its_strategy() {
    let c = Columns::from_vec(2, vec![4.0, 1.0, 1.0, 9.0]).unwrap();
    let criteria = StopCriteria::new().max_iterations(3);
    let search = restarts(Independent::new(), cube(2), 2.0).strategy::<Chosen>().strategy_options(7);
    let mut search = search.covariance(c).criteria(criteria).max_runs(3).max_evaluations(1000).build().unwrap();
    let mut starts = 0;
    while search.stop().is_none() {
        if search.optimizer().unwrap().iterations() == 0 {
            starts += 1;
            assert_eq!(search.optimizer().unwrap().d(), [2.0, 3.0]);
        }
        assert_eq!(search.optimizer().unwrap().strategy().option, 7);
        let values: Vec<f64> = search.ask().iter().map(sphere).collect();
        search.tell(&values).unwrap();
    }
    assert_eq!(starts, 3);
}

/// Records the ends of runs: evaluations and reasons.
#[derive(Default)]
struct Ends {
    generations: u64,
    runs: Vec<(u64, String)>,
}

impl Observer for Ends {
    fn observe(&mut self, _: &View<'_>) {
        self.generations += 1;
    }
    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        self.runs.push((view.evaluations, stop.name().to_string()));
    }
}

#[test]
fn observers_of_a_search_see_every_generation_and_the_end_of_every_run() {
    let mut ends = Ends::default();
    let mut generations = 0;
    let mut count = |_: &View<'_>| generations += 1;
    let search = restarts(Ipop::new(), cube(3), 2.0).max_evaluations(6_000).seed(2);
    let watched = search.observer(&mut ends).observer(&mut count).minimize(rastrigin).unwrap();
    let alone = restarts(Ipop::new(), cube(3), 2.0).max_evaluations(6_000).seed(2).minimize(rastrigin).unwrap();
    assert_eq!(watched, alone);
    assert!(watched.runs.len() > 2);
    let expected: Vec<_> = watched.runs.iter().map(|run| (run.evaluations, run.stop.name().to_string())).collect();
    assert_eq!(ends.runs, expected);
    let total: u64 = watched.runs.iter().map(|run| run.iterations).sum();
    assert_eq!((ends.generations, generations), (total, total));
}

#[test]
fn a_custom_criterion_ends_the_whole_search() {
    let search = restarts(Independent::new(), cube(3), 2.0).max_evaluations(50_000).seed(2);
    let outcome = search.stop_when(|view| (view.run == 2).then(|| "the third run".to_string())).minimize(rastrigin);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.stop, Stop::User { reason: "the third run".to_string() });
    assert_eq!((outcome.runs.len(), outcome.runs[2].iterations), (3, 1));
}

#[test]
fn the_mean_and_the_deviations_are_those_of_the_best_run() {
    let outcome = restarts(Independent::new(), cube(3), 2.0).max_runs(6).seed(5).minimize(rastrigin).unwrap();
    let best = outcome.best_run.unwrap();
    assert!(best > 0 && best < 5, "another one than the first and the last: {best}");
    let run = &outcome.runs[best];
    assert_eq!((run.best_value, run.best_point.as_ref()), (outcome.value, Some(&outcome.point)));
    assert_eq!((&run.mean, &run.deviations), (&outcome.mean, &outcome.deviations));
    for ((mean, x), deviation) in outcome.mean.iter().zip(&outcome.point).zip(&outcome.deviations) {
        assert!(*deviation > 0.0 && *deviation < 1e-5 && (mean - x).abs() < 1e-5);
    }
    let nothing = restarts(Independent::new(), cube(3), 2.0).max_runs(2).minimize(|_: &[f64]| f64::NAN).unwrap();
    assert_eq!((nothing.best_run, &nothing.point), (None, &nothing.mean));
    assert_eq!(nothing.mean, nothing.runs[1].mean);
}

#[test]
fn an_outcome_prints_itself_with_a_line_for_each_run() {
    let outcome = restarts(Ipop::new(), cube(2), 2.0).max_runs(3).seed(1).minimize(rastrigin).unwrap();
    let text = outcome.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("f = {:e}", outcome.value));
    assert!(lines[1].starts_with("x = ["), "{text}");
    assert_eq!(lines[2], format!("{} evaluations in 3 runs", outcome.evaluations));
    assert_eq!(lines[3], "stopped by runs: 3 runs made");
    assert_eq!(
        lines[4].split_whitespace().collect::<Vec<_>>(),
        ["run", "regime", "λ", "evaluations", "best", "f", "stop"]
    );
    for (k, (run, line)) in outcome.runs.iter().zip(&lines[5..]).enumerate() {
        let best = format!("{:e}{}", run.best_value, if outcome.best_run == Some(k) { "*" } else { "" });
        let (lambda, evaluations) = (run.plan.lambda.to_string(), run.evaluations.to_string());
        let expected = [&k.to_string(), run.plan.regime.name(), &lambda, &evaluations, &best, run.stop.name()];
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), expected);
    }
    assert_eq!(lines.len(), 8);
}

/// The documentation of `restarts` quotes these numbers.
#[test]
fn a_search_without_target_and_budget_says_what_it_cost() {
    let cost = |policy: Box<dyn Policy>| {
        let outcome = restarts(policy, cube(2), 2.0).minimize(sphere).unwrap();
        let text = outcome.to_string();
        assert!(text.contains("neither a target nor a budget ended the search"), "{text}");
        assert!(text.contains(&format!("{} evaluations in {} runs", outcome.evaluations, outcome.runs.len())));
        (outcome.runs[0].evaluations, outcome.evaluations)
    };
    let (first, ipop) = cost(Box::new(Ipop::new()));
    let (_, bipop) = cost(Box::new(Bipop::new()));
    assert!((400..600).contains(&first), "{first}");
    assert!((140_000..160_000).contains(&ipop), "{ipop}");
    assert!((300_000..320_000).contains(&bipop), "{bipop}");
    let limited = restarts(Bipop::new(), cube(2), 2.0).target(1e-9).minimize(sphere).unwrap();
    assert!(!limited.to_string().contains("neither") && limited.evaluations < 600);
}
