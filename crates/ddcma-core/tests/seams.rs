//! A trivial implementation of every seam in `docs/seams.md`, outside of the crate.

use crate::common::{bits, ellipsoid, sphere, step};
use ddcma_core::{
    Best, BuiltInRule, Columns, Correction, EvolutionPath, Generation, Missing, Optimizer, Pace, Params, Pending,
    Ranked, Run, SepCma, Separable, Settings, Shape, StartError, StartShape, Stop, StopCriteria, Strategy, TellError,
    Ticket, Told, UpdateError, Updated, View, WhitenedChange, With, drive,
};
#[cfg(feature = "dense")]
use ddcma_core::{DiagonalDecoding, Plain};

fn start(budget: u64) -> SepCma {
    SepCma::builder(&[1.0; 4], 0.5).criteria(StopCriteria::new().max_evaluations(budget)).seed(3).build().unwrap()
}

/// A run whose candidates are ranked by keys other than their values: the handling of constraints.
struct ByKey {
    run: SepCma,
    key: fn(f64) -> f64,
}

/// Passes everything on to the run inside, except for what is given.
macro_rules! around {
    ($type:ty { $($method:item)* }) => {
        impl Run for $type {
            fn open(&mut self) {
                self.run.ask();
            }
            fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
                self.run.take(ticket, told)
            }
            fn stop(&self) -> Option<Stop> {
                self.run.stop()
            }
            fn best(&self) -> Option<Best<'_>> {
                self.run.best()
            }
            fn evaluations(&self) -> u64 {
                self.run.evaluations()
            }
            fn view(&self) -> View<'_> {
                self.run.view()
            }
            $($method)*
        }
    };
}

around!(ByKey {
    fn pending(&self) -> Pending<'_> {
        self.run.pending()
    }
    fn finish(&mut self, _: Missing, with: &mut With<'_>) -> Result<(), TellError> {
        let pending = self.run.pending();
        let value = |index: usize| pending.value(index).unwrap_or(f64::INFINITY);
        let keys: Vec<f64> = (0..pending.lambda()).map(|index| (self.key)(value(index))).collect();
        self.run.rank(&keys)?;
        with.show(self);
        Ok(())
    }
});

#[test]
fn a_key_ranks_and_values_are_reported() {
    let mut expected = start(400);
    expected.run(sphere).unwrap();
    // An increasing key changes nothing.
    let mut same = ByKey { run: start(400), key: |value| value.ln() };
    drive(&mut same, &mut { sphere }, &mut With::new()).unwrap();
    assert_eq!(bits(&same.run), bits(&expected));
    // The key −f of the function −f is the same run, with other values.
    let mut negated = ByKey { run: start(400), key: |value| -value };
    drive(&mut negated, &mut |x: &[f64]| -sphere(x), &mut With::new()).unwrap();
    assert_eq!(bits(&negated.run), bits(&expected));
    assert!(negated.run.best_value() < -1.0, "the smallest value told, not that of the smallest key");
}

/// A run that evaluates two candidates of each generation and ranks the others by a model: a surrogate.
struct Estimated {
    run: SepCma,
    wanted: Vec<usize>,
    model: fn(&[f64]) -> f64,
}

around!(Estimated {
    fn pending(&self) -> Pending<'_> {
        self.run.pending().only(&self.wanted)
    }
    fn finish(&mut self, _: Missing, with: &mut With<'_>) -> Result<(), TellError> {
        let pending = self.run.pending();
        let keys: Vec<f64> = pending.points().iter().map(self.model).collect();
        assert_eq!(pending.told(), 2);
        self.run.rank(&keys)?;
        with.show(self);
        Ok(())
    }
});

#[test]
fn a_run_may_want_only_a_few_candidates() {
    let mut expected = start(1000);
    (0..50).for_each(|_| step(&mut expected, sphere));
    let mut estimated = Estimated { run: start(100), wanted: vec![5, 2], model: sphere };
    let mut calls = 0;
    let mut counted = |x: &[f64]| {
        calls += 1;
        sphere(x)
    };
    drive(&mut estimated, &mut counted, &mut With::new()).unwrap();
    assert_eq!((calls, estimated.run.evaluations(), estimated.run.iterations()), (100, 100, 50));
    assert_eq!(bits(&estimated.run), bits(&expected), "the model is the function");
}

