//! A run that is saved as it goes: after being killed at any time, it continues bit for bit, and the file of another run is
//! rejected.
#![cfg(all(feature = "dense", feature = "checkpoint", feature = "rayon"))]

use std::cell::Cell;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{bits, ellipsoid, sphere};
use ddcma_core::{
    Autosave, Bounds, CheckpointError, DdCma, DiagonalDecoding, Fallible, Interrupted, MinimizeError, Objective,
    OpenGeneration, Optimizer, Parallel, Run, Separable, StopCriteria, TellError, View, With, minimize, step,
};

fn start(budget: u64) -> DdCma {
    let criteria = StopCriteria::none().max_evaluations(budget);
    Optimizer::builder(&[1.0; 6], 0.5).criteria(criteria).seed(8).build().unwrap()
}

/// Continues a run from its file, if there is one, and returns it with what saves it.
fn saving(mut es: DdCma, autosave: impl Into<Autosave>) -> Result<(DdCma, With<'static>), CheckpointError> {
    let mut with = With::new().saving(autosave);
    with.begin(&mut es)?;
    Ok((es, with))
}

/// Returns the number of evaluations in a file.
fn evaluations_in(path: &std::path::Path) -> u64 {
    saving(start(900), path).unwrap().0.evaluations()
}

#[test]
fn a_program_that_is_killed_again_and_again_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let example = crate::examples::path("autosave");
    let run = |file: &str| {
        let mut command = Command::new(&example);
        command.arg(folder.path().join(file)).stdout(Stdio::piped());
        command
    };
    let undisturbed = run("undisturbed").spawn().unwrap();
    let mut killed = 0;
    for k in 0..10u64 {
        let mut child = run("killed").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 + 37 * k % 90));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL on Unix
        child.wait().unwrap();
    }
    assert!(killed > 5, "a run takes longer than this, even on a busy machine");
    let output = run("killed").stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let undisturbed = undisturbed.wait_with_output().unwrap();
    assert!(undisturbed.status.success());
    assert_eq!(String::from_utf8(output.stdout), String::from_utf8(undisturbed.stdout));
    let evaluated: u64 = said.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    assert!(evaluated < 1490, "the last process made {evaluated} of the evaluations");
}

#[test]
fn a_run_goes_on_from_its_file_and_evaluates_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut undisturbed = start(900);
    undisturbed.run(ellipsoid).unwrap();
    let calls = Cell::new(0);
    // The objective fails at the end of each process, in the middle of a generation, which is saved.
    for end in [50, 51, 300, 500, u64::MAX] {
        let (mut es, mut with) = saving(start(900), Autosave::new(&path).every_generations(4)).unwrap();
        let failing = Fallible(|x: &[f64]| {
            if calls.get() == end {
                return Err(());
            }
            calls.set(calls.get() + 1);
            Ok(ellipsoid(x))
        });
        assert_eq!(es.run_with(failing, &mut with).is_ok(), end == u64::MAX);
        if end == u64::MAX {
            assert_eq!(bits(&es), bits(&undisturbed));
        }
    }
    assert_eq!(calls.get(), 900);
    // The run is over; with a larger budget it goes further.
    let saved = || With::new().saving(&path);
    start(900).run_with(|_: &[f64]| panic!("nothing is left to evaluate"), &mut saved()).unwrap();
    let mut es = start(1800);
    es.run_with(ellipsoid, &mut saved()).unwrap();
    undisturbed.set_criteria(StopCriteria::none().max_evaluations(1800)).unwrap();
    undisturbed.run(ellipsoid).unwrap();
    assert_eq!(bits(&es), bits(&undisturbed));
}

#[test]
fn a_solution_tells_how_much_of_it_is_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let run = |budget| minimize(sphere, &[1.0; 3], 0.5).seed(1).max_evaluations(budget);
    let new = run(70).run_saving(&path).unwrap();
    assert_eq!(new, run(70).run().unwrap());
    assert_eq!((new.resumed_at, new.to_string().lines().count()), (None, 4));
    let mut resumed = run(140).run_saving(&path).unwrap();
    let text = resumed.to_string();
    assert!(
        text.contains("\n140 evaluations in 20 generations\ncontinued from a file with 70 of these evaluations\n"),
        "{text}"
    );
    assert_eq!(resumed.resumed_at.take(), Some(70));
    assert_eq!(resumed, run(140).run().unwrap(), "nothing else differs");
    // The file has no trace of it: the third program continues from 140 evaluations, whatever the second one did.
    assert_eq!(run(140).run_saving(&path).unwrap().resumed_at, Some(140));
}

