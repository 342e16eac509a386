//! A whole run as bytes, and back: nothing is lost, and nothing is believed that does not fit together.
//!
//! The state is in the [postcard](https://docs.rs/postcard) format, sealed by [`storage`]. Workspace is not stored; what can be computed from
//! the state to the bit is not stored either. Knows every field, and no formula.

use std::any::type_name;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::optimizer::BestSoFar;
use crate::step_size::StepSize;
use crate::storage;
use crate::{Bounds, Columns, EvolutionPath, Optimizer, Settings, StopCriteria, Strategy, UpdateError};

const MAGIC: &[u8; 8] = b"ddcma\0cp";
const VERSION: u32 = 1;

/// Why bytes are not the checkpoint of such an optimizer, or could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// They are not a checkpoint at all.
    NotACheckpoint,
    /// They are a checkpoint of another version of the format.
    Version {
        /// Theirs.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// They have been damaged.
    Damaged {
        /// The checksum that they carry.
        expected: u32,
        /// The checksum that they have.
        found: u32,
    },
    /// They are the checkpoint of another strategy.
    Strategy {
        /// The strategy asked for.
        expected: &'static str,
        /// The strategy that wrote them.
        found: String,
    },
    /// They are the checkpoint of a run with another random generator.
    Generator {
        /// The generator asked for.
        expected: &'static str,
        /// The generator of the run.
        found: String,
    },
    /// The state in them has another form: that of a strategy that has changed, perhaps.
    Malformed {
        /// What the decoder says.
        reason: String,
    },
    /// The state in them is that of no run.
    Inconsistent {
        /// What does not fit.
        what: &'static str,
    },
    /// The file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACheckpoint => write!(f, "this is not a checkpoint"),
            Self::Version { found, supported } => {
                write!(f, "the checkpoint has format version {found}, and this is for version {supported}")
            }
            Self::Damaged { expected, found } => {
                write!(f, "the checkpoint is damaged: its checksum is {found:08x}, and should be {expected:08x}")
            }
            Self::Strategy { expected, found } => {
                write!(f, "the checkpoint is of the strategy \"{found}\", not \"{expected}\"")
            }
            Self::Generator { expected, found } => {
                write!(f, "the checkpoint is of a run with the generator {found}, not {expected}")
            }
            Self::Malformed { reason } => write!(f, "the state in the checkpoint has another form: {reason}"),
            Self::Inconsistent { what } => write!(f, "the state in the checkpoint is not consistent: {what}"),
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => error.source(), // its text is part of ours
            _ => None,
        }
    }
}

/// The name of a generator's type alone: where it stands in its crate, and how a compiler writes that, may change.
fn generator_name<R>() -> &'static str {
    let whole = type_name::<R>().split('<').next().unwrap_or_default();
    whole.rsplit("::").next().unwrap_or_default()
}

/// All that a run is.
#[derive(Serialize, Deserialize)]
struct State<S, R> {
    n: usize,
    settings: Settings,
    criteria: StopCriteria,
    bounds: Option<(Vec<f64>, Vec<f64>)>,
    strategy: S,
    sigma: f64,
    path_sigma: EvolutionPath,
    mean: Vec<f64>,
    feasible_mean: Vec<f64>,
    rng: R,
    /// The z of the last generation.
    z: Vec<f64>,
    /// Whether it waits for its values.
    asked: bool,
    values: Vec<f64>,
    best: Option<BestSoFar>,
    evaluations: u64,
    iterations: u64,
    initial_deviations: Vec<f64>,
    range: f64,
    best_values: VecDeque<f64>,
    median_values: VecDeque<f64>,
    flat: VecDeque<bool>,
    not_finite: u64,
    no_effect_axis: Option<f64>,
    failure: Option<UpdateError>,
    elapsed: Duration,
}

impl<S: Strategy + Serialize + DeserializeOwned, R: Serialize + DeserializeOwned> Optimizer<S, R> {
    /// The run as bytes: distribution, random generator, pending generation, counters and history.
    ///
    /// Observers and objectives are not part of it.
    pub fn to_checkpoint(&self) -> Result<Vec<u8>, CheckpointError>
    where
        S: Clone,
        R: Clone,
    {
        let monitor = &self.monitor;
        let state = State {
            n: self.params.dimension(),
            settings: self.params.settings().clone(),
            criteria: self.criteria.clone(),
            bounds: self.bounds.as_ref().map(|bounds| (bounds.lower().collect(), bounds.upper().collect())),
            strategy: self.strategy.clone(),
            sigma: self.step_size.sigma(),
            path_sigma: self.step_size.path().clone(),
            mean: self.mean.clone(),
            feasible_mean: self.feasible_mean.clone(),
            rng: self.rng.clone(),
            z: self.z.as_slice().to_vec(),
            asked: self.asked,
            values: self.values.clone(),
            best: self.best.clone(),
            evaluations: self.evaluations,
            iterations: self.iterations,
            initial_deviations: monitor.initial_deviations.clone(),
            range: monitor.range,
            best_values: monitor.best.clone(),
            median_values: monitor.median.clone(),
            flat: monitor.flat.clone(),
            not_finite: monitor.not_finite,
            no_effect_axis: monitor.no_effect_axis,
            failure: monitor.failure.clone(),
            elapsed: monitor.elapsed(),
        };
        let body = postcard::to_allocvec(&((S::NAME, generator_name::<R>()), state))
            .map_err(|error| CheckpointError::Malformed { reason: error.to_string() })?;
        Ok(storage::seal(MAGIC, VERSION, &body))
    }

