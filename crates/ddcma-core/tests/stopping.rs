//! Each stop criterion, on both sides of its threshold.

use std::time::Duration;

#[cfg(feature = "dense")]
use crate::common::ellipsoid;
use crate::common::{sphere, step};
use ddcma_core::{
    Bounds, Columns, MinimizeError, SepCma, Separable, Settings, StartError, Stop, StopCriteria, Strategy, TellError,
    UpdateError, minimize,
};
#[cfg(feature = "dense")]
use ddcma_core::{DiagonalDecoding, Plain};

fn start(mean: &[f64], sigma: f64, stops: StopCriteria) -> SepCma {
    SepCma::builder(mean, sigma).criteria(stops).seed(1).build().unwrap()
}

/// One generation with given values for the ranks: the i-th candidate gets `values(i)`.
fn tell(es: &mut SepCma, values: impl Fn(usize) -> f64) {
    let values: Vec<f64> = (0..es.ask().len()).map(values).collect();
    es.tell(&values).unwrap();
}

#[test]
fn target() {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().target(0.5));
    tell(&mut es, |i| 0.5000001 + i as f64);
    assert_eq!(es.stop(), None);
    tell(&mut es, |i| 0.5 + i as f64);
    assert_eq!(es.stop(), Some(Stop::Target { best: 0.5, target: 0.5 }));
}

#[test]
fn a_target_of_infinity_is_met_by_a_value_and_not_by_none() {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().target(f64::INFINITY));
    assert_eq!(es.stop(), None);
    tell(&mut es, |_| f64::NAN);
    assert_eq!(es.stop(), None);
    tell(&mut es, |_| f64::INFINITY);
    assert!(matches!(es.stop(), Some(Stop::Target { .. })));
}

#[test]
fn evaluations() {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().max_evaluations(7));
    step(&mut es, sphere);
    assert_eq!((es.evaluations(), es.stop()), (6, None));
    step(&mut es, sphere);
    assert_eq!(es.stop(), Some(Stop::Evaluations { evaluations: 12, budget: 7 }));
    let mut exact = start(&[0.0; 2], 1.0, StopCriteria::none().max_evaluations(6));
    step(&mut exact, sphere);
    assert_eq!(exact.stop(), Some(Stop::Evaluations { evaluations: 6, budget: 6 }));
}

#[test]
fn iterations() {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().max_iterations(2));
    step(&mut es, sphere);
    assert_eq!(es.stop(), None);
    step(&mut es, sphere);
    assert_eq!(es.stop(), Some(Stop::Iterations { iterations: 2, budget: 2 }));
}

#[test]
fn time() {
    let es = start(&[0.0; 2], 1.0, StopCriteria::none().max_time(Duration::from_nanos(1)));
    assert!(matches!(es.stop(), Some(Stop::Time { .. })));
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().max_time(Duration::from_secs(3600)));
    step(&mut es, sphere);
    assert_eq!(es.stop(), None);
}

#[test]
fn budgets_of_zero_are_refused() {
    let none = StopCriteria::none;
    let empty = [
        ("evaluations", none().max_evaluations(0)),
        ("iterations", none().max_iterations(0)),
        ("time", none().max_time(Duration::ZERO)),
    ];
    for (of, criteria) in empty {
        let started = SepCma::builder(&[3.0; 2], 1.0).criteria(criteria.clone()).build().map(drop);
        assert_eq!(started, Err(StartError::EmptyBudget { of }));
        let mut es = start(&[0.0; 2], 1.0, none().max_iterations(2));
        assert_eq!(es.set_criteria(criteria), Err(StartError::EmptyBudget { of }));
        es.step(&mut sphere).unwrap();
        es.step(&mut sphere).unwrap();
        assert_eq!(
            es.stop(),
            Some(Stop::Iterations { iterations: 2, budget: 2 }),
            "the criteria are still the first ones"
        );
    }
    let error = minimize(sphere, &[3.0; 2], 1.0).max_evaluations(0).run().unwrap_err();
    assert!(matches!(error, MinimizeError::Start(StartError::EmptyBudget { of: "evaluations" })), "{error}");
}

#[test]
fn too_few_finite_values() {
    // n = 2: λ = 6, μ = 3.
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().not_finite(3));
    let finite = |count: usize| move |i: usize| if i < count { i as f64 } else { f64::NAN };
    tell(&mut es, finite(2));
    tell(&mut es, finite(2));
    assert_eq!(es.stop(), None);
    tell(&mut es, finite(3)); // enough: the count begins again
    for values in [f64::INFINITY, f64::NAN] {
        tell(&mut es, |_| values);
    }
    assert_eq!(es.stop(), None);
    tell(&mut es, finite(2));
    assert_eq!(es.stop(), Some(Stop::NotFinite { generations: 3, limit: 3 }));
    assert!(es.mean().iter().all(|m| m.is_finite()));
}

