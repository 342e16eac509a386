//! A whole search as bytes, and back: the runs that are over, and the one that is going on, to the bit.
//!
//! Knows what a search is made of; how a run is stored is the optimizer's business, how bytes are kept that of
//! [`ddcma_core::storage`].

use std::path::Path;
use std::time::{Duration, Instant};

use ddcma_core::{Bounds, CheckpointError, Optimizer, Settings, StopCriteria, Strategy, Xoshiro256PlusPlus, storage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::builder::{Budgets, Config};
use crate::outcome::BestSoFar;
use crate::starts::{Draw, Kind};
use crate::streams::Streams;
use crate::{Policy, RunPlan, RunSummary, Search, SearchStop, Starts};

const MAGIC: &[u8; 8] = b"ddcma\0rs";
const VERSION: u32 = 2;

/// All that a search is.
#[derive(Serialize, Deserialize)]
struct State {
    starts: StoredStarts,
    sigma: f64,
    deviations: Option<Vec<f64>>,
    settings: Settings,
    /// The usual population size.
    lambda: usize,
    criteria: StopCriteria,
    bounds: Option<(Vec<f64>, Vec<f64>)>,
    budgets: Budgets,
    seed: u64,
    finished: Vec<RunSummary>,
    plan: RunPlan,
    start: Vec<f64>,
    best: Option<BestSoFar>,
    evaluations_before: u64,
    stop: Option<SearchStop>,
    elapsed: Duration,
    /// The checkpoint of the run that is going on.
    run: Vec<u8>,
}

/// Start points without a closure, which cannot be stored.
#[derive(Serialize, Deserialize)]
enum StoredStarts {
    Box { lower: Vec<f64>, upper: Vec<f64> },
    Around { point: Vec<f64>, deviation: f64 },
    From { n: usize },
}

impl<S, P> Search<S, P>
where
    S: Strategy + Serialize + DeserializeOwned + Clone,
    P: Policy + Serialize + DeserializeOwned + Clone,
{
    /// The search as bytes: budgets, past runs, the present one with its pending generation, and every counter.
    ///
    /// Objectives, observers and a [closure](Starts::from_fn) that draws start points are not part of it.
    pub fn to_checkpoint(&self) -> Result<Vec<u8>, CheckpointError> {
        let Config { policy, starts, sigma, deviations, settings, criteria, bounds, budgets, seed } =
            self.config.clone();
        let starts = match starts.0 {
            Kind::Box { lower, upper } => StoredStarts::Box { lower, upper },
            Kind::Around { point, deviation } => StoredStarts::Around { point, deviation },
            Kind::From { n, .. } => StoredStarts::From { n },
        };
        let state = State {
            starts,
            sigma,
            deviations,
            settings,
            lambda: self.lambda,
            criteria,
            bounds: bounds.map(|bounds| (bounds.lower().collect(), bounds.upper().collect())),
            budgets,
            seed,
            finished: self.finished.clone(),
            plan: self.plan.clone(),
            start: self.start.clone(),
            best: self.best.clone(),
            evaluations_before: self.evaluations_before,
            stop: self.stop.clone(),
            elapsed: self.elapsed(),
            run: self.optimizer.to_checkpoint()?,
        };
        let malformed = |error: postcard::Error| CheckpointError::Malformed { reason: error.to_string() };
        let policy = (policy.name(), postcard::to_allocvec(&policy).map_err(malformed)?);
        let body = postcard::to_allocvec(&(policy, state)).map_err(malformed)?;
        Ok(storage::seal(MAGIC, VERSION, &body))
    }

    /// The search that [`to_checkpoint`](Self::to_checkpoint) was called on: it goes on to the bit as if nothing had
    /// happened.
    ///
    /// If its start points come from a closure, use [`from_checkpoint_with`](Self::from_checkpoint_with).
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, CheckpointError> {
        Self::restore(bytes, None)
    }

    /// Like [`from_checkpoint`](Self::from_checkpoint), with the closure that draws start points.
    pub fn from_checkpoint_with(
        bytes: &[u8],
        draw: impl Fn(usize, &mut Xoshiro256PlusPlus) -> Vec<f64> + Send + Sync + 'static,
    ) -> Result<Self, CheckpointError> {
        Self::restore(bytes, Some(std::sync::Arc::new(draw)))
    }

    fn restore(bytes: &[u8], draw: Option<Draw>) -> Result<Self, CheckpointError> {
        let inconsistent = |what| CheckpointError::Inconsistent { what };
        let check = |good: bool, what| if good { Ok(()) } else { Err(inconsistent(what)) };
        let body = storage::open(MAGIC, VERSION, bytes)?;
        let malformed = |error: postcard::Error| CheckpointError::Malformed { reason: error.to_string() };
        let ((name, policy), body) = postcard::take_from_bytes::<(String, Vec<u8>)>(body).map_err(malformed)?;
        let policy = postcard::take_from_bytes::<P>(&policy).ok().filter(|(_, rest)| rest.is_empty());
        let Some((policy, _)) = policy.filter(|(policy, _)| policy.name() == name && policy.check().is_ok()) else {
            let reason = format!("it is that of the policy \"{name}\", not of {}", std::any::type_name::<P>());
            return Err(CheckpointError::Malformed { reason });
        };
        let (state, rest) = postcard::take_from_bytes::<State>(body).map_err(malformed)?;
        check(rest.is_empty(), "there are bytes behind the end")?;

        let starts = match (state.starts, draw) {
            (StoredStarts::Box { lower, upper }, None) => Starts::in_box(&lower, &upper),
            (StoredStarts::Around { point, deviation }, None) => Starts::around(&point, deviation),
            (StoredStarts::From { n }, Some(draw)) => Ok(Starts(Kind::From { n, draw })),
            (StoredStarts::From { .. }, None) => {
                return Err(inconsistent("start points come from a closure, which must be given"));
            }
            (_, Some(_)) => return Err(inconsistent("start points do not come from a closure")),
        };
        let starts = starts.map_err(|_| inconsistent("the start points"))?;
        let n = starts.dimension();
        let optimizer = Optimizer::<S>::from_checkpoint(&state.run)?;
        check(optimizer.mean().len() == n && state.start.len() == n, "the dimension of the run")?;
        check(optimizer.params().lambda() == state.plan.lambda, "the population size of the run")?;
        check(state.lambda >= 2, "the usual population size")?;
        check(state.sigma > 0.0 && state.sigma.is_normal(), "the step size")?;
        check(!state.budgets.target.is_some_and(f64::is_nan), "the target")?;
        let positive = |numbers: &Vec<f64>| numbers.len() == n && numbers.iter().all(|d| *d > 0.0 && d.is_normal());
        check(state.deviations.as_ref().is_none_or(positive), "the deviations")?;
        let bounds = state.bounds.map(|(lower, upper)| Bounds::new(&lower, &upper)).transpose();
        let bounds = bounds.map_err(|_| inconsistent("the bounds"))?;
        check(bounds.as_ref().is_none_or(|bounds| bounds.dimension() == n), "the bounds")?;

        // The last run of a search that is over is among the finished ones.
        let runs = state.finished.len();
        check(state.stop.is_none() || runs > 0, "the runs")?;
        let past_runs = if state.stop.is_some() { runs - 1 } else { runs };
        let mut evaluations = 0u64;
        for run in &state.finished[..past_runs] {
            evaluations = evaluations.checked_add(run.evaluations).ok_or(inconsistent("the counts"))?;
        }
        check(evaluations == state.evaluations_before && evaluations < u64::MAX / 4, "the counts")?;
        check(optimizer.evaluations() < u64::MAX / 4, "the counts")?;
        let of_runs = state.finished.iter().map(|run| run.best_value).fold(optimizer.best_value(), f64::min);
        let has_best = optimizer.best().is_some() || state.finished.iter().any(|run| run.best_point.is_some());
        check(state.best.is_some() == has_best, "the best point")?;
        if let Some(best) = &state.best {
            let known = best.point.len() == n && best.point.iter().all(|x| x.is_finite()) && best.value == of_runs;
            let counted = best.run <= past_runs && best.evaluation <= evaluations + optimizer.evaluations();
            check(known && counted, "the best point")?;
        }
        let streams = Streams::of_run(state.seed, past_runs + 1);
        let started = state.budgets.time.map(|_| Instant::now());
        let config = Config {
            policy,
            starts,
            sigma: state.sigma,
            deviations: state.deviations,
            settings: state.settings,
            criteria: state.criteria,
            bounds,
            budgets: state.budgets,
            seed: state.seed,
        };
        Ok(Self {
            config,
            lambda: state.lambda,
            finished: state.finished,
            plan: state.plan,
            start: state.start,
            optimizer,
            best: state.best,
            evaluations_before: state.evaluations_before,
            stop: state.stop,
            streams,
            elapsed_before: state.elapsed,
            started,
        })
    }

    /// Writes a checkpoint to a file: either all of it, or the file stays as it was.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        storage::write(path.as_ref(), &self.to_checkpoint()?)
    }

    /// Reads a checkpoint from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        Self::from_checkpoint(&storage::read(path.as_ref())?)
    }

    /// Reads a checkpoint from a file, with the closure that draws start points.
    pub fn load_with(
        path: impl AsRef<Path>,
        draw: impl Fn(usize, &mut Xoshiro256PlusPlus) -> Vec<f64> + Send + Sync + 'static,
    ) -> Result<Self, CheckpointError> {
        Self::from_checkpoint_with(&storage::read(path.as_ref())?, draw)
    }
}

