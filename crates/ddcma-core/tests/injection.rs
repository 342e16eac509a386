//! Points from elsewhere: the asked ones count as asked, others as limited steps.
#![cfg(feature = "dense")]

use crate::common::{self, bits, ellipsoid, sphere, step};
use ddcma_core::{Bounds, Columns, DdCma, StopCriteria, TellError};

fn start() -> DdCma {
    DdCma::builder(&[1.0; 4], 0.5).criteria(StopCriteria::none()).seed(2).build().unwrap()
}

#[test]
fn telling_the_asked_points_is_telling() {
    let (mut told, mut injected) = (start(), start());
    for _ in 0..40 {
        step(&mut told, ellipsoid);
        let points = injected.ask().clone();
        let values: Vec<f64> = points.iter().map(ellipsoid).collect();
        injected.tell_points(&points, &values).unwrap();
        assert_eq!(bits(&told), bits(&injected));
    }
}

/// A z shorter than the limit √n + 2n/(n + 2), and one that exceeds it by a factor.
fn short_steps(es: &DdCma, seed: u64, factor: f64) -> Columns {
    let (n, lambda) = (es.params().dimension(), es.params().lambda());
    let mut z = Columns::from_vec(n, common::normals(seed, n * lambda)).unwrap();
    let limit = 2.0 + 8.0 / 6.0; // n = 4
    for (i, z) in z.iter_mut().enumerate() {
        let length = common::sphere(z).sqrt();
        let wanted = if i == 0 { factor * limit } else { length.min(0.99 * limit) };
        z.iter_mut().for_each(|z| *z *= wanted / length);
    }
    z
}

#[test]
fn points_known_by_their_coordinates_alone_are_the_same_steps() {
    let (mut told, mut injected) = (start(), start());
    for t in 0..60 {
        let z = short_steps(&told, t, 0.999);
        let points = told.ask_with(&z).unwrap().clone();
        let values: Vec<f64> = points.iter().map(ellipsoid).collect();
        told.tell(&values).unwrap();
        injected.tell_points(&points, &values).unwrap();
        common::assert_close(injected.mean(), told.mean(), 1e-9, "mean");
        common::assert_close(&[injected.sigma()], &[told.sigma()], 1e-9, "sigma");
        common::assert_close(injected.c().as_slice(), told.c().as_slice(), 1e-9, "C");
    }
    assert!(told.c()[0][1].abs() > 1e-3, "C has learned something to be whitened by");
}

#[test]
fn a_longer_step_is_shortened_to_the_limit() {
    let (mut limited, mut injected) = (start(), start());
    (0..20).for_each(|_| step(&mut limited, ellipsoid));
    (0..20).for_each(|_| step(&mut injected, ellipsoid));
    let at_limit = limited.ask_with(&short_steps(&limited.clone(), 1, 1.0)).unwrap().clone();
    let beyond = injected.clone().ask_with(&short_steps(&injected, 1, 5.0)).unwrap().clone();
    assert_ne!(at_limit[0], beyond[0]);
    let values: Vec<f64> = (0..8).map(f64::from).collect();
    limited.tell(&values).unwrap();
    injected.tell_points(&beyond, &values).unwrap();
    common::assert_close(injected.mean(), limited.mean(), 1e-10, "mean");
    common::assert_close(injected.c().as_slice(), limited.c().as_slice(), 1e-10, "C");
}

#[test]
fn the_mean_is_no_step_at_all_wherever_bounds_have_put_it() {
    let bounds = || Bounds::uniform(4, 0.0, 1.0).unwrap();
    for seed in 0..20 {
        let mut es =
            DdCma::builder(&[0.5; 4], 0.33).bounds(bounds()).criteria(StopCriteria::none()).seed(seed).build().unwrap();
        // Long steps, so that the mean of the search wanders into mirror images of the box.
        (0..12).for_each(|_| step(&mut es, |x| x.iter().map(|x| (x - 0.9).powi(2)).sum()));
        let faded: Vec<f64> = es.path_sigma().p().iter().map(|p| (1.0 - es.params().c_sigma()) * p).collect();
        let points = Columns::from_vec(4, es.mean().repeat(8)).unwrap();
        es.tell_points(&points, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).unwrap();
        common::assert_close(es.path_sigma().p(), &faded, 1e-6, "a step of length zero only lets the path fade");
    }
}

