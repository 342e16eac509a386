//! The current run of a search: a run of its strategy, or a probe.

use ddcma_core::{Optimizer, Run, Strategy};

use crate::Probe;

#[derive(Clone, Debug)]
#[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize), serde(bound = ""))]
pub(crate) enum Running<S: Strategy> {
    Run(Box<Optimizer<S>>),
    Probe(Box<Probe>),
}

impl<S: Strategy> Running<S> {
    pub(crate) fn get(&self) -> &dyn Run {
        match self {
            Self::Run(run) => &**run,
            Self::Probe(probe) => &**probe,
        }
    }

    pub(crate) fn get_mut(&mut self) -> &mut dyn Run {
        match self {
            Self::Run(run) => &mut **run,
            Self::Probe(probe) => &mut **probe,
        }
    }

    pub(crate) fn iterations(&self) -> u64 {
        self.get().pending().generation()
    }
}