#[test]
fn values_are_saved_in_the_middle_of_a_generation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let (mut es, with) = saving(start(900), Autosave::new(&path).every(Duration::ZERO)).unwrap();
    let mut calls = 0;
    let saved = || evaluations_in(&folder.path().join("copy"));
    let objective = |x: &[f64]| {
        fs::copy(&path, folder.path().join("copy")).unwrap();
        assert_eq!(saved(), calls, "all values but the one that is computed now");
        calls += 1;
        ellipsoid(x)
    };
    let mut with = with.stop_when(|view| (view.iterations >= 3).then(|| "enough".to_string()));
    es.run_with(objective, &mut with).unwrap();
}

#[test]
fn what_belongs_to_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    start(90).run_with(ellipsoid, &mut With::new().saving(&path)).unwrap();
    let before = fs::read(&path).unwrap();
    let builder = || DdCma::builder(&[1.0; 6], 0.5).seed(8);
    let shared: [(Optimizer<DiagonalDecoding>, &str); 6] = [
        (builder().seed(9).build().unwrap(), "the seed"),
        (builder().lambda(12).build().unwrap(), "the settings"),
        (DdCma::builder(&[1.5; 6], 0.5).seed(8).build().unwrap(), "the start"),
        (DdCma::builder(&[1.0; 6], 0.25).seed(8).build().unwrap(), "the step size"),
        (builder().bounds(Bounds::uniform(6, -9.0, 9.0).unwrap()).build().unwrap(), "the bounds or the variables"),
        (builder().deviations(&[2.0; 6]).build().unwrap(), "the deviations"),
    ];
    let differs = |run: &mut dyn Run| {
        let error = With::new().saving(&path).begin(run).unwrap_err();
        let CheckpointError::Autosave { error: inner, .. } = &error else { panic!("{error}") };
        let CheckpointError::OtherRun { what } = &**inner else { panic!("{error}") };
        let way_out = format!("restore {what} to continue that run, or remove the file to start a new one");
        assert!(error.to_string().ends_with(&way_out), "{error}");
        what.clone()
    };
    for (mut fresh, expected) in shared {
        assert_eq!(differs(&mut fresh), expected);
    }
    let mut sep = Optimizer::<Separable>::builder(&[1.0; 6], 0.5).seed(8).build().unwrap();
    assert_eq!(differs(&mut sep), "the strategy and its step-size rule");
    assert_eq!(fs::read(&path).unwrap(), before, "and it stays as it was");

    let unusable = |bytes: &[u8], why: &str| {
        fs::write(&path, bytes).unwrap();
        let error = saving(start(90), &path).unwrap_err().to_string();
        let expected = format!("{}: {why}", path.display());
        assert!(error.starts_with(&expected) && error.ends_with("; remove the file to start a new run"), "{error}");
    };
    unusable(&before[..before.len() - 1], "the checkpoint is damaged");
    unusable(b"x,y\n1,2\n", "not a checkpoint of ddcma");
    unusable(&start(90).to_checkpoint().unwrap(), "not a checkpoint of ddcma");
}

#[test]
fn objectives_are_told_apart_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let run = |autosave: Autosave| minimize(sphere, &[1.0; 3], 0.5).max_evaluations(70).run_saving(autosave);
    let named = |name: &str| Autosave::new(&path).objective(name);
    let first = run(named("mesh 1")).unwrap();
    assert_eq!(run(named("mesh 1")).unwrap().point, first.point);
    let Err(MinimizeError::Checkpoint(error)) = run(named("mesh 2")) else { panic!() };
    let CheckpointError::OtherObjective { expected, found, .. } = &error else { panic!("{error}") };
    assert_eq!((&expected[..], &found[..]), ("mesh 2", "mesh 1"));
    assert!(error.to_string().contains("Autosave::objective(\"mesh 1\")"), "{error}");

    fs::remove_file(&path).unwrap();
    run(Autosave::new(&path)).unwrap();
    run(Autosave::new(&path)).unwrap();
    let other = minimize(ellipsoid, &[1.0; 3], 0.5).max_evaluations(70).run_saving(&path);
    assert!(matches!(other, Err(MinimizeError::Checkpoint(CheckpointError::OtherObjective { .. }))));
}

