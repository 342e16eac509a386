//! Families of problems, by dimension and seed.

use std::sync::Arc;

use ddcma_core::Variables;
use ddcma_problems::{Problem, from_fn};
use ddcma_restarts::Starts;

use crate::LabError;

/// A problem for one trial.
///
/// If it has [variables](Self::variables), points are in the variables' own units, and the step size multiplies their initial deviations.
#[non_exhaustive]
pub struct TrialProblem<'a> {
    /// The objective function.
    pub objective: &'a mut dyn Problem,
    /// The variables with ranges, scales and initial deviations; `None` for a problem on all of ℝⁿ. Strategies of `ddcma-core` run over
    /// them, as in an application. Other algorithms see all of ℝⁿ: see [`Trial`](crate::Trial).
    pub variables: Option<Variables>,
    /// Where a single run starts.
    pub initial_mean: Vec<f64>,
    /// The initial step size.
    pub initial_sigma: f64,
    /// The budget of evaluations, after which a trial is a failure, unless the experiment sets another one.
    pub budget: u64,
    /// The target; `None`: that of the experiment.
    pub target: Option<f64>,
    /// Where the runs of a search with restarts start.
    pub starts: Starts,
    /// The range of interest of each coordinate, which limits a [probe](ddcma_restarts::Probed). `None`: the box of the starts, if there
    /// is one, limits it.
    pub domain: Option<(f64, f64)>,
}

impl std::fmt::Debug for TrialProblem<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrialProblem").field("initial_mean", &self.initial_mean).finish_non_exhaustive()
    }
}

impl<'a> TrialProblem<'a> {
    /// Creates a problem from a function with its start; the runs of a search start around it.
    pub fn new(
        objective: &'a mut dyn Problem,
        initial_mean: Vec<f64>,
        initial_sigma: f64,
        budget: u64,
    ) -> Result<Self, LabError> {
        let starts = Starts::around(&initial_mean, initial_sigma);
        let starts = starts.map_err(|error| LabError::new(format!("the start of a problem: {error}")))?;
        Ok(Self { objective, variables: None, initial_mean, initial_sigma, budget, target: None, starts, domain: None })
    }
}

/// A family of problems that differ in their dimension and a seed.
pub trait Family: Send + Sync {
    /// Returns its name in tables and records, which must be unique within an experiment.
    fn name(&self) -> &str;

    /// Returns the dimension if it is fixed, which experiments then use instead of theirs; `None` otherwise.
    fn only_dimension(&self) -> Option<usize> {
        None
    }

    /// Builds the problem of a dimension and a seed, and calls `trial` with it once. The same arguments must give the same problem.
    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError>;
}

impl<F: Family + ?Sized> Family for Box<F> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn only_dimension(&self) -> Option<usize> {
        (**self).only_dimension()
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        (**self).with(n, seed, trial)
    }
}

impl<F: Family + ?Sized> Family for Arc<F> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn only_dimension(&self) -> Option<usize> {
        (**self).only_dimension()
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        (**self).with(n, seed, trial)
    }
}

/// A custom objective function.
type Function = dyn FnMut(&[f64]) -> f64;

/// A custom problem: a function, a start and a step size.
pub struct OwnProblem {
    f: Box<Function>,
    start: Vec<f64>,
    sigma: f64,
    starts: Option<Starts>,
    budget: Option<u64>,
    target: Option<f64>,
}

impl std::fmt::Debug for OwnProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnProblem").field("start", &self.start).field("sigma", &self.sigma).finish_non_exhaustive()
    }
}

impl OwnProblem {
    /// Creates a problem from a function, a start and a step size.
    pub fn new(f: impl FnMut(&[f64]) -> f64 + 'static, start: Vec<f64>, sigma: f64) -> Self {
        Self { f: Box::new(f), start, sigma, starts: None, budget: None, target: None }
    }

