//! Runs of a search that will not reach the best value of the earlier runs are abandoned, unless the search or the policy forbids it.
#![cfg(feature = "dense")]

use ddcma_core::{DiagonalDecoding, Separable, StartError, Stop, StopCriteria, Strategy};
use ddcma_restarts::{
    Bipop, Independent, Ipop, Nbipop, Nipop, Past, Policy, Regime, RunPlan, SearchBuilder, SearchError, SearchOutcome,
    Starts, restarts,
};

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn search<'a, P: Policy>(policy: P, seed: u64) -> SearchBuilder<'a, DiagonalDecoding, P> {
    let starts = Starts::in_box(&[-5.0; 4], &[5.0; 4]).unwrap();
    restarts(policy, starts, 1.0).max_evaluations(20_000).seed(seed)
}

/// Checks abandoned runs, and returns how many there were.
fn check(outcome: &SearchOutcome) -> usize {
    let mut known = f64::INFINITY;
    let mut abandoned = 0;
    for (k, run) in outcome.runs.iter().enumerate() {
        if let Stop::Abandoned { least, reference, history, spread, ratio } = run.stop {
            assert!(k > 0, "the first run has no reference");
            assert_eq!(reference, known, "the best value of finished runs");
            assert!(run.best_value > reference && least >= run.best_value);
            assert!(history.max(spread) < ratio * (least - reference));
            abandoned += 1;
        }
        known = known.min(run.best_value);
    }
    abandoned
}

#[test]
fn every_policy_abandons_what_will_not_reach_the_best() {
    let policies: [fn() -> Box<dyn Policy>; 5] = [
        || Box::new(Independent::new()),
        || Box::new(Ipop::new()),
        || Box::new(Nipop::new()),
        || Box::new(Bipop::new()),
        || Box::new(Nbipop::new()),
    ];
    for policy in policies {
        let mut abandoned = 0;
        for seed in 1..=4 {
            let outcome = search(policy(), seed).abandon(0.01).minimize(rastrigin).unwrap();
            abandoned += check(&outcome);
            let text = outcome.to_string();
            assert_eq!(text.matches(" abandoned").count(), check(&outcome), "{text}");
            let off = search(policy(), seed).abandon(None).minimize(rastrigin).unwrap();
            assert_eq!(check(&off), 0);
            let first = |outcome: &SearchOutcome| outcome.runs[0].clone();
            assert_eq!(first(&off), first(&outcome), "the first run has no reference");
        }
        assert!(abandoned > 0, "{}", policy().name());
    }
}

#[test]
fn the_share_is_that_of_the_search_or_of_its_criteria() {
    let ratios = |builder: SearchBuilder<'_, DiagonalDecoding, Independent>| {
        let outcome = builder.minimize(rastrigin).unwrap();
        check(&outcome);
        let ratio = |stop: &Stop| if let Stop::Abandoned { ratio, .. } = stop { Some(*ratio) } else { None };
        let mut ratios: Vec<f64> = outcome.runs.iter().filter_map(|run| ratio(&run.stop)).collect();
        ratios.dedup();
        ratios
    };
    let usual = || search(Independent::new(), 1);
    assert_eq!(ratios(usual().abandon(0.03)), [0.03]);
    let criteria = || StopCriteria::new().abandon(0.1);
    assert_eq!(ratios(usual().criteria(criteria())), [0.1]);
    assert_eq!(ratios(usual().abandon(0.03).criteria(criteria())), [0.03], "in any order, the single choice wins");
    assert_eq!(ratios(usual().criteria(criteria()).abandon(None)), [0.0; 0]);
    assert_eq!(ratios(usual().criteria(StopCriteria::none().max_iterations(300))), [0.0; 0]);
    let kept = usual().abandon(0.05).strategy::<Separable>().minimize(rastrigin).unwrap();
    assert!(
        check(&kept) > 0
            && kept.runs.iter().all(|run| !matches!(run.stop, Stop::Abandoned { ratio, .. } if ratio != 0.05))
    );
    let refused = usual().abandon(f64::NAN).build().unwrap_err();
    let is_named = |error: &StartError| matches!(error, StartError::Criterion { name: "abandon", .. });
    assert!(matches!(&refused, SearchError::Start { run: 0, error } if is_named(error)), "{refused}");
}

/// Restarts of which every second one is never abandoned.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
struct EverySecond;

impl Policy for EverySecond {
    fn name(&self) -> &'static str {
        "every second"
    }

    fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        Some(past.usual_run(Regime::Again).abandon(past.runs.len() % 2 == 1))
    }
}

#[test]
fn a_policy_plans_runs_that_are_not_abandoned_and_sees_those_that_were() {
    let outcome = search(EverySecond, 5).abandon(0.01).minimize(rastrigin).unwrap();
    assert!(check(&outcome) > 2);
    for (k, run) in outcome.runs.iter().enumerate() {
        assert_eq!(run.plan.abandon, k % 2 == 1);
        assert!(run.plan.abandon || !matches!(run.stop, Stop::Abandoned { .. }), "run {k}");
    }
}

#[test]
fn the_reference_is_the_best_of_finished_runs() {
    fn check<S: Strategy>() {
        let starts = Starts::in_box(&[-5.0; 4], &[5.0; 4]).unwrap();
        let mut search = restarts(Bipop::new(), starts, 1.0).strategy::<S>().max_evaluations(8000).build().unwrap();
        assert_eq!(search.optimizer().unwrap().reference(), None);
        while search.stop().is_none() {
            let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
            search.tell(&values).unwrap();
            let known = search.runs().iter().map(|run| run.best_value).reduce(f64::min);
            assert!(search.stop().is_some() || search.optimizer().unwrap().reference() == known);
        }
        assert!(search.runs().len() > 2);
    }
    check::<DiagonalDecoding>();
    check::<Separable>();
}

#[test]
fn nan_and_infinite_values_do_not_end_a_search() {
    for (first, later) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (f64::NEG_INFINITY, 1.0), (1.0, f64::NAN)] {
        let mut calls = 0;
        let f = |x: &[f64]| {
            calls += 1;
            if calls <= 400 { first } else { later + rastrigin(x) }
        };
        let outcome = search(Independent::new(), 1).abandon(0.01).minimize(f).unwrap();
        assert!(outcome.runs.len() > 2 && outcome.evaluations >= 20_000, "{outcome}");
        check(&outcome);
    }
}

#[cfg(feature = "checkpoint")]
#[test]
fn abandoned_runs_go_through_checkpoints() {
    use ddcma_restarts::Search;
    let run = |every: usize| {
        let mut search = search(EverySecond, 7).abandon(0.01).build().unwrap();
        let mut generation = 0;
        while search.stop().is_none() {
            if generation % every == every - 1 {
                search = Search::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
            }
            let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
            search.tell(&values).unwrap();
            generation += 1;
        }
        search.outcome().unwrap()
    };
    let whole = run(usize::MAX);
    assert!(check(&whole) > 2);
    for every in [1, 7, 100] {
        assert_eq!(run(every), whole);
    }
}
