//! Converts a complete run to bytes and back. Nothing is lost, and an inconsistent state is rejected.
//!
//! Settings and state are in the [postcard](https://docs.rs/postcard) format, sealed by [`storage`].

use std::any::type_name;
use std::fmt;
use std::path::Path;

use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::State;
use crate::step_size::StepSizeRule;
use crate::{CheckpointError, Optimizer, Settings, StoredStrategy, storage};

const MAGIC: &[u8; 8] = b"ddcma\0cp";

/// The name of a generator's type without its path, which may change between versions and compilers.
pub(super) fn generator_name<R>() -> &'static str {
    let whole = type_name::<R>().split('<').next().unwrap_or_default();
    whole.rsplit("::").next().unwrap_or_default()
}

impl<S: StoredStrategy, R: Serialize + DeserializeOwned> Optimizer<S, R> {
    /// Returns the run as bytes: distribution, random number generator, pending generation, counters and history.
    ///
    /// Observers and objectives are not part of it.
    pub fn to_checkpoint(&self) -> Result<Vec<u8>, CheckpointError> {
        let names = (S::NAME, S::StepSize::NAME, generator_name::<R>());
        let origin = (self.params.dimension(), self.params.settings());
        let body = postcard::to_allocvec(&(names, origin, &self.state)).map_err(malformed)?;
        Ok(storage::seal_run(MAGIC, &body))
    }

    /// Restores the run from the bytes of [`to_checkpoint`](Self::to_checkpoint). It continues exactly as the original would
    /// have, bit for bit.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let (n, settings, body) = open(bytes, (S::NAME, S::StepSize::NAME, generator_name::<R>()))?;
        let (mut state, rest) = postcard::take_from_bytes::<State<S, S::StepSize, R>>(body).map_err(malformed)?;

        let inconsistent = |what| CheckpointError::Inconsistent { what };
        if !rest.is_empty() {
            return Err(inconsistent("there are bytes behind the end"));
        }
        // Sizes are checked first, so that a forged dimension or population size cannot make us allocate too much.
        let lambda = state.z.len();
        if state.z.dimension() != n || settings.lambda.is_some_and(|chosen| chosen != lambda) {
            return Err(inconsistent("the population size"));
        }
        let params = settings.params(n).map_err(|_| inconsistent("the settings"))?;
        state.resume(&params).map_err(inconsistent)?;
        let mut run = Self::start(params, state);
        if run.state.asked {
            run.decode();
        }
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
}

/// Checks that the checkpoint belongs to this strategy, step-size rule and generator; returns its dimension and settings, and
/// the bytes of its state.
fn open<'a>(
    bytes: &'a [u8],
    (strategy, rule, generator): (&'static str, &'static str, &'static str),
) -> Result<(usize, Settings, &'a [u8]), CheckpointError> {
    let body = storage::open_run(MAGIC, bytes)?;
    let (found, body) = postcard::take_from_bytes::<(String, String, String)>(body).map_err(malformed)?;
    if found.0 != strategy {
        return Err(CheckpointError::Strategy { expected: strategy, found: found.0 });
    }
    if found.1 != rule {
        return Err(CheckpointError::StepSizeRule { expected: rule, found: found.1 });
    }
    if found.2 != generator {
        return Err(CheckpointError::Generator { expected: generator, found: found.2 });
    }
    let ((n, settings), body) = postcard::take_from_bytes::<(usize, Settings)>(body).map_err(malformed)?;
    Ok((n, settings, body))
}

fn malformed(error: postcard::Error) -> CheckpointError {
    CheckpointError::Malformed { reason: error.to_string() }
}

impl<S, R> Serialize for Optimizer<S, R>
where
    S: StoredStrategy,
    R: Serialize + DeserializeOwned,
{
    /// Serializes the bytes of a checkpoint, whatever the format, so that no format can round a number.
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_bytes(&self.to_checkpoint().map_err(serde::ser::Error::custom)?)
    }
}

impl<'de, S, R> Deserialize<'de> for Optimizer<S, R>
where
    S: StoredStrategy,
    R: Serialize + DeserializeOwned,
{
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
    fn layout<S: StoredStrategy>(builder: crate::Builder<S>) -> String {
        let mut es = builder.build().unwrap();
        for _ in 0..30 {
            es.step(&mut |x: &[f64]| x.iter().map(|x| x * x).sum()).unwrap();
        }
        es.set_reference(-1.0).unwrap();
        es.ask();
        let (mut tracer, mut samples) = (Tracer::new(TracerConfig::default()), Samples::new());
        tracer.trace_value(&mut samples, es.params.settings()).unwrap();
        tracer.trace_value(&mut samples, &es.state).unwrap();
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
        assert_eq!(stored, (10, 4_238_644_665), "if what a run stores has changed, so must FORMAT_VERSION:\n{layout}");
    }
}
