//! Flags of the benchmarks, which xtask has already checked.

use std::collections::HashMap;
use std::str::FromStr;

use ddcma_lab::LabError;

/// Pairs of `--name value`.
#[derive(Clone, Debug)]
pub struct Flags(HashMap<String, String>);

impl Flags {
    /// Parses the flags of this program; an unknown flag is an error.
    pub fn of_program(known: &[&str]) -> Result<Self, LabError> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let mut given = HashMap::new();
        for pair in arguments.chunks(2) {
            let name = pair[0].strip_prefix("--").filter(|name| known.contains(name));
            let (Some(name), [_, value]) = (name, pair) else {
                let known = known.join(", --");
                return Err(LabError::new(format!("{}: flags are --{known}, each with a value", pair.join(" "))));
            };
            given.insert(name.to_string(), value.clone());
        }
        Ok(Self(given))
    }

    /// Returns the text of a flag, or its default.
    pub fn text<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.0.get(name).map_or(default, String::as_str)
    }

    /// Returns the values of a flag, which are separated by commas.
    pub fn list<T: FromStr>(&self, name: &str, default: &str) -> Result<Vec<T>, LabError> {
        let wrong = |item: &str| LabError::new(format!("invalid value {item} for --{name}"));
        self.text(name, default).split(',').map(|item| item.parse().map_err(|_| wrong(item))).collect()
    }

    /// Checks that the file for the table can be written, before an hour of measurements.
    pub fn check_csv(&self) -> Result<(), LabError> {
        self.0.get("csv").map_or(Ok(()), |path| write(path, ""))
    }

    /// Writes the table to the file, if one was given, and returns its path.
    pub fn write_csv(&self, csv: &str) -> Result<Option<&str>, LabError> {
        let Some(path) = self.0.get("csv") else { return Ok(None) };
        write(path, csv)?;
        Ok(Some(path))
    }
}

fn write(path: &str, csv: &str) -> Result<(), LabError> {
    std::fs::write(path, csv).map_err(|error| LabError::new(format!("{path}: {error}")))
}
