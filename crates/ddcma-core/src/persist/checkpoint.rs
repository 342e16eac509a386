//! Converts a complete run to bytes and back. Nothing is lost, and an inconsistent state is rejected.
//!
//! Settings and state are in the [postcard](https://docs.rs/postcard) format, sealed by [`storage`].

use std::fmt;
use std::path::Path;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CheckpointError, Origin, storage};
use crate::optimizer::State;
use crate::parts::{Parts, StoredPart};
use crate::step_size::{StepSizeAdaptation, StepSizeRule};
use crate::{Optimizer, Settings, Strategy};

const MAGIC: &[u8; 8] = b"ddcma\0cp";

impl<S: Strategy> Optimizer<S> {
    /// Returns the run as bytes: distribution, random number generator, pending generation, counters and history.
    ///
    /// Observers and objectives are not part of it. A custom strategy must implement [`Strategy::to_bytes`].
    pub fn to_checkpoint(&self) -> Result<Vec<u8>, CheckpointError> {
        let names = (S::NAME, S::StepSize::NAME);
        let strategy = self.strategy.to_bytes().ok_or(CheckpointError::Unsupported { what: "the strategy" })?;
        let step_size = self.step_size.to_bytes()?;
        let start = (&self.origin, self.params.dimension(), self.params.settings());
        let parts = self.parts.to_bytes().ok_or(CheckpointError::Unsupported { what: "the pace or a correction" })?;
        let body = storage::to_bytes(&(names, start, strategy, step_size, parts, &self.state))?;
        Ok(storage::seal_run(MAGIC, &body))
    }

    /// Restores the run from the bytes of [`to_checkpoint`](Self::to_checkpoint). It continues exactly as the original would
    /// have, bit for bit.
    ///
    /// A run with a [pace](Self::set_pace) or [corrections](Self::add_correction) of its own must be restored by
    /// [`Run::restore`](crate::Run::restore), into one that has them.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, CheckpointError> {
        Self::read(bytes, Parts::default())
    }

    fn read(bytes: &[u8], mut parts: Parts) -> Result<Self, CheckpointError> {
        let Stored { origin, n, settings, strategy, step_size, of_parts, mut state } =
            Stored::open(bytes, S::NAME, S::StepSize::NAME)?;
        let inconsistent = |what| CheckpointError::Inconsistent { what };
        // Sizes are checked first, so that a forged dimension or population size cannot make us allocate too much.
        let lambda = state.z.len();
        if state.z.dimension() != n || settings.lambda.is_some_and(|chosen| chosen != lambda) {
            return Err(inconsistent("the population size"));
        }
        let params = settings.params(n).map_err(|_| inconsistent("the settings"))?;
        let undecodable = |what: &str| CheckpointError::Malformed { reason: what.to_string() };
        let mut strategy = S::from_bytes(&strategy).ok_or_else(|| undecodable("the strategy"))?;
        let mut step_size = StepSizeAdaptation::from_bytes(&step_size).ok_or_else(|| undecodable("the step size"))?;
        state.check(&params).map_err(inconsistent)?;
        step_size.resume(&params).map_err(inconsistent)?;
        strategy.resume(&params).map_err(inconsistent)?;
        let d = strategy.shape().d;
        if d.len() != n || !d.iter().all(|d| *d > 0.0 && d.is_finite()) {
            return Err(inconsistent("D"));
        }
        state.resume(&params).map_err(inconsistent)?;
        if !parts.restore(&of_parts) {
            return Err(inconsistent("the pace or a correction"));
        }
        let mut run = Self { parts, ..Self::start(params, strategy, step_size, state, origin) };
        run.reopen();
        Ok(run)
    }

    /// Writes a checkpoint to a file: either all of it is written, or the file is unchanged.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        storage::write(path.as_ref(), &self.to_checkpoint()?)
    }

    /// Reads a checkpoint from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        Self::from_checkpoint(&storage::read(path.as_ref())?)
    }

    /// Continues from a checkpoint of a run that was started in the same way, with the stop criteria of this run.
    pub(crate) fn continue_from(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let mut run = Self::read(bytes, self.parts.clone())?;
        self.origin.check(&run.origin)?;
        let criteria = run.set_criteria(self.state.criteria.clone());
        criteria.map_err(|_| CheckpointError::Inconsistent { what: "the stop criteria" })?;
        *self = run;
        Ok(())
    }
}

