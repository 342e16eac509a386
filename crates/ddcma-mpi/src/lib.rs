//! Evaluates the objective functions of [`ddcma_core`] on the ranks of an MPI job.
//!
//! One call, [`run`], handles all of MPI: it initializes MPI, duplicates the world communicator, makes rank 0 the manager and
//! every other rank a worker, and finalizes MPI. The manager has [`Workers`], which is an [`Objective`] like any other:
//!
//! ```no_run
//! use ddcma_core::minimize;
//!
//! fn main() -> Result<(), ddcma_core::Failure> {
//!     let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>(); // evaluated by the workers
//!     let solution = ddcma_mpi::run(f, |workers| minimize(workers, &[3.0; 10], 1.0).seed(42).run())?;
//!     if let Some(solution) = solution {
//!         println!("{}", solution?); // only on the manager
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Start all ranks with `mpirun -n 16 target/release/program`, or with the command of your queue; λ = 15 or a multiple of 15 then keeps
//! 15 workers busy. The same program without `mpirun` is a job of one rank, which evaluates the objective function itself.
//!
//! | to have | call in the manager's closure |
//! |---|---|
//! | one minimization | `minimize(workers, …).run()` |
//! | a run that survives being killed | `minimize(workers, …).run_saving(path)`, with core's feature `checkpoint` |
//! | restarts | `restarts(Bipop::new(), …).minimize(workers)` |
//! | several runs | `minimize(&mut *workers, …)`, any number of times |
//! | no waiting for slow workers | [`workers.end_generations_at(0.9, Missing::LeaveOut)?`](Workers::end_generations_at) |
//! | the utilization of the workers | [`workers.usage()`](Workers::usage) |
//!
//! # Failures
//!
//! | failure | consequence |
//! |---|---|
//! | the objective function returns an error, `Fallible(f)` | the run ends with an [`EvaluationError`] with rank, candidate and text, and with everything known so far; all ranks finish |
//! | the objective function panics in a worker | the whole job ends immediately with the message of the panic and exit code 101 |
//! | the manager's closure returns early, or panics | each worker finishes after its current evaluation |
//! | a rank is killed, or exits | `mpirun` ends the job with a nonzero exit code; a new job continues from the last autosave |
//! | a message is invalid | the run ends with a [`MessageError`] |
//!
//! An evaluation that never returns keeps its worker, and therefore the job, from ending: give your evaluations a time limit.
//!
//! # Guarantees
//!
//! - If each generation waits for all of its values, the run is the same as in one process, bit for bit, for any number of ranks.
//! - Only the thread that calls [`run`] calls MPI. An objective function may use other threads, and MPI's world communicator.
//! - A waiting rank polls for messages without a pause for 0.1 ms, and then with pauses, so during long evaluations the manager's core
//!   is free for a worker.
//! - Nothing is printed.

#![forbid(unsafe_code)]

mod error;
mod link;
mod message;
mod single;
mod usage;
mod worker;
mod workers;

use std::fmt::Display;

use ddcma_core::Objective;
use mpi::Threading;
use mpi::traits::Communicator;

pub use error::{EvaluationError, MessageError, MpiError, ShareError};
pub use usage::{Usage, WorkerUsage};
pub use workers::Workers;

use crate::link::{AbortOnPanic, MpiLink};

/// The rank of the manager.
const MANAGER: usize = 0;

/// Runs the manager on rank 0, and evaluates the objective function on all other ranks until the manager is done.
///
/// Returns the result of the manager on rank 0, and `None` on all other ranks. Every rank must call this exactly once. When it returns,
/// MPI is finalized.
///
/// The objective function is any [`Objective`]: a closure, `Fallible(f)`, `Parallel(f)`, or a custom one. Each worker has its own
/// instance, which sees one candidate at a time.
pub fn run<O, T>(objective: O, manager: impl FnOnce(&mut Workers<O>) -> T) -> Result<Option<T>, MpiError>
where
    O: Objective<Error: Display>,
{
    // Dropped last: this finalizes MPI and waits for all ranks.
    let (universe, threading) =
        mpi::initialize_with_threading(Threading::Funneled).ok_or(MpiError::AlreadyInitialized)?;
    if threading < Threading::Funneled {
        return Err(MpiError::NoThreads);
    }
    let link = MpiLink(universe.world().duplicate());
    let (rank, ranks) = (link.0.rank() as usize, link.0.size() as usize);
    if rank == MANAGER {
        return Ok(Some(manager(&mut Workers::new(objective, Box::new(link), ranks - 1))));
    }
    let guard = AbortOnPanic(&link);
    worker::serve(objective, &link);
    guard.disarm();
    Ok(None)
}

/// Compiles the example of this crate's README; it needs ranks to run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

#[cfg(test)]
mod messages;
