//! The crate `fcmaes-core`.

use ddcma_lab::{Algorithm, LabError, Trial};
use fcmaes_core::cmaes::{Cmaes, CmaesParams};
use fcmaes_core::fitness::Fitness;

/// `fcmaes-core` 0.2, by ask and tell.
#[derive(Clone, Copy, Debug)]
pub struct Fcmaes;

impl Algorithm for Fcmaes {
    fn name(&self) -> &str {
        "fcmaes"
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let params = CmaesParams {
            // 0 stands for the default of CMA-ES; the default of the crate is 31.
            popsize: trial.lambda().map_or(Ok(0), i32::try_from).map_err(|e| LabError::new(format!("fcmaes: {e}")))?,
            // The trial has its own budget.
            max_evaluations: u64::MAX / 2,
            seed: trial.seed(),
            ..Default::default()
        };
        let fitness = Fitness::new(trial.dimension(), 1, vec![], vec![]);
        let mut es = Cmaes::new(fitness, trial.start(), &[trial.sigma()], &params);
        let (mut values, mut iterations) = (vec![0.0; es.popsize()], 0);
        while es.stop() == 0 && !trial.is_over() {
            let points = es.ask().concat();
            trial.evaluate_all(&points, &mut values);
            es.tell(&values);
            iterations += 1;
        }
        let criterion = (es.stop() != 0).then(|| format!("stop {}", es.stop()));
        super::note_end(trial, criterion, iterations);
        Ok(())
    }

    fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
        super::population_size(self.name(), 2, n, asked)
    }
}