/// Σ (x_i/s_i − 1)²: finding its minimum from 0 requires learning the scales s.
fn scaled(scales: &[f64]) -> impl Fn(&[f64]) -> f64 {
    move |x| x.iter().zip(scales).map(|(x, scale)| (x / scale - 1.0).powi(2)).sum()
}

/// Checks that a run from 0 with the default criteria finds the minimum, and ends because it was found.
fn assert_solved<S: Strategy>(f: impl Fn(&[f64]) -> f64, n: usize, sigma: f64, seed: u64) {
    let solution =
        minimize(f, &vec![0.0; n], sigma).strategy::<S>().seed(seed).max_evaluations(10_000 * n as u64).run();
    let solution = solution.unwrap();
    let (name, value) = (solution.stop.name(), solution.value);
    let converged = ["tol_fun", "tol_fun_hist", "tol_x"].contains(&name);
    assert!(value < 1e-9 && converged, "{}, σ0 = {sigma:e}, seed {seed}: {value:e}, {name}", S::NAME);
}

/// D becomes as elongated as the function; no criterion ends the run because of that.
#[test]
fn scales_of_variables_do_not_end_a_run() {
    let three = |x: &[f64]| (1e4 * x[0] - 3.0).powi(2) + (x[1] - 3.0).powi(2) + (1e-4 * x[2] - 1.0).powi(2);
    let six = [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4];
    for seed in 0..50 {
        assert_solved::<Separable>(three, 3, 1.0, seed);
        assert_solved::<Separable>(scaled(&six), 6, 1.0, seed);
        #[cfg(feature = "dense")]
        assert_solved::<DiagonalDecoding>(three, 3, 1.0, seed);
        #[cfg(feature = "dense")]
        assert_solved::<DiagonalDecoding>(scaled(&six), 6, 1.0, seed);
    }
    // This also holds if the step size is far too small or too large for all of them.
    for scales in [[1e-4, 1.0, 1e4], [1e-5, 1.0, 1e3], [1e-6, 1e2, 1e5], [1e-9, 1.0, 1e6], [1e5, 1e5, 1e5]] {
        for sigma in [1e-3, 1.0, 1e3, 1e5].into_iter().filter(|sigma| scales[0] / sigma < 1e8) {
            for seed in 0..3 {
                assert_solved::<Separable>(scaled(&scales), 3, sigma, seed);
                #[cfg(feature = "dense")]
                assert_solved::<DiagonalDecoding>(scaled(&scales), 3, sigma, seed);
            }
        }
    }
}

#[cfg(feature = "dense")]
#[test]
fn condition_of_c_is_that_of_the_variances() {
    use ddcma_core::PlainCma;
    let limit = 100.0;
    let stops = StopCriteria::none().condition(limit);
    let literal = Settings::new().root(ddcma_core::Root::Literal); // which knows the extremes exactly
    let mut es = PlainCma::builder(&[1.0; 3], 1.0).settings(literal).criteria(stops).build().unwrap();
    let condition = |plain: &Plain| (plain.shape().axes.longest / plain.shape().axes.shortest).powi(2);
    let mut before = 1.0;
    while es.stop().is_none() {
        before = condition(es.strategy());
        step(&mut es, ellipsoid);
    }
    let Some(Stop::Condition { condition: of_c, .. }) = es.stop() else { panic!() };
    assert!(before <= limit && of_c > limit);
    // The eigenvalues of C themselves, and not their roots, have this ratio.
    let lengths = es.strategy().axis_lengths();
    assert!((of_c / (lengths[2] / lengths[0]).powi(2) - 1.0).abs() < 1e-12);
    assert!(of_c < 1e4, "stopped when the condition number was passed, not its square: {of_c}");
}

#[test]
fn no_effect_axis_looks_along_the_axis_of_the_iteration() {
    // Coordinate 1 is so far away that a step of one is lost in rounding; coordinate 0 is not.
    let mut es = start(&[0.0, 1e20], 1.0, StopCriteria::none().no_effect_axis(true));
    let z = Columns::zeros(2, 6);
    let mut stops = Vec::new();
    for _ in 0..4 {
        es.ask_with(&z).unwrap();
        es.tell(&[0.0; 6]).unwrap();
        stops.push(es.stop());
    }
    let lost =
        |stop: &Option<Stop>| matches!(stop, Some(Stop::NoEffectAxis { step, .. }) if *step > 0.0 && *step < 1.0);
    assert_eq!(stops.iter().map(lost).collect::<Vec<_>>(), [true, false, true, false]);
    assert!(stops[1].is_none() && stops[3].is_none());
}