#[test]
fn a_file_that_cannot_be_written_is_known_before_the_first_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let never = |_: &[f64]| -> f64 { panic!("nothing may be evaluated") };
    let path = folder.path().join("no such folder").join("run.checkpoint");
    let error = minimize(never, &[1.0; 3], 0.5).run_saving(&path).unwrap_err();
    assert!(matches!(error, MinimizeError::Checkpoint(CheckpointError::Io { .. })), "{error}");
}

#[test]
fn a_file_that_can_no_longer_be_written_interrupts_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut observed = 0;
    let mut count = |_: &View<'_>| observed += 1;
    let mut es = start(900);
    let mut with = With::new().saving(Autosave::new(&path).every_generations(1)).observer(&mut count);
    with.begin(&mut es).unwrap();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let interrupted = es.run_with(ellipsoid, &mut with).unwrap_err();
    assert!(matches!(interrupted, Interrupted::Autosave(CheckpointError::Io { .. })), "{interrupted}");
    assert_eq!(es.iterations(), 1);
    fs::remove_dir(&path).unwrap();
    es.run_with(ellipsoid, &mut with).unwrap();
    drop(with);
    assert_eq!(observed, 100, "also the generation that could not be saved");
    assert_eq!(evaluations_in(&path), 900);
}

/// Also who drives a run step by step continues from its file; and one value saves one run.
#[test]
fn a_step_continues_from_the_file_and_no_other_run_is_saved_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let saved = || With::new().saving(Autosave::new(&path).every_generations(1));
    start(180).run_with(ellipsoid, &mut saved()).unwrap();
    let (mut es, mut with) = (start(900), saved());
    step(&mut es, &mut { ellipsoid }, &mut with).unwrap();
    assert_eq!((es.evaluations(), with.resumed_at()), (189, Some(180)));
    let mut other = DdCma::builder(&[2.0; 6], 0.5).seed(8).build().unwrap();
    let refused = other.run_with(ellipsoid, &mut with).unwrap_err();
    assert!(matches!(refused, Interrupted::Autosave(CheckpointError::OtherRun { .. })), "{refused}");
    drop(with);
    assert_eq!(evaluations_in(&path), 189);
}

/// Values that were known before take no evaluations, but they are part of the run.
#[test]
fn known_values_are_not_replaced_by_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    start(90).run_with(ellipsoid, &mut With::new().saving(&path)).unwrap();
    let mut known = start(90);
    known.ask();
    let known_value = ddcma_core::Told::from(1.0).evaluations(0);
    known.take(known.pending().ticket(0), known_value).unwrap();
    let error = With::new().saving(&path).begin(&mut known).unwrap_err().to_string();
    assert!(error.contains("this run has already made 0"), "{error}");
}

#[test]
fn saving_every_0_generations_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let error = saving(start(90), Autosave::new(&path).every_generations(0)).unwrap_err();
    assert!(matches!(error, CheckpointError::EveryZeroGenerations), "{error}");
    assert!(!path.exists());
}

#[test]
fn one_run_at_a_time_uses_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let (mut es, mut with) = saving(start(900), &path).unwrap();
    // Also a run that has just begun in another process, or on another thread.
    let error = saving(start(900), &path).unwrap_err();
    assert!(matches!(error, CheckpointError::InUse { .. }), "{error}");
    // A clone is a run of its own, which is not saved.
    let mut clone = es.clone();
    clone.run(ellipsoid).unwrap();
    assert_eq!(es.evaluations(), 0);
    es.run_with(ellipsoid, &mut with).unwrap();
    drop(with);
    assert_eq!(evaluations_in(&path), 900);
}

