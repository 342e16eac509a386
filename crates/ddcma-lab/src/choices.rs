//! Parameters by name, as typed by a user: `beta_thresh=5`.

use std::fmt;

use crate::LabError;

/// Parameters with their values, as after the name in `dd:beta_thresh=5:active=false`. Each can be taken once.
///
/// Take the parameters you know, and then call [`done`](Self::done), which returns an error if there are others.
///
/// ```
/// use ddcma_lab::Choices;
///
/// let mut choices: Choices = "factor=3:restarts=5".parse()?;
/// assert_eq!(choices.number("factor")?, Some(3.0));
/// assert_eq!(choices.number("sigma_divisor")?, None);
/// let left_over = choices.done("ipop", &["factor", "sigma_divisor"]).unwrap_err();
/// assert_eq!(left_over.to_string(), "ipop has no parameter \"restarts\": choose one of factor, sigma_divisor");
/// # Ok::<(), ddcma_lab::LabError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    pairs: Vec<(String, String)>,
}

impl std::str::FromStr for Choices {
    type Err = LabError;

    /// Parses `name=value:name=value`; an empty text has no parameters.
    fn from_str(text: &str) -> Result<Self, LabError> {
        let mut choices = Self::default();
        for part in text.split(':').filter(|_| !text.is_empty()) {
            let Some((name, value)) =
                part.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty())
            else {
                return Err(LabError::new(format!("a parameter must have the form NAME=VALUE, got \"{part}\"")));
            };
            if choices.pairs.iter().any(|(known, _)| known == name) {
                return Err(LabError::new(format!("{name} must be given only once, got \"{text}\"")));
            }
            choices.pairs.push((name.to_string(), value.to_string()));
        }
        Ok(choices)
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&pairs.join(":"))
    }
}

impl Choices {
    /// Takes the value of a parameter as text, if it was given.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let place = self.pairs.iter().position(|(known, _)| known == name)?;
        Some(self.pairs.remove(place).1)
    }

    /// Takes the value of a numeric parameter.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>, LabError> {
        self.parsed(name, "a number")
    }

    /// Takes the value of an integer parameter.
    pub fn whole(&mut self, name: &str) -> Result<Option<u64>, LabError> {
        self.parsed(name, "a whole number")
    }

    /// Takes the value of a boolean parameter.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, LabError> {
        self.parsed(name, "true or false")
    }

    fn parsed<T: std::str::FromStr>(&mut self, name: &str, what: &str) -> Result<Option<T>, LabError> {
        let parse =
            |text: String| text.parse().map_err(|_| LabError::new(format!("{name} must be {what}, got \"{text}\"")));
        self.text(name).map(parse).transpose()
    }

    /// Takes the first remaining parameter: name and value.
    pub fn take_first(&mut self) -> Option<(String, String)> {
        (!self.pairs.is_empty()).then(|| self.pairs.remove(0))
    }

    /// Returns an error if a parameter was not taken. The error lists the `known` parameters of `whose`.
    pub fn done(self, whose: &str, known: &[&str]) -> Result<(), LabError> {
        let Some((name, _)) = self.pairs.first() else { return Ok(()) };
        if known.is_empty() {
            return Err(LabError::new(format!("{whose} takes no parameters, got \"{name}\"")));
        }
        Err(unknown_parameter(whose, name, known))
    }
}

/// Returns the error for a parameter that `whose` does not have.
pub(crate) fn unknown_parameter(whose: &str, name: &str, known: &[&str]) -> LabError {
    let meant = did_you_mean(name, known);
    LabError::new(format!("{whose} has no parameter \"{name}\"{meant}: choose one of {}", known.join(", ")))
}

/// Suggests the known name that differs least from a misspelt one; returns an empty text if none of them is close.
pub(crate) fn did_you_mean(name: &str, known: &[&str]) -> String {
    // Close means that a third of the letters are wrong, or a single one.
    let close = (name.chars().count() / 3).max(1);
    let distances = known.iter().map(|known| (strsim::osa_distance(name, known), known));
    match distances.min().filter(|(distance, _)| *distance <= close) {
        Some((_, nearest)) => format!(" (did you mean {nearest}?)"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read_and_mistakes_are_named() {
        let mut choices: Choices = "a=1.5:b=true:c=7:d=e=f".parse().unwrap();
        assert_eq!(choices.to_string(), "a=1.5:b=true:c=7:d=e=f");
        assert_eq!(choices.flag("b").unwrap(), Some(true));
        assert_eq!(choices.number("a").unwrap(), Some(1.5));
        assert_eq!(choices.whole("c").unwrap(), Some(7));
        assert_eq!(choices.text("d").as_deref(), Some("e=f"));
        assert_eq!(choices.done("x", &[]), Ok(()));
        let message = |text: &str| text.parse::<Choices>().unwrap_err().to_string();
        assert_eq!(message("active"), "a parameter must have the form NAME=VALUE, got \"active\"");
        assert_eq!(message("=3"), "a parameter must have the form NAME=VALUE, got \"=3\"");
        assert_eq!(message("a=1:"), "a parameter must have the form NAME=VALUE, got \"\"");
        assert_eq!(message("a=1:a=2"), "a must be given only once, got \"a=1:a=2\"");
        let mut choices: Choices = "a=x".parse().unwrap();
        assert_eq!(choices.number("a").unwrap_err().to_string(), "a must be a number, got \"x\"");
        let choices: Choices = "a=x".parse().unwrap();
        assert_eq!(choices.done("mine", &[]).unwrap_err().to_string(), "mine takes no parameters, got \"a\"");
        assert_eq!("".parse::<Choices>().unwrap(), Choices::default());
    }

    #[test]
    fn a_misspelt_name_is_recognized_and_another_one_is_not() {
        let known = ["factor", "sigma_divisor", "restarts"];
        for (name, expected) in [
            ("facter", " (did you mean factor?)"),
            ("fcator", " (did you mean factor?)"),
            ("sigma_div", ""),
            ("sigma_devisr", " (did you mean sigma_divisor?)"),
            ("x", ""),
        ] {
            assert_eq!(did_you_mean(name, &known), expected, "{name}");
        }
        let choices: Choices = "restart=1".parse().unwrap();
        let expected =
            "ipop has no parameter \"restart\" (did you mean restarts?): choose one of factor, sigma_divisor, restarts";
        assert_eq!(choices.done("ipop", &known).unwrap_err().to_string(), expected);
    }
}