#[cfg(test)]
mod tests {
    use ddcma_core::Separable;

    use super::*;
    use crate::{Ipop, restarts};

    fn search() -> Search<Separable, Ipop> {
        let starts = Starts::in_box(&[-3.0; 2], &[3.0; 2]).unwrap();
        let bounds = Bounds::uniform(2, -4.0, 4.0).unwrap();
        let criteria = StopCriteria::new().max_iterations(4);
        let search =
            restarts(Ipop::new(), starts, 1.0).strategy::<Separable>().max_evaluations(1000).criteria(criteria);
        let mut search = search.bounds(bounds).deviations(&[1.0, 2.0]).build().unwrap();
        for _ in 0..6 {
            let values: Vec<f64> = search.ask().iter().map(|x| x[0] * x[0] + x[1] * x[1]).collect();
            search.tell(&values).unwrap();
        }
        search
    }

    /// The error of a search whose stored state was changed and sealed again.
    fn refused(change: impl FnOnce(&mut State)) -> Option<&'static str> {
        let bytes = search().to_checkpoint().unwrap();
        let body = storage::open(MAGIC, VERSION, &bytes).unwrap();
        let (policy, body) = postcard::take_from_bytes::<(String, Vec<u8>)>(body).unwrap();
        let mut state: State = postcard::from_bytes(body).unwrap();
        change(&mut state);
        let bytes = storage::seal(MAGIC, VERSION, &postcard::to_allocvec(&(policy, state)).unwrap());
        match Search::<Separable, Ipop>::from_checkpoint(&bytes) {
            Ok(_) => None,
            Err(CheckpointError::Inconsistent { what }) => Some(what),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn states_of_no_search_are_refused() {
        assert_eq!(refused(|_| {}), None);
        let best = |change: fn(&mut BestSoFar)| refused(|state| change(state.best.as_mut().unwrap()));
        assert_eq!(best(|best| best.value = f64::NAN), Some("the best point"));
        assert_eq!(best(|best| best.value = -5.0), Some("the best point"));
        assert_eq!(best(|best| best.run = 999), Some("the best point"));
        assert_eq!(best(|best| best.evaluation = u64::MAX), Some("the best point"));
        assert_eq!(best(|best| best.point = vec![0.0]), Some("the best point"));
        assert_eq!(refused(|state| state.best = None), Some("the best point"));
        assert_eq!(refused(|state| state.sigma = f64::NAN), Some("the step size"));
        assert_eq!(refused(|state| state.lambda = 0), Some("the usual population size"));
        assert_eq!(refused(|state| state.budgets.target = Some(f64::NAN)), Some("the target"));
        assert_eq!(refused(|state| state.deviations = Some(vec![1.0])), Some("the deviations"));
        assert_eq!(refused(|state| state.deviations = Some(vec![1.0, 0.0])), Some("the deviations"));
        assert_eq!(refused(|state| state.bounds = Some((vec![0.0], vec![1.0]))), Some("the bounds"));
        assert_eq!(refused(|state| state.bounds = Some((vec![1.0; 2], vec![0.0; 2]))), Some("the bounds"));
        assert_eq!(refused(|state| state.start.clear()), Some("the dimension of the run"));
        assert_eq!(refused(|state| state.plan.lambda = 7), Some("the population size of the run"));
        assert_eq!(refused(|state| state.evaluations_before = 3), Some("the counts"));
        assert_eq!(refused(|state| state.finished[0].evaluations = u64::MAX), Some("the counts"));
        let stop = Some(SearchStop::Runs { runs: 7 });
        assert_eq!(refused(|state| (state.finished, state.stop) = (vec![], stop)), Some("the runs"));
        let turned = StoredStarts::Box { lower: vec![1.0; 2], upper: vec![0.0; 2] };
        assert_eq!(refused(|state| state.starts = turned), Some("the start points"));
    }
}
