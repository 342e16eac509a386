//! What wants an evaluation: the candidates of the open generation, their tickets, and what is told about them.

use std::fmt;

use crate::stored::stored;
use crate::{Columns, Values};

stored! {
    /// Identifies one candidate of one generation when its value is told.
    ///
    /// If the points of a generation are replaced by [given deviates](crate::Optimizer::ask_with), the tickets stay the same.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Ticket {
        /// The number of the generation, counted from 0; in a search with restarts, it is counted over all runs.
        pub generation: u64,
        /// The candidate's index in its generation, counted from 0.
        pub index: usize,
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "candidate {} of generation {}", self.index, self.generation)
    }
}

/// What happens to candidates without a value when a generation ends early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Rank them last, as if their value were +∞: the distribution moves away from them.
    #[default]
    RankLast,
    /// Leave them out: the generation counts as one of a smaller population, with its own weights and learning rates.
    LeaveOut,
}

/// What is told about a candidate. A value is enough: `Told::from(0.5)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Told<'a> {
    /// The function value.
    pub value: f64,
    /// The values of the constraints, if the run has any: see [`TellError::Constraints`](crate::TellError::Constraints).
    pub constraints: &'a [f64],
    /// How many evaluations it took: 1, unless evaluations were repeated, or the value was known before.
    pub evaluations: u32,
}

impl<'a> Told<'a> {
    /// Sets the values of the constraints.
    #[must_use]
    pub fn constraints(self, constraints: &'a [f64]) -> Self {
        Self { constraints, ..self }
    }

    /// Sets how many evaluations it took.
    #[must_use]
    pub fn evaluations(self, evaluations: u32) -> Self {
        Self { evaluations, ..self }
    }
}

impl From<f64> for Told<'_> {
    fn from(value: f64) -> Self {
        Self { value, constraints: &[], evaluations: 1 }
    }
}

/// The open generation of a [`Run`](crate::Run): its candidates, and the values told so far.
#[derive(Clone, Copy, Debug)]
pub struct Pending<'a> {
    generation: u64,
    points: &'a Columns,
    values: &'a Values,
    wanted: Option<&'a [usize]>,
}

impl<'a> Pending<'a> {
    /// Describes a generation with this number. All candidates without a value are wanted.
    pub fn new(generation: u64, points: &'a Columns, values: &'a Values) -> Self {
        Self { generation, points, values, wanted: None }
    }

    /// Wants only these candidates, as far as they have no value.
    #[must_use]
    pub fn only(self, wanted: &'a [usize]) -> Self {
        Self { wanted: Some(wanted), ..self }
    }

    /// Counts generations from another start.
    #[must_use]
    pub fn after(self, generations: u64) -> Self {
        Self { generation: self.generation + generations, ..self }
    }

    /// Returns the number of the generation, counted from 0.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns all candidates, one per column. If no generation is open, these are the last ones.
    pub fn points(&self) -> &'a Columns {
        self.points
    }

    /// Returns the number of candidates; 0 if no generation is open.
    pub fn lambda(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of values told so far.
    pub fn told(&self) -> usize {
        self.values.told()
    }

    /// Returns the value of a candidate, if it was told.
    pub fn value(&self, index: usize) -> Option<f64> {
        if index < self.lambda() { self.values.get(index) } else { None }
    }

    /// Returns the ticket of a candidate.
    pub fn ticket(&self, index: usize) -> Ticket {
        Ticket { generation: self.generation, index }
    }

    /// Returns whether a candidate wants an evaluation.
    pub fn wants(&self, index: usize) -> bool {
        let is_wanted = || self.wanted.is_none_or(|wanted| wanted.contains(&index));
        index < self.lambda() && !self.values.is_told(index) && is_wanted()
    }

    /// Returns the candidates that want an evaluation, in ascending order.
    pub fn missing(&self) -> impl Iterator<Item = usize> + use<'a> {
        let pending = *self;
        (0..self.lambda()).filter(move |index| pending.wants(*index))
    }

    /// Returns the candidates that want an evaluation, with their tickets.
    pub fn jobs(&self) -> impl Iterator<Item = (Ticket, &'a [f64])> + use<'a> {
        let pending = *self;
        self.missing().map(move |index| (pending.ticket(index), &pending.points[index]))
    }
}
