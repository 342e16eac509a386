//! Transformations do what they say, one by one and composed, for instances and closures alike.

use ddcma_problems::{Instance, Noise, Problem, ProblemError, Rotation, from_fn};

fn paraboloid() -> impl Problem {
    from_fn(2, |x: &[f64]| x[0] * x[0] + 10.0 * x[1]).unwrap()
}

fn quarter_turn() -> Rotation {
    Rotation::from_rows(2, vec![0.0, -1.0, 1.0, 0.0]).unwrap()
}

#[test]
fn each_transformation_is_its_formula() {
    let x = [3.0, 4.0];
    assert_eq!(paraboloid().value(&x), 49.0);
    assert_eq!(paraboloid().shifted(vec![1.0, 2.0]).unwrap().value(&x), 4.0 + 20.0); // f(x − s)
    assert_eq!(paraboloid().rotated(quarter_turn()).unwrap().value(&x), 16.0 + 30.0); // f(R x)
    assert_eq!(paraboloid().scaled(vec![2.0, -1.0]).unwrap().value(&x), 36.0 - 40.0); // f(S x)
    assert_eq!(paraboloid().transformed(|f| 2.0 * f + 1.0).value(&x), 99.0);
}

#[test]
fn the_last_transformation_meets_the_points_first() {
    let mut shift_last = paraboloid().scaled(vec![2.0, 1.0]).unwrap().shifted(vec![1.0, 0.0]).unwrap();
    assert_eq!(shift_last.value(&[3.0, 0.0]), 16.0); // (2·(3 − 1))²
    let mut scale_last = paraboloid().shifted(vec![1.0, 0.0]).unwrap().scaled(vec![2.0, 1.0]).unwrap();
    assert_eq!(scale_last.value(&[3.0, 0.0]), 25.0); // (2·3 − 1)²
}

#[test]
fn a_generation_goes_through_the_whole_chain() {
    let chain = || {
        Instance::from_name("rosenbrock-rotated/n=5/seed=2")
            .unwrap()
            .rotated(Rotation::from_seed(5, 1).unwrap())
            .unwrap()
            .scaled(vec![1.0, 2.0, 3.0, 4.0, 5.0])
            .unwrap()
            .shifted(vec![1.0; 5])
            .unwrap()
            .transformed(f64::ln_1p)
            .counted(1000)
    };
    let (mut at_once, mut one_by_one) = (chain(), chain());
    let points: Vec<f64> = (0..30).map(|i| (i as f64).sin()).collect();
    let mut values = [0.0; 6];
    at_once.values(&points, &mut values);
    for (x, value) in points.chunks_exact(5).zip(values) {
        assert!((value / one_by_one.value(x) - 1.0).abs() < 1e-12);
    }
    // The minimizer is transformed, too.
    let minimizer = at_once.minimizer().unwrap();
    assert!(at_once.value(&minimizer) < 1e-12);
    assert!(at_once.value(&[1.0; 5]) > 1.0, "and is nowhere else");
    let instance = at_once.inner().inner().inner().inner().inner();
    assert_eq!(instance.spec().to_string(), "rosenbrock-rotated/n=5/seed=2");
    assert!(paraboloid().minimizer().is_none());
}

