//! The strategy parameters and stop criteria of `ddcma-core` by name, and which strategy has which.

use ddcma_core::{Damping, Definiteness, Rates, Root, Settings, StepSize, StopCriteria};

use crate::LabError;

/// The strategies that have a parameter.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    /// Every strategy.
    All,
    /// Those with cumulative step-size adaptation.
    Csa,
    /// Those with two-point step-size adaptation.
    Tpa,
    /// Those that learn a C.
    C,
    /// Those that learn a D.
    D,
    /// Those that learn both.
    Both,
}

/// The names, their values, and the strategies that have them.
const NAMES: [(&str, &str, Of); 28] = [
    ("lambda", "a whole number", Of::All),
    ("active", "true or false", Of::All),
    ("method", "1 or 2", Of::C),
    ("rates", "paper or older", Of::All),
    ("damping", "adaptive, shortest-axis, agreement or a positive number", Of::D),
    ("root", "low-rank or literal", Of::C),
    ("step_size", "csa or tpa", Of::All),
    ("keep_determinant", "true or false", Of::D),
    ("c_m", "a number", Of::All),
    ("c_sigma", "a number", Of::All),
    ("d_sigma", "a number", Of::Csa),
    ("tpa_damping", "a number", Of::Tpa),
    ("tpa_exponent", "a number", Of::Tpa),
    ("c_1", "a number", Of::C),
    ("c_mu", "a number", Of::C),
    ("c_c", "a number", Of::C),
    ("c_1_d", "a number", Of::D),
    ("c_mu_d", "a number", Of::D),
    ("c_c_d", "a number", Of::D),
    ("beta_eig", "a number", Of::C),
    ("t_eig", "a whole number", Of::C),
    ("beta_thresh", "a number", Of::Both),
    ("beta_exponent", "a number", Of::Both),
    ("beta_min", "a number", Of::Both),
    ("agreement_memory", "a number", Of::Both),
    ("agreement_level", "a number", Of::Both),
    ("agreement_gain", "a number", Of::Both),
    ("agreement_limit", "a number", Of::Both),
];

/// Sets a stop criterion, or turns it off.
pub(crate) type SetCriterion = fn(StopCriteria, Option<f64>) -> StopCriteria;

/// The stop criteria that are a number or off. All strategies have them.
pub(crate) const CRITERIA: [(&str, SetCriterion); 9] = [
    ("condition", |criteria, limit| criteria.condition(limit)),
    ("tol_x_up", |criteria, limit| criteria.tol_x_up(limit)),
    ("creeping", |criteria, limit| criteria.creeping(limit)),
    ("creeping_best", |criteria, limit| criteria.creeping_best(limit)),
    ("tol_fun", |criteria, tolerance| criteria.tol_fun(tolerance)),
    ("tol_fun_hist", |criteria, tolerance| criteria.tol_fun_hist(tolerance)),
    ("tol_fun_rel", |criteria, tolerance| criteria.tol_fun_rel(tolerance)),
    ("tol_x", |criteria, tolerance| criteria.tol_x(tolerance)),
    ("abandon", |criteria, ratio| criteria.abandon(ratio)),
];

/// Returns a stop criterion by name, with its threshold; `None` if there is no criterion with this name.
pub(crate) fn criterion(name: &str, value: &str) -> Result<Option<(SetCriterion, Option<f64>)>, LabError> {
    let Some((_, set)) = CRITERIA.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let wrong = |_| LabError::new(format!("{name} must be a number or off, got \"{value}\""));
    let threshold = if value == "off" { None } else { Some(value.parse().map_err(wrong)?) };
    Ok(Some((*set, threshold)))
}

/// Returns all parameters with their values, for help texts.
#[cfg(feature = "cli")]
pub(crate) fn help() -> String {
    let settings = NAMES.map(|(name, values, _)| format!("{name} ({values})")).join(", ");
    format!("{settings}; stop criteria (a number or off): {}", CRITERIA.map(|(name, _)| name).join(", "))
}

/// Returns the names of the parameters that a strategy has with these settings. A custom strategy may use all of them.
pub(crate) fn names_of(strategy: &str, settings: &Settings) -> Vec<&'static str> {
    let tpa = *settings == settings.clone().step_size(StepSize::Tpa);
    let (c, d) = match strategy {
        "plain" => (true, false),
        "sep" => (false, true),
        _ => (true, true),
    };
    let has = |of: Of| match of {
        Of::All => true,
        Of::Csa => !tpa,
        Of::Tpa => tpa,
        Of::C => c,
        Of::D => d,
        Of::Both => c && d,
    };
    NAMES.iter().filter(|(_, _, of)| has(*of)).map(|(name, ..)| *name).collect()
}

