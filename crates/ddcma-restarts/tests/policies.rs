//! Every policy on scripted pasts, number by number.

use ddcma_restarts::{Bipop, Independent, Ipop, Nbipop, Nipop, Past, Policy, Regime, RunPlan, RunSummary, Thrifty};

const LAMBDA: usize = 10;
const SIGMA: f64 = 2.0;

/// A past made by the policy's own plans: each planned run uses the evaluations and finds the value of the script.
struct Script<'a> {
    policy: &'a dyn Policy,
    runs: Vec<RunSummary>,
}

impl<'a> Script<'a> {
    fn new(policy: &'a dyn Policy) -> Self {
        Self { policy, runs: Vec::new() }
    }

    /// Returns the next plan, with these uniform numbers: it must use exactly all of them.
    fn plan(&self, uniform: &[f64]) -> Option<RunPlan> {
        let mut numbers = uniform.iter().copied();
        let past = Past::new(5, LAMBDA, SIGMA, &self.runs);
        let plan = self.policy.next(&past, &mut || numbers.next().expect("no further number is needed"));
        assert_eq!(numbers.len(), 0, "every number is used");
        plan
    }

    fn run(&mut self, uniform: &[f64], evaluations: u64, best_value: f64) -> RunPlan {
        let plan = self.plan(uniform).expect("a further run");
        self.runs.push(RunSummary::scripted(plan.clone(), evaluations, best_value));
        plan
    }
}

fn plan(lambda: usize, sigma: f64, budget: Option<u64>, regime: Regime) -> RunPlan {
    RunPlan { lambda, sigma, budget, ..Past::new(5, LAMBDA, SIGMA, &[]).usual_run(regime) }
}

fn usual() -> RunPlan {
    plan(LAMBDA, SIGMA, None, Regime::First)
}

#[test]
fn independent_restarts_are_all_alike() {
    let policy = Independent::new().restarts(3);
    let mut script = Script::new(&policy);
    assert_eq!(script.run(&[], 100, 1.0), usual());
    for _ in 0..3 {
        assert_eq!(script.run(&[], 50, 1.0), plan(LAMBDA, SIGMA, None, Regime::Again));
    }
    assert_eq!(script.plan(&[]), None);
    assert!(policy.ends());
    assert!(!Independent::new().ends());
}

#[test]
fn ipop_doubles() {
    let policy = Ipop::new();
    let mut script = Script::new(&policy);
    assert_eq!(script.run(&[], 100, 1.0), usual());
    for lambda in [20, 40, 80, 160, 320, 640, 1280, 2560, 5120] {
        assert_eq!(script.run(&[], 100, 1.0), plan(lambda, SIGMA, None, Regime::Large));
    }
    assert_eq!(script.plan(&[]), None, "nine restarts");

    // 10·1.5^k, rounded down each time
    let policy = Ipop::new().factor(1.5).restarts(None);
    let mut script = Script::new(&policy);
    let lambdas: Vec<usize> = (0..7).map(|_| script.run(&[], 100, 1.0).lambda).collect();
    assert_eq!(lambdas, [10, 15, 22, 33, 50, 75, 113]);
    assert!(!policy.ends());
}

#[test]
fn nipop_doubles_and_shortens_its_steps() {
    let policy = Nipop::new().restarts(4);
    let mut script = Script::new(&policy);
    assert_eq!(script.run(&[], 100, 1.0), usual());
    // 2/1.6, 2/2.56, 2/4.096, 2/6.5536
    for (lambda, sigma) in [(20, 1.25), (40, 0.78125), (80, 0.48828125), (160, 0.30517578125)] {
        let planned = script.run(&[], 100, 1.0);
        assert!((planned.sigma - sigma).abs() < 1e-15);
        assert_eq!(planned, plan(lambda, planned.sigma, None, Regime::Large));
    }
    assert_eq!(script.plan(&[]), None);
}

