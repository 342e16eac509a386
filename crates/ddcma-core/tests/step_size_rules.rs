//! Step-size rules: what they see, what TPA does with it, and that nothing else depends on them.
#![cfg(feature = "dense")]

use std::cell::Cell;

use crate::common::{self, bits, ellipsoid};
use ddcma_core::{
    Bounds, BuiltInRule, Columns, Csa, DiagonalDecoding, Optimizer, Params, Plain, Selection, Separable, Settings,
    StartError, StepSize, StepSizeChange, StepSizeRule, Stop, StopCriteria, Strategy, Tpa, WithStepSize,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn tpa() -> Settings {
    Settings::new().step_size(StepSize::Tpa)
}

fn started<S: Strategy>(n: usize, settings: Settings, seed: u64) -> Optimizer<S> {
    let criteria = StopCriteria::none();
    Optimizer::builder(&vec![1.0; n], 0.5).settings(settings).criteria(criteria).seed(seed).build().unwrap()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// The pair lies along the last step of the mean, whatever the shape, and the others are drawn as usual.
fn pair_is_along_the_last_step<S: Strategy>() {
    let n = 6;
    let mut es = started::<S>(n, tpa(), 3);
    let mut last: Option<Vec<f64>> = None;
    for generation in 0..40 {
        let (mean, points) = (es.mean().to_vec(), es.ask().clone());
        let step = |k: usize| -> Vec<f64> { points[k].iter().zip(&mean).map(|(x, m)| x - m).collect() };
        let cosine = |a: &[f64], b: &[f64]| {
            let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            product / (sphere(a) * sphere(b)).sqrt()
        };
        if let Some(last) = &last {
            assert!((cosine(&step(0), last) - 1.0).abs() < 1e-9, "generation {generation}");
            assert!((cosine(&step(1), last) + 1.0).abs() < 1e-9, "generation {generation}");
            assert!((sphere(&step(0)) / sphere(&step(1)) - 1.0).abs() < 1e-9);
            assert!(cosine(&step(2), last).abs() < 0.999);
        }
        es.tell(&points.iter().map(ellipsoid).collect::<Vec<f64>>()).unwrap();
        last = Some(es.mean().iter().zip(&mean).map(|(new, old)| new - old).collect());
    }
}

#[test]
fn the_pair_is_along_the_last_step_of_the_mean() {
    pair_is_along_the_last_step::<DiagonalDecoding>();
    pair_is_along_the_last_step::<Plain>();
    pair_is_along_the_last_step::<Separable>();
}

#[test]
fn tpa_takes_no_random_numbers_more_than_csa() {
    let (mut one, mut other) = (started::<Separable>(5, tpa(), 9), started::<Separable>(5, Settings::new(), 9));
    common::step(&mut one, sphere);
    common::step(&mut other, sphere);
    // Apart from the pair and σ, the second generation is the same, because σ has not changed in the first.
    let z = |es: &mut Optimizer<Separable>| -> Vec<f64> {
        let (sigma, d, mean) = (es.sigma(), es.d().to_vec(), es.mean().to_vec());
        let step = |x: &[f64]| -> Vec<f64> { (0..5).map(|k| (x[k] - mean[k]) / sigma / d[k]).collect() };
        es.ask().iter().skip(2).flat_map(step).collect()
    };
    let (one, other) = (z(&mut one), z(&mut other));
    assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-9), "{one:?}, {other:?}");
}

/// The change of log σ per iteration.
fn drift<S: Strategy>(n: usize, generations: u32, f: &mut dyn FnMut(&[f64]) -> f64, seed: u64) -> f64 {
    let mut es = started::<S>(n, tpa(), seed);
    for _ in 0..generations {
        let values: Vec<f64> = es.ask().iter().map(&mut *f).collect();
        es.tell(&values).unwrap();
    }
    (es.sigma() / 0.5).ln() / f64::from(generations)
}

#[test]
fn tpa_grows_on_a_slope_shrinks_on_a_sphere_and_stays_on_a_random_function() {
    for n in [2, 10] {
        let slope = drift::<Separable>(n, 100, &mut |x| x[0], 1);
        assert!(slope > 0.05, "n = {n}: {slope}");
        let bowl = drift::<Separable>(n, 100, &mut sphere, 1);
        assert!(bowl < -0.2 / n as f64, "n = {n}: {bowl}");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        // Many short runs: in a long one D drifts out of the floating-point range, which is not the subject here.
        let mut random = |seed: u64| drift::<Separable>(n, 1000, &mut |_| rng.next_u64() as f64, seed);
        let random = (0..100).map(&mut random).sum::<f64>() / 100.0;
        assert!(random.abs() < 0.002, "n = {n}: {random}");
    }
}

