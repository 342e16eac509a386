//! The policies of `examples`: number by number on scripted pasts, in searches that pass through checkpoints, and as programs.
#![cfg(all(feature = "checkpoint", feature = "dense"))]

use std::process::Command;

use ddcma_core::{BuiltInStrategy, DiagonalDecoding, Strategy, Variant};
use ddcma_restarts::{Past, Policy, Regime, RunPlan, RunSummary, Search, StartRule, Starts, restarts};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[path = "../examples/from_the_farthest.rs"]
#[allow(dead_code, reason = "its main is for the example")]
mod from_the_farthest;
#[path = "../examples/strategies_in_turn.rs"]
#[allow(dead_code, reason = "its main is for the example")]
mod strategies_in_turn;

use from_the_farthest::FromTheFarthest;
use strategies_in_turn::InTurn;

fn next(policy: &dyn Policy, runs: &[RunSummary]) -> RunPlan {
    policy.next(&Past::new(2, 6, 2.0, runs), &mut || panic!("no random number is needed")).unwrap()
}

#[test]
fn strategies_take_turns_and_populations_grow() {
    let mut runs = Vec::new();
    for (strategy, lambda, regime) in [
        ("dd", 6, Regime::First),
        ("plain", 6, Regime::Again),
        ("sep", 6, Regime::Again),
        ("dd", 12, Regime::Large),
        ("plain", 12, Regime::Large),
        ("sep", 12, Regime::Large),
        ("dd", 24, Regime::Large),
    ] {
        let plan = next(&InTurn, &runs);
        let usual = Past::new(2, 6, 2.0, &[]).usual_run(regime);
        assert_eq!(plan, RunPlan { lambda, strategy: Some(strategy.to_string()), ..usual });
        runs.push(RunSummary::scripted(plan, 100, 1.0));
    }
}

