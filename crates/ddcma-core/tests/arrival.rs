//! Values that arrive one by one, in any order, and generations that end before all values have arrived.
#![cfg(feature = "dense")]

use crate::common::{bits, ellipsoid, sphere};
use ddcma_core::{
    Columns, DiagonalDecoding, Missing, Optimizer, Params, Plain, Selection, Separable, Settings, StartError, StepSize,
    StepSizeChange, StepSizeRule, Stop, StopCriteria, Strategy, TellError, Ticket, WithStepSize,
};

fn start<S: Strategy>(settings: Settings, criteria: StopCriteria) -> Optimizer<S> {
    Optimizer::builder(&[1.0; 6], 0.5).settings(settings).criteria(criteria).seed(8).build().unwrap()
}

/// Returns a different order for each seed.
fn shuffled<T>(mut items: Vec<T>, seed: u64) -> Vec<T> {
    let mut state = seed;
    let mut order = Vec::new();
    while !items.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.push(items.swap_remove((state >> 33) as usize % items.len()));
    }
    order
}

fn jobs<S: Strategy>(es: &mut Optimizer<S>) -> Vec<(Ticket, f64)> {
    es.ask_missing().map(|(ticket, x)| (ticket, ellipsoid(x))).collect()
}

/// The whole trajectory of a run, as bits.
fn course<S: Strategy>(es: &Optimizer<S>) -> (Vec<u64>, u64, u64, Vec<f64>, Option<Stop>) {
    let best = es.best().map_or(0, |best| best.evaluation);
    (bits(es), es.evaluations(), best, es.values().to_vec(), es.stop())
}

#[test]
fn values_told_one_by_one_give_the_same_run() {
    fn check<S: Strategy>(settings: Settings) {
        let criteria = StopCriteria::new;
        let (mut at_once, mut one_by_one) =
            (start::<S>(settings.clone(), criteria()), start::<S>(settings, criteria()));
        for generation in 0..80 {
            let values: Vec<f64> = at_once.ask().iter().map(ellipsoid).collect();
            at_once.tell(&values).unwrap();
            let jobs = shuffled(jobs(&mut one_by_one), generation);
            let count = jobs.len();
            for (k, (ticket, value)) in jobs.into_iter().enumerate() {
                assert_eq!(one_by_one.tell_one(ticket, value), Ok(count - k - 1));
            }
            assert_eq!(course(&one_by_one), course(&at_once), "generation {generation}");
        }
    }
    for settings in [Settings::new(), Settings::new().step_size(StepSize::Tpa), Settings::new().lambda(40)] {
        check::<DiagonalDecoding>(settings.clone());
        check::<Plain>(settings.clone());
        check::<Separable>(settings);
    }
}

#[cfg(feature = "checkpoint")]
#[test]
fn a_checkpoint_keeps_a_half_told_generation() {
    let mut at_once = start::<DiagonalDecoding>(Settings::new(), StopCriteria::new());
    let mut one_by_one = at_once.clone();
    for generation in 0..40 {
        let values: Vec<f64> = at_once.ask().iter().map(ellipsoid).collect();
        at_once.tell(&values).unwrap();
        for (k, (ticket, value)) in shuffled(jobs(&mut one_by_one), generation).into_iter().enumerate() {
            one_by_one.tell_one(ticket, value).unwrap();
            if k as u64 == generation % 9 {
                let (evaluations, best) = (one_by_one.evaluations(), one_by_one.best_value());
                let bytes = one_by_one.to_checkpoint().unwrap();
                one_by_one = Optimizer::from_checkpoint(&bytes).unwrap();
                assert_eq!((one_by_one.evaluations(), one_by_one.best_value()), (evaluations, best));
            }
        }
        assert_eq!(course(&one_by_one), course(&at_once), "generation {generation}");
    }
}

