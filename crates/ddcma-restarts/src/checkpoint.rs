//! A whole search as bytes, and back: the runs that are over, and the one that is going on, to the bit.
//!
//! Knows what a search is made of; how a run is stored is the optimizer's business, how bytes are kept that of
//! [`ddcma_core::storage`].

use std::path::Path;
use std::time::{Duration, Instant};

use ddcma_core::{Bounds, CheckpointError, Optimizer, Settings, Stops, Strategy, Xoshiro256PlusPlus, storage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::builder::{Budgets, Config};
use crate::search::BestSoFar;
use crate::starts::{Draw, Kind};
use crate::streams::Streams;
use crate::{Policy, RunPlan, RunSummary, Search, SearchStop, Starts};

const MAGIC: &[u8; 8] = b"ddcma\0rs";
const VERSION: u32 = 1;

/// All that a search is.
#[derive(Serialize, Deserialize)]
struct State<P> {
    policy: P,
    starts: StoredStarts,
    sigma: f64,
    deviations: Option<Vec<f64>>,
    settings: Settings,
    stops: Stops,
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
        let Config { policy, starts, sigma, deviations, settings, stops, bounds, budgets, seed } = self.config.clone();
        let starts = match starts.0 {
            Kind::Box { lower, upper } => StoredStarts::Box { lower, upper },
            Kind::Around { point, deviation } => StoredStarts::Around { point, deviation },
            Kind::From { n, .. } => StoredStarts::From { n },
        };
        let state = State {
            policy,
            starts,
            sigma,
            deviations,
            settings,
            stops,
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
        let body = postcard::to_allocvec(&(self.config.policy.name(), state))
            .map_err(|error| CheckpointError::Malformed { reason: error.to_string() })?;
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
        let (name, body) = postcard::take_from_bytes::<String>(body).map_err(malformed)?;
        let (state, rest) = postcard::take_from_bytes::<State<P>>(body).map_err(malformed)?;
        check(rest.is_empty(), "there are bytes behind the end")?;
        check(name == state.policy.name(), "the policy")?;

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
        check(state.best.as_ref().is_none_or(|best| best.point.len() == n), "the best point")?;
        check(!state.budgets.target.is_some_and(f64::is_nan), "the target")?;
        let runs = state.finished.len();
        let past_runs = if state.stop.is_some() { runs.saturating_sub(1) } else { runs };
        let mut evaluations = 0u64;
        for run in &state.finished[..past_runs] {
            evaluations = evaluations.checked_add(run.evaluations).ok_or(inconsistent("the counts"))?;
        }
        check(evaluations == state.evaluations_before && evaluations < u64::MAX / 4, "the counts")?;
        let bounds = state.bounds.map(|(lower, upper)| Bounds::new(&lower, &upper)).transpose();
        let bounds = bounds.map_err(|_| inconsistent("the bounds"))?;
        let lambda = state.settings.params(n).map_err(|_| inconsistent("the settings"))?.lambda();
        let streams = Streams::of_run(state.seed, past_runs + 1);
        let started = state.budgets.time.map(|_| Instant::now());
        let config = Config {
            policy: state.policy,
            starts,
            sigma: state.sigma,
            deviations: state.deviations,
            settings: state.settings,
            stops: state.stops,
            bounds,
            budgets: state.budgets,
            seed: state.seed,
        };
        Ok(Self {
            config,
            lambda,
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
}
