//! Autosaves of a search: killed at any moment, it continues bit for bit, and the file of another search is refused.
#![cfg(feature = "checkpoint")]

use std::process::{Command, Stdio};
use std::time::Duration;

use ddcma_core::{Autosave, CheckpointError, Fallible, Run, Separable, With, drive};
use ddcma_restarts::{Bipop, Ipop, RestartsError, SearchBuilder, SearchOutcome, Starts, restarts};

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn search(budget: u64) -> SearchBuilder<'static, Separable, Bipop> {
    let starts = Starts::in_box(&[-5.0; 2], &[5.0; 2]).unwrap();
    restarts(Bipop::new(), starts, 2.0).strategy::<Separable>().seed(3).max_evaluations(budget)
}

/// Returns the evaluations that a continued search has from its file, and its outcome without this number.
fn resumed(mut outcome: SearchOutcome) -> (u64, SearchOutcome) {
    (outcome.resumed_at.take().expect("the search continued from a file"), outcome)
}

#[test]
fn a_program_that_is_killed_again_and_again_ends_as_if_it_had_not_been() {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let example = folder.join("examples/autosave_search").with_extension(std::env::consts::EXE_EXTENSION);
    let folder = tempfile::tempdir().unwrap();
    let run = |file: &str| {
        let mut command = Command::new(&example);
        command.arg(folder.path().join(file)).stdout(Stdio::piped());
        command
    };
    let undisturbed = run("undisturbed").spawn().unwrap();
    let mut killed = 0;
    for k in 0..10u64 {
        let mut child = run("killed").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + 41 * k % 80));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL on Unix
        child.wait().unwrap();
    }
    assert!(killed > 5, "a search takes longer than this");
    let output = run("killed").stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let undisturbed = undisturbed.wait_with_output().unwrap();
    assert!(undisturbed.status.success());
    assert_eq!(String::from_utf8(output.stdout), String::from_utf8(undisturbed.stdout));
    let evaluated: u64 = said.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    assert!(evaluated < 1450, "the last process made {evaluated} of the evaluations");
}

#[test]
fn a_search_goes_on_from_its_file_and_evaluates_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let undisturbed = search(3000).minimize(rastrigin).unwrap();
    let mut calls = 0;
    for end in [3, 700, 701, 2000, u64::MAX] {
        let failing = Fallible(|x: &[f64]| {
            if calls == end {
                return Err(());
            }
            calls += 1;
            Ok(rastrigin(x))
        });
        let autosave = Autosave::new(&path).objective("rastrigin").every_generations(10);
        match search(3000).minimize_saving(failing, autosave) {
            Ok(outcome) => assert_eq!(resumed(outcome), (2000, undisturbed.clone())),
            Err(error) => assert!(matches!(error, RestartsError::Interrupted { .. }) && end < u64::MAX),
        }
    }
    assert_eq!(calls, undisturbed.evaluations);
    // It is over; a larger budget extends it.
    let autosave = || Autosave::new(&path).objective("rastrigin");
    let never = |_: &[f64]| -> f64 { panic!("nothing is left to evaluate") };
    let again = search(3000).minimize_saving(never, autosave()).unwrap();
    assert!(again.to_string().contains(" of these evaluations\nstopped by "), "{again}");
    assert_eq!(resumed(again), (undisturbed.evaluations, undisturbed));
    let further = search(6000).minimize_saving(rastrigin, autosave()).unwrap();
    assert_eq!(resumed(further).1, search(6000).minimize(rastrigin).unwrap());
}

#[test]
fn a_budget_that_ends_a_resumed_search_within_a_generation_loses_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let autosave = || Autosave::new(&path).objective("rastrigin");
    let mut told = Vec::new();
    let failing = Fallible(|x: &[f64]| {
        if told.len() == 3 {
            return Err("out of licenses");
        }
        told.push(rastrigin(x));
        Ok(rastrigin(x))
    });
    assert!(search(3000).minimize_saving(failing, autosave()).is_err());
    let never = |_: &[f64]| -> f64 { panic!("the budget is used up") };
    let ended = search(3).minimize_saving(never, autosave()).unwrap();
    assert_eq!(ended.resumed_at, Some(3));
    assert_eq!(ended.value, told.iter().copied().fold(f64::INFINITY, f64::min));
    assert_eq!((ended.stop.name(), ended.evaluations), ("evaluations", 3));
    assert_eq!(search(3).minimize_saving(never, autosave()).unwrap(), ended);
    let mut further = search(3000).minimize_saving(rastrigin, autosave()).unwrap();
    assert_eq!(further.resumed_at.take(), Some(3));
    assert_eq!(further, search(3000).minimize(rastrigin).unwrap());
}