#[test]
fn values_that_do_not_fit_are_named_and_change_nothing() {
    let mut es = start::<DiagonalDecoding>(Settings::new(), StopCriteria::new());
    let ticket = |generation, index| Ticket { generation, index };
    assert_eq!(es.tell_one(ticket(0, 0), 1.0), Err(TellError::NotAsked));
    assert_eq!(es.finish(Missing::RankLast), Err(TellError::NotAsked));
    assert_eq!(es.ask_missing().count(), 9);
    assert_eq!(es.tell_one(ticket(0, 4), 7.0), Ok(8));
    let before = es.clone();
    let twice = TellError::Twice { ticket: ticket(0, 4), value: 7.0 };
    assert_eq!(es.tell_one(ticket(0, 4), 8.0), Err(twice.clone()));
    assert_eq!(twice.to_string(), "candidate 4 of generation 0 already has the value 7");
    assert_eq!(es.tell_one(ticket(0, 9), 8.0), Err(TellError::NoSuchCandidate { index: 9, lambda: 9 }));
    assert_eq!(es.tell_one(ticket(1, 0), 8.0), Err(TellError::NotAsked));
    assert_eq!(es.tell(&[0.0; 9]), Err(TellError::PartlyTold { told: 1, lambda: 9 }));
    let points = es.ask().clone();
    let error = TellError::PartlyTold { told: 1, lambda: 9 };
    assert_eq!(es.tell_points(&points, &[0.0; 9]), Err(error));
    assert_eq!(es.ask_with(&Columns::zeros(6, 9)).err(), Some(TellError::PartlyTold { told: 1, lambda: 9 }));
    assert_eq!(es.finish(Missing::LeaveOut), Err(TellError::TooFew { told: 1, needed: 4 }));
    assert_eq!((es.ask().clone(), es.evaluations()), (before.clone().ask().clone(), 1));
    assert_eq!(bits(&es), bits(&before));
    assert_eq!(es.ask_missing().map(|(ticket, _)| ticket.index).collect::<Vec<_>>(), [0, 1, 2, 3, 5, 6, 7, 8]);

    for index in [0, 1, 2, 3] {
        es.tell_one(ticket(0, index), index as f64).unwrap();
    }
    es.finish(Missing::LeaveOut).unwrap();
    let late = es.tell_one(ticket(0, 8), 1.0).unwrap_err();
    assert_eq!(late, TellError::Late { ticket: ticket(0, 8), generation: 1 });
    assert_eq!(
        late.to_string(),
        "the value of candidate 8 of generation 0 comes too late: the current generation is 1"
    );
    assert_eq!(es.evaluations(), 5);
}

#[test]
fn the_best_and_the_count_are_known_before_the_generation_is_complete() {
    let mut es = start::<DiagonalDecoding>(Settings::new(), StopCriteria::none().target(5.0).max_evaluations(3));
    let points: Vec<Vec<f64>> = es.ask().iter().map(<[f64]>::to_vec).collect();
    let tell = |es: &mut Optimizer<_>, index, value| es.tell_one(Ticket { generation: 0, index }, value).unwrap();
    for (index, value) in [(5, 4.0), (2, 7.0), (7, 4.0), (1, f64::NAN)] {
        tell(&mut es, index, value);
    }
    let best = es.best().unwrap();
    // In the order of the candidates, NaN and 7 come before it.
    assert_eq!((best.point, best.value, best.evaluation), (&points[5][..], 4.0, 3));
    assert_eq!((es.evaluations(), es.iterations()), (4, 0));
    assert_eq!(es.stop(), None, "a generation that is not complete ends nothing");
    es.finish(Missing::RankLast).unwrap();
    assert_eq!(es.stop(), Some(Stop::Target { best: 4.0, target: 5.0 }));
    assert_eq!(es.best().unwrap().evaluation, 3);
}

/// Ends a generation of both optimizers: one with some values missing, the other with other values in their place.
fn with_and_without<S: Strategy>(settings: Settings, other: f64, missing: Missing) -> [Optimizer<S>; 2] {
    let mut early = start::<S>(settings.clone(), StopCriteria::none());
    let mut full = start::<S>(settings, StopCriteria::none());
    for generation in 0..60 {
        let dropped = |index: usize| (index as u64 + generation).is_multiple_of(4);
        for (ticket, value) in shuffled(jobs(&mut early), generation) {
            if !dropped(ticket.index) {
                early.tell_one(ticket, value).unwrap();
            }
        }
        early.finish(missing).unwrap();
        let values = full.ask().iter().enumerate();
        let values: Vec<f64> = values.map(|(i, x)| if dropped(i) { other } else { ellipsoid(x) }).collect();
        full.tell(&values).unwrap();
    }
    [early, full]
}

