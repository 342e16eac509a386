//! The applied problems of `ddcma-problems` as families: `gp`, `gp-naive`. Knows names, and how a box becomes all of ℝⁿ.

use ddcma_core::Variables;
use ddcma_problems::Problem;
use ddcma_problems::applied::{Applied, Start};
use ddcma_restarts::Starts;

use crate::{Family, LabError, TrialProblem};

/// Behind the name of a problem: all variables in their own units, with one step size.
const NAIVE: &str = "-naive";

/// An applied problem with one of its ways to start.
///
/// Algorithms see a function on all of ℝⁿ: points are mapped into the box as `ddcma_core` does it. With the scaled start, each
/// variable is searched on its own scale and in units of its initial deviation, so that the step size is 1; with the naive start in
/// its own units. The start of a trial depends on its seed, and so do those of a search with restarts; the problem does not.
#[derive(Clone, Debug)]
pub struct AppliedFamily {
    problem: Applied,
    start: Start,
    name: String,
}

/// The whole collection: each problem with the scaled start and, where that is another one, with the naive start.
pub fn applied() -> Vec<Box<dyn Family>> {
    let families = Applied::all().into_iter().flat_map(|problem| {
        let naive = (!problem.is_evenly_scaled()).then(|| AppliedFamily::new(problem.clone(), Start::Naive));
        [AppliedFamily::new(problem, Start::Scaled)].into_iter().chain(naive)
    });
    families.map(|family| Box::new(family) as Box<dyn Family>).collect()
}

impl AppliedFamily {
    /// A problem with a way to start.
    pub fn new(problem: Applied, start: Start) -> Self {
        let ending = if start == Start::Naive { NAIVE } else { "" };
        Self { name: format!("{}{ending}", problem.name()), problem, start }
    }

    /// The family of a name: that of a problem, with `-naive` behind it for the naive start.
    ///
    /// ```
    /// use ddcma_lab::{AppliedFamily, Experiment, Silent, dd};
    ///
    /// let fit = AppliedFamily::from_name("alpha-pinene")?;
    /// let n = fit.dimension();
    /// let outcomes = Experiment::new().algorithm(dd()).problem(fit).dimensions([n]).trials(2).run(&Silent)?;
    /// assert!(outcomes.iter().all(|(_, outcome)| outcome.success));
    /// # Ok::<(), ddcma_lab::LabError>(())
    /// ```
    pub fn from_name(name: &str) -> Result<Self, LabError> {
        let (problem, start) =
            name.strip_suffix(NAIVE).map_or((name, Start::Scaled), |problem| (problem, Start::Naive));
        let problem = Applied::from_name(problem).map_err(|error| LabError::new(error.to_string()))?;
        Ok(Self::new(problem, start))
    }

    /// The number of its variables, for which alone it has problems.
    pub fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    /// The problem.
    pub fn problem(&self) -> &Applied {
        &self.problem
    }

    /// How a trial starts.
    pub fn start(&self) -> Start {
        self.start
    }

    /// What the coordinates of a search are divided by, and the step size that is left.
    fn units(&self) -> (Vec<f64>, f64) {
        let deviations = self.problem.deviations(self.start);
        match self.start {
            Start::Naive => (vec![1.0; deviations.len()], deviations[0]),
            _ => (deviations, 1.0),
        }
    }
}

impl Family for AppliedFamily {
    fn name(&self) -> &str {
        &self.name
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        if n != self.dimension() {
            let Self { name, .. } = self;
            return Err(LabError::new(format!("{name} has {} variables, not {n}", self.dimension())));
        }
        let (units, initial_sigma) = self.units();
        let (family, of_run) = (self.clone(), units.clone());
        // Run k of a search starts where the problem starts with another seed.
        let start =
            move |k: usize| search_point(&family.problem, family.start, seed.wrapping_add((k as u64) << 32), &of_run);
        let variables = self.problem.variables(self.start, seed);
        let mut objective = OnAllOfSpace { problem: self.problem.clone(), variables, units, inside: vec![0.0; n] };
        trial(TrialProblem {
            initial_mean: start(0),
            initial_sigma,
            budget: self.problem.budget(),
            target: Some(self.problem.target()).filter(|target| target.is_finite()),
            starts: Starts::from_fn(n, move |k, _| start(k)),
            objective: &mut objective,
        });
        Ok(())
    }
}

/// The start of a seed, in the coordinates of the search.
fn search_point(problem: &Applied, start: Start, seed: u64, units: &[f64]) -> Vec<f64> {
    let inside = problem.variables(start, seed).to_search(&problem.start(start, seed));
    inside.iter().zip(units).map(|(x, unit)| x / unit).collect()
}

/// A problem in a box as one on all of ℝⁿ, in units of initial deviations.
struct OnAllOfSpace {
    problem: Applied,
    variables: Variables,
    units: Vec<f64>,
    inside: Vec<f64>,
}

impl Problem for OnAllOfSpace {
    fn dimension(&self) -> usize {
        self.units.len()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.units.len(), "a point of the dimension of the problem");
        if x.iter().any(|x| x.is_nan()) {
            return f64::NAN; // mirroring would take it for a point that is far away
        }
        self.inside.iter_mut().zip(x).zip(&self.units).for_each(|((inside, x), unit)| *inside = unit * x);
        self.problem.at(&self.variables.from_search(&self.inside))
    }
}
