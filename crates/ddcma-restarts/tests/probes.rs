//! Probes along the axes: what they find, what they cost, how they end, and that they do not disturb the wrapped policy.

use std::cell::RefCell;
use std::time::Duration;

use ddcma_core::{
    Bounds, Missing, Observer, Progress, Separable, Stop, StopCriteria, TellError, Ticket, Variable, Variables, View,
    With,
};
use ddcma_restarts::{
    Bipop, Independent, Ipop, Past, Policy, PolicyError, Probed, Regime, RunKind, RunPlan, RunSummary, Search,
    SearchBuilder, SearchError, StartRule, Starts, restarts, restarts_over,
};

/// Rastrigin's function with its minimum at 0.7, 0.8, 0.9, …
fn rastrigin(x: &[f64]) -> f64 {
    let shifted = x.iter().enumerate().map(|(k, x)| x - 0.7 - 0.1 * k as f64);
    shifted.map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

/// Büche-Rastrigin: in every second coordinate, deviations to one side count ten times.
fn bueche(x: &[f64]) -> f64 {
    let shifted = x.iter().enumerate().map(|(k, x)| x + 1.3 - 0.05 * k as f64);
    let uneven = shifted.enumerate().map(|(k, x)| if k % 2 == 0 && x > 0.0 { 10.0 * x } else { x });
    uneven.map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| (x - 0.3).powi(2)).sum()
}

type Builder<P> = SearchBuilder<'static, Separable, P>;

/// A search whose first run ends soon, in a poor local minimum.
fn search<P: Policy>(n: usize, policy: P) -> Builder<P> {
    let starts = Starts::in_box(&vec![-4.0; n], &vec![4.5; n]).unwrap();
    restarts(policy, starts, 0.5).strategy::<Separable>().seed(3)
}

/// Tells generations until the next probe begins.
fn until_probe<P: Policy>(search: &mut Search<Separable, P>, f: fn(&[f64]) -> f64) {
    while search.probe().is_none() {
        let values: Vec<f64> = search.ask().iter().map(f).collect();
        search.tell(&values).unwrap();
    }
}

#[test]
fn the_global_valley_of_separable_functions_is_found() {
    for (name, f) in [("rastrigin", rastrigin as fn(&[f64]) -> f64), ("bueche", bueche)] {
        for n in [1, 5, 20] {
            let budget = 2000 * n as u64;
            let alone = search(n, Bipop::new()).target(1e-9).max_evaluations(budget).minimize(f).unwrap();
            let outcome = search(n, Bipop::new().probed()).target(1e-9).max_evaluations(budget).minimize(f).unwrap();
            assert_eq!(outcome.stop.name(), "target", "{name}, n = {n}: {outcome}");
            assert!(n < 5 || alone.value > 0.5, "{name}, n = {n}: without a probe {alone}");
            let regimes: Vec<&str> = outcome.runs.iter().map(|run| run.plan.regime.name()).collect();
            if n >= 5 {
                assert_eq!(regimes[..2], ["first", "probe"], "{name}, n = {n}");
                assert!(regimes.len() == 2 || regimes[2..] == ["refine"], "{name}, n = {n}");
                assert!(matches!(outcome.runs[1].stop, Stop::Probed { .. } | Stop::Target { .. }), "{name}, n = {n}");
                assert!(outcome.runs[1].evaluations <= 1 + 200 * n as u64 + n as u64);
            }
        }
    }
}

