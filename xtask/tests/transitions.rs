//! Random sequences of everything that can happen to a run, a probe, a search or a custom run, next to a reference model: see `torture/machine.rs`.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use xtask::torture::machine::{Counts, check};

/// The setup of a case, and its words.
fn sequences() -> impl Strategy<Value = (u64, Vec<u64>)> {
    (any::<u64>(), vec(any::<u64>(), 1..120))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(36), failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_happens_nothing_is_lost((setup, words) in sequences()) {
        let mut drawn = Vec::new();
        let checked = check(setup, &words, &mut Counts::new(), &mut |what| drawn.push(what));
        prop_assert!(checked.is_ok(), "{}\n{}", checked.unwrap_err(), drawn.join("\n"));
    }
}

#[test]
fn every_transition_happens_and_is_refused_where_it_can_be() {
    let (mut counts, mut word) = (Counts::new(), 1u64);
    for setup in 0..150 {
        let words: Vec<u64> = (0..60)
            .map(|_| {
                word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                word >> 20
            })
            .collect();
        check(setup, &words, &mut counts, &mut drop).unwrap();
    }
    let never = |which: fn(&(u64, u64)) -> bool| {
        counts.iter().filter(|(_, count)| which(count)).map(|(name, _)| *name).collect::<Vec<&str>>()
    };
    assert_eq!(counts.len(), 18);
    assert_eq!(
        never(|count| count.0 == 0),
        ["start another program", "tell a wrong number", "tell one late or never asked"]
    );
    let always_possible = [
        "ask",
        "clone",
        "evaluate a generation",
        "evaluate some and fail",
        "start the program again",
        "stop by a criterion",
        "store and load",
    ];
    assert_eq!(never(|count| count.1 == 0), always_possible);
}
