//! Strategy parameters by name, as `--set NAME=VALUE` gives them. Knows names; what they mean is `ddcma_core`'s business.

use std::str::FromStr;

use ddcma_core::{Damping, Definiteness, Rates, Root, Settings};
use serde::{Deserialize, Serialize};

use super::LabError;
use super::names::StrategyName;

/// One choice, `beta_eig=10`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Choice {
    name: String,
    value: String,
}

/// The names, the values that they take, and the strategies that have them.
const NAMES: [(&str, &str, &[StrategyName]); 22] = {
    use StrategyName::{Dd, DdTpa, Plain, PlainTpa, Sep, SepTpa};
    const ALL: &[StrategyName] = &[Plain, Sep, Dd, PlainTpa, SepTpa, DdTpa];
    const OF_CSA: &[StrategyName] = &[Plain, Sep, Dd];
    const OF_TPA: &[StrategyName] = &[PlainTpa, SepTpa, DdTpa];
    const OF_C: &[StrategyName] = &[Plain, Dd, PlainTpa, DdTpa];
    const OF_D: &[StrategyName] = &[Sep, Dd, SepTpa, DdTpa];
    [
        ("active", "true or false", ALL),
        ("method", "1 or 2", OF_C),
        ("rates", "paper or older", ALL),
        ("damping", "adaptive, shortest-axis or a positive number", OF_D),
        ("root", "low-rank or literal", OF_C),
        ("keep_determinant", "true or false", OF_D),
        ("c_m", "a number", ALL),
        ("c_sigma", "a number", ALL),
        ("d_sigma", "a number", OF_CSA),
        ("tpa_damping", "a number", OF_TPA),
        ("tpa_exponent", "a number", OF_TPA),
        ("c_1", "a number", OF_C),
        ("c_mu", "a number", OF_C),
        ("c_c", "a number", OF_C),
        ("c_1_d", "a number", OF_D),
        ("c_mu_d", "a number", OF_D),
        ("c_c_d", "a number", OF_D),
        ("beta_eig", "a number", OF_C),
        ("t_eig", "a whole number", OF_C),
        ("beta_thresh", "a number", &[Dd, DdTpa]),
        ("beta_exponent", "a number", &[Dd, DdTpa]),
        ("beta_min", "a number", &[Dd, DdTpa]),
    ]
};

/// What a command says about its parameters.
pub fn help() -> String {
    let names = NAMES.map(|(name, values, _)| format!("{name} ({values})")).join(", ");
    format!(
        "A strategy parameter, such as `active=false`, for the strategies that have it; can be given several times: {names}"
    )
}

impl FromStr for Choice {
    type Err = LabError;

    fn from_str(text: &str) -> Result<Self, LabError> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(LabError::new(format!("\"{text}\" is not NAME=VALUE")));
        };
        let choice = Self { name: name.to_string(), value: value.to_string() };
        choice.apply(Settings::new())?;
        Ok(choice)
    }
}

impl TryFrom<String> for Choice {
    type Error = LabError;

    fn try_from(text: String) -> Result<Self, LabError> {
        text.parse()
    }
}

impl From<Choice> for String {
    fn from(choice: Choice) -> Self {
        format!("{}={}", choice.name, choice.value)
    }
}

impl Choice {
    /// Whether a strategy has this parameter.
    pub fn belongs_to(&self, strategy: StrategyName) -> bool {
        NAMES.iter().any(|(name, _, strategies)| *name == self.name && strategies.contains(&strategy))
    }

