//! Parses lists of names with parameters: `dd,dd:beta_thresh=5`.

use crate::choices::did_you_mean;
use crate::{Choices, LabError};

/// A name from a list, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The whole text, which is its name in tables and files.
    pub(crate) text: String,
    /// The name without parameters.
    pub(crate) name: String,
    pub(crate) choices: Choices,
}

/// Parses lists of names, without duplicates. A known name may contain commas and spaces.
pub(crate) fn read(lists: &[String], known: &[&str]) -> Result<Vec<Typed>, LabError> {
    let mut all: Vec<Typed> = Vec::new();
    for list in lists {
        let mut rest = list.trim();
        while !rest.is_empty() {
            let ends = |length: &usize| matches!(rest[*length..].chars().next(), None | Some(',' | ':'));
            let lengths = known.iter().filter(|name| rest.starts_with(**name)).map(|name| name.len());
            let name = lengths.filter(ends).max().or_else(|| rest.find([',', ':'])).unwrap_or(rest.len());
            let end = rest[name..].find(',').map_or(rest.len(), |comma| name + comma);
            let text = rest[..end].trim_end();
            let choices = rest[name..end].trim_end().strip_prefix(':');
            let typed = Typed {
                text: text.to_string(),
                name: rest[..name].trim_end().to_string(),
                choices: choices.map(str::parse).transpose()?.unwrap_or_default(),
            };
            if !all.contains(&typed) {
                all.push(typed);
            }
            rest = rest[end..].trim_start_matches(',').trim_start();
        }
    }
    Ok(all)
}

/// Returns the error for an unknown name.
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> LabError {
    let meant = did_you_mean(name, known);
    LabError::new(format!("there is no {what} \"{name}\"{meant}: choose one of {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_typed() {
        let known = ["dd", "dd-tpa", "mine", "mine, slow"];
        let texts = |list: &str| -> Vec<(String, String)> {
            let typed = read(&[list.to_string()], &known).unwrap();
            typed.into_iter().map(|typed| (typed.name, typed.choices.to_string())).collect()
        };
        let pair = |name: &str, choices: &str| (name.to_string(), choices.to_string());
        assert_eq!(texts("dd,dd-tpa"), [pair("dd", ""), pair("dd-tpa", "")]);
        assert_eq!(texts("dd:a=1:b=2, mine"), [pair("dd", "a=1:b=2"), pair("mine", "")]);
        assert_eq!(texts("mine, slow:a=1,mine,slow"), [pair("mine, slow", "a=1"), pair("mine", ""), pair("slow", "")]);
        assert_eq!(texts("dd,dd,,dd"), [pair("dd", "")]);
        assert_eq!(texts("ddd"), [pair("ddd", "")]);
        assert!(texts("").is_empty());
        let two = read(&["dd".to_string(), "dd:a=1,mine".to_string()], &known).unwrap();
        assert_eq!(two.iter().map(|typed| typed.text.as_str()).collect::<Vec<_>>(), ["dd", "dd:a=1", "mine"]);
        assert_eq!(
            read(&["dd:a".to_string()], &known).unwrap_err().to_string(),
            "a parameter must have the form NAME=VALUE, got \"a\""
        );
    }
}
