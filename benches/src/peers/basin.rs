//! The crate `basin`.

use std::cell::RefCell;
use std::convert::Infallible;

use ::basin::{CmaEs, CostFunction, DenseMatrix, Executor, PopulationProgress, State, StepOutcome};
use ddcma_lab::{Algorithm, LabError, Trial};

/// `basin` 3.2 with its own matrices. It evaluates the mean, too: λ + 1 points in a generation.
#[derive(Clone, Copy, Debug)]
pub struct Basin;

/// A trial as a function that basin can call.
struct Function<'a, 'b>(&'a RefCell<&'a mut Trial<'b>>);

impl CostFunction for Function<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Infallible;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Infallible> {
        Ok(self.0.borrow_mut().evaluate(x))
    }
}

impl Algorithm for Basin {
    fn name(&self) -> &str {
        "basin"
    }

    fn run(&self, trial: &mut Trial<'_>) -> Result<(), LabError> {
        let solver = CmaEs::<Vec<f64>, DenseMatrix>::new(trial.seed(), trial.sigma());
        let solver = match trial.lambda() {
            Some(lambda) => solver.with_lambda(lambda),
            None => solver,
        };
        let start = PopulationProgress::from_point(trial.start().to_vec());
        // Both the optimizer and the loop need the trial.
        let shared = RefCell::new(trial);
        let Ok(mut stepper) = Executor::new(Function(&shared), solver, start).max_iter(u64::MAX).into_stepper();
        let mut criterion = None;
        while criterion.is_none() && !shared.borrow().is_over() {
            let Ok(outcome) = stepper.step();
            if let StepOutcome::Stopped(report) = outcome {
                criterion = Some(format!("{:?}", report.code()));
            }
        }
        let iterations = stepper.state().iter();
        super::note_end(&mut shared.borrow_mut(), criterion, iterations);
        Ok(())
    }

    fn lambda(&self, n: usize, asked: Option<usize>) -> Result<Option<usize>, LabError> {
        super::population_size(self.name(), 4, n, asked)
    }
}
