//! Experiments with custom algorithms and problems: continued, refused, and complete in spite of a panic.

use std::fs::{self, File};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ddcma_core::{
    BuiltInRule, Columns, DiagonalDecoding, Generation, Pace, Params, Settings, Shape, StartError, StartShape,
    Strategy, UpdateError,
};
use ddcma_lab::{
    Algorithm, Experiment, Family, LabError, LabErrorKind, Outcomes, OwnProblem, Progress, Silent, Trial, algorithm,
    dd, family, merge, plain, sep, suite,
};
use ddcma_restarts::Ipop;

/// Steps of a fixed length in random directions, with its own random number generator.
struct Walk {
    name: &'static str,
    shrinks: f64,
    deterministic: bool,
    /// Panics with this seed.
    falls: Option<u64>,
    runs: AtomicUsize,
}

impl Walk {
    fn new(name: &'static str) -> Self {
        Self { name, shrinks: 0.9, deterministic: true, falls: None, runs: AtomicUsize::new(0) }
    }
}

impl Algorithm for Walk {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        assert!(Some(trial.seed()) != self.falls, "the walker falls");
        let (mut x, mut step, mut state) = (trial.start().to_vec(), trial.sigma(), trial.seed());
        if !self.deterministic {
            state += self.runs.fetch_add(1, Ordering::Relaxed) as u64;
        }
        let mut value = trial.evaluate(&x);
        while !trial.is_over() {
            let direction = x.iter().map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
            });
            let next: Vec<f64> = direction.collect::<Vec<f64>>().iter().zip(&x).map(|(u, x)| x + step * u).collect();
            let next_value = trial.evaluate(&next);
            if next_value < value {
                (x, value, step) = (next, next_value, step * 1.5);
            } else {
                step *= self.shrinks;
            }
        }
        trial.note("last_step", step);
        Ok(())
    }

    fn is_deterministic(&self) -> bool {
        self.deterministic
    }
}

fn sphere(name: &'static str, scale: f64) -> impl Family {
    family(name, move |n, seed| {
        let center = seed as f64 / 10.0;
        let f = move |x: &[f64]| scale * x.iter().map(|x| (x - center).powi(2)).sum::<f64>();
        Ok(OwnProblem::new(f, vec![1.0; n], 0.5).budget(2000))
    })
}

fn experiment(walk: Walk) -> Experiment {
    Experiment::new()
        .algorithm(walk)
        .algorithm(dd())
        .problem(sphere("bowl", 1.0))
        .dimensions([2, 3])
        .trials(4)
        .target(1e-6)
}

/// Removes the times.
fn without_times(outcomes: &Outcomes) -> String {
    let line = |(planned, outcome): (_, &ddcma_lab::TrialOutcome)| {
        let mut outcome = outcome.clone();
        outcome.internal_seconds = 0.0;
        format!("{planned:?} {outcome:?}")
    };
    outcomes.iter().map(|(planned, outcome)| line((planned, outcome))).collect::<Vec<_>>().join("\n")
}

#[test]
fn custom_algorithms_and_problems_meet_ours() {
    let outcomes = experiment(Walk::new("walk")).jobs(2).run(&Silent).unwrap();
    assert_eq!(outcomes.iter().count(), 16);
    let keys: Vec<String> = outcomes.iter().map(|(planned, _)| planned.to_string()).collect();
    assert_eq!(keys[0], "bowl/n=3/walk/seed=1");
    assert_eq!(keys[4], "bowl/n=3/dd/lambda=7/seed=1");
    let of = |name: &str| outcomes.iter().filter(|(planned, _)| planned.algorithm == name).collect::<Vec<_>>();
    assert!(of("dd").iter().all(|(_, outcome)| outcome.success && outcome.stop == "target" && outcome.iterations > 0));
    assert!(of("walk").iter().all(|(_, outcome)| outcome.notes.contains_key("last_step")));
    for (planned, outcome) in outcomes.iter() {
        assert_eq!(outcome.success, outcome.best_f <= 1e-6);
        assert!(outcome.evaluations <= 2000 + 7, "{planned}: the budget of the problem");
        assert_eq!(outcome.course.last().unwrap(), &(outcome.evaluations, outcome.best_f));
        assert_eq!((outcome.hits.len() == 51, outcome.target), (outcome.success, 1e-6));
        assert!(outcome.hits.is_sorted() && outcome.first_f >= outcome.best_f);
        assert!(!outcome.success || outcome.hits.last() == Some(&outcome.evaluations));
    }
    // The number of threads does not matter.
    assert_eq!(without_times(&outcomes), without_times(&experiment(Walk::new("walk")).jobs(1).run(&Silent).unwrap()));
}