#[test]
fn lines_are_probed_side_by_side_and_improvements_are_combined() {
    let mut search = search(3, Independent::new().probed().evaluations(5)).max_runs(3).build().unwrap();
    until_probe(&mut search, rastrigin);
    let start = search.best().unwrap().point.to_vec();
    assert_eq!(search.probe().unwrap().start(), start);
    assert_eq!((search.plan().kind, search.plan().lambda), (RunKind::Probe { evaluations: 5 }, 3));
    let mut widths = Vec::new();
    let mut best_of_line = [(f64::INFINITY, 0.0); 3];
    while let Some(probe) = search.probe() {
        let generation = probe.iterations();
        let points: Vec<Vec<f64>> = search.ask().iter().map(<[f64]>::to_vec).collect();
        widths.push(points.len());
        match generation {
            0 => assert_eq!(points, std::slice::from_ref(&start)),
            1..=5 => {
                for (k, x) in points.iter().enumerate() {
                    let changed: Vec<usize> = (0..3).filter(|i| x[*i] != start[*i]).collect();
                    assert_eq!(changed, [k], "generation {generation}");
                    best_of_line[k] =
                        if rastrigin(x) < best_of_line[k].0 { (rastrigin(x), x[k]) } else { best_of_line[k] };
                    let ends = [-4.0, 4.5];
                    assert!(generation > 2 || x[k] == ends[generation as usize - 1], "the ends come first");
                }
            }
            _ => {
                let all: Vec<f64> = best_of_line.iter().map(|(_, x)| *x).collect();
                let improved = best_of_line.iter().filter(|(value, _)| *value < rastrigin(&start)).count();
                assert_eq!(points.len(), improved - 1, "all of them, and without the smallest");
                assert!(improved < 3 || points[0] == all);
            }
        }
        let values: Vec<f64> = points.iter().map(|x| rastrigin(x)).collect();
        search.tell(&values).unwrap();
    }
    assert_eq!(widths[..6], [1, 3, 3, 3, 3, 3]);
    let probe = &search.runs()[1];
    assert_eq!(probe.plan.regime, Regime::Probe);
    assert_eq!((probe.evaluations, probe.iterations), (widths.iter().sum::<usize>() as u64, widths.len() as u64));
    assert_eq!((probe.sigma, &probe.deviations[..], probe.condition), (0.0, &[0.0; 3][..], 1.0));
    assert_eq!(probe.best_point.as_ref(), Some(&probe.mean));
}

#[test]
fn where_improvements_do_not_add_up_the_best_few_count() {
    // Along each axis 1 is better than 0, and two of them together are better still; three are bad.
    fn f(x: &[f64]) -> f64 {
        let at_end = x.iter().filter(|x| **x == 4.5).count();
        [10.0, 8.0, 5.0, 50.0][at_end.min(3)] + x.iter().map(|x| x.abs() * 1e-3).sum::<f64>()
    }
    let policy = Independent::new().probed().evaluations(3);
    let search = search(4, policy).max_runs(2).criteria(StopCriteria::new().max_iterations(1));
    let outcome = search.minimize(f).unwrap();
    assert!((5.0..6.0).contains(&outcome.value), "{outcome}");
    assert_eq!(outcome.point.iter().filter(|x| **x == 4.5).count(), 2);
    assert_eq!(outcome.best_run, Some(1));
    assert_eq!((outcome.mean, outcome.deviations), (outcome.point, vec![0.0; 4]));
}

#[test]
fn after_a_probe_that_finds_nothing_the_policy_goes_on() {
    let outcome = search(3, Ipop::new().probed()).max_evaluations(20_000).minimize(sphere).unwrap();
    let regimes: Vec<&str> = outcome.runs.iter().take(4).map(|run| run.plan.regime.name()).collect();
    let improved = outcome.runs[1].best_value < outcome.runs[0].best_value;
    assert_eq!(regimes[..3], if improved { ["first", "probe", "refine"] } else { ["first", "probe", "large"] });
    let table = outcome.to_string();
    assert!(table.contains("probe") && table.contains("probed"), "{table}");
}

#[test]
fn values_that_are_no_numbers_do_not_end_a_probe() {
    fn holes(x: &[f64]) -> f64 {
        match x[0] {
            x0 if x0 > 2.0 => f64::NAN,
            x0 if x0 < -2.0 => f64::INFINITY,
            _ => rastrigin(x),
        }
    }
    fn nothing(_: &[f64]) -> f64 {
        f64::NAN
    }
    fn bottomless(x: &[f64]) -> f64 {
        if x[1] == -4.0 { f64::NEG_INFINITY } else { sphere(x) }
    }
    let run = |f: fn(&[f64]) -> f64| {
        let starts = Starts::in_box(&[-1.5; 5], &[1.5; 5]).unwrap();
        let search = restarts(Bipop::new().probed(), starts, 0.3).strategy::<Separable>();
        search.probe_box(&[-4.0; 5], &[4.5; 5]).max_evaluations(5_000).minimize(f).unwrap()
    };
    let outcome = run(holes);
    assert!(outcome.value < 1e-3 && matches!(outcome.runs[1].stop, Stop::Probed { improved: 1.., .. }), "{outcome}");
    let outcome = run(nothing);
    assert!(outcome.value.is_nan() && matches!(outcome.runs[1].stop, Stop::Probed { improved: 0, .. }), "{outcome}");
    assert_eq!(outcome.runs[1].best_point, None);
    let outcome = run(bottomless);
    assert_eq!((outcome.value, outcome.best_run), (f64::NEG_INFINITY, Some(1)));
}

