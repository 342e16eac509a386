//! Plans take effect in the run, and the results of a run appear in the past that a policy sees.
#![cfg(feature = "dense")]

use std::sync::{Arc, Mutex};

use ddcma_core::{
    Bounds, BuiltInRule, BuiltInStrategy, Columns, DiagonalDecoding, Generation, Observer, Pace, Params, Plain,
    Separable, Settings, Shape, StartError, StartShape, Stop, StopCriteria, Strategy, UpdateError, Variable, Variables,
    Variant, View,
};
use ddcma_restarts::{
    Independent, Past, Policy, Regime, RunPlan, RunSummary, Search, SearchBuilder, SearchError, StartRule, Starts,
    restarts,
};

/// A policy made of one closure.
struct Planned<F>(F);

impl<F> std::fmt::Debug for Planned<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Planned")
    }
}

impl<F> Policy for Planned<F>
where
    F: Fn(&Past<'_>, &mut dyn FnMut() -> f64) -> RunPlan + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        "planned"
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        Some(self.0(past, uniform))
    }
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

/// The usual run, changed.
fn changed<'a>(
    change: impl Fn(RunPlan) -> RunPlan + Send + Sync + 'static,
) -> SearchBuilder<'a, DiagonalDecoding, impl Policy> {
    let policy = Planned(move |past: &Past<'_>, _: &mut dyn FnMut() -> f64| change(past.usual_run(Regime::First)));
    restarts(policy, Starts::around(&[1.0, 2.0, 3.0], 0.5).unwrap(), 0.5).max_evaluations(300)
}

fn tell_next<S: Strategy, P: Policy>(search: &mut Search<S, P>) -> Result<(), SearchError> {
    let values: Vec<f64> = search.ask().iter().map(rastrigin).collect();
    search.tell(&values)
}

#[test]
fn setters_set_their_field_and_no_other() {
    let usual = || Past::new(3, 7, 0.5, &[]).usual_run(Regime::Again);
    assert_eq!(usual().lambda(9), RunPlan { lambda: 9, ..usual() });
    assert_eq!(usual().sigma(0.1), RunPlan { sigma: 0.1, ..usual() });
    assert_eq!(usual().budget(50), RunPlan { budget: Some(50), ..usual() });
    assert_eq!(usual().start(StartRule::AtBest), RunPlan { start: StartRule::AtBest, ..usual() });
    assert_eq!(usual().settings(Settings::new()), RunPlan { settings: Some(Settings::new()), ..usual() });
    assert_eq!(usual().deviations(&[1.0]), RunPlan { deviations: Some(vec![1.0]), ..usual() });
    assert_eq!(usual().strategy(Plain::NAME), RunPlan { strategy: Some("plain".to_string()), ..usual() });
    assert_eq!(usual().strategy(Variant::Plain), usual().strategy(Plain::NAME));
    assert_eq!(usual().abandon(false), RunPlan { abandon: false, ..usual() });
    let options = vec![("a".to_string(), 1.0), ("b".to_string(), 2.0)];
    let planned = usual().strategy_option("a", 1.0).strategy_option("b", 2.0);
    assert_eq!(planned, RunPlan { strategy_options: options, ..usual() });
}