/// Sets a parameter by name; `None` if there is no parameter with this name.
pub(crate) fn set(settings: Settings, name: &str, value: &str) -> Result<Option<Settings>, LabError> {
    let Some((_, values, _)) = NAMES.iter().find(|(known, ..)| *known == name) else { return Ok(None) };
    let wrong = || LabError::new(format!("{name} must be {values}, got \"{value}\""));
    let number = || value.parse::<f64>().map_err(|_| wrong());
    let whole = || value.parse::<usize>().map_err(|_| wrong());
    let yes = || value.parse::<bool>().map_err(|_| wrong());
    Ok(Some(match (name, value) {
        ("lambda", _) => settings.lambda(whole()?),
        ("active", _) => settings.active(yes()?),
        ("keep_determinant", _) => settings.keep_determinant(yes()?),
        ("method", "1") => settings.definiteness(Definiteness::ScaleUpdate),
        ("method", "2") => settings.definiteness(Definiteness::ScaleWeights),
        ("rates", "paper") => settings.rates(Rates::Paper),
        ("rates", "older") => settings.rates(Rates::Older),
        ("damping", "adaptive") => settings.damping(Damping::Adaptive),
        ("damping", "shortest-axis") => settings.damping(Damping::ShortestAxis),
        ("damping", "agreement") => settings.damping(Damping::Agreement),
        ("damping", _) => settings.damping(Damping::Fixed(number()?)),
        ("root", "low-rank") => settings.root(Root::LowRank),
        ("root", "literal") => settings.root(Root::Literal),
        ("step_size", "csa") => settings.step_size(StepSize::Csa),
        ("step_size", "tpa") => settings.step_size(StepSize::Tpa),
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
        ("t_eig", _) => settings.t_eig(whole()?),
        ("beta_thresh", _) => settings.beta_thresh(number()?),
        ("beta_exponent", _) => settings.beta_exponent(number()?),
        ("beta_min", _) => settings.beta_min(number()?),
        ("agreement_memory", _) => settings.agreement_memory(number()?),
        ("agreement_level", _) => settings.agreement_level(number()?),
        ("agreement_gain", _) => settings.agreement_gain(number()?),
        ("agreement_limit", _) => settings.agreement_limit(number()?),
        _ => return Err(wrong()),
    }))
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
                "step_size" => &["tpa"],
                "damping" => &["shortest-axis", "agreement", "1", "3.5"],
                "t_eig" | "lambda" => &["7"],
                _ => &["0.25"],
            };
            for value in values {
                let changed = set(Settings::new(), name, value).unwrap().unwrap();
                assert_ne!(changed, Settings::new(), "{name}={value}");
            }
        }
    }

    #[test]
    fn every_criterion_is_set_and_switched_off_by_its_name() {
        for (name, _) in CRITERIA {
            let (set, threshold) = criterion(name, "0.125").unwrap().unwrap();
            let changed = set(StopCriteria::new(), threshold);
            assert!(format!("{changed:?}").contains(&format!("{name}: Some(0.125)")), "{changed:?}");
            let (set, threshold) = criterion(name, "off").unwrap().unwrap();
            assert!(format!("{:?}", set(changed, threshold)).contains(&format!("{name}: None")), "{name}");
        }
        assert!(criterion("stagnation", "off").unwrap().is_none());
        let error = criterion("creeping", "false").unwrap_err().to_string();
        assert_eq!(error, "creeping must be a number or off, got \"false\"");
    }

    #[test]
    fn mistakes_are_named_and_strategies_have_their_own() {
        let message = |name: &str, value: &str| set(Settings::new(), name, value).unwrap_err().to_string();
        assert_eq!(message("method", "3"), "method must be 1 or 2, got \"3\"");
        assert_eq!(message("t_eig", "1.5"), "t_eig must be a whole number, got \"1.5\"");
        assert_eq!(set(Settings::new(), "beta", "1"), Ok(None));
        let has = |strategy: &str, settings: Settings, name: &str| names_of(strategy, &settings).contains(&name);
        let tpa = || Settings::new().step_size(StepSize::Tpa);
        for (strategy, name, expected) in [
            ("sep", "beta_eig", false),
            ("sep", "c_1_d", true),
            ("plain", "beta_thresh", false),
            ("plain", "c_1", true),
            ("dd", "beta_thresh", true),
            ("dd", "tpa_damping", false),
            ("somebody's own", "beta_eig", true),
        ] {
            assert_eq!(has(strategy, Settings::new(), name), expected, "{strategy}, {name}");
        }
        assert!(has("dd", tpa(), "tpa_damping") && !has("dd", tpa(), "d_sigma"));
    }
}