#[test]
fn budgets_and_targets_end_a_search_within_a_probe() {
    let n = 5;
    let probed = || search(n, Bipop::new().probed());
    let whole = probed().max_evaluations(1_000_000).max_runs(2).minimize(rastrigin).unwrap();
    let before = whole.runs[0].evaluations;
    for more in [1, 2, 4, 100, 500] {
        let outcome = probed().max_evaluations(before + more).minimize(rastrigin).unwrap();
        assert!((more..more + n as u64).contains(&(outcome.evaluations - before)), "{more}: {outcome}");
        assert_eq!(outcome.stop.name(), "evaluations");
        assert_eq!((outcome.runs.len(), outcome.runs[1].plan.regime), (2, Regime::Probe));
        assert!(matches!(outcome.runs[1].stop, Stop::Evaluations { .. }));
        // Increasing the budget later gives the same search as having it from the start.
        let mut search = probed().max_evaluations(before + more).build().unwrap();
        search.run(rastrigin).unwrap();
        search.set_max_evaluations(before + 700).unwrap();
        let grown = search.run(rastrigin).unwrap();
        assert_eq!(grown, probed().max_evaluations(before + 700).minimize(rastrigin).unwrap());
    }
    let better = whole.runs[0].best_value * 0.99;
    let outcome = probed().target(better).max_evaluations(1_000_000).minimize(rastrigin).unwrap();
    assert_eq!((outcome.stop.name(), outcome.best_run), ("target", Some(1)));
    assert!(outcome.runs[1].evaluations < whole.runs[1].evaluations);
    let outcome = probed().max_time(Duration::from_nanos(1)).minimize(rastrigin).unwrap();
    assert_eq!(outcome.stop.name(), "time");
    // The planned budget of a probe, and that of each run.
    #[derive(Debug)]
    struct Short;
    impl Policy for Short {
        fn name(&self) -> &'static str {
            "short"
        }
        fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
            let first = past.usual_run(Regime::First).budget(30);
            [first, past.probe(100).budget(12)].get(past.runs.len()).cloned()
        }
        fn ends(&self) -> bool {
            true
        }
    }
    let outcome = search(n, Short).minimize(rastrigin).unwrap();
    assert_eq!(outcome.runs[1].stop, Stop::Evaluations { evaluations: 16, budget: 12 });
    assert!(matches!(outcome.stop, Stop::PolicyDone { runs: 2 }));
}