    /// Creates a problem in a box. A single run starts in its middle, the runs of a search anywhere in it; the step size is a fifth of the
    /// longest side.
    pub fn in_box(f: impl FnMut(&[f64]) -> f64 + 'static, lower: &[f64], upper: &[f64]) -> Result<Self, LabError> {
        let starts = Starts::in_box(lower, upper).map_err(|error| LabError::new(error.to_string()))?;
        let sides = || lower.iter().zip(upper);
        let start = sides().map(|(lower, upper)| 0.5 * (lower + upper)).collect();
        let sigma = 0.2 * sides().map(|(lower, upper)| upper - lower).fold(0.0, f64::max);
        Ok(Self { starts: Some(starts), ..Self::new(f, start, sigma) })
    }

    /// Sets the budget of evaluations, after which a trial is a failure. Default: 50 000 per variable.
    #[must_use = "it returns the changed problem"]
    pub fn budget(mut self, budget: u64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Sets the target. Default: that of the experiment.
    #[must_use = "it returns the changed problem"]
    pub fn target(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }
}

/// Makes a custom family of problems from a closure that takes the dimension and a seed.
///
/// ```
/// use ddcma_lab::{Experiment, OwnProblem, Silent, dd, family};
///
/// // A sphere around a point that depends on the seed.
/// let shifted = family("shifted", |n, seed| {
///     let center = (seed as f64).sin();
///     Ok(OwnProblem::new(move |x: &[f64]| x.iter().map(|x| (x - center).powi(2)).sum(), vec![3.0; n], 1.0))
/// });
/// let outcomes = Experiment::new().algorithm(dd()).problem(shifted).dimensions([2, 4]).trials(2).run(&Silent)?;
/// assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.success).count(), 4);
/// # Ok::<(), ddcma_lab::LabError>(())
/// ```
pub fn family<F>(name: impl Into<String>, make: F) -> impl Family
where
    F: Fn(usize, u64) -> Result<OwnProblem, LabError> + Send + Sync,
{
    Closure { name: name.into(), make }
}

/// Changes the problems of a family before trials see them: the start, the step size, the budget or the target.
///
/// ```
/// use ddcma_lab::{Experiment, Silent, SuiteFunction, altered, dd};
///
/// let sphere: SuiteFunction = "sphere".parse()?;
/// let from_near = altered(sphere, |problem| problem.initial_sigma *= 1e-6);
/// let outcomes = Experiment::new().algorithm(dd()).problem(from_near).dimensions([3]).trials(1).run(&Silent)?;
/// assert!(outcomes.iter().all(|(_, outcome)| outcome.success));
/// # Ok::<(), ddcma_lab::LabError>(())
/// ```
pub fn altered<F: Family>(family: F, change: impl Fn(&mut TrialProblem<'_>) + Send + Sync) -> impl Family {
    Altered { family, change }
}

struct Altered<F, C> {
    family: F,
    change: C,
}

impl<F: Family, C: Fn(&mut TrialProblem<'_>) + Send + Sync> Family for Altered<F, C> {
    fn name(&self) -> &str {
        self.family.name()
    }

    fn only_dimension(&self) -> Option<usize> {
        self.family.only_dimension()
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        self.family.with(n, seed, &mut |mut problem| {
            (self.change)(&mut problem);
            trial(problem);
        })
    }
}

struct Closure<F> {
    name: String,
    make: F,
}

impl<F: Fn(usize, u64) -> Result<OwnProblem, LabError> + Send + Sync> Family for Closure<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        let OwnProblem { f, start, sigma, starts, budget, target } = (self.make)(n, seed)?;
        if start.len() != n {
            let got = start.len();
            return Err(LabError::new(format!("{}: the start must have n = {n} coordinates, got {got}", self.name)));
        }
        let mut objective = from_fn(n, f).map_err(|error| LabError::new(format!("{}: {error}", self.name)))?;
        let mut problem = TrialProblem::new(&mut objective, start, sigma, budget.unwrap_or(50_000 * n as u64))?;
        problem.target = target;
        if let Some(starts) = starts {
            problem.starts = starts;
        }
        trial(problem);
        Ok(())
    }
}
