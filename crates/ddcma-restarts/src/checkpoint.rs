//! Checkpoints of a whole search: the finished runs and the current one, bit for bit.
//!
//! This module checks that the parts of a stored search fit together. The optimizer stores a run, and [`ddcma_core::storage`] stores bytes.

use std::path::Path;

use ddcma_core::{
    CheckpointError, Columns, Distribution, Origin, RunOptions, Stop, Strategy, Variables, Xoshiro256PlusPlus, storage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::Config;
use crate::outcome::Totals;
use crate::running::Running;
use crate::starts::{Draw, Kind};
use crate::state::State;
use crate::streams::Streams;
use crate::{Policy, RunKind, RunPlan, RunSummary, Search, StartRule, course};

const MAGIC: &[u8; 8] = b"ddcma\0rs";

/// What a checkpoint contains in addition to the state: the policy, and the options of the strategy. Not if it is restored into a search
/// that has them.
type Plans = Option<(Vec<u8>, Vec<u8>)>;

impl<S, P> Search<S, P>
where
    S: Strategy<Options: Serialize + DeserializeOwned>,
    P: Policy + Serialize + DeserializeOwned,
{
    /// Returns the search as bytes: budgets, past runs, the current run with its pending generation, and every counter.
    ///
    /// Objectives, observers and a [closure](crate::Starts::from_fn) that draws start points are not included.
    pub fn to_checkpoint(&self) -> Result<Vec<u8>, CheckpointError> {
        self.store(Some((storage::to_bytes(&self.policy)?, storage::to_bytes(&self.strategy_options)?)))
    }

    /// Restores the search that [`to_checkpoint`](Self::to_checkpoint) was called on. It continues bit for bit as if uninterrupted.
    ///
    /// If its start points come from a closure, use [`from_checkpoint_with`](Self::from_checkpoint_with).
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, CheckpointError> {
        Self::from_bytes(bytes, None)
    }

    /// Like [`from_checkpoint`](Self::from_checkpoint), with the closure that draws start points.
    pub fn from_checkpoint_with(
        bytes: &[u8],
        draw: impl Fn(usize, &mut Xoshiro256PlusPlus) -> Vec<f64> + Send + Sync + 'static,
    ) -> Result<Self, CheckpointError> {
        Self::from_bytes(bytes, Some(Draw::new(draw)))
    }

    fn from_bytes(bytes: &[u8], draw: Option<Draw>) -> Result<Self, CheckpointError> {
        let Stored { name, plans, origin, state } = Stored::open(bytes, draw)?;
        let Some((policy, strategy_options)) = plans else {
            return Err(CheckpointError::Unsupported {
                what: "the policy of a search that was saved while it was driven",
            });
        };
        let policy = storage::from_bytes::<P>(&policy).ok();
        let Some(policy) = policy.filter(|policy| policy.name() == name && policy.check().is_ok()) else {
            let reason = format!("it belongs to the policy \"{name}\", not to {}", std::any::type_name::<P>());
            return Err(CheckpointError::Malformed { reason });
        };
        let streams = Streams::of_run(state.config.seed(), state.past_runs() + 1);
        Ok(Self { policy, strategy_options: storage::from_bytes(&strategy_options)?, state, streams, origin })
    }

    /// Writes a checkpoint to a file. If this fails, an existing file stays as it was.
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

impl<S: Strategy, P: Policy> Search<S, P> {
    pub(crate) fn store(&self, plans: Plans) -> Result<Vec<u8>, CheckpointError> {
        let body = storage::to_bytes(&(self.policy.name(), plans, &self.origin, &self.state));
        // If the strategy cannot be stored, its own error says so.
        let body = body.or_else(|error| self.state.running.get().to_bytes().and(Err(error)))?;
        Ok(storage::seal_run(MAGIC, &body))
    }

    /// Continues from the bytes of a search that was started in the same way, with the budgets of this one.
    pub(crate) fn continue_from(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let draw = match &self.state.config.starts.0 {
            Kind::From { draw, .. } => Some(draw.clone()),
            _ => None,
        };
        let Stored { origin, mut state, .. } = Stored::open(bytes, draw)?;
        self.origin.check(&origin)?;
        let RunOptions { max_evaluations, max_time, .. } = self.state.config.options;
        let max_runs = self.state.config.max_runs;
        (state.config.options.max_evaluations, state.config.options.max_time) = (max_evaluations, max_time);
        state.config.max_runs = max_runs;
        self.streams = Streams::of_run(state.config.seed(), state.past_runs() + 1);
        self.state = state;
        // A run that cannot start ends the search; the outcome has the reason. A search that a custom criterion has ended continues:
        // that is why the program was started again.
        if matches!(self.stop(), Some(Stop::User { .. })) {
            let (state, planner) = self.with_planner();
            let _ = state.continue_cut_run(planner);
        }
        let (state, planner) = self.with_planner();
        let _ = state.continue_with_budgets(planner);
        Ok(())
    }
}

/// What a checkpoint consists of, whatever the policy.
struct Stored<S: Strategy> {
    name: String,
    plans: Plans,
    origin: Origin,
    state: State<S>,
}

impl<S: Strategy> Stored<S> {
    /// Reads a checkpoint, with the given closure if its start points come from one.
    fn open(bytes: &[u8], given: Option<Draw>) -> Result<Self, CheckpointError> {
        let inconsistent = |what| CheckpointError::Inconsistent { what };
        let body = storage::open_run(MAGIC, bytes)?;
        let (name, plans, origin, mut state): (_, _, _, State<S>) = storage::from_bytes(body)?;
        match (&mut state.config.starts.0, given) {
            (Kind::From { draw, .. }, Some(given)) => *draw = given,
            (Kind::From { .. }, None) => {
                return Err(inconsistent(
                    "its start points come from a closure: pass it to from_checkpoint_with or load_with",
                ));
            }
            (_, Some(_)) => return Err(inconsistent("a closure was given, but its start points do not come from one")),
            (_, None) => {}
        }
        state.resume().map_err(inconsistent)?;
        Ok(Self { name, plans, origin, state })
    }
}

impl Config {
    /// Checks that the stored values are valid; returns the name of what is not.
    fn check(&self) -> Result<(), &'static str> {
        let check = |good: bool, what| if good { Ok(()) } else { Err(what) };
        let RunOptions { deviations, covariance, shape_of, bounds, variables, .. } = &self.options;
        let fits = |variables: &Variables| variables.dimension() == self.starts.dimension();
        check(variables.as_ref().is_none_or(fits), "the variables")?;
        let n = self.search_dimension();
        check(self.starts.check().is_ok(), "the start points")?;
        check(self.sigma > 0.0 && self.sigma.is_normal(), "the step size")?;
        check(!self.target().is_some_and(f64::is_nan), "the target")?;
        let positive = |numbers: &Vec<f64>| numbers.len() == n && numbers.iter().all(|d| *d > 0.0 && d.is_normal());
        check(deviations.as_ref().is_none_or(positive), "the deviations")?;
        let is_covariance = |c: &Columns| (c.dimension(), c.len()) == (n, n);
        check(covariance.as_ref().is_none_or(is_covariance), "the covariance matrix")?;
        let is_shape = |known: &Distribution| positive(&known.d) && known.c.as_ref().is_none_or(is_covariance);
        check(shape_of.as_ref().is_none_or(is_shape), "the distribution whose shape to start with")?;
        check(bounds.as_ref().is_none_or(|bounds| bounds.dimension() == n), "the bounds")?;
        check(self.check_probe_box().is_ok(), "the box of probes")
    }
}

impl<S: Strategy> State<S> {
    /// Prepares a stored search for use, if its parts fit together; otherwise returns the name of what does not.
    fn resume(&mut self) -> Result<(), &'static str> {
        let check = |good: bool, what| if good { Ok(()) } else { Err(what) };
        self.config.check()?;
        check(self.start.len() == self.config.starts.dimension(), "the dimension of the run")?;
        if let Running::Probe(probe) = &mut self.running {
            check(probe.resume(&self.config, &self.plan) && probe.start() == self.start, "the probe")?;
        }
        let Self { config, running, plan, start, finished, .. } = &*self;
        let n = config.starts.dimension();
        if let Running::Run(run) = running {
            check(plan.kind == RunKind::Strategy, "the kind of the run")?;
            check(run.mean().len() == n, "the dimension of the run")?;
            check(run.params().lambda() == plan.lambda, "the population size of the run")?;
            check(*run.params().settings() == config.settings_of(plan), "the settings of the run")?;
        }
        check(self.lambda >= 2, "the usual population size")?;
        check(self.stop.is_none() || !finished.is_empty(), "the runs")?;
        let free = config.search_dimension(); // there are deviations only for free variables
        check(plan.fits(start, n, free), "the plan of the run")?;
        check(finished.iter().all(|run| run.fits(n, free)), "the runs")?;
        let past = &finished[..self.past_runs()];
        let is_count = |count: u64| count < u64::MAX / 4;
        let count = |count: fn(&RunSummary) -> u64| past.iter().try_fold(0u64, |sum, run| sum.checked_add(count(run)));
        let [evaluations, generations] = [count(|run| run.evaluations), count(|run| run.iterations)];
        let are_counts = evaluations.is_some_and(is_count) && generations.is_some_and(is_count);
        check(are_counts && is_count(running.get().evaluations()), "the counts")?;
        let mut before = Totals::default();
        past.iter().for_each(|run| before.add(run));
        let reference = before.best.as_ref().filter(|_| plan.abandon).map(|best| best.value);
        let knows = if let Running::Run(run) = running { run.reference() == reference } else { true };
        check(knows, "the reference value of the run")?;
        // Values of an incomplete generation are counted, but are not yet part of the course.
        let of_run = running.get();
        let best_value = of_run.best().map_or(f64::INFINITY, |best| best.value);
        let counted = self.course.fits(of_run.evaluations(), running.iterations(), best_value);
        check(counted, "the course of the run")?;
        self.before = before;
        self.clock.run(self.config.options.max_time.is_some());
        Ok(())
    }
}

