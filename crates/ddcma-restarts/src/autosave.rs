//! Autosaves of a search.

use ddcma_core::{Autosave, Autosaved, CheckpointError, Objective, Saver, StepSizeRule, StoredStrategy, part};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::builder::RestartsError;
use crate::config::{Budgets, Config};
use crate::starts::Kind;
use crate::state::State;
use crate::{Policy, Search, SearchBuilder, SearchOutcome, SearchStop};

impl<S, P> Search<S, P>
where
    S: StoredStrategy<Options: Serialize + DeserializeOwned> + 'static,
    P: Policy + Serialize + DeserializeOwned + 'static,
{
    /// Saves this search to a file while [`run`](Self::run) or [`run_until`](Self::run_until) is working, and continues from that file if
    /// it exists.
    ///
    /// Call this on a new search. Returns an error if the file belongs to a search with other starts, settings, policy, seed, target or
    /// stop criteria. The budgets are those of the new search, so a larger budget extends the saved search.
    pub fn saving(self, autosave: impl Into<Autosave>) -> Result<Self, CheckpointError> {
        autosave.into().attach(self)
    }
}

impl<S, P> SearchBuilder<'_, S, P>
where
    S: StoredStrategy<Options: Serialize + DeserializeOwned> + 'static,
    P: Policy + Serialize + DeserializeOwned + 'static,
{
    /// Runs the search to its end and saves it to a file from time to time. The same program, started again, continues from that file,
    /// bit for bit.
    ///
    /// A path is enough; use [`Autosave`] to set how often to save. [`SearchOutcome::resumed_at`] tells whether the search continued from a
    /// file.
    ///
    /// ```
    /// use ddcma_restarts::{Ipop, Starts, restarts};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("search.checkpoint");
    /// let f = |x: &[f64]| x.iter().map(|x| x.abs().sqrt() + 1.0 - (10.0 * x).cos()).sum::<f64>();
    /// let starts = Starts::around(&[3.0; 3], 2.0)?;
    /// let outcome = restarts(Ipop::new(), starts, 1.0).max_evaluations(20_000).minimize_saving(f, &path)?;
    /// assert!(outcome.value < 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn minimize_saving<O: Objective>(
        self,
        objective: O,
        autosave: impl Into<Autosave>,
    ) -> Result<SearchOutcome, RestartsError<S, P, O::Error>> {
        let (mut objective, autosave) = (objective, autosave.into().of::<O>());
        self.minimize_from(&mut objective, |fresh| autosave.attach(fresh).map_err(RestartsError::Checkpoint))
    }
}

impl<S, P> Autosaved for Search<S, P>
where
    S: StoredStrategy<Options: Serialize + DeserializeOwned> + 'static,
    P: Policy + Serialize + DeserializeOwned + 'static,
{
    fn origin(&self) -> Result<Vec<(&'static str, u32)>, CheckpointError> {
        let mut parts = self.state.origin()?;
        parts.insert(0, part("the policy", &(self.policy.name(), &self.policy))?);
        Ok(parts)
    }

    fn to_bytes(&self) -> Result<Vec<u8>, CheckpointError> {
        self.to_checkpoint()
    }

    fn resume(self, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let Config { starts, budgets, .. } = self.state.config;
        let draw = match starts.0 {
            Kind::From { draw, .. } => Some(draw),
            _ => None,
        };
        let mut search = Self::restore(bytes, draw)?;
        // A run that cannot start ends the search; the outcome has the reason. A search that a custom criterion has ended continues:
        // that is why the program was started again.
        if matches!(search.stop(), Some(SearchStop::User { .. })) {
            let (state, planner) = search.parts();
            let _ = state.continue_cut_run(planner);
        }
        let (state, planner) = search.parts();
        let _ = state.set_budgets(budgets, planner);
        Ok(search)
    }

    fn evaluations_so_far(&self) -> u64 {
        self.evaluations()
    }

    fn saver(&mut self) -> &mut Saver<Self> {
        &mut self.saver
    }
}

impl<S: StoredStrategy<Options: Serialize>> State<S> {
    /// Returns the checksums of all inputs that the search was started with, except for its policy.
    fn origin(&self) -> Result<Vec<(&'static str, u32)>, CheckpointError> {
        if self.evaluations() > 0 || !self.finished.is_empty() {
            return Err(CheckpointError::HasBegun { evaluations: self.evaluations() });
        }
        let Config {
            starts,
            sigma,
            deviations,
            covariance,
            shape_of,
            settings,
            criteria,
            bounds,
            variables,
            probe_box,
            budgets,
            seed,
        } = &self.config;
        let Budgets { target, evaluations: _, time: _, runs: _ } = budgets;
        Ok(vec![
            part("the strategy and its step-size rule", &(S::NAME, <S::StepSize as StepSizeRule>::NAME))?,
            part("the settings", settings)?,
            part("the start points", starts)?,
            part("the step size", sigma)?,
            part("the deviations", deviations)?,
            part("the covariance matrix", covariance)?,
            part("the given shape", shape_of)?,
            part("the bounds", bounds)?,
            part("the variables", variables)?,
            part("the box of probes", probe_box)?,
            part("the options of the strategy", &self.strategy_options)?,
            part("the stop criteria of each run", criteria)?,
            part("the target", target)?,
            part("the seed", seed)?,
        ])
    }
}
