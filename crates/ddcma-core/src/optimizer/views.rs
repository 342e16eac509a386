//! Read-only access to a run.

use super::{BestSoFar, State};
use crate::observe::View;
use crate::{Columns, Distribution, EvolutionPath, Optimizer, Params, Strategy};

/// The best candidate so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best<'a> {
    /// The point.
    pub point: &'a [f64],
    /// Its function value.
    pub value: f64,
    /// The number of the evaluation, counted from 1.
    pub evaluation: u64,
}

impl<S: Strategy> Optimizer<S> {
    /// Returns the best point so far, or `None` if no value other than NaN was told.
    ///
    /// Values told before their generation is complete count, too.
    pub fn best(&self) -> Option<Best<'_>> {
        let State { best, open, evaluations, .. } = &self.state;
        let known = best.as_ref();
        if let Some((candidate, value, nth)) = open.better_than(known.map(|best| best.value)) {
            return Some(Best { point: &self.work.x[candidate], value, evaluation: evaluations + nth });
        }
        let BestSoFar { point, value, evaluation } = known?;
        Some(Best { point, value: *value, evaluation: *evaluation })
    }

    /// Returns the best function value so far; +∞ if there is none.
    pub fn best_value(&self) -> f64 {
        self.best().map_or(f64::INFINITY, |best| best.value)
    }

    /// Returns m, the center of the distribution, which is often a better estimate of the solution than the best point.
    ///
    /// With bounds, this is its image in the box; with [variables](crate::Variables), the image is in their own units.
    pub fn mean(&self) -> &[f64] {
        if self.state.space.is_whole() { &self.state.mean } else { &self.state.users_mean }
    }

    /// Returns σ, the step size.
    pub fn sigma(&self) -> f64 {
        self.step_size.sigma()
    }

    /// Returns the standard deviations of the coordinates, σ·D_k·√C_kk.
    ///
    /// With [variables](crate::Variables), there is one per free variable; that of a logarithmic variable is the deviation
    /// of its natural logarithm. The same is true for D and C.
    pub fn deviations(&self) -> impl ExactSizeIterator<Item = f64> {
        let (sigma, shape) = (self.sigma(), self.strategy.shape());
        // σ·D alone may overflow where C is small.
        (0..shape.d.len()).map(move |k| sigma * shape.deviation(k))
    }

    /// Returns the diagonal of D.
    pub fn d(&self) -> &[f64] {
        self.strategy.shape().d
    }

    /// Returns C, an n × n matrix computed on demand. The covariance of the distribution is σ²·D·C·D.
    pub fn c(&self) -> Columns {
        self.strategy.c()
    }

    /// Returns the current distribution, from which another run can start. Its C is computed on demand.
    pub fn distribution(&self) -> Distribution {
        let strategy = &self.strategy;
        let c = strategy.has_c().then(|| strategy.c());
        Distribution { mean: self.mean().to_vec(), sigma: self.sigma(), d: self.d().to_vec(), c }
    }

    /// Returns the path of the step size: p_σ and γ_σ.
    pub fn path_sigma(&self) -> &EvolutionPath {
        self.step_size.path()
    }

    /// Returns the step-size rule, to access its specific state.
    pub fn step_size_rule(&self) -> &S::StepSize {
        self.step_size.rule()
    }

    /// Returns the strategy, to access its specific state.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// Returns the strategy parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the values of the last complete generation, in the order of its candidates; NaN where a value is missing.
    /// Empty before the first generation.
    pub fn values(&self) -> &[f64] {
        self.state.values.as_slice()
    }

    /// Returns the number of function values told.
    pub fn evaluations(&self) -> u64 {
        self.state.evaluations + self.state.open.evaluations()
    }

    /// Returns the number of generations told.
    pub fn iterations(&self) -> u64 {
        self.state.iterations
    }

    /// Returns the view that an observer would see now.
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }
}
