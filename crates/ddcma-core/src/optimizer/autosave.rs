//! Autosaves of an optimizer.

use rand_core::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::checkpoint::generator_name;
use crate::autosave::{Autosaved, part};
use crate::saver::Saver;
use crate::step_size::StepSizeRule;
use crate::{Autosave, CheckpointError, Optimizer, StoredStrategy};

impl<S: StoredStrategy + 'static, R: Rng + Serialize + DeserializeOwned + 'static> Optimizer<S, R> {
    /// Saves this run to a file while [`step`](Self::step), [`run`](Self::run) or [`run_until`](Self::run_until) evaluate
    /// it, and continues from that file if it exists.
    ///
    /// Call it on a new run: a file that belongs to another start, other settings or another seed is an error. The stop
    /// criteria are those of the new run, so a larger budget lets the run go further. Your own loops with
    /// [`tell`](Self::tell), [`tell_one`](Self::tell_one) or [`finish`](Self::finish) save nothing: call `save` there.
    ///
    /// ```
    /// use ddcma_core::SepCma;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("run.checkpoint");
    /// let mut es = SepCma::new(&[3.0; 10], 1.0, 42)?.saving(&path)?; // continues if the program was killed before
    /// es.run(|x: &[f64]| x.iter().map(|x| x * x).sum(), &mut [])?;
    /// assert!(es.best_value() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn saving(self, autosave: impl Into<Autosave>) -> Result<Self, CheckpointError> {
        autosave.into().attach(self)
    }
}

impl<S: StoredStrategy + 'static, R: Rng + Serialize + DeserializeOwned + 'static> Autosaved for Optimizer<S, R> {
    fn origin(&self) -> Result<Vec<(&'static str, u32)>, CheckpointError> {
        if self.evaluations() > 0 || self.state.asked {
            return Err(CheckpointError::HasBegun { evaluations: self.evaluations() });
        }
        let state = &self.state;
        let names = (S::NAME, S::StepSize::NAME, generator_name::<R>());
        Ok(vec![
            part("the strategy, its step-size rule and the random generator", &names)?,
            part("the settings", &(self.params.dimension(), self.params.settings()))?,
            part("the start", &state.mean)?,
            part("the bounds or the variables", &state.space)?,
            part("the step size", &state.step_size)?,
            part("the deviations, the covariance matrix or the options of the strategy", &state.strategy)?,
            part("the seed", &state.rng)?,
        ])
    }

    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        self.to_checkpoint()
    }

    fn resume(self, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let mut run = Self::from_checkpoint(bytes)?;
        let criteria = run.set_criteria(self.state.criteria);
        criteria.map_err(|_| CheckpointError::Inconsistent { what: "the stop criteria" })?;
        Ok(run)
    }

    fn evaluations_so_far(&self) -> u64 {
        self.evaluations()
    }

    fn saver(&mut self) -> &mut Saver<Self> {
        &mut self.saver
    }
}