#[test]
fn a_candidate_is_replaced_before_its_evaluation_and_whitened() {
    let mut es = start(1000);
    (0..5).for_each(|_| step(&mut es, ellipsoid));
    es.ask();
    let (mean, sigma) = (es.mean().to_vec(), es.sigma());
    let x: Vec<f64> = mean.iter().zip(es.d()).map(|(m, d)| m + sigma * d * 0.5).collect();
    let mut z = vec![0.0; 4];
    es.whiten(&x, &mut z).unwrap();
    assert!(z.iter().all(|z| (z - 0.5).abs() < 1e-12), "{z:?}");
    es.replace(1, &x).unwrap();
    assert_eq!(&es.pending().points()[1], &x[..]);
    es.tell_one(es.pending().ticket(1), -1.0).unwrap();
    assert_eq!(es.best().map(|best| best.point.to_vec()), Some(x.clone()));
    assert!(matches!(es.replace(1, &x), Err(TellError::Twice { .. })));
    assert!(matches!(es.whiten(&x[1..], &mut z), Err(TellError::WrongLengths { .. })));
    #[cfg(feature = "checkpoint")]
    {
        // Its point is stored as it was given.
        let back = SepCma::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap();
        assert_eq!(back.pending().points(), es.pending().points());
    }
}

/// Half of the pace, and what it was asked with.
#[derive(Clone, Debug, Default)]
struct Half {
    asked: [usize; 3],
}

impl Pace for Half {
    fn mean(&mut self, z_mean: &[f64]) -> f64 {
        self.asked[0] += z_mean.len();
        0.5
    }
    fn d(&mut self, delta: &[f64], beta: f64) -> f64 {
        assert!(beta >= 1.0);
        self.asked[1] += delta.len();
        0.5
    }
    fn c(&mut self, k: &WhitenedChange<'_>) -> f64 {
        assert_eq!((k.z.len(), k.path.len()), (k.weights.len(), k.z.dimension()));
        self.asked[2] += k.path.len();
        0.5
    }
    fn name(&self) -> &'static str {
        "half"
    }
    fn copy(&self) -> Box<dyn Pace> {
        Box::new(self.clone())
    }
    fn to_bytes(&self) -> Option<Vec<u8>> {
        Some(self.asked.iter().flat_map(|count| count.to_le_bytes()).collect())
    }
    fn restore(&mut self, bytes: &[u8]) -> bool {
        let (counts, []) = bytes.as_chunks::<8>() else { return false };
        counts.len() == 3 && {
            self.asked.iter_mut().zip(counts).for_each(|(count, bytes)| *count = usize::from_le_bytes(*bytes));
            true
        }
    }
}

#[test]
fn a_pace_of_one_half_moves_the_mean_and_d_half_as_far() {
    let (mut full, mut half) = (start(1000), start(1000));
    half.set_pace(Box::new(Half::default()));
    let before = full.mean().to_vec();
    for es in [&mut full, &mut half] {
        step(es, ellipsoid);
    }
    for (k, before) in before.iter().enumerate() {
        let steps = [&full, &half].map(|es| es.mean()[k] - before);
        assert!((steps[1] / steps[0] - 0.5).abs() < 1e-12, "{steps:?}");
        let logarithms = [&full, &half].map(|es| es.d()[k].ln());
        assert!((logarithms[1] / logarithms[0] - 0.5).abs() < 1e-9, "{logarithms:?}");
    }
    // The pace is part of the run.
    let mut copy = half.clone();
    for es in [&mut half, &mut copy] {
        step(es, ellipsoid);
    }
    assert_eq!(bits(&half), bits(&copy));
}

