//! The one loop, and what it drives: everything that asks for points and takes their values.

use std::any::Any;
use std::fmt;

use crate::observe::View;
use crate::{
    Best, CheckpointError, Missing, Objective, OpenGeneration, Origin, Pending, Stop, TellError, Ticket, Told, With,
};

/// Everything that asks for points and takes their values: a run, a search with restarts, your own combination of runs.
///
/// [`drive`] evaluates one to its end. To evaluate it yourself, [open](Self::open) a generation, [take](Self::take) what you know about its
/// [pending](Self::pending) candidates, and [finish](Self::finish) it, until there is a reason to [stop](Self::stop):
///
/// ```
/// use ddcma_core::{Missing, Run, SepCma, Told, With};
///
/// let mut es = SepCma::new(&[3.0; 4], 1.0, 42)?;
/// let run: &mut dyn Run = &mut es;
/// while run.stop().is_none() {
///     run.open();
///     let value = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
///     let jobs: Vec<_> = run.pending().jobs().map(|(ticket, x)| (ticket, value(x))).collect();
///     for (ticket, value) in jobs {
///         run.take(ticket, Told::from(value))?; // in any order
///     }
///     run.finish(Missing::RankLast, &mut With::new())?;
/// }
/// assert!(run.best().is_some_and(|best| best.value < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// See `examples/take_turns.rs` for a custom run that consists of two others.
pub trait Run: Any + Send + Sync {
    /// Opens a generation, unless one is open.
    fn open(&mut self);

    /// Returns the open generation; without candidates if none is open.
    fn pending(&self) -> Pending<'_>;

    /// Takes what is told about one candidate of the open generation. An error changes nothing.
    fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError>;

    /// Ends the open generation, and shows it to the observers: see [`With::show`].
    ///
    /// A run that wants to know more about the same generation leaves it open. An error about too few values changes nothing. A failed
    /// update is no error here, but a reason to [stop](Self::stop).
    fn finish(&mut self, missing: Missing, with: &mut With<'_>) -> Result<(), TellError>;

    /// Returns the reason to stop, or `None` to continue.
    fn stop(&self) -> Option<Stop>;

    /// Returns the best point so far, including those of the open generation.
    fn best(&self) -> Option<Best<'_>>;

    /// Returns the number of evaluations so far, including those of the open generation.
    fn evaluations(&self) -> u64;

    /// Returns what an observer sees.
    fn view(&self) -> View<'_>;

    /// Returns what it was started with. It cannot continue from the file of a run that was started differently. Default: nothing is
    /// known, and nothing is checked.
    fn origin(&self) -> Origin {
        Origin::new()
    }

    /// Returns everything that [`restore`](Self::restore) needs, as bytes. Default: an error, because it cannot be stored.
    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        Err(CheckpointError::Unsupported { what: "this run" })
    }

    /// Continues from [bytes](Self::to_bytes) of a run that was started in the same way, with the stop criteria and budgets of this one.
    /// An error changes nothing. Default: an error.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let _ = bytes;
        Err(CheckpointError::Unsupported { what: "this run" })
    }
}

impl fmt::Debug for dyn Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("evaluations", &self.evaluations()).finish_non_exhaustive()
    }
}

/// Asks, evaluates and tells, generation after generation, until there is a reason to stop.
///
/// Observers and a criterion are called after each generation, and autosaves happen on the way: see [`With`]. If the objective fails, its
/// error is returned and nothing is lost: the values told so far are kept, and driving the run again evaluates only the other candidates.
/// The same is true if it panics and the panic is caught.
pub fn drive<E>(
    run: &mut dyn Run,
    objective: &mut dyn Objective<Error = E>,
    with: &mut With<'_>,
) -> Result<Stop, Interrupted<E>> {
    with.begin(run).map_err(Interrupted::Autosave)?;
    with.ask_criterion_again(run);
    loop {
        if let Some(stop) = with.stop(run) {
            with.end(run, &stop).map_err(Interrupted::Autosave)?;
            return Ok(stop);
        }
        evaluate_generation(run, objective, with)?;
    }
}

/// Asks, evaluates and tells one generation, as [`drive`] does. With an autosave, it continues from the file first.
pub fn step<E>(
    run: &mut dyn Run,
    objective: &mut dyn Objective<Error = E>,
    with: &mut With<'_>,
) -> Result<(), Interrupted<E>> {
    with.begin(run).map_err(Interrupted::Autosave)?;
    evaluate_generation(run, objective, with)
}

fn evaluate_generation<E>(
    run: &mut dyn Run,
    objective: &mut dyn Objective<Error = E>,
    with: &mut With<'_>,
) -> Result<(), Interrupted<E>> {
    run.open();
    let mut generation = OpenGeneration::new(run, with.saver());
    let evaluated = objective.evaluate(&mut generation);
    let (missing, refused) = generation.end();
    let ended = match evaluated {
        Ok(()) => refused.map_or_else(|| run.finish(missing, with), Err).map_err(Interrupted::Generation),
        Err(error) => {
            let (told, lambda) = (run.pending().told(), run.pending().lambda());
            Err(Interrupted::Objective { error, told, missing: lambda - told })
        }
    };
    match ended {
        Ok(()) => with.save_after_generation(run).map_err(Interrupted::Autosave),
        Err(interrupted) => {
            with.save_now(run); // the first error is the one to report
            Err(interrupted)
        }
    }
}

/// The error returned if a run was interrupted.
///
/// Nothing is lost: the values told so far are kept, and driving the run again evaluates only the missing candidates.
#[derive(Debug)]
#[non_exhaustive]
pub enum Interrupted<E> {
    /// The objective failed.
    Objective {
        /// Its error.
        error: E,
        /// The number of candidates of the generation with a value.
        told: usize,
        /// The number of candidates of the generation without a value.
        missing: usize,
    },
    /// The objective ended the generation with too few values.
    Generation(TellError),
    /// The run could not be saved, or not be continued from its file. The file holds the last state that was saved.
    Autosave(CheckpointError),
}

/// The alternate form, `{:#}`, passes on to the error of the objective: with many types, it shows the causes, too.
impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Objective { error, told, missing } => {
                write!(f, "the objective failed after {told} of {} values of the generation: ", told + missing)?;
                error.fmt(f)
            }
            Self::Generation(error) => write!(f, "the objective ended the generation without all values: {error}"),
            Self::Autosave(error) => {
                write!(f, "the run could not be saved, or not be continued from its file: {error}")
            }
        }
    }
}

/// The text includes that of the inner error. This works for errors of any type that can be shown, such as `String` and `Box<dyn Error>`.
impl<E: fmt::Debug + fmt::Display> std::error::Error for Interrupted<E> {}
