//! From a plan to a run: what the search has for all of its runs, and what is planned for this one instead. Knows no past.

use ddcma_core::{Optimizer, Strategy, Xoshiro256PlusPlus};

use crate::builder::Config;
use crate::streams::Streams;
use crate::{RunPlan, SearchError, StartRule};

/// What is evaluated next: the run that goes on.
pub(crate) struct Begun<S: Strategy> {
    pub(crate) plan: RunPlan,
    pub(crate) start: Vec<f64>,
    pub(crate) optimizer: Optimizer<S>,
}

/// Starts run k as planned.
pub(crate) fn begin<S: Strategy>(
    config: &Config<S>,
    plan: RunPlan,
    k: usize,
    best: Option<&[f64]>,
    streams: &mut Streams,
) -> Result<Begun<S>, SearchError> {
    let start = match (&plan.start, best) {
        (StartRule::At(point), _) => point.clone(),
        (StartRule::AtBest, Some(best)) => best.to_vec(),
        (StartRule::AtBest, None) | (StartRule::Draw, _) => {
            config.starts.draw(k, &mut streams.start, &config.surroundings())
        }
    };
    let (expected, got) = (config.starts.dimension(), start.len());
    if got != expected {
        return Err(SearchError::StartOfWrongLength { run: k, expected, got });
    }
    let budgets = [config.criteria.evaluation_budget(), plan.budget];
    let criteria = config.criteria.clone().target(config.budgets.target);
    let criteria = criteria.max_evaluations(budgets.into_iter().flatten().min());
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
    let optimizer = builder.build_with(rng).map_err(|error| SearchError::Start { run: k, error })?;
    Ok(Begun { plan, start, optimizer })
}

/// The options of the search's strategy, with what is planned for run k.
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
