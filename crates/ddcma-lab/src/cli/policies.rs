//! The policies of `ddcma-restarts` by name, with their parameters.

use std::sync::Arc;

use ddcma_restarts::{Bipop, Independent, Ipop, Nbipop, Nipop, Policy, Thrifty};

use super::names::unknown;
use crate::builtin::MakesPolicy;
use crate::{Choices, LabError, StrategyAlgorithm};

/// Makes a policy from its parameters.
pub(crate) type MakePolicy = Box<dyn Fn(Choices) -> Result<Arc<dyn MakesPolicy>, LabError>>;

/// A policy with its published constants, the given parameters, and no limit except the budget of the search.
macro_rules! policy {
    ($name:literal, $start:expr, [$($parameter:ident),*]) => {
        ($name, Box::new(|choices: Choices| {
            #[allow(unused_mut, reason = "one policy has no parameters")]
            let (mut policy, mut choices) = ($start, choices);
            $(
                if let Some(value) = choices.number(stringify!($parameter))? {
                    policy = policy.$parameter(value);
                }
            )*
            choices.done($name, &[$(stringify!($parameter)),*])?;
            policy.check().map_err(|error| LabError::new(format!("{}: {error}", $name)))?;
            Ok(Arc::new(policy) as Arc<dyn MakesPolicy>)
        }) as MakePolicy)
    };
}

/// Returns the built-in policies.
pub(crate) fn built_in() -> Vec<(&'static str, MakePolicy)> {
    vec![
        policy!("independent", Independent::new(), []),
        policy!("ipop", Ipop::new().restarts(None), [factor]),
        policy!("nipop", Nipop::new().restarts(None), [factor, sigma_divisor]),
        policy!("bipop", Bipop::new().restarts(None), [factor, sigma_decades, budget_share]),
        policy!("nbipop", Nbipop::new().restarts(None), [factor, sigma_divisor, sigma_decades, favor, budget_share]),
        policy!("thrifty", Thrifty::new().restarts(None), [growth]),
    ]
}

/// The suffix of a policy with a probe along the axes after its first run.
pub(crate) const PROBED: &str = "-probe";

/// Makes a policy with a probe: `evaluations` (per coordinate) and `sigma_factor` are parameters of the probe, the others of the policy.
pub(crate) fn probed(make: &MakePolicy, mut choices: Choices) -> Result<Arc<dyn MakesPolicy>, LabError> {
    let evaluations = choices.whole("evaluations")?.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let sigma_factor = choices.number("sigma_factor")?;
    let policy = WithProbe { policy: make(choices)?, evaluations, sigma_factor };
    policy.policy().check().map_err(|error| LabError::new(error.to_string()))?;
    Ok(Arc::new(policy))
}

struct WithProbe {
    policy: Arc<dyn MakesPolicy>,
    evaluations: Option<u32>,
    sigma_factor: Option<f64>,
}

impl MakesPolicy for WithProbe {
    fn policy(&self) -> Box<dyn Policy> {
        let mut policy = self.policy.policy().probed();
        if let Some(evaluations) = self.evaluations {
            policy = policy.evaluations(evaluations);
        }
        if let Some(sigma_factor) = self.sigma_factor {
            policy = policy.sigma_factor(sigma_factor);
        }
        Box::new(policy)
    }

    fn in_words(&self) -> String {
        let Self { policy, evaluations, sigma_factor } = self;
        format!("{} probed, {evaluations:?}, {sigma_factor:?}", policy.in_words())
    }
}

impl StrategyAlgorithm {
    /// Restarts with a built-in policy, named as on a command line.
    ///
    /// ```
    /// use ddcma_lab::dd;
    ///
    /// let search = dd().policy_named("bipop:budget_share=0.25")?;
    /// assert_eq!(dd().policy_named("none").unwrap_err().to_string().lines().count(), 1);
    /// # let _ = search;
    /// # Ok::<(), ddcma_lab::LabError>(())
    /// ```
    pub fn policy_named(self, text: &str) -> Result<Self, LabError> {
        let (name, choices) = text.split_once(':').unwrap_or((text, ""));
        let policies = built_in();
        let known: Vec<&str> = policies.iter().map(|(name, _)| *name).collect();
        let found = policies.iter().find(|(known, _)| *known == name);
        let (_, make) = found.ok_or_else(|| unknown("policy", name, &known))?;
        Ok(self.any_policy(make(if choices.is_empty() { Choices::default() } else { choices.parse()? })?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_arrive_and_mistakes_are_named() {
        let made = |name: &str, choices: &str| {
            let policies = built_in();
            let (_, make) = policies.iter().find(|(known, _)| *known == name).unwrap();
            make(choices.parse().unwrap()).map(|policy| policy.in_words())
        };
        assert!(made("bipop", "budget_share=0.25").unwrap().contains("budget_share: 0.25"));
        for (name, _) in built_in() {
            assert!(made(name, "").is_ok(), "{name}");
        }
        let message = |name: &str, choices: &str| made(name, choices).unwrap_err().to_string();
        assert_eq!(message("ipop", "budget_share=1"), "ipop has no parameter \"budget_share\": choose one of factor");
        assert_eq!(message("ipop", "factor=two"), "factor must be a number, got \"two\"");
        assert!(message("ipop", "factor=0.5").starts_with("ipop: "), "{}", message("ipop", "factor=0.5"));
    }

    #[test]
    fn a_probe_has_parameters_beside_those_of_its_policy() {
        let policies = built_in();
        let (_, bipop) = policies.iter().find(|(name, _)| *name == "bipop").unwrap();
        let made = |choices: &str| probed(bipop, choices.parse().unwrap()).map(|policy| policy.in_words());
        let words = made("budget_share=0.25:evaluations=50").unwrap();
        assert!(words.contains("budget_share: 0.25") && words.contains("Some(50)"), "{words}");
        assert_eq!(made("evaluations=2.5").unwrap_err().to_string(), "evaluations must be a whole number, got \"2.5\"");
        assert_eq!(made("evaluations=2").unwrap_err().to_string(), "evaluations of a probe must be at least 3, got 2");
        assert!(made("sigma_factor=0").is_err() && made("evaluation=9").is_err());
    }
}
