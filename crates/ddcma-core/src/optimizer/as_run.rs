//! An optimizer as a [`Run`], and the ways to drive it. The algorithm is in `optimizer.rs`.

#[cfg(feature = "checkpoint")]
use crate::CheckpointError;
use crate::{
    Best, Interrupted, Missing, Objective, Optimizer, Origin, Pending, Run, Stop, Strategy, TellError, Ticket, Told,
    View, With, drive, run,
};

impl<S: Strategy> Optimizer<S> {
    /// Runs one generation: asks, evaluates and tells.
    ///
    /// If an update fails, that is a reason to [stop](Self::stop). If the objective fails, its error is returned and nothing
    /// is lost: see [`Interrupted`]. The same is true if it panics and the panic is caught.
    ///
    /// ```
    /// use ddcma_core::SepCma;
    ///
    /// let mut sphere = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    /// let mut es = SepCma::new(&[3.0; 10], 1.0, 42)?;
    /// while es.stop().is_none() {
    ///     es.step(&mut sphere)?;
    /// }
    /// assert!(es.best_value() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step<E>(&mut self, objective: &mut dyn Objective<Error = E>) -> Result<(), Interrupted<E>> {
        run::step(self, objective, &mut With::new())
    }

    /// Asks, evaluates and tells until there is a reason to [stop](Self::stop), which it returns.
    pub fn run<O: Objective>(&mut self, objective: O) -> Result<Stop, Interrupted<O::Error>> {
        self.run_with(objective, &mut With::new())
    }

    /// [Runs](Self::run) with observers, a custom stop criterion, or an autosave.
    pub fn run_with<O: Objective>(
        &mut self,
        mut objective: O,
        with: &mut With<'_>,
    ) -> Result<Stop, Interrupted<O::Error>> {
        drive(self, &mut objective, with)
    }
}

impl<S: Strategy> Run for Optimizer<S> {
    fn open(&mut self) {
        self.ask();
    }

    fn pending(&self) -> Pending<'_> {
        self.pending()
    }

    fn take(&mut self, ticket: Ticket, told: Told<'_>) -> Result<(), TellError> {
        self.take(ticket, told)
    }

    fn finish(&mut self, missing: Missing, with: &mut With<'_>) -> Result<(), TellError> {
        match self.finish(missing) {
            Ok(()) | Err(TellError::Update(_)) => {
                with.show(self);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn stop(&self) -> Option<Stop> {
        self.stop()
    }

    fn best(&self) -> Option<Best<'_>> {
        self.best()
    }

    fn evaluations(&self) -> u64 {
        self.evaluations()
    }

    fn view(&self) -> View<'_> {
        self.view()
    }

    fn origin(&self) -> Origin {
        self.origin.clone()
    }

    #[cfg(feature = "checkpoint")]
    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        self.to_checkpoint()
    }

    #[cfg(feature = "checkpoint")]
    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.continue_from(bytes)
    }
}