#[test]
fn bipop_takes_the_regime_that_has_used_less() {
    let policy = Bipop::new();
    let mut script = Script::new(&policy);
    // The first run belongs to neither regime, however long it was.
    assert_eq!(script.run(&[], 1_000_000, 1.0), usual());
    assert_eq!(script.run(&[], 1000, 1.0), plan(20, SIGMA, None, Regime::Large));

    // small: λ = ⌊10·2^(U²)⌋ with U = ½: 10·2^¼ = 11.89; σ = 2·10^(−2·¼) = 2/√10; half of 1000 evaluations
    let small = script.run(&[0.5, 0.25], 300, 1.0);
    assert!((small.sigma - 2.0 / 10f64.sqrt()).abs() < 1e-15);
    assert_eq!(small, plan(11, small.sigma, Some(500), Regime::Small));
    // 300 < 1000: small again; U = 0 is the usual λ, U′ = ½ is σ/10
    let small = script.run(&[0.0, 0.5], 500, 1.0);
    assert!((small.sigma - 0.2).abs() < 1e-15);
    assert_eq!(small, plan(10, small.sigma, Some(500), Regime::Small));
    // 800 < 1000: small; U near 1 is the λ of the last large run, not quite
    let small = script.run(&[0.9999, 0.0], 200, 1.0);
    assert_eq!(small, plan(19, SIGMA, Some(500), Regime::Small));
    // 1000 = 1000: large
    assert_eq!(script.run(&[], 3001, 1.0), plan(40, SIGMA, None, Regime::Large));
    // The base is now 40/10: 10·4^(0.7071²) = 20; half of 4001 evaluations, rounded down
    let small = script.run(&[0.7072, 0.0], 3001, 1.0);
    assert_eq!(small, plan(20, SIGMA, Some(2000), Regime::Small));
    assert_eq!(script.run(&[], 1, 1.0), plan(80, SIGMA, None, Regime::Large));
}

#[test]
fn bipop_ends_after_its_large_restarts_and_the_small_ones_that_are_due() {
    let policy = Bipop::new().restarts(2).factor(3.0).sigma_decades(1.0).budget_share(0.1);
    assert!(policy.ends());
    let mut script = Script::new(&policy);
    script.run(&[], 10, 1.0);
    assert_eq!(script.run(&[], 100, 1.0).lambda, 30);
    let small = script.run(&[1.0, 1.0], 100, 1.0);
    assert_eq!((small.lambda, small.budget), (30, Some(10)));
    assert!((small.sigma - 0.2).abs() < 1e-15);
    assert_eq!(script.run(&[], 100, 1.0).lambda, 90);
    assert_eq!(script.run(&[0.0, 0.0], 60, 1.0).regime, Regime::Small);
    assert_eq!(script.run(&[0.0, 0.0], 60, 1.0).regime, Regime::Small);
    assert_eq!(script.plan(&[]), None);
}

#[test]
fn nbipop_favors_the_better_regime() {
    let policy = Nbipop::new();
    let mut script = Script::new(&policy);
    assert_eq!(script.run(&[], 5000, 0.0), usual());
    assert_eq!(script.run(&[], 1000, 3.0), plan(20, 1.25, None, Regime::Large));
    // The small regime has no value yet: equal shares, and it has used less. λ is the usual one.
    let small = script.run(&[0.25], 600, 4.0);
    assert!((small.sigma - 2.0 / 10f64.sqrt()).abs() < 1e-15);
    assert_eq!(small, plan(10, small.sigma, Some(500), Regime::Small));
    // Large is better, 3 < 4, and may use twice as much: 1000/2 < 600
    let large = script.run(&[], 1000, 5.0);
    assert!((large.sigma - 0.78125).abs() < 1e-15);
    assert_eq!(large, plan(40, large.sigma, None, Regime::Large));
    // 2000/2 > 600: small
    assert_eq!(script.run(&[0.0], 400, 2.0), plan(10, SIGMA, Some(1000), Regime::Small));
    // Small is better now, 2 < 3: 1000/2 < 2000, small up to 4000 evaluations
    assert_eq!(script.run(&[0.0], 2999, 9.0).regime, Regime::Small);
    assert_eq!(script.run(&[0.0], 1, 9.0).regime, Regime::Small);
    assert_eq!(script.run(&[], 10, 9.0).regime, Regime::Large);
}

