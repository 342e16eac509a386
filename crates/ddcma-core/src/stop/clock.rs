//! The time that a run has taken, in this process and in earlier ones. The clock is read only if there is a time budget.

use std::time::{Duration, Instant};

/// A stopwatch. A checkpoint stores the elapsed time.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The time that had passed before it was started.
    before: Duration,
    started: Option<Instant>,
}

impl Clock {
    /// Returns the elapsed time.
    pub fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.started.map_or(Duration::ZERO, |started| started.elapsed()))
    }

    /// Continues from the elapsed time, or stops there.
    pub fn run(&mut self, running: bool) {
        self.before = self.elapsed();
        self.started = running.then(Instant::now);
    }
}

#[cfg(feature = "checkpoint")]
impl serde::Serialize for Clock {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.elapsed().serialize(serializer)
    }
}

#[cfg(feature = "checkpoint")]
impl<'de> serde::Deserialize<'de> for Clock {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { before: Duration::deserialize(deserializer)?, started: None })
    }
}
