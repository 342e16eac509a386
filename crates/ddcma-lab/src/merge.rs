//! Records of one experiment from several folders in one. Knows entries, and runs nothing.

use std::path::Path;

use crate::LabError;
use crate::experiment::Entry;
use crate::records::{Header, Records};
use crate::trial::FORMAT;

/// Copies the records of several folders into one, such as those of two halves of an experiment that were made by two machines.
///
/// All of them must be of the same experiment and configuration, and of the same algorithms and problems. Of a trial that is in
/// several, the first is kept.
pub fn merge(into: &Path, from: &[&Path]) -> Result<(), LabError> {
    let Some(first) = from.first() else { return Ok(()) };
    let header = Header::of(first)?;
    if header.configuration.get("format").and_then(|format| format.as_u64()) != Some(u64::from(FORMAT)) {
        let first = first.display();
        return Err(LabError::new(format!(
            "{first}: these records were made with another version, without format {FORMAT}"
        )));
    }
    let mut target: Records<Entry> = Records::open(into, &header.experiment, &header.configuration)?;
    for folder in from {
        let wrong = |what: &str| LabError::new(format!("{}: {what}", folder.display()));
        if Header::of(folder)? != header {
            let first = first.display();
            return Err(wrong(&format!(
                "these are records of another experiment or configuration than those of {first}"
            )));
        }
        let records: Records<Entry> = Records::open(folder, &header.experiment, &header.configuration)?;
        for (key, entry) in records.iter() {
            match (target.get(key), entry) {
                (None, _) => target.append(key.to_string(), entry.clone())?,
                (Some(Entry::Trial(..)), Entry::Trial(..)) => {}
                (Some(known), _) if known == entry => {}
                (Some(_), _) => return Err(wrong(&format!("{key} is another one than in the other records"))),
            }
        }
    }
    Ok(())
}