#[cfg(feature = "dense")]
#[test]
fn no_effect_axis_of_a_tilted_distribution_needs_all_coordinates_to_be_lost() {
    use ddcma_core::PlainCma;
    let stops = StopCriteria::none().no_effect_axis(true);
    // Every principal axis of the tilted C has a part along coordinate 0, where it is not lost.
    let literal = Settings::new().root(ddcma_core::Root::Literal);
    let mut es = PlainCma::builder(&[0.0, 1e20], 1.0).settings(literal).criteria(stops).seed(3).build().unwrap();
    for _ in 0..60 {
        step(&mut es, |x| (x[0] + (x[1] - 1e20)).powi(2) * 1e4 + (x[0] - (x[1] - 1e20)).powi(2));
    }
    let tilt = es.c()[0][1].abs() / (es.c()[0][0] * es.c()[1][1]).sqrt();
    assert!(tilt > 0.1, "{tilt}");
    assert_eq!(es.stop(), None);
    let mut tiny =
        PlainCma::builder(&[1.0, 1.0], 1e-18).criteria(StopCriteria::none().no_effect_axis(true)).build().unwrap();
    step(&mut tiny, sphere);
    assert!(matches!(tiny.stop(), Some(Stop::NoEffectAxis { iteration: 1, .. })));
}

/// Returns whether a criterion fires after one generation from (1, 1), for step sizes on both sides of its threshold.
fn over_step_sizes(stops: &StopCriteria, expected: impl Fn(&SepCma) -> bool) {
    let mut outcomes = Vec::new();
    for k in 0..60 {
        let mut es = start(&[1.0, 1.0], 1e-17 * 1.2f64.powi(k), stops.clone());
        step(&mut es, |x| x[0]);
        assert_eq!(es.stop().is_some(), expected(&es), "sigma {:e}: {:?}", es.sigma(), es.stop());
        outcomes.push(es.stop().is_some());
    }
    assert!(outcomes.contains(&true) && outcomes.contains(&false));
}

#[test]
fn no_effect_coordinate() {
    let stops = StopCriteria::none().no_effect_coordinate(true);
    let mut es = start(&[0.0, 1e20], 1.0, stops.clone());
    step(&mut es, |x| x[0] * x[0]);
    let Some(Stop::NoEffectCoordinate { index, deviation, mean, .. }) = es.stop() else { panic!("{:?}", es.stop()) };
    assert_eq!((index, mean), (1, es.mean()[1]));
    assert_eq!(mean + 0.2 * deviation, mean);
    over_step_sizes(&stops, |es| es.mean().iter().zip(es.deviations()).any(|(m, d)| m + 0.2 * d == *m));
}

#[test]
fn no_effect_axis_is_a_tenth_of_a_deviation() {
    // In the first iteration the axis is that of coordinate 1.
    over_step_sizes(&StopCriteria::none().no_effect_axis(true), |es| {
        es.mean()[1] + 0.1 * es.sigma() * es.d()[1] == es.mean()[1]
    });
}

#[cfg(feature = "dense")]
#[test]
fn coordinate_criteria_use_the_deviations_of_a_full_matrix() {
    use ddcma_core::PlainCma;
    // C has learned large variances by now: σ·√C_kk is far from σ·C_kk.
    let f = |x: &[f64]| ellipsoid(&[x[2] - x[1], x[1] + x[0], x[0] - x[2]]);
    for (tol_x, tol_x_up) in [(Some(0.03), None), (Some(1e-3), None), (None, Some(50.0)), (None, Some(500.0))] {
        let stops = StopCriteria::none().tol_x(tol_x).tol_x_up(tol_x_up);
        let builder = PlainCma::builder(&[5.0, 50.0, 500.0], 1.0).deviations(&[0.1, 1.0, 10.0]);
        let mut es = builder.criteria(stops).seed(7).build().unwrap();
        let mut far_from_one = false;
        for _ in 0..4000 {
            // With and without a minimum to converge to.
            step(&mut es, |x| if tol_x.is_some() { f(x) } else { x[0] + 0.1 * x[1] });
            let variances: Vec<f64> = (0..3).map(|k| es.c()[k][k]).collect();
            far_from_one |= variances.iter().any(|c| (c.sqrt() / c - 1.0).abs() > 0.3);
            let path = es.strategy().path_c().p();
            let initial = [0.1, 1.0, 10.0];
            let deviation = |k: usize| es.sigma() * initial[k] * variances[k].sqrt() / initial[k];
            let stride = |k: usize| es.sigma() * path[k].abs() / initial[k];
            let small = tol_x.is_some_and(|tol| (0..3).all(|k| deviation(k) < tol && stride(k) < tol));
            let grown =
                |limit: f64| (0..3).all(|k| deviation(k) > limit) || (0..3).any(|k| deviation(k) > limit * limit);
            let large = tol_x_up.is_some_and(grown);
            assert_eq!(es.stop().is_some(), small || large, "{:?}", es.stop());
            if es.stop().is_some() {
                break;
            }
        }
        assert!(es.stop().is_some() && far_from_one, "{tol_x:?} {tol_x_up:?}");
    }
}