#[test]
fn noise_is_as_large_as_asked_and_reproducible() {
    let noisy = |noise, seed| from_fn(1, |x: &[f64]| x[0]).unwrap().noisy(noise, seed).unwrap();
    let draws = 20_000;
    let mut additive = noisy(Noise::Additive(0.5), 1);
    let sample: Vec<f64> = (0..draws).map(|_| additive.value(&[10.0]) - 10.0).collect();
    let mean = sample.iter().sum::<f64>() / f64::from(draws);
    let deviation = (sample.iter().map(|e| e * e).sum::<f64>() / f64::from(draws)).sqrt();
    assert!(mean.abs() < 0.02 && (deviation - 0.5).abs() < 0.01, "{mean} {deviation}");

    let mut multiplicative = noisy(Noise::Multiplicative(0.5), 1);
    let logs: Vec<f64> = (0..draws).map(|_| (multiplicative.value(&[-10.0]) / -10.0).ln()).collect();
    let mean = logs.iter().sum::<f64>() / f64::from(draws);
    let deviation = (logs.iter().map(|e| e * e).sum::<f64>() / f64::from(draws)).sqrt();
    assert!(mean.abs() < 0.02 && (deviation - 0.5).abs() < 0.01, "{mean} {deviation}");

    let mut values = [0.0; 3];
    noisy(Noise::Additive(1.0), 7).values(&[1.0, 2.0, 3.0], &mut values);
    let mut same = noisy(Noise::Additive(1.0), 7);
    assert_eq!(values, [same.value(&[1.0]), same.value(&[2.0]), same.value(&[3.0])]);
    assert_ne!(values[0], noisy(Noise::Additive(1.0), 8).value(&[1.0]));
    assert_eq!(noisy(Noise::Additive(0.0), 8).value(&[1.0]), 1.0);
    // A change here is a value-breaking change: it belongs in the changelog under that heading.
    let pinned = noisy(Noise::Additive(1.0), 7).value(&[0.0]);
    assert!((pinned + 0.15318842729939677).abs() < 1e-14, "{pinned}");
}

#[test]
fn a_budget_is_kept_to_the_evaluation() {
    let mut calls = 0;
    let mut counted = from_fn(1, |x: &[f64]| {
        calls += 1;
        x[0]
    })
    .unwrap()
    .counted(5);
    assert_eq!(counted.value(&[1.0]), 1.0);
    assert_eq!((counted.evaluations(), counted.remaining()), (1, 4));
    let mut values = [0.0; 6];
    counted.values(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut values);
    assert_eq!(values[..4], [1.0, 2.0, 3.0, 4.0]);
    assert!(values[4].is_nan() && values[5].is_nan() && counted.value(&[1.0]).is_nan());
    assert_eq!((counted.evaluations(), counted.remaining()), (5, 0));
    assert_eq!(calls, 5);
}

#[test]
fn what_does_not_fit_is_refused_at_construction() {
    let wrong = |got| ProblemError::WrongDimension { expected: 2, got };
    assert_eq!(paraboloid().shifted(vec![1.0; 3]).err(), Some(wrong(3)));
    assert_eq!(paraboloid().scaled(vec![1.0]).err(), Some(wrong(1)));
    let rotation = Rotation::from_rows(1, vec![1.0]).unwrap();
    assert_eq!(paraboloid().rotated(rotation).err(), Some(wrong(1)));
    assert!(paraboloid().shifted(vec![1.0, f64::NAN]).is_err());
    assert!(paraboloid().scaled(vec![1.0, 0.0]).is_err());
    assert!(paraboloid().noisy(Noise::Additive(-1.0), 1).is_err());
    assert!(paraboloid().noisy(Noise::Multiplicative(f64::INFINITY), 1).is_err());
    assert_eq!(
        from_fn(0, |_: &[f64]| 0.0).err().map(|error| error.to_string()),
        Some("n must be at least 1, got 0".into())
    );
}

#[test]
fn objectives_are_used_through_references_and_boxes() {
    let mut boxed: Vec<Box<dyn Problem>> =
        vec![Box::new(paraboloid()), Box::new(Instance::from_name("sphere/n=2/seed=1").unwrap())];
    let values: Vec<f64> = boxed.iter_mut().map(|objective| objective.value(&[1.0, 2.0])).collect();
    assert_eq!(values, [21.0, 5.0]);
    let mut instance = Instance::from_name("sphere/n=2/seed=1").unwrap();
    let mut counted = (&mut instance).counted(10);
    assert_eq!((counted.value(&[1.0, 2.0]), counted.evaluations(), counted.budget()), (5.0, 1, 10));
    let mut two_values = [0.0; 2];
    for objective in &mut boxed {
        assert_eq!(objective.dimension(), 2);
        objective.values(&[1.0, 2.0, 0.0, 0.0], &mut two_values);
        assert!(two_values[0] > two_values[1]);
    }
    let mut reference = &mut instance;
    Problem::values(&mut reference, &[1.0, 2.0, 0.0, 0.0], &mut two_values);
    assert_eq!(two_values, [5.0, 0.0]);
    assert_eq!((Problem::dimension(&reference), Problem::minimizer(&reference)), (2, Some(vec![0.0; 2])));
    let boxed: Box<dyn Problem> = Box::new(instance);
    assert_eq!(Problem::minimizer(&boxed), Some(vec![0.0; 2]));
}

