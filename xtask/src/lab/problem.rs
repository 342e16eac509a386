//! What a trial minimises: an instance of our suite or, with the feature `coco`, one of COCO's.
//!
//! Knows names and where trials start; which strategy comes, and when it stops, is the trial's business.

use std::fmt;
use std::str::FromStr;

use ddcma_lab::starts_of;
use ddcma_problems::Function;
use ddcma_restarts::Starts;

use super::LabError;
use super::names::Form;

/// A function by its name: `rastrigin-rotated`, or with the feature `coco` also `bbob-f8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FunctionName {
    /// One of our suite.
    Ours(Form),
    /// One of COCO's.
    #[cfg(feature = "coco")]
    Coco(ddcma_lab::coco::Function),
}

/// A problem for one trial. Its minimum is 0.
pub struct TrialProblem<'a> {
    /// The function.
    pub objective: &'a mut dyn ddcma_problems::Problem,
    /// Where a single run starts.
    pub initial_mean: Vec<f64>,
    /// The initial step size.
    pub initial_sigma: f64,
    /// The evaluations after which a trial is a failure.
    pub budget: u64,
    /// Where the runs of a search with restarts start.
    pub starts: Starts,
}

impl fmt::Display for FunctionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours(form) => form.fmt(f),
            #[cfg(feature = "coco")]
            Self::Coco(function) => function.fmt(f),
        }
    }
}

impl FromStr for FunctionName {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        if !name.starts_with("bbob-") {
            return name.parse().map(Self::Ours);
        }
        #[cfg(feature = "coco")]
        return name.parse().map(Self::Coco);
        #[cfg(not(feature = "coco"))]
        Err(LabError::new(format!("{name} is a function of COCO: {}", super::HOW_TO_GET_COCO)))
    }
}

/// What a command says about its functions.
pub fn help(all: &str) -> String {
    let [rotated, fixed]: [Vec<&str>; 2] = [true, false].map(|rotated| {
        Function::ALL
            .iter()
            .filter(|function| function.has_rotated_form() == rotated)
            .map(|function| function.name())
            .collect()
    });
    format!(
        "Functions, separated by commas or spaces: {}, each also with `-rotated` behind it, {}{all}. With the feature `coco` also COCO's, \
         such as `bbob-f8`: the seed of a trial is the number of its instance",
        rotated.join(", "),
        fixed.join(", "),
    )
}

impl FunctionName {
    /// The name of the function, in whichever form.
    pub fn function(self) -> String {
        match self {
            Self::Ours(form) => form.function.to_string(),
            #[cfg(feature = "coco")]
            Self::Coco(function) => function.to_string(),
        }
    }

    /// Whether it is the rotated form of one of our functions.
    pub fn is_rotated(self) -> bool {
        match self {
            Self::Ours(form) => form.rotated,
            #[cfg(feature = "coco")]
            Self::Coco(_) => false,
        }
    }

    /// Whether there is such a problem.
    pub fn check(self, n: usize, seed: u64) -> Result<(), LabError> {
        self.with(n, seed, |_| ())
    }

    /// Builds the problem of a dimension and a seed, and hands it to a trial.
    pub fn with<R>(self, n: usize, seed: u64, trial: impl FnOnce(TrialProblem<'_>) -> R) -> Result<R, LabError> {
        match self {
            Self::Ours(form) => {
                let mut instance = form.instance(n, seed)?;
                Ok(trial(TrialProblem {
                    initial_mean: instance.initial_mean().to_vec(),
                    initial_sigma: instance.initial_sigma(),
                    budget: instance.budget(),
                    starts: starts_of(&instance),
                    objective: &mut instance,
                }))
            }
            #[cfg(feature = "coco")]
            Self::Coco(function) => {
                let (mut trial, mut outcome) = (Some(trial), None);
                ddcma_lab::Family::with(&function, n, seed, &mut |problem| {
                    let ddcma_lab::TrialProblem { objective, initial_mean, initial_sigma, budget, starts, .. } =
                        problem;
                    let problem = TrialProblem { objective, initial_mean, initial_sigma, budget, starts };
                    outcome = trial.take().map(|trial| trial(problem));
                })?;
                outcome.ok_or_else(|| LabError::new(format!("{function}: there is no such problem")))
            }
        }
    }
}
