//! Running: every kind of objective gives the same run, and none of them can corrupt it.
#![cfg(feature = "dense")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::{self, bits, ellipsoid, sphere};
use ddcma_core::{
    Batch, Columns, DdCma, Fallible, Interrupted, MinimizeError, Missing, Objective, OpenGeneration, Plain, Separable,
    Settings, StartError, Stop, StopCriteria, TellError, View, With, drive, minimize,
};

fn start() -> DdCma {
    DdCma::builder(&[1.0; 6], 0.5).criteria(StopCriteria::none().max_iterations(60)).seed(8).build().unwrap()
}

#[test]
fn every_kind_of_objective_gives_the_same_run() {
    let mut by_hand = start();
    (0..60).for_each(|_| common::step(&mut by_hand, ellipsoid));

    let mut by_closure = start();
    let stop = by_closure.run(ellipsoid).unwrap();
    assert_eq!(stop, Stop::Iterations { iterations: 60, budget: 60 });
    assert_eq!(bits(&by_closure), bits(&by_hand));

    let mut by_fallible = start();
    by_fallible.run(Fallible(|x: &[f64]| Ok::<_, ()>(ellipsoid(x)))).unwrap();
    assert_eq!(bits(&by_fallible), bits(&by_hand));

    let mut by_batch = start();
    let batch = |points: &Columns, values: &mut [f64]| {
        points.iter().zip(values).for_each(|(x, value)| *value = ellipsoid(x));
    };
    by_batch.run(Batch(batch)).unwrap();
    assert_eq!(bits(&by_batch), bits(&by_hand));
}

#[cfg(feature = "rayon")]
#[test]
fn the_number_of_threads_does_not_matter() {
    let mut by_closure = start();
    by_closure.run(ellipsoid).unwrap();
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut parallel = start();
        pool.install(|| parallel.run(ddcma_core::Parallel(ellipsoid))).unwrap();
        assert_eq!(bits(&parallel), bits(&by_closure), "{threads} threads");
    }
}

#[test]
fn an_error_interrupts_and_loses_nothing() {
    let mut undisturbed = start();
    undisturbed.run(ellipsoid).unwrap();

    let mut es = start();
    let mut calls = 0;
    let mut seen = Vec::new();
    let failing = Fallible(|x: &[f64]| {
        calls += 1;
        if calls == 100 {
            return Err("the simulator is out of licences");
        }
        seen.push(ellipsoid(x));
        Ok(ellipsoid(x))
    });
    let interrupted = es.run(failing).unwrap_err();
    let Interrupted::Objective { error, told, missing } = interrupted else { panic!("{interrupted}") };
    // λ = 9: eleven generations of 99 values were told, and none of the twelfth was computed.
    assert_eq!((error, told, missing), ("the simulator is out of licences", 0, 9));
    assert_eq!((es.iterations(), es.evaluations()), (11, 99));
    assert_eq!(seen.len(), 99);
    es.run(ellipsoid).unwrap();
    assert_eq!(bits(&es), bits(&undisturbed));
}

#[test]
fn an_objective_that_fails_once_evaluates_no_point_twice() {
    let mut undisturbed = start();
    undisturbed.run(ellipsoid).unwrap();

    // Fails at the third candidate, then in the middle of a later generation; the second time with all kinds of objectives.
    let mut es = start();
    let mut seen: Vec<Vec<f64>> = Vec::new();
    let mut failures = vec![2, 40, 41, 100];
    let mut interruptions = 0;
    while es.stop().is_none() {
        let ran = es.run(Fallible(|x: &[f64]| {
            if failures.first() == Some(&seen.len()) {
                failures.remove(0);
                return Err(());
            }
            seen.push(x.to_vec());
            Ok(ellipsoid(x))
        }));
        interruptions += usize::from(ran.is_err());
        if interruptions == 3 {
            let batch = |points: &Columns, values: &mut [f64]| {
                for (x, value) in points.iter().zip(values) {
                    seen.push(x.to_vec());
                    *value = ellipsoid(x);
                }
            };
            es.step(&mut Batch(batch)).unwrap(); // the rest of the generation
        }
    }
    assert_eq!(interruptions, 4);
    assert_eq!(seen.len() as u64, es.evaluations());
    let mut points: Vec<Vec<u64>> = seen.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect();
    points.sort();
    points.dedup();
    assert_eq!(points.len(), seen.len());
    assert_eq!(bits(&es), bits(&undisturbed));
}