    fn apply(&self, settings: Settings) -> Result<Settings, LabError> {
        let Self { name, value } = self;
        let Some((_, values, _)) = NAMES.iter().find(|(known, ..)| known == name) else {
            if name == "lambda" {
                return Err(LabError::new("the population size is an option of its own, --lambda"));
            }
            let names = NAMES.map(|(name, ..)| name).join(", ");
            return Err(LabError::new(format!("there is no parameter \"{name}\"; there are {names}")));
        };
        let wrong = || LabError::new(format!("{name} is {values}, not \"{value}\""));
        let number = || value.parse::<f64>().map_err(|_| wrong());
        let yes = || value.parse::<bool>().map_err(|_| wrong());
        Ok(match (name.as_str(), value.as_str()) {
            ("active", _) => settings.active(yes()?),
            ("keep_determinant", _) => settings.keep_determinant(yes()?),
            ("method", "1") => settings.definiteness(Definiteness::ScaleUpdate),
            ("method", "2") => settings.definiteness(Definiteness::ScaleWeights),
            ("rates", "paper") => settings.rates(Rates::Paper),
            ("rates", "older") => settings.rates(Rates::Older),
            ("damping", "adaptive") => settings.damping(Damping::Adaptive),
            ("damping", "shortest-axis") => settings.damping(Damping::ShortestAxis),
            ("damping", _) => settings.damping(Damping::Fixed(number()?)),
            ("root", "low-rank") => settings.root(Root::LowRank),
            ("root", "literal") => settings.root(Root::Literal),
            ("c_m", _) => settings.c_m(number()?),
            ("c_sigma", _) => settings.c_sigma(number()?),
            ("d_sigma", _) => settings.d_sigma(number()?),
            ("tpa_damping", _) => settings.tpa_damping(number()?),
            ("tpa_exponent", _) => settings.tpa_exponent(number()?),
            ("c_1", _) => settings.c_1(number()?),
            ("c_mu", _) => settings.c_mu(number()?),
            ("c_c", _) => settings.c_c(number()?),
            ("c_1_d", _) => settings.c_1_d(number()?),
            ("c_mu_d", _) => settings.c_mu_d(number()?),
            ("c_c_d", _) => settings.c_c_d(number()?),
            ("beta_eig", _) => settings.beta_eig(number()?),
            ("t_eig", _) => settings.t_eig(value.parse().map_err(|_| wrong())?),
            ("beta_thresh", _) => settings.beta_thresh(number()?),
            ("beta_exponent", _) => settings.beta_exponent(number()?),
            ("beta_min", _) => settings.beta_min(number()?),
            _ => return Err(wrong()),
        })
    }
}

/// The settings of a strategy: those choices that it has a parameter for.
pub fn settings(strategy: StrategyName, lambda: Option<usize>, choices: &[Choice]) -> Result<Settings, LabError> {
    let start = lambda.map_or(strategy.settings(), |lambda| strategy.settings().lambda(lambda));
    choices
        .iter()
        .filter(|choice| choice.belongs_to(strategy))
        .try_fold(start, |settings, choice| choice.apply(settings))
}

/// A choice that none of the strategies has a parameter for is a mistake.
pub fn check(strategies: &[StrategyName], choices: &[Choice]) -> Result<(), LabError> {
    for choice in choices {
        if !strategies.iter().any(|strategy| choice.belongs_to(*strategy)) {
            let names: Vec<&str> = strategies.iter().map(|strategy| strategy.name()).collect();
            return Err(LabError::new(format!("{} has no parameter {}", names.join(", "), choice.name)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_setting_that_changes_something() {
        for (name, ..) in NAMES {
            let values: &[&str] = match name {
                "active" => &["false"],
                "keep_determinant" => &["true"],
                "method" => &["2"],
                "rates" => &["older"],
                "root" => &["literal"],
                "damping" => &["shortest-axis", "1", "3.5"],
                "t_eig" => &["7"],
                _ => &["0.25"],
            };
            for value in values {
                let choice: Choice = format!("{name}={value}").parse().unwrap();
                assert_ne!(choice.apply(Settings::new()).unwrap(), Settings::new(), "{name}={value}");
                assert_eq!(String::from(choice), format!("{name}={value}"));
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| text.parse::<Choice>().unwrap_err().to_string();
        assert_eq!(message("method=3"), "method is 1 or 2, not \"3\"");
        assert_eq!(message("active"), "\"active\" is not NAME=VALUE");
        assert!(message("beta=1").starts_with("there is no parameter \"beta\"; there are active, method"));
        let choice: Choice = "beta_eig=10".parse().unwrap();
        let error = check(&[StrategyName::Sep], std::slice::from_ref(&choice)).unwrap_err();
        assert_eq!(error.to_string(), "sep has no parameter beta_eig");
        assert!(check(&[StrategyName::Sep, StrategyName::Dd], std::slice::from_ref(&choice)).is_ok());
        assert_eq!(settings(StrategyName::Sep, None, std::slice::from_ref(&choice)).unwrap(), Settings::new());
    }
}