#[test]
fn only_the_order_of_values_counts() {
    let runs = [|f: f64| f, |f: f64| 1e10 * f, |f: f64| f * f * f].map(|transformed| {
        let mut es = started::<DiagonalDecoding>(5, tpa(), 4);
        (0..100).for_each(|_| common::step(&mut es, |x| transformed(ellipsoid(x))));
        bits(&es)
    });
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

/// What a rule was shown, recorded by itself.
#[derive(Clone, Debug)]
struct Spy;

thread_local! {
    static SEEN: Cell<(bool, bool)> = const { Cell::new((false, false)) };
}

impl StepSizeRule for Spy {
    const NAME: &'static str = "spy";
    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self)
    }
    fn wants_pair(&self) -> bool {
        true
    }
    fn wants_last(&self) -> bool {
        true
    }
    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        assert_eq!(seen.ranks.len(), params.lambda());
        assert_eq!(seen.ranks.iter().sum::<f64>(), (params.lambda() * (params.lambda() - 1) / 2) as f64);
        SEEN.set((seen.pair, seen.ranks_in_last.is_some()));
        StepSizeChange { log_sigma: 0.0, h_sigma: seen.h_sigma }
    }
}

#[test]
fn a_pair_that_was_not_evaluated_as_asked_is_none() {
    let mut es = started::<WithStepSize<DiagonalDecoding, Spy>>(4, Settings::new().lambda(6), 1);
    common::step(&mut es, sphere);
    assert_eq!(SEEN.get(), (false, false), "the first generation");
    common::step(&mut es, sphere);
    assert_eq!(SEEN.get(), (true, true));
    for (replaced, pair) in [(0, false), (1, false), (2, true), (5, true)] {
        let mut points = es.ask().clone();
        points[replaced].fill(0.25);
        let values: Vec<f64> = points.iter().map(sphere).collect();
        es.tell_points(&points, &values).unwrap();
        assert_eq!(SEEN.get(), (pair, true), "candidate {replaced} was replaced");
    }
    let z = Columns::from_vec(4, (0..24).map(|k| f64::from(k).sin()).collect()).unwrap();
    let values: Vec<f64> = es.ask_with(&z).unwrap().iter().map(sphere).collect();
    es.tell(&values).unwrap();
    assert!(!SEEN.get().0, "deviates from elsewhere");
    // No step at all: a z, its opposite, and no order between them.
    let z = Columns::from_vec(4, (0..24).map(|k| [1.0, -1.0, 0.0, 0.0, 0.0, 0.0][k / 4]).collect()).unwrap();
    es.ask_with(&z).unwrap();
    es.tell(&[1.0; 6]).unwrap();
    common::step(&mut es, sphere);
    assert!(!SEEN.get().0, "no step, no direction");
    common::step(&mut es, sphere);
    assert!(SEEN.get().0);
    let mut smallest = started::<WithStepSize<Separable, Spy>>(4, Settings::new().lambda(2), 1);
    (0..3).for_each(|_| common::step(&mut smallest, sphere));
    assert!(!SEEN.get().0, "a pair would be all of the generation");
}

#[test]
fn a_rule_by_type_and_the_same_rule_by_setting_are_one() {
    let mut by_type = started::<WithStepSize<Plain, Tpa>>(5, tpa(), 2);
    let mut by_setting = started::<Plain>(5, tpa(), 2);
    (0..50).for_each(|_| common::step(&mut by_type, ellipsoid));
    (0..50).for_each(|_| common::step(&mut by_setting, ellipsoid));
    assert_eq!(bits(&by_type), bits(&by_setting));
    assert!(by_type.step_size_rule().s() != 0.0);

    let refused = |error: StartError| error.to_string();
    let builder =
        |settings: Settings| Optimizer::<WithStepSize<Plain, Csa>>::builder(&[1.0; 3], 1.0).settings(settings);
    let text = "the settings choose the step-size rule \"tpa\", but the strategy's type uses \"csa\": choose one of them in both \
                places";
    assert_eq!(builder(tpa()).build().map_err(refused).err().as_deref(), Some(text));
    let spy = Optimizer::<WithStepSize<Plain, Spy>>::builder(&[1.0; 3], 1.0).settings(tpa()).build();
    assert!(matches!(spy.err(), Some(StartError::StepSizeRule { rule: "spy", chosen: "tpa" })));
    assert!(Optimizer::<WithStepSize<Plain, Tpa>>::builder(&[1.0; 3], 1.0).build().is_ok(), "nothing was chosen");
    let by_settings = Optimizer::<WithStepSize<Plain, BuiltInRule>>::builder(&[1.0; 3], 1.0).settings(tpa()).build();
    assert!(matches!(by_settings.unwrap().step_size_rule(), BuiltInRule::Tpa(_)));
}

/// A σ that overflows is rejected, together with what the rule has learned from the generation.
#[test]
fn an_update_that_cannot_be_made_leaves_the_rule_as_it_was() {
    let mut es = started::<Separable>(2, tpa().tpa_damping(1e-4).lambda(5), 1);
    let mut before = es.clone();
    let refused = loop {
        let values: Vec<f64> = es.ask().iter().map(|x| x[0]).collect();
        before.clone_from(&es);
        if es.tell(&values).is_err() {
            break es;
        }
    };
    assert_eq!(refused.step_size_rule(), before.step_size_rule());
    assert_eq!(refused.sigma(), before.sigma());
    assert_eq!(refused.path_sigma(), before.path_sigma());
    assert!(matches!(refused.stop(), Some(Stop::Numerical(_))));
}