#[test]
fn the_wrapped_policy_does_not_see_what_the_probe_adds() {
    let past = |runs: &[RunSummary], policy: &dyn Policy| {
        let mut numbers = [0.3, 0.6].into_iter().cycle();
        policy.next(&Past::new(5, 8, 2.0, runs), &mut || numbers.next().unwrap())
    };
    let (plain, probed) = (Bipop::new(), Bipop::new().probed());
    let first = past(&[], &probed).unwrap();
    assert_eq!(past(&[], &plain), Some(first.clone()));
    let first = RunSummary::scripted(first, 1000, 3.0);
    let probe = past(std::slice::from_ref(&first), &probed).unwrap();
    let expected = Past::new(5, 8, 2.0, &[]).usual_run(Regime::Probe).start(StartRule::AtBest).lambda(5);
    assert_eq!(probe, RunPlan { kind: RunKind::Probe { evaluations: 200 }, ..expected });
    let [worse, better] = [3.0, 2.9].map(|value| RunSummary::scripted(probe.clone(), 800, value));
    let refine = past(&[first.clone(), better.clone()], &probed).unwrap();
    let expected = Past::new(5, 8, 2.0, &[]).usual_run(Regime::Refine).start(StartRule::AtBest).sigma(0.02);
    assert_eq!(refine, expected.abandon(false));
    let refine = RunSummary::scripted(refine, 300, 1.0);
    let mut seen = vec![first.clone()];
    let mut all = [vec![first.clone(), worse], vec![first, better, refine]];
    for evaluations in [500, 100, 600, 50] {
        let plan = past(&seen, &plain);
        for all in &mut all {
            assert_eq!(past(all, &probed), plan);
            all.push(RunSummary::scripted(plan.clone().unwrap(), evaluations, 0.5));
        }
        seen.push(RunSummary::scripted(plan.unwrap(), evaluations, 0.5));
    }
    let regimes: Vec<Regime> = seen.iter().map(|run| run.plan.regime).collect();
    assert_eq!(regimes, [Regime::First, Regime::Large, Regime::Small, Regime::Small, Regime::Large]);
    let never = Independent::new().restarts(0).probed();
    assert!(never.ends() && !Independent::new().probed().ends());
    assert_eq!(past(&all[1][..3], &never), None);
    assert_eq!((probed.name(), probed.policy()), ("bipop", &Bipop::new()));
}

#[test]
fn any_policy_can_be_wrapped_also_twice_and_in_a_box() {
    let boxed: Box<dyn Policy> = Box::new(Ipop::new());
    let outcome = search(5, boxed.probed()).max_evaluations(20_000).target(1e-9).minimize(rastrigin).unwrap();
    assert_eq!(outcome.stop.name(), "target");
    let boxed: Box<dyn Policy> = Box::new(Ipop::new().probed());
    let starts = Starts::around(&[1.0; 5], 2.0).unwrap();
    let refused = restarts(boxed, starts, 0.5).strategy::<Separable>().build().map(drop);
    assert_eq!(refused, Err(SearchError::NoProbeBox { index: 0 }), "a box hides nothing");
    let twice = search(5, Ipop::new().probed().probed()).max_evaluations(8_000).minimize(rastrigin).unwrap();
    assert_eq!(twice.runs.iter().filter(|run| run.plan.regime == Regime::Probe).count(), 2);
}

#[test]
fn a_search_without_a_box_for_probes_is_refused_at_the_start() {
    let around = || Starts::around(&[1.0; 3], 2.0).unwrap();
    let probed = || restarts(Bipop::new().probed(), around(), 1.0).strategy::<Separable>();
    let refused = |builder: Builder<Probed<Bipop>>| builder.build().map(drop);
    assert_eq!(refused(probed()), Err(SearchError::NoProbeBox { index: 0 }));
    let half = Bounds::new(&[-5.0, -5.0, 0.0], &[5.0, 5.0, f64::INFINITY]).unwrap();
    assert_eq!(refused(probed().bounds(half.clone())), Err(SearchError::NoProbeBox { index: 2 }));
    assert_eq!(refused(probed().bounds(half.clone()).probe_box(&[-5.0, -5.0, 0.0], &[5.0, 5.0, 9.0])), Ok(()));
    let sides = (-1.0, 9.0);
    let outside = SearchError::ProbeSide { index: 2, side: sides, bounds: (0.0, f64::INFINITY) };
    assert_eq!(refused(probed().bounds(half.clone()).probe_box(&[-5.0, -5.0, -1.0], &[5.0, 5.0, 9.0])), Err(outside));
    assert_eq!(refused(probed().bounds(Bounds::uniform(3, -9.0, 9.0).unwrap())), Ok(()));
    let starts = Starts::in_box(&[0.5; 3], &[1.0, 2.0, 0.5]).unwrap();
    let of_starts = |starts: Starts| restarts(Bipop::new().probed(), starts, 1.0).strategy::<Separable>();
    assert_eq!(refused(of_starts(starts)), Err(SearchError::NoProbeBox { index: 2 }), "no length");
    let starts = Starts::in_box(&[0.5; 3], &[1.0; 3]).unwrap();
    assert_eq!(refused(of_starts(starts).bounds(half)), Ok(()), "bounds where they are finite, else the box of starts");
    let wrong = SearchError::ProbeBoxOfWrongLength { expected: 3, got: (3, 2) };
    assert_eq!(refused(probed().probe_box(&[0.0; 3], &[1.0; 2])), Err(wrong.clone()));
    assert!(wrong.to_string().contains("3 lower and 2 upper"));
    for (lower, upper) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1.7e308, 1.7e308)] {
        let error = refused(probed().probe_box(&[lower, 0.0, 0.0], &[upper, 1.0, 1.0]));
        assert!(matches!(error, Err(SearchError::ProbeSide { index: 0, .. })), "{error:?}");
    }
    let constant = |policy: Probed<Bipop>| match search(2, policy).build().map(drop) {
        Err(SearchError::Policy(PolicyError { setting, .. })) => setting,
        other => panic!("{other:?}"),
    };
    assert_eq!(constant(Bipop::new().probed().evaluations(2)), "evaluations");
    assert_eq!(constant(Bipop::new().probed().sigma_factor(0.0)), "sigma_factor");
    assert_eq!(constant(Bipop::new().factor(0.5).probed()), "factor");
}