#[test]
fn missing_candidates_can_be_ranked_last() {
    let [early, full] = with_and_without::<DiagonalDecoding>(Settings::new(), f64::INFINITY, Missing::RankLast);
    assert_eq!(bits(&early), bits(&full));
    assert_eq!((full.evaluations(), early.evaluations()), (540, 540 - 135));
    let [early, full] = with_and_without::<Separable>(Settings::new(), f64::INFINITY, Missing::RankLast);
    assert_eq!(bits(&early), bits(&full));
}

/// The z of the candidates that are told in a run with λ = 9, and of a run with fewer candidates.
#[test]
fn a_generation_without_some_candidates_is_one_of_a_smaller_population() {
    fn check<S: Strategy>(t_eig: usize) {
        let settings = |lambda| Settings::new().lambda(lambda).t_eig(t_eig);
        let mut large = start::<S>(settings(9), StopCriteria::none());
        let mut small = start::<S>(settings(7), StopCriteria::none());
        for generation in 0..30 {
            let dropped = [generation % 9, (generation + 4) % 9];
            let z = crate::common::normals(generation as u64, 54);
            let kept: Vec<f64> =
                (0..9).filter(|i| !dropped.contains(i)).flat_map(|i| z[6 * i..][..6].to_vec()).collect();
            large.ask_with(&Columns::from_vec(6, z).unwrap()).unwrap();
            for (ticket, value) in jobs(&mut large).into_iter().filter(|(ticket, _)| !dropped.contains(&ticket.index)) {
                large.tell_one(ticket, value).unwrap();
            }
            large.finish(Missing::LeaveOut).unwrap();
            small.ask_with(&Columns::from_vec(6, kept).unwrap()).unwrap();
            let values: Vec<f64> = small.ask().iter().map(ellipsoid).collect();
            small.tell(&values).unwrap();
        }
        assert_eq!((large.evaluations(), large.params().lambda()), (210, 9));
        for (of_large, of_small) in [(large.mean(), small.mean()), (large.d(), small.d())] {
            crate::common::assert_close(of_large, of_small, 1e-9, S::NAME);
        }
        crate::common::assert_close(large.c().as_slice(), small.c().as_slice(), 1e-9, S::NAME);
        assert!((large.sigma() / small.sigma() - 1.0).abs() < 1e-9);
    }
    for t_eig in [1, 3] {
        check::<DiagonalDecoding>(t_eig);
        check::<Plain>(t_eig);
        check::<Separable>(t_eig);
    }
}

#[test]
fn custom_weights_fit_one_population() {
    let settings = Settings::new().pre_weights(vec![3.0, 2.0, 1.0, 0.5, -1.0, -2.0]);
    let mut es = start::<Separable>(settings, StopCriteria::none());
    let jobs = jobs(&mut es);
    jobs[..5].iter().for_each(|(ticket, value)| assert!(es.tell_one(*ticket, *value).is_ok()));
    let error = es.finish(Missing::LeaveOut).unwrap_err();
    assert!(matches!(error, TellError::NoWeights(_)), "{error}");
    assert_eq!((es.iterations(), es.evaluations()), (0, 5), "nothing has changed");
    es.finish(Missing::RankLast).unwrap();
}

#[test]
fn criteria_see_the_values_that_were_told() {
    for missing in [Missing::RankLast, Missing::LeaveOut] {
        for step_size in [StepSize::Csa, StepSize::Tpa] {
            let criteria = StopCriteria::new();
            let mut es = start::<DiagonalDecoding>(Settings::new().step_size(step_size), criteria);
            let mut generation = 0;
            let stop = loop {
                generation += 1;
                let jobs: Vec<_> = es.ask_missing().map(|(ticket, x)| (ticket, sphere(x))).collect();
                for (ticket, value) in jobs.into_iter().filter(|(ticket, _)| ticket.index % 4 != generation % 4) {
                    es.tell_one(ticket, value).unwrap();
                }
                es.finish(missing).unwrap();
                if let Some(stop) = es.stop() {
                    break stop;
                }
            };
            assert!(["tol_fun", "tol_fun_hist"].contains(&stop.name()), "{stop}");
            assert!(es.best_value() < 1e-10, "{missing:?} {step_size:?}: {:e}", es.best_value());
        }
    }
}

