//! How many evaluations it takes to reach 1e-8, against medians recorded from an independent implementation.
#![cfg(feature = "dense")]

use ddcma_core::{DiagonalDecoding, Optimizer, Plain, Separable, Strategy};
use ddcma_problems::{Function, Instance, Spec};

const TRIALS: u64 = 15;

fn evaluations<S: Strategy>(spec: Spec) -> u64 {
    let instance = Instance::new(spec).unwrap();
    let mut es = Optimizer::<S>::new(instance.initial_mean(), instance.initial_sigma(), spec.seed).unwrap();
    while es.best_value() >= instance.target() {
        assert!(es.evaluations() < instance.budget(), "{spec} does not converge");
        let values: Vec<f64> = es.ask().iter().map(|x| instance.at(x)).collect();
        es.tell(&values).unwrap();
    }
    es.evaluations()
}

#[track_caller]
fn assert_median<S: Strategy>(function: Function, rotated: bool, recorded: f64) {
    let specs = (0..TRIALS).map(|seed| Spec { function, n: 10, rotated, seed });
    let mut counts: Vec<u64> = specs.map(evaluations::<S>).collect();
    counts.sort_unstable();
    let median = counts[counts.len() / 2] as f64;
    let deviation = median / recorded - 1.0;
    assert!(deviation.abs() < 0.08, "median {median}, recorded {recorded}: off by {:+.1} %", 100.0 * deviation);
}

#[test]
fn the_separable_ellipsoid() {
    assert_median::<Plain>(Function::Ellipsoid, false, 4210.0);
    assert_median::<Separable>(Function::Ellipsoid, false, 2300.0);
    assert_median::<DiagonalDecoding>(Function::Ellipsoid, false, 2220.0);
}

#[test]
fn the_rotated_discus() {
    assert_median::<Plain>(Function::Discus, true, 3230.0);
    assert_median::<DiagonalDecoding>(Function::Discus, true, 3350.0);
}

#[test]
fn the_ellipsoid_with_a_long_axis_across() {
    assert_median::<Plain>(Function::EllCig, false, 3940.0);
    assert_median::<DiagonalDecoding>(Function::EllCig, false, 2900.0);
}
