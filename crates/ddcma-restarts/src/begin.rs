//! Starts a run from its plan and from the settings that all runs of the search share.

use ddcma_core::{Optimizer, StartError, Strategy, Xoshiro256PlusPlus};

use crate::builder::Config;
use crate::outcome::BestSoFar;
use crate::running::Running;
use crate::streams::Streams;
use crate::{Probe, RunKind, RunPlan, SearchError, StartRule};

/// A run that has started.
pub(crate) struct Begun<S: Strategy> {
    pub(crate) plan: RunPlan,
    pub(crate) start: Vec<f64>,
    pub(crate) running: Running<S>,
}

/// Starts run k as planned. `best` is the best point of the runs before it.
pub(crate) fn begin<S: Strategy>(
    config: &Config<S>,
    plan: RunPlan,
    k: usize,
    best: Option<&BestSoFar>,
    streams: &mut Streams,
) -> Result<Begun<S>, SearchError> {
    let start = match (&plan.start, best) {
        (StartRule::At(point), _) => point.clone(),
        (StartRule::AtBest, Some(best)) => best.point.clone(),
        (StartRule::AtBest, None) | (StartRule::Draw, _) => {
            config.starts.draw(k, &mut streams.start, &config.surroundings())
        }
    };
    let (expected, got) = (config.starts.dimension(), start.len());
    if got != expected {
        return Err(SearchError::StartOfWrongLength { run: k, expected, got });
    }
    if let RunKind::Probe { evaluations } = plan.kind {
        config.check_start(&start).map_err(|error| SearchError::Start { run: k, error })?;
        let running = Running::Probe(Box::new(Probe::new(config, &plan, evaluations, &start)?));
        return Ok(Begun { plan, start, running });
    }
    let criteria = config.criteria.clone().target(config.budgets.target);
    let mut criteria = criteria.max_evaluations(config.budget_of(&plan));
    if let Some(growth) = plan.creeping_best {
        criteria = criteria.creeping_best(growth);
    }
    let settings = config.settings_of(&plan);
    let mut builder = Optimizer::<S>::builder(&start, plan.sigma).settings(settings).criteria(criteria);
    builder = builder.strategy_options(strategy_options(config, &plan, k)?);
    if let Some(deviations) = plan.deviations.as_ref().or(config.deviations.as_ref()) {
        builder = builder.deviations(deviations);
    }
    if let Some(covariance) = &config.covariance {
        builder = builder.covariance(covariance.clone());
    }
    if let Some(distribution) = &config.shape_of {
        builder = builder.shape_of(distribution.clone());
    }
    if let Some(bounds) = &config.bounds {
        builder = builder.bounds(bounds.clone());
    }
    if let Some(variables) = &config.variables {
        builder = builder.variables(variables.clone());
    }
    let rng: Xoshiro256PlusPlus = streams.run.clone();
    let cannot_start = |error| SearchError::Start { run: k, error };
    let mut optimizer = builder.build_with(rng).map_err(cannot_start)?;
    optimizer.set_reference(best.filter(|_| plan.abandon).map(|best| best.value)).map_err(cannot_start)?;
    Ok(Begun { plan, start, running: Running::Run(Box::new(optimizer)) })
}

impl<S: Strategy> Config<S> {
    /// Returns the evaluation budget of one run, if it is limited.
    pub(crate) fn budget_of(&self, plan: &RunPlan) -> Option<u64> {
        [self.criteria.evaluation_budget(), plan.budget].into_iter().flatten().min()
    }

    /// Checks that a point with n coordinates is finite and within the bounds of this search.
    pub(crate) fn check_start(&self, point: &[f64]) -> Result<(), StartError> {
        for (index, value) in point.iter().copied().enumerate() {
            let (lower, upper) = self.sides(index);
            if !value.is_finite() {
                return Err(StartError::Mean { index, value });
            }
            if !(lower <= value && value <= upper && self.scaled(index, value).is_finite()) {
                return Err(StartError::OutsideBounds { index, value, lower, upper });
            }
        }
        Ok(())
    }
}

/// Returns the strategy options of the search, with the changes planned for run k.
fn strategy_options<S: Strategy>(config: &Config<S>, plan: &RunPlan, k: usize) -> Result<S::Options, SearchError> {
    let mut options = config.strategy_options.clone();
    if let Some(planned) = plan.strategy.as_ref().filter(|planned| !S::choose(&mut options, planned)) {
        return Err(SearchError::OtherStrategy { run: k, strategy: S::NAME, planned: planned.clone() });
    }
    for (option, value) in &plan.strategy_options {
        if !S::set_option(&mut options, option, *value) {
            let (option, value) = (option.clone(), *value);
            return Err(SearchError::NoSuchOption { run: k, strategy: S::NAME, option, value });
        }
    }
    Ok(options)
}
