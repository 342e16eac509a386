//! What happens beside a run that is driven: observers, a custom criterion, and an autosave.

use std::fmt;

use crate::persist::Saver;
use crate::{CheckpointError, Observer, Run, Stop, View};

type Criterion<'a> = Box<dyn FnMut(&dyn Run) -> Option<String> + 'a>;

/// What happens beside a run that [`drive`](crate::drive) evaluates: observers, a custom stop criterion, and an autosave.
///
/// ```
/// use ddcma_core::{History, SepCma, With};
///
/// let mut history = History::new(1000);
/// let mut es = SepCma::new(&[3.0; 4], 1.0, 42)?;
/// let mut with = With::new().observer(&mut history).stop_when(|view| (view.sigma < 1e-3).then(|| "small steps".to_string()));
/// let stop = es.run_with(|x: &[f64]| x.iter().map(|x| x * x).sum(), &mut with)?;
/// assert_eq!(stop.to_string(), "user: small steps");
/// drop(with);
/// assert!(history.records().len() > 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct With<'a> {
    observers: Vec<&'a mut dyn Observer>,
    criterion: Option<Criterion<'a>>,
    /// What the criterion has said about the last generation.
    reason: Option<String>,
    /// Whether the observers know that the run has ended.
    has_ended: bool,
    saver: Option<Box<dyn Saver>>,
}

impl fmt::Debug for With<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("With");
        shown.field("observers", &self.observers.len()).field("saver", &self.saver).finish_non_exhaustive()
    }
}

impl<'a> With<'a> {
    /// Creates one without observers, criterion and autosave.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an observer, which sees every generation.
    #[must_use = "it returns the changed value"]
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// Sets a custom stop criterion, called after each generation: it returns a reason to stop, or `None` to continue. In a search, it sees
    /// the current run, as observers do.
    #[must_use = "it returns the changed value"]
    pub fn stop_when(self, mut criterion: impl FnMut(&View<'_>) -> Option<String> + 'a) -> Self {
        self.stop_when_run(move |run| criterion(&run.view()))
    }

    /// Sets a custom stop criterion that sees the whole run.
    #[must_use = "it returns the changed value"]
    pub fn stop_when_run(mut self, criterion: impl FnMut(&dyn Run) -> Option<String> + 'a) -> Self {
        self.criterion = Some(Box::new(criterion));
        self
    }

    /// Saves the run to a file on the way, and continues from that file if it exists. A path is enough; [`Autosave`](crate::Autosave) sets
    /// how often to save.
    ///
    /// The run must have been started as the one in the file was. Its stop criteria and budgets are its own, so a larger budget lets it go
    /// further. From the beginning of the run until this value is dropped, no other one can use the file.
    #[cfg(feature = "checkpoint")]
    #[must_use = "it returns the changed value"]
    pub fn saving(mut self, autosave: impl Into<crate::Autosave>) -> Self {
        self.saver = Some(Box::new(crate::persist::FileSaver::new(autosave.into())));
        self
    }

    /// Continues the run from its file, if there is one, and locks the file. [`drive`](crate::drive) calls this first; a second call does
    /// nothing.
    pub fn begin(&mut self, run: &mut dyn Run) -> Result<(), CheckpointError> {
        self.saver.as_mut().map_or(Ok(()), |saver| saver.begin(run))
    }

    /// Returns the number of evaluations in the file from which the run continued; `None` for a new run.
    pub fn resumed_at(&self) -> Option<u64> {
        self.saver.as_ref()?.resumed_at()
    }

    /// Shows a generation to the observers and to the criterion. A [`Run`] calls this for each of its generations.
    pub fn show(&mut self, run: &dyn Run) {
        self.has_ended = false;
        if self.observers.is_empty() && self.criterion.is_none() {
            return;
        }
        let view = run.view();
        for observer in &mut self.observers {
            if view.is_sampled() { observer.observe(&view) } else { observer.observe_points(&view, None) }
        }
        self.reason = self.criterion.as_mut().and_then(|criterion| criterion(run));
    }

    /// Forgets the last drive, and asks the criterion about the last generation of a run that continues: it may have ended the run before.
    pub(crate) fn ask_criterion_again(&mut self, run: &dyn Run) {
        (self.reason, self.has_ended) = (None, false);
        if run.evaluations() > 0 && run.pending().told() == 0 {
            self.reason = self.criterion.as_mut().and_then(|criterion| criterion(run));
        }
    }

    /// Tells the observers that a run has ended. [`drive`](crate::drive) does this once at the end; a run of several runs does it for each.
    pub fn finished(&mut self, view: &View<'_>, stop: &Stop) {
        self.has_ended = true;
        for observer in &mut self.observers {
            if view.is_sampled() { observer.finished(view, stop) } else { observer.observe_points(view, Some(stop)) }
        }
    }

    /// Takes the criterion's reason to stop after the last generation, if it has one. What no run takes ends the drive.
    pub fn take_reason(&mut self) -> Option<String> {
        self.reason.take()
    }

    /// Returns why to stop now. Targets and budgets have priority over the criterion, and that over all other reasons.
    pub(crate) fn stop(&mut self, run: &dyn Run) -> Option<Stop> {
        match (run.stop(), self.take_reason()) {
            (stop, None) => stop,
            (Some(stop), Some(_)) if stop.is_target_or_budget() => Some(stop),
            (_, Some(reason)) => Some(Stop::User { reason }),
        }
    }

    pub(crate) fn end(&mut self, run: &dyn Run, stop: &Stop) -> Result<(), CheckpointError> {
        self.save_now(run);
        self.saver.as_mut().map_or(Ok(()), |saver| saver.result())?;
        if !self.has_ended {
            self.finished(&run.view(), stop);
        }
        Ok(())
    }

    /// What saves the run, if it is saved at all.
    pub(crate) fn saver(&mut self) -> Option<&mut (dyn Saver + 'static)> {
        self.saver.as_deref_mut()
    }

    pub(crate) fn save_after_generation(&mut self, run: &dyn Run) -> Result<(), CheckpointError> {
        self.saver.as_mut().map_or(Ok(()), |saver| saver.after_generation(run))
    }

    /// Saves the run, if it is saved at all. An error is kept.
    pub(crate) fn save_now(&mut self, run: &dyn Run) {
        if let Some(saver) = &mut self.saver {
            saver.write(run);
        }
    }
}