/// Simulates the end of the program after some trials.
struct Counter(AtomicUsize, Mutex<Vec<(usize, usize)>>);

impl Progress for Counter {
    fn started(&self, missing: usize, on_record: usize) {
        self.1.lock().unwrap().push((missing, on_record));
    }

    fn done(&self, _key: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn records_are_continued_and_never_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let progress = Counter(AtomicUsize::new(0), Mutex::new(Vec::new()));
    let whole = experiment(Walk::new("walk")).run(&Silent).unwrap();
    experiment(Walk::new("walk")).trials(2).records(folder.path()).run(&progress).unwrap();
    let continued = experiment(Walk::new("walk")).records(folder.path()).run(&progress).unwrap();
    assert_eq!(*progress.1.lock().unwrap(), [(8, 0), (8, 8)]);
    assert_eq!(progress.0.load(Ordering::Relaxed), 16);
    assert_eq!(without_times(&continued), without_times(&whole));
    // Adding an algorithm does not make another experiment.
    let more = experiment(Walk::new("walk")).algorithm(sep()).records(folder.path()).run(&progress).unwrap();
    assert_eq!((more.iter().count(), progress.1.lock().unwrap()[2]), (24, (8, 16)));

    let refused = |experiment: Experiment, why: &str| {
        let error = experiment.records(folder.path()).run(&Silent).unwrap_err();
        let kind = if why.starts_with("target must") { LabErrorKind::Records } else { LabErrorKind::Changed };
        assert_eq!(error.kind(), kind);
        let error = error.to_string();
        assert!(error.contains(why), "{error}");
        assert_eq!(error.lines().count(), 1);
    };
    refused(
        experiment(Walk { shrinks: 0.8, ..Walk::new("walk") }),
        "algorithm walk has changed: choose another folder",
    );
    refused(experiment(Walk::new("walk")).target(0.5), "target must be 0.5, got 1e-6");
    let slow = || dd().settings(Settings::new().c_mu(1e-3));
    let of_dd =
        |algorithm| Experiment::new().algorithm(algorithm).problem(sphere("bowl", 1.0)).dimensions([2]).target(1e-6);
    refused(
        of_dd(slow()),
        "other code: the configuration of algorithm dd was c_mu: None, and is now c_mu: Some(0.001): choose another folder",
    );
    let other = Experiment::new().algorithm(dd()).problem(sphere("bowl", 2.0)).dimensions([3]).target(1e-6);
    refused(other.trials(4), "no longer has the outcome on record");
    let unseen = Experiment::new().algorithm(plain()).problem(sphere("bowl", 2.0)).dimensions([3]).target(1e-6);
    refused(unseen, "problem bowl/n=3/seed=1 has changed");
    assert_eq!(of_dd(slow().named("slow")).records(folder.path()).run(&Silent).unwrap().iter().count(), 11);
}

#[test]
fn an_algorithm_that_is_not_deterministic_is_spared() {
    let folder = tempfile::tempdir().unwrap();
    let random = || Walk { deterministic: false, ..Walk::new("random") };
    let first = experiment(random()).trials(2).records(folder.path()).run(&Silent).unwrap();
    let second = experiment(random()).records(folder.path()).run(&Silent).unwrap();
    let of_first: Vec<_> = second.iter().filter(|(planned, _)| planned.trial < 2).collect();
    assert_eq!(of_first, first.iter().collect::<Vec<_>>());
}

#[test]
fn a_trial_that_panics_is_named_and_the_others_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let falling = Walk { falls: Some(3), ..Walk::new("walk") };
    let error = experiment(falling).records(folder.path()).run(&Silent).unwrap_err();
    assert_eq!(error.kind(), LabErrorKind::Panic);
    let expected = "a trial panicked: bowl/n=2/walk/seed=3: the walker falls (and 1 more); the others are on record";
    assert_eq!(error.to_string(), expected);
    let progress = Counter(AtomicUsize::new(0), Mutex::new(Vec::new()));
    experiment(Walk::new("walk")).records(folder.path()).run(&progress).unwrap();
    assert_eq!(*progress.1.lock().unwrap(), [(2, 14)]);
}

