//! The names on a command line: algorithms, policies and problems, built in or added by a program.

use std::fmt;
use std::sync::Arc;

use ddcma_core::{Settings, StepSize};
use ddcma_problems::applied::Applied;

use super::names::{self, Typed, unknown};
use super::policies::{self, MakePolicy};
use crate::builtin::MakesPolicy;
use crate::{
    Algorithm, AppliedFamily, Choices, Family, LabError, StrategyAlgorithm, SuiteFunction, applied, dd, plain, sep,
};

const HOW_TO_GET_COCO: &str = "build this program with the feature `coco` of ddcma-lab, which needs libclang (Debian: apt-get install libclang-dev)";

/// The name of all applied problems together.
const APPLIED: &str = "applied";

/// Makes an optimizer from the typed name and its parameters.
pub(crate) type MakeOptimizer = Box<dyn Fn(&str, Choices) -> Result<Arc<dyn Algorithm>, LabError>>;

/// A policy with its typed name.
pub(crate) type NamedPolicy = (String, Arc<dyn MakesPolicy>);

enum Registered {
    Strategy(Box<StrategyAlgorithm>),
    Optimizer(MakeOptimizer),
}

pub(crate) struct Registry {
    algorithms: Vec<(String, Registered)>,
    policies: Vec<(String, MakePolicy)>,
    problems: Vec<Arc<dyn Family>>,
    /// The number of built-in algorithms, which come first.
    built_in: usize,
    /// The hint for users of a build without COCO.
    #[cfg_attr(feature = "coco", allow(dead_code, reason = "COCO is there"))]
    how_to_get_coco: String,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("algorithms", &self.algorithm_names()).finish_non_exhaustive()
    }
}

impl Registry {
    /// Creates a registry with the built-in algorithms and policies. The problems of the suite need no registration.
    pub(crate) fn new() -> Self {
        let tpa = |strategy: StrategyAlgorithm| strategy.settings(Settings::new().step_size(StepSize::Tpa));
        let strategies = [
            plain(),
            sep(),
            dd(),
            tpa(plain()).named("plain-tpa"),
            tpa(sep()).named("sep-tpa"),
            tpa(dd()).named("dd-tpa"),
        ];
        let mut registry = Self {
            algorithms: Vec::new(),
            policies: Vec::new(),
            problems: Vec::new(),
            built_in: 0,
            how_to_get_coco: HOW_TO_GET_COCO.to_string(),
        };
        strategies.into_iter().for_each(|strategy| registry.add_strategy(strategy));
        policies::built_in().into_iter().for_each(|(name, make)| registry.add_policy(name.to_string(), make));
        registry.built_in = registry.algorithms.len();
        registry
    }

    pub(crate) fn add_strategy(&mut self, strategy: StrategyAlgorithm) {
        self.algorithms.push((strategy.name().to_string(), Registered::Strategy(Box::new(strategy))));
    }

    pub(crate) fn add_optimizer(&mut self, name: String, make: MakeOptimizer) {
        self.algorithms.push((name, Registered::Optimizer(make)));
    }

    pub(crate) fn add_policy(&mut self, name: String, make: MakePolicy) {
        self.policies.push((name, make));
    }

    pub(crate) fn add_problem(&mut self, problem: Arc<dyn Family>) {
        self.problems.push(problem);
    }

