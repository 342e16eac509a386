//! At the limits of floating point: an update that cannot be made is an error, and leaves a distribution to ask.
#![cfg(feature = "dense")]

mod common;

use ddcma_core::{
    Columns, DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, Strategy, TellError, UpdateError,
};

const N: usize = 4;

fn is_sound<S: Strategy>(es: &Optimizer<S>) -> bool {
    let positive = |v: &f64| *v > 0.0 && v.is_finite();
    positive(&es.sigma())
        && es.d().iter().all(positive)
        && es.mean().iter().all(|m| m.is_finite())
        && es.c().as_slice().iter().all(|c| c.is_finite())
}

/// Runs far beyond any use and returns the first error; the state must be sound all the way, and after it.
fn first_error<S: Strategy>(sigma: f64, f: impl Fn(&[f64]) -> f64) -> TellError {
    let mut es = Optimizer::<S>::new(&[1.0; N], sigma, 5).unwrap();
    let mut errors = Vec::new();
    while errors.len() < 50 {
        assert!(es.iterations() < 50_000, "no end of the range is reached");
        let values: Vec<f64> = es.ask().iter().map(&f).collect();
        let told = es.tell(&values);
        assert!(is_sound(&es), "after {told:?}");
        errors.extend(told.err());
    }
    errors.swap_remove(0)
}

#[test]
fn a_function_without_a_minimum_ends_in_an_error_and_not_in_infinity() {
    for error in [
        first_error::<Plain>(1e280, |x| x[0]),
        first_error::<Separable>(1e280, |x| x[0]),
        first_error::<DiagonalDecoding>(1e280, |x| x[0]),
    ] {
        assert!(matches!(error, TellError::Update(_)), "{error}");
    }
}

#[test]
fn a_step_size_that_vanishes_is_an_error() {
    let error = first_error::<Separable>(1e-290, |x| x.iter().map(|x| (x - 1.0).abs()).sum());
    let sphere_ends = matches!(
        error,
        TellError::Update(UpdateError::StepSize { sigma } | UpdateError::Deviation { value: sigma, .. }) if sigma < 1e-300
    );
    assert!(sphere_ends, "{error}");
}

#[test]
fn one_absurd_step_is_refused_and_the_run_goes_on() {
    fn goes_on<S: Strategy>() {
        let mut es = Optimizer::<S>::new(&[1.0; N], 1.0, 5).unwrap();
        let lambda = es.params().lambda();
        let mut z = Columns::zeros(N, lambda);
        z.as_mut_slice()[0] = 1e200;
        es.ask_with(&z).unwrap();
        let values: Vec<f64> = (0..lambda).map(|i| i as f64).collect();
        let error = es.tell(&values).unwrap_err();
        assert!(matches!(error, TellError::Update(_)), "{error}");
        assert!(is_sound(&es));
        assert_eq!((es.iterations(), es.evaluations()), (1, lambda as u64));
        assert!(es.ask().as_slice().iter().all(|x| x.is_finite()));
        assert!(es.path_sigma().p().iter().all(|p| p.abs() < 1e3), "the path has not taken it in");
        // The mean has gone far away; from there the run goes on as from any other point.
        let far = es.mean().to_vec();
        for _ in 0..20 {
            let values: Vec<f64> = es.ask().iter().map(|x| x[0] - far[0]).collect();
            es.tell(&values).unwrap();
        }
    }
    goes_on::<Plain>();
    goes_on::<Separable>();
    goes_on::<DiagonalDecoding>();
}

#[test]
fn a_covariance_that_cannot_be_decomposed_stays_as_it_was() {
    // A condition number of 1e20 is more than double precision can hold.
    let f = |x: &[f64]| (x[0] + x[1]).powi(2) * 1e20 + (x[0] - x[1]).powi(2) + x[2] * x[2] + x[3] * x[3];
    let mut es = Optimizer::<Plain>::builder(&[1.0; N], 1.0)
        .settings(Settings::new().root(Root::Literal))
        .seed(5)
        .build()
        .unwrap();
    let mut failures = 0;
    for _ in 0..3000 {
        let before = (es.c(), es.strategy().axes().alpha);
        let values: Vec<f64> = es.ask().iter().map(f).collect();
        match es.tell(&values) {
            Ok(()) => {}
            Err(TellError::Update(UpdateError::NotPositiveDefinite { smallest })) => {
                assert!(smallest <= 0.0);
                assert_eq!((es.c(), es.strategy().axes().alpha), before);
                failures += 1;
            }
            Err(other) => panic!("{other}"),
        }
        assert!(is_sound(&es));
    }
    assert!(failures > 0, "the case was not met");
}
