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
    OpenGeneration, Optimizer, Parallel, Separable, StopCriteria, TellError, View, minimize,
};

fn start(budget: u64) -> DdCma {
    let criteria = StopCriteria::none().max_evaluations(budget);
    Optimizer::builder(&[1.0; 6], 0.5).criteria(criteria).seed(8).build().unwrap()
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
    undisturbed.run(ellipsoid, &mut []).unwrap();
    let calls = Cell::new(0);
    // The objective fails at the end of each process, in the middle of a generation, which is saved.
    for end in [50, 51, 300, 500, u64::MAX] {
        let mut es = start(900).saving(Autosave::new(&path).every_generations(4)).unwrap();
        let failing = Fallible(|x: &[f64]| {
            if calls.get() == end {
                return Err(());
            }
            calls.set(calls.get() + 1);
            Ok(ellipsoid(x))
        });
        assert_eq!(es.run(failing, &mut []).is_ok(), end == u64::MAX);
        if end == u64::MAX {
            assert_eq!(bits(&es), bits(&undisturbed));
        }
    }
    assert_eq!(calls.get(), 900);
    // The run is over; with a larger budget it goes further.
    let mut es = start(900).saving(&path).unwrap();
    es.run(|_: &[f64]| panic!("nothing is left to evaluate"), &mut []).unwrap();
    let mut es = start(1800).saving(&path).unwrap();
    es.run(ellipsoid, &mut []).unwrap();
    undisturbed.set_criteria(StopCriteria::none().max_evaluations(1800)).unwrap();
    undisturbed.run(ellipsoid, &mut []).unwrap();
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
    let mut es = start(900).saving(Autosave::new(&path).every(Duration::ZERO)).unwrap();
    let mut calls = 0;
    let saved = || start(900).saving(folder.path().join("copy")).unwrap().evaluations();
    let objective = |x: &[f64]| {
        fs::copy(&path, folder.path().join("copy")).unwrap();
        assert_eq!(saved(), calls, "all values but the one that is computed now");
        calls += 1;
        ellipsoid(x)
    };
    es.run_until(objective, &mut [], &mut |view| (view.iterations >= 3).then(|| "enough".to_string())).unwrap();
}