#[test]
fn settings_deviations_and_a_point_arrive_in_the_run() {
    let search = changed(|usual| {
        let settings = Settings::new().c_sigma(0.25).lambda(99);
        usual.settings(settings).deviations(&[1.0, 2.0, 4.0]).start(StartRule::At(vec![4.0, 5.0, 6.0])).budget(20)
    });
    let of_search = Settings::new().c_sigma(0.5).active(false);
    let mut search = search.settings(of_search).deviations(&[3.0; 3]).build().unwrap();
    let run = search.optimizer().unwrap();
    let lambda = run.params().lambda();
    assert_eq!(*run.params().settings(), Settings::new().c_sigma(0.25).lambda(lambda), "λ is that of the plan");
    assert_eq!(lambda, 7);
    assert_eq!((run.d(), run.mean()), (&[1.0, 2.0, 4.0][..], &[4.0, 5.0, 6.0][..]));
    while search.runs().is_empty() {
        tell_next(&mut search).unwrap();
    }
    let run = &search.runs()[0];
    assert_eq!((&run.start[..], run.evaluations), (&[4.0, 5.0, 6.0][..], 21));
    assert_eq!(run.stop, Stop::Evaluations { evaluations: 21, budget: 20 });
    assert_eq!(run.plan.deviations.as_deref(), Some(&[1.0, 2.0, 4.0][..]));

    // What is not planned is taken from the search.
    let search = changed(|usual| usual).settings(Settings::new().c_sigma(0.5)).deviations(&[3.0; 3]).build().unwrap();
    assert_eq!(*search.optimizer().unwrap().params().settings(), Settings::new().c_sigma(0.5).lambda(7));
    assert_eq!(search.optimizer().unwrap().d(), [3.0; 3]);
}

#[test]
fn a_policy_changes_some_of_the_settings_of_the_search() {
    let policy = Planned(|past: &Past<'_>, _: &mut dyn FnMut() -> f64| {
        let rate = 0.25 / (1 + past.runs.len()) as f64;
        past.usual_run(Regime::Again).budget(7).settings(past.settings().c_sigma(rate))
    });
    let of_search = Settings::new().active(false).c_sigma(0.9);
    let starts = Starts::around(&[1.0, 2.0, 3.0], 0.5).unwrap();
    let search = restarts(policy, starts, 0.5).max_runs(2).settings(of_search);
    let outcome = search.minimize(rastrigin).unwrap();
    for (run, rate) in outcome.runs.iter().zip([0.25, 0.125]) {
        assert_eq!(run.plan.settings, Some(Settings::new().active(false).c_sigma(rate)));
    }
    assert_eq!(Past::new(2, 6, 1.0, &[]).settings(), Settings::new());
}

#[test]
fn a_policy_draws_starts_by_a_rule_of_its_own() {
    // On a line through the start of the first run, anywhere on it
    let policy = Planned(|past: &Past<'_>, uniform: &mut dyn FnMut() -> f64| {
        let at = uniform();
        past.usual_run(Regime::Again).budget(7).start(StartRule::At(vec![at, 2.0 * at, 0.0]))
    });
    let starts = || Starts::around(&[1.0, 2.0, 3.0], 0.5).unwrap();
    let outcome = restarts(policy, starts(), 0.5).max_runs(4).seed(3).minimize(rastrigin).unwrap();
    let at: Vec<f64> = outcome.runs.iter().map(|run| run.start[0]).collect();
    assert!(outcome.runs.iter().all(|run| run.start == [run.start[0], 2.0 * run.start[0], 0.0]));
    assert!(at.windows(2).all(|pair| pair[0] != pair[1]) && at.iter().all(|at| (0.0..1.0).contains(at)));
}

#[test]
fn planned_points_are_in_the_units_of_the_variables() {
    let variables = [Variable::between(1e-6, 1.0).log(), Variable::fixed(7.0), Variable::around(0.0, 2.0)];
    let variables = Variables::new(variables).unwrap();
    let search = |point: &[f64]| {
        let point = point.to_vec();
        let policy = Planned(move |past: &Past<'_>, _: &mut dyn FnMut() -> f64| {
            past.usual_run(Regime::First).deviations(&[0.1, 0.2]).start(StartRule::At(point.clone()))
        });
        ddcma_restarts::restarts_over(policy, &variables).max_evaluations(100).build()
    };
    let started = search(&[1e-3, 7.0, -4.0]).unwrap();
    assert_eq!(
        (started.optimizer().unwrap().mean(), started.optimizer().unwrap().d()),
        (&[1e-3, 7.0, -4.0][..], &[0.1, 0.2][..])
    );
    let error = search(&[1e-3, 8.0, -4.0]).map(drop).unwrap_err();
    assert!(matches!(error, SearchError::Start { run: 0, error: StartError::OutsideBounds { index: 1, .. } }));
    let error = search(&[-1e-3, 7.0, -4.0]).map(drop).unwrap_err();
    assert!(matches!(error, SearchError::Start { run: 0, error: StartError::OutsideBounds { index: 0, .. } }));
    assert_eq!(
        search(&[1e-3, -4.0]).map(drop).unwrap_err(),
        SearchError::StartOfWrongLength { run: 0, expected: 3, got: 2 }
    );
}

