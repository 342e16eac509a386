//! Failures end the job properly, with an exit code. A job that hangs is killed by its time limit, and its test fails.

use crate::jobs::{alone, mpirun};

#[test]
fn an_error_of_the_objective_ends_the_run_with_everything_that_is_known() {
    for ranks in [2, 4] {
        let ended = mpirun(ranks, "scenarios", &["error"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(
            ended.stderr.contains("on rank 1: the mesh degenerates; all other values are known: true"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_panic_in_a_worker_ends_the_whole_job_with_its_message() {
    for ranks in [2, 4] {
        let ended = mpirun(ranks, "scenarios", &["worker-panics"]);
        assert_eq!(ended.code, Some(101), "{ended:?}");
        assert!(ended.stderr.contains("the mesh degenerates"), "{ended:?}");
        assert!(ended.stdout.is_empty(), "{ended:?}");
    }
}

#[test]
fn a_panic_that_the_objective_catches_ends_nothing() {
    let serial = alone("scenarios", &["serial"]).result();
    assert_eq!(mpirun(2, "scenarios", &["panic-is-caught"]).result(), serial);
}

#[test]
fn a_panic_in_the_manager_lets_the_workers_leave() {
    for ranks in [1, 2, 4] {
        let ended = mpirun(ranks, "scenarios", &["manager-panics"]);
        assert_eq!(ended.code, Some(101), "{ended:?}");
        assert!(ended.stderr.contains("enough is enough"), "{ended:?}");
        // They are not aborted.
        assert!(!ended.stderr.contains("MPI_ABORT"), "{ended:?}");
    }
}

#[test]
fn a_manager_that_returns_early_lets_the_workers_leave() {
    for ranks in [1, 2, 4] {
        let ended = mpirun(ranks, "scenarios", &["manager-returns"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("enough is enough"), "{ended:?}");
    }
}

#[test]
fn a_killed_job_goes_on_from_its_autosave_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let [undisturbed, worker, manager] =
        ["undisturbed", "worker", "manager"].map(|name| folder.path().join(name).display().to_string());
    let expected = mpirun(1, "scenarios", &["saved", &undisturbed]).result();

    let ended = mpirun(4, "scenarios", &["worker-is-killed", &worker]);
    assert_eq!(ended.code, Some(128 + 9), "{ended:?}");
    assert!(ended.stdout.is_empty(), "{ended:?}");
    assert_eq!(mpirun(4, "scenarios", &["saved", &worker]).result(), expected);

    for generations in ["7", "30"] {
        let ended = mpirun(2, "scenarios", &["manager-is-killed", &manager, generations]);
        assert_eq!(ended.code, Some(128 + 9), "{ended:?}");
    }
    assert_eq!(mpirun(4, "scenarios", &["saved", &manager]).result(), expected);
}

#[test]
fn mpi_starts_only_once() {
    for ranks in [1, 2] {
        let ended = mpirun(ranks, "scenarios", &["twice"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains("AlreadyInitialized"), "{ended:?}");
    }
}
