//! One search with restarts on a hostile objective, stored and restored on the way.
//!
//! The invariants of a run are in `invariants.rs`.

use ddcma_core::{BuiltInStrategy, Interrupted, Missing, Optimizer, Stop, TellError, Ticket};
use ddcma_restarts::{
    Bipop, Independent, Ipop, Nbipop, Nipop, Past, Policy, PolicyError, Probe, RunPlan, Search, SearchError, Starts,
    Thrifty, restarts,
};
use serde::{Deserialize, Serialize};

use super::Trail;
use super::case::{self, Case};
use super::draw::Draw;
use super::hostile::{Fault, Faulty, Hostile, Planned};
use super::invariants::{self, Told};
use super::plans::{self, More};
use super::runs::Stored;
use crate::lab::names::{PolicyName, StrategyName, with_strategy};

/// The largest number of variables; these tests need many short runs.
const LARGEST_N: usize = 40;

/// A policy that was drawn, with additional plans. One type covers all policies: otherwise a search would be compiled five times for each
/// strategy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Drawn {
    plain: Unprobed,
    /// The evaluations of a probe per coordinate, if there is one.
    probe: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Unprobed {
    published: Published,
    more: More,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Published {
    Independent(Independent),
    Ipop(Ipop),
    Nipop(Nipop),
    Bipop(Bipop),
    Nbipop(Nbipop),
    Thrifty(Thrifty),
}

impl Published {
    fn draw(draw: &mut Draw) -> Self {
        let limit = draw.chance(0.5).then(|| draw.below(9) as u32);
        match draw.pick(&PolicyName::ALL) {
            PolicyName::Independent => Self::Independent(Independent::new()),
            PolicyName::Ipop => Self::Ipop(Ipop::new().restarts(limit)),
            PolicyName::Nipop => Self::Nipop(Nipop::new().restarts(limit)),
            // Runs that creep are rare unless hardly any growth is allowed.
            PolicyName::Bipop if limit.is_some_and(|limit| limit % 3 == 1) => {
                Self::Thrifty(Thrifty::new().restarts(limit).growth(1.0))
            }
            PolicyName::Bipop => Self::Bipop(Bipop::new().restarts(limit)),
            PolicyName::Nbipop => Self::Nbipop(Nbipop::new().restarts(limit)),
        }
    }

    fn policy(&self) -> &dyn Policy {
        match self {
            Self::Independent(policy) => policy,
            Self::Ipop(policy) => policy,
            Self::Nipop(policy) => policy,
            Self::Bipop(policy) => policy,
            Self::Nbipop(policy) => policy,
            Self::Thrifty(policy) => policy,
        }
    }
}

impl Drawn {
    pub(super) fn draw(draw: &mut Draw, more: More, probe: Option<u32>) -> Self {
        Self { plain: Unprobed { published: Published::draw(draw), more }, probe }
    }
}

impl Policy for Drawn {
    fn name(&self) -> &'static str {
        self.plain.name()
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        match self.probe {
            Some(evaluations) => self.plain.clone().probed().evaluations(evaluations).next(past, uniform),
            None => self.plain.next(past, uniform),
        }
    }

    fn check(&self) -> Result<(), PolicyError> {
        self.plain.check()
    }

    fn ends(&self) -> bool {
        self.plain.ends()
    }

    fn plans_probes(&self) -> bool {
        self.probe.is_some()
    }
}

/// Adds a probe to one search in five, depending on its seed. Cases that the tests repeat by number are not among them.
fn probe_of_case(seed: u64) -> Option<u32> {
    (seed % 53 < 11).then_some(3 + (seed % 59) as u32)
}

impl Policy for Unprobed {
    fn name(&self) -> &'static str {
        self.published.policy().name()
    }

    fn next(&self, past: &Past<'_>, uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        let plan = self.published.policy().next(past, uniform)?;
        Some(self.more.plan(plan, past, uniform))
    }

    fn check(&self) -> Result<(), PolicyError> {
        self.published.policy().check()
    }

    fn ends(&self) -> bool {
        self.published.policy().ends()
    }
}