fn are_finite(numbers: &[f64], count: usize) -> bool {
    numbers.len() == count && numbers.iter().all(|x| x.is_finite())
}

impl RunPlan {
    /// Checks that a run could have started with this plan at this point, which has n coordinates, `free` of them searched.
    fn fits(&self, start: &[f64], n: usize, free: usize) -> bool {
        let positive = |x: f64| x > 0.0 && x.is_normal();
        let is_start = are_finite(start, n) && !matches!(&self.start, StartRule::At(point) if point != start);
        let are_deviations = |d: &Vec<f64>| d.len() == free && d.iter().all(|d| positive(*d));
        is_start && positive(self.sigma) && self.deviations.as_ref().is_none_or(are_deviations)
    }
}

impl RunSummary {
    /// Checks that a run could have ended with this summary.
    fn fits(&self, n: usize, free: usize) -> bool {
        let Self { plan, start, evaluations, best_value, best_point, best_evaluation, course, .. } = self;
        let is_place = plan.fits(start, n, free) && are_finite(&self.mean, n);
        // A run with numerical overflow may have ended with deviations of 0 or ∞.
        let is_place = is_place && self.deviations.len() == free && self.deviations.iter().all(|d| *d >= 0.0);
        let has_sigma = self.sigma > 0.0 || (self.sigma == 0.0 && plan.kind != RunKind::Strategy);
        let is_shape = has_sigma && self.sigma.is_finite() && self.condition >= 1.0 && self.d_ratio >= 1.0;
        let is_best = match (best_point, best_evaluation) {
            (Some(point), Some(nth)) => {
                let is_last = course.last() == Some(&(*evaluations, *best_value));
                are_finite(point, n) && is_last && nth <= evaluations
            }
            (None, None) => course.is_empty() && *best_value == f64::INFINITY,
            _ => false,
        };
        is_place && is_shape && is_best && course.len() <= course::LONGEST && course::descends(course)
    }
}