#[test]
fn a_long_path_into_the_negative_keeps_tol_x_from_firing() {
    let mut it_mattered = 0;
    for seed in 0..20 {
        let tolerance = 0.5;
        let stops = StopCriteria::none().tol_x(tolerance);
        let mut es = SepCma::builder(&[1.0, 1.0], 1.0).criteria(stops).seed(seed).build().unwrap();
        for _ in 0..60 {
            step(&mut es, sphere);
            let deviations_small = es.deviations().all(|d| d < tolerance);
            let path = es.strategy().path_d().p();
            let without_abs = path.iter().all(|p| es.sigma() * p < tolerance);
            let with_abs = path.iter().all(|p| es.sigma() * p.abs() < tolerance);
            assert_eq!(es.stop().is_some(), deviations_small && with_abs);
            it_mattered += usize::from(deviations_small && without_abs && !with_abs);
        }
    }
    assert!(it_mattered > 0, "no case where the sign made a difference");
}

#[test]
fn minus_infinity_counts_as_a_value() {
    let mut es = start(&[0.0; 30], 1.0, StopCriteria::none().not_finite(2));
    for _ in 0..5 {
        tell(&mut es, |_| f64::NEG_INFINITY);
        assert_eq!(es.stop(), None);
    }
}

#[test]
fn invalid_thresholds_are_refused() {
    let refused = |stops: StopCriteria| SepCma::builder(&[1.0], 1.0).criteria(stops).build().unwrap_err().to_string();
    assert_eq!(
        refused(StopCriteria::new().target(f64::NAN)),
        "invalid threshold NaN for stop criterion target: it must be a number"
    );
    assert_eq!(
        refused(StopCriteria::new().tol_fun(-1.0)),
        "invalid threshold -1 for stop criterion tol_fun: it must not be negative"
    );
    assert_eq!(
        refused(StopCriteria::new().tol_fun_rel(f64::NAN)),
        "invalid threshold NaN for stop criterion tol_fun_rel: it must be a number"
    );
    assert_eq!(
        refused(StopCriteria::new().not_finite(0)),
        "invalid threshold 0 for stop criterion not_finite: it must be at least 1"
    );
}

#[test]
fn a_stopped_run_can_get_other_criteria() {
    let mut es = start(&[1.0; 2], 1.0, StopCriteria::none().max_iterations(3));
    while es.stop().is_none() {
        step(&mut es, sphere);
    }
    es.set_criteria(StopCriteria::none().max_iterations(5)).unwrap();
    assert_eq!(es.stop(), None);
    assert!(es.set_criteria(StopCriteria::none().tol_x(f64::NAN)).is_err());
    assert_eq!(es.stop(), None);
}

/// The smallest and the largest growth of a deviation since σ0 = 1.
fn growth(es: &SepCma) -> (f64, f64) {
    (es.deviations().fold(f64::INFINITY, f64::min), es.deviations().fold(0.0, f64::max))
}

#[test]
fn tol_x_up_of_all_coordinates_together() {
    let limit = 30.0;
    let mut es = start(&[0.0; 4], 1.0, StopCriteria::none().tol_x_up(limit));
    let mut apart = false;
    while es.stop().is_none() {
        let (smallest, largest) = growth(&es);
        assert!(smallest <= limit && largest <= limit * limit);
        apart |= largest > limit;
        step(&mut es, |x| x[0]);
    }
    assert!(apart, "the coordinate that matters has grown before the others");
    let (smallest, _) = growth(&es);
    assert!(smallest > limit);
    assert_eq!(es.stop(), Some(Stop::TolXUp { index: None, name: None, factor: smallest, limit }));
}

#[test]
fn tol_x_up_of_one_coordinate_that_grows_without_end() {
    let limit = 30.0;
    // Falls forever along the second coordinate, and keeps the others in place.
    let f = |x: &[f64]| x[1] + (x[0] * x[0]).exp() + (x[2] * x[2]).exp();
    let mut es = start(&[0.0; 3], 1.0, StopCriteria::none().tol_x_up(limit));
    while es.stop().is_none() {
        let (smallest, largest) = growth(&es);
        assert!(smallest <= limit && largest <= limit * limit);
        step(&mut es, f);
    }
    let (smallest, largest) = growth(&es);
    assert!(smallest < limit && largest > limit * limit);
    assert_eq!(es.stop(), Some(Stop::TolXUp { index: Some(1), name: None, factor: largest, limit: limit * limit }));
}

/// Checks that a run with the default criteria ends by `tol_x_up`, soon enough.
fn assert_grows_without_end<S: Strategy>(f: fn(&[f64]) -> f64, n: usize, bounds: Option<&Bounds>) {
    for seed in 0..3 {
        let run = minimize(f, &vec![0.0; n], 1.0).strategy::<S>().seed(seed).max_evaluations(1000 * n as u64);
        let run = if let Some(bounds) = bounds { run.bounds(bounds.clone()) } else { run };
        let solution = run.run().unwrap();
        assert_eq!(solution.stop.name(), "tol_x_up", "{}, n = {n}, seed {seed}: {}", S::NAME, solution.stop);
    }
}

