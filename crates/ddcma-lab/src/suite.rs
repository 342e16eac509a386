//! The functions of `ddcma-problems` as families of problems: `rastrigin`, `rastrigin-rotated`.

use std::fmt;
use std::str::FromStr;

use ddcma_core::Xoshiro256PlusPlus;
use ddcma_problems::{Function, InitialMean, Instance, Spec};
use ddcma_restarts::Starts;
use rand_distr::{Distribution, StandardNormal};

use crate::{Family, LabError, TrialProblem};

/// A function of the suite, rotated or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFunction {
    /// The function.
    pub function: Function,
    /// Whether it is rotated.
    pub rotated: bool,
    name: String,
}

/// Returns functions of the suite by name.
pub fn suite<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Box<dyn Family>>, LabError> {
    let parse = |name: &str| name.parse().map(|function: SuiteFunction| Box::new(function) as Box<dyn Family>);
    names.into_iter().map(parse).collect()
}

impl SuiteFunction {
    /// Creates a function, rotated or not.
    pub fn new(function: Function, rotated: bool) -> Result<Self, LabError> {
        if rotated && !function.has_rotated_form() {
            return Err(LabError::new(format!("{function} has no rotated form: use it without -rotated")));
        }
        let name = format!("{function}{}", if rotated { "-rotated" } else { "" });
        Ok(Self { function, rotated, name })
    }

    /// Returns every function in all its forms.
    pub fn all() -> Vec<Self> {
        let forms = |function: &Function| [Self::new(*function, false), Self::new(*function, true)];
        Function::ALL.iter().flat_map(forms).flatten().collect()
    }

    /// Returns the instance of a dimension and a seed.
    pub fn instance(&self, n: usize, seed: u64) -> Result<Instance, LabError> {
        let Self { function, rotated, .. } = *self;
        Instance::new(Spec { function, n, rotated, seed }).map_err(|error| LabError::new(error.to_string()))
    }
}

impl fmt::Display for SuiteFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for SuiteFunction {
    type Err = LabError;

    fn from_str(name: &str) -> Result<Self, LabError> {
        let (function, rotated) = name.strip_suffix("-rotated").map_or((name, false), |function| (function, true));
        let known = || Function::ALL.iter().map(|function| function.name()).collect::<Vec<_>>().join(", ");
        let function = function.parse();
        let function: Function = function
            .map_err(|_| LabError::new(format!("there is no function \"{name}\": choose one of {}", known())))?;
        Self::new(function, rotated)
    }
}

impl Family for SuiteFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn with(&self, n: usize, seed: u64, trial: &mut dyn FnMut(TrialProblem<'_>)) -> Result<(), LabError> {
        let mut instance = self.instance(n, seed)?;
        trial(TrialProblem {
            initial_mean: instance.initial_mean().to_vec(),
            initial_sigma: instance.initial_sigma(),
            budget: instance.budget(),
            target: None,
            variables: None,
            starts: starts_of(&instance),
            domain: Some(domain_of(&instance)),
            objective: &mut instance,
        });
        Ok(())
    }
}

/// Returns a range that contains the minimum and at least 95 % of the starts.
fn domain_of(instance: &Instance) -> (f64, f64) {
    let extent = match instance.spec().function.initial_mean() {
        InitialMean::Normal(deviation) => 2.0 * deviation,
        _ => 5.0,
    };
    (-extent, extent)
}

/// Returns the start points of a search on an instance of the suite.
///
/// The first run starts where the suite prescribes. Later starts are drawn from the same distribution or, if the suite prescribes a
/// point, around it.
pub fn starts_of(instance: &Instance) -> Starts {
    let first = instance.initial_mean().to_vec();
    let (center, deviation) = match instance.spec().function.initial_mean() {
        InitialMean::Normal(deviation) => (0.0, deviation),
        InitialMean::Constant(mean) => (mean, instance.initial_sigma()),
        _ => (0.0, instance.initial_sigma()),
    };
    Starts::from_fn(first.len(), move |k, rng: &mut Xoshiro256PlusPlus| {
        let normal = |_| -> f64 { StandardNormal.sample(rng) };
        if k == 0 { first.clone() } else { first.iter().map(normal).map(|z| center + deviation * z).collect() }
    })
}
