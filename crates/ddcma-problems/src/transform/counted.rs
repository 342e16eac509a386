//! A counter of evaluations, with a budget.

use crate::Problem;

/// A problem with a counter and a budget, from [`Problem::counted`].
///
/// When the budget is spent, the problem is no longer evaluated, and the value is NaN.
#[derive(Clone, Debug)]
pub struct Counted<O> {
    inner: O,
    evaluations: u64,
    budget: u64,
}

impl<O: Problem> Counted<O> {
    pub(crate) fn new(inner: O, budget: u64) -> Self {
        Self { inner, evaluations: 0, budget }
    }

    /// Returns the number of evaluations so far, at most the budget.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Returns the total number of evaluations allowed.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Returns the number of evaluations left.
    pub fn remaining(&self) -> u64 {
        self.budget - self.evaluations
    }

    /// Returns the inner problem.
    pub fn inner(&self) -> &O {
        &self.inner
    }
}

impl<O: Problem> Problem for Counted<O> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn value(&mut self, x: &[f64]) -> f64 {
        if self.remaining() == 0 {
            return f64::NAN;
        }
        self.evaluations += 1;
        self.inner.value(x)
    }

    fn values(&mut self, points: &[f64], values: &mut [f64]) {
        assert_eq!(points.len(), self.dimension() * values.len(), "there must be one value per point");
        let affordable = usize::try_from(self.remaining()).unwrap_or(usize::MAX).min(values.len());
        let (evaluated, refused) = values.split_at_mut(affordable);
        self.evaluations += affordable as u64;
        self.inner.values(&points[..affordable * self.inner.dimension()], evaluated);
        refused.fill(f64::NAN);
    }

    fn minimizer(&self) -> Option<Vec<f64>> {
        self.inner.minimizer()
    }
}
