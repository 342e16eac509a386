//! Which trials an experiment consists of. Knows names and numbers, and runs nothing.

use std::fmt;

/// One trial of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Planned {
    /// The name of the algorithm.
    pub algorithm: String,
    /// Its place among the algorithms of the experiment.
    pub algorithm_index: usize,
    /// The name of the family of problems.
    pub problem: String,
    /// Its place among the families of the experiment.
    pub problem_index: usize,
    /// The number of variables.
    pub n: usize,
    /// The population size that the experiment asks for, if it does.
    pub asked_lambda: Option<usize>,
    /// The population size that the algorithm takes, if it has one.
    pub lambda: Option<usize>,
    /// The number of the trial, from 0.
    pub trial: u32,
    /// The seed of the problem and of the algorithm.
    pub seed: u64,
}

/// The key of its record.
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
