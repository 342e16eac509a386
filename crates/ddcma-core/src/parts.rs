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

#[cfg(feature = "checkpoint")]
impl Parts {
    /// Returns the bytes of each part; `None` if one cannot be stored.
    pub(crate) fn to_bytes(&self) -> Option<Vec<Vec<u8>>> {
        let corrections = self.corrections.iter().map(|correction| correction.to_bytes());
        self.pace.iter().map(|pace| pace.to_bytes()).chain(corrections).collect()
    }

    /// Restores the state of each part; returns whether the bytes belong to these parts.
    pub(crate) fn restore(&mut self, bytes: &[Vec<u8>]) -> bool {
        let paces = usize::from(self.pace.is_some());
        let is_as_many = bytes.len() == paces + self.corrections.len();
        let pace_fits = self.pace.iter_mut().zip(bytes).all(|(pace, bytes)| pace.restore(bytes));
        let fits = self.corrections.iter_mut().zip(bytes.iter().skip(paces));
        is_as_many && pace_fits && { fits }.all(|(correction, bytes)| correction.restore(bytes))
    }
}
