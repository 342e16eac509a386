//! How long a run has been going on, in this process and in those before it. Read only where there is a time budget.

use std::time::{Duration, Instant};

/// Measures time while it runs. A checkpoint keeps what has passed.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// What passed before it was started.
    before: Duration,
    started: Option<Instant>,
}

impl Clock {
    /// Returns the time that has passed while it ran.
    pub fn elapsed(&self) -> Duration {
        self.before.saturating_add(self.started.map_or(Duration::ZERO, |started| started.elapsed()))
    }

    /// Runs on from what has passed, or stands still there.
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
