//! The plan of an experiment: the list of its trials.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One trial of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Planned {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The index of the algorithm in the experiment.
    #[serde(skip)]
    pub algorithm_index: usize,
    /// The name of the family of problems.
    pub problem: String,
    /// The index of the family in the experiment.
    #[serde(skip)]
    pub problem_index: usize,
    /// The number of variables.
    pub n: usize,
    /// The population size set by the experiment, if any.
    pub asked_lambda: Option<usize>,
    /// The population size of the algorithm, if it has one.
    pub lambda: Option<usize>,
    /// The number of the trial, from 0.
    pub trial: u32,
    /// The seed of the problem and of the algorithm.
    pub seed: u64,
}

impl Planned {
    /// Returns its sort key in a plan: the largest dimensions come first, since they take longest and should not be left for the end.
    pub(crate) fn order(&self) -> impl Ord + use<> {
        let Self { algorithm_index, problem_index, n, asked_lambda, seed, .. } = *self;
        (std::cmp::Reverse(n), problem_index, asked_lambda, algorithm_index, seed)
    }
}

/// Shows the key of its record.
impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, problem, n, lambda, seed, .. } = self;
        write!(f, "{problem}/n={n}/{algorithm}")?;
        if let Some(lambda) = lambda {
            write!(f, "/lambda={lambda}")?;
        }
        write!(f, "/seed={seed}")
    }
}