/// What a checkpoint consists of, whatever the strategy.
struct Stored {
    origin: Origin,
    n: usize,
    settings: Settings,
    strategy: Vec<u8>,
    step_size: Vec<u8>,
    of_parts: Vec<StoredPart>,
    state: State,
}

impl Stored {
    /// Checks that the checkpoint belongs to this strategy and this step-size rule before the rest is looked at.
    fn open(bytes: &[u8], strategy: &'static str, rule: &'static str) -> Result<Self, CheckpointError> {
        let body = storage::open_run(MAGIC, bytes)?;
        let (names, body) = storage::split::<(String, String)>(body)?;
        if names.0 != strategy {
            return Err(CheckpointError::Strategy { expected: strategy, found: names.0 });
        }
        if names.1 != rule {
            return Err(CheckpointError::StepSizeRule { expected: rule, found: names.1 });
        }
        let ((origin, n, settings), strategy, step_size, of_parts, state) = storage::from_bytes(body)?;
        Ok(Self { origin, n, settings, strategy, step_size, of_parts, state })
    }
}

impl<S: Strategy> Serialize for Optimizer<S> {
    /// Serializes the bytes of a checkpoint, whatever the format, so that no format can round a number.
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_bytes(&self.to_checkpoint().map_err(serde::ser::Error::custom)?)
    }
}

impl<'de, S: Strategy> Deserialize<'de> for Optimizer<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = deserializer.deserialize_byte_buf(Bytes)?;
        Self::from_checkpoint(&bytes).map_err(D::Error::custom)
    }
}

/// Bytes or, in formats that have no bytes, a sequence of numbers.
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

#[cfg(all(test, feature = "dense"))]
mod tests {
    use serde_reflection::{Samples, Tracer, TracerConfig};

    use super::*;
    use crate::{
        Bounds, BuiltInStrategy, Plain, Root, Separable, StepSize, StopCriteria, UpdateError, Variable, Variables,
    };

    /// Describes what a run stores: the names and types of all fields.
    fn layout<S: Strategy<StepSize: Serialize> + Serialize>(builder: crate::Builder<S>) -> String {
        let mut es = builder.build().unwrap();
        for _ in 0..30 {
            es.step(&mut |x: &[f64]| x.iter().map(|x| x * x).sum()).unwrap();
        }
        es.set_reference(-1.0).unwrap();
        let x = es.ask()[1].to_vec();
        es.replace(1, &x).unwrap();
        let (mut tracer, mut samples) = (Tracer::new(TracerConfig::default()), Samples::new());
        tracer.trace_value(&mut samples, es.params.settings()).unwrap();
        tracer.trace_value(&mut samples, &es.state).unwrap();
        tracer.trace_value(&mut samples, &es.strategy).unwrap();
        tracer.trace_value(&mut samples, es.step_size.rule()).unwrap();
        tracer.trace_value(&mut samples, &es.origin).unwrap();
        // With all variants, also those that this run does not have.
        tracer.trace_type::<Settings>(&samples).unwrap();
        tracer.trace_type::<UpdateError>(&samples).unwrap();
        format!("{:?}\n", tracer.registry_unchecked())
    }

    #[test]
    fn a_change_of_what_a_run_stores_changes_the_version_of_the_format() {
        let settings = || Settings::new().lambda(8);
        let criteria = StopCriteria::new().target(-1.0).max_evaluations(1000).max_iterations(100);
        let variables =
            [Variable::between(1e-3, 1.0).log().named("rate"), Variable::around(0.5, 3.0), Variable::fixed(1.0)];
        let (variables, bounds) = (Variables::new(variables).unwrap(), Bounds::uniform(3, -1.0, 1.0).unwrap());
        let start = [0.5, 0.5, 1.0];
        let built_in = |settings: Settings| Optimizer::<BuiltInStrategy>::builder(&start, 0.1).settings(settings);
        let layout = [
            layout(built_in(settings().step_size(StepSize::Tpa)).criteria(criteria).variables(variables)),
            layout(built_in(settings().root(Root::Literal)).bounds(bounds)),
            layout(Optimizer::<Separable>::builder(&start, 0.1).settings(settings())),
            layout(Optimizer::<Plain>::builder(&start, 0.1).settings(settings())),
        ]
        .concat();
        let stored = (storage::FORMAT_VERSION, crc32fast::hash(layout.as_bytes()));
        assert_eq!(stored, (11, 4_021_083_962), "if what a run stores has changed, so must FORMAT_VERSION:\n{layout}");
    }
}