#[test]
fn what_belongs_to_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    start(90).saving(&path).unwrap().run(ellipsoid, &mut []).unwrap();
    let before = fs::read(&path).unwrap();
    let builder = || DdCma::builder(&[1.0; 6], 0.5).seed(8);
    let shared: [(Optimizer<DiagonalDecoding>, &str); 6] = [
        (builder().seed(9).build().unwrap(), "the seed"),
        (builder().lambda(12).build().unwrap(), "the settings"),
        (DdCma::builder(&[1.5; 6], 0.5).seed(8).build().unwrap(), "the start"),
        (DdCma::builder(&[1.0; 6], 0.25).seed(8).build().unwrap(), "the step size"),
        (builder().bounds(Bounds::uniform(6, -9.0, 9.0).unwrap()).build().unwrap(), "the bounds or the variables"),
        (
            builder().deviations(&[2.0; 6]).build().unwrap(),
            "the deviations, the covariance matrix or the options of the strategy",
        ),
    ];
    for (fresh, expected) in shared {
        let error = fresh.saving(&path).unwrap_err();
        let CheckpointError::OtherRun { what, .. } = &error else { panic!("{error}") };
        assert_eq!(*what, expected);
        let way_out = format!("restore {what} to continue that run, or remove the file to start a new one");
        assert!(error.to_string().ends_with(&way_out), "{error}");
    }
    let sep = Optimizer::<Separable>::builder(&[1.0; 6], 0.5).seed(8).build().unwrap().saving(&path).unwrap_err();
    let CheckpointError::OtherRun { what, .. } = sep else { panic!("{sep}") };
    assert_eq!(what, "the strategy, its step-size rule and the random generator");
    let mut begun = start(90);
    begun.ask();
    let error = begun.saving(&path).unwrap_err();
    assert!(matches!(error, CheckpointError::HasBegun { evaluations: 0 }));
    assert!(error.to_string().ends_with("but the run has already asked for candidates"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before, "and it stays as it was");

    let unusable = |bytes: &[u8], why: &str| {
        fs::write(&path, bytes).unwrap();
        let error = start(90).saving(&path).unwrap_err().to_string();
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
    let mut es = start(900).saving(Autosave::new(&path).every_generations(1)).unwrap();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let mut observed = 0;
    let interrupted = es.run(ellipsoid, &mut [&mut |_: &View<'_>| observed += 1]).unwrap_err();
    assert!(matches!(interrupted, Interrupted::Autosave(CheckpointError::Io { .. })), "{interrupted}");
    assert_eq!((es.iterations(), observed), (1, 1));
    fs::remove_dir(&path).unwrap();
    es.run(ellipsoid, &mut []).unwrap();
    assert_eq!(start(900).saving(&path).unwrap().evaluations(), 900);
}

#[test]
fn saving_every_0_generations_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let error = start(90).saving(Autosave::new(&path).every_generations(0)).unwrap_err();
    assert!(matches!(error, CheckpointError::EveryZeroGenerations), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_clone_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let es = start(900).saving(&path).unwrap();
    let before = fs::read(&path).unwrap();
    let mut clone = es.clone();
    clone.run(ellipsoid, &mut []).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
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
    let mut es = start(900).saving(Autosave::new(&path).every_generations(1000)).unwrap();
    assert!(matches!(es.run(Hasty(0), &mut []), Err(Interrupted::Generation(TellError::TooFew { told: 2, .. }))));
    assert_eq!(start(900).saving(&path).unwrap().evaluations(), 19 * 9 + 2);
}

#[test]
fn a_custom_criterion_does_not_look_at_half_a_generation() {
    let folder = tempfile::tempdir().unwrap();
    let mut criterion = |view: &View<'_>| view.best.filter(|best| best.value < 1e3).map(|_| "enough".to_string());
    let mut undisturbed = start(9000);
    undisturbed.run_until(ellipsoid, &mut [], &mut criterion).unwrap();
    let calls = undisturbed.evaluations();
    // The process ends at the last evaluations of the last generation.
    for end in calls - 8..calls {
        let path = folder.path().join(end.to_string());
        let mut left = end;
        let failing = Fallible(|x: &[f64]| {
            left = left.checked_sub(1).ok_or(())?;
            Ok::<f64, ()>(ellipsoid(x))
        });
        start(9000).saving(&path).unwrap().run_until(failing, &mut [], &mut criterion).unwrap_err();
        let mut es = start(9000).saving(&path).unwrap();
        es.run_until(ellipsoid, &mut [], &mut criterion).unwrap();
        assert_eq!((es.evaluations(), es.iterations()), (calls, undisturbed.iterations()), "{end}");
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
    start(90).saving(&unnamed).unwrap();
    assert!(start(90).saving(Autosave::new(&unnamed).objective("")).is_ok());
}

#[test]
fn a_panic_on_a_thread_of_the_pool_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut undisturbed = start(900);
    undisturbed.run(ellipsoid, &mut []).unwrap();
    let mut es = start(900).saving(Autosave::new(&path).every(Duration::ZERO)).unwrap();
    let calls = std::sync::atomic::AtomicU64::new(0);
    let panicking = Parallel(|x: &[f64]| {
        if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 500 {
            std::panic::resume_unwind(Box::new("planned")); // without a message
        }
        ellipsoid(x)
    });
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| es.run(panicking, &mut [])));
    assert!(caught.is_err());
    drop(es);
    let mut resumed = start(900).saving(&path).unwrap();
    assert_eq!(resumed.evaluations(), 503, "all of the generation but the one that panicked");
    resumed.run(ellipsoid, &mut []).unwrap();
    assert_eq!(bits(&resumed), bits(&undisturbed));
}
