//! A run creeps if its step size grows while D and C shrink as fast. Such runs end, and no others.

use ddcma_core::{
    Bounds, Columns, Generation, Optimizer, Pace, Params, Selection, Shape, StartError, StartShape, StepSizeChange,
    StepSizeRule, Stop, StopCriteria, Strategy, UpdateError,
};
#[cfg(feature = "dense")]
use ddcma_core::{DiagonalDecoding, Plain, Separable};

#[cfg(feature = "dense")]
use crate::common::{rotate, rotation};

/// σ doubles in each generation.
#[derive(Clone, Debug)]
struct Doubling;

impl StepSizeRule for Doubling {
    const NAME: &'static str = "doubling";

    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self)
    }

    fn update(&mut self, seen: &Selection<'_>, _: &Params) -> StepSizeChange {
        StepSizeChange { log_sigma: 2f64.ln(), h_sigma: seen.h_sigma }
    }

    fn to_bytes(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }

    fn from_bytes(_: &[u8]) -> Option<Self> {
        Some(Self)
    }
}

/// D is multiplied by given factors in each generation.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
struct Shrinking {
    d: Vec<f64>,
    factors: Vec<f64>,
}

impl Strategy for Shrinking {
    const NAME: &'static str = "shrinking";

    type Options = Vec<f64>;

    type StepSize = Doubling;

    fn start(_: &Params, factors: &Vec<f64>, shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self { d: shape.deviations(), factors: factors.clone() })
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        y.as_mut_slice().copy_from_slice(z.as_slice());
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
    }

    fn update(&mut self, _: &Generation<'_>, _: &mut dyn Pace, _: &Params) -> Result<(), UpdateError> {
        self.d.iter_mut().zip(&self.factors).for_each(|(d, factor)| *d *= factor);
        Ok(())
    }

    fn shape(&self) -> Shape<'_> {
        Shape::new(&self.d)
    }

    fn c(&self) -> Columns {
        Columns::identity(self.d.len())
    }

    fn axis_lengths(&self) -> Vec<f64> {
        vec![1.0; self.d.len()]
    }

    fn set_d(&mut self, d: &[f64]) -> bool {
        self.d.copy_from_slice(d);
        true
    }

    #[cfg(feature = "checkpoint")]
    fn to_bytes(&self) -> Option<Vec<u8>> {
        ddcma_core::storage::to_bytes(self).ok()
    }

    #[cfg(feature = "checkpoint")]
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        ddcma_core::storage::from_bytes(bytes).ok()
    }
}

/// A run whose step size doubles, and whose D shrinks by these factors.
fn start(sigma: f64, d: [f64; 2], factors: [f64; 2], bounds: Option<Bounds>) -> Optimizer<Shrinking> {
    let builder = Optimizer::builder(&[0.0; 2], sigma).deviations(&d).strategy_options(factors.to_vec());
    let builder = builder.criteria(StopCriteria::none().creeping(1000.0));
    let builder = if let Some(bounds) = bounds { builder.bounds(bounds) } else { builder };
    let mut es = builder.build().unwrap();
    es.set_reference(f64::NEG_INFINITY).unwrap();
    es
}

/// Tells generations in which all candidates are at the mean.
fn tell(es: &mut Optimizer<Shrinking>, generations: usize) {
    let lambda = es.params().lambda();
    for _ in 0..generations {
        es.ask_with(&Columns::zeros(2, lambda)).unwrap();
        es.tell(&vec![1.0; lambda]).unwrap();
    }
}

#[test]
fn a_run_creeps_if_sigma_has_grown_and_no_deviation_has() {
    for (sigma, d) in [(1.0, [1.0; 2]), (0.3, [1e-3, 1e3]), (1e-200, [1e100, 1e-100])] {
        let mut es = start(sigma, d, [0.4, 0.25], None);
        tell(&mut es, 9);
        assert_eq!(es.stop(), None, "512 times");
        tell(&mut es, 1);
        let Some(Stop::Creeping { growth, limit, largest, best, reference }) = es.stop() else {
            panic!("{:?}", es.stop())
        };
        assert!((growth / 1024.0 - 1.0).abs() < 1e-9 && (largest / 0.8f64.powi(10) - 1.0).abs() < 1e-9, "{growth}");
        assert_eq!((limit, best, reference), (1000.0, 1.0, Some(f64::NEG_INFINITY)));
    }
    // One coordinate whose deviation is above its initial value, however little, is enough.
    for (factor, creeps) in [(0.4999, true), (0.5001, false), (0.75, false)] {
        let mut es = start(2.0, [10.0, 0.1], [0.25, factor], None);
        tell(&mut es, 20);
        assert_eq!(es.stop().is_some(), creeps, "{factor}: {:?}", es.stop());
    }
    let mut es = start(1.0, [1.0; 2], [0.4; 2], None);
    tell(&mut es, 20);
    let text = es.stop().unwrap().to_string();
    assert!(text.starts_with("creeping: the step size has grown by 1048576 (limit 1000)"), "{text}");
    assert!(text.ends_with("of its initial value, and the best value 1 is above the reference -inf"), "{text}");
    es.set_criteria(StopCriteria::none()).unwrap();
    assert_eq!(es.stop(), None);
    assert_eq!(StopCriteria::new(), StopCriteria::new().creeping(1e3), "on by default");
}