/// A custom policy that does not announce its probes, or where they start.
#[derive(Debug)]
struct Unannounced(StartRule);

impl Policy for Unannounced {
    fn name(&self) -> &'static str {
        "unannounced"
    }

    fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let probe = past.probe(9).start(self.0.clone());
        [past.usual_run(Regime::First), probe].get(past.runs.len()).cloned()
    }

    fn ends(&self) -> bool {
        true
    }
}

#[test]
fn probes_of_custom_policies_start_where_they_say() {
    let run = |start: StartRule, bounded: bool| {
        let starts = Starts::around(&[1.0; 2], 2.0).unwrap();
        let search = restarts(Unannounced(start), starts, 0.5).strategy::<Separable>();
        let search = if bounded { search.bounds(Bounds::uniform(2, -3.0, 3.0).unwrap()) } else { search };
        let mut search = search.build().unwrap();
        loop {
            let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
            if let Err(error) = search.tell(&values) {
                assert!(matches!(search.stop(), Some(Stop::CannotStart { .. })));
                assert!(search.outcome().is_some_and(|outcome| outcome.runs.len() == 1), "nothing is lost");
                return Err(error);
            }
            if search.stop().is_some() {
                return Ok(search.runs()[1].start.clone());
            }
        }
    };
    assert_eq!(run(StartRule::AtBest, false), Err(SearchError::NoProbeBox { index: 0 }));
    assert_eq!(run(StartRule::At(vec![2.0, -2.0]), true), Ok(vec![2.0, -2.0]));
    assert!(run(StartRule::Draw, true).is_ok_and(|start| start.len() == 2));
    for bad in [vec![2.0, -4.0], vec![f64::NAN, 0.0]] {
        assert!(matches!(run(StartRule::At(bad), true), Err(SearchError::Start { run: 1, .. })));
    }
    let short = run(StartRule::At(vec![0.0]), true);
    assert_eq!(short, Err(SearchError::StartOfWrongLength { run: 1, expected: 2, got: 1 }));
}

