//! Objective functions of [`ddcma_core`] on the ranks of an MPI job.
//!
//! One call, [`run`], owns all of MPI: it initializes it, takes a communicator of its own, makes rank 0 the manager and every other
//! rank a worker, and ends it. The manager has [`Workers`], an [`Objective`] like any other:
//!
//! ```no_run
//! use ddcma_core::minimize;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let f = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>(); // evaluated by the workers
//!     let solution = ddcma_mpi::run(f, |workers| minimize(workers, &[3.0; 10], 1.0).seed(42).run())?;
//!     if let Some(solution) = solution {
//!         println!("{}", solution?); // only the manager has it
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Start all ranks with `mpirun -n 16 target/release/program`, or by your queue's own command; λ = 15 or a multiple of it then keeps 15
//! workers busy. The same program without `mpirun` is a job of one rank, which evaluates by itself.
//!
//! | you want | in the manager's closure |
//! |---|---|
//! | one minimization | `minimize(workers, …).run()` |
//! | a run that survives a kill | `minimize(workers, …).run_saving(path)`, with core's feature `checkpoint` |
//! | restarts | `restarts(Bipop::new(), …).minimize(workers)` |
//! | several runs | `minimize(&mut *workers, …)`, as often as you like |
//! | not to wait for stragglers | [`workers.end_generations_at(0.9, Missing::LeaveOut)?`](Workers::end_generations_at) |
//! | to know how busy workers were | [`workers.usage()`](Workers::usage) |
//!
//! # When something goes wrong
//!
//! | what | how it ends |
//! |---|---|
//! | the objective returns an error, `Fallible(f)` | the run ends with an [`EvaluationError`] that has its rank, candidate and text, and with everything known so far; all ranks leave |
//! | the objective panics in a worker | the whole job ends at once with its message and exit code 101 |
//! | the manager's closure returns early, or panics | each worker leaves after the evaluation that it is at |
//! | a rank is killed, or exits | `mpirun` ends the job with a non-zero code; the last autosave continues it |
//! | messages do not fit | the run ends with a [`MessageError`] |
//!
//! An evaluation that never returns keeps its worker, and with it the job, from ending: give it a time limit of its own.
//!
//! # What holds
//!
//! - Generations that wait for all of their values give the same run as one process, to the bit, whatever the number of ranks.
//! - Only the thread that calls [`run`] calls MPI. An objective may have threads of its own, and may use MPI's world communicator.
//! - Waiting ranks look for messages all the time for 0.1 ms, and then now and then: while evaluations take long, the manager's core
//!   can serve a worker, too.
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

/// Runs the manager on rank 0, and evaluates the objective on all other ranks until the manager is done.
///
/// Returns what the manager returned, and `None` on all other ranks. All ranks must call it, once. MPI is over when it returns.
///
/// The objective is any of core's: a closure, `Fallible(f)`, `Parallel(f)`, or your own. Each worker has its own, which sees one
/// candidate at a time.
pub fn run<O, T>(objective: O, manager: impl FnOnce(&mut Workers<O>) -> T) -> Result<Option<T>, MpiError>
where
    O: Objective<Error: Display>,
{
    // Dropped last, which is the end of MPI, and waits for all ranks.
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

/// The example of this crate's readme is compiled; it needs ranks to run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
