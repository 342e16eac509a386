//! The optional parts of a run, which have states of their own.

use crate::{Correction, Pace};

/// A pace and corrections, if the run has any.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) pace: Option<Box<dyn Pace>>,
    pub(crate) corrections: Vec<Box<dyn Correction>>,
}

impl Clone for Parts {
    fn clone(&self) -> Self {
        let Self { pace, corrections } = self;
        let corrections = corrections.iter().map(|correction| correction.copy()).collect();
        Self { pace: pace.as_ref().map(|pace| pace.copy()), corrections }
    }
}

/// The name of a part, and its state.
#[cfg(feature = "checkpoint")]
pub(crate) type StoredPart = (String, Vec<u8>);

#[cfg(feature = "checkpoint")]
impl Parts {
    /// Returns the name and the bytes of each part; `None` if one cannot be stored.
    pub(crate) fn to_bytes(&self) -> Option<Vec<StoredPart>> {
        let pace = self.pace.iter().map(|part| (part.name(), part.to_bytes()));
        let corrections = self.corrections.iter().map(|part| (part.name(), part.to_bytes()));
        pace.chain(corrections).map(|(name, bytes)| Some((name.to_string(), bytes?))).collect()
    }

    /// Restores the state of each part; returns whether it belongs to these parts.
    pub(crate) fn restore(&mut self, stored: &[StoredPart]) -> bool {
        let mut stored = stored.iter();
        let mut next = |name: &str| stored.next().filter(|part| part.0 == name).map(|part| &part.1[..]);
        let pace_fits = self.pace.iter_mut().all(|part| next(part.name()).is_some_and(|bytes| part.restore(bytes)));
        let mut corrections = self.corrections.iter_mut();
        let all_fit = pace_fits && corrections.all(|part| next(part.name()).is_some_and(|bytes| part.restore(bytes)));
        all_fit && stored.next().is_none()
    }
}
