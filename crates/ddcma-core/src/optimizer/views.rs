//! Read-only access to a run.

use super::values::Values;
use super::{BestSoFar, State};
use crate::observe::View;
use crate::{Columns, Distribution, EvolutionPath, Optimizer, Params, Strategy};

/// The best candidate so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best<'a> {
    /// The point.
    pub point: &'a [f64],
    /// Its function value.
    pub value: f64,
    /// The number of the evaluation, counted from 1.
    pub evaluation: u64,
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// Returns the best point so far, or `None` if no value other than NaN was told.
    ///
    /// Values told before their generation is complete count, too.
    pub fn best(&self) -> Option<Best<'_>> {
        let State { best, open, evaluations, .. } = &self.state;
        if let Some(better) = better_told(open, &self.work.x, best.as_ref()) {
            return Some(Best { evaluation: evaluations + better.evaluation, ..better });
        }
        self.best_of_complete_generations()
    }

    /// Returns the best point of the complete generations only, which is what checkpoints store.
    #[doc(hidden)]
    pub fn best_of_complete_generations(&self) -> Option<Best<'_>> {
        let BestSoFar { point, value, evaluation } = self.state.best.as_ref()?;
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
        if self.state.space.is_whole() { &self.state.mean } else { &self.state.shown_mean }
    }

    /// Returns σ, the step size.
    pub fn sigma(&self) -> f64 {
        self.state.step_size.sigma()
    }

    /// Returns the standard deviations of the coordinates, σ·D_k·√C_kk.
    ///
    /// With [variables](crate::Variables), there is one per free variable; that of a logarithmic variable is the deviation
    /// of its natural logarithm. The same is true for D and C.
    pub fn deviations(&self) -> impl ExactSizeIterator<Item = f64> {
        let (sigma, shape) = (self.sigma(), self.state.strategy.shape());
        // σ·D alone may overflow where C is small.
        (0..shape.d.len()).map(move |k| sigma * shape.deviation(k))
    }

    /// Returns the diagonal of D.
    pub fn d(&self) -> &[f64] {
        self.state.strategy.shape().d
    }

    /// Returns C, an n × n matrix computed on demand. The covariance of the distribution is σ²·D·C·D.
    pub fn c(&self) -> Columns {
        self.state.strategy.c()
    }

    /// Returns the current distribution, from which another run can start. Its C is computed on demand.
    pub fn distribution(&self) -> Distribution {
        let strategy = &self.state.strategy;
        let c = strategy.has_c().then(|| strategy.c());
        Distribution { mean: self.mean().to_vec(), sigma: self.sigma(), d: self.d().to_vec(), c }
    }

    /// Returns the path of the step size: p_σ and γ_σ.
    pub fn path_sigma(&self) -> &EvolutionPath {
        self.state.step_size.path()
    }

    /// Returns the step-size rule, to access its specific state.
    pub fn step_size_rule(&self) -> &S::StepSize {
        self.state.step_size.rule()
    }

    /// Returns the strategy, to access its specific state.
    pub fn strategy(&self) -> &S {
        &self.state.strategy
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
        self.state.evaluations + self.state.open.told() as u64
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

/// Returns the best candidate of a generation if it is better than the best known one; the first one in case of ties. Its
/// evaluation is counted from the start of the generation.
pub(super) fn better_told<'a>(values: &Values, x: &'a Columns, known: Option<&BestSoFar>) -> Option<Best<'a>> {
    let mut better: Option<Best<'a>> = None;
    let mut least = known.map(|known| known.value);
    for (nth, (candidate, value)) in values.iter_told().enumerate() {
        // The first value is the best so far even if it is +∞: its point was evaluated.
        if least.map_or(!value.is_nan(), |least| value < least) {
            least = Some(value);
            better = Some(Best { point: &x[candidate], value, evaluation: nth as u64 + 1 });
        }
    }
    better
}
