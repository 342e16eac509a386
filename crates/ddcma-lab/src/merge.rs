//! Merges the records of one experiment from several folders.

use std::path::Path;

use crate::LabError;
use crate::experiment::Entry;
use crate::records::{Header, Records};
use crate::trial::FORMAT;

/// Copies the records of several folders into one, such as those of two halves of an experiment made on two machines.
///
/// All of them must have the same experiment, configuration, algorithms and problems. If a trial is in several folders, the first is
/// kept.
pub fn merge(into: &Path, from: &[&Path]) -> Result<(), LabError> {
    let Some(first) = from.first() else { return Ok(()) };
    let header = Header::of(first)?;
    let format = header.configuration.get("format").and_then(|format| format.as_u64());
    if format != Some(u64::from(FORMAT)) {
        let (first, got) = (first.display(), format.map_or("none".to_string(), |format| format.to_string()));
        return Err(LabError::new(format!(
            "{first}: the format of the records must be {FORMAT}, got {got}: merge them with the version that made them"
        )));
    }
    let mut target: Records<Entry> = Records::open(into, &header.experiment, &header.configuration)?;
    for folder in from {
        let wrong = |what: &str| LabError::new(format!("{}: {what}", folder.display()));
        if Header::of(folder)? != header {
            let first = first.display();
            return Err(wrong(&format!(
                "the records must be of the same experiment and configuration as those of {first}, but are not"
            )));
        }
        let records: Records<Entry> = Records::read(folder, &header.experiment, &header.configuration)?;
        for (key, entry) in records.iter() {
            match (target.get(key), entry) {
                (None, _) => target.append(key.to_string(), entry.clone())?,
                (Some(Entry::Trial(..)), Entry::Trial(..)) => {}
                (Some(known), _) if known == entry => {}
                (Some(_), _) => {
                    return Err(wrong(&format!("{key} must be the same as in the other records, but is not")));
                }
            }
        }
    }
    Ok(())
}
