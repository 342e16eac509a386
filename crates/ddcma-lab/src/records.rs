//! Records of trials in a folder. Each trial is appended when it ends, so an interrupted experiment can continue.
//!
//! The file `records.jsonl` starts with the configuration: everything that the outcome of a single trial depends on. Each further line
//! is one trial, with a checksum. An incomplete last line is cut off.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LabError, LabErrorKind};

/// The name of the file of records in its folder.
pub const FILE: &str = "records.jsonl";

const NO_HEADER: &str = "line 1 must be the header of records, but is not: choose another folder";

/// Records by key. While it exists, no other process can open the folder.
#[derive(Debug)]
pub struct Records<R> {
    /// `None` if the records are only in memory.
    file: Option<Appended>,
    kept: Kept<R>,
}

/// Records in order of arrival.
#[derive(Debug)]
struct Kept<R> {
    by_key: HashMap<String, R>,
    order: Vec<String>,
}

impl<R> Kept<R> {
    fn new() -> Self {
        Self { by_key: HashMap::new(), order: Vec::new() }
    }

    fn insert(&mut self, key: String, record: R) {
        if self.by_key.insert(key.clone(), record).is_none() {
            self.order.push(key);
        }
    }
}

/// A file that lines are appended to.
#[derive(Debug)]
struct Appended {
    path: PathBuf,
    file: File,
    /// The length of the file up to the last complete line.
    length: u64,
}

/// The first line: what all records of a folder have in common.
#[derive(PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) experiment: String,
    pub(crate) configuration: Value,
}

impl Header {
    fn new(experiment: &str, configuration: &impl Serialize) -> Result<Self, LabError> {
        let configuration = serde_json::to_value(configuration).map_err(|error| LabError::new(error.to_string()))?;
        Ok(Self { experiment: experiment.to_string(), configuration })
    }

    /// Reads the header of a folder.
    pub(crate) fn of(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let failed =
            |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::Records, format!("{}: {error}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
        let header = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
        header.ok_or_else(|| failed(&NO_HEADER))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<R> {
    key: String,
    record: R,
    /// The checksum of key and record, to detect damaged files.
    crc: u32,
}

/// Returns the checksum of a trial as it is written.
fn checksum<R: Serialize>(key: &str, record: &R) -> serde_json::Result<u32> {
    Ok(crc32fast::hash(serde_json::to_string(&(key, record))?.as_bytes()))
}

impl<R: Serialize + DeserializeOwned> Records<R> {
    /// Opens the records of a folder, or creates them.
    ///
    /// Returns an error for records of another experiment or configuration, which are never mixed.
    pub fn open(folder: &Path, experiment: &str, configuration: &impl Serialize) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let failed =
            |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::Records, format!("{}: {error}", path.display()));
        fs::create_dir_all(folder)
            .map_err(|error| LabError::of(LabErrorKind::File, format!("{}: {error}", folder.display())))?;
        let options = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let unusable =
            |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::File, format!("{}: {error}", path.display()));
        let mut file = options.map_err(|error| unusable(&error))?;
        // If an experiment is killed while it starts a process, that process holds the lock until its program begins.
        match super::patiently(|error| matches!(error, TryLockError::WouldBlock), || file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(unusable(&"another process is writing here: wait for it, or choose another folder"));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(&error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        let header = Header::new(experiment, configuration)?;
        let header_line = serde_json::to_string(&header).map_err(|error| failed(&error))? + "\n";
        let (kept, finished) = parsed(&path, &bytes, &header, &header_line)?;
        // These are our records, so an incomplete line can be removed.
        let mut length = finished as u64;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(|error| unusable(&error))?;
        if finished == 0 {
            file.write_all(header_line.as_bytes()).map_err(|error| unusable(&error))?;
            length = header_line.len() as u64;
        }
        Ok(Self { file: Some(Appended { path, file, length }), kept })
    }

    /// Reads the records of a folder without ever writing there: what is appended stays in memory.
    pub(crate) fn read(folder: &Path, experiment: &str, configuration: &impl Serialize) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let failed =
            |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::Records, format!("{}: {error}", path.display()));
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::in_memory()),
            bytes => bytes.map_err(|error| failed(&error))?,
        };
        let header = Header::new(experiment, configuration)?;
        let header_line = serde_json::to_string(&header).map_err(|error| failed(&error))? + "\n";
        Ok(Self { file: None, kept: parsed(&path, &bytes, &header, &header_line)?.0 })
    }

    /// Creates records that are only in memory.
    pub fn in_memory() -> Self {
        Self { file: None, kept: Kept::new() }
    }

    /// Returns the record with this key, if there is one.
    pub fn get(&self, key: &str) -> Option<&R> {
        self.kept.by_key.get(key)
    }

    /// Iterates over all records with their keys, in order of arrival.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &R)> {
        self.kept.order.iter().filter_map(|key| Some((key.as_str(), self.kept.by_key.get(key)?)))
    }

    /// Appends a record, in one write.
    pub fn append(&mut self, key: String, record: R) -> Result<(), LabError> {
        if let Some(file) = &mut self.file {
            file.append(&key, &record)?;
        }
        self.kept.insert(key, record);
        Ok(())
    }
}

