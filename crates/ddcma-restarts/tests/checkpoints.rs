//! A search that is stored and read back continues bit for bit as if uninterrupted.
#![cfg(all(feature = "checkpoint", feature = "dense"))]

use ddcma_core::{Bounds, CheckpointError, DiagonalDecoding, Separable, Settings, Strategy, storage};
use ddcma_restarts::{Bipop, Independent, Ipop, Nbipop, Nipop, Policy, Search, Starts, Thrifty, restarts};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn new<S: Strategy, P: Policy>(policy: P, seed: u64) -> Search<S, P> {
    let starts = Starts::in_box(&[-4.0; 3], &[4.5; 3]).unwrap();
    let search = restarts(policy, starts, 2.0).strategy::<S>().max_evaluations(4000).target(-1.0).seed(seed);
    let bounds = Bounds::uniform(3, -4.0, 4.5).unwrap();
    search.settings(Settings::new().lambda(6)).bounds(bounds).deviations(&[1.0, 0.5, 2.0]).build().unwrap()
}

/// Tells generations; at the given ones, before and after asking, the search is stored and read back.
fn run<S, P>(mut search: Search<S, P>, stored_at: &[usize]) -> String
where
    S: Strategy<Options: Serialize + DeserializeOwned> + Clone + std::fmt::Debug,
    P: Policy + Serialize + DeserializeOwned + Clone + std::fmt::Debug,
{
    let mut generation = 0;
    while search.stop().is_none() {
        let stored = stored_at.contains(&generation);
        if stored {
            search = Search::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
        }
        let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
        if stored {
            search = Search::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
        }
        search.tell(&values).unwrap();
        generation += 1;
    }
    if stored_at.contains(&usize::MAX) {
        search = Search::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
    }
    format!("{:?} {:?} {:?} {}", search.runs(), search.best(), search.stop(), search.evaluations())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn resuming_at_random_points_changes_nothing(
        which in 0usize..6,
        seed in any::<u64>(),
        mut stored_at in proptest::collection::vec(0usize..650, 1..20),
    ) {
        stored_at.extend([0, usize::MAX]);
        let same = match which {
            0 => run(new::<DiagonalDecoding, _>(Independent::new(), seed), &[]) == run(new::<DiagonalDecoding, _>(Independent::new(), seed), &stored_at),
            1 => run(new::<DiagonalDecoding, _>(Ipop::new(), seed), &[]) == run(new::<DiagonalDecoding, _>(Ipop::new(), seed), &stored_at),
            2 => run(new::<Separable, _>(Nipop::new(), seed), &[]) == run(new::<Separable, _>(Nipop::new(), seed), &stored_at),
            3 => run(new::<DiagonalDecoding, _>(Bipop::new(), seed), &[]) == run(new::<DiagonalDecoding, _>(Bipop::new(), seed), &stored_at),
            4 => run(new::<DiagonalDecoding, _>(Thrifty::new().growth(1.0), seed), &[]) == run(new::<DiagonalDecoding, _>(Thrifty::new().growth(1.0), seed), &stored_at),
            _ => run(new::<Separable, _>(Nbipop::new(), seed), &[]) == run(new::<Separable, _>(Nbipop::new(), seed), &stored_at),
        };
        prop_assert!(same);
    }
}

#[test]
fn restarts_are_among_what_is_resumed() {
    let ended = run(new::<DiagonalDecoding, _>(Bipop::new(), 1), &[]);
    assert!(ended.matches("RunSummary").count() >= 4, "{ended}");
}