#[test]
fn functions_without_a_minimum_end_runs() {
    let functions: [fn(&[f64]) -> f64; 4] = [
        |x| x[0],
        |x| x.iter().sum(),
        // There is a minimum, but the step size is far too small for it.
        |x| (1.0 + x.iter().map(|x| (x - 1e12).powi(2)).sum::<f64>()).ln(),
        // Along a parabola, which C can follow until `condition` ends the run.
        |x| x[0] + x[1..].iter().map(|x| x * x).sum::<f64>(),
    ];
    for n in [1, 2, 10, 40] {
        let mut bounds = (vec![-1.0; n], vec![1.0; n]);
        (bounds.0[0], bounds.1[0]) = (f64::NEG_INFINITY, f64::INFINITY);
        let only_the_first_is_free = Bounds::new(&bounds.0, &bounds.1).unwrap();
        for f in functions {
            assert_grows_without_end::<Separable>(f, n, None);
            #[cfg(feature = "dense")]
            assert_grows_without_end::<DiagonalDecoding>(f, n, None);
        }
        #[cfg(feature = "dense")]
        functions[..3].iter().for_each(|f| assert_grows_without_end::<Plain>(*f, n, None));
        assert_grows_without_end::<Separable>(functions[0], n, Some(&only_the_first_is_free));
        #[cfg(feature = "dense")]
        assert_grows_without_end::<DiagonalDecoding>(functions[0], n, Some(&only_the_first_is_free));
    }
}

#[test]
fn tol_fun_needs_both_ranges() {
    // n = 2, λ = 6: the best values of the last 10 + ⌈60/6⌉ = 20 generations count.
    let stops = StopCriteria::none().tol_fun(1e-3);
    let mut es = start(&[0.0; 2], 1.0, stops.clone());
    for _ in 0..19 {
        tell(&mut es, |i| 1e-4 * i as f64);
        assert_eq!(es.stop(), None);
    }
    tell(&mut es, |i| 1e-4 * i as f64);
    assert!(
        matches!(es.stop(), Some(Stop::TolFun { generation, history: 0.0, tolerance: 1e-3 }) if (generation - 5e-4).abs() < 1e-12)
    );
    tell(&mut es, |i| 1e-3 * i as f64); // the generation differs
    assert_eq!(es.stop(), None);
    tell(&mut es, |i| 2e-3 + 1e-4 * i as f64); // the best values differ
    assert_eq!(es.stop(), None);
}

#[test]
fn the_history_is_rounded_up() {
    // n = 3, λ = 7: 10 + ⌈90/7⌉ = 23 generations.
    let mut es = start(&[0.0; 3], 1.0, StopCriteria::none().tol_fun(1e-3));
    for _ in 0..22 {
        tell(&mut es, |_| 1.0);
        assert_eq!(es.stop(), None);
    }
    tell(&mut es, |_| 1.0);
    assert!(es.stop().is_some());
}

#[test]
fn tol_fun_hist_needs_ten_generations() {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().tol_fun_hist(1e-3));
    for t in 0..9 {
        tell(&mut es, |i| i as f64 + 1e-4 * f64::from(t));
        assert_eq!(es.stop(), None);
    }
    tell(&mut es, |i| i as f64);
    assert!(matches!(es.stop(), Some(Stop::TolFunHist { generations: 10, tolerance: 1e-3, .. })));
    tell(&mut es, |i| i as f64 + 1e-3);
    assert_eq!(es.stop(), None);
}

#[test]
fn tol_x_is_about_deviations_and_paths_relative_to_the_start() {
    let tolerance = 1e-2;
    let stops = StopCriteria::none().tol_x(tolerance);
    let mut es = SepCma::builder(&[1.0, 1e3], 1.0).deviations(&[1.0, 1e3]).criteria(stops).seed(2).build().unwrap();
    let extent = |es: &SepCma| {
        let paths = es.strategy().path_d().p().iter().map(|p| es.sigma() * p.abs());
        let relative = es.deviations().zip(paths).zip([1.0, 1e3]).map(|((d, p), initial)| d.max(p) / initial);
        relative.fold(0.0, f64::max)
    };
    let mut before = 1.0;
    while es.stop().is_none() {
        before = extent(&es);
        assert!(before >= tolerance || es.iterations() == 0);
        step(&mut es, |x| x[0] * x[0] + (x[1] / 1e3).powi(2));
    }
    let Some(Stop::TolX { largest, tolerance: t }) = es.stop() else { panic!("{:?}", es.stop()) };
    assert!((largest / extent(&es) - 1.0).abs() < 1e-12 && t == tolerance);
    assert!(before >= tolerance && largest < tolerance && largest > tolerance / 10.0, "{before} {largest}");
}