/// Parses a file; returns its records and the number of bytes in complete lines.
fn parsed<R: Serialize + DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    header: &Header,
    header_line: &str,
) -> Result<(Kept<R>, usize), LabError> {
    let failed =
        |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::Records, format!("{}: {error}", path.display()));
    // An incomplete line has no line ending.
    let finished = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let text = std::str::from_utf8(&bytes[..finished])
        .map_err(|_| failed(&"records must be UTF-8, but this file is not: choose another folder"))?;
    let mut lines = text.lines().enumerate();
    let mut kept = Kept::new();
    match lines.next() {
        // The file is empty or has the beginning of our header; anything else is not ours.
        None if header_line.as_bytes().starts_with(bytes) => {}
        None => return Err(failed(&"the file must have records, but has something else: choose another folder")),
        Some((_, line)) => {
            let found: Header = serde_json::from_str(line).map_err(|_| failed(&NO_HEADER))?;
            if found.experiment != header.experiment || found.configuration != header.configuration {
                return Err(failed(&different(&found, header)));
            }
        }
    }
    for (number, line) in lines {
        let parsed = serde_json::from_str(line);
        let at_line = |error: &dyn std::fmt::Display| failed(&format!("line {}: {error}", number + 1));
        let Line { key, record, crc } = parsed.map_err(|error| at_line(&error))?;
        let found = checksum(&key, &record).map_err(|error| at_line(&error))?;
        if crc != found {
            return Err(at_line(&format!(
                "the record is damaged: its checksum must be {found:08x}, got {crc:08x}: remove the line to repeat its trial"
            )));
        }
        kept.insert(key, record);
    }
    Ok((kept, finished))
}

impl Appended {
    fn append<R: Serialize>(&mut self, key: &str, record: &R) -> Result<(), LabError> {
        let failed = |error: &dyn std::fmt::Display| {
            LabError::of(LabErrorKind::File, format!("{}: {error}", self.path.display()))
        };
        let crc = checksum(key, record).map_err(|error| failed(&error))?;
        let line = Line { key: key.to_string(), record, crc };
        let text = serde_json::to_string(&line).map_err(|error| failed(&error))? + "\n";
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // A full disk may have taken half a line, and nothing must follow it.
            let _ = self.file.set_len(self.length);
            return Err(failed(&error));
        }
        self.length += text.len() as u64;
        Ok(())
    }
}

/// Numbers in records. JSON has neither infinities nor NaN, so these are written as words.
pub mod number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Word(String),
    }

    /// Serializes a number, or a word if it is not finite.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let finite = value.is_finite();
        if finite { Written::Number(*value) } else { Written::Word(value.to_string()) }.serialize(serializer)
    }

    /// Deserializes a number or a word.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(value),
            Written::Word(word) => word.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// Describes how two headers differ.