/// A run whose best value is not above a reference value may creep.
#[test]
fn only_runs_above_their_reference_value_creep_in_vain() {
    let mut es = start(1.0, [1.0; 2], [0.4; 2], None);
    tell(&mut es, 20); // with values of 1
    for (reference, creeps) in
        [(None, false), (Some(1.0), false), (Some(2.0), false), (Some(0.999), true), (Some(f64::INFINITY), false)]
    {
        es.set_reference(reference).unwrap();
        assert_eq!(es.stop().is_some(), creeps, "{reference:?}");
    }
}

/// On request, the best run so far ends too, and so does a run without a reference.
#[test]
fn a_best_run_that_creeps_ends_on_request() {
    assert_eq!(StopCriteria::new(), StopCriteria::new().creeping_best(None), "off by default");
    let mut es = start(1.0, [1.0; 2], [0.4; 2], None);
    tell(&mut es, 20); // with values of 1, and a growth of 2^20
    let criteria = [
        (StopCriteria::none().creeping_best(1e6), Some(1e6), Some(1e6)),
        (StopCriteria::none().creeping(1e3).creeping_best(1e6), Some(1e6), Some(1e3)),
        (StopCriteria::none().creeping(1e3).creeping_best(1e7), None, Some(1e3)),
        (StopCriteria::none().creeping(1e3), None, Some(1e3)),
    ];
    for (criteria, of_best, of_others) in criteria {
        es.set_criteria(criteria).unwrap();
        for (reference, expected) in [(None, of_best), (Some(2.0), of_best), (Some(0.5), of_others)] {
            es.set_reference(reference).unwrap();
            let limit = es.stop().map(|stop| match stop {
                Stop::Creeping { limit, reference: above, .. } => {
                    assert_eq!(above, reference.filter(|reference| *reference < 1.0));
                    limit
                }
                other => panic!("{other}"),
            });
            assert_eq!(limit, expected, "{reference:?}");
        }
    }
    es.set_criteria(StopCriteria::none().creeping_best(1e6)).unwrap();
    es.set_reference(None).unwrap();
    let text = es.stop().unwrap().to_string();
    assert!(text.ends_with("and the best value 1 is not above a reference"), "{text}");
}

/// σ and D exchange powers of two when they are far apart, which is at 1e±60.
#[test]
fn powers_of_two_that_sigma_leaves_to_d_count_as_its_own() {
    // Far apart from the start: in the first generation σ hands everything over to D.
    for exponent in [300, -300] {
        let mut es = start(2f64.powi(exponent), [2f64.powi(-exponent); 2], [0.4; 2], None);
        tell(&mut es, 9);
        assert!((1e-60..1e60).contains(&es.sigma()) && es.stop().is_none(), "{:e}", es.sigma());
        tell(&mut es, 1);
        let Some(Stop::Creeping { growth, .. }) = es.stop() else { panic!("{:?}", es.stop()) };
        assert!((growth / 1024.0 - 1.0).abs() < 1e-9, "{growth}");
    }
    // Far apart after 200 generations: σ is small again, but counts as grown.
    let mut es = start(1.0, [1.0; 2], [0.4; 2], None);
    tell(&mut es, 205);
    assert!(es.sigma() < 100.0, "{:e}", es.sigma());
    es.set_criteria(StopCriteria::none().creeping(1.5 * 2f64.powi(205))).unwrap();
    assert_eq!(es.stop(), None);
    tell(&mut es, 1);
    let Some(Stop::Creeping { growth, .. }) = es.stop() else { panic!("{:?}", es.stop()) };
    assert!((growth / 2f64.powi(206) - 1.0).abs() < 1e-9, "{growth:e}");
}

