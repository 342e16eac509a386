//! Thrifty ends runs that creep, comes back to the best of them, and is NBIPOP with full step sizes otherwise.

use ddcma_core::Stop;
use ddcma_restarts::{Nbipop, Past, Policy, Regime, RunPlan, RunSummary, StartRule, Thrifty};

const SIGMA: f64 = 2.0;

fn creeping(reference: Option<f64>) -> Stop {
    Stop::Creeping { growth: 2e3, limit: 1e3, largest: 0.5, best: 1.0, reference }
}

/// A past run that ended at (3, 4) with deviations of 0.2 and 0.4.
fn ended(plan: RunPlan, evaluations: u64, value: f64, stop: Stop) -> RunSummary {
    let mut run = RunSummary::scripted(plan, evaluations, value);
    (run.best_point, run.deviations, run.stop) = (Some(vec![3.0, 4.0]), vec![0.2, 0.4], stop);
    run
}

fn next(policy: &dyn Policy, runs: &[RunSummary]) -> RunPlan {
    policy.next(&Past::new(2, 6, SIGMA, runs), &mut || 0.5).unwrap()
}

#[test]
fn without_creeping_runs_it_is_nbipop_with_full_step_sizes() {
    let nbipop = Nbipop::new().sigma_divisor(1.0);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (evaluations, value) in [(100, 5.0), (200, 4.0), (150, 3.0), (60, 2.0), (900, 6.0), (300, 1.0)] {
        let plan = next(&Thrifty::new(), &ours);
        assert_eq!(plan.creeping_best, Some(1e3));
        assert_eq!(RunPlan { creeping_best: None, ..plan.clone() }, next(&nbipop, &theirs));
        ours.push(RunSummary::scripted(plan, evaluations, value));
        theirs.push(RunSummary::scripted(next(&nbipop, &theirs), evaluations, value));
    }
    assert_eq!(next(&Thrifty::new().growth(50.0), &[]).creeping_best, Some(50.0));
}

#[test]
fn the_best_run_is_refined_when_the_others_have_had_their_share() {
    let planned = || next(&Thrifty::new(), &[]).sigma(0.5).strategy("mine").strategy_option("rate", 0.25);
    let first = |value, stop| ended(planned(), 1000, value, stop);
    let with = |first: RunSummary, evaluations, value| {
        let plan = next(&Thrifty::new(), std::slice::from_ref(&first)).lambda(12);
        vec![first, RunSummary::scripted(plan, evaluations, value)]
    };
    let plan = next(&Thrifty::new(), &with(first(1.0, creeping(None)), 1000, 2.0));
    assert_eq!((plan.regime, plan.lambda, plan.sigma), (Regime::Refine, 6, SIGMA));
    assert_eq!(plan.start, StartRule::At(vec![3.0, 4.0]));
    let strategy = (plan.strategy.as_deref(), &plan.strategy_options[..]);
    assert_eq!(strategy, (Some("mine"), &[("rate".to_string(), 0.25)][..]), "as the run that is refined");
    assert_eq!(plan.deviations, Some(vec![0.1, 0.2]), "relative to the step size");
    assert_eq!((plan.budget, plan.abandon, plan.creeping_best), (Some(2000), false, None));
    // Too early; not the best; ended for another reason; not the best when it ended.
    for runs in [
        with(first(1.0, creeping(None)), 999, 2.0),
        with(first(1.0, creeping(None)), 1000, 0.5),
        with(first(1.0, Stop::User { reason: "enough".into() }), 1000, 2.0),
        with(first(1.0, creeping(Some(0.0))), 1000, 2.0),
    ] {
        assert_ne!(next(&Thrifty::new(), &runs).regime, Regime::Refine);
    }
    // Without a shape to start with.
    let mut lost = first(1.0, creeping(None));
    lost.deviations[1] = 0.0;
    assert_ne!(next(&Thrifty::new(), &with(lost, 1000, 2.0)).regime, Regime::Refine);
}

#[test]
fn nbipop_does_not_see_runs_that_refine_and_their_budget_ends_them_for_a_while() {
    let mut runs = vec![ended(next(&Thrifty::new(), &[]), 1000, 1.0, creeping(None))];
    runs.push(RunSummary::scripted(next(&Thrifty::new(), &runs), 1000, 2.0));
    let refine = next(&Thrifty::new(), &runs);
    runs.push(ended(refine, 2000, 0.5, Stop::Evaluations { evaluations: 2000, budget: 2000 }));
    let plan = next(&Thrifty::new(), &runs);
    assert_eq!(RunPlan { creeping_best: None, ..plan.clone() }, next(&Nbipop::new().sigma_divisor(1.0), &runs[..2]));
    runs.push(RunSummary::scripted(plan, 2000, 3.0));
    let again = next(&Thrifty::new(), &runs);
    assert_eq!((again.regime, again.budget), (Regime::Refine, Some(6000)));
    // One that has converged is not refined.
    runs.push(ended(again, 100, 0.25, Stop::TolX { largest: 1e-13, tolerance: 1e-12 }));
    runs.push(RunSummary::scripted(next(&Thrifty::new(), &runs), 5000, 3.0));
    assert_ne!(next(&Thrifty::new(), &runs).regime, Regime::Refine);
}

/// Along the edge of a penalty runs creep to the minimum. They end on the way, and the best of them is refined to all digits.
#[cfg(feature = "dense")]
#[test]
fn an_edge_is_followed_to_the_minimum() {
    use ddcma_core::Bounds;
    use ddcma_restarts::{Starts, restarts};

    // The one-liter can with the least surface, its radius at most 5 cm.
    let surface = |x: &[f64]| {
        let (radius, height) = (x[0], x[1]);
        let missing = (1000.0 - std::f64::consts::PI * radius * radius * height).max(0.0);
        2.0 * std::f64::consts::PI * radius * (radius + height) + 10.0 * missing
    };
    let least = 10.0 * std::f64::consts::PI * (5.0 + 40.0 / std::f64::consts::PI);
    let mut refined = 0;
    for seed in 1..=5 {
        let starts = Starts::in_box(&[1.0, 5.0], &[5.0, 15.0]).unwrap();
        let bounds = Bounds::new(&[1.0, 0.0], &[5.0, f64::INFINITY]).unwrap();
        let search = restarts(Thrifty::new(), starts, 2.0).bounds(bounds).seed(seed);
        let outcome = search.target(least * (1.0 + 1e-9)).max_evaluations(40_000).minimize(surface).unwrap();
        assert_eq!(outcome.stop.name(), "target", "seed {seed}: {outcome}");
        refined += outcome.runs.iter().filter(|run| run.plan.regime == Regime::Refine).count();
    }
    assert!(refined > 0);
}
