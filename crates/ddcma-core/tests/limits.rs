//! At the limits of floating point: an update that cannot be made is an error, and the distribution stays usable.
#![cfg(feature = "dense")]

use crate::common;
use ddcma_core::{
    Columns, Definiteness, DiagonalDecoding, Optimizer, Plain, Root, Separable, Settings, Stop, StopCriteria, Strategy,
    TellError, UpdateError,
};

const N: usize = 4;

fn is_sound<S: Strategy>(es: &Optimizer<S>) -> bool {
    let positive = |v: &f64| *v > 0.0 && v.is_finite();
    positive(&es.sigma())
        && es.d().iter().all(positive)
        && es.mean().iter().all(|m| m.is_finite())
        && es.c().as_slice().iter().all(|c| c.is_finite())
}

/// Runs far beyond any practical use and returns the first error; the state must be valid all the way, and after it.
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
    let vanishes = match error {
        TellError::Update(UpdateError::StepSize { sigma }) => sigma < 1e-300,
        TellError::Update(UpdateError::Deviation { value, .. }) => value < 1e-300,
        TellError::Update(UpdateError::OutOfRange { deviation, .. }) => deviation < 1e-300,
        _ => false,
    };
    assert!(vanishes, "{error}");
}

#[test]
fn candidates_are_numbers_until_the_run_ends_and_after_it() {
    fn run<S: Strategy>(d_sigma: f64) {
        let settings = Settings::new().d_sigma(d_sigma);
        let builder = Optimizer::<S>::builder(&[1.0; N], 1e288).settings(settings).criteria(StopCriteria::none());
        let mut es = builder.seed(5).build().unwrap();
        let mut ended = 0;
        while ended < 20 {
            assert!(es.iterations() < 50_000, "no end of the range is reached");
            let points = es.ask();
            assert!(points.as_slice().iter().all(|x| x.is_finite()), "{} {points:?}", S::NAME);
            let values: Vec<f64> = points.iter().map(|x| x[0] / 2.0 + x[1] / 2.0).collect();
            let best = values.iter().copied().fold(es.best_value(), f64::min);
            let told = es.tell(&values);
            assert_eq!(es.best_value(), best);
            assert_eq!(told.is_err(), matches!(es.stop(), Some(Stop::Numerical(_))), "{told:?}");
            ended += u32::from(told.is_err());
        }
    }
    // With the usual damping, and with a σ that jumps.
    for d_sigma in [1.0, 0.01] {
        run::<Plain>(d_sigma);
        run::<Separable>(d_sigma);
        run::<DiagonalDecoding>(d_sigma);
    }
}

/// K accumulates over some generations until C is updated: values that would spoil it are rejected, so that it can be
/// stored.
#[test]
#[cfg(feature = "checkpoint")]
fn a_pending_update_stays_finite_and_can_be_stored() {
    for root in [Root::LowRank, Root::Literal] {
        // D follows one generation so closely that paths in units of D overflow.
        let settings =
            Settings::new().root(root).t_eig(7).c_mu_d(0.7).c_1_d(0.0).damping(ddcma_core::Damping::Fixed(0.004));
        let builder =
            Optimizer::<DiagonalDecoding>::builder(&[1.0; 12], 1.0).settings(settings).criteria(StopCriteria::none());
        let mut es = builder.seed(5).build().unwrap();
        let mut refused = 0;
        for _ in 0..200 {
            let values: Vec<f64> = es.ask().iter().map(|x| x[0].abs()).collect();
            refused += u32::from(es.tell(&values).is_err());
            let bytes = es.to_checkpoint().unwrap();
            let restored = Optimizer::<DiagonalDecoding>::from_checkpoint(&bytes);
            assert_eq!(restored.unwrap().to_checkpoint().unwrap(), bytes);
        }
        assert!(refused > 0, "the case was not met");
    }
}

#[test]
fn a_start_whose_candidates_would_not_be_numbers_is_refused() {
    let start = |mean: f64, sigma: f64, deviation: f64| {
        let builder = Optimizer::<Separable>::builder(&[0.0, mean], sigma).deviations(&[1.0, deviation]);
        builder.build().err().map(|error| error.to_string())
    };
    let message = |mean: &str, deviation: &str| {
        let candidates = format!("candidates with mean {mean} and deviation {deviation}");
        Some(format!(
            "coordinate 1 is out of range: {candidates} would not be finite and distinct; rescale the variable"
        ))
    };
    assert_eq!(start(1.0, 1e200, 1e150), message("1", "inf"));
    assert_eq!(start(1.0, 1e-200, 1e-150), message("1", "0"));
    assert_eq!(start(1.7e308, 2e305, 1.0), message("1.7e308", "2e305"));
    assert_eq!(start(1e300, 1e300, 1.0), None);
    assert_eq!(start(1e-300, 1e-300, 1.0), None);
}