#[cfg(feature = "rayon")]
#[test]
fn what_is_parallel_may_fail() {
    use ddcma_core::Parallel;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let mut undisturbed = start();
    undisturbed.run(ellipsoid).unwrap();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut es = start();
        let calls = AtomicUsize::new(0);
        let failing = Fallible(|x: &[f64]| {
            calls.fetch_add(1, Ordering::Relaxed);
            if x[0] < 0.2 { Err(x[0]) } else { Ok(ellipsoid(x)) }
        });
        let interrupted = pool.install(|| es.run(Parallel(failing))).unwrap_err();
        let Interrupted::Objective { error, told, missing } = interrupted else { panic!("{interrupted}") };
        let generation = es.ask().clone();
        let failed: Vec<f64> = generation.iter().map(|x| x[0]).filter(|x| *x < 0.2).collect();
        assert_eq!((error, missing), (failed[0], failed.len()), "the first of those that failed");
        assert_eq!(told + missing, 9);
        assert_eq!(calls.load(Ordering::Relaxed) as u64, es.evaluations() + missing as u64);
        es.run(Parallel(Fallible(|x: &[f64]| Ok::<_, ()>(ellipsoid(x))))).unwrap();
        assert_eq!(bits(&es), bits(&undisturbed));
    }
}

/// Tells the values of the first candidates and ends the generation.
struct Hasty {
    told: usize,
    missing: Option<Missing>,
}

impl Objective for Hasty {
    type Error = TellError;

    fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), TellError> {
        for index in 0..self.told {
            generation.tell(index, ellipsoid(generation.point(index)))?;
        }
        if let Some(missing) = self.missing {
            generation.end_early(missing);
        }
        Ok(())
    }
}

#[test]
fn an_objective_may_end_a_generation_early() {
    for missing in [None, Some(Missing::RankLast), Some(Missing::LeaveOut)] {
        let (mut es, mut by_hand) = (start(), start());
        es.step(&mut Hasty { told: 6, missing }).unwrap();
        let tickets: Vec<_> = by_hand.ask_missing().map(|(ticket, x)| (ticket, ellipsoid(x))).take(6).collect();
        tickets.into_iter().for_each(|(ticket, value)| assert!(by_hand.tell_one(ticket, value).unwrap() > 0));
        by_hand.finish(missing.unwrap_or(Missing::RankLast)).unwrap();
        assert_eq!(bits(&es), bits(&by_hand));
        assert_eq!(es.evaluations(), 6);
    }
    let interrupted = start().step(&mut Hasty { told: 3, missing: None }).unwrap_err();
    let Interrupted::Generation(error) = interrupted else { panic!("{interrupted}") };
    assert_eq!(error, TellError::TooFew { told: 3, needed: 4 });
}

#[test]
fn a_caught_panic_leaves_the_run_as_it_was() {
    let mut undisturbed = start();
    undisturbed.run(ellipsoid).unwrap();

    let mut es = start();
    let mut calls = 0;
    let panicking = |x: &[f64]| {
        calls += 1;
        assert!(calls != 200, "a bug in the objective");
        ellipsoid(x)
    };
    let caught = catch_unwind(AssertUnwindSafe(|| es.run(panicking)));
    assert!(caught.is_err());
    assert_eq!(es.iterations(), 22);
    es.run(ellipsoid).unwrap();
    assert_eq!(bits(&es), bits(&undisturbed));
}

#[test]
fn minimize_takes_every_choice() {
    let mut generations = 0;
    let mut count = |_: &View<'_>| generations += 1;
    let solution = minimize(sphere, &[2.0; 4], 1.0)
        .strategy::<Separable>()
        .settings(Settings::new().lambda(20))
        .deviations(&[1.0, 2.0, 3.0, 4.0])
        .seed(5)
        .target(1e-6)
        .max_evaluations(10_000)
        .observer(&mut count)
        .run()
        .unwrap();
    assert!(matches!(solution.stop, Stop::Target { .. }) && solution.value <= 1e-6);
    assert_eq!(sphere(&solution.point), solution.value);
    assert_eq!(solution.evaluations, 20 * solution.iterations);
    assert_eq!(generations, solution.iterations);
    assert!(sphere(&solution.mean) < 1e-4 && solution.deviations.len() == 4);

    let solution = minimize(sphere, &[2.0; 4], 1.0).strategy::<Plain>().max_evaluations(50).run().unwrap();
    assert!(matches!(solution.stop, Stop::Evaluations { evaluations: 56, budget: 50 }));
    let expected = "evaluations: 56 evaluations made, budget 50: a generation that has begun is completed";
    assert_eq!(solution.stop.to_string(), expected);
}

#[test]
fn a_custom_criterion_stops_with_its_reason() {
    let solution = minimize(sphere, &[2.0; 4], 1.0)
        .stop_when(|view| (view.sigma < 0.5 && view.iterations > 0).then(|| format!("sigma is {:.1}", view.sigma)))
        .run()
        .unwrap();
    let Stop::User { reason } = solution.stop else { panic!("{:?}", solution.stop) };
    assert!(reason.starts_with("sigma is 0."), "{reason}");

    let both = minimize(sphere, &[2.0; 4], 1.0).target(1e9).stop_when(|_| Some(String::new())).run();
    assert_eq!(both.unwrap().stop.name(), "target", "target and budgets come first");
    let both =
        minimize(|_: &[f64]| 1.0, &[2.0; 4], 1.0).stop_when(|view| (view.iterations >= 10).then(String::new)).run();
    assert_eq!(both.unwrap().stop.name(), "user", "and stagnation later");
}