#[cfg(test)]
mod tests {
    use ddcma_core::{Bounds, Separable, Settings, StopCriteria, Variable};

    use super::*;
    use crate::course::Course;
    use crate::{Ipop, Starts, Thrifty, restarts};

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

    #[test]
    fn a_change_of_what_a_search_stores_changes_the_version_of_the_format() {
        use serde_reflection::{Samples, Tracer, TracerConfig};

        let mut tracer = Tracer::new(TracerConfig::default());
        let mut samples = Samples::new();
        tracer.trace_value(&mut samples, &search().state).unwrap();
        // The same with everything that is optional, in the middle of a probe.
        let variables = Variables::new([Variable::between(-1.0, 1.0), Variable::between(0.1, 1.0).log()]).unwrap();
        let known = search().optimizer().unwrap().distribution();
        let over = crate::restarts_over(Thrifty::new().probed(), &variables).strategy::<Separable>();
        let over = over.shape_of(known).covariance(Columns::identity(2)).deviations(&[1.0; 2]).target(-1.0);
        let over = over.max_evaluations(1000).max_time(std::time::Duration::from_secs(3600)).max_runs(100);
        let mut over = over.probe_box(&[-1.0, 0.1], &[1.0, 1.0]).build().unwrap();
        while over.probe().is_none_or(|probe| probe.iterations() < 3) {
            let values: Vec<f64> = over.ask().iter().map(|x| x[0] * x[0] + x[1]).collect();
            over.tell(&values).unwrap();
        }
        tracer.trace_value(&mut samples, &over.state).unwrap();
        // With all variants, also those that these searches do not have.
        tracer.trace_type::<Stop>(&samples).unwrap();
        tracer.trace_type::<RunPlan>(&samples).unwrap();
        let layout = format!("{:?}", tracer.registry_unchecked());
        let stored = (storage::FORMAT_VERSION, crc32fast::hash(layout.as_bytes()));
        assert_eq!(
            stored,
            (11, 2_276_661_039),
            "if what a search stores has changed, so must FORMAT_VERSION: {layout}"
        );
    }

