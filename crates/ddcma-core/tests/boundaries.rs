//! Bounds: only feasible points are asked for, and the optimum is found inside, on a face and in a corner.
#![cfg(feature = "dense")]

use crate::common::{self, ellipsoid, sphere};
use ddcma_core::{
    Bounds, Columns, DdCma, DiagonalDecoding, Plain, Separable, StartError, StopCriteria, Strategy, minimize,
};

const N: usize = 5;
const INFINITY: f64 = f64::INFINITY;

/// Returns the evaluations to reach a target on ‖D_ell³ (x − optimum)‖², and checks every asked point.
fn evaluations<S: Strategy>(optimum: [f64; N], bounds: Option<(f64, f64)>, seed: u64) -> u64 {
    let (lower, upper) = bounds.unwrap_or((-INFINITY, INFINITY));
    let f = |x: &[f64]| {
        assert!(x.iter().all(|x| (lower..=upper).contains(x)), "{x:?}");
        let moved: Vec<f64> = x.iter().zip(optimum).map(|(x, o)| x - o).collect();
        ellipsoid(&moved)
    };
    let mut problem = minimize(f, &[0.3; N], 0.2)
        .strategy::<S>()
        .seed(seed)
        .criteria(StopCriteria::none().target(1e-8).max_evaluations(50_000));
    if bounds.is_some() {
        problem = problem.bounds(Bounds::uniform(N, lower, upper).unwrap());
    }
    let solution = problem.run().unwrap();
    assert_eq!(solution.stop.name(), "target", "optimum {optimum:?}");
    assert!(solution.mean.iter().all(|x| (lower..=upper).contains(x)));
    solution.evaluations
}

fn median<S: Strategy>(optimum: [f64; N], bounds: Option<(f64, f64)>) -> f64 {
    let mut counts: Vec<u64> = (0..9).map(|seed| evaluations::<S>(optimum, bounds, seed)).collect();
    counts.sort_unstable();
    counts[4] as f64
}

fn costs_little<S: Strategy>() {
    let inside = [0.5, 0.4, 0.6, 0.5, 0.3];
    let face = [0.0, 0.4, 0.6, 1.0, 0.3];
    let corner = [0.0, 1.0, 0.0, 1.0, 1.0];
    for (optimum, factor) in [(inside, 1.25), (face, 1.7), (corner, 2.0)] {
        let (free, bounded) = (median::<S>(optimum, None), median::<S>(optimum, Some((0.0, 1.0))));
        assert!(bounded < factor * free, "{optimum:?}: {bounded} evaluations with bounds, {free} without");
    }
}

#[test]
fn the_optimum_is_found_wherever_it_is() {
    costs_little::<Plain>();
    costs_little::<Separable>();
    costs_little::<DiagonalDecoding>();
}

#[test]
fn one_sided_bounds_and_none_mix() {
    let bounds = Bounds::new(&[0.0, -INFINITY, -INFINITY], &[INFINITY, -1.0, INFINITY]).unwrap();
    let f = |x: &[f64]| {
        assert!(x[0] >= 0.0 && x[1] <= -1.0);
        sphere(x)
    };
    let solution = minimize(f, &[2.0, -3.0, 4.0], 1.0).bounds(bounds).target(1.0 + 1e-9).run().unwrap();
    assert_eq!(solution.stop.name(), "target");
    assert!((solution.point[1] + 1.0).abs() < 1e-4);
}

#[test]
fn the_start_point_is_reproduced_exactly_wherever_it_is() {
    for start in [[0.0, 1.0, 0.5], [1e-10, 0.999_999, 0.049], [0.951, 1e-3, 1.0 / 3.0]] {
        let mut es = DdCma::builder(&start, 0.1).bounds(Bounds::uniform(3, 0.0, 1.0).unwrap()).build().unwrap();
        assert_eq!(es.mean(), start);
        // A step of length zero leads to the same point, up to rounding: the search really starts there.
        let lambda = es.params().lambda();
        let points = es.ask_with(&Columns::zeros(3, lambda)).unwrap();
        for x in points {
            assert!(x.iter().zip(start).all(|(x, s)| (x - s).abs() <= 1e-15), "{x:?}");
        }
        assert_eq!(es.mean(), start);
    }
}

#[test]
fn deviations_stay_within_a_third_of_the_range() {
    let bounds = Bounds::new(&[0.0, -INFINITY], &[3.0, INFINITY]).unwrap();
    let builder = || DdCma::builder(&[1.0, 1.0], 100.0).bounds(bounds.clone()).criteria(StopCriteria::none());
    let mut es = builder().build().unwrap();
    assert_eq!(es.deviations().collect::<Vec<_>>(), [1.0, 100.0]);
    for _ in 0..200 {
        common::step(&mut es, |x| -x[1]); // only growth
        let deviation = es.d()[0] * es.sigma();
        assert!(deviation <= 1.0 + 1e-12, "{deviation}");
    }
    assert!(es.deviations().last().unwrap() > 1e4);
}

#[test]
fn bounds_that_do_not_fit_are_named() {
    let build =
        |mean: &[f64], n| DdCma::builder(mean, 1.0).bounds(Bounds::uniform(n, 0.0, 1.0).unwrap()).build().unwrap_err();
    assert_eq!(build(&[0.5; 2], 3), StartError::BoundsOfWrongLength { expected: 2, got: 3 });
    let error = build(&[0.5, 1.5], 2);
    assert_eq!(error, StartError::OutsideBounds { index: 1, name: None, value: 1.5, lower: 0.0, upper: 1.0 });
    let tiny = Bounds::uniform(1, 0.0, 5e-324).unwrap();
    let error_of_tiny = DdCma::builder(&[0.0], 1.0).bounds(tiny).build().unwrap_err();
    assert_eq!(error_of_tiny, StartError::Deviation { index: 0, value: 0.0 });
    assert_eq!(error.to_string(), "coordinate 1 of the initial mean must be within its bounds [0, 1], got 1.5");
}
