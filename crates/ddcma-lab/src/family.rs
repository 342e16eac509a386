//! What trials minimize: families of problems, by dimension and seed. Knows no algorithm.

use std::sync::Arc;

use ddcma_core::Variables;
use ddcma_problems::{Problem, from_fn};
use ddcma_restarts::Starts;

use crate::LabError;

/// A problem for one trial.
///
/// If it has [variables](Self::variables), points are in their own units here, and the step size multiplies their initial deviations.
#[non_exhaustive]
pub struct TrialProblem<'a> {
    /// The function.
    pub objective: &'a mut dyn Problem,
    /// Ranges, scales and initial deviations of the variables; none, if it is a problem on all of ℝⁿ. Strategies of `ddcma-core` run over
    /// them as a user's runs do. Other algorithms see all of ℝⁿ; see [`Trial`](crate::Trial).
    pub variables: Option<Variables>,
    /// Where a single run starts.
    pub initial_mean: Vec<f64>,
    /// The initial step size.
    pub initial_sigma: f64,
    /// The evaluations after which a trial is a failure, unless the experiment says otherwise.
    pub budget: u64,
    /// The value to reach, unless the experiment says otherwise.
    pub target: Option<f64>,
    /// Where the runs of a search with restarts start.
    pub starts: Starts,
    /// Between which numbers the function is of interest, in each coordinate: a search with a [probe](ddcma_restarts::Probed) keeps it
    /// between them. If it is not known, it is kept to the box of the starts, if that is one.
    pub domain: Option<(f64, f64)>,
}

impl std::fmt::Debug for TrialProblem<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrialProblem").field("initial_mean", &self.initial_mean).finish_non_exhaustive()
    }
}

impl<'a> TrialProblem<'a> {
    /// A function with its start; runs of a search start around it.
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

/// Problems that differ by their dimension and by a seed.
pub trait Family: Send + Sync {
    /// Its name in tables and records: two families of an experiment must not share one.
    fn name(&self) -> &str;

    /// The only dimension in which it has problems; none, if there are others. Experiments take it in place of theirs.
    fn only_dimension(&self) -> Option<usize> {
        None
    }

    /// Builds the problem of a dimension and a seed, and hands it to `trial`, once. The same numbers give the same problem.
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

/// Somebody's function.
type Function = dyn FnMut(&[f64]) -> f64;

/// Your own problem: a function, where to start, and with which step size.
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
    /// A function to be minimized from a start, with a step size.
    pub fn new(f: impl FnMut(&[f64]) -> f64 + 'static, start: Vec<f64>, sigma: f64) -> Self {
        Self { f: Box::new(f), start, sigma, starts: None, budget: None, target: None }
    }

    /// A function to be minimized in a box: from its middle, with a fifth of its longest side for a step size; the runs of a
    /// search start anywhere in it.
    pub fn in_box(f: impl FnMut(&[f64]) -> f64 + 'static, lower: &[f64], upper: &[f64]) -> Result<Self, LabError> {
        let starts = Starts::in_box(lower, upper).map_err(|error| LabError::new(error.to_string()))?;
        let sides = || lower.iter().zip(upper);
        let start = sides().map(|(lower, upper)| 0.5 * (lower + upper)).collect();
        let sigma = 0.2 * sides().map(|(lower, upper)| upper - lower).fold(0.0, f64::max);
        Ok(Self { starts: Some(starts), ..Self::new(f, start, sigma) })
    }

    /// The evaluations after which a trial is a failure. Default: 50 000 for each variable.
    #[must_use = "it returns the changed problem"]
    pub fn budget(mut self, budget: u64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The value to reach. Default: that of the experiment.
    #[must_use = "it returns the changed problem"]
    pub fn target(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }
}

/// Your own family of problems, from a closure that takes the dimension and a seed.
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

/// A family whose problems are changed before trials see them: another start, step size, budget or target.
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
            return Err(LabError::new(format!("{}: the start for n = {n} has {got} coordinates", self.name)));
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