#[test]
fn a_root_ends_before_its_inverse_is_lost() {
    // Rates so large that C becomes ill-conditioned within some generations, without any stop criterion.
    let f = |x: &[f64]| x.iter().enumerate().map(|(k, x)| 10f64.powi(2 * k as i32) * x * x).sum::<f64>();
    for definiteness in [Definiteness::ScaleUpdate, Definiteness::ScaleWeights] {
        let settings = Settings::new().lambda(12).c_1(0.0).c_mu(0.84).c_c(0.1).active(false).definiteness(definiteness);
        let builder = Optimizer::<Plain>::builder(&[1.0; 8], 1e-200).settings(settings).criteria(StopCriteria::none());
        let mut es = builder.seed(5).build().unwrap();
        let mut ended = 0;
        while ended < 20 {
            assert!(es.iterations() < 5000, "C has not become long and thin");
            let values: Vec<f64> = es.ask().iter().map(f).collect();
            match es.tell(&values) {
                Ok(()) => assert_eq!(ended, 0, "what has ended is not updated any more"),
                Err(TellError::Update(UpdateError::IllConditioned { smallest, largest })) => {
                    assert!(largest / smallest > 1e15, "{smallest:e} to {largest:e}");
                    ended += 1;
                }
                Err(other) => panic!("{other}"),
            }
            assert!(is_sound(&es));
            let axes = es.strategy().shape().axes;
            assert!(axes.shortest > 0.0 && axes.longest / axes.shortest < 1e12, "{axes:?}");
        }
    }
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
        // The mean is far away; from there the run continues as from any other point.
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
        let before = (es.c(), es.strategy().shape().axes.alpha);
        let values: Vec<f64> = es.ask().iter().map(f).collect();
        match es.tell(&values) {
            Ok(()) => {}
            Err(TellError::Update(UpdateError::NotPositiveDefinite { smallest })) => {
                assert!(smallest <= 0.0);
                assert_eq!((es.c(), es.strategy().shape().axes.alpha), before);
                failures += 1;
            }
            Err(other) => panic!("{other}"),
        }
        assert!(is_sound(&es));
    }
    assert!(failures > 0, "the case was not met");
}

/// C shrinks without limit here, and σ stays: D takes over the scale of C, until the deviations themselves underflow.
#[test]
fn a_covariance_that_becomes_very_small_leaves_its_scale_to_d() {
    let settings = Settings::new().c_1(0.0).c_mu(0.3).c_c(0.5).d_sigma(1e6); // σ hardly changes
    let builder = Optimizer::<Plain>::builder(&[0.0; 2], 1.0).settings(settings);
    let mut es = builder.criteria(StopCriteria::none()).seed(5).build().unwrap();
    let mut z = Columns::zeros(2, es.params().lambda());
    let mut smallest = f64::INFINITY;
    for generation in 0..20_000 {
        // Steps of one length in all directions, shorter than normal ones: C shrinks and keeps its shape.
        for (i, z) in z.iter_mut().enumerate() {
            let angle = 2.4 * (i + generation) as f64;
            (z[0], z[1]) = (0.9 * angle.cos(), 0.9 * angle.sin());
        }
        es.ask_with(&z).unwrap();
        let values: Vec<f64> = (0..z.len()).map(|i| i as f64).collect();
        let told = es.tell(&values);
        assert!(is_sound(&es));
        let axes = es.strategy().shape().axes;
        assert!(axes.shortest > 0.0 && axes.longest / axes.shortest < 1e3, "{generation}: {axes:?}");
        smallest = smallest.min(axes.shortest);
        match told {
            Ok(()) => {}
            Err(TellError::Update(UpdateError::OutOfRange { deviation, .. })) => {
                assert!(deviation < 1e-307, "{deviation:e}");
                assert!((1e-33..1e-25).contains(&smallest), "{smallest:e}");
                return;
            }
            Err(other) => panic!("{other}"),
        }
    }
    panic!("C has only shrunk to {smallest:e}");
}

