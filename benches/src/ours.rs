//! Our strategies as algorithms that only iterate: ask, evaluate, tell, until the trial is over.
//!
//! `ddcma_lab::algorithm` also checks stop criteria after each generation, which is not part of an iteration.

use std::marker::PhantomData;

use ddcma_core::{Batch, Columns, Optimizer, Root, Settings, StopCriteria, Strategy};
use ddcma_lab::{Algorithm, LabError, Trial};

/// A strategy with one of the roots.
#[derive(Clone, Copy, Debug)]
pub struct Ours<S> {
    root: Root,
    strategy: PhantomData<fn() -> S>,
}

impl<S: Strategy> Ours<S> {
    /// Creates the algorithm with the default root, maintained by low-rank updates, or with the eigendecompositions of the paper's text.
    pub fn new(root: Root) -> Self {
        Self { root, strategy: PhantomData }
    }
}

impl<S: Strategy> Algorithm for Ours<S> {
    fn name(&self) -> &str {
        S::NAME
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let settings = Settings::new().root(self.root);
        let settings = trial.lambda().map_or(settings.clone(), |lambda| settings.lambda(lambda));
        let builder = Optimizer::<S>::builder(trial.start(), trial.sigma()).settings(settings);
        let es = builder.criteria(StopCriteria::none()).seed(trial.seed()).build();
        let mut es = es.map_err(|error| LabError::new(format!("{}: {error}", S::NAME)))?;
        while !trial.is_over() {
            let objective = |points: &Columns, values: &mut [f64]| trial.evaluate_all(points.as_slice(), values);
            es.step(&mut Batch(objective)).map_err(|error| LabError::new(format!("{}: {error}", S::NAME)))?;
        }
        trial.note_iterations(es.iterations());
        Ok(())
    }
}