#[test]
fn a_half_told_pair_says_nothing_about_the_step_size() {
    for missing in [Missing::RankLast, Missing::LeaveOut] {
        let mut es = start::<Separable>(Settings::new().step_size(StepSize::Tpa), StopCriteria::none());
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        es.tell(&values).unwrap(); // from now on there is a pair
        let before = es.sigma();
        let jobs = jobs(&mut es);
        jobs[1..].iter().for_each(|(ticket, value)| assert!(es.tell_one(*ticket, *value).is_ok()));
        es.finish(missing).unwrap();
        assert_eq!(es.sigma(), before);
    }
}

#[test]
fn evaluations_that_go_on_after_the_budget_are_the_same_run() {
    let criteria = |budget: u64| StopCriteria::new().max_evaluations(budget);
    let mut whole = start::<DiagonalDecoding>(Settings::new(), criteria(1000));
    whole.run(ellipsoid).unwrap();
    let mut parts = start::<DiagonalDecoding>(Settings::new(), criteria(500));
    parts.run(ellipsoid).unwrap();
    assert_eq!(parts.evaluations(), 504);
    parts.set_criteria(criteria(1000)).unwrap();
    parts.run(ellipsoid).unwrap();
    assert_eq!(course(&parts), course(&whole));
}

type Seen = (Vec<f64>, Option<Vec<f64>>, usize);

/// A rule that records what it has seen last.
#[derive(Clone, Debug)]
struct Spy(Option<Seen>);

impl StepSizeRule for Spy {
    const NAME: &'static str = "spy";

    fn start(_: &Params) -> Result<Self, StartError> {
        Ok(Self(None))
    }

    fn wants_ranks(&self) -> bool {
        true
    }

    fn wants_last(&self) -> bool {
        true
    }

    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        self.0 = Some((seen.ranks.to_vec(), seen.ranks_in_last.map(<[f64]>::to_vec), params.lambda()));
        StepSizeChange { log_sigma: 0.0, h_sigma: true }
    }
}

#[test]
fn candidates_that_are_left_out_have_no_rank() {
    let mut es = start::<WithStepSize<Separable, Spy>>(Settings::new(), StopCriteria::none());
    es.ask();
    es.tell(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).unwrap();
    es.ask();
    for (index, value) in [(8, 0.0), (2, 7.5), (5, 2.5), (6, 7.5), (3, -1.0)] {
        es.tell_one(Ticket { generation: 1, index }, value).unwrap();
    }
    es.finish(Missing::LeaveOut).unwrap();
    let seen = es.step_size_rule().0.clone().unwrap();
    // Candidates 2, 3, 5, 6, 8.
    assert_eq!(seen, (vec![3.5, 0.0, 2.0, 3.5, 1.0], Some(vec![7.0, 0.0, 2.0, 7.0, 0.0]), 5));
}

#[test]
fn an_end_that_is_refused_leaves_the_pair() {
    let settings = || Settings::new().step_size(StepSize::Tpa).pre_weights(vec![3.0, 2.0, 1.0, 0.5, -1.0, -2.0]);
    let [mut refused, mut other] = [(); 2].map(|()| start::<Separable>(settings(), StopCriteria::none()));
    for es in [&mut refused, &mut other] {
        let values: Vec<f64> = es.ask().iter().map(sphere).collect();
        es.tell(&values).unwrap(); // from now on there is a pair
    }
    let jobs = jobs(&mut refused);
    jobs[1..].iter().for_each(|(ticket, value)| assert!(refused.tell_one(*ticket, *value).is_ok()));
    assert!(matches!(refused.finish(Missing::LeaveOut), Err(TellError::NoWeights(_))));
    refused.tell_one(jobs[0].0, jobs[0].1).unwrap();
    let values: Vec<f64> = other.ask().iter().map(ellipsoid).collect();
    other.tell(&values).unwrap();
    assert_eq!(bits(&refused), bits(&other));
}
