//! Runs that will not reach their reference value are abandoned. The rules are tested with hand-made values.

use ddcma_core::{SepCma, StartError, Stop, StopCriteria};

use crate::common::{sphere, step};

/// A run with n = 2 and λ = 6, which looks back 10 + ⌈60/6⌉ = 20 generations.
fn start(ratio: f64) -> SepCma {
    SepCma::builder(&[0.0; 2], 1.0).criteria(StopCriteria::none().abandon(ratio)).seed(1).build().unwrap()
}

/// Tells generations with this best value and this distance from it to the median.
fn tell(es: &mut SepCma, best: f64, spread: f64, generations: usize) {
    for _ in 0..generations {
        // Of six values, the fourth counts as the median.
        let values: Vec<f64> = (0..es.ask().len()).map(|i| best + spread * i as f64 / 3.0).collect();
        es.tell(&values).unwrap();
    }
}

#[test]
fn a_run_is_abandoned_if_range_and_spread_are_small_against_what_is_missing() {
    // The distance to the reference is 100; 1 % of it is the threshold.
    let mut es = start(0.01);
    es.set_reference(1.0).unwrap();
    assert_eq!(es.reference(), Some(1.0));
    tell(&mut es, 101.0, 0.75, 19);
    assert_eq!(es.stop(), None, "the window is not full");
    tell(&mut es, 101.0, 0.75, 1);
    let stop = Stop::Abandoned { least: 101.0, reference: 1.0, history: 0.0, spread: 0.75, ratio: 0.01 };
    assert_eq!(es.stop(), Some(stop.clone()));
    assert_eq!(
        stop.to_string(),
        "abandoned: the range 0 of the last best values and the distance 0.75 from the best to the median are below 0.01 of \
         the way from 101 to the reference 1"
    );
    // The generation spreads over more than that.
    tell(&mut es, 101.0, 1.25, 1);
    assert_eq!(es.stop(), None);
    tell(&mut es, 101.0, 0.75, 1);
    assert!(es.stop().is_some());
    // The best values have a range of 0.75, and then of 1.25.
    tell(&mut es, 101.75, 0.75, 1);
    assert!(matches!(es.stop(), Some(Stop::Abandoned { history: 0.75, .. })));
    tell(&mut es, 102.25, 0.75, 1);
    assert_eq!(es.stop(), None);
    tell(&mut es, 101.0, 0.75, 19);
    assert_eq!(es.stop(), None, "it is in the window");
    tell(&mut es, 101.0, 0.75, 1);
    assert!(es.stop().is_some(), "it has ended");
}

#[test]
fn without_a_reference_or_a_share_no_run_is_abandoned() {
    let mut es = start(0.01);
    tell(&mut es, 5.0, 0.0, 30);
    assert_eq!((es.stop(), es.reference()), (None, None));
    es.set_reference(4.0).unwrap();
    assert!(es.stop().is_some());
    es.set_reference(None).unwrap();
    assert_eq!(es.stop(), None);
    es.set_reference(4.0).unwrap();
    es.set_criteria(StopCriteria::none()).unwrap();
    assert_eq!(es.stop(), None);
    es.set_criteria(StopCriteria::none().abandon(0.0)).unwrap();
    assert_eq!(es.stop(), None, "nothing is less than no share");
}

#[test]
fn a_run_that_was_at_its_reference_is_not_abandoned() {
    // The best value of the whole run counts, even if it was found long ago.
    let mut es = start(0.5);
    es.set_reference(3.0).unwrap();
    tell(&mut es, 3.0, 0.0, 1);
    tell(&mut es, 5.0, 0.0, 40);
    assert_eq!(es.stop(), None);
    es.set_reference(2.5).unwrap();
    assert!(matches!(es.stop(), Some(Stop::Abandoned { least: 5.0, reference: 2.5, .. })));
}

#[test]
fn references_and_values_that_are_infinite_or_none() {
    let mut es = start(0.01);
    let error = es.set_reference(f64::NAN).unwrap_err();
    assert!(matches!(error, StartError::Criterion { name: "reference", value } if value.is_nan()), "{error}");
    assert_eq!(es.reference(), None, "an error changes nothing");
    // Nothing is above +∞, and nothing reaches −∞.
    tell(&mut es, 5.0, 1.0, 20);
    es.set_reference(f64::INFINITY).unwrap();
    assert_eq!(es.stop(), None);
    es.set_reference(f64::NEG_INFINITY).unwrap();
    assert!(matches!(es.stop(), Some(Stop::Abandoned { least: 5.0, .. })));
    // A generation without a value, or with one of −∞.
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut es = start(0.5);
        es.set_reference(1.0).unwrap();
        tell(&mut es, 5.0, 0.0, 20);
        assert!(es.stop().is_some());
        let lambda = es.ask().len();
        es.tell(&vec![value; lambda]).unwrap();
        assert_eq!(es.stop(), None, "{value}");
        tell(&mut es, 5.0, 0.0, 20);
        assert_eq!(es.stop().is_some(), value != f64::NEG_INFINITY, "{value} is the best of the run, or is forgotten");
    }
    // Most values are NaN or +∞, so the median is, too, and has no meaning.
    for none in [f64::NAN, f64::INFINITY] {
        let mut es = start(0.5);
        es.set_reference(1.0).unwrap();
        for _ in 0..30 {
            let values: Vec<f64> = (0..es.ask().len()).map(|i| if i < 2 { 5.0 } else { none }).collect();
            es.tell(&values).unwrap();
            assert_eq!(es.stop(), None);
        }
    }
}

#[test]
fn invalid_shares_are_refused() {
    for ratio in [f64::NAN, -0.01] {
        let error = SepCma::builder(&[1.0], 1.0).criteria(StopCriteria::new().abandon(ratio)).build().unwrap_err();
        assert!(matches!(error, StartError::Criterion { name: "abandon", .. }), "{error}");
    }
}

#[test]
fn a_run_that_converges_beyond_its_reference_is_left_alone() {
    let end = |reference: Option<f64>| {
        let criteria = StopCriteria::new().abandon(0.01);
        let mut es = SepCma::builder(&[3.0; 4], 1.0).criteria(criteria).seed(2).build().unwrap();
        es.set_reference(reference).unwrap();
        while es.stop().is_none() {
            step(&mut es, sphere);
        }
        (es.evaluations(), es.stop())
    };
    let alone = end(None);
    assert_eq!(end(Some(1e-3)), alone);
    assert_eq!(end(Some(0.0)), alone, "values that fall to their reference are never alike");
    assert!(end(Some(-1e-3)).0 < alone.0);
}

#[cfg(feature = "checkpoint")]
#[test]
fn a_reference_goes_through_checkpoints() {
    for reference in [None, Some(-1e-3), Some(f64::NEG_INFINITY), Some(f64::INFINITY)] {
        let criteria = StopCriteria::new().abandon(0.01);
        let mut es = SepCma::builder(&[3.0; 4], 1.0).criteria(criteria).seed(2).build().unwrap();
        es.set_reference(reference).unwrap();
        let mut restored = es.clone();
        while es.stop().is_none() {
            restored = SepCma::from_checkpoint(&restored.to_checkpoint().unwrap()).unwrap();
            step(&mut es, sphere);
            step(&mut restored, sphere);
            assert_eq!((restored.stop(), restored.reference()), (es.stop(), reference));
        }
        assert_eq!(restored.to_checkpoint().unwrap(), es.to_checkpoint().unwrap());
    }
}