#[test]
fn what_cannot_be_run_is_an_error_before_any_trial() {
    let error = |experiment: Experiment| experiment.run(&Silent).unwrap_err().to_string();
    let bowl = || Experiment::new().problem(sphere("bowl", 1.0));
    assert_eq!(error(bowl()), "an experiment must have algorithms, got none");
    assert_eq!(error(Experiment::new().algorithm(dd())), "an experiment must have problems, got none");
    let twice = |what: &str, name: &str| format!("the names of {what} must differ, but two are called \"{name}\"");
    assert_eq!(error(bowl().algorithm(dd()).algorithm(Walk::new("dd"))), twice("algorithms", "dd"));
    assert_eq!(error(bowl().algorithm(dd()).problem(sphere("bowl", 2.0))), twice("problems", "bowl"));
    assert_eq!(error(bowl().algorithm(dd()).target(f64::NAN)), "the target must be finite, got NaN");
    assert!(error(bowl().algorithm(dd().settings(Settings::new().c_1(2.0)))).starts_with("dd: "));
    assert!(error(bowl().algorithm(dd()).lambdas([1])).starts_with("dd: "));
    assert!(
        error(bowl().algorithm(dd()).first_seed(u64::MAX)).starts_with("the seeds of 11 trials must be below 2^64")
    );
    let short = family("short", |_, _| Ok(OwnProblem::new(|_: &[f64]| 0.0, vec![0.0; 3], 1.0)));
    let experiment = Experiment::new().algorithm(dd()).problem(short).dimensions([4]);
    assert_eq!(error(experiment), "short: the start must have n = 4 coordinates, got 3");
    assert!(suite(["spheer"]).err().unwrap().to_string().starts_with("there is no function \"spheer\""));
}

#[test]
fn restarts_are_algorithms_too() {
    let ipop = algorithm::<DiagonalDecoding>("ipop").policy(Ipop::new());
    let experiment = Experiment::new().algorithms([ipop, dd()]).problems(suite(["rastrigin"]).unwrap());
    let outcomes = experiment.dimensions([2]).trials(3).budget_per_variable(5_000).run(&Silent).unwrap();
    for (planned, outcome) in outcomes.iter().filter(|(planned, _)| planned.algorithm == "ipop") {
        assert!(outcome.success, "{planned}");
        let (runs, largest) = (outcome.notes["runs"], outcome.notes["largest_lambda"]);
        assert!(largest >= 6.0 * 2f64.powf(runs - 1.0), "{runs} runs up to {largest}");
    }
    assert!(outcomes.iter().any(|(planned, outcome)| planned.algorithm == "dd" && !outcome.success));
}

#[test]
fn halves_that_were_made_apart_can_be_merged() {
    let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let [first, second, merged, other] = folders.each_ref().map(|folder| folder.path());
    let half =
        |seed: u64, folder| experiment(Walk::new("walk")).trials(2).first_seed(seed).records(folder).run(&Silent);
    half(1, first).unwrap();
    half(3, second).unwrap();
    merge(merged, &[first, second]).unwrap();
    let progress = Counter(AtomicUsize::new(0), Mutex::new(Vec::new()));
    let outcomes = experiment(Walk::new("walk")).records(merged).run(&progress).unwrap();
    assert_eq!(*progress.1.lock().unwrap(), [(0, 16)]);
    assert_eq!(without_times(&outcomes), without_times(&experiment(Walk::new("walk")).run(&Silent).unwrap()));

    experiment(Walk { shrinks: 0.8, ..Walk::new("walk") }).records(other).run(&Silent).unwrap();
    let error = merge(merged, &[first, other]).unwrap_err().to_string();
    assert!(error.ends_with("algorithm walk must be the same as in the other records, but is not"), "{error}");
    // Records of an earlier version, without everything that reports need.
    let old = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(first.join("records.jsonl")).unwrap();
    assert!(text.contains("\"format\":2,"), "{text}");
    std::fs::write(old.path().join("records.jsonl"), text.replacen("\"format\":2,", "", 1)).unwrap();
    let error = merge(merged, &[old.path()]).unwrap_err().to_string();
    assert!(error.contains("the format of the records must be 2, got none"), "{error}");
    let error = experiment(Walk::new("walk")).records(old.path()).run(&Silent).unwrap_err().to_string();
    assert!(error.contains("format must be 2, got none: choose another folder"), "{error}");
    let elsewhere = tempfile::tempdir().unwrap();
    experiment(Walk::new("walk")).target(0.5).records(elsewhere.path()).run(&Silent).unwrap();
    let error = merge(merged, &[first, elsewhere.path()]).unwrap_err().to_string();
    assert!(error.contains("the same experiment and configuration"), "{error}");
}