#[test]
fn flat_fitness_in_more_than_a_third_of_n_generations() {
    // n = 12: λ = 11, and the ⌈0.1 + 11/4⌉ = 3rd best must equal the best.
    let mut es = start(&[0.0; 12], 1.0, StopCriteria::none().flat_fitness(true));
    let equal = |count: usize| move |i: usize| if i < count { 0.0 } else { i as f64 };
    for count in [3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2] {
        tell(&mut es, equal(count));
        assert_eq!(es.stop(), None, "fewer than n generations");
    }
    tell(&mut es, equal(2));
    assert_eq!(es.stop(), None, "four of twelve");
    tell(&mut es, equal(3)); // the first one leaves the window
    assert_eq!(es.stop(), None, "still four of twelve");
    (0..4).for_each(|_| tell(&mut es, equal(11)));
    assert_eq!(es.stop(), Some(Stop::FlatFitness { flat: 5, generations: 12 }));

    // With few variables, ten generations are looked at.
    let mut es = start(&[0.0], 1.0, StopCriteria::none().flat_fitness(true));
    for _ in 0..9 {
        tell(&mut es, |_| 0.0);
        assert_eq!(es.stop(), None);
    }
    tell(&mut es, |_| 0.0);
    assert_eq!(es.stop(), Some(Stop::FlatFitness { flat: 10, generations: 10 }));
}

#[test]
fn stagnation_needs_best_and_median_values_to_stand_still() {
    let stops = StopCriteria::none().stagnation(true);
    // The window is ⌈0.2 t + 120 + 30·2/6⌉: full for the first time in generation 163.
    let run = |best: fn(f64) -> f64, median: fn(f64) -> f64| {
        let mut es = start(&[0.0; 2], 1.0, stops.clone());
        for t in 1..=400 {
            let t = f64::from(t);
            tell(&mut es, |i| if i == 0 { best(t) } else { median(t) + i as f64 });
            if let Some(stop) = es.stop() {
                return Some((es.iterations(), stop));
            }
        }
        None
    };
    // Values that get worse by one in each generation: the medians of the 20 oldest and newest are known.
    let (generation, stop) = run(|t| t, |t| 5.0 + t).expect("nothing improves");
    let Stop::Stagnation { window, best, .. } = stop else { panic!("{stop:?}") };
    let oldest = generation as f64 - window as f64;
    assert_eq!(best, (oldest + 11.0, generation as f64 - 9.0));

    let (generation, stop) = run(|t| (t * 1.7).sin(), |t| 5.0 + (t * 1.7).sin()).expect("nothing improves");
    assert!((163..=200).contains(&generation), "{generation}");
    let Stop::Stagnation { window, best, median } = stop else { panic!("{stop:?}") };
    assert_eq!(window as u64, (0.2 * generation as f64 + 130.0).ceil() as u64);
    assert!(best.1 >= best.0 && median.1 >= median.0);
    assert_eq!(run(|t| -t, |t| 5.0 + t), None, "the best values improve");
    assert_eq!(run(|t| t, |t| 2000.0 - t), None, "the medians improve");
}

#[test]
fn updates_that_cannot_be_made_are_numerical_stops() {
    let mut es = start(&[0.0; 2], 1e300, StopCriteria::none());
    let stop = loop {
        let values: Vec<f64> = es.ask().iter().map(|x| x[0]).collect();
        if let Err(TellError::Update(error)) = es.tell(&values) {
            assert_eq!(es.stop(), Some(Stop::Numerical(error.clone())));
            break error;
        }
        assert_eq!(es.stop(), None);
    };
    assert!(matches!(stop, UpdateError::OutOfRange { .. }), "{stop}");
}

#[test]
fn the_first_reason_of_several_is_given() {
    let all = StopCriteria::new().target(1.0).max_evaluations(6).max_iterations(1).not_finite(1).tol_fun_hist(1e9);
    let mut es = start(&[0.0; 2], 1.0, all.clone());
    tell(&mut es, |i| if i == 0 { 0.5 } else { f64::NAN });
    assert_eq!(es.stop().map(|stop| stop.name()), Some("target"));
    let mut es = start(&[0.0; 2], 1.0, all.clone());
    tell(&mut es, |_| f64::NAN);
    assert_eq!(es.stop().map(|stop| stop.name()), Some("evaluations"));
    let mut es = start(&[0.0; 2], 1.0, all.clone().max_evaluations(None));
    tell(&mut es, |_| f64::NAN);
    assert_eq!(es.stop().map(|stop| stop.name()), Some("iterations"));
    let mut es = start(&[0.0; 2], 1.0, all.max_evaluations(None).max_iterations(None));
    (0..12).for_each(|_| tell(&mut es, |_| f64::NAN));
    assert_eq!(es.stop().map(|stop| stop.name()), Some("not_finite"));
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::new().tol_fun_hist(1e9));
    (0..12).for_each(|_| tell(&mut es, |i| i as f64));
    assert_eq!(es.stop().map(|stop| stop.name()), Some("tol_fun_hist"));
}

#[test]
fn nothing_stops_what_has_no_criterion() {
    let mut es = start(&[1.0; 2], 1.0, StopCriteria::none());
    for _ in 0..300 {
        tell(&mut es, |_| f64::NAN);
        assert_eq!(es.stop(), None);
    }
}