#[test]
fn plans_that_cannot_be_executed_are_refused_with_their_numbers() {
    let refused = |change: fn(RunPlan) -> RunPlan| {
        let bounds = Bounds::uniform(3, -5.0, 5.0).unwrap();
        changed(change).bounds(bounds).build().map(drop).unwrap_err()
    };
    let at = |change: fn(RunPlan) -> RunPlan| match refused(change) {
        SearchError::Start { run: 0, error } => error,
        other => panic!("{other}"),
    };
    let wrong = refused(|plan| plan.start(StartRule::At(vec![1.0])));
    assert_eq!(wrong, SearchError::StartOfWrongLength { run: 0, expected: 3, got: 1 });
    let error = at(|plan| plan.start(StartRule::At(vec![1.0, f64::INFINITY, 0.0])));
    assert_eq!(error, StartError::Mean { index: 1, value: f64::INFINITY });
    let error = at(|plan| plan.start(StartRule::At(vec![1.0, 2.0, 6.0])));
    assert_eq!(error, StartError::OutsideBounds { index: 2, name: None, value: 6.0, lower: -5.0, upper: 5.0 });
    let error = at(|plan| plan.deviations(&[1.0]));
    assert_eq!(error, StartError::DeviationsOfWrongLength { expected: 3, got: 1 });
    let error = at(|plan| plan.deviations(&[1.0, 0.0, 1.0]));
    assert_eq!(error, StartError::Deviation { index: 1, value: 0.0 });
    assert!(matches!(at(|plan| plan.settings(Settings::new().c_m(2.0))), StartError::Params(_)));

    let error = refused(|plan| plan.strategy(Variant::Plain));
    assert_eq!(error, SearchError::OtherStrategy { run: 0, strategy: "dd", planned: "plain".to_string() });
    assert_eq!(
        error.to_string(),
        "run 0 could not start: the policy plans the strategy \"plain\", but this search has \"dd\": to choose a strategy for each run, \
         use restarts(…).strategy::<BuiltInStrategy>()"
    );
    let error = refused(|plan| plan.strategy("dd").strategy_option("rate", 0.5));
    assert_eq!(
        error.to_string(),
        "run 0 could not start: the policy sets the option \"rate\" to 0.5, but the strategy \"dd\" has no such option"
    );
}

#[test]
fn a_later_plan_that_cannot_be_executed_ends_the_search_and_loses_nothing() {
    let policy = Planned(|past: &Past<'_>, _: &mut dyn FnMut() -> f64| {
        let usual = past.usual_run(Regime::Again).budget(20);
        if past.runs.len() < 2 { usual } else { usual.strategy("own") }
    });
    let starts = Starts::around(&[1.0, 2.0], 0.5).unwrap();
    let search = restarts(policy, starts, 0.5).strategy::<BuiltInStrategy>().max_evaluations(1000);
    let mut search = search.build().unwrap();
    let error = loop {
        if let Err(error) = tell_next(&mut search) {
            break error;
        }
    };
    assert_eq!(error, SearchError::OtherStrategy { run: 2, strategy: "built-in", planned: "own".to_string() });
    assert_eq!(search.stop(), Some(&Stop::CannotStart { reason: error.to_string() }));
    assert_eq!((search.runs().len(), search.outcome().unwrap().runs.len()), (2, 2));
}