#[test]
fn what_an_objective_does_not_evaluate_has_no_value() {
    let lazy = Batch(|points: &Columns, values: &mut [f64]| values[0] = 5.0 + sphere(&points[0]));
    let solution = minimize(lazy, &[2.0; 4], 1.0).max_iterations(5).lambda(12).run().unwrap();
    assert!(solution.value >= 5.0);
    assert_eq!((solution.iterations, solution.evaluations), (5, 60));
}

#[test]
fn minimize_says_what_went_wrong() {
    let error = minimize(sphere, &[f64::NAN], 1.0).run().unwrap_err();
    assert!(matches!(error, MinimizeError::Start(StartError::Mean { index: 0, .. })));
    let error = minimize(Fallible(|_: &[f64]| Err::<f64, _>(std::fmt::Error)), &[1.0; 2], 1.0).run().unwrap_err();
    assert!(error.to_string().starts_with("the objective failed after 0 of 6 values of the generation"), "{error}");
    let mut optimizer: DdCma = error.into_run().unwrap();
    assert!(optimizer.run(sphere).is_ok(), "it can go on");
}

/// Errors of all kinds arrive at a `main` that returns `Box<dyn Error>`, and the run with them.
#[test]
fn an_objective_may_fail_with_any_error() {
    use std::error::Error;

    fn main<E: std::fmt::Debug + std::fmt::Display + 'static>(error: impl Fn() -> E) -> Result<(), Box<dyn Error>> {
        minimize(Fallible(|_: &[f64]| Err::<f64, E>(error())), &[1.0; 2], 1.0).run()?;
        Ok(())
    }
    let told = "the objective failed after 0 of 6 values of the generation: no licence";
    assert_eq!(main(|| "no licence".to_string()).unwrap_err().to_string(), told);
    assert_eq!(main(|| Box::<dyn Error>::from("no licence")).unwrap_err().to_string(), told);
    assert_eq!(main(|| Box::<dyn Error + Send + Sync>::from("no licence")).unwrap_err().to_string(), told);

    let failing = Fallible(|_: &[f64]| Err::<f64, _>("no licence"));
    let error = minimize(failing, &[1.0; 2], 1.0).seed(1).run().unwrap_err();
    let MinimizeError::Interrupted { mut run, .. } = error else { panic!() };
    let stop = drive(&mut *run, &mut sphere, &mut With::new()).unwrap();
    assert_eq!(stop, minimize(sphere, &[1.0; 2], 1.0).seed(1).run().unwrap().stop);
}

#[test]
fn hostile_functions_end_with_a_reason_and_a_finite_state() {
    let flat = minimize(|_: &[f64]| 3.0, &[1.0; 3], 1.0).run().unwrap();
    assert_eq!((flat.value, flat.stop.name()), (3.0, "tol_fun_hist"));
    let nothing = minimize(|_: &[f64]| f64::NAN, &[1.0; 3], 1.0).run().unwrap();
    assert_eq!(nothing.stop.name(), "not_finite");
    assert!(nothing.value.is_nan() && nothing.point == nothing.mean);
    let infinite = minimize(|_: &[f64]| f64::INFINITY, &[1.0; 3], 1.0).run().unwrap();
    assert_eq!((infinite.value, infinite.stop.name()), (f64::INFINITY, "not_finite"));
    let bottomless =
        minimize(|x: &[f64]| if x[0] < 0.9 { f64::NEG_INFINITY } else { x[0] }, &[1.0; 3], 1.0).run().unwrap();
    assert_eq!(bottomless.value, f64::NEG_INFINITY);
    let half = minimize(|x: &[f64]| if x[0] < 0.5 { f64::NAN } else { sphere(x) }, &[1.0; 3], 0.3).run().unwrap();
    assert!((half.value - 0.25).abs() < 1e-6, "{}", half.value);
    for solution in [flat, nothing, infinite, bottomless, half] {
        assert!(solution.mean.iter().chain(&solution.deviations).all(|number| number.is_finite()));
    }
}

#[test]
fn a_solution_prints_itself() {
    let solution = minimize(sphere, &[1.0; 2], 0.5).seed(1).max_evaluations(12).run().unwrap();
    let text = solution.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("f = {:e}", solution.value));
    assert!(lines[1].starts_with("x = [") && lines[1].ends_with(']'), "{text}");
    let first: f64 = lines[1][5..].split(',').next().unwrap().parse().unwrap();
    assert!((first - solution.point[0]).abs() < 1e-6 * first.abs());
    assert_eq!(lines[2], "12 evaluations in 2 generations");
    assert_eq!(lines[3], "stopped by evaluations: 12 of 12 evaluations made");
    assert_eq!(lines.len(), 4);
}