#[cfg(feature = "checkpoint")]
#[test]
fn what_was_exchanged_goes_through_checkpoints() {
    let stored =
        |es: &Optimizer<Shrinking>| Optimizer::<Shrinking>::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
    let bounds = Bounds::new(&[-3.0, f64::NEG_INFINITY], &[3.0, f64::INFINITY]).unwrap();
    for (factors, bounds) in [([0.4; 2], None), ([0.9, 0.4], Some(bounds))] {
        let mut es = start(0.5, [1.0; 2], factors, bounds);
        let mut restored = es.clone();
        for t in 0..450 {
            tell(&mut es, 1);
            tell(&mut restored, 1);
            if t % 50 == 7 {
                restored = stored(&restored);
            }
            assert_eq!(restored.stop(), es.stop());
            assert_eq!(restored.to_checkpoint().unwrap(), es.to_checkpoint().unwrap());
        }
        assert!(es.sigma() < 1e60);
    }
}

/// Changes of D by bounds are not changes that it has learned.
#[test]
fn a_box_that_shortens_d_makes_no_run_creep() {
    let bounds = || Some(Bounds::uniform(2, -3.0, 3.0).unwrap()); // deviations of at most 2
    // From the largest deviations allowed: the strategy leaves D unchanged, and the bounds shorten it in each generation.
    let mut es = start(2.0, [1.0; 2], [1.0; 2], bounds());
    tell(&mut es, 60);
    assert!(es.deviations().all(|deviation| (deviation - 2.0).abs() < 1e-9));
    assert_eq!(es.stop(), None);
    // One coordinate shrinks by itself; the other is limited by the box, not by D.
    let mut es = start(2.0, [1.0; 2], [0.25, 0.9], bounds());
    tell(&mut es, 30);
    assert_eq!(es.stop(), None, "the second could have grown by 1.8 in each generation");
    // Both shrink by more than σ grows: the box has taken nothing.
    let mut es = start(2.0, [1.0; 2], [0.25, 0.49], bounds());
    tell(&mut es, 9);
    assert_eq!(es.stop(), None);
    tell(&mut es, 1);
    assert!(matches!(es.stop(), Some(Stop::Creeping { growth, .. }) if (growth / 1024.0 - 1.0).abs() < 1e-9));
}

#[test]
fn an_invalid_growth_is_refused() {
    for limit in [f64::NAN, -1.0] {
        let mut es = start(1.0, [1.0; 2], [1.0; 2], None);
        let error = es.set_criteria(StopCriteria::new().creeping(limit)).unwrap_err();
        assert!(matches!(error, StartError::Criterion { name: "creeping", .. }), "{error}");
        let error = es.set_criteria(StopCriteria::new().creeping_best(limit)).unwrap_err();
        assert!(matches!(error, StartError::Criterion { name: "creeping_best", .. }), "{error}");
    }
}

/// The composite of Griewank's and Rosenbrock's functions, COCO's f19: its minimum is 0.
#[cfg(feature = "dense")]
fn griewank_rosenbrock(rotation: &Columns, x: &[f64]) -> f64 {
    let z: Vec<f64> = rotate(rotation, x).iter().map(|z| z + 0.5).collect();
    let sum = z.windows(2).map(|z| {
        let s = 100.0 * (z[0] * z[0] - z[1]).powi(2) + (z[0] - 1.0).powi(2);
        s / 4000.0 - s.cos()
    });
    10.0 + 10.0 * sum.sum::<f64>() / (z.len() - 1) as f64
}

/// Returns the evaluations of a run, its best value, and the name of its stop reason.
#[cfg(feature = "dense")]
fn end<S: Strategy>(
    builder: ddcma_core::Builder<S>,
    criteria: StopCriteria,
    f: impl Fn(&[f64]) -> f64,
) -> (u64, f64, String) {
    let mut es = builder.criteria(criteria.abandon(None).max_evaluations(100_000)).build().unwrap();
    es.set_reference(f64::NEG_INFINITY).unwrap(); // so that only creeping can end the run
    let stop = es.run(f).unwrap();
    (es.evaluations(), es.best_value(), stop.name().to_string())
}