#[test]
fn a_far_point_becomes_the_best_and_moves_the_mean_only_so_far() {
    let mut es = start();
    (0..10).for_each(|_| step(&mut es, sphere));
    let (mean, sigma, d) = (es.mean().to_vec(), es.sigma(), es.d().to_vec());
    let mut points = es.ask().clone();
    points[3].copy_from_slice(&[1e6, -1e6, 1e6, 1e6]);
    let values: Vec<f64> = (0..points.len()).map(|i| if i == 3 { -1.0 } else { sphere(&points[i]) }).collect();
    es.tell_points(&points, &values).unwrap();
    assert_eq!((es.best_value(), es.best().unwrap().point), (-1.0, &points[3]));
    let moved: f64 = es.mean().iter().zip(&mean).map(|(now, before)| (now - before).powi(2)).sum::<f64>().sqrt();
    let longest_axis = sigma * d.iter().copied().fold(0.0, f64::max) * 2.0;
    assert!(moved > 0.0 && moved < 4.0 * longest_axis, "{moved}");
    assert!(es.sigma() < 10.0 * sigma);
}

#[test]
fn good_points_from_elsewhere_help() {
    let optimum = [0.3, -0.7, 2.0, 1.0];
    let f = |x: &[f64]| ellipsoid(&x.iter().zip(optimum).map(|(x, o)| x - o).collect::<Vec<_>>());
    let run = |help: bool| {
        let mut es = start();
        while es.best_value() > 1e-6 {
            let mut points = es.ask().clone();
            if help {
                // Halfway from the mean to the optimum.
                let hint: Vec<f64> = es.mean().iter().zip(optimum).map(|(m, o)| 0.5 * (m + o)).collect();
                points[0].copy_from_slice(&hint);
            }
            let values: Vec<f64> = points.iter().map(f).collect();
            es.tell_points(&points, &values).unwrap();
        }
        es.evaluations()
    };
    assert!(3 * run(true) < 2 * run(false), "{} {}", run(true), run(false));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let bounds = Bounds::uniform(4, 0.0, 2.0).unwrap();
    let mut es = DdCma::builder(&[1.0; 4], 0.5).bounds(bounds).seed(2).build().unwrap();
    let points = es.ask().clone();
    let before = bits(&es);
    let values = vec![0.0; points.len()];
    let refuse = |es: &mut DdCma, points: &Columns, values: &[f64]| es.tell_points(points, values).unwrap_err();
    assert!(matches!(refuse(&mut es, &Columns::zeros(4, 3), &values), TellError::WrongShape { got: (4, 3), .. }));
    let error = refuse(&mut es, &points, &values[1..]);
    assert_eq!(error, TellError::WrongCount { expected: 8, got: 7 });
    for bad in [f64::NAN, f64::INFINITY, 2.5] {
        let mut points = points.clone();
        points[2][1] = bad;
        let error = refuse(&mut es, &points, &values);
        assert!(matches!(error, TellError::Point { candidate: 2, index: 1, .. }), "{error}");
    }
    assert_eq!((bits(&es), es.evaluations()), (before, 0));
    assert_eq!(*es.ask(), points);
}

#[test]
fn absurdly_far_points_leave_a_finite_state() {
    let mut es = DdCma::builder(&[1.0; 4], 1e-200).criteria(StopCriteria::none()).build().unwrap();
    let points = Columns::from_vec(4, vec![1e300; 32]).unwrap();
    let values: Vec<f64> = (0..8).map(f64::from).collect();
    es.tell_points(&points, &values).unwrap();
    assert!(es.sigma().is_finite() && es.mean().iter().chain(es.d()).all(|number| number.is_finite()));
}
