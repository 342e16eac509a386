//! The applied problems of `ddcma-problems` as families: `gp`, `gp-naive`.

use ddcma_problems::Problem;
use ddcma_problems::applied::{Applied, Start};
use ddcma_restarts::Starts;

use crate::{Family, LabError, TrialProblem};

/// The suffix of a problem with all variables in their own units and one step size.
const NAIVE: &str = "-naive";

/// An applied problem with one of its two starts.
///
/// Strategies of `ddcma_core` run over the variables of the problem, as in an application. Other algorithms see a function on all of ℝⁿ:
/// see [`Trial`](crate::Trial). The step size is 1, because the initial deviations are those of the variables. The start of a trial
/// depends on its seed, and so do the starts of a search with restarts; the problem does not.
#[derive(Clone, Debug)]
pub struct AppliedFamily {
    problem: Applied,
    start: Start,
    name: String,
}

/// Returns the whole collection: each problem with the scaled start and, if it differs, also with the naive start.
pub fn applied() -> Vec<Box<dyn Family>> {
    let families = Applied::all().into_iter().flat_map(|problem| {
        let naive = (!problem.is_evenly_scaled()).then(|| AppliedFamily::new(problem.clone(), Start::Naive));
        [AppliedFamily::new(problem, Start::Scaled)].into_iter().chain(naive)
    });
    families.map(|family| Box::new(family) as Box<dyn Family>).collect()
}

impl AppliedFamily {
    /// Creates the family of a problem with a start.
    pub fn new(problem: Applied, start: Start) -> Self {
        let ending = if start == Start::Naive { NAIVE } else { "" };
        Self { name: format!("{}{ending}", problem.name()), problem, start }
    }

    /// Returns the family with this name: that of a problem, with the suffix `-naive` for the naive start.
    ///
    /// ```
    /// use ddcma_lab::{AppliedFamily, Experiment, Silent, dd};
    ///
    /// let fit = AppliedFamily::from_name("alpha-pinene")?;
    /// let outcomes = Experiment::new().algorithm(dd()).problem(fit).trials(2).run(&Silent)?;
    /// assert!(outcomes.iter().all(|(_, outcome)| outcome.success));
    /// # Ok::<(), ddcma_lab::LabError>(())
    /// ```
    pub fn from_name(name: &str) -> Result<Self, LabError> {
        let (problem, start) =
            name.strip_suffix(NAIVE).map_or((name, Start::Scaled), |problem| (problem, Start::Naive));
        let problem = Applied::from_name(problem).map_err(|error| LabError::new(error.to_string()))?;
        Ok(Self::new(problem, start))
    }

    /// Returns the number of variables, which is fixed.
    pub fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    /// Returns the problem.
    pub fn problem(&self) -> &Applied {
        &self.problem
    }

    /// Returns how a trial starts.
    pub fn start(&self) -> Start {
        self.start
    }
}

impl Family for AppliedFamily {
    fn name(&self) -> &str {
        &self.name
    }

    fn only_dimension(&self) -> Option<usize> {
        Some(self.dimension())
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        if n != self.dimension() {
            let Self { name, .. } = self;
            return Err(LabError::new(format!("n must be {} for {name}, got {n}", self.dimension())));
        }
        let family = self.clone();
        // Run k of a search starts as the problem does with another seed.
        let start = move |k: usize| family.problem.start(family.start, seed.wrapping_add((k as u64) << 32));
        trial(TrialProblem {
            variables: Some(self.problem.variables(self.start, seed)),
            initial_mean: start(0),
            initial_sigma: 1.0,
            budget: self.problem.budget(),
            target: Some(self.problem.target()).filter(|target| target.is_finite()),
            starts: Starts::from_fn(n, move |k, _| start(k)),
            domain: None,
            objective: &mut self.problem.clone(),
        });
        Ok(())
    }
}