fn different(found: &Header, wanted: &Header) -> String {
    if found.experiment != wanted.experiment {
        return format!(
            "the records must be of the experiment \"{}\", got \"{}\": choose another folder",
            wanted.experiment, found.experiment
        );
    }
    let mut differences = Vec::new();
    if let (Value::Object(found), Value::Object(wanted)) = (&found.configuration, &wanted.configuration) {
        for (name, value) in wanted {
            let Some(other) = found.get(name) else {
                differences.push(format!("{name} must be {value}, got none"));
                continue;
            };
            if other != value {
                let word = |value: &Value| if value.is_null() { "the default".to_string() } else { value.to_string() };
                differences.push(format!("{name} must be {}, got {}", word(value), word(other)));
            }
        }
    }
    format!(
        "the records have another configuration: {}: choose another folder, or remove this one",
        differences.join("; ")
    )
}

/// Writes a file atomically: if the process is killed, either the old or the new file is there.
pub fn write_file(path: &Path, text: &str) -> Result<(), LabError> {
    let written = ddcma_core::storage::write(path, text.as_bytes());
    written.map_err(|error| LabError::of(LabErrorKind::File, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Value(#[serde(with = "number")] f64);

    #[test]
    fn every_number_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let values = [0.1, 1e-310, -0.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let mut records = Records::open(folder.path(), "test", &1).unwrap();
        for (k, value) in values.iter().enumerate() {
            records.append(k.to_string(), Value(*value)).unwrap();
        }
        drop(records);
        let records: Records<Value> = Records::open(folder.path(), "test", &1).unwrap();
        for (k, value) in values.iter().enumerate() {
            assert_eq!(records.get(&k.to_string()).unwrap().0.to_bits(), value.to_bits(), "{value}");
        }
    }

    /// However a file is damaged, there is a one-line error, or all records are as before, except for a last one that is repeated.
    #[test]
    fn damaged_files_are_refused_or_lose_their_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let mut records: Records<Value> = Records::open(folder.path(), "test", &1).unwrap();
        let values = [1.25, -1e-300, f64::INFINITY];
        for (k, value) in values.iter().enumerate() {
            records.append(format!("key {k}"), Value(*value)).unwrap();
        }
        drop(records);
        let good = fs::read(&path).unwrap();
        let open = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Records::<Value>::open(folder.path(), "test", &1)
        };
        // Returns how many of the last records are missing; none before them is.
        let missing = |bytes: &[u8], what: &str| match open(bytes) {
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 1, "{what}: {error}");
                None
            }
            Ok(records) => {
                let found = |k: usize| records.get(&format!("key {k}"));
                let count = (0..values.len()).take_while(|k| found(*k).is_some()).count();
                (0..count).for_each(|k| assert_eq!(found(k).unwrap().0.to_bits(), values[k].to_bits(), "{what}"));
                (count..values.len()).for_each(|k| assert!(found(k).is_none(), "{what}: a hole before record {k}"));
                Some(values.len() - count)
            }
        };
        for cut in 0..good.len() {
            let lines_cut = good[cut..].iter().filter(|byte| **byte == b'\n').count().min(values.len());
            assert_eq!(missing(&good[..cut], &format!("cut at {cut}")), Some(lines_cut), "cut at {cut}");
        }
        let mut refused = 0;
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bent = good.clone();
                bent[at] ^= 1 << bit;
                let missing = missing(&bent, &format!("bit {bit} of byte {at}"));
                // Without its ending, the last line is incomplete. And 1E-300 is 1e-300.
                let expected = if at == good.len() - 1 { [Some(1), None] } else { [Some(0), None] };
                assert!(expected.contains(&missing), "bit {bit} of byte {at}: {missing:?}");
                refused += u32::from(missing.is_none());
            }
        }
        assert!(refused > 7 * good.len() as u32, "nearly all of {} bits, {refused}", 8 * good.len());
        assert_eq!(missing(&[&good[..], &[0xff, 0xfe, b'\n']].concat(), "not UTF-8"), None);
        let forged = [&good[..], br#"{"key":"key 0","record":"nan","crc":1}"#, b"\n"].concat();
        assert_eq!(missing(&forged, "a wrong checksum"), None);
        let without = [&good[..], br#"{"key":"key 3","record":1.5}"#, b"\n"].concat();
        assert_eq!(missing(&without, "no checksum"), None);
        assert_eq!(missing(&good, "as it was"), Some(0));
    }
}
