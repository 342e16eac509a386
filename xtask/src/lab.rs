//! What every experiment of the laboratory shares: names, records that survive, a pool of workers, tables and pictures.
//!
//! Knows trials as keys with a record. Does not know what is measured.

pub mod names;
pub mod page;
pub mod picture;
pub mod pool;
pub mod records;
pub mod settings;
pub mod statistics;
pub mod table;
pub mod trial;

use std::fmt;

/// Why an experiment does not start, or cannot go on: one line for a person.
#[derive(Debug)]
pub struct LabError(String);

impl LabError {
    /// With this line.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LabError {}