/// Draws a search and executes it.
pub(super) fn run(draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let mut case = Case::draw(draw);
    case.start.truncate(LARGEST_N);
    if let Some(deviations) = &mut case.deviations {
        deviations.truncate(LARGEST_N);
    }
    // Bounds and λ of other dimensions do not fit, and weights fit only one λ.
    case.bounds = None;
    let lambda = draw.log_integer(2, 30);
    (case.settings, case.rates_chosen) = case::settings(draw, lambda);
    case.settings = case::with_damping(case::with_step_size(case.settings, case.seed), case.seed);
    let stops = case::stops(draw).max_iterations(draw.chance(0.5).then_some(50));
    case.stops = case::with_thresholds(stops, case.seed);
    case.give();
    let more = More::of_case(case.seed);
    if more == More::Strategies {
        case.strategy = StrategyName::Dd; // the most expensive of those that are planned
    }
    trail.drawn(&case);
    if more == More::Strategies {
        return search::<BuiltInStrategy>(&case, lambda, more, draw, trail);
    }
    with_strategy!(case.strategy, S => search::<S>(&case, lambda, more, draw, trail))
}

fn search<S: Stored>(case: &Case, lambda: usize, more: More, draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let policy = Drawn::draw(draw, more, probe_of_case(case.seed));
    let probe = policy.probe;
    let n = case.start.len();
    // Independent restarts may keep the smallest λ; this many evaluations are within the work of a case.
    let budget = (case::generations(case.strategy, true, n, lambda).min(2000) * lambda as u64).max(1);
    let deviation = if draw.chance(0.8) { case.sigma } else { draw.power(-300.0, 300.0) };
    let starts =
        Starts::around(&case.start, deviation).map_err(|error| format!("finite starts were rejected: {error}"))?;
    let name = policy.name();
    let mut builder = restarts(policy, starts, case.sigma).strategy::<S>().settings(case.settings.clone());
    builder = builder.criteria(case.stops.clone()).max_evaluations(budget).seed(case.seed);
    if let Some(deviations) = &case.deviations {
        builder = builder.deviations(deviations);
    }
    if let Some(covariance) = &case.given.covariance {
        builder = builder.covariance(covariance.clone());
    }
    if let Some(variables) = &case.given.variables {
        builder = builder.variables(variables.clone());
    }
    if probe.is_some() && case.given.variables.is_none() {
        // Around the start, or next to it.
        let side = |x: &f64, sign: f64| x + sign * case.sigma * 3.0 + 0.1 * x.abs();
        let sides = |sign: f64| case.start.iter().map(|x| side(x, sign)).collect::<Vec<f64>>();
        builder = builder.probe_box(&sides(-1.0), &sides(1.0));
    }
    let mut objective = Hostile::draw(draw, &case.start, case.sigma);
    if more != More::Nothing {
        trail.drawn(&format!("also planned: {more:?}"));
    }
    if let Some(evaluations) = probe {
        trail.drawn(&format!("a probe with {evaluations} evaluations per coordinate"));
    }
    trail.drawn(&format!("{name} with a budget of {budget} evaluations on {}", objective.name()));
    let mut search = match builder.build() {
        Ok(search) => search,
        Err(SearchError::Start { error, .. }) if case.may_be_refused_for(&error) => {
            trail.ended("rejected", &error);
            return Ok(());
        }
        // Ranges may be infinite, and steps may be too short to change the start.
        Err(error @ (SearchError::NoProbeBox { .. } | SearchError::ProbeSide { .. })) if probe.is_some() => {
            trail.ended("rejected", &error);
            return Ok(());
        }
        Err(error) => return Err(format!("a valid search was rejected: {error}")),
    };
    let (mut twin, mut told, mut values) = (None::<Search<S, Drawn>>, Told::default(), Vec::new());
    let mut generation = 0;
    while search.stop().is_none() {
        trail.generation(generation);
        if draw.chance(0.02) {
            let stored = bytes(&search)?;
            let restored = Search::from_checkpoint(&stored).map_err(|error| format!("not restored: {error}"))?;
            if bytes(&restored)? != stored {
                return Err("a search that was stored and restored is different".to_string());
            }
            twin.get_or_insert(std::mem::replace(&mut search, restored));
        }
        let points = search.ask().clone();
        invariants::candidates(&points, None)?;
        case.given.check(&points)?;
        let center = search.optimizer().map_or_else(|| search.probe().map_or(&[][..], Probe::start), Optimizer::mean);
        objective.values(generation, center, &points, &mut values);
        let outcome = if draw.chance(0.05) {
            fails(&mut search, &values, draw)?;
            complete(&mut search, &values)
        } else {
            search.tell(&values)
        };
        told.add(&points, &values, &vec![true; values.len()]);
        if let Some(twin) = &mut twin {
            invariants::same("points of a restored search", twin.ask().as_slice(), points.as_slice())?;
            let of_twin = twin.tell(&values);
            if format!("{of_twin:?}") != format!("{outcome:?}") {
                return Err(format!("a restored search returns {outcome:?}, the original {of_twin:?}"));
            }
        }
        if let Err(error) = &outcome {
            // A starting point out of range, a σ or λ that a policy has made too large or too small, weights for another λ.
            let typed = matches!(error, SearchError::Start { .. }) || plans::may_be_refused_for(more, error);
            if !typed || search.stop().is_none() {
                return Err(format!("the search cannot continue: {error}"));
            }
        }
        match (search.optimizer(), search.probe()) {
            (Some(run), None) => {
                if run.iterations() == 0 {
                    plans::arrived(search.plan(), run)?;
                    let known = search.runs().iter().filter(|run| run.best_point.is_some()).map(|run| run.best_value);
                    let known = known.reduce(f64::min).filter(|_| search.plan().abandon);
                    let reference = run.reference();
                    if reference != known {
                        return Err(format!(
                            "the reference value is {reference:?}, but the best of the earlier runs is {known:?}"
                        ));
                    }
                }
                // A failed update has ended its run, which may be the last one.
                let updated = match run.stop() {
                    Some(Stop::Numerical(error)) => Err(error),
                    _ => Ok(()),
                };
                invariants::state(run, &updated)?;
            }
            (None, Some(probe)) => {
                let most = 1 + probe.coordinates() as u64 * u64::from(probe_of_case(case.seed).unwrap_or(0) + 1);
                if probe.evaluations() > most {
                    return Err(format!("a probe has made {} evaluations, more than {most}", probe.evaluations()));
                }
            }
            _ => return Err("a search has neither a run nor a probe, or both".to_string()),
        }
        search.runs().last().map_or(Ok(()), plans::is_summary)?;
        let best = search.best().map(|best| (best.point, best.value, best.evaluation));
        told.check(search.evaluations(), best)?;
        generation += 1;
    }
    let stop = search.stop().cloned().expect("the loop has ended");
    trail.ended(stop.name(), &stop);
    if matches!(search.tell(&values), Err(SearchError::Tell(TellError::Over))) && search.outcome().is_some() {
        let of_runs: u64 = search.runs().iter().map(|run| run.evaluations).sum();
        return told.check(of_runs, search.best().map(|best| (best.point, best.value, best.evaluation)));
    }
    Err("a finished search has no outcome, or accepts values".to_string())
}

