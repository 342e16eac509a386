//! The contract of ask and tell: what is drawn, counted, kept and rejected.

use crate::common::{self, bits, ellipsoid, normals, sphere, step};
use ddcma_core::{Columns, SepCma, Settings, StartError, TellError};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn start() -> SepCma {
    SepCma::new(&[1.0, 2.0, 3.0], 0.5, 0).expect("a valid start")
}

#[test]
fn asking_again_returns_the_same_points_until_values_are_told() {
    let mut es = start();
    let first = es.ask().clone();
    assert_eq!((first.dimension(), first.len()), (3, 7));
    assert_eq!(*es.ask(), first);
    es.tell(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
    assert_ne!(*es.ask(), first);
    assert_eq!((es.evaluations(), es.iterations()), (7, 1));
}

#[test]
fn a_refused_tell_changes_nothing() {
    let mut es = start();
    assert_eq!(es.tell(&[0.0; 7]), Err(TellError::NotAsked));
    let points = es.ask().clone();
    let before = bits(&es);
    assert_eq!(es.tell(&[0.0; 6]), Err(TellError::WrongCount { expected: 7, got: 6 }));
    assert_eq!((bits(&es), es.evaluations(), es.iterations()), (before, 0, 0));
    assert_eq!(*es.ask(), points);
    let mut undisturbed = start();
    step(&mut undisturbed, ellipsoid);
    step(&mut es, ellipsoid);
    assert_eq!(bits(&es), bits(&undisturbed));
    assert_eq!(es.tell(&[0.0; 7]), Err(TellError::NotAsked));
}

#[test]
fn the_best_point_is_the_best_ever_told() {
    let mut es = start();
    assert!(es.best().is_none());
    assert_eq!(es.best_value(), f64::INFINITY);
    let mut best = (f64::INFINITY, vec![], 0);
    let mut count = 0;
    for generation in 0..50 {
        let f = |x: &[f64]| sphere(x) + 0.1 * f64::from(generation);
        for x in es.ask() {
            count += 1;
            if f(x) < best.0 {
                best = (f(x), x.to_vec(), count);
            }
        }
        step(&mut es, f);
        let told = es.best().unwrap();
        assert_eq!((told.value, told.point, told.evaluation), (best.0, &best.1[..], best.2));
    }
}

#[test]
fn infinite_and_missing_values_are_ranked_and_never_enter_the_state() {
    let mut es = start();
    let points = es.ask().clone();
    es.tell(&[f64::NAN; 7]).unwrap();
    assert!(es.best().is_none());
    // All are tied: the mean moves to the center of the candidates.
    let center: Vec<f64> = (0..3).map(|k| points.iter().map(|x| x[k]).sum::<f64>() / 7.0).collect();
    common::assert_close(es.mean(), &center, 1e-14, "mean");
    let points = es.ask().clone();
    es.tell(&[f64::INFINITY, f64::NAN, f64::INFINITY, f64::NAN, 1e308, f64::NAN, f64::INFINITY]).unwrap();
    assert_eq!(es.best().unwrap().point, &points[4]);
    let points = es.ask().clone();
    es.tell(&[0.0, 1.0, 2.0, f64::NEG_INFINITY, 3.0, f64::NAN, f64::INFINITY]).unwrap();
    assert_eq!((es.best_value(), es.best().unwrap().point), (f64::NEG_INFINITY, &points[3]));
    assert_eq!(es.best().unwrap().evaluation, 7 + 7 + 4);
    assert!(es.mean().iter().chain(es.d()).all(|number| number.is_finite()));
    assert!(es.sigma().is_finite());
}

#[test]
fn a_value_of_infinity_is_a_value() {
    let mut es = start();
    es.ask();
    es.tell(&[f64::INFINITY; 7]).unwrap();
    assert!(es.best().is_some_and(|best| best.value == f64::INFINITY));
}

#[test]
fn tied_candidates_count_alike() {
    // A constant function: every candidate has the average weight, so their order makes no difference.
    let z = normals(1, 21);
    let mut reordered = z.clone();
    reordered.rotate_left(3);
    let run = |z: Vec<f64>| {
        let mut es = start();
        es.ask_with(&Columns::from_vec(3, z).unwrap()).unwrap();
        es.tell(&[5.0; 7]).unwrap();
        es
    };
    let (one, other) = (run(z), run(reordered));
    common::assert_close(one.mean(), other.mean(), 1e-15, "mean");
    common::assert_close(one.d(), other.d(), 1e-15, "D");
}

#[test]
fn given_deviates_replace_drawn_ones_and_leave_the_stream_alone() {
    let mut es = start();
    let z = Columns::from_vec(3, normals(8, 21)).unwrap();
    let points = es.ask_with(&z).unwrap().clone();
    for (x, z) in points.iter().zip(&z) {
        for ((x, z), m) in x.iter().zip(z).zip([1.0, 2.0, 3.0]) {
            assert_eq!(*x, m + 0.5 * z);
        }
    }
    assert_eq!(*es.ask(), points, "a given generation waits for its values like a drawn one");
    es.tell(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();

    let drawn = start().ask().as_slice()[0] - 1.0;
    let later = (es.ask().as_slice()[0] - es.mean()[0]) / (es.sigma() * es.d()[0]);
    assert!((drawn / 0.5 - later).abs() < 1e-12, "the first drawn deviate comes first");
}

#[test]
fn given_deviates_must_fit() {
    let mut es = start();
    let error = es.ask_with(&Columns::zeros(3, 6)).unwrap_err();
    assert_eq!(error, TellError::WrongShape { expected: (3, 7), got: (3, 6) });
    let mut z = Columns::zeros(3, 7);
    z.as_mut_slice()[4] = f64::INFINITY;
    let error = es.ask_with(&z).unwrap_err();
    assert_eq!(error, TellError::NotFinite { candidate: 1, index: 1, value: f64::INFINITY });
    assert_eq!(error.to_string(), "deviate 1 of candidate 1 must be finite, got inf");
}

#[test]
fn a_step_of_length_zero_has_no_direction_and_does_no_harm() {
    let mut es = start();
    es.ask_with(&Columns::zeros(3, 7)).unwrap();
    es.tell(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
    assert_eq!(es.mean(), [1.0, 2.0, 3.0]);
    assert!(es.d().iter().all(|d| d.is_finite() && *d > 0.0));
}

#[test]
fn seeds_make_runs() {
    let run = |seed| {
        let mut es = SepCma::new(&[1.0; 4], 1.0, seed).unwrap();
        (0..20).for_each(|_| step(&mut es, ellipsoid));
        bits(&es)
    };
    assert_eq!(run(0), run(0));
    assert_ne!(run(0), run(1));
    assert_ne!(run(0), run(u64::MAX));
}

#[test]
fn the_generator_can_be_in_any_state() {
    let build = || SepCma::builder(&[1.0; 4], 1.0).seed(9);
    let mut default = build().build().unwrap();
    let mut same = build().build_with(Xoshiro256PlusPlus::seed_from_u64(9)).unwrap();
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(9);
    stream.jump();
    let mut other = build().build_with(stream).unwrap();
    assert_eq!(default.ask(), same.ask());
    assert_ne!(default.ask(), other.ask());
}

#[test]
fn a_seeded_run_keeps_its_values() {
    // A change here is a value-breaking change: it belongs in the changelog under that heading.
    let mut es = start();
    let first = es.ask()[0].to_vec();
    (0..30).for_each(|_| step(&mut es, ellipsoid));
    let expected = [0.8535983506976459, 1.6434396915927842, 2.9473394198234057];
    common::assert_close(&first, &expected, 1e-15, "first candidate");
    common::assert_close(&[es.sigma()], &[0.2616208545706937], 1e-12, "sigma");
    let expected = [-3.1984220752992947, 0.13850516692275822, -0.0011930934991096383];
    common::assert_close(es.mean(), &expected, 1e-12, "mean");
}

#[test]
fn initial_deviations_are_d() {
    let es = SepCma::builder(&[0.0; 2], 1.0).deviations(&[1.0, 1e3]).build().unwrap();
    assert_eq!(es.d(), [1.0, 1e3]);
}

#[test]
fn bad_starts_are_named() {
    let error = |mean: &[f64], sigma: f64| SepCma::new(mean, sigma, 1).unwrap_err();
    assert_eq!(error(&[], 1.0).to_string(), "the number of variables n must be at least 1, got 0");
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(error(&[0.0], sigma), StartError::StepSize { .. }));
    }
    assert_eq!(error(&[0.0], -1.0).to_string(), "the initial step size must be finite and at least 2.3e-308, got -1");
    assert_eq!(error(&[0.0, f64::NEG_INFINITY], 1.0), StartError::Mean { index: 1, value: f64::NEG_INFINITY });
    let with = |d: &[f64]| SepCma::builder(&[0.0; 2], 1.0).deviations(d).build().unwrap_err();
    assert_eq!(with(&[1.0]), StartError::DeviationsOfWrongLength { expected: 2, got: 1 });
    assert_eq!(with(&[1.0, 0.0]), StartError::Deviation { index: 1, value: 0.0 });
    let settings = Settings::new().lambda(1);
    let error = SepCma::builder(&[0.0], 1.0).settings(settings).build().unwrap_err();
    assert!(matches!(error, StartError::Params(_)));
}

#[test]
fn one_variable_and_the_smallest_population_converge() {
    let mut es = SepCma::new(&[5.0], 1.0, 3).unwrap();
    while es.best_value() > 1e-10 && es.evaluations() < 2000 {
        step(&mut es, sphere);
    }
    assert!(es.best_value() <= 1e-10);

    let smallest = Settings::new().lambda(2);
    let mut es = SepCma::builder(&[1.0; 3], 1.0).settings(smallest).seed(4).build().unwrap();
    while es.best_value() > 1e-4 && es.evaluations() < 20_000 {
        step(&mut es, sphere);
    }
    assert!(es.best_value() <= 1e-4, "{}", es.best_value());
}

#[test]
fn keeping_the_determinant_keeps_it() {
    let settings = Settings::new().keep_determinant(true);
    let mut es = SepCma::builder(&[1.0; 5], 1.0).settings(settings).seed(4).build().unwrap();
    for _ in 0..100 {
        step(&mut es, ellipsoid);
        let log_determinant: f64 = es.d().iter().map(|d| d.ln()).sum();
        assert!(log_determinant.abs() < 1e-12);
    }
    let ratio = es.d()[0] / es.d()[4];
    assert!(ratio > 10.0, "D adapts nevertheless: {ratio}");
}
