//! The current run of a search: a run of its strategy, or a probe.

use ddcma_core::{
    AwaitsValues, Best, Columns, Interrupted, Missing, Observer, Optimizer, Stop, Strategy, TellError, Ticket,
};

use crate::Probe;

#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "checkpoint",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(serialize = "Optimizer<S>: serde::Serialize", deserialize = "Optimizer<S>: serde::Deserialize<'de>"))
)]
pub(crate) enum Running<S: Strategy> {
    Run(Box<Optimizer<S>>),
    Probe(Box<Probe>),
}

/// A point with its value and the number of its evaluation within the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found<'a> {
    pub(crate) point: &'a [f64],
    pub(crate) value: f64,
    pub(crate) evaluation: u64,
}

impl<'a> From<Best<'a>> for Found<'a> {
    fn from(best: Best<'a>) -> Self {
        let Best { point, value, evaluation, .. } = best;
        Self { point, value, evaluation }
    }
}

/// Makes the same call on either of them.
macro_rules! either {
    ($running:expr, $which:pat => $call:expr) => {
        match $running {
            Running::Run($which) => $call,
            Running::Probe($which) => $call,
        }
    };
}

impl<S: Strategy> Running<S> {
    pub(crate) fn ask(&mut self) -> &Columns {
        either!(self, running => running.ask())
    }

    pub(crate) fn tell(&mut self, values: &[f64]) -> Result<(), TellError> {
        either!(self, running => running.tell(values))
    }

    pub(crate) fn tell_one(&mut self, ticket: Ticket, value: f64) -> Result<usize, TellError> {
        either!(self, running => running.tell_one(ticket, value))
    }

    pub(crate) fn finish(&mut self, missing: Missing) -> Result<(), TellError> {
        either!(self, running => running.finish(missing))
    }

    pub(crate) fn stop(&self) -> Option<Stop> {
        either!(self, running => running.stop())
    }

    pub(crate) fn evaluations(&self) -> u64 {
        either!(self, running => running.evaluations())
    }

    pub(crate) fn iterations(&self) -> u64 {
        either!(self, running => running.iterations())
    }

    /// Returns the best point so far, including those of an incomplete generation.
    pub(crate) fn best(&self) -> Option<Found<'_>> {
        match self {
            Self::Run(run) => run.best().map(Found::from),
            Self::Probe(probe) => probe.best(),
        }
    }

    /// Returns the best point of complete generations, which is the stored one.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn best_of_complete_generations(&self) -> Option<Found<'_>> {
        match self {
            Self::Run(run) => run.best_of_complete_generations().map(Found::from),
            Self::Probe(probe) => probe.best_of_complete_generations(),
        }
    }

    /// Ends a generation that an objective has evaluated.
    pub(crate) fn end_step<E>(&mut self, evaluated: Result<(), E>, missing: Missing) -> Result<(), Interrupted<E>> {
        let probe = match self {
            Self::Run(run) => return run.end_step(evaluated, missing),
            Self::Probe(probe) => probe,
        };
        if let Err(error) = evaluated {
            let told = probe.told();
            return Err(Interrupted::Objective { error, told, missing: probe.points().len() - told });
        }
        probe.finish(missing).map_err(Interrupted::Generation)
    }

    /// Shows a generation to observers, or the end of the run if there is a stop reason.
    pub(crate) fn show(&self, stop: Option<&Stop>, observers: &mut [&mut dyn Observer]) {
        match (self, stop) {
            (Self::Run(run), None) => {
                let view = run.view();
                observers.iter_mut().for_each(|observer| observer.observe(&view));
            }
            (Self::Run(run), Some(stop)) => {
                let view = run.view();
                observers.iter_mut().for_each(|observer| observer.finished(&view, stop));
            }
            (Self::Probe(probe), stop) => {
                let view = probe.view();
                observers.iter_mut().for_each(|observer| observer.observe_points(&view, stop));
            }
        }
    }
}

impl<S: Strategy> AwaitsValues for Running<S> {
    fn points(&self) -> &Columns {
        either!(self, running => running.points())
    }

    fn generation(&self) -> u64 {
        self.iterations()
    }

    fn value(&self, index: usize) -> Option<f64> {
        either!(self, running => running.value(index))
    }

    fn take(&mut self, index: usize, value: f64) -> Result<(), TellError> {
        either!(self, running => running.take(index, value))
    }

    fn take_all(&mut self, values: &[f64]) {
        either!(self, running => running.take_all(values));
    }
}
