//! Sealed bytes: a checksum detects damage, and files are written completely or not at all.
//!
//! Checkpoints use this module. It is public for programs that store more than a run.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::CheckpointError;

const HEADER: usize = 16;

/// The version of the format in which runs, searches and autosaves are stored.
///
/// Every change of what is stored needs a new version: a unit test compares the stored layout with the recorded one.
pub const FORMAT_VERSION: u32 = 11;

/// The first format that names the version of ddcma that wrote it.
const FIRST_WITH_WRITER: u32 = 9;

/// [Seals](seal) a run in the present format, with the version of ddcma that writes it.
pub fn seal_run(magic: &[u8; 8], body: &[u8]) -> Vec<u8> {
    let writer = env!("CARGO_PKG_VERSION").as_bytes();
    seal(magic, FORMAT_VERSION, &[&[writer.len() as u8], writer, body].concat())
}

/// [Opens](open) a sealed run. The error about another format names the version of ddcma that wrote it.
pub fn open_run<'a>(magic: &[u8; 8], bytes: &'a [u8]) -> Result<&'a [u8], CheckpointError> {
    match open(magic, FORMAT_VERSION, bytes) {
        Ok(body) => split_writer(body).map(|(_, body)| body).ok_or(CheckpointError::NotACheckpoint),
        Err(CheckpointError::Version { found, supported, .. }) if found >= FIRST_WITH_WRITER => {
            let writer = split_writer(&bytes[HEADER..]).and_then(|(writer, _)| std::str::from_utf8(writer).ok());
            Err(CheckpointError::Version { found, supported, writer: writer.map(str::to_string) })
        }
        Err(error) => Err(error),
    }
}

/// Splits the version of the writer from the rest of the body.
fn split_writer(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = body.split_first()?;
    rest.split_at_checked(usize::from(*length))
}

/// Returns a value in the [postcard](https://docs.rs/postcard) format, for [`Strategy::to_bytes`](crate::Strategy::to_bytes) and the like.
pub fn to_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, CheckpointError> {
    postcard::to_allocvec(value).map_err(malformed)
}

/// Returns the value that [`to_bytes`] has stored.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CheckpointError> {
    let (value, rest) = split(bytes)?;
    if rest.is_empty() {
        Ok(value)
    } else {
        Err(CheckpointError::Inconsistent { what: "there are bytes behind the end" })
    }
}

/// Returns the first value, and the bytes behind it.
pub(crate) fn split<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), CheckpointError> {
    postcard::take_from_bytes(bytes).map_err(malformed)
}

fn malformed(error: postcard::Error) -> CheckpointError {
    CheckpointError::Malformed { reason: error.to_string() }
}

/// Prepends a header to the bytes: eight bytes of magic, then the format version and the checksum (four bytes each,
/// little-endian).
pub fn seal(magic: &[u8; 8], version: u32, body: &[u8]) -> Vec<u8> {
    [&magic[..], &version.to_le_bytes(), &crc32fast::hash(body).to_le_bytes(), body].concat()
}

/// Returns the bytes that were sealed, if the magic, the version and the checksum are right.
///
/// ```
/// use ddcma_core::storage::{open, seal};
///
/// let mut bytes = seal(b"my magic", 3, b"a body");
/// assert_eq!(open(b"my magic", 3, &bytes)?, b"a body");
/// *bytes.last_mut().unwrap() ^= 1;
/// assert!(open(b"my magic", 3, &bytes).is_err());
/// # Ok::<(), ddcma_core::CheckpointError>(())
/// ```
pub fn open<'a>(magic: &[u8; 8], version: u32, bytes: &'a [u8]) -> Result<&'a [u8], CheckpointError> {
    let Some((header, body)) = bytes.split_at_checked(HEADER).filter(|(header, _)| header.starts_with(magic)) else {
        return Err(CheckpointError::NotACheckpoint);
    };
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (found_version, expected) = (number(8), number(12));
    if found_version != version {
        return Err(CheckpointError::Version { found: found_version, supported: version, writer: None });
    }
    let found = crc32fast::hash(body);
    if found != expected {
        return Err(CheckpointError::Damaged { expected, found });
    }
    Ok(body)
}

/// Writes bytes to a file: either all of them are written, or the file is unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    write_atomically(path, bytes).map_err(|error| CheckpointError::Io { path: path.into(), error })
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    fs::read(path).map_err(|error| CheckpointError::Io { path: path.into(), error })
}

/// Writes a temporary file next to the target, syncs and renames it: a process that is killed leaves the old file or the new
/// one.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    // No other process or thread writes to the same temporary file.
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    temporary_name.push(format!(".{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    let temporary = folder.join(temporary_name);
    let written = (|| {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        // Sync the folder to make the rename durable; not every system supports that.
        File::open(folder).and_then(|folder| folder.sync_all()).or(Ok(()))
    })();
    if written.is_err() {
        // The first error is the one to report, even if the temporary file cannot be removed.
        let _ = fs::remove_file(&temporary);
    }
    written
}