#[test]
fn nbipop_has_equal_shares_while_the_regimes_are_equally_good() {
    let policy = Nbipop::new().restarts(2);
    let mut script = Script::new(&policy);
    script.run(&[], 10, 1.0);
    script.run(&[], 100, f64::INFINITY);
    assert_eq!(script.run(&[0.0], 99, f64::INFINITY).regime, Regime::Small);
    assert_eq!(script.run(&[0.0], 1, f64::INFINITY).regime, Regime::Small);
    assert_eq!(script.run(&[], 10, 1.0).regime, Regime::Large);
    // Large is better: 110/2 < 100, and it has no further restart
    assert_eq!(script.plan(&[]), None);
    assert!(policy.ends());
}

#[test]
fn constants_can_be_set() {
    let policy = Nbipop::new().factor(4.0).sigma_divisor(2.0).sigma_decades(1.0).favor(3.0).budget_share(0.25);
    let mut script = Script::new(&policy);
    script.run(&[], 10, 1.0);
    assert_eq!(script.run(&[], 100, 1.0), plan(40, 1.0, None, Regime::Large));
    let small = script.run(&[1.0], 34, 2.0);
    assert!((small.sigma - 0.2).abs() < 1e-15);
    assert_eq!(small, plan(10, small.sigma, Some(25), Regime::Small));
    // Large is better and may use three times as much: 100/3 < 34
    assert_eq!(script.run(&[], 1, 1.0), plan(160, 0.5, None, Regime::Large));

    let policy = Nipop::new().factor(3.0).sigma_divisor(10.0);
    let mut script = Script::new(&policy);
    script.run(&[], 10, 1.0);
    assert_eq!(script.run(&[], 10, 1.0), plan(30, 0.2, None, Regime::Large));
}

/// Returns whether a policy ends after at most this many runs of 100 evaluations, with better values in the small ones.
fn ends_within(policy: &dyn Policy, most: usize) -> bool {
    let mut runs = Vec::new();
    for _ in 0..most {
        let Some(plan) = policy.next(&Past::new(5, LAMBDA, SIGMA, &runs), &mut || 0.5) else { return true };
        let value = if plan.regime == Regime::Small { 0.0 } else { 1.0 };
        runs.push(RunSummary::scripted(plan, 100, value));
    }
    false
}

#[test]
fn policies_that_end_do_end() {
    let policies: [Box<dyn Policy>; 7] = [
        Box::new(Independent::new().restarts(5)),
        Box::new(Ipop::new()),
        Box::new(Nipop::new()),
        Box::new(Bipop::new()),
        Box::new(Nbipop::new()),
        Box::new(Nbipop::new().favor(50.0)),
        Box::new(Thrifty::new()),
    ];
    for policy in policies {
        assert!(policy.ends() && policy.check().is_ok());
        assert!(ends_within(&policy, 700), "{}", policy.name());
    }
}

#[test]
fn constants_out_of_range_are_named() {
    let message = |policy: &dyn Policy| policy.check().unwrap_err().to_string();
    assert_eq!(message(&Ipop::new().factor(0.5)), "factor of ipop must be finite and at least 1, got 0.5");
    assert_eq!(message(&Ipop::new().factor(f64::NAN)), "factor of ipop must be finite and at least 1, got NaN");
    assert_eq!(
        message(&Nipop::new().sigma_divisor(0.0)),
        "sigma_divisor of nipop must be finite and at least 1, got 0"
    );
    assert_eq!(
        message(&Bipop::new().budget_share(-1.0)),
        "budget_share of bipop must be finite and at least 0, got -1"
    );
    assert_eq!(
        message(&Bipop::new().sigma_decades(f64::INFINITY)),
        "sigma_decades of bipop must be finite and at least 0, got inf"
    );
    assert_eq!(message(&Nbipop::new().favor(f64::INFINITY)), "favor of nbipop must be finite and at least 1, got inf");
    assert_eq!(message(&Thrifty::new().growth(0.5)), "growth of thrifty must be finite and at least 1, got 0.5");
}
