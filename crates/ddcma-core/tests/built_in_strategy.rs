//! The strategies of the crate as one type: the same runs, bit for bit, chosen by name.
#![cfg(feature = "dense")]

use ddcma_core::{
    BuiltInStrategy, Csa, DiagonalDecoding, Optimizer, Plain, Separable, Settings, StepSize, Strategy, Variant,
    WithStepSize,
};

fn ellipsoid(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(k, x)| 10f64.powi(k as i32) * (x - 0.1 * k as f64).powi(2)).sum::<f64>() + x[0] * x[1]
}

fn tell_next<S: Strategy>(es: &mut Optimizer<S>) {
    let values: Vec<f64> = es.ask().iter().map(ellipsoid).collect();
    es.tell(&values).unwrap();
}

fn same_run<S: Strategy<Options = ()>>(variant: Variant, settings: &Settings) {
    let mut one = Optimizer::<S>::builder(&[1.0; 5], 0.7).settings(settings.clone()).seed(3).build().unwrap();
    let builder = Optimizer::<BuiltInStrategy>::builder(&[1.0; 5], 0.7).settings(settings.clone()).seed(3);
    let mut other = builder.strategy_options(variant).build().unwrap();
    for generation in 0..120 {
        tell_next(&mut one);
        tell_next(&mut other);
        assert_eq!(one.mean(), other.mean(), "{variant:?}, generation {generation}");
    }
    assert_eq!((one.sigma(), one.d(), one.c()), (other.sigma(), other.d(), other.c()));
    let (of_one, of_other) = (one.strategy(), other.strategy());
    assert_eq!(of_one.shape().axes, of_other.shape().axes);
    assert_eq!((of_one.has_c(), of_one.axis_lengths()), (of_other.has_c(), of_other.axis_lengths()));
    let (mut axis, mut of_other_run) = ([0.0; 5], [0.0; 5]);
    of_one.principal_axis(2, &mut axis);
    of_other.principal_axis(2, &mut of_other_run);
    assert_eq!(axis, of_other_run);
    assert_eq!((of_other.variant(), variant.name()), (variant, S::NAME));
}

#[test]
fn a_run_is_that_of_the_strategy_itself() {
    for settings in [Settings::new(), Settings::new().step_size(StepSize::Tpa)] {
        same_run::<Plain>(Variant::Plain, &settings);
        same_run::<Separable>(Variant::Separable, &settings);
        same_run::<DiagonalDecoding>(Variant::DiagonalDecoding, &settings);
    }
    assert_eq!(Variant::default(), Variant::DiagonalDecoding);
}

#[test]
fn names_choose_among_several_strategies() {
    let mut chosen = Variant::default();
    for variant in Variant::ALL {
        assert!(BuiltInStrategy::choose(&mut chosen, variant.name()));
        assert_eq!((chosen, String::from(variant)), (variant, variant.name().to_string()));
    }
    assert!(!BuiltInStrategy::choose(&mut chosen, "built-in"));
    assert_eq!(chosen, *Variant::ALL.last().unwrap(), "it stays as it was");
    assert!(!BuiltInStrategy::set_option(&mut chosen, "rate", 1.0));
    // A single strategy accepts only its own name.
    assert!(Plain::choose(&mut (), "plain") && !Plain::choose(&mut (), "sep"));
    type WithCsa = WithStepSize<BuiltInStrategy, Csa>;
    assert!(WithCsa::choose(&mut chosen, "sep") && !WithCsa::set_option(&mut chosen, "rate", 1.0));
    assert_eq!(chosen, Variant::Separable);
}

#[cfg(feature = "checkpoint")]
#[test]
fn each_goes_on_from_a_checkpoint() {
    for variant in Variant::ALL {
        let builder = Optimizer::<BuiltInStrategy>::builder(&[1.0; 4], 0.7).seed(5);
        let mut es = builder.strategy_options(variant).build().unwrap();
        (0..40).for_each(|_| tell_next(&mut es));
        let bytes = es.to_checkpoint().unwrap();
        let mut resumed = Optimizer::<BuiltInStrategy>::from_checkpoint(&bytes).unwrap();
        for run in [&mut es, &mut resumed] {
            (0..40).for_each(|_| tell_next(run));
        }
        assert_eq!(es.to_checkpoint().unwrap(), resumed.to_checkpoint().unwrap(), "{variant:?}");
        let error = Optimizer::<Plain>::from_checkpoint(&bytes).map(drop).unwrap_err();
        assert!(error.to_string().contains("must be \"plain\", got \"built-in\""), "{error}");
    }
}
