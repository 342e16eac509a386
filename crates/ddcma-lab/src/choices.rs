//! Parameters by name, as somebody types them: `beta_thresh=5`. Knows text, and not what the names mean.

use std::fmt;

use crate::LabError;

/// What follows a name in `dd:beta_thresh=5:active=false`: parameters with their values, each to be taken once.
///
/// Whoever makes something from it takes what it knows; what is left over is a mistake, which [`done`](Self::done) reports.
///
/// ```
/// use ddcma_lab::Choices;
///
/// let mut choices: Choices = "factor=3:restarts=5".parse()?;
/// assert_eq!(choices.number("factor")?, Some(3.0));
/// assert_eq!(choices.number("sigma_divisor")?, None);
/// let left_over = choices.done("ipop", &["factor", "sigma_divisor"]).unwrap_err();
/// assert_eq!(left_over.to_string(), "ipop has no parameter \"restarts\"; it has factor, sigma_divisor");
/// # Ok::<(), ddcma_lab::LabError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    pairs: Vec<(String, String)>,
}

impl std::str::FromStr for Choices {
    type Err = LabError;

    /// From `name=value:name=value`; nothing at all is no choice.
    fn from_str(text: &str) -> Result<Self, LabError> {
        let mut choices = Self::default();
        for part in text.split(':').filter(|_| !text.is_empty()) {
            let Some((name, value)) =
                part.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty())
            else {
                return Err(LabError::new(format!("\"{part}\" is not NAME=VALUE")));
            };
            if choices.pairs.iter().any(|(known, _)| known == name) {
                return Err(LabError::new(format!("{name} is given twice in \"{text}\"")));
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
    /// Takes the value of a parameter as it was typed, if there is one.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let place = self.pairs.iter().position(|(known, _)| known == name)?;
        Some(self.pairs.remove(place).1)
    }

    /// Takes the value of a parameter that is a number.
    pub fn number(&mut self, name: &str) -> Result<Option<f64>, LabError> {
        self.parsed(name, "a number")
    }

    /// Takes the value of a parameter that is a whole number.
    pub fn whole(&mut self, name: &str) -> Result<Option<u64>, LabError> {
        self.parsed(name, "a whole number")
    }

    /// Takes the value of a parameter that is true or false.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, LabError> {
        self.parsed(name, "true or false")
    }

    fn parsed<T: std::str::FromStr>(&mut self, name: &str, what: &str) -> Result<Option<T>, LabError> {
        let parse = |text: String| text.parse().map_err(|_| LabError::new(format!("{name} is {what}, not \"{text}\"")));
        self.text(name).map(parse).transpose()
    }

    /// Takes the first of what is left: name and value.
    pub fn take_first(&mut self) -> Option<(String, String)> {
        (!self.pairs.is_empty()).then(|| self.pairs.remove(0))
    }

    /// Whether everything was taken: what is left over is an error, which names what `whose` has instead.
    pub fn done(self, whose: &str, known: &[&str]) -> Result<(), LabError> {
        let Some((name, _)) = self.pairs.first() else { return Ok(()) };
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        Err(LabError::new(format!("{whose} has no parameter \"{name}\"; it has {known}")))
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
        assert_eq!(message("active"), "\"active\" is not NAME=VALUE");
        assert_eq!(message("=3"), "\"=3\" is not NAME=VALUE");
        assert_eq!(message("a=1:"), "\"\" is not NAME=VALUE");
        assert_eq!(message("a=1:a=2"), "a is given twice in \"a=1:a=2\"");
        let mut choices: Choices = "a=x".parse().unwrap();
        assert_eq!(choices.number("a").unwrap_err().to_string(), "a is a number, not \"x\"");
        let choices: Choices = "a=x".parse().unwrap();
        assert_eq!(choices.done("mine", &[]).unwrap_err().to_string(), "mine has no parameter \"a\"; it has none");
        assert_eq!("".parse::<Choices>().unwrap(), Choices::default());
    }
}
