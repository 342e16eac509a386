//! A run that is saved while it goes on: killed at any moment it goes on to the bit, and another run's file is refused.
#![cfg(all(feature = "dense", feature = "checkpoint", feature = "rayon"))]

use std::cell::Cell;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{bits, ellipsoid, sphere};
use ddcma_core::{
    Autosave, Bounds, CheckpointError, DdCma, DiagonalDecoding, Fallible, Interrupted, MinimizeError, Optimizer,
    Separable, Settings, StopCriteria, minimize,
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
    let undisturbed = run("undisturbed").output().unwrap();
    assert!(undisturbed.status.success());
    let mut killed = 0;
    for k in 0..10u64 {
        let mut child = run("killed").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 + 37 * k % 90));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL on Unix
        child.wait().unwrap();
    }
    assert_eq!(killed, 10, "a run takes longer than this");
    let output = run("killed").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stdout), String::from_utf8(undisturbed.stdout));
}

#[test]
fn a_run_goes_on_from_its_file_and_evaluates_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let mut undisturbed = start(900);
    undisturbed.run(ellipsoid, &mut []).unwrap();
    let calls = Cell::new(0);
    // The objective fails at the end of each process, in the middle of a generation: that is saved.
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
    // It is over; a larger budget takes it further.
    let mut es = start(900).saving(&path).unwrap();
    es.run(|_: &[f64]| panic!("nothing is left to evaluate"), &mut []).unwrap();
    let mut es = start(1800).saving(&path).unwrap();
    es.run(ellipsoid, &mut []).unwrap();
    undisturbed.set_criteria(StopCriteria::none().max_evaluations(1800)).unwrap();
    undisturbed.run(ellipsoid, &mut []).unwrap();
    assert_eq!(bits(&es), bits(&undisturbed));
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
        assert!(error.to_string().ends_with("or remove the file to start afresh"), "{error}");
    }
    let sep = Optimizer::<Separable>::builder(&[1.0; 6], 0.5).seed(8).build().unwrap();
    assert!(matches!(sep.saving(&path), Err(CheckpointError::Strategy { .. })));
    let mut begun = start(90);
    begun.ask();
    assert!(matches!(begun.saving(&path), Err(CheckpointError::HasBegun { evaluations: 0 })));
    assert_eq!(fs::read(&path).unwrap(), before, "and it stays as it was");

    fs::write(&path, &before[..before.len() - 1]).unwrap();
    assert!(matches!(start(90).saving(&path), Err(CheckpointError::Damaged { .. })));
    fs::write(&path, [&before[..8], &[77], &before[9..]].concat()).unwrap();
    let error = start(90).saving(&path).unwrap_err();
    assert!(matches!(error, CheckpointError::Version { found: 77, .. }), "{error}");
    assert!(error.to_string().contains("or remove the checkpoint"));
}

#[test]
fn objectives_are_told_apart_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    let run = |autosave: Autosave| minimize(sphere, &[1.0; 3], 0.5).max_evaluations(70).run_saving(autosave);
    let named = |name: &str| Autosave::new(&path).objective(name);
    let first = run(named("mesh 1")).unwrap();
    assert_eq!(run(named("mesh 1")).unwrap(), first);
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
    let interrupted = es.run(ellipsoid, &mut []).unwrap_err();
    assert!(matches!(interrupted, Interrupted::Autosave(CheckpointError::Io { .. })), "{interrupted}");
    assert_eq!(es.iterations(), 1);
    fs::remove_dir(&path).unwrap();
    es.run(ellipsoid, &mut []).unwrap();
    assert_eq!(start(900).saving(&path).unwrap().evaluations(), 900);
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
    let settings = Settings::new().lambda(12);
    assert!(Optimizer::<Separable>::builder(&[1.0; 3], 0.5).settings(settings).build().unwrap().saving(&path).is_err());
}
