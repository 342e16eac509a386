//! The names of strategies, policies and functions on command lines and in files.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use ddcma_core::{Settings, StepSize};
use ddcma_lab::{StrategyAlgorithm, SuiteFunction};
use ddcma_problems::{Function, Instance, Spec};
use ddcma_restarts::{Bipop, Independent, Ipop, Nbipop, Nipop, Policy};
use serde::{Deserialize, Serialize};

use super::LabError;

/// The strategies of `ddcma-core`, with either step-size rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyName {
    /// Plain CMA-ES.
    Plain,
    /// Separable CMA-ES.
    Sep,
    /// dd-CMA-ES.
    Dd,
    /// Plain CMA-ES with two-point step-size adaptation.
    PlainTpa,
    /// Separable CMA-ES with two-point step-size adaptation.
    SepTpa,
    /// dd-CMA-ES with two-point step-size adaptation.
    DdTpa,
}

/// Evaluates an expression with the type that a [`StrategyName`] stands for: `with_strategy!(name, S => run::<S>(n))`.
macro_rules! with_strategy {
    ($name:expr, $strategy:ident => $call:expr) => {
        match $name {
            $crate::lab::names::StrategyName::Plain | $crate::lab::names::StrategyName::PlainTpa => {
                type $strategy = ddcma_core::Plain;
                $call
            }
            $crate::lab::names::StrategyName::Sep | $crate::lab::names::StrategyName::SepTpa => {
                type $strategy = ddcma_core::Separable;
                $call
            }
            $crate::lab::names::StrategyName::Dd | $crate::lab::names::StrategyName::DdTpa => {
                type $strategy = ddcma_core::DiagonalDecoding;
                $call
            }
        }
    };
}
pub(crate) use with_strategy;

impl StrategyName {
    /// The strategies with the step-size rule of the paper.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Sep, Self::Dd];

    /// Returns the same strategy with the step-size rule of the paper.
    pub fn with_csa(self) -> Self {
        match self {
            Self::Plain | Self::PlainTpa => Self::Plain,
            Self::Sep | Self::SepTpa => Self::Sep,
            Self::Dd | Self::DdTpa => Self::Dd,
        }
    }

    /// Returns the strategy as an algorithm of the lab.
    pub fn algorithm(self) -> StrategyAlgorithm {
        let strategy = match self.with_csa() {
            Self::Sep => ddcma_lab::sep(),
            Self::Dd => ddcma_lab::dd(),
            _ => ddcma_lab::plain(),
        };
        strategy.settings(self.settings()).named(self.name())
    }

    /// Returns default settings with its step-size rule.
    pub fn settings(self) -> Settings {
        let rule = if self == self.with_csa() { StepSize::Csa } else { StepSize::Tpa };
        Settings::new().step_size(rule)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Sep => "sep",
            Self::Dd => "dd",
            Self::PlainTpa => "plain-tpa",
            Self::SepTpa => "sep-tpa",
            Self::DdTpa => "dd-tpa",
        }
    }

    /// Returns the color of its lines, the same in all pictures.
    pub fn color(self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Sep => 1,
            Self::Dd => 2,
            Self::PlainTpa => 3,
            Self::SepTpa => 4,
            Self::DdTpa => 5,
        }
    }
}

/// The policies of `ddcma-restarts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyName {
    /// The same run again.
    Independent,
    /// Larger populations.
    Ipop,
    /// Larger populations and smaller steps.
    Nipop,
    /// Two regimes with equal budgets.
    Bipop,
    /// Two regimes with adaptive budgets.
    Nbipop,
}

impl PolicyName {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Independent, Self::Ipop, Self::Nipop, Self::Bipop, Self::Nbipop];

    /// Returns the policy with its published constants, limited only by the budget of the search.
    pub fn policy(self) -> Box<dyn Policy> {
        match self {
            Self::Independent => Box::new(Independent::new()),
            Self::Ipop => Box::new(Ipop::new().restarts(None)),
            Self::Nipop => Box::new(Nipop::new().restarts(None)),
            Self::Bipop => Box::new(Bipop::new().restarts(None)),
            Self::Nbipop => Box::new(Nbipop::new().restarts(None)),
        }
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Ipop => "ipop",
            Self::Nipop => "nipop",
            Self::Bipop => "bipop",
            Self::Nbipop => "nbipop",
        }
    }
}

/// A function of the suite in one of its forms: `rastrigin`, `rastrigin-rotated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Form {
    /// The function.
    pub function: Function,
    /// Whether it is rotated.
    pub rotated: bool,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.function, if self.rotated { "-rotated" } else { "" })
    }
}

impl FromStr for Form {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        let SuiteFunction { function, rotated, .. } = name.parse()?;
        Ok(Self { function, rotated })
    }
}

impl Form {
    /// Returns every function in each of its forms.
    pub fn all() -> Vec<Self> {
        let forms = |function: Function| {
            let rotated = function.has_rotated_form().then_some(Self { function, rotated: true });
            std::iter::once(Self { function, rotated: false }).chain(rotated)
        };
        Function::ALL.iter().copied().flat_map(forms).collect()
    }

    /// Returns the instance of a dimension and a seed.
    pub fn instance(self, n: usize, seed: u64) -> Result<Instance, LabError> {
        let Self { function, rotated } = self;
        Instance::new(Spec { function, n, rotated, seed }).map_err(|error| LabError::new(error.to_string()))
    }
}