/// Checks that an objective that fails in a search does not lose the values that it has told.
fn fails<S: Stored>(search: &mut Search<S, Drawn>, values: &[f64], draw: &mut Draw) -> Result<(), String> {
    let before = search.evaluations();
    let after = draw.below(values.len() + 1);
    match search.run(Faulty { values, fault: Fault::Error, after }) {
        Err(Interrupted::Objective { told, .. }) if told == after => {}
        other => return Err(format!("an error of the objective after {after} values resulted in {other:?}")),
    }
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        search.run(Faulty { values, fault: Fault::Panic, after }).map_err(|_| ())
    }));
    match panicked {
        Err(payload) if payload.is::<Planned>() => {}
        Err(payload) => std::panic::resume_unwind(payload),
        Ok(_) => return Err("a panic of the objective was swallowed".to_string()),
    }
    let restored = Search::<S, Drawn>::from_checkpoint(&bytes(search)?);
    *search = restored.map_err(|error| format!("an incomplete generation was not restored: {error}"))?;
    let kept = search.evaluations() - before;
    if kept == after as u64 { Ok(()) } else { Err(format!("{kept} of {after} values were kept")) }
}

/// Tells the missing values, in the order of the candidates.
fn complete<S: Stored>(search: &mut Search<S, Drawn>, values: &[f64]) -> Result<(), SearchError> {
    let missing: Vec<Ticket> = search.ask_missing().map(|(ticket, _)| ticket).collect();
    if missing.is_empty() {
        return search.finish(Missing::RankLast);
    }
    missing.into_iter().try_for_each(|ticket| search.tell_one(ticket, values[ticket.index]).map(drop))
}

fn bytes<S: Stored>(search: &Search<S, Drawn>) -> Result<Vec<u8>, String> {
    search.to_checkpoint().map_err(|error| format!("not stored: {error}"))
}
