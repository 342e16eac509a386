//! Starts a run from its plan and from the settings that all runs of the search share.

use ddcma_core::{Optimizer, RunOptions, StartError, Strategy, Xoshiro256PlusPlus};

use crate::config::Config;
use crate::outcome::BestSoFar;
use crate::running::Running;
use crate::streams::Streams;
use crate::{Probe, RunKind, RunPlan, SearchError, StartRule};

/// A run that has started.
pub(crate) struct StartedRun<S: Strategy> {
    pub(crate) plan: RunPlan,
    pub(crate) start: Vec<f64>,
    pub(crate) running: Running<S>,
}

/// Starts run k as planned. `best` is the best point of the runs before it.
pub(crate) fn begin<S: Strategy>(
    config: &Config,
    strategy_options: &S::Options,
    plan: RunPlan,
    k: usize,
    best: Option<&BestSoFar>,
    streams: &mut Streams,
) -> Result<StartedRun<S>, SearchError> {
    let start = config.start_of(&plan, k, best, streams)?;
    let cannot_start = |error| SearchError::Start { run: k, error };
    if let RunKind::Probe { evaluations } = plan.kind {
        config.check_start(&start).map_err(cannot_start)?;
        let running = Running::Probe(Box::new(Probe::new(config, &plan, evaluations, &start)?));
        return Ok(StartedRun { plan, start, running });
    }
    let builder = Optimizer::<S>::builder(&start, plan.sigma).options(config.options_of(&plan));
    let builder = builder.strategy_options(planned_options::<S>(strategy_options, &plan, k)?);
    let rng: Xoshiro256PlusPlus = streams.run.clone();
    let mut optimizer = builder.build_with(rng).map_err(cannot_start)?;
    optimizer.set_reference(best.filter(|_| plan.abandon).map(|best| best.value)).map_err(cannot_start)?;
    Ok(StartedRun { plan, start, running: Running::Run(Box::new(optimizer)) })
}

impl Config {
    /// Returns the start point of run k.
    fn start_of(
        &self,
        plan: &RunPlan,
        k: usize,
        best: Option<&BestSoFar>,
        streams: &mut Streams,
    ) -> Result<Vec<f64>, SearchError> {
        let start = match (&plan.start, best) {
            (StartRule::At(point), _) => point.clone(),
            (StartRule::AtBest, Some(best)) => best.point.clone(),
            (StartRule::AtBest, None) | (StartRule::Draw, _) => {
                self.starts.draw(k, &mut streams.start, &self.surroundings())
            }
        };
        let (expected, got) = (self.starts.dimension(), start.len());
        if got == expected { Ok(start) } else { Err(SearchError::StartOfWrongLength { run: k, expected, got }) }
    }

    /// Returns the options of a run of the strategy: those of the search, with what is planned.
    fn options_of(&self, plan: &RunPlan) -> RunOptions {
        let mut options = self.options.clone();
        options.settings = Some(self.settings_of(plan));
        options.lambda = None;
        options.target = self.target();
        options.max_evaluations = self.budget_of(plan);
        options.max_time = None;
        if let Some(growth) = plan.creeping_best {
            options.criteria = Some(options.criteria.unwrap_or_default().creeping_best(growth));
        }
        if plan.deviations.is_some() {
            options.deviations.clone_from(&plan.deviations);
        }
        options
    }

    /// Returns the evaluation budget of one run, if it is limited.
    pub(crate) fn budget_of(&self, plan: &RunPlan) -> Option<u64> {
        let planned = plan.budget.map(|budget| budget.max(1)); // every run evaluates a generation
        let of_each = self.options.criteria.as_ref().and_then(|criteria| criteria.evaluation_budget());
        [of_each, planned].into_iter().flatten().min()
    }

    /// Checks that a point with n coordinates is finite and within the bounds of this search.
    pub(crate) fn check_start(&self, point: &[f64]) -> Result<(), StartError> {
        for (index, value) in point.iter().copied().enumerate() {
            let (lower, upper) = self.sides(index);
            if !value.is_finite() {
                return Err(StartError::Mean { index, value });
            }
            if !(lower <= value && value <= upper && self.scaled(index, value).is_finite()) {
                let variables = self.options.variables.as_ref();
                let name = variables.and_then(|variables| variables.iter().nth(index)?.name().map(str::to_string));
                return Err(StartError::OutsideBounds { index, name, value, lower, upper });
            }
        }
        Ok(())
    }
}

/// Returns the strategy options of the search, with the changes planned for run k.
fn planned_options<S: Strategy>(options: &S::Options, plan: &RunPlan, k: usize) -> Result<S::Options, SearchError> {
    let mut options = options.clone();
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