#[test]
fn values_arrive_in_any_order_and_some_never_do() {
    let probed = || search(4, Bipop::new().probed().evaluations(20)).max_evaluations(6000);
    let expected = probed().minimize(rastrigin).unwrap();
    let mut one_by_one = probed().build().unwrap();
    let mut generation = 0;
    while one_by_one.stop().is_none() {
        let mut jobs: Vec<_> = one_by_one.ask_missing().map(|(ticket, x)| (ticket, rastrigin(x))).collect();
        assert!(jobs.iter().all(|(ticket, _)| ticket.generation == generation), "counted over all runs");
        jobs.reverse();
        for (ticket, value) in jobs {
            one_by_one.tell_one(ticket, value).unwrap();
        }
        generation += 1;
    }
    assert_eq!(one_by_one.outcome(), Some(expected));

    let mut search = probed().build().unwrap();
    until_probe(&mut search, rastrigin);
    let known = search.best().unwrap().value;
    assert_eq!(search.tell(&[1.0]), Err(SearchError::Tell(TellError::NotAsked)));
    assert_eq!(search.finish(Missing::LeaveOut), Err(SearchError::Tell(TellError::NotAsked)));
    let start: Vec<Ticket> = search.ask_missing().map(|(ticket, _)| ticket).collect();
    assert_eq!(search.finish(Missing::RankLast), Err(SearchError::Tell(TellError::TooFew { told: 0, needed: 1 })));
    assert_eq!(search.tell(&[1.0; 2]), Err(SearchError::Tell(TellError::WrongCount { expected: 1, got: 2 })));
    search.tell_one(start[0], known).unwrap();

    let tickets: Vec<Ticket> = search.ask_missing().map(|(ticket, _)| ticket).collect();
    let points = search.ask().clone();
    let late = search.tell_one(start[0], 1.0);
    assert!(matches!(late, Err(SearchError::Tell(TellError::Late { .. }))), "{late:?}");
    search.tell_one(tickets[2], known - 1.0).unwrap();
    let best = search.best().unwrap();
    assert_eq!((best.value, best.run, best.point), (known - 1.0, 1, &points[2]), "before the generation is complete");
    assert_eq!(
        search.tell_one(tickets[2], 0.0),
        Err(SearchError::Tell(TellError::Twice { ticket: tickets[2], value: known - 1.0 }))
    );
    let none = Ticket { index: 4, ..tickets[0] };
    assert!(matches!(
        search.tell_one(none, 0.0),
        Err(SearchError::Tell(TellError::NoSuchCandidate { index: 4, lambda: 4 }))
    ));
    assert!(matches!(search.tell(&[0.0; 4]), Err(SearchError::Tell(TellError::PartlyTold { told: 1, lambda: 4 }))));
    search.finish(Missing::LeaveOut).unwrap();
    // Candidates that were left out are asked again: lower ends still; the third line continues with its upper end.
    let again = search.ask().clone();
    assert_eq!([again[0][0], again[1][1], again[2][2], again[3][3]], [-4.0, -4.0, 4.5, -4.0]);
    assert_eq!(search.probe().unwrap().evaluations(), 2);
    search.tell_one(Ticket { generation: tickets[0].generation + 1, index: 1 }, known).unwrap();
    search.finish(Missing::RankLast).unwrap();
    // Candidates that were ranked last are not.
    let next = search.ask().clone();
    assert_eq!([next[0][0], next[1][1], next[3][3]], [4.5; 3]);
    assert!(next[2][2] > -4.0 && next[2][2] < 4.5);
    assert_eq!(search.probe().unwrap().evaluations(), 3);
    let outcome = search.run(rastrigin).unwrap();
    assert!(matches!(outcome.runs[1].stop, Stop::Probed { .. }));
}

#[test]
fn an_objective_that_fails_loses_nothing() {
    let probed = || search(4, Bipop::new().probed().evaluations(20)).max_evaluations(4000);
    let expected = probed().minimize(rastrigin).unwrap();
    let mut search = probed().build().unwrap();
    let (mut count, mut evaluated) = (0u64, 0u64);
    let outcome = loop {
        let fallible = ddcma_core::Fallible(|x: &[f64]| {
            count += 1;
            if count.is_multiple_of(13) {
                return Err("down");
            }
            evaluated += 1;
            Ok(rastrigin(x))
        });
        match search.run(fallible) {
            Ok(outcome) => break outcome,
            Err(error) => assert!(error.to_string().contains("down"), "{error}"),
        }
    };
    assert_eq!(outcome, expected);
    assert_eq!(evaluated, expected.evaluations, "no value is computed twice");
}

