//! The built-in step-size rules, one of which the settings choose.

use super::{Csa, Selection, StepSizeChange, StepSizeRule, Tpa};
use crate::settings::StepSize;
use crate::stored::{stored, stored_as_bytes};
use crate::{Params, StartError};

stored! {
    /// The rule that [`Settings::step_size`](crate::Settings::step_size) chooses; the built-in strategies use it.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum BuiltInRule {
        /// Cumulative step-size adaptation.
        Csa(Csa),
        /// Two-point adaptation.
        Tpa(Tpa),
    }
}

impl StepSizeRule for BuiltInRule {
    const NAME: &'static str = "built-in";

    fn accepts(_: StepSize) -> bool {
        true
    }

    fn start(params: &Params) -> Result<Self, StartError> {
        Ok(match params.step_size {
            StepSize::Csa => Self::Csa(Csa::start(params)?),
            StepSize::Tpa => Self::Tpa(Tpa::start(params)?),
        })
    }

    stored_as_bytes!();

    fn update(&mut self, seen: &Selection<'_>, params: &Params) -> StepSizeChange {
        match self {
            Self::Csa(rule) => rule.update(seen, params),
            Self::Tpa(rule) => rule.update(seen, params),
        }
    }

    fn wants_pair(&self) -> bool {
        match self {
            Self::Csa(rule) => rule.wants_pair(),
            Self::Tpa(rule) => rule.wants_pair(),
        }
    }

    fn wants_ranks(&self) -> bool {
        match self {
            Self::Csa(rule) => rule.wants_ranks(),
            Self::Tpa(rule) => rule.wants_ranks(),
        }
    }

    fn wants_last(&self) -> bool {
        match self {
            Self::Csa(rule) => rule.wants_last(),
            Self::Tpa(rule) => rule.wants_last(),
        }
    }

    fn resume(&mut self, params: &Params) -> Result<(), &'static str> {
        match (self, params.step_size) {
            (Self::Csa(rule), StepSize::Csa) => rule.resume(params),
            (Self::Tpa(rule), StepSize::Tpa) => rule.resume(params),
            _ => Err("the rule of the step size"),
        }
    }
}
