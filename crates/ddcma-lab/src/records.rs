//! Records of trials in a folder: appended as they come, and found again by the same command after whatever ended it.
//!
//! The file `records.jsonl` starts with the configuration, everything that the outcome of a single trial depends on; each
//! further line is one trial, with a checksum. A last line that was not finished is cut off. Knows lines and keys, and no
//! experiment.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LabError, LabErrorKind};

/// The file of the records, in their folder.
pub const FILE: &str = "records.jsonl";

/// Records by their keys. The folder is this process's alone as long as it lives.
#[derive(Debug)]
pub struct Records<R> {
    /// None, if they are kept in memory alone.
    file: Option<Appended>,
    kept: Kept<R>,
}

/// Records as they came.
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
    /// The length of the file up to the last good line.
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

    /// That of a folder.
    pub(crate) fn of(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let failed =
            |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::Records, format!("{}: {error}", path.display()));
        let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
        let header = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
        header.ok_or_else(|| failed(&"line 1: these are not records"))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<R> {
    key: String,
    record: R,
    /// Of key and record, against what happens to files.
    crc: u32,
}

/// The checksum of a trial: of what would be written for it.
fn checksum<R: Serialize>(key: &str, record: &R) -> serde_json::Result<u32> {
    Ok(crc32fast::hash(serde_json::to_string(&(key, record))?.as_bytes()))
}

impl<R: Serialize + DeserializeOwned> Records<R> {
    /// Opens the records of a folder, or begins them.
    ///
    /// Records of another experiment or configuration are an error: they are never mixed.
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
        // An experiment that was killed while it started a process leaves the lock to that process, until its program begins.
        match super::patiently(|error| matches!(error, TryLockError::WouldBlock), || file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(unusable(&"another process is writing here; wait for it, or choose another folder"));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(&error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        let header = Header::new(experiment, configuration)?;
        let header_line = serde_json::to_string(&header).map_err(|error| failed(&error))? + "\n";
        let (kept, finished) = parsed(&path, &bytes, &header, &header_line)?;
        // These are our records: the line that was not finished can go.
        let mut length = finished as u64;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(|error| unusable(&error))?;
        if finished == 0 {
            file.write_all(header_line.as_bytes()).map_err(|error| unusable(&error))?;
            length = header_line.len() as u64;
        }
        Ok(Self { file: Some(Appended { path, file, length }), kept })
    }

    /// The records of a folder as they are now, without writing there: what is appended ends with the program.
    pub(crate) fn read(folder: &Path, experiment: &str, configuration: &impl Serialize) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let failed = |error: &dyn std::fmt::Display| LabError::new(format!("{}: {error}", path.display()));
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::in_memory()),
            bytes => bytes.map_err(|error| failed(&error))?,
        };
        let header = Header::new(experiment, configuration)?;
        let header_line = serde_json::to_string(&header).map_err(|error| failed(&error))? + "\n";
        Ok(Self { file: None, kept: parsed(&path, &bytes, &header, &header_line)?.0 })
    }

    /// Records that end with the program.
    pub fn in_memory() -> Self {
        Self { file: None, kept: Kept::new() }
    }

    /// The record of a trial, if it is there.
    pub fn get(&self, key: &str) -> Option<&R> {
        self.kept.by_key.get(key)
    }

    /// All records with their keys, as they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &R)> {
        self.kept.order.iter().filter_map(|key| Some((key.as_str(), self.kept.by_key.get(key)?)))
    }

    /// Adds a trial, in one write.
    pub fn append(&mut self, key: String, record: R) -> Result<(), LabError> {
        if let Some(file) = &mut self.file {
            file.append(&key, &record)?;
        }
        self.kept.insert(key, record);
        Ok(())
    }
}

/// The records in a file, and how many of its bytes are finished lines.
fn parsed<R: Serialize + DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    header: &Header,
    header_line: &str,
) -> Result<(Kept<R>, usize), LabError> {
    let failed =
        |error: &dyn std::fmt::Display| LabError::of(LabErrorKind::Records, format!("{}: {error}", path.display()));
    // What was not finished has no end of line.
    let finished = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let text = std::str::from_utf8(&bytes[..finished]).map_err(|_| failed(&"these are not records: not UTF-8"))?;
    let mut lines = text.lines().enumerate();
    let mut kept = Kept::new();
    match lines.next() {
        // Nothing, or the beginning of what would be written now: anything else is somebody else's.
        None if header_line.as_bytes().starts_with(bytes) => {}
        None => return Err(failed(&"these are not records")),
        Some((_, line)) => {
            let found: Header = serde_json::from_str(line).map_err(|_| failed(&"line 1: these are not records"))?;
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
            return Err(at_line(&"damaged: its checksum is another one"));
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
            // A disk that is full may have taken half a line: nothing must come behind it.
            let _ = self.file.set_len(self.length);
            return Err(failed(&error));
        }
        self.length += text.len() as u64;
        Ok(())
    }
}

/// A number in a record: JSON has neither infinities nor NaN, so that these are words there.
pub mod number {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Word(String),
    }

    /// As a number, or as a word.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let finite = value.is_finite();
        if finite { Written::Number(*value) } else { Written::Word(value.to_string()) }.serialize(serializer)
    }

    /// From a number, or from a word.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(value),
            Written::Word(word) => word.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// Which settings differ, for people.
fn different(found: &Header, wanted: &Header) -> String {
    if found.experiment != wanted.experiment {
        return format!("these are records of the experiment \"{}\"; choose another folder", found.experiment);
    }
    let mut differences = Vec::new();
    if let (Value::Object(found), Value::Object(wanted)) = (&found.configuration, &wanted.configuration) {
        for (name, value) in wanted {
            let Some(other) = found.get(name) else {
                differences.push(format!("another version, without {name} {value}"));
                continue;
            };
            if other != value {
                let word = |value: &Value| if value.is_null() { "by default".to_string() } else { value.to_string() };
                differences.push(format!("{name} {}, not {}", word(other), word(value)));
            }
        }
    }
    format!("these records were made with {}; choose another folder, or remove this one", differences.join(", "))
}

/// Writes a file as a whole: whoever is killed leaves the old one or the new one.
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

    /// Whatever happens to a file: an error with one line, or every record as it was, but for a last one that is done again.
    #[test]
    fn spoilt_files_are_refused_or_lose_their_last_line() {
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
                // Without its end, the last line was not finished. And 1E-300 is 1e-300.
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
