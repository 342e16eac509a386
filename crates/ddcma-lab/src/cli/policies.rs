//! The policies of `ddcma-restarts` by name, with their parameters. Knows names; what they mean is the policies' business.

use std::sync::Arc;

use ddcma_restarts::{Bipop, Independent, Ipop, Nbipop, Nipop, Policy};

use crate::builtin::MakesPolicy;
use crate::{Choices, LabError};

/// Makes a policy from the parameters behind its name.
pub(crate) type MakePolicy = Box<dyn Fn(Choices) -> Result<Arc<dyn MakesPolicy>, LabError>>;

/// A policy with its published constants, no limit but the search's budget, and the parameters that were chosen.
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

/// All of them.
pub(crate) fn built_in() -> Vec<(&'static str, MakePolicy)> {
    vec![
        policy!("independent", Independent::new(), []),
        policy!("ipop", Ipop::new().restarts(None), [factor]),
        policy!("nipop", Nipop::new().restarts(None), [factor, sigma_divisor]),
        policy!("bipop", Bipop::new().restarts(None), [factor, sigma_decades, budget_share]),
        policy!("nbipop", Nbipop::new().restarts(None), [factor, sigma_divisor, sigma_decades, favour, budget_share]),
    ]
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
        assert_eq!(message("ipop", "budget_share=1"), "ipop has no parameter \"budget_share\"; it has factor");
        assert_eq!(message("ipop", "factor=two"), "factor is a number, not \"two\"");
        assert!(message("ipop", "factor=0.5").starts_with("ipop: "), "{}", message("ipop", "factor=0.5"));
    }
}