/// The same criteria, with the same defaults, end runs for the same reasons.
#[test]
fn stop_criteria_do_not_depend_on_the_rule() {
    type Function = fn(&[f64]) -> f64;
    let cases: [(StopCriteria, Function, &str); 10] = [
        (StopCriteria::none().target(1e-3), sphere, "target"),
        (StopCriteria::none().max_evaluations(500), sphere, "evaluations"),
        (StopCriteria::none().max_iterations(7), sphere, "iterations"),
        (StopCriteria::new(), |_| 1.0, "tol_fun_hist"),
        (StopCriteria::new().tol_fun_hist(None), |_| 1.0, "flat_fitness"),
        (StopCriteria::new(), |_| f64::NAN, "not_finite"),
        (StopCriteria::new(), |x| -x.iter().sum::<f64>(), "tol_x_up"),
        (StopCriteria::new(), sphere, "tol_fun"),
        (StopCriteria::none().tol_x(1e-6), sphere, "tol_x"),
        (StopCriteria::new(), |x| 1e14 + sphere(x), "flat_fitness"),
    ];
    for (criteria, f, reason) in cases {
        let stops = [Settings::new(), tpa()].map(|settings| {
            let builder = Optimizer::<DiagonalDecoding>::builder(&[1.0; 4], 0.5).settings(settings);
            let mut es = builder.criteria(criteria.clone()).seed(3).build().unwrap();
            let stop = es.run(f).unwrap();
            (stop, es.iterations())
        });
        assert!(stops.iter().all(|(stop, _)| stop.name() == reason), "{reason}: {stops:?}");
        if ["evaluations", "iterations", "not_finite"].contains(&reason) {
            assert_eq!(stops[0], stops[1], "where σ plays no part, in the same generation");
        }
    }
}

/// With bounds, flat regions and populations of any size, the state stays valid, and the sphere is solved.
#[test]
fn tpa_solves_with_bounds_and_any_population() {
    for lambda in [2, 3, 4, 12, 60] {
        let bounds = Bounds::uniform(3, -0.5, 4.0).unwrap();
        let builder = Optimizer::<DiagonalDecoding>::builder(&[3.0; 3], 1.0).settings(tpa().lambda(lambda));
        let criteria = StopCriteria::new().target(1e-9).max_evaluations(100_000);
        let mut es = builder.bounds(bounds).criteria(criteria).seed(1).build().unwrap();
        let stop = es.run(|x: &[f64]| sphere(x).max(1e-10)).unwrap();
        // Without a pair, with λ = 2, σ stays the same, and D does the work.
        assert!(matches!(stop, Stop::Target { .. }), "λ = {lambda}: {stop}");
        assert!(lambda > 2 || es.sigma() == 1.0);
    }
}

#[cfg(feature = "checkpoint")]
#[test]
fn a_checkpoint_knows_its_rule() {
    use ddcma_core::CheckpointError;
    let es = started::<Plain>(3, tpa(), 1);
    let bytes = es.to_checkpoint().unwrap();
    let error = Optimizer::<WithStepSize<Plain, Tpa>>::from_checkpoint(&bytes).unwrap_err();
    assert!(matches!(error, CheckpointError::StepSizeRule { expected: "tpa", .. }), "{error}");
    assert!(Optimizer::<Plain>::from_checkpoint(&bytes).is_ok());
}

/// A rule that looks at the last generation, and has its own state.
#[cfg(feature = "checkpoint")]
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Success {
    s: f64,
}

#[cfg(feature = "checkpoint")]
impl StepSizeRule for Success {
    const NAME: &'static str = "success";
    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self { s: 0.0 })
    }
    fn wants_last(&self) -> bool {
        true
    }
    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        let lambda = params.lambda() as f64;
        let mean_rank = |ranks: &[f64]| ranks.iter().sum::<f64>() / lambda;
        self.s = 0.7 * self.s + 0.3 * seen.ranks_in_last.map_or(0.0, |ranks| 0.35 - mean_rank(ranks) / lambda);
        StepSizeChange { log_sigma: self.s, h_sigma: seen.h_sigma }
    }
    fn to_bytes(&self) -> Option<Vec<u8>> {
        ddcma_core::storage::to_bytes(self).ok()
    }
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        ddcma_core::storage::from_bytes(bytes).ok()
    }
}

#[cfg(feature = "checkpoint")]
#[test]
fn a_custom_rule_goes_through_a_checkpoint_bit_for_bit() {
    let run = |stored: bool| {
        let mut es = started::<WithStepSize<DiagonalDecoding, Success>>(4, Settings::new(), 6);
        for _ in 0..30 {
            if stored {
                es = Optimizer::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
            }
            let values: Vec<f64> = es.ask().iter().map(ellipsoid).collect();
            if stored {
                es = Optimizer::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
            }
            es.tell(&values).unwrap();
        }
        (bits(&es), es.step_size_rule().s.to_bits())
    };
    assert_eq!(run(true), run(false));
}