#[test]
fn the_usual_criteria_end_usual_runs() {
    let end = |f: fn(&[f64]) -> f64| {
        let settings = Settings::new();
        let mut es = SepCma::builder(&[1.0; 5], 1.0).settings(settings).seed(4).build().unwrap();
        while es.stop().is_none() {
            assert!(es.iterations() < 5000);
            step(&mut es, f);
        }
        es.stop().unwrap().name()
    };
    assert_eq!(end(sphere), "tol_fun");
    assert_eq!(end(|_| 1.0), "tol_fun_hist");
    assert_eq!(end(|_| f64::NAN), "not_finite");
    assert_eq!(end(|_| f64::NEG_INFINITY), "flat_fitness");
    assert_eq!(end(|x| x[0]), "tol_x_up");
    assert_eq!(end(|x| 1e6 + sphere(x)), "tol_fun_rel");
}

#[test]
fn reasons_read_as_sentences() {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().target(0.5));
    tell(&mut es, |_| 0.25);
    assert_eq!(es.stop().unwrap().to_string(), "target: the best value 0.25 is at most 0.5");
}

#[test]
fn reasons_round_what_was_computed_and_keep_what_was_set() {
    let text = |value: f64, target: f64| {
        let mut es = start(&[0.0; 2], 1.0, StopCriteria::none().target(target));
        tell(&mut es, |_| value);
        es.stop().unwrap().to_string()
    };
    assert_eq!(text(1.0 / 3.0, 1.234_567_89), "target: the best value 0.3333 is at most 1.23456789");
    assert_eq!(text(9.876_543_21e-11, 1e-10), "target: the best value 9.877e-11 is at most 1e-10");
    assert_eq!(text(16.148_96, 16.149), "target: the best value 16.14896 is at most 16.149", "not 16.15");
    let seconds = Duration::from_secs_f64;
    let time = Stop::Time { elapsed: seconds(60.012_345_678), budget: seconds(60.0) };
    assert_eq!(time.to_string(), "time: 60.01s of 60s passed");
    let tol_fun = Stop::TolFun { generation: 1.234_567e-13, history: 0.0, tolerance: 1e-12 };
    assert_eq!(
        tol_fun.to_string(),
        "tol_fun: the ranges 1.235e-13 of the values and 0 of the best ones are below 1e-12"
    );
}

/// The best of two or three candidates always equals itself. This is not a plateau.
#[test]
fn the_smallest_populations_are_not_flat() {
    for lambda in [2, 3, 4] {
        let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let solution =
            ddcma_core::minimize(f, &[1.0, 2.0], 0.5).lambda(lambda).seed(1).target(1e-8).max_evaluations(20_000).run();
        assert!(solution.as_ref().unwrap().value <= 1e-8, "λ = {lambda}: {solution:?}");
    }
}

/// A run whose deviations are a ten thousandth of the initial ones.
fn shrunk(criteria: StopCriteria) -> SepCma {
    let mut es = start(&[0.0; 2], 1.0, StopCriteria::none());
    while es.sigma() > 1e-4 {
        tell_the_mean(&mut es, |i| i as f64);
    }
    es.set_criteria(criteria).unwrap();
    (0..20).for_each(|t| tell_the_mean(&mut es, |i| 1e9 * (i + t) as f64)); // very different values
    es
}

/// Like [`tell`], of candidates that all lie at the mean, so that the step size shrinks.
fn tell_the_mean(es: &mut SepCma, values: impl Fn(usize) -> f64) {
    let lambda = es.params().lambda();
    es.ask_with(&Columns::zeros(es.params().dimension(), lambda)).unwrap();
    es.tell(&(0..lambda).map(values).collect::<Vec<_>>()).unwrap();
}

#[test]
fn tol_fun_rel_needs_both_ranges_and_compares_them_with_the_values() {
    // n = 2, λ = 6: the best values of the last (10 + ⌈60/6⌉)/2 = 10 generations count.
    for sign in [1.0, -1.0] {
        let mut es = shrunk(StopCriteria::none().tol_fun_rel(1e-3));
        let values = |best: f64, step: f64| move |i: usize| sign * 1000.0 + best + step * i as f64;
        for _ in 0..9 {
            tell_the_mean(&mut es, values(0.0, 0.1));
            assert_eq!(es.stop(), None, "not yet ten generations");
        }
        tell_the_mean(&mut es, values(0.0, 0.1));
        let Some(Stop::TolFunRel { generation, history, magnitude, tolerance }) = es.stop() else { panic!("{sign}") };
        assert!((generation - 0.5).abs() < 1e-9);
        assert_eq!((history, magnitude, tolerance), (0.0, 1000.0, 1e-3));
        tell_the_mean(&mut es, values(0.0, 0.25)); // 1.25 of 1000: the generation differs
        assert_eq!(es.stop(), None);
        tell_the_mean(&mut es, values(0.5, 0.05));
        assert!(es.stop().is_some(), "the best values differ by half a thousandth");
        tell_the_mean(&mut es, values(1.5, 0.05));
        assert_eq!(es.stop(), None, "the best values differ by more");
    }
    // A distance of 0.4 is large if one of the values is close to zero.
    let mut es = shrunk(StopCriteria::none().tol_fun_rel(0.5));
    (0..10).for_each(|_| tell_the_mean(&mut es, |i| 1.0 + 0.01 * i as f64));
    assert!(es.stop().is_some());
    tell_the_mean(&mut es, |i| 0.6 + 0.01 * i as f64);
    assert_eq!(es.stop(), None, "0.4 is more than half of 0.6");
}