#[test]
fn a_refused_evaluation_is_not_made_a_value_by_a_transformation() {
    let mut clipped = paraboloid().counted(0).transformed(|f| f.max(0.0));
    assert!(clipped.value(&[1.0, 2.0]).is_nan());
    let mut values = [0.0];
    clipped.values(&[1.0, 2.0], &mut values);
    assert!(values[0].is_nan());
}

#[test]
fn points_of_another_dimension_are_a_clear_panic_and_never_a_wrong_value() {
    let chain = || paraboloid().shifted(vec![1.0, 1.0]).unwrap();
    let refuses = |mut objective: Box<dyn Problem>| {
        objective.value(&[1.0, 2.0]);
        for wrong in [&[1.0][..], &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0]] {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| objective.value(wrong)));
            assert!(caught.is_err(), "{wrong:?}");
        }
    };
    refuses(Box::new(paraboloid()));
    refuses(Box::new(chain()));
    refuses(Box::new(chain().scaled(vec![1.0, 2.0]).unwrap()));
    refuses(Box::new(chain().rotated(quarter_turn()).unwrap()));
    refuses(Box::new(Instance::from_name("rastrigin-rotated/n=2/seed=1").unwrap()));
}

#[test]
fn transformations_allocate_nothing_after_the_first_generation() {
    let mut chain = paraboloid()
        .rotated(quarter_turn())
        .unwrap()
        .scaled(vec![1.0, 2.0])
        .unwrap()
        .shifted(vec![1.0, 1.0])
        .unwrap()
        .transformed(f64::sqrt)
        .noisy(Noise::Additive(0.1), 1)
        .unwrap()
        .counted(100);
    let (points, mut values) = ([0.5; 12], [0.0; 6]);
    chain.values(&points, &mut values);
    let counted = allocation_counter::measure(|| chain.values(&points, &mut values));
    assert_eq!(counted.count_total, 0);
}

/// With the feature `core`, problems are objectives themselves: composed, boxed or borrowed.
#[cfg(feature = "core")]
#[test]
fn problems_can_be_minimized_as_they_are() {
    use ddcma_core::minimize;
    let instance = || Instance::from_name("ellipsoid-rotated/n=5/seed=1").unwrap();
    let by_closure = {
        let mut instance = instance();
        minimize(|x: &[f64]| instance.value(x), &[1.0; 5], 1.0).seed(1).target(1e-8).run().unwrap()
    };
    assert!(by_closure.value <= 1e-8);
    let minimum = |value: f64| (value - by_closure.value).abs() <= 1e-8;
    let direct = minimize(instance(), &[1.0; 5], 1.0).seed(1).target(1e-8).run().unwrap();
    assert!(minimum(direct.value), "{direct:?}");
    let boxed: Box<dyn Problem> = Box::new(instance().shifted(vec![0.0; 5]).unwrap());
    assert!(minimum(minimize(boxed, &[1.0; 5], 1.0).seed(1).target(1e-8).run().unwrap().value));
    let mut counted = instance().counted(1_000_000);
    let borrowed: &mut dyn Problem = &mut counted;
    let solution = minimize(borrowed, &[1.0; 5], 1.0).seed(1).target(1e-8).run().unwrap();
    assert_eq!(counted.evaluations(), solution.evaluations, "every evaluation went through it");
}
