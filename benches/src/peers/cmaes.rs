//! The crate `cmaes`.

use std::cell::RefCell;

use ::cmaes::{CMAESOptions, DVector};
use ddcma_lab::{Algorithm, LabError, Trial};

/// `cmaes` 0.2.
#[derive(Clone, Copy, Debug)]
pub struct Cmaes;

impl Algorithm for Cmaes {
    fn name(&self) -> &str {
        "cmaes"
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let options = CMAESOptions::new(trial.start().to_vec(), trial.sigma()).seed(trial.seed());
        let options = trial.lambda().map_or(options.clone(), |lambda| options.population_size(lambda));
        // Both the optimizer and the loop need the trial.
        let shared = RefCell::new(trial);
        let es = options.build(|x: &DVector<f64>| shared.borrow_mut().evaluate(x.as_slice()));
        let mut es = es.map_err(|error| LabError::new(format!("cmaes: {error:?}")))?;
        let mut ended = None;
        while ended.is_none() && !shared.borrow().is_over() {
            ended = es.next();
        }
        let iterations = es.generation() as u64;
        let reason = ended.and_then(|ended| ended.reasons.first().map(|reason| reason.to_string()));
        drop(es);
        super::note_end(shared.into_inner(), reason, iterations);
        Ok(())
    }

    fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
        super::population_size(self.name(), 2, n, asked)
    }
}