#[test]
fn every_third_run_starts_where_the_farthest_one_ended() {
    let mut runs = Vec::new();
    let mut ended = |mean: [f64; 2], best_value: f64| {
        let plan = next(&FromTheFarthest, &runs);
        let mut run = RunSummary::scripted(plan.clone(), 100, best_value);
        run.mean = mean.to_vec();
        runs.push(run);
        (plan.regime, plan.lambda, plan.start)
    };
    let at = |mean: [f64; 2]| StartRule::At(mean.to_vec());
    assert_eq!(ended([3.0, 4.0], 5.0), (Regime::First, 6, StartRule::Draw));
    assert_eq!(ended([0.0, 0.0], 1.0), (Regime::Again, 6, StartRule::Draw));
    assert_eq!(ended([0.0, 6.0], 3.0), (Regime::Large, 12, at([3.0, 4.0])));
    assert_eq!(ended([1.0, 1.0], 2.0), (Regime::Again, 6, StartRule::Draw));
    assert_eq!(ended([0.0, 2.0], 2.0), (Regime::Again, 6, StartRule::Draw));
    // Its λ was already doubled.
    assert_eq!(ended([0.0, 6.0], 0.0), (Regime::Large, 24, at([0.0, 6.0])));
    // The best run has changed, and with it the farthest one.
    ended([1.0, 1.0], 2.0);
    ended([2.0, 1.0], 2.0);
    assert_eq!(ended([0.0, 0.0], 2.0), (Regime::Large, 12, at([0.0, 0.0])));
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

/// Returns the runs of a search that is stored and read back now and then.
fn runs<S, P>(policy: P, stored_every: usize) -> Vec<RunSummary>
where
    S: Strategy<Options: Serialize + DeserializeOwned>,
    P: Policy + Serialize + DeserializeOwned,
{
    let starts = Starts::in_box(&[-5.0; 3], &[5.0; 3]).unwrap();
    let mut search = restarts(policy, starts, 1.0).strategy::<S>().max_runs(7).seed(4).build().unwrap();
    for generation in 1.. {
        let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
        if generation % stored_every == 0 {
            search = Search::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
        }
        search.tell(&values).unwrap();
        if search.stop().is_some() {
            break;
        }
    }
    search.outcome().unwrap().runs
}

#[test]
fn mixed_strategies_go_through_checkpoints() {
    let undisturbed = runs::<BuiltInStrategy, _>(InTurn, usize::MAX);
    assert_eq!(undisturbed, runs::<BuiltInStrategy, _>(InTurn, 7));
    let planned: Vec<_> = undisturbed.iter().map(|run| run.plan.strategy.clone().unwrap()).collect();
    assert_eq!(planned, ["dd", "plain", "sep", "dd", "plain", "sep", "dd"]);
    // The runs differ because their strategies do.
    assert!(undisturbed.iter().all(|run| (run.condition == 1.0) == (run.plan.strategy.as_deref() == Some("sep"))));
    assert!(undisturbed.iter().all(|run| (run.d_ratio == 1.0) == (run.plan.strategy.as_deref() == Some("plain"))));

    // In the middle of a run, its strategy is the planned one, not that of the search.
    let starts = Starts::in_box(&[-5.0; 3], &[5.0; 3]).unwrap();
    let mut search = restarts(InTurn, starts, 1.0).strategy::<BuiltInStrategy>().max_runs(2).seed(4).build().unwrap();
    while search.runs().is_empty() {
        let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
        search.tell(&values).unwrap();
    }
    let bytes = search.to_checkpoint().unwrap();
    let resumed = Search::<BuiltInStrategy, InTurn>::from_checkpoint(&bytes).unwrap();
    assert_eq!(resumed.optimizer().unwrap().strategy().variant(), Variant::Plain);
    assert!(Search::<DiagonalDecoding, InTurn>::from_checkpoint(&bytes).is_err());
}

#[test]
fn mixed_strategies_are_saved_while_they_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let search = |budget| {
        let starts = Starts::in_box(&[-5.0; 3], &[5.0; 3]).unwrap();
        restarts(InTurn, starts, 1.0).strategy::<BuiltInStrategy>().max_evaluations(budget).seed(4)
    };
    let undisturbed = search(6000).minimize(rastrigin).unwrap();
    for budget in [300, 900, 2500] {
        search(budget).minimize_saving(rastrigin, &path).unwrap();
    }
    let mut resumed = search(6000).minimize_saving(rastrigin, &path).unwrap();
    assert!(resumed.resumed_at.take().is_some_and(|evaluations| evaluations >= 2500));
    assert_eq!(resumed, undisturbed);
    let table = resumed.to_string();
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.starts_with(" run")).collect();
    assert!(lines[0].starts_with(" run  regime strategy        λ  evaluations"), "{table}");
    assert!(lines[2].starts_with("   1  again  plain           7 "), "{table}");
}

#[test]
fn computed_starts_go_through_checkpoints() {
    let undisturbed = runs::<DiagonalDecoding, _>(FromTheFarthest, usize::MAX);
    assert_eq!(undisturbed, runs::<DiagonalDecoding, _>(FromTheFarthest, 7));
    for k in [2, 5] {
        let StartRule::At(point) = &undisturbed[k].plan.start else { panic!("run {k} starts at a point") };
        assert_eq!(*point, undisturbed[k].start);
        assert!(undisturbed[..k].iter().any(|run| run.mean == *point), "where a run before it ended");
    }
}

#[test]
fn the_examples_run() {
    for (name, says) in [
        ("own_policy", "small λ = "),
        ("strategies_in_turn", "  sep λ =   8: "),
        ("from_the_farthest", "away from the best"),
    ] {
        let test = std::env::current_exe().unwrap();
        let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
        let example = folder.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let output = Command::new(&example).output();
        let output =
            output.unwrap_or_else(|error| panic!("{}: {error}; cargo test --workspace builds it", example.display()));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(says), "{name}: {text}");
    }
}