#[test]
fn whoever_is_behind_does_not_replace_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let saved = || With::new().saving(&path);
    let mut ahead = start(180);
    ahead.run_with(ellipsoid, &mut saved()).unwrap();
    let mut behind = start(90);
    behind.run(ellipsoid).unwrap();
    let error = saved().begin(&mut behind).unwrap_err();
    let CheckpointError::Autosave { error, .. } = error else { panic!("{error}") };
    assert!(matches!(*error, CheckpointError::HasBegun { evaluations: 90, stored: 180 }), "{error}");
    assert_eq!(evaluations_in(&path), 180);
    // A run that went on without its file is saved from then on.
    ahead.set_criteria(StopCriteria::none().max_evaluations(270)).unwrap();
    ahead.run(ellipsoid).unwrap();
    let mut with = saved();
    with.begin(&mut ahead).unwrap();
    assert_eq!((ahead.evaluations(), with.resumed_at()), (270, None));
    drop(with);
    assert_eq!(evaluations_in(&path), 270);
}

#[test]
fn values_of_a_generation_that_ends_too_early_are_saved() {
    struct Hasty(u64);

    impl Objective for Hasty {
        type Error = TellError;

        fn evaluate(&mut self, generation: &mut OpenGeneration<'_>) -> Result<(), TellError> {
            self.0 += 1;
            let told = if self.0 == 20 { 2 } else { 9 };
            (0..told).try_for_each(|index| generation.tell(index, ellipsoid(generation.point(index))))
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let (mut es, mut with) = saving(start(900), Autosave::new(&path).every_generations(1000)).unwrap();
    let ran = es.run_with(Hasty(0), &mut with);
    assert!(matches!(ran, Err(Interrupted::Generation(TellError::TooFew { told: 2, .. }))));
    drop(with);
    assert_eq!(evaluations_in(&path), 19 * 9 + 2);
}

#[test]
fn a_custom_criterion_does_not_look_at_half_a_generation() {
    let folder = tempfile::tempdir().unwrap();
    let criterion = |view: &View<'_>| view.best.filter(|best| best.value < 1e3).map(|_| "enough".to_string());
    let mut undisturbed = start(9000);
    undisturbed.run_with(ellipsoid, &mut With::new().stop_when(criterion)).unwrap();
    let calls = undisturbed.evaluations();
    // The process ends at the last evaluations of the last generation.
    for end in calls - 8..calls {
        let path = folder.path().join(end.to_string());
        let mut left = end;
        let failing = Fallible(|x: &[f64]| {
            left = left.checked_sub(1).ok_or(())?;
            Ok::<f64, ()>(ellipsoid(x))
        });
        let saved = || With::new().saving(&path).stop_when(criterion);
        start(9000).run_with(failing, &mut saved()).unwrap_err();
        // The last time, the criterion has ended it before.
        for _ in 0..2 {
            let mut es = start(9000);
            es.run_with(ellipsoid, &mut saved()).unwrap();
            assert_eq!((es.evaluations(), es.iterations()), (calls, undisturbed.iterations()), "{end}");
        }
    }
}

#[test]
fn how_an_objective_is_called_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let run = |budget| minimize(sphere, &[1.0; 3], 0.5).max_evaluations(budget);
    run(70).run_saving(&path).unwrap();
    let mut parallel = minimize(Parallel(sphere), &[1.0; 3], 0.5).max_evaluations(140).run_saving(&path).unwrap();
    assert_eq!(parallel.resumed_at.take(), Some(70));
    assert_eq!(parallel, run(140).run().unwrap());
    // Neither of these objectives has a name.
    let unnamed = folder.path().join("unnamed");
    saving(start(90), &unnamed).unwrap();
    assert!(saving(start(90), Autosave::new(&unnamed).objective("")).is_ok());
}

#[test]
fn a_panic_on_a_thread_of_the_pool_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut undisturbed = start(900);
    undisturbed.run(ellipsoid).unwrap();
    let (mut es, mut with) = saving(start(900), Autosave::new(&path).every(Duration::ZERO)).unwrap();
    let calls = std::sync::atomic::AtomicU64::new(0);
    let panicking = Parallel(|x: &[f64]| {
        if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 500 {
            std::panic::resume_unwind(Box::new("planned")); // without a message
        }
        ellipsoid(x)
    });
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| es.run_with(panicking, &mut with)));
    assert!(caught.is_err());
    drop((es, with));
    let (mut resumed, _) = saving(start(900), &path).unwrap();
    assert_eq!(resumed.evaluations(), 503, "all of the generation but the one that panicked");
    resumed.run(ellipsoid).unwrap();
    assert_eq!(bits(&resumed), bits(&undisturbed));
}