/// Exchanging σ and D: a run does not depend on which of them holds a power of two.
#[test]
fn sigma_and_d_that_have_drifted_apart_are_brought_together_without_changing_a_bit() {
    fn check<S: Strategy>() {
        let start = |exponent: i32| {
            let deviations = [1.0, 8.0, 0.25].map(|d| d * 2f64.powi(-exponent));
            let builder = Optimizer::<S>::builder(&[3.0, -1.0, 2.0], 0.7 * 2f64.powi(exponent));
            builder.deviations(&deviations).criteria(StopCriteria::none()).seed(3).build().unwrap()
        };
        let f = |x: &[f64]| x[0] * x[0] + 1e3 * (x[1] - x[0]).powi(2) + x[2].abs();
        for exponent in [500, -500] {
            let (mut usual, mut drifted) = (start(0), start(exponent));
            for _ in 0..150 {
                let values: Vec<f64> = usual.ask().iter().map(f).collect();
                assert_eq!(usual.ask().as_slice(), drifted.ask().as_slice(), "{}", S::NAME);
                usual.tell(&values).unwrap();
                drifted.tell(&values).unwrap();
            }
            assert!((1e-60..1e60).contains(&drifted.sigma()), "{}: {:e}", S::NAME, drifted.sigma());
        }
    }
    check::<Plain>();
    check::<Separable>();
    check::<DiagonalDecoding>();
}

/// Without a trend, D (in plain CMA-ES: C) shrinks without limit, and σ grows. A run must survive that.
#[test]
fn runs_without_an_end_do_not_leave_the_range_of_floating_point() {
    fn check<S: Strategy>(settings: Settings, generations: u32) {
        let builder = Optimizer::<S>::builder(&[1.0; 3], 1.0).settings(settings).criteria(StopCriteria::none());
        let mut es = builder.seed(1).build().unwrap();
        let (mut center, mut brought_together, mut sigma) = (0.0, 0, es.sigma());
        let mut values = vec![0.0; es.params().lambda()];
        for t in 0..generations {
            // A center that jumps: there is always something to find.
            center += if t * 7919 % 13 < 6 { 0.1 } else { -0.1 };
            for (value, x) in values.iter_mut().zip(es.ask()) {
                *value = x.iter().map(|x| (x - center).powi(2)).sum();
            }
            es.tell(&values).unwrap_or_else(|error| panic!("{}, generation {t}: {error}", S::NAME));
            brought_together += u32::from(sigma / es.sigma() > 1e30);
            sigma = es.sigma();
        }
        assert!(brought_together > 1, "{}: σ = {:e} has not grown enough to be a test", S::NAME, es.sigma());
    }
    check::<Separable>(Settings::new(), 150_000);
    check::<DiagonalDecoding>(Settings::new(), 100_000);
    check::<Plain>(Settings::new(), 100_000);
    check::<Plain>(Settings::new().root(Root::Literal), 60_000);
}

/// The powers of such steps underflow or lose digits, and an update by them would separate A from its inverse.
#[test]
fn steps_too_short_to_have_a_direction_leave_the_root_alone() {
    [1e-40, 1e-60, 1e-121, 1e-158].into_iter().for_each(steps_of_length);
}

fn steps_of_length(length: f64) {
    // Many variables and rare updates: K is kept as its columns, and some of them are of this length.
    let mut es = Optimizer::<Plain>::new(&[0.0; 40], 1.0, 5).unwrap();
    let lambda = es.params().lambda();
    let values: Vec<f64> = (0..lambda).map(|i| i as f64).collect();
    for generation in 0..30 {
        let mut z = Columns::from_vec(40, common::normals(generation, 40 * lambda)).unwrap();
        z.as_mut_slice()[40 * (lambda / 2)..].iter_mut().for_each(|z| *z *= length);
        es.ask_with(&z).unwrap();
        es.tell(&values).unwrap();
    }
    let mut strategy = es.strategy().clone();
    let z = Columns::from_vec(40, common::normals(77, 40)).unwrap();
    let (mut y, mut back) = (Columns::zeros(40, 1), Columns::zeros(40, 1));
    strategy.sample(&z, &mut y);
    strategy.whiten(y.as_slice(), back.as_mut_slice());
    common::assert_close(back.as_slice(), z.as_slice(), 1e-12, &format!("A⁻¹·A·z after steps of length {length:e}"));
}