#[cfg(feature = "dense")]
#[test]
fn runs_that_creep_on_a_rugged_valley_end() {
    fn check<S: Strategy>() {
        let (mut creeping, mut saved, mut all, mut lost) = (0, 0, 0, 0);
        for seed in 1..=8 {
            let rotation = rotation(seed, 5);
            let f = |x: &[f64]| griewank_rosenbrock(&rotation, x);
            let start = || Optimizer::<S>::builder(&[3.0, -2.0, 1.0, 0.0, -3.0], 2.0).lambda(32).seed(seed);
            let without = end(start(), StopCriteria::new().creeping(None), f);
            let with = end(start(), StopCriteria::new(), f);
            all += without.0;
            if with.2 == "creeping" {
                creeping += 1;
                saved += without.0 - with.0;
                lost += u32::from(without.1 < 1e-8);
            } else {
                assert_eq!(with, without);
            }
        }
        assert!(
            creeping >= 3 && 2 * saved > all && lost == 0,
            "{}: {creeping} runs, {saved} of {all} evaluations, {lost} lost",
            S::NAME
        );
    }
    check::<DiagonalDecoding>();
    check::<Plain>();
}

/// With many candidates, σ grows while D and C learn, and the deviations shrink. This is not creeping.
#[cfg(feature = "dense")]
#[test]
fn large_populations_on_functions_with_many_minima_do_not_creep() {
    /// Rastrigin's, COCO's f3.
    fn regular(x: &[f64]) -> f64 {
        x.iter().map(|x| (x - 1.3).powi(2) + 10.0 - 10.0 * (std::f64::consts::TAU * (x - 1.3)).cos()).sum()
    }
    /// Schwefel's, COCO's f20: the best minimum is in a corner.
    fn deceptive(x: &[f64]) -> f64 {
        let outside: f64 = x.iter().map(|x| (x.abs() - 5.0).max(0.0).powi(2)).sum();
        let sum: f64 = x.iter().map(|x| 100.0 * x * (100.0 * x).abs().sqrt().sin()).sum();
        4.189_828_872_724_339 - sum / (100.0 * x.len() as f64) + 100.0 * outside
    }
    fn check<S: Strategy>(name: &str, f: fn(&[f64]) -> f64) {
        let boxes = [None, Some(Bounds::uniform(5, -5.0, 5.0).unwrap())];
        for (seed, bounds) in (1..=3).flat_map(|seed| boxes.clone().map(|bounds| (seed, bounds))) {
            let start = || {
                // With the bounds, from the largest deviations that they allow.
                let sigma = if bounds.is_some() { 4.0 } else { 2.0 };
                let builder = Optimizer::<S>::builder(&[2.0, -3.0, 0.0, 1.0, -1.0], sigma).lambda(256).seed(seed);
                if let Some(bounds) = &bounds { builder.bounds(bounds.clone()) } else { builder }
            };
            let with = end(start(), StopCriteria::new().target(1e-8), f);
            let without = end(start(), StopCriteria::new().target(1e-8).creeping(None), f);
            assert_eq!(with, without, "{}, {name}, seed {seed}, {bounds:?}", S::NAME);
        }
    }
    for (name, f) in [("regular", regular as fn(&[f64]) -> f64), ("deceptive", deceptive)] {
        check::<DiagonalDecoding>(name, f);
        check::<Plain>(name, f);
        check::<Separable>(name, f);
    }
}

/// Along the edge of a penalty σ grows and D shrinks, as in a run that creeps; and the minimum is found.
#[cfg(feature = "dense")]
#[test]
fn a_run_along_an_edge_goes_on_to_the_minimum() {
    // The one-liter can with the least surface, its radius at most 5 cm.
    let surface = |x: &[f64]| {
        let (radius, height) = (x[0], x[1]);
        let missing = (1000.0 - std::f64::consts::PI * radius * radius * height).max(0.0);
        2.0 * std::f64::consts::PI * radius * (radius + height) + 10.0 * missing
    };
    let least = 10.0 * std::f64::consts::PI * (5.0 + 40.0 / std::f64::consts::PI);
    let mut growths = 0;
    for seed in 1..=5 {
        let bounds = Bounds::new(&[1.0, 0.0], &[5.0, f64::INFINITY]).unwrap();
        let builder = Optimizer::<DiagonalDecoding>::builder(&[3.0, 10.0], 2.0).bounds(bounds).seed(seed);
        let mut es = builder.build().unwrap();
        let stop = es.run(surface).unwrap();
        assert!((es.best_value() / least - 1.0).abs() < 1e-9, "{:e}, {stop}", es.best_value());
        growths += usize::from(es.sigma() > 2e3);
    }
    assert!(growths >= 3, "σ has grown in {growths} of 5 runs");
}