#[test]
fn whoever_looks_on_is_told_what_it_is() {
    #[derive(Default)]
    struct Looks {
        runs: usize,
        probes: Vec<(u64, f64)>,
        ends: Vec<&'static str>,
    }
    impl Observer for Looks {
        fn observe(&mut self, _: &View<'_>) {
            self.runs += 1;
        }
        fn finished(&mut self, _: &View<'_>, stop: &Stop) {
            self.ends.push(stop.name());
        }
        fn observe_points(&mut self, view: &View<'_>, stop: Option<&Stop>) {
            assert_eq!(view.kind, "probe");
            match stop {
                Some(stop) => self.ends.push(stop.name()),
                None => self.probes.push((view.evaluations, view.best_value())),
            }
        }
    }
    let mut looks = Looks::default();
    let text = RefCell::new(Vec::new());
    struct Shared<'a>(&'a RefCell<Vec<u8>>);
    impl std::io::Write for Shared<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut progress = Progress::new(Shared(&text)).every(Duration::ZERO);
    let mut kinds = Vec::new();
    let mut search = search(3, Bipop::new().probed().evaluations(9)).max_runs(3).build().unwrap();
    let mut with = With::new().observer(&mut looks).observer(&mut progress).stop_when_run(|run| {
        kinds.push(run.view().kind);
        None
    });
    let outcome = search.run_with(rastrigin, &mut with).unwrap();
    drop(with);
    let generations = |k: usize| outcome.runs[k].iterations as usize;
    assert_eq!(looks.probes.len(), generations(1));
    assert_eq!(looks.runs, generations(0) + generations(2));
    assert_eq!(kinds.len(), generations(0) + generations(1) + generations(2));
    assert_eq!(looks.ends[1], "probed");
    assert_eq!(looks.probes.last(), Some(&(outcome.runs[1].evaluations, outcome.runs[1].best_value)));
    let text = String::from_utf8(text.into_inner()).unwrap();
    assert!(text.contains("  probe  0:00") && text.contains("probed: "), "{text}");
}

#[test]
fn variables_are_probed_on_their_scales() {
    let variables = Variables::new([
        Variable::between(1e-6, 1e2).log(),
        Variable::fixed(7.0),
        Variable::between(-4.0, 5.0),
        Variable::around(1.0, 0.5),
    ]);
    let variables = variables.unwrap();
    let f = |x: &[f64]| {
        assert_eq!(x[1], 7.0);
        assert!((1e-6..=1e2).contains(&x[0]) && (-4.0..=5.0).contains(&x[2]), "{x:?}");
        rastrigin(&[x[0].log10() * 2.0, x[2], x[3]])
    };
    let probed = |policy: Probed<Bipop>| restarts_over(policy, &variables).strategy::<Separable>().seed(2);
    let refused = probed(Bipop::new().probed()).build().map(drop);
    assert_eq!(refused, Err(SearchError::NoProbeBox { index: 3 }), "the fixed one needs no interval");
    let within = |builder: Builder<Probed<Bipop>>, lower: f64| {
        builder.probe_box(&[lower, f64::NAN, -3.0, -4.0], &[10.0, 0.0, 5.0, 6.0])
    };
    for bad in [0.0, 1e-7] {
        let refused = within(probed(Bipop::new().probed()), bad).build().map(drop);
        assert!(matches!(refused, Err(SearchError::ProbeSide { index: 0, .. })), "{refused:?}");
    }
    let mut search = within(probed(Bipop::new().probed()), 1e-4).max_evaluations(10_000).build().unwrap();
    while search.probe().is_none_or(|probe| probe.iterations() < 3) {
        let values: Vec<f64> = search.ask().iter().map(f).collect();
        search.tell(&values).unwrap();
        if let Some(probe) = search.probe()
            && (1..3).contains(&probe.iterations())
        {
            assert_eq!(probe.coordinates(), 3);
            let ends = [[1e-4, -3.0, -4.0], [10.0, 5.0, 6.0]][probe.iterations() as usize - 1];
            let points = search.ask();
            assert!((points[0][0] / ends[0] - 1.0).abs() < 1e-14, "the end of a logarithm, to rounding");
            assert_eq!([points[1][2], points[2][3]], ends[1..]);
        }
    }
    let start = search.probe().unwrap().start()[0];
    let middle = search.ask().iter().map(|x| x[0]).find(|x| *x != start).unwrap();
    let halves = [1e-4, 10.0].map(|end| (start * end).sqrt());
    assert!(halves.iter().any(|half| (middle / half - 1.0).abs() < 1e-9), "{middle} is in the middle of logarithms");
    let outcome = search.run(f).unwrap();
    assert!(outcome.value < 1e-6, "{outcome}");
}