/// N(m, σ²·I), whose only option is whether it starts.
#[derive(Clone, Debug)]
struct Isotropic {
    rate: f64,
    d: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
struct Rate(f64);

impl Strategy for Isotropic {
    const NAME: &'static str = "isotropic";

    type Options = Rate;

    type StepSize = BuiltInRule;

    fn start(_: &Params, options: &Rate, shape: &StartShape<'_>) -> Result<Self, StartError> {
        if options.0 > 1.0 {
            return Err(StartError::Strategy { name: Self::NAME, reason: format!("rate {} > 1", options.0) });
        }
        Ok(Self { rate: options.0, d: shape.deviations() })
    }

    fn set_option(options: &mut Rate, name: &str, value: f64) -> bool {
        options.0 = value;
        name == "rate"
    }

    fn sample(&mut self, z: &Columns, y: &mut Columns) {
        y.as_mut_slice().copy_from_slice(z.as_slice());
    }

    fn whiten(&mut self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
    }

    fn update(&mut self, _: &Generation<'_>, _: &mut dyn Pace, _: &Params) -> Result<(), UpdateError> {
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
}

#[test]
fn options_of_a_custom_strategy_are_planned_by_their_names() {
    let policy = Planned(|past: &Past<'_>, _: &mut dyn FnMut() -> f64| {
        let usual = past.usual_run(Regime::Again).budget(10).strategy(Isotropic::NAME);
        // The first run has the option of the search.
        if past.runs.is_empty() { usual } else { usual.strategy_option("rate", 0.4 * past.runs.len() as f64) }
    });
    let starts = Starts::around(&[1.0, 2.0], 0.5).unwrap();
    let search = restarts(policy, starts, 0.5).strategy::<Isotropic>().strategy_options(Rate(0.9)).max_runs(9);
    let mut search = search.build().unwrap();
    let mut rates = Vec::new();
    let error = loop {
        if rates.len() == search.runs().len() {
            rates.push(search.optimizer().unwrap().strategy().rate);
        }
        if let Err(error) = tell_next(&mut search) {
            break error;
        }
    };
    assert_eq!(rates, [0.9, 0.4, 0.8]);
    assert!(matches!(error, SearchError::Start { run: 3, error: StartError::Strategy { name: "isotropic", .. } }));
}

/// What an observer saw at the end of each run, and the best values before.
#[derive(Default)]
struct Witness {
    ends: Vec<(Vec<f64>, f64, f64, f64, Stop)>,
    courses: Vec<Vec<(u64, f64)>>,
    course: Vec<(u64, f64)>,
}

impl Observer for Witness {
    fn observe(&mut self, view: &View<'_>) {
        self.course.push((view.evaluations, view.best.unwrap().value));
    }

    fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        let condition = (view.axes.longest / view.axes.shortest).powi(2);
        let (least, most) = view.d.iter().fold((f64::MAX, 0.0f64), |(least, most), d| (least.min(*d), most.max(*d)));
        self.ends.push((view.mean.to_vec(), view.sigma, condition, most / least, stop.clone()));
        self.courses.push(std::mem::take(&mut self.course));
    }
}

