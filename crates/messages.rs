//! Compares the error messages of a crate with their record in `docs/messages.txt`, the file that a reviewer reads.
//!
//! Each library includes this file in its unit tests: only there, a `match` on a `#[non_exhaustive]` error type is exhaustive. It includes a
//! symbolic link, so that packages contain this file, and the record as well.

use std::fmt::{Display, Write};
use std::fs;
use std::path::Path;

/// Writes the messages of an error type, one line per sample. A new variant does not compile without its sample.
macro_rules! messages {
    ($text:expr, $type:ident { $($variant:ident: $($sample:expr),+;)+ }) => {{
        let mut samples = Vec::new();
        $($(
            let sample = $sample;
            assert!(matches!(sample, $type::$variant { .. }), "{sample} is not a sample of {}", stringify!($variant));
            samples.push((stringify!($variant), sample));
        )+)+
        for (_, sample) in &samples {
            match sample {
                $($type::$variant { .. } => {})+
            }
        }
        $crate::messages::record::write_type($text, stringify!($type), &samples);
    }};
}

pub(crate) fn write_type<E: Display>(text: &mut String, name: &str, samples: &[(&str, E)]) {
    writeln!(text, "\n{name}").unwrap();
    for (variant, sample) in samples {
        writeln!(text, "  {variant}: {sample}").unwrap();
    }
}

/// Compares the section of a crate with its messages now.
pub(crate) fn compare(name: &str, now: &str) {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let path = folders.map(|folder| folder.join("docs/messages.txt")).find(|path| path.is_file()).unwrap();
    let recorded = fs::read_to_string(&path).unwrap();
    let heading = format!("\n# {name}\n");
    let start = recorded.find(&heading).unwrap_or_else(|| panic!("docs/messages.txt must have the heading # {name}"));
    let start = start + heading.len();
    let end = recorded[start..].find("\n# ").map_or(recorded.len(), |length| start + length);
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        fs::write(&path, format!("{}{now}{}", &recorded[..start], &recorded[end..])).unwrap();
        return;
    }
    let (old, new): (Vec<_>, Vec<_>) = (recorded[start..end].lines().collect(), now.lines().collect());
    let gone: Vec<_> = old.iter().filter(|line| !new.contains(line)).collect();
    let added: Vec<_> = new.iter().filter(|line| !old.contains(line)).collect();
    assert!(
        old == new,
        "the messages differ from docs/messages.txt (new: {added:#?}, gone: {gone:#?}); to record them: \
         UPDATE_MESSAGES=1 cargo test --workspace messages"
    );
}
