//! Compares the public items of the six libraries with a recorded list, so that every change of the interface is visible in that file.
//!
//! The list does not include trait implementations, attributes and features. The lint `unreachable_pub` guarantees that everything marked
//! `pub` is public, so the declarations in the sources are the interface. Setters that a macro writes are listed as in its table.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 6] = ["ddcma-linalg", "ddcma-core", "ddcma-problems", "ddcma-restarts", "ddcma-mpi", "ddcma-lab"];

/// The keywords that may follow `pub`.
const ITEMS: [&str; 8] = ["fn ", "struct ", "enum ", "trait ", "type ", "const ", "use ", "mod "];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The kind of block that members belong to.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    Trait,
    Enum,
    /// The arguments of a macro that writes methods.
    Table,
}

/// Returns the declarations of a file, one per line: public items and fields, members of public traits, variants of public enums, and the
/// tables of macros.
fn declarations(text: &str) -> Vec<String> {
    let mut in_wrapper = false;
    let code: Vec<&str> = text
        .lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .map(|line| {
            // Types in `stored! { … }` count as declared outside of it.
            in_wrapper = (in_wrapper || line == "stored! {") && line != "}";
            if in_wrapper { line.strip_prefix("    ").unwrap_or(line) } else { line }
        })
        .collect();
    let mut found = Vec::new();
    // The block that members belong to, until its closing brace at the same depth.
    let mut open: Option<(usize, Block)> = None;
    let mut owner = String::new();
    let mut lines = code.iter();
    while let Some(line) = lines.next() {
        let (depth, text) = (line.len() - line.trim_start().len(), line.trim());
        if open.is_some_and(|(of_block, _)| depth == of_block && text.starts_with('}')) {
            open = None;
        }
        if depth == 0 && text.starts_with("impl") {
            owner = text.trim_end_matches(['{', ' ', '}']).to_string();
        }
        let inside = |block: Block, most: usize| {
            open.is_some_and(|(of_block, of_kind)| {
                of_kind == block && (4..=most).contains(&(depth.saturating_sub(of_block)))
            })
        };
        let of_trait_or_enum = inside(Block::Trait, 4) || inside(Block::Enum, 8);
        let in_table = inside(Block::Table, 4) && text.ends_with(';');
        let is_item = !text.contains('$')
            && text.strip_prefix("pub ").is_some_and(|rest| ITEMS.iter().any(|item| rest.starts_with(item)));
        let is_field = text.starts_with("pub ") && text.ends_with(',');
        let is_member = of_trait_or_enum && !text.starts_with(['/', '#', '{', '}', ')']) && !text.is_empty();
        if is_item || is_field || is_member || in_table {
            let mut whole = text.to_string();
            while !whole.contains(['{', ';']) && !whole.ends_with(',') {
                let Some(next) = lines.next() else { break };
                if next.trim().starts_with("//") {
                    continue;
                }
                let separator = if whole.ends_with('(') { "" } else { " " };
                write!(whole, "{separator}{}", next.trim()).unwrap();
                if whole.ends_with("(") || whole.ends_with(", ") {
                    continue;
                }
                // Arguments on separate lines.
                while whole.matches('(').count() > whole.matches(')').count() {
                    let Some(next) = lines.next() else { break };
                    if next.trim().starts_with("//") {
                        continue;
                    }
                    write!(whole, " {}", next.trim()).unwrap();
                }
            }
            let declared = whole.split(" {").next().unwrap_or_default().trim_end_matches([';', ',', '{', ' ']);
            let prefix = if depth > 0 && is_item { format!("{owner}: ") } else { "  ".repeat(depth / 4) };
            found.push(format!("{prefix}{declared}"));
        }
        if text.starts_with("pub trait ") {
            open = Some((depth, Block::Trait));
        } else if text.starts_with("pub enum ") {
            open = Some((depth, Block::Enum));
        } else if ["setters! {", "getters! {", "$($setters)+! {"].contains(&text) {
            open = Some((depth, Block::Table));
        }
    }
    found
}

fn public_api() -> String {
    let mut text = String::from(
        "The public items of the libraries, made and compared by xtask/tests/public_api.rs; without trait implementations.\n",
    );
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates").join(name).join("src");
        for file in sources(&folder) {
            let found = declarations(&fs::read_to_string(&file).unwrap());
            if !found.is_empty() {
                let path = file.strip_prefix(&folder).unwrap().display();
                writeln!(text, "\n{name}/{path}\n{}", found.join("\n")).unwrap();
            }
        }
    }
    text
}

#[test]
fn the_public_api_is_the_recorded_one() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/public-api.txt");
    let now = public_api();
    for known in
        ["pub fn minimize", "impl UpdatedRoot: pub fn propose", "pub trait Strategy", "  Target", "max_evaluations"]
    {
        assert!(now.contains(known), "{known} is no longer found");
    }
    if std::env::var_os("UPDATE_PUBLIC_API").is_some() {
        fs::write(&recorded, &now).unwrap();
    }
    let recorded = fs::read_to_string(&recorded).unwrap_or_default();
    let changed = now.lines().find(|line| !recorded.lines().any(|known| known == *line));
    let gone = recorded.lines().find(|line| !now.lines().any(|known| known == *line));
    assert!(
        now == recorded,
        "the public interface has changed (new: {changed:?}, gone: {gone:?}); if it should: \
         UPDATE_PUBLIC_API=1 cargo test --workspace public_api, and say it in CHANGELOG.md"
    );
}
