//! The program that the tests start with mpirun: `scenarios NAME [FILE] [COUNT]`. The manager prints the result; every run is seeded.

use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

use ddcma_core::{Autosave, Fallible, Missing, Objective, SepCma, StopCriteria, minimize};
use ddcma_restarts::{Ipop, Starts, restarts};

type Failure = Box<dyn std::error::Error>;

/// The objective function of the workers.
type Evaluate = Fallible<Box<dyn FnMut(&[f64]) -> Result<f64, String>>>;

type Workers = ddcma_mpi::Workers<Evaluate>;

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|x| 100.0 * (x[0] * x[0] - x[1]).powi(2) + (x[0] - 1.0).powi(2)).sum()
}

/// The sphere function; the last workers are the slowest.
fn slow() -> Evaluate {
    Fallible(Box::new(|x| {
        std::thread::sleep(Duration::from_millis(1 + 2 * rank() as u64));
        Ok(x.iter().map(|x| x * x).sum())
    }))
}

/// Returns the rank of this process, which Open MPI provides even before MPI is initialized.
fn rank() -> usize {
    std::env::var("OMPI_COMM_WORLD_RANK").map_or(0, |rank| rank.parse().expect("a number"))
}

/// Kills this process without cleanup, as the kernel would.
fn kill() -> ! {
    let pid = std::process::id().to_string();
    std::process::Command::new("kill").args(["-9", &pid]).status().expect("there is a program `kill`");
    unreachable!("this process is dead");
}

/// Returns all bits of a point and its value.
fn bits(point: &[f64], value: f64) -> String {
    let bits = point.iter().chain([&value]).map(|x| format!("{:016x}", x.to_bits()));
    bits.collect::<Vec<String>>().join(" ")
}

/// Rosenbrock's function, with an event at the fortieth evaluation of rank 1.
fn once(mut event: impl FnMut() -> Result<(), String> + 'static) -> Evaluate {
    let mut evaluations = 0;
    Fallible(Box::new(move |x| {
        evaluations += 1;
        if rank() == 1 && evaluations == 40 {
            event()?;
        }
        Ok(rosenbrock(x))
    }))
}

#[allow(clippy::print_stdout, reason = "the tests read it")]
fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scenario = arguments.first().map_or("", String::as_str);
    let file = arguments.get(1).map_or(Path::new(""), Path::new);
    let count: u64 = arguments.get(2).map_or(Ok(u64::MAX), |count| count.parse())?;
    let harmless = || once(|| Ok(()));

    let told = match scenario {
        "serial" => Some(full(&mut rosenbrock)),
        "full" => ddcma_mpi::run(harmless(), full)?,
        "error" => ddcma_mpi::run(once(|| Err("the mesh degenerates".to_string())), error)?,
        "worker-panics" => ddcma_mpi::run(once(|| panic!("the mesh degenerates")), full)?,
        // A panic that the objective function catches has no effect.
        "panic-is-caught" => {
            let caught = || std::panic::catch_unwind(|| panic!("the mesh degenerates"));
            ddcma_mpi::run(once(move || caught().or(Ok(()))), full)?
        }
        "manager-panics" => ddcma_mpi::run(harmless(), |workers| minimum(workers, 10, || panic!("enough is enough")))?,
        "manager-returns" => ddcma_mpi::run(slow(), returns_early)?,
        "worker-is-killed" => ddcma_mpi::run(once(|| kill()), |workers| saved(workers, file, u64::MAX))?,
        "manager-is-killed" => ddcma_mpi::run(harmless(), |workers| saved(workers, file, count))?,
        "saved" => ddcma_mpi::run(harmless(), |workers| saved(workers, file, u64::MAX))?,
        "early" => ddcma_mpi::run(slow(), early)?,
        "twice" => {
            ddcma_mpi::run(harmless(), |workers| workers.count())?;
            ddcma_mpi::run(harmless(), full)?
        }
        other => return Err(format!("there is no scenario {other}").into()),
    };
    if let Some(told) = told {
        println!("{}", told?);
    }
    Ok(())
}

/// A minimization, with an event after the given generation.
fn minimum(workers: &mut Workers, generations: u64, after: impl Fn()) -> Result<String, Failure> {
    let run = minimize(workers, &[0.0; 4], 0.5).seed(3).stop_when(|view| {
        if view.iterations == generations {
            after();
        }
        None
    });
    let solution = run.criteria(StopCriteria::none().max_iterations(40)).run()?;
    Ok(bits(&solution.point, solution.value))
}

/// A minimization, an optimizer with a custom loop, and a search with restarts, one after the other.
fn full<O: Objective>(objective: &mut O) -> Result<String, Failure>
where
    O::Error: Display,
    for<'a> &'a mut O: Objective<Error = O::Error>,
{
    let criteria = StopCriteria::none().max_iterations(40);
    let run = minimize(&mut *objective, &[0.0; 4], 0.5).criteria(criteria).seed(3);
    let solution = run.run().map_err(|error| error.to_string())?;
    let mut es = SepCma::new(&[0.0; 7], 0.5, 4)?;
    for _ in 0..20 {
        es.step(objective).map_err(|error| error.to_string())?;
    }
    let starts = Starts::in_box(&[-2.0; 3], &[2.0; 3])?;
    let search = restarts(Ipop::new(), starts, 0.5).max_evaluations(600).seed(5);
    let outcome = search.minimize(&mut *objective).map_err(|error| error.to_string())?;
    let all =
        [bits(&solution.point, solution.value), bits(es.mean(), es.best_value()), bits(&outcome.point, outcome.value)];
    Ok(all.join("\n"))
}

/// Returns the error, and whether all other values are known.
fn error(workers: &mut Workers) -> Result<String, Failure> {
    let mut es = SepCma::new(&[0.0; 4], 0.5, 1)?;
    let interrupted = es.run(&mut *workers).expect_err("it fails");
    // The workers count the failure, too.
    let known = es.evaluations() + 1 == workers.usage().evaluations();
    Err(format!("{interrupted}; all other values are known: {known}").into())
}

/// Returns while some candidates are still being evaluated.
fn returns_early(workers: &mut Workers) -> Result<String, Failure> {
    workers.end_generations_at(0.5, Missing::LeaveOut)?;
    let mut es = SepCma::new(&[0.0; 4], 0.5, 1)?;
    es.step(workers)?;
    Err("enough is enough".into())
}

/// Saves every value; the manager is killed after this number of generations.
fn saved(workers: &mut Workers, file: &Path, generations: u64) -> Result<String, Failure> {
    let run = minimize(workers, &[0.0; 4], 0.5).seed(3).max_evaluations(500).stop_when(|view| {
        if view.iterations >= generations {
            kill();
        }
        None
    });
    let solution = run.run_saving(Autosave::new(file).every(Duration::ZERO).objective("rosenbrock"))?;
    Ok(bits(&solution.point, solution.value))
}

/// Returns the evaluations that were in time, all evaluations, and the best value.
fn early(workers: &mut Workers) -> Result<String, Failure> {
    workers.end_generations_at(0.75, Missing::LeaveOut)?;
    let criteria = StopCriteria::none().max_iterations(100);
    let solution = minimize(&mut *workers, &[3.0; 4], 1.0).lambda(8).criteria(criteria).seed(1).run()?;
    Ok(format!("{} {} {:e}", solution.evaluations, workers.usage().evaluations(), solution.value))
}
