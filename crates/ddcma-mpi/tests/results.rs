//! Jobs find the same result as one process, bit for bit, on any number of ranks.

use ddcma_core::{Autosave, minimize};

use crate::jobs::{alone, mpirun};

#[test]
fn full_generations_give_the_result_of_one_process() {
    let serial = alone("scenarios", &["serial"]).result();
    assert_eq!(serial.lines().count(), 3, "{serial}");
    for ranks in [1, 2, 4] {
        assert_eq!(mpirun(ranks, "scenarios", &["full"]).result(), serial, "{ranks} ranks");
    }
    assert_eq!(alone("scenarios", &["full"]).result(), serial, "without mpirun");
}

#[test]
fn generations_may_end_early() {
    let result = mpirun(4, "scenarios", &["early"]).result();
    let numbers: Vec<f64> = result.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [told, evaluated, best] = numbers[..] else { panic!("three numbers: {result}") };
    // Six of eight in each of 100 generations; the last ones are late, at most as many as there are workers.
    assert_eq!(told, 600.0);
    assert!(evaluated > told && evaluated <= told + 3.0 * 100.0, "{result}");
    assert!(best < 1e-6, "{result}");
    // One rank evaluates everything.
    assert!(mpirun(1, "scenarios", &["early"]).result().starts_with("800 800 "));
}

#[test]
fn the_example_prints_its_result_and_the_utilization_of_workers() {
    let printed = mpirun(4, "rastrigin", &["10"]).result();
    assert!(printed.contains("evaluations in"), "{printed}");
    assert!(printed.contains("workers busy for"), "{printed}");
    let ranks: Vec<&str> = printed.lines().filter(|line| line.starts_with("rank ")).collect();
    assert_eq!(ranks.len(), 3, "{printed}");
    let value = printed.lines().find_map(|line| line.strip_prefix("f = ")).unwrap_or_else(|| panic!("{printed}"));
    assert!(value.parse::<f64>().unwrap() <= 1e-9, "{printed}");
}

/// What `minimize` has saved in a process without MPI, a job continues, and ends as the process would have.
#[test]
fn a_job_goes_on_from_the_file_of_a_process_without_mpi() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rosenbrock =
        |x: &[f64]| x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2)).sum::<f64>();
    let start = || minimize(rosenbrock, &[0.0; 4], 0.5).seed(3);
    let saved = Autosave::new(path("run")).objective("rosenbrock");
    let begun = start().max_evaluations(200).run_saving(saved).unwrap();
    assert!(begun.evaluations < 300);
    let result = |name: &str| mpirun(3, "scenarios", &["saved", &path(name).to_string_lossy()]).result();
    assert_eq!(result("run"), result("another run"));
    let continued = start().max_evaluations(500).run_saving(Autosave::new(path("run")).objective("rosenbrock"));
    assert_eq!(continued.unwrap().resumed_at, Some(504), "and back again");
}