/// The identity, with an option.
struct Fixed(Vec<f64>);

impl Strategy for Fixed {
    const NAME: &'static str = "fixed";

    type Options = f64;

    type StepSize = BuiltInRule;

    const OPTION_NAMES: &'static [&'static str] = &["my_rate"];

    fn start(_: &Params, _: &f64, shape: &StartShape<'_>) -> Result<Self, StartError> {
        Ok(Self(shape.deviations()))
    }

    fn set_option(rate: &mut f64, name: &str, value: f64) -> bool {
        *rate = value;
        name == "my_rate"
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
        Shape::new(&self.0)
    }

    fn c(&self) -> Columns {
        Columns::identity(self.0.len())
    }

    fn axis_lengths(&self) -> Vec<f64> {
        vec![1.0; self.0.len()]
    }
}

#[test]
fn misspelt_parameters_are_answered_with_those_of_the_strategy() {
    let choose = |choices: &str| algorithm::<Fixed>("mine").choose(choices.parse().unwrap());
    assert!(choose("my_rate=0.5:beta_thresh=5").unwrap().configuration().contains("fixed, 0.5"));
    let error = |choices: &str| choose(choices).unwrap_err().to_string();
    let start = "fixed has no parameter \"my_rat\" (did you mean my_rate?): choose one of my_rate, sigma, lambda, ";
    assert!(error("my_rat=1").starts_with(start), "{}", error("my_rat=1"));
    let start = "fixed has no parameter \"bta_thresh\" (did you mean beta_thresh?): choose one of my_rate, ";
    assert!(error("bta_thresh=1").starts_with(start), "{}", error("bta_thresh=1"));
    assert!(error("criping=off").contains("(did you mean creeping?)"), "{}", error("criping=off"));
    assert_eq!(error("my_rate=fast"), "my_rate must be a number, got \"fast\"");
}

/// Sources may be on read-only media, or still growing: reports and merging neither lock them nor cut off an incomplete last line.
#[test]
fn reports_and_merging_only_read_their_sources() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [archive, merged] = folders.each_ref().map(|folder| folder.path());
    let outcomes = experiment(Walk::new("walk")).trials(2).records(archive).run(&Silent).unwrap();
    let path = archive.join("records.jsonl");
    let incomplete = fs::read_to_string(&path).unwrap() + "{\"key\":\"bowl";
    fs::write(&path, &incomplete).unwrap();
    // The lock of a process that is writing. (Permissions do not restrict root, so only others test them.)
    let writer = File::open(&path).unwrap();
    writer.lock().unwrap();
    let mut permissions = writer.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    writer.set_permissions(permissions).unwrap();

    assert_eq!(without_times(&Outcomes::on_record(archive).unwrap()), without_times(&outcomes));
    merge(merged, &[archive]).unwrap();
    assert_eq!(without_times(&Outcomes::on_record(merged).unwrap()), without_times(&outcomes));
    assert_eq!(fs::read_to_string(&path).unwrap(), incomplete);
    assert_eq!(fs::read_dir(archive).unwrap().count(), 1);
}

#[test]
fn a_table_has_a_row_for_each_problem_and_a_column_for_each_algorithm() {
    let outcomes = experiment(Walk::new("walk")).lambdas([6, 8]).run(&Silent).unwrap();
    let table = outcomes.table();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["walk", "dd"]);
    let rows = ["bowl, n = 2, λ = 6", "bowl, n = 2, λ = 8", "bowl, n = 3, λ = 6", "bowl, n = 3, λ = 8"];
    assert!(lines[2..].iter().zip(rows).all(|(line, row)| line.starts_with(row) && line.ends_with("(4/4)")), "{table}");
    assert_eq!(lines.len(), 6);
}