#[test]
fn closures_for_start_points_are_given_again() {
    let starts = || Starts::from_fn(2, |k, _| vec![k as f64, 1.0]);
    let mut search = restarts(Independent::new(), starts(), 1.0).max_runs(3).build().unwrap();
    search.ask();
    let bytes = search.to_checkpoint().unwrap();
    type Resumed = Search<DiagonalDecoding, Independent>;
    let error = Resumed::from_checkpoint(&bytes).map(drop).unwrap_err();
    assert!(error.to_string().contains("closure"), "{error}");
    let mut resumed = Resumed::from_checkpoint_with(&bytes, |k, _| vec![k as f64, 1.0]).unwrap();
    let (one, other) = (search.run(rastrigin).unwrap(), resumed.run(rastrigin).unwrap());
    assert_eq!(one, other);
    assert_eq!(one.runs[2].start, [2.0, 1.0]);

    let path = std::env::temp_dir().join(format!("ddcma-restarts-closure-{}.checkpoint", std::process::id()));
    std::fs::write(&path, &bytes).unwrap();
    assert!(Resumed::load_with(&path, |k, _| vec![k as f64, 1.0]).is_ok());
    std::fs::remove_file(&path).unwrap();

    let boxed = new::<DiagonalDecoding, _>(Independent::new(), 1).to_checkpoint().unwrap();
    assert!(Resumed::from_checkpoint_with(&boxed, |_, _| vec![]).is_err());
}

#[test]
fn what_is_not_a_search_is_refused() {
    type Resumed = Search<DiagonalDecoding, Ipop>;
    let mut search = new::<DiagonalDecoding, _>(Ipop::new(), 1);
    for _ in 0..50 {
        let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
        search.tell(&values).unwrap();
    }
    let bytes = search.to_checkpoint().unwrap();
    assert!(Resumed::from_checkpoint(&bytes).is_ok());
    for length in 0..bytes.len() {
        assert!(Resumed::from_checkpoint(&bytes[..length]).is_err(), "the first {length} bytes");
    }
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Resumed::from_checkpoint(&damaged).is_err(), "byte {at}");
    }
    let message = Search::<DiagonalDecoding, Bipop>::from_checkpoint(&bytes).map(drop).unwrap_err().to_string();
    assert!(message.contains("the policy \"ipop\", not to") && message.ends_with("Bipop"), "{message}");
    assert!(Search::<Separable, Ipop>::from_checkpoint(&bytes).is_err());
    // The checkpoint of an optimizer is not that of a search.
    let optimizer = search.optimizer().unwrap().to_checkpoint().unwrap();
    assert!(matches!(Resumed::from_checkpoint(&optimizer).map(drop), Err(CheckpointError::NotACheckpoint)));
}

#[test]
fn a_file_of_an_earlier_version_is_named_as_such() {
    let old = include_bytes!("data/search-format-8.ddcma");
    let error = Search::<Separable, Ipop>::from_checkpoint(old).map(drop).unwrap_err();
    assert!(matches!(error, CheckpointError::Version { found: 8, supported: storage::FORMAT_VERSION, .. }), "{error}");
}

#[test]
fn files_work_too() {
    let path = std::env::temp_dir().join(format!("ddcma-restarts-{}.checkpoint", std::process::id()));
    let mut search = new::<DiagonalDecoding, _>(Nbipop::new(), 4);
    search.ask();
    search.save(&path).unwrap();
    let mut loaded = Search::<DiagonalDecoding, Nbipop>::load(&path).unwrap();
    assert_eq!(loaded.ask(), search.ask());
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(Search::<DiagonalDecoding, Nbipop>::load(&path).map(drop), Err(CheckpointError::Io { .. })));
}

#[test]
fn time_is_counted_on() {
    let starts = Starts::in_box(&[-4.0; 2], &[4.0; 2]).unwrap();
    let mut search =
        restarts(Ipop::new(), starts, 2.0).max_time(std::time::Duration::from_millis(300)).build().unwrap();
    search.ask();
    std::thread::sleep(std::time::Duration::from_millis(350));
    let mut resumed = Search::<DiagonalDecoding, Ipop>::from_checkpoint(&search.to_checkpoint().unwrap()).unwrap();
    let outcome = resumed.run(rastrigin).unwrap();
    assert_eq!((outcome.stop.name(), outcome.evaluations), ("time", 6), "the time had passed before");
}