#[test]
fn more_runs_but_no_evaluations_are_no_reason_to_continue() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let autosave = || Autosave::new(&path).objective("rastrigin");
    let ended = search(3000).max_runs(2).minimize_saving(rastrigin, autosave()).unwrap();
    assert_eq!((ended.stop.name(), ended.runs.len()), ("runs", 2));
    let never = |_: &[f64]| -> f64 { panic!("the budget is used up") };
    let smaller = search(100).max_runs(5).minimize_saving(never, autosave()).unwrap();
    assert_eq!(
        (smaller.stop.name(), smaller.evaluations, &smaller.runs),
        ("evaluations", ended.evaluations, &ended.runs)
    );
    let mut further = search(3000).max_runs(5).minimize_saving(rastrigin, autosave()).unwrap();
    assert_eq!(further.resumed_at.take(), Some(ended.evaluations));
    assert_eq!(further, search(3000).max_runs(5).minimize(rastrigin).unwrap());
}

#[test]
fn start_points_from_a_closure_are_drawn_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let search = |budget| {
        let starts = Starts::from_fn(2, |k, _| vec![k as f64 * 0.7 - 3.0, 2.5]);
        restarts(Ipop::new(), starts, 0.5).strategy::<Separable>().max_evaluations(budget)
    };
    search(800).minimize_saving(rastrigin, &path).unwrap();
    let further = search(3000).minimize_saving(rastrigin, &path).unwrap();
    assert!(further.runs.len() > 2);
    assert_eq!(resumed(further).1, search(3000).minimize(rastrigin).unwrap());
}

/// A file is that of the search, whoever drives it: the builder, or `drive` with a search of any type behind the trait.
#[test]
fn a_search_goes_on_by_drive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let saved = || Autosave::new(&path).objective("rastrigin");
    search(700).minimize_saving(rastrigin, saved()).unwrap();
    let undisturbed = search(3000).minimize(rastrigin).unwrap();
    let mut runs: [Box<dyn Run>; 2] =
        [Box::new(search(1500).build().unwrap()), Box::new(search(3000).build().unwrap())];
    for run in &mut runs {
        let mut with = With::new().saving(saved());
        let stop = drive(&mut **run, &mut { rastrigin }, &mut with).unwrap();
        assert_eq!((stop.name(), with.resumed_at().is_some()), ("evaluations", true));
    }
    assert_eq!(runs[1].best().map(|best| best.value), Some(undisturbed.value));
    assert_eq!(resumed(search(3000).minimize_saving(rastrigin, saved()).unwrap()).1, undisturbed);
}

#[test]
fn what_belongs_to_another_search_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    search(500).minimize_saving(rastrigin, Autosave::new(&path).objective("rastrigin")).unwrap();
    let saved = || With::new().saving(Autosave::new(&path).objective("rastrigin"));
    let differs = |search: &mut dyn Run| {
        let error = saved().begin(search).unwrap_err();
        let CheckpointError::Autosave { error, .. } = error else { panic!("{error}") };
        let CheckpointError::OtherRun { what } = *error else { panic!("{error}") };
        what
    };
    let refused = |builder: SearchBuilder<'static, Separable, Bipop>| differs(&mut builder.build().unwrap());
    assert_eq!(refused(search(500).seed(4)), "the seed");
    assert_eq!(refused(search(500).lambda(9)), "the settings");
    assert_eq!(refused(search(500).deviations(&[1.0, 2.0])), "the deviations");
    assert_eq!(refused(search(500).target(1e-3)), "the target");
    let other = With::new().saving(&path).begin(&mut search(500).build().unwrap());
    assert!(matches!(other, Err(CheckpointError::OtherObjective { .. })), "{other:?}");
    let starts = Starts::in_box(&[-5.0; 2], &[5.0; 2]).unwrap();
    let ipop = restarts(Ipop::new(), starts, 2.0).strategy::<Separable>().seed(3).max_evaluations(500);
    assert_eq!(differs(&mut ipop.build().unwrap()), "the policy");
}

#[test]
fn a_budget_of_time_counts_from_when_it_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let slow = |x: &[f64]| {
        std::thread::sleep(Duration::from_micros(100));
        rastrigin(x)
    };
    let autosave = || Autosave::new(&path).objective("rastrigin");
    search(60).minimize_saving(slow, autosave()).unwrap();
    let outcome = search(1_000_000).max_time(Duration::from_millis(20)).minimize_saving(slow, autosave()).unwrap();
    assert_eq!(outcome.stop.name(), "time", "{}", outcome.stop);
}

#[test]
fn what_a_custom_criterion_has_ended_goes_on_when_it_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let builder = search(3000).stop_when(|view| (view.evaluations > 500).then(|| "an interruption".to_string()));
    let interrupted = builder.minimize_saving(rastrigin, &path).unwrap();
    assert_eq!(interrupted.stop.name(), "user");
    // With the same criterion, it is the same outcome again.
    for _ in 0..2 {
        let same = search(3000).stop_when(|view| (view.evaluations > 500).then(|| "an interruption".to_string()));
        assert_eq!(
            resumed(same.minimize_saving(rastrigin, &path).unwrap()),
            (interrupted.evaluations, interrupted.clone())
        );
    }
    let continued = search(3000).minimize_saving(rastrigin, &path).unwrap();
    assert_eq!(resumed(continued), (interrupted.evaluations, search(3000).minimize(rastrigin).unwrap()));
}