    /// Checks that all names differ.
    pub(crate) fn check(&self) -> Result<(), LabError> {
        let problems: Vec<&str> = self.problems.iter().map(|problem| problem.name()).collect();
        for (what, names) in
            [("algorithms", self.algorithm_names()), ("policies", self.policy_names()), ("problems", problems.clone())]
        {
            let twice = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name));
            if let Some((_, name)) = twice {
                return Err(LabError::new(format!("the names of {what} must differ, but two are called \"{name}\"")));
            }
        }
        if let Some(name) = problems.iter().find(|name| name.parse::<SuiteFunction>().is_ok()) {
            return Err(LabError::new(format!(
                "the problem \"{name}\" must have another name: the suite has a function of this name"
            )));
        }
        match problems.iter().find(|name| **name == APPLIED || AppliedFamily::from_name(name).is_ok()) {
            Some(name) => Err(LabError::new(format!(
                "the problem \"{name}\" must have another name: applied problems have this one"
            ))),
            None => Ok(()),
        }
    }

    fn algorithm_names(&self) -> Vec<&str> {
        self.algorithms.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn policy_names(&self) -> Vec<&str> {
        self.policies.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns algorithms by name; by default, those of the program and plain, sep and dd.
    pub(crate) fn algorithms(&self, lists: &[String]) -> Result<Vec<Arc<dyn Algorithm>>, LabError> {
        let make = |(typed, registered): (Typed, &Registered)| match registered {
            Registered::Strategy(strategy) => StrategyAlgorithm::clone(strategy)
                .named(typed.text)
                .choose(typed.choices)
                .map(|strategy| Arc::new(strategy) as _),
            Registered::Optimizer(make) => make(&typed.text, typed.choices),
        };
        self.typed(lists)?.into_iter().map(make).collect()
    }

    /// Returns every strategy with every policy, such as `dd/bipop`, and other optimizers without a policy. The defaults are those of
    /// [`algorithms`](Self::algorithms).
    pub(crate) fn restarted(
        &self,
        strategies: &[String],
        policies: &[NamedPolicy],
        sigma: Option<f64>,
    ) -> Result<Vec<Arc<dyn Algorithm>>, LabError> {
        let mut all: Vec<Arc<dyn Algorithm>> = Vec::new();
        for (typed, registered) in self.typed(strategies)? {
            let Typed { text: strategy, choices, .. } = typed;
            match registered {
                Registered::Strategy(registered) => {
                    let mut chosen = StrategyAlgorithm::clone(registered).choose(choices)?;
                    if let Some(sigma) = sigma {
                        chosen = chosen.choose(format!("sigma={sigma}").parse()?)?;
                    }
                    for (policy, make) in policies {
                        let named = chosen.clone().named(format!("{strategy}/{policy}"));
                        all.push(Arc::new(named.any_policy(Arc::clone(make))));
                    }
                }
                Registered::Optimizer(make) => {
                    all.push(make(&strategy, choices)?);
                }
            }
        }
        Ok(all)
    }

    fn typed(&self, lists: &[String]) -> Result<Vec<(Typed, &Registered)>, LabError> {
        let known = self.algorithm_names();
        let own = self.algorithms[self.built_in..].iter().map(|(name, _)| name.as_str());
        let by_default: Vec<String> = own.chain(["plain", "sep", "dd"]).map(str::to_string).collect();
        let typed = names::read(if lists.is_empty() { &by_default } else { lists }, &known)?;
        let registered = |typed: Typed| {
            let found = self.algorithms.iter().find(|(name, _)| *name == typed.name);
            let (_, registered) = found.ok_or_else(|| unknown("algorithm", &typed.name, &known))?;
            Ok((typed, registered))
        };
        typed.into_iter().map(registered).collect()
    }

    /// Returns policies by name; `all` stands for all of them.
    pub(crate) fn policies(&self, lists: &[String]) -> Result<Vec<NamedPolicy>, LabError> {
        let known = self.policy_names();
        let all: Vec<String> = known.iter().map(|name| name.to_string()).collect();
        let lists = if lists == ["all"] { &all } else { lists };
        let make = |typed: Typed| {
            let named = |name: &str| self.policies.iter().find(|(known, _)| known == name).map(|(_, make)| make);
            let probed = || typed.name.strip_suffix(policies::PROBED).and_then(named);
            let policy = match (named(&typed.name), probed()) {
                (Some(make), _) => make(typed.choices)?,
                (None, Some(make)) => policies::probed(make, typed.choices)?,
                (None, None) => return Err(unknown("policy", &typed.name, &known)),
            };
            Ok((typed.text, policy))
        };
        names::read(lists, &known)?.into_iter().map(make).collect()
    }

    /// Returns problems by name; by default, those of the program or, if it has none, `by_default`. `all` stands for all functions of the
    /// suite, `applied` for all applied problems.
    pub(crate) fn problems(&self, lists: &[String], by_default: &[&str]) -> Result<Vec<Arc<dyn Family>>, LabError> {
        let known: Vec<&str> = self.problems.iter().map(|problem| problem.name()).collect();
        let names = if !lists.is_empty() {
            names::read(lists, &known)?
        } else if known.is_empty() {
            names::read(&[by_default.join(",")], &known)?
        } else {
            return Ok(self.problems.clone());
        };
        let mut problems: Vec<Arc<dyn Family>> = Vec::new();
        for Typed { name, choices, .. } in names {
            choices.done(&name, &[])?;
            if name == "all" {
                problems.extend(SuiteFunction::all().into_iter().map(|function| Arc::new(function) as Arc<dyn Family>));
            } else if name == APPLIED {
                problems.extend(applied().into_iter().map(Arc::from));
            } else {
                problems.push(self.problem(&name)?);
            }
        }
        let mut seen: Vec<String> = Vec::new();
        problems.retain(|problem| {
            let new = !seen.iter().any(|name| name == problem.name());
            seen.push(problem.name().to_string());
            new
        });
        Ok(problems)
    }

    /// Returns a problem by name.
    pub(crate) fn problem(&self, name: &str) -> Result<Arc<dyn Family>, LabError> {
        if let Some(own) = self.problems.iter().find(|problem| problem.name() == name) {
            return Ok(Arc::clone(own));
        }
        if name.starts_with("bbob-") {
            return self.of_coco(name);
        }
        if let Ok(applied) = AppliedFamily::from_name(name) {
            return Ok(Arc::new(applied));
        }
        let function = name.parse::<SuiteFunction>().map(|function| Arc::new(function) as Arc<dyn Family>);
        // A known function without a rotated form needs no list of other names.
        let is_known = name.strip_suffix("-rotated").is_some_and(|name| name.parse::<SuiteFunction>().is_ok());
        function.map_err(|error| match is_known {
            true => error,
            false => LabError::new(format!("{error}; or an applied problem: {}", Applied::NAMES.join(", "))),
        })
    }

    /// Returns a function of COCO by name.
    #[cfg(feature = "coco")]
    fn of_coco(&self, name: &str) -> Result<Arc<dyn Family>, LabError> {
        let function = crate::coco::functions([name])?.pop();
        function.map(Arc::from).ok_or_else(|| unknown("function", name, &[]))
    }

    #[cfg(not(feature = "coco"))]
    fn of_coco(&self, name: &str) -> Result<Arc<dyn Family>, LabError> {
        let how = &self.how_to_get_coco;
        Err(LabError::new(format!("{name} is a function of COCO, which this build does not have: {how}")))
    }

    pub(crate) fn set_how_to_get_coco(&mut self, text: String) {
        self.how_to_get_coco = text;
    }
}