/// C − I after one generation at half the pace is half of that at full pace, before it is divided.
#[cfg(feature = "dense")]
#[test]
fn a_pace_of_one_half_changes_c_half_as_much() {
    fn covariances<S: Strategy>(learns_d: bool) -> [Columns; 2] {
        [false, true].map(|half| {
            let settings = Settings::new().t_eig(1).lambda(8);
            let settings = if learns_d { settings } else { settings.c_1_d(0.0).c_mu_d(0.0) };
            let mut es = Optimizer::<S>::builder(&[1.0; 3], 0.5).settings(settings).seed(4).build().unwrap();
            if half {
                es.set_pace(Box::new(Half::default()));
            }
            step(&mut es, ellipsoid);
            es.c()
        })
    }
    let [full, half] = covariances::<Plain>(true);
    for (i, (full, half)) in full.iter().zip(half.iter()).enumerate() {
        for (j, (full, half)) in full.iter().zip(half).enumerate() {
            let one = f64::from(i == j);
            assert!(((half - one) - 0.5 * (full - one)).abs() < 1e-12, "{i}, {j}");
        }
    }
    let [full, half] = covariances::<DiagonalDecoding>(false);
    assert!((half[0][1] / full[0][1]).abs() < 0.75, "correlations");
}

/// Rounds the mean after each update, and centers the best candidates before it.
#[derive(Clone, Debug)]
struct Rounds;

impl Correction for Rounds {
    fn before(&mut self, ranked: &mut Ranked<'_>) {
        for (candidate, weight) in ranked.weights.iter().enumerate() {
            if *weight > 0.0 {
                for (k, y) in ranked.y[candidate].iter_mut().enumerate() {
                    let scale = ranked.sigma * ranked.shape.d[k];
                    *y = ((ranked.mean[k] + scale * *y).round() - ranked.mean[k]) / scale;
                    ranked.z[candidate][k] = *y; // A = I
                }
            }
        }
    }
    fn after(&mut self, updated: &mut Updated<'_>) {
        updated.mean.iter_mut().for_each(|m| *m = m.round());
    }
    fn name(&self) -> &'static str {
        "rounds"
    }
    fn copy(&self) -> Box<dyn Correction> {
        Box::new(self.clone())
    }
    fn to_bytes(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
    fn restore(&mut self, bytes: &[u8]) -> bool {
        bytes.is_empty()
    }
}

#[test]
fn a_correction_rounds() {
    let settings = Settings::new().c_1_d(0.0).c_mu_d(0.0);
    let mut es = Optimizer::<Separable>::builder(&[7.3, -9.8], 2.0).settings(settings).seed(1).build().unwrap();
    es.add_correction(Box::new(Rounds));
    for _ in 0..20 {
        step(&mut es, sphere);
        assert!(es.mean().iter().all(|m| *m == m.round()), "{:?}", es.mean());
    }
    assert!(es.mean().iter().all(|m| m.abs() <= 3.0), "{:?}", es.mean());
}

/// The state of a pace and of corrections is stored, and restored into a run that has them.
#[cfg(feature = "checkpoint")]
#[test]
fn parts_are_stored_and_restored() {
    let with_parts = || {
        let mut es = start(1000);
        es.set_pace(Box::new(Half::default()));
        es.add_correction(Box::new(Rounds));
        es
    };
    let (mut es, mut restored) = (with_parts(), with_parts());
    (0..3).for_each(|_| step(&mut es, sphere));
    restored.restore(&es.to_checkpoint().unwrap()).unwrap();
    for es in [&mut es, &mut restored] {
        step(es, sphere);
    }
    assert_eq!(restored.to_checkpoint().unwrap(), es.to_checkpoint().unwrap());
    let alone = SepCma::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap_err().to_string();
    assert!(alone.contains("the pace or a correction"), "{alone}");
    let other = start(1000).restore(&es.to_checkpoint().unwrap()).unwrap_err().to_string();
    assert!(other.contains("the pace or a correction"), "{other}");
}