    /// The run that [`to_checkpoint`](Self::to_checkpoint) was called on: it goes on to the bit as if nothing had happened.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let body = storage::open(MAGIC, VERSION, bytes)?;
        let malformed = |error: postcard::Error| CheckpointError::Malformed { reason: error.to_string() };
        let ((strategy, generator), body) = postcard::take_from_bytes::<(String, String)>(body).map_err(malformed)?;
        if strategy != S::NAME {
            return Err(CheckpointError::Strategy { expected: S::NAME, found: strategy });
        }
        if generator != generator_name::<R>() {
            return Err(CheckpointError::Generator { expected: generator_name::<R>(), found: generator });
        }
        let (state, rest) = postcard::take_from_bytes::<State<S, R>>(body).map_err(malformed)?;
        if !rest.is_empty() {
            return Err(CheckpointError::Inconsistent { what: "there are bytes behind the end" });
        }
        Self::restore(state)
    }

    /// Builds the optimizer of a state, if there is one.
    fn restore(state: State<S, R>) -> Result<Self, CheckpointError> {
        let inconsistent = |what| CheckpointError::Inconsistent { what };
        let check = |good: bool, what| if good { Ok(()) } else { Err(inconsistent(what)) };
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let positive = |numbers: &[f64]| numbers.iter().all(|number| *number > 0.0 && number.is_finite());

        // Lengths first: nothing is allocated for a dimension that the data do not have.
        let n = state.n;
        check(state.mean.len() == n && finite(&state.mean), "the mean")?;
        check(state.feasible_mean.len() == n && finite(&state.feasible_mean), "the feasible mean")?;
        check(state.strategy.d().len() == n && positive(state.strategy.d()), "D")?;
        check(state.strategy.path().is_none_or(|path| path.is_path_of(n)), "the path of C")?;
        check(state.path_sigma.is_path_of(n), "the path of the step size")?;
        check(positive(&[state.sigma]), "the step size")?;
        check(state.initial_deviations.len() == n && positive(&state.initial_deviations), "the initial deviations")?;
        let is_best = |best: &BestSoFar| best.point.len() == n && finite(&best.point) && !best.value.is_nan();
        check(state.best.as_ref().is_none_or(is_best), "the best point")?;
        check(n > 0 && state.z.len().is_multiple_of(n) && finite(&state.z), "the last generation")?;
        let lambda = state.z.len() / n;
        check(state.settings.lambda.is_none_or(|chosen| chosen == lambda), "the population size")?;

        let params = state.settings.params(n).map_err(|_| inconsistent("the settings"))?;
        check(params.lambda() == lambda, "the population size")?;
        check(state.criteria.check().is_ok(), "the stop criteria")?;
        check(state.values.is_empty() || state.values.len() == lambda, "the values of the last generation")?;
        let evaluations = state.iterations.checked_mul(lambda as u64);
        check(evaluations == Some(state.evaluations) && state.iterations < u64::MAX / 4, "the counts")?;
        check(state.not_finite <= state.iterations, "the counts")?;
        let remembered = state.best_values.len() as u64;
        check(remembered == state.median_values.len() as u64 && remembered <= state.iterations, "the history")?;
        check(state.flat.len() <= n.max(10), "the history of flat generations")?;
        let bounds = state.bounds.map(|(lower, upper)| Bounds::new(&lower, &upper)).transpose();
        let bounds = bounds.map_err(|_| inconsistent("the bounds"))?;
        let within = |bounds: &Bounds| bounds.dimension() == n && bounds.violated_by(&state.feasible_mean).is_none();
        check(bounds.as_ref().is_none_or(within), "the bounds")?;

        let d = state.strategy.d().to_vec();
        let mut run = Self::from_parts(params, state.feasible_mean, state.sigma, &d, bounds, state.criteria, state.rng);
        run.strategy = state.strategy;
        run.step_size = StepSize::resume(state.sigma, state.path_sigma);
        run.mean = state.mean;
        run.values.extend(state.values);
        run.best = state.best;
        run.evaluations = state.evaluations;
        run.iterations = state.iterations;
        run.monitor.initial_deviations = state.initial_deviations;
        run.monitor.range = state.range;
        run.monitor.best.extend(state.best_values);
        run.monitor.median.extend(state.median_values);
        run.monitor.flat.extend(state.flat);
        run.monitor.not_finite = state.not_finite;
        run.monitor.no_effect_axis = state.no_effect_axis;
        run.monitor.failure = state.failure;
        run.monitor.elapsed = state.elapsed;
        run.z = Columns::from_vec(n, state.z).ok_or_else(|| inconsistent("the last generation"))?;
        if state.asked {
            run.decode();
        }
        Ok(run)
    }

    /// Writes a checkpoint to a file: either all of it, or the file stays as it was.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError>
    where
        S: Clone,
        R: Clone,
    {
        storage::write(path.as_ref(), &self.to_checkpoint()?)
    }

    /// Reads a checkpoint from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        Self::from_checkpoint(&storage::read(path.as_ref())?)
    }
}

impl<S, R> Serialize for Optimizer<S, R>
where
    S: Strategy + Serialize + DeserializeOwned + Clone,
    R: Serialize + DeserializeOwned + Clone,
{
    /// As the bytes of a checkpoint, whatever the format: no format's idea of a number can change a bit.
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_bytes(&self.to_checkpoint().map_err(serde::ser::Error::custom)?)
    }
}

impl<'de, S, R> Deserialize<'de> for Optimizer<S, R>
where
    S: Strategy + Serialize + DeserializeOwned,
    R: Serialize + DeserializeOwned,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = deserializer.deserialize_byte_buf(Bytes)?;
        Self::from_checkpoint(&bytes).map_err(D::Error::custom)
    }
}

/// Bytes, or in formats that have none a sequence of them.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the bytes of a checkpoint")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}
