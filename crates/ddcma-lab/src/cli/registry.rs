//! What can be named on a command line: algorithms, policies and problems, built in or somebody's own. Knows names, and runs nothing.

use std::fmt;
use std::sync::Arc;

use ddcma_core::{Settings, StepSize};

use super::names::{self, Typed, unknown};
use super::policies::{self, MakePolicy};
use crate::builtin::MakesPolicy;
use crate::{Algorithm, Choices, Family, LabError, StrategyAlgorithm, SuiteFunction, dd, plain, sep};

/// Makes an optimizer from the name that was typed and the parameters behind it.
pub(crate) type MakeOptimizer = Box<dyn Fn(&str, Choices) -> Result<Arc<dyn Algorithm>, LabError>>;

enum Registered {
    Strategy(StrategyAlgorithm),
    Optimizer(MakeOptimizer),
}

pub(crate) struct Registry {
    algorithms: Vec<(String, Registered)>,
    policies: Vec<(String, MakePolicy)>,
    problems: Vec<Arc<dyn Family>>,
    /// How many of the algorithms and policies are built in: they come first.
    built_in: (usize, usize),
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("algorithms", &self.algorithm_names()).finish_non_exhaustive()
    }
}

impl Registry {
    /// The built-in algorithms and policies. The problems of the suite have their names anyway.
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
        let mut registry =
            Self { algorithms: Vec::new(), policies: Vec::new(), problems: Vec::new(), built_in: (0, 0) };
        strategies.into_iter().for_each(|strategy| registry.add_strategy(strategy));
        policies::built_in().into_iter().for_each(|(name, make)| registry.add_policy(name.to_string(), make));
        registry.built_in = (registry.algorithms.len(), registry.policies.len());
        registry
    }

    pub(crate) fn add_strategy(&mut self, strategy: StrategyAlgorithm) {
        self.algorithms.push((strategy.name().to_string(), Registered::Strategy(strategy)));
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

    /// Whether all names can be told apart.
    pub(crate) fn check(&self) -> Result<(), LabError> {
        let problems: Vec<&str> = self.problems.iter().map(|problem| problem.name()).collect();
        for (what, names) in
            [("algorithms", self.algorithm_names()), ("policies", self.policy_names()), ("problems", problems.clone())]
        {
            let twice = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name));
            if let Some((_, name)) = twice {
                return Err(LabError::new(format!("two {what} are called \"{name}\"")));
            }
        }
        match problems.into_iter().find(|name| name.parse::<SuiteFunction>().is_ok()) {
            Some(name) => Err(LabError::new(format!("the suite has a function \"{name}\" of its own"))),
            None => Ok(()),
        }
    }

    fn algorithm_names(&self) -> Vec<&str> {
        self.algorithms.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn policy_names(&self) -> Vec<&str> {
        self.policies.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Algorithms by name; without any, somebody's own and plain, sep and dd.
    pub(crate) fn algorithms(&self, lists: &[String]) -> Result<Vec<Arc<dyn Algorithm>>, LabError> {
        let make = |(typed, registered): (Typed, &Registered)| match registered {
            Registered::Strategy(strategy) => {
                strategy.clone().named(typed.text).choose(typed.choices).map(|strategy| Arc::new(strategy) as _)
            }
            Registered::Optimizer(make) => make(&typed.text, typed.choices),
        };
        self.typed(lists)?.into_iter().map(make).collect()
    }

    /// Strategies by name, for policies; without any, somebody's own and plain, sep and dd.
    pub(crate) fn strategies(&self, lists: &[String]) -> Result<Vec<StrategyAlgorithm>, LabError> {
        let mut strategies = Vec::new();
        for (typed, registered) in self.typed(lists)? {
            match registered {
                Registered::Strategy(strategy) => {
                    strategies.push(strategy.clone().named(typed.text).choose(typed.choices)?)
                }
                Registered::Optimizer(_) if lists.is_empty() => {} // takes no policy
                Registered::Optimizer(_) => {
                    return Err(LabError::new(format!(
                        "{} is no strategy: it cannot be restarted by a policy",
                        typed.name
                    )));
                }
            }
        }
        Ok(strategies)
    }

    fn typed(&self, lists: &[String]) -> Result<Vec<(Typed, &Registered)>, LabError> {
        let known = self.algorithm_names();
        let own = self.algorithms[self.built_in.0..].iter().map(|(name, _)| name.as_str());
        let by_default: Vec<String> = own.chain(["plain", "sep", "dd"]).map(str::to_string).collect();
        let typed = names::read(if lists.is_empty() { &by_default } else { lists }, &known)?;
        let registered = |typed: Typed| {
            let found = self.algorithms.iter().find(|(name, _)| *name == typed.name);
            let (_, registered) = found.ok_or_else(|| unknown("algorithm", &typed.name, &known))?;
            Ok((typed, registered))
        };
        typed.into_iter().map(registered).collect()
    }

    /// Policies by name; without any, all of them.
    pub(crate) fn policies(&self, lists: &[String]) -> Result<Vec<(String, Arc<dyn MakesPolicy>)>, LabError> {
        let known = self.policy_names();
        let all: Vec<String> = known.iter().map(|name| name.to_string()).collect();
        let make = |typed: Typed| {
            let found = self.policies.iter().find(|(name, _)| *name == typed.name);
            let (_, make) = found.ok_or_else(|| unknown("policy", &typed.name, &known))?;
            Ok((typed.text, make(typed.choices)?))
        };
        names::read(if lists.is_empty() { &all } else { lists }, &known)?.into_iter().map(make).collect()
    }

    /// Problems by name. Without any: somebody's own or, if there are none, `by_default`. `all` are all functions of the suite.
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

    /// A problem by name.
    pub(crate) fn problem(&self, name: &str) -> Result<Arc<dyn Family>, LabError> {
        if let Some(own) = self.problems.iter().find(|problem| problem.name() == name) {
            return Ok(Arc::clone(own));
        }
        name.parse::<SuiteFunction>().map(|function| Arc::new(function) as Arc<dyn Family>)
    }
}