/// What the command and Python do: a run of any kind behind one type, evaluated in their own loop, with constraints refused by a run
/// that has none, and repeated evaluations counted.
#[test]
fn any_run_is_evaluated_by_hand() {
    let mut by_hand: Box<dyn Run> = Box::new(start(100));
    while by_hand.stop().is_none() {
        by_hand.open();
        let jobs: Vec<(Ticket, f64)> = by_hand.pending().jobs().map(|(ticket, x)| (ticket, sphere(x))).collect();
        for (ticket, value) in jobs {
            let wrong = by_hand.take(ticket, Told::from(value).constraints(&[0.5]));
            assert_eq!(wrong, Err(TellError::Constraints { expected: 0, got: 1 }));
            by_hand.take(ticket, value.into()).unwrap();
        }
        by_hand.finish(Missing::RankLast, &mut With::new()).unwrap();
    }
    let mut driven = start(100);
    let stop = driven.run(sphere).unwrap();
    assert_eq!((by_hand.stop(), by_hand.evaluations()), (Some(stop), driven.evaluations()));

    let mut repeated = start(100);
    repeated.ask();
    for index in 0..8 {
        let value = sphere(&repeated.pending().points()[index]);
        repeated.take(repeated.pending().ticket(index), Told::from(value).evaluations(3)).unwrap();
    }
    assert_eq!(repeated.evaluations(), 24);
    repeated.finish(Missing::RankLast).unwrap();
    assert_eq!((repeated.evaluations(), repeated.best().map(|best| best.evaluation % 3)), (24, Some(0)));
}

/// A replaced candidate is stored with the generation, bit for bit, and is forgotten with it.
#[cfg(all(feature = "checkpoint", feature = "dense"))]
#[test]
fn replaced_candidates_go_through_checkpoints() {
    let mut es = Optimizer::<DiagonalDecoding>::builder(&[1.0; 4], 0.5).seed(3).build().unwrap();
    (0..30).for_each(|_| step(&mut es, ellipsoid));
    es.ask();
    let far: Vec<f64> = es.mean().iter().map(|m| m + 100.0 * es.sigma()).collect();
    es.replace(0, &far).unwrap();
    es.replace(2, &far).unwrap();
    let stored = |es: &Optimizer<DiagonalDecoding>| {
        Optimizer::<DiagonalDecoding>::from_checkpoint(&es.to_checkpoint().unwrap()).unwrap()
    };
    let mut restored = stored(&es);
    for es in [&mut es, &mut restored] {
        let values: Vec<f64> = es.pending().points().iter().map(ellipsoid).collect();
        es.tell(&values).unwrap();
    }
    assert_eq!(restored.to_checkpoint().unwrap(), es.to_checkpoint().unwrap());
    step(&mut restored, ellipsoid);
    step(&mut es, ellipsoid);
    assert_eq!(bits(&stored(&restored)), bits(&es));
}

#[test]
fn wanted_candidates_are_in_order_whatever_the_list() {
    let mut es = start(100);
    es.ask();
    let wanted = [5, 2, 7, 2, 1000];
    let pending = es.pending().only(&wanted);
    assert_eq!(pending.missing().collect::<Vec<usize>>(), [2, 5, 7]);
    assert!(pending.wants(5) && !pending.wants(0) && !pending.wants(1000));
}

/// A run that expects values of constraints interrupts an objective that tells none, and does not panic.
#[test]
fn a_value_that_is_refused_interrupts() {
    struct Strict(SepCma);
    impl Run for Strict {
        fn open(&mut self) {
            self.0.ask();
        }
        fn pending(&self) -> Pending<'_> {
            self.0.pending()
        }
        fn take(&mut self, _: Ticket, told: Told<'_>) -> Result<(), TellError> {
            Err(TellError::Constraints { expected: 2, got: told.constraints.len() })
        }
        fn finish(&mut self, _: Missing, _: &mut With<'_>) -> Result<(), TellError> {
            unreachable!("nothing was told")
        }
        fn stop(&self) -> Option<Stop> {
            None
        }
        fn best(&self) -> Option<Best<'_>> {
            None
        }
        fn evaluations(&self) -> u64 {
            0
        }
        fn view(&self) -> View<'_> {
            self.0.view()
        }
    }
    let interrupted = drive(&mut Strict(start(100)), &mut { sphere }, &mut With::new()).unwrap_err();
    assert!(
        interrupted.to_string().ends_with("the run has 2 constraints, got 0 values of constraints"),
        "{interrupted}"
    );
}