#[test]
fn tol_fun_rel_ends_no_run_on_zero_infinite_or_nan_values() {
    let end = |values: &dyn Fn(usize) -> f64| {
        let mut es = shrunk(StopCriteria::none().tol_fun_rel(1e-3));
        (0..30).for_each(|_| tell_the_mean(&mut es, values));
        es.stop()
    };
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0] {
        assert_eq!(end(&|_| value), None, "{value}");
    }
    assert_eq!(end(&|i| if i == 0 { 5.0 } else { f64::INFINITY }), None);
    assert_eq!(end(&|i| if i == 0 { 5.0 } else { f64::NAN }), None);
    assert_eq!(end(&|i| if i == 0 { f64::NEG_INFINITY } else { 5.0 }), None);
    assert_eq!(end(&|i| if i == 0 { -f64::MAX } else { f64::MAX }), None, "a range beyond the largest number");
    assert!(end(&|_| -5.0).is_some());
    assert!(end(&|_| f64::MIN_POSITIVE).is_some(), "tiny values are as good as others");
}

#[test]
fn tol_fun_rel_waits_until_the_distribution_has_shrunk() {
    // Steps of a hundred thousandth of the way: values hardly change until the steps have grown.
    let f = |x: &[f64]| 1.0 + 1e3 * sphere(x);
    let mut es = start(&[1.0; 4], 1e-5, StopCriteria::none().tol_fun_rel(1e-2));
    let mut alike = 0;
    while es.stop().is_none() {
        assert!(es.iterations() < 5000);
        step(&mut es, f);
        alike += usize::from(es.iterations() <= 16 && es.values().iter().all(|value| (value - 4001.0).abs() < 20.0));
    }
    assert!(alike >= 13, "{alike} generations, of which it looks at 13");
    let shrunk = es.deviations().map(|deviation| (deviation / 1e-5).ln()).sum::<f64>() / 4.0;
    assert!(shrunk < 1e-3f64.ln() && shrunk > 1e-4f64.ln(), "a thousandth, not more: {:e}", shrunk.exp());
}

#[test]
fn a_large_constant_does_not_end_a_run_before_the_minimum_is_found() {
    // The tolerance, 1e-12·1e10, is a hundredth of all that f changes by.
    let f = |x: &[f64]| 1e10 + sphere(x);
    let mut es = start(&[1.0; 4], 0.5, StopCriteria::new());
    while es.stop().is_none() {
        step(&mut es, f);
    }
    assert!(sphere(es.mean()).sqrt() < 5e-3, "{:?}, {:?}", es.mean(), es.stop());
}

/// Returns the evaluations of a run and its stop reason.
#[cfg(feature = "dense")]
fn end_of(f: impl Fn(&[f64]) -> f64, seed: u64, criteria: StopCriteria) -> (u64, &'static str, f64) {
    let solution = minimize(f, &[3.0; 5], 1.0).seed(seed).criteria(criteria).run().unwrap();
    (solution.evaluations, solution.stop.name(), solution.value)
}

#[cfg(feature = "dense")]
#[test]
fn values_far_from_zero_end_a_run_by_the_relative_tolerance() {
    for seed in 0..5 {
        for (factor, shift) in [(1.0, 1e4), (1e6, 1e4), (1.0, -1e4), (1e6, -1e4), (1e-20, 1e-16)] {
            let f = |x: &[f64]| factor * ellipsoid(x) + shift;
            let (without, _, _) = end_of(f, seed, StopCriteria::none().flat_fitness(true));
            let (with, stop, value) = end_of(f, seed, StopCriteria::none().flat_fitness(true).tol_fun_rel(1e-12));
            assert_eq!(stop, "tol_fun_rel", "{factor:e}·f + {shift:e}");
            assert!(with < without && (value - shift).abs() < 1e-12 * shift.abs(), "{with} of {without}, {value:e}");
        }
    }
}

#[cfg(feature = "dense")]
#[test]
fn where_the_minimum_is_zero_the_relative_tolerance_changes_nothing() {
    let rosenbrock =
        |x: &[f64]| x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2)).sum::<f64>();
    for seed in 0..5 {
        for factor in [1e-6, 1.0, 1e6, 1e12] {
            let check = |f: &dyn Fn(&[f64]) -> f64| {
                let before = end_of(f, seed, StopCriteria::new().tol_fun_rel(None));
                assert_eq!(end_of(f, seed, StopCriteria::new()), before, "seed {seed}, {factor:e}");
            };
            check(&|x| factor * sphere(x));
            check(&|x| factor * ellipsoid(x));
            check(&|x| factor * rosenbrock(x));
        }
    }
}