    /// Changes the stored state of a search, seals it again, and returns the error of reading it.
    fn refused(change: impl FnOnce(&mut State<Separable>)) -> Option<&'static str> {
        let bytes = search().to_checkpoint().unwrap();
        let body = storage::open_run(MAGIC, &bytes).unwrap();
        let (name, plans, origin, mut state): (String, Plans, Origin, State<Separable>) =
            storage::from_bytes(body).unwrap();
        change(&mut state);
        let bytes = storage::seal_run(MAGIC, &storage::to_bytes(&(name, plans, origin, state)).unwrap());
        match Search::<Separable, Ipop>::from_checkpoint(&bytes) {
            Ok(_) => None,
            Err(CheckpointError::Inconsistent { what }) => Some(what),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn states_of_no_search_are_refused() {
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|state| state.config.sigma = f64::NAN), Some("the step size"));
        assert_eq!(refused(|state| state.lambda = 0), Some("the usual population size"));
        assert_eq!(refused(|state| state.config.options.target = Some(f64::NAN)), Some("the target"));
        assert_eq!(refused(|state| state.config.options.deviations = Some(vec![1.0])), Some("the deviations"));
        assert_eq!(refused(|state| state.config.options.deviations = Some(vec![1.0, 0.0])), Some("the deviations"));
        assert_eq!(
            refused(|state| state.config.options.bounds = Some(Bounds::uniform(1, 0.0, 1.0).unwrap())),
            Some("the bounds")
        );
        let one = Variables::new([Variable::between(0.0, 1.0)]).unwrap();
        assert_eq!(refused(|state| state.config.options.variables = Some(one)), Some("the variables"));
        let known = |d: &[f64], c| Some(Distribution { mean: vec![0.0; 2], sigma: 1.0, d: d.to_vec(), c });
        let what = Some("the distribution whose shape to start with");
        assert_eq!(refused(|state| state.config.options.shape_of = known(&[1.0], None)), what);
        assert_eq!(refused(|state| state.config.options.shape_of = known(&[1.0; 2], Some(Columns::identity(3)))), what);
        let c = Some(Columns::identity(3));
        assert_eq!(refused(|state| state.config.options.covariance = c), Some("the covariance matrix"));
        assert_eq!(refused(|state| state.start.clear()), Some("the dimension of the run"));
        assert_eq!(refused(|state| state.plan.lambda = 7), Some("the population size of the run"));
        assert_eq!(refused(|state| state.finished[0].iterations = u64::MAX), Some("the counts"));
        let endless = |run: &mut RunSummary| {
            (run.evaluations, run.course) = (u64::MAX, vec![(u64::MAX, run.best_value)]);
        };
        assert_eq!(refused(|state| endless(&mut state.finished[0])), Some("the counts"));
        assert_eq!(refused(|state| state.finished[0].mean.clear()), Some("the runs"));
        assert_eq!(refused(|state| state.finished[0].deviations[1] = f64::NAN), Some("the runs"));
        let run = |change: fn(&mut RunSummary)| refused(|state| change(&mut state.finished[0]));
        assert_eq!(run(|run| run.deviations[1] = f64::INFINITY), None, "a run that left the range of numbers");
        assert_eq!(run(|run| run.start.clear()), Some("the runs"));
        assert_eq!(run(|run| run.sigma = 0.0), Some("the runs"));
        assert_eq!(run(|run| run.condition = f64::NAN), Some("the runs"));
        assert_eq!(run(|run| run.d_ratio = 0.5), Some("the runs"));
        assert_eq!(run(|run| run.course.clear()), Some("the runs"));
        assert_eq!(run(|run| run.course[0].1 = -1.0), Some("the runs"));
        assert_eq!(run(|run| run.course.insert(0, (0, f64::NAN))), Some("the runs"));
        assert_eq!(run(|run| run.course = vec![*run.course.last().unwrap(); 65]), Some("the runs"));
        assert_eq!(run(|run| run.best_point = Some(vec![0.0])), Some("the runs"));
        assert_eq!(run(|run| run.best_point = None), Some("the runs"));
        assert_eq!(run(|run| run.best_evaluation = None), Some("the runs"));
        assert_eq!(run(|run| run.best_evaluation = Some(u64::MAX)), Some("the runs"));
        assert_eq!(run(|run| run.plan.start = StartRule::At(vec![0.0; 2])), Some("the runs"));
        let reference = |state: &mut State<Separable>, value| match &mut state.running {
            Running::Run(run) => run.set_reference(value).unwrap(),
            Running::Probe(_) => panic!("this search has no probe"),
        };
        assert_eq!(refused(|state| reference(state, Some(-1.0))), Some("the reference value of the run"));
        assert_eq!(refused(|state| reference(state, None)), Some("the reference value of the run"));
        let plan = |change: fn(&mut RunPlan)| refused(|state| change(&mut state.plan));
        assert_eq!(plan(|plan| plan.start = StartRule::At(vec![])), Some("the plan of the run"));
        assert_eq!(plan(|plan| plan.deviations = Some(vec![1.0])), Some("the plan of the run"));
        assert_eq!(plan(|plan| plan.deviations = Some(vec![1.0, -1.0])), Some("the plan of the run"));
        assert_eq!(plan(|plan| plan.abandon = false), Some("the reference value of the run"));
        assert_eq!(plan(|plan| plan.sigma = f64::NAN), Some("the plan of the run"));
        let settings = Some(Settings::new().active(false));
        assert_eq!(refused(|state| state.plan.settings = settings), Some("the settings of the run"));
        let mut other = Course::new();
        other.add(1, -1.0);
        assert_eq!(refused(|state| state.course = other), Some("the course of the run"));
        let stop = Some(Stop::Runs { runs: 7 });
        assert_eq!(refused(|state| (state.finished, state.stop) = (vec![], stop)), Some("the runs"));
        let turned = Starts(Kind::Box { lower: vec![1.0; 2], upper: vec![0.0; 2] });
        assert_eq!(refused(|state| state.config.starts = turned), Some("the start points"));
    }
}