#[test]
fn large_dimensions_work() {
    let n = 600;
    let starts = Starts::in_box(&vec![-4.0; n], &vec![4.5; n]).unwrap();
    let search = restarts(Independent::new().probed().evaluations(60), starts, 0.5).strategy::<Separable>();
    let search = search.max_runs(2).criteria(StopCriteria::new().max_evaluations(200));
    let outcome = search.max_evaluations(100_000).minimize(rastrigin).unwrap();
    assert_eq!(outcome.runs[1].stop, Stop::Evaluations { evaluations: 601, budget: 200 }, "to the full generation");
}

#[cfg(feature = "checkpoint")]
mod stored {
    use super::*;
    use ddcma_core::{Autosave, CheckpointError};

    type Stored = Search<Separable, Probed<Bipop>>;

    fn again(search: &Stored) -> Stored {
        let bytes = search.to_checkpoint().unwrap();
        let restored = Stored::from_checkpoint(&bytes).unwrap();
        assert_eq!(restored.to_checkpoint().unwrap(), bytes);
        restored
    }

    #[test]
    fn a_probe_that_is_stored_at_every_state_goes_on_to_the_bit() {
        let bounded = |seed: u64| {
            let search = search(3, Bipop::new().probed().evaluations(12)).seed(seed).max_evaluations(1500);
            search.bounds(Bounds::uniform(3, -4.0, 4.5).unwrap())
        };
        for seed in 1..4 {
            let expected = bounded(seed).minimize(rastrigin).unwrap();
            assert_eq!(expected.runs[1].plan.regime, Regime::Probe);
            let mut search = bounded(seed).build().unwrap();
            while search.stop().is_none() {
                search = again(&search);
                let jobs: Vec<_> = search.ask_missing().map(|(ticket, x)| (ticket, rastrigin(x))).collect();
                search = again(&search);
                for (ticket, value) in jobs.into_iter().rev() {
                    search.tell_one(ticket, value).unwrap();
                    search = again(&search);
                }
            }
            assert_eq!(search.outcome(), Some(expected));
        }
    }

    #[test]
    fn checkpoints_of_other_policies_are_refused() {
        let mut probed = search(3, Bipop::new().probed()).max_evaluations(5000).build().unwrap();
        until_probe(&mut probed, rastrigin);
        let bytes = probed.to_checkpoint().unwrap();
        let refused = |error: CheckpointError| assert!(matches!(error, CheckpointError::Malformed { .. }), "{error}");
        refused(Search::<Separable, Bipop>::from_checkpoint(&bytes).map(drop).unwrap_err());
        refused(Search::<Separable, Probed<Ipop>>::from_checkpoint(&bytes).map(drop).unwrap_err());
        let plain = search(3, Bipop::new()).max_evaluations(5000).build().unwrap().to_checkpoint().unwrap();
        refused(Stored::from_checkpoint(&plain).map(drop).unwrap_err());
        for length in (0..bytes.len()).step_by(11) {
            assert!(Stored::from_checkpoint(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn a_probe_is_saved_while_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("probe.checkpoint");
        let probed = || search(4, Bipop::new().probed().evaluations(20)).max_evaluations(3000);
        let expected = probed().minimize(rastrigin).unwrap();
        let mut evaluated = 0;
        let interrupted = |stop: u64, evaluated: &mut u64| {
            let mut here = 0;
            let fallible = ddcma_core::Fallible(|x: &[f64]| {
                if here == stop {
                    return Err("killed");
                }
                here += 1;
                Ok(rastrigin(x))
            });
            let autosave = Autosave::new(&path).every_generations(1);
            let outcome = probed().minimize_saving(fallible, autosave);
            *evaluated += here;
            outcome.ok()
        };
        let mut outcome = loop {
            if let Some(outcome) = interrupted(177, &mut evaluated) {
                break outcome;
            }
        };
        assert_eq!(outcome.resumed_at.take(), Some(expected.evaluations / 177 * 177));
        assert_eq!(outcome, expected);
        assert_eq!(evaluated, expected.evaluations);
        let other = probed().probe_box(&[-1.0; 4], &[1.0; 4]).minimize_saving(rastrigin, &path);
        assert!(other.unwrap_err().to_string().contains("the box of probes"));
    }
}