/// C = I + s·v·vᵀ along one direction, which the evolution path gives: a low-rank strategy in its shortest form.
#[derive(Clone, Debug)]
struct OneAxis {
    d: Vec<f64>,
    path: EvolutionPath,
    v: Vec<f64>,
    s: f64,
}

impl OneAxis {
    /// Adds a multiple of v to z that turns lengths along v into `length` times as long.
    fn stretch(&self, z: &[f64], y: &mut [f64], length: f64) {
        let along: f64 = z.iter().zip(&self.v).map(|(z, v)| z * v).sum();
        for ((y, z), v) in y.iter_mut().zip(z).zip(&self.v) {
            *y = z + (length - 1.0) * along * v;
        }
    }
}

impl Strategy for OneAxis {
    const NAME: &'static str = "one-axis";
    type Options = ();
    type StepSize = BuiltInRule;

    fn start(params: &Params, (): &(), shape: &StartShape<'_>) -> Result<Self, StartError> {
        let n = params.dimension();
        Ok(Self { d: shape.deviations(), path: EvolutionPath::new(n), v: vec![0.0; n], s: 0.0 })
    }
    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        for (z, y) in z.iter().zip(y.iter_mut()) {
            self.stretch(z, y, (1.0 + self.s).sqrt());
        }
    }
    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        let n = self.d.len();
        for (y, z) in y.chunks(n).zip(z.chunks_mut(n)) {
            self.stretch(y, z, 1.0 / (1.0 + self.s).sqrt());
        }
    }
    fn update(&mut self, g: &Generation<'_>, pace: &mut dyn Pace, params: &Params) -> Result<(), UpdateError> {
        let (c_c, c_1) = (params.c_c(), params.c_1());
        self.path.update(c_c, params.mu_w(), g.step, g.h_sigma)?;
        let k = WhitenedChange::new(g.z, g.w, self.path.p(), c_1, 0.0);
        let rate = pace.c(&k);
        // Toward the outer product of the path, of which the first direction is kept.
        let length2: f64 = self.path.p().iter().zip(&self.d).map(|(p, d)| (p / d).powi(2)).sum();
        let target = (length2 - 1.0).max(0.0);
        self.s += rate * c_c * (target - self.s);
        for ((v, p), d) in self.v.iter_mut().zip(self.path.p()).zip(&self.d) {
            *v = p / d / length2.sqrt().max(1e-300);
        }
        Ok(())
    }
    fn shape(&self) -> Shape<'_> {
        Shape::new(&self.d)
    }
    fn c(&self) -> Columns {
        let mut c = Columns::identity(self.d.len());
        for (i, column) in c.iter_mut().enumerate() {
            column.iter_mut().zip(&self.v).for_each(|(c, v)| *c += self.s * self.v[i] * v);
        }
        c
    }
    fn axis_lengths(&self) -> Vec<f64> {
        let mut lengths = vec![1.0; self.d.len()];
        lengths[self.d.len() - 1] = (1.0 + self.s).sqrt();
        lengths
    }
}

#[test]
fn a_strategy_from_public_blocks_follows_a_long_axis() {
    let ridge = |x: &[f64]| 1e4 * (x[0] - x[1]).powi(2) + (x[0] + x[1] + 2.0).powi(2) + 1e4 * x[2] * x[2];
    let criteria = StopCriteria::none().target(1e-8).max_evaluations(100_000);
    let mut es = Optimizer::<OneAxis>::builder(&[30.0, 30.0, 0.0], 1.0).criteria(criteria).seed(1).build().unwrap();
    let stop = es.run(ridge).unwrap();
    assert_eq!(stop.name(), "target", "{stop}");
    let c = es.c();
    assert!((0..3).all(|k| c[k][k] >= 1.0) && es.evaluations() < 20_000, "{c:?}");
}
