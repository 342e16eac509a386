//! Independent restarts: the same run from other points.

use super::Policy;
use crate::{Past, Regime, RunPlan};

/// Independent restarts: λ and σ stay the same, only the start point changes.
///
/// A baseline for the other policies; good if a single run is fairly likely to find the global minimum.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
pub struct Independent {
    restarts: Option<u32>,
}

impl Independent {
    /// Creates the policy without a limit on the number of restarts.
    pub fn new() -> Self {
        Self::default()
    }
}

setters! {
    Independent
    /// Sets the maximum number of restarts. Default: no limit.
    restarts: Option<u32>;
}

impl Policy for Independent {
    fn name(&self) -> &'static str {
        "independent"
    }

    fn next(&self, past: &Past<'_>, _uniform: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
        if past.runs.is_empty() {
            return Some(past.usual_run(Regime::First));
        }
        let restarts = past.runs.len() - 1;
        let enough = self.restarts.is_some_and(|limit| restarts >= limit as usize);
        (!enough).then(|| past.usual_run(Regime::Again))
    }

    fn ends(&self) -> bool {
        self.restarts.is_some()
    }
}