#[test]
fn a_policy_sees_how_past_runs_went() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let policy = Planned(move |past: &Past<'_>, _: &mut dyn FnMut() -> f64| {
        *sees.lock().unwrap() = past.runs.to_vec();
        past.usual_run(Regime::Again).strategy(Variant::ALL[past.runs.len() % 3])
    });
    let mut witness = Witness::default();
    let turned = |x: &[f64]| rastrigin(x) + 1e3 * (x[0] - 2.0 * x[1]).powi(2) + 1e2 * x[2] * x[2];
    let starts = Starts::around(&[1.0, 2.0, 3.0], 0.5).unwrap();
    let search = restarts(policy, starts, 0.5).strategy::<BuiltInStrategy>().max_runs(5).seed(2);
    let outcome = search.observer(&mut witness).minimize(turned).unwrap();
    let runs = outcome.runs;
    assert_eq!(*seen.lock().unwrap(), runs[..4], "what the policy saw is what the outcome shows");
    let RunSummary { condition, d_ratio, .. } = runs[0];
    assert!(condition > 10.0 && d_ratio == 1.0, "plain CMA-ES learns C alone: {condition} {d_ratio}");
    let RunSummary { condition, d_ratio, .. } = runs[1];
    assert!(condition == 1.0 && d_ratio > 1.5, "separable CMA-ES learns D alone: {condition} {d_ratio}");
    let RunSummary { condition, d_ratio, .. } = runs[2];
    assert!(condition > 1.5 && d_ratio > 1.5, "dd-CMA-ES learns both: {condition} {d_ratio}");
    for (k, run) in runs.iter().enumerate() {
        let (mean, sigma, condition, d_ratio, stop) = &witness.ends[k];
        assert_eq!((&run.mean, run.sigma, run.d_ratio, &run.stop), (mean, *sigma, *d_ratio, stop));
        assert!((run.condition / condition - 1.0).abs() < 1e-12);
        assert!(run.deviations.iter().all(|deviation| *deviation > 0.0));
        let whole = &witness.courses[k];
        assert!(whole.len() > 64, "thinning is part of it");
        assert!(run.course.len() > 32 && run.course.len() <= 64);
        assert!(run.course.iter().all(|point| whole.contains(point)));
        assert_eq!((run.course.first(), run.course.last()), (whole.first(), whole.last()));
        assert_eq!(run.course.last(), Some(&(run.evaluations, run.best_value)));
    }
}

#[test]
fn without_a_number_there_is_no_course() {
    let search = changed(|usual| usual).criteria(StopCriteria::new().max_iterations(5));
    let outcome = search.minimize(|_: &[f64]| f64::NAN).unwrap();
    assert!(outcome.runs.iter().all(|run| run.course.is_empty() && run.best_value == f64::INFINITY));
}

/// Run k of a search does not depend on the strategies of the other runs.
#[test]
fn runs_of_mixed_searches_are_those_of_single_strategies() {
    fn runs<S: Strategy>(policy: impl Policy) -> Vec<RunSummary> {
        let starts = Starts::in_box(&[-4.0; 3], &[4.0; 3]).unwrap();
        // Whether a run is abandoned depends on the runs before it.
        let search = restarts(policy, starts, 2.0).strategy::<S>().max_runs(3).abandon(None).seed(6);
        search.minimize(rastrigin).unwrap().runs
    }
    let mixed = runs::<BuiltInStrategy>(Planned(|past: &Past<'_>, _: &mut dyn FnMut() -> f64| {
        past.usual_run(Regime::Again).strategy(Variant::ALL[past.runs.len()])
    }));
    let single = [
        runs::<Plain>(Independent::new()).swap_remove(0),
        runs::<Separable>(Independent::new()).swap_remove(1),
        runs::<DiagonalDecoding>(Independent::new()).swap_remove(2),
    ];
    for (mixed, mut single) in mixed.into_iter().zip(single) {
        single.plan = mixed.plan.clone(); // one names its strategy, the other does not
        assert_eq!(mixed, single);
    }
}

#[test]
fn planned_deviations_are_those_of_the_run_in_a_search_with_a_covariance() {
    let covariance = Columns::from_vec(2, vec![100.0, 0.0, 0.0, 1e-4]).unwrap();
    let starts = Starts::around(&[1.0; 2], 0.0).unwrap();
    let policy =
        Planned(|past: &Past<'_>, _: &mut dyn FnMut() -> f64| past.usual_run(Regime::First).deviations(&[3.0, 0.5]));
    let search = restarts(policy, starts, 2.0).strategy::<Separable>().max_runs(1);
    let search = search.covariance(covariance).deviations(&[7.0; 2]).build().unwrap();
    assert_eq!(search.optimizer().unwrap().deviations().collect::<Vec<f64>>(), [6.0, 1.0]);
}
