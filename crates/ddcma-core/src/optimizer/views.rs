//! What a user may see of a run. Changes nothing.

use super::values::Values;
use super::{BestSoFar, State};
use crate::observe::View;
use crate::{Columns, Distribution, EvolutionPath, Optimizer, Params, Strategy};

/// The best candidate so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Best<'a> {
    /// Where it is.
    pub point: &'a [f64],
    /// Its function value.
    pub value: f64,
    /// The number of its evaluation, counted from 1.
    pub evaluation: u64,
}

impl<S: Strategy, R> Optimizer<S, R> {
    /// The best point that was told a value, unless all values were NaN. Values that are in before their generation is
    /// complete count.
    pub fn best(&self) -> Option<Best<'_>> {
        let State { best, open, evaluations, .. } = &self.state;
        if let Some(better) = better_told(open, &self.work.x, best.as_ref()) {
            return Some(Best { evaluation: evaluations + better.evaluation, ..better });
        }
        self.best_of_complete_generations()
    }

    /// The best point without the values of a generation that is not complete: what is stored.
    #[doc(hidden)]
    pub fn best_of_complete_generations(&self) -> Option<Best<'_>> {
        let BestSoFar { point, value, evaluation } = self.state.best.as_ref()?;
        Some(Best { point, value: *value, evaluation: *evaluation })
    }

    /// The best function value; +∞ as long as there is none.
    pub fn best_value(&self) -> f64 {
        self.best().map_or(f64::INFINITY, |best| best.value)
    }

    /// m, the center of the distribution: often a better estimate of the solution than the best point.
    ///
    /// With bounds, its image in the box; with [variables](crate::Variables), that in their own units.
    pub fn mean(&self) -> &[f64] {
        if self.state.space.is_whole() { &self.state.mean } else { &self.state.shown_mean }
    }

    /// σ, the step size.
    pub fn sigma(&self) -> f64 {
        self.state.step_size.sigma()
    }

    /// The standard deviations of the coordinates, σ·D_k·√C_kk.
    ///
    /// With [variables](crate::Variables), there is one for each free variable; that of a logarithmic variable is the deviation of
    /// its natural logarithm. The same holds for D and C.
    pub fn deviations(&self) -> impl ExactSizeIterator<Item = f64> {
        let (sigma, shape) = (self.sigma(), self.state.strategy.shape());
        // σ·D alone may leave the range of floating point where C is small.
        (0..shape.d.len()).map(move |k| sigma * shape.deviation(k))
    }

    /// The diagonal of D.
    pub fn d(&self) -> &[f64] {
        self.state.strategy.shape().d
    }

    /// C, an n × n matrix computed on demand. The covariance of the distribution is σ²·D·C·D.
    pub fn c(&self) -> Columns {
        self.state.strategy.c()
    }

    /// The distribution as it is now, for another run to start from. Its C is computed on demand.
    pub fn distribution(&self) -> Distribution {
        let strategy = &self.state.strategy;
        let c = strategy.has_c().then(|| strategy.c());
        Distribution { mean: self.mean().to_vec(), sigma: self.sigma(), d: self.d().to_vec(), c }
    }

    /// p_σ and γ_σ.
    pub fn path_sigma(&self) -> &EvolutionPath {
        self.state.step_size.path()
    }

    /// The rule that adapts the step size, for what only some of them have.
    pub fn step_size_rule(&self) -> &S::StepSize {
        self.state.step_size.rule()
    }

    /// The strategy, for what only some of them have.
    pub fn strategy(&self) -> &S {
        &self.state.strategy
    }

    /// The strategy parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The values of the last complete generation, in the order of its candidates: NaN where one was missing; empty before the
    /// first.
    pub fn values(&self) -> &[f64] {
        self.state.values.as_slice()
    }

    /// The number of function values told.
    pub fn evaluations(&self) -> u64 {
        self.state.evaluations + self.state.open.told() as u64
    }

    /// The number of generations told.
    pub fn iterations(&self) -> u64 {
        self.state.iterations
    }

    /// What an observer sees now.
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }
}

/// The first of the best candidates of a generation, if it is better than what is known; its evaluation is counted from the start
/// of the generation.
pub(super) fn better_told<'a>(values: &Values, x: &'a Columns, known: Option<&BestSoFar>) -> Option<Best<'a>> {
    let mut better: Option<Best<'a>> = None;
    let mut least = known.map(|known| known.value);
    for (nth, (candidate, value)) in values.iter_told().enumerate() {
        // The first value is the best so far even at +∞: it is of a point that was evaluated.
        if least.map_or(!value.is_nan(), |least| value < least) {
            least = Some(value);
            better = Some(Best { point: &x[candidate], value, evaluation: nth as u64 + 1 });
        }
    }
    better
}
