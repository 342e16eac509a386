//! `ARCHITECTURE.md` names every source file, and no other file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const PACKAGES: [&str; 7] = [
    "crates/ddcma-linalg",
    "crates/ddcma-core",
    "crates/ddcma-problems",
    "crates/ddcma-restarts",
    "crates/ddcma-lab",
    "crates/ddcma-mpi",
    "xtask",
];

/// The folder that each indented row of the code map belongs to, and the location of its files.
fn source_folder(owner: &str) -> String {
    format!("{owner}/src")
}

#[test]
fn the_code_map_has_every_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let (_, map) = text.split_once("## Code map").unwrap();
    let mut owner = String::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for row in map.lines().filter(|line| line.starts_with("| `")) {
        let names: Vec<&str> = row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2).collect();
        if !names[0].starts_with(' ') {
            owner = names[0].to_string();
            continue;
        }
        for name in names.iter().map(|name| name.trim()) {
            let path = format!("{}/{name}", source_folder(&owner));
            match path.strip_suffix("/*") {
                Some(folder) => {
                    let entries =
                        fs::read_dir(root.join(folder)).unwrap_or_else(|_| panic!("{folder} is not a folder"));
                    named.extend(entries.map(|entry| format!("{folder}/{}", entry.unwrap().file_name().display())));
                }
                None => {
                    assert!(root.join(&path).is_file(), "{path} is on the map, but not in the workspace");
                    named.insert(path);
                }
            }
        }
    }
    let mut missing = Vec::new();
    for owner in PACKAGES {
        for entry in fs::read_dir(root.join(source_folder(owner))).unwrap() {
            let path = format!("{}/{}", source_folder(owner), entry.unwrap().file_name().display());
            // `lib.rs` and `main.rs` are the crate itself.
            let is_crate = path.ends_with("/lib.rs") || path.ends_with("/main.rs");
            let has_files = named.iter().any(|name| name.starts_with(&format!("{path}/")));
            if !is_crate && !has_files && !named.contains(&path) {
                missing.push(path);
            }
        }
    }
    assert!(named.len() > 60, "{named:?}");
    assert!(missing.is_empty(), "not on the map: {missing:?}");
}

/// The tests of a package are one program. A program that no manifest names, or a file that the program does not name, would never run.
#[test]
fn every_file_of_tests_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let programs = fs::read_to_string(root.join("tests/Cargo.toml")).unwrap();
    for package in PACKAGES {
        let folder = root.join(package).join("tests");
        let own = fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap();
        let program = format!("path = \"../{package}/tests/all.rs\"");
        if !own.contains("[[test]]\nname = \"all\"") {
            let units = format!("path = \"../{package}/src/lib.rs\"");
            assert!(programs.contains(&program) && programs.contains(&units), "{package}: {program} and {units}");
        }
        let all = fs::read_to_string(folder.join("all.rs")).unwrap();
        let named: BTreeSet<String> =
            all.lines().filter_map(|line| Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_string())).collect();
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        // Folders are modules, too, unless they contain data.
        let is_module = |path: &Path| path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").is_file();
        let files: BTreeSet<String> = entries
            .filter(|path| is_module(path))
            .map(|path| path.file_stem().unwrap().display().to_string())
            .filter(|name| name != "all")
            .collect();
        assert_eq!(named, files, "{package}/tests/all.rs");
    }
}

/// A package that is unpacked alone must compile, with its unit tests. (Cargo packages the targets of symbolic links.)
#[test]
fn no_source_file_includes_a_file_from_outside_its_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for package in PACKAGES.into_iter().filter(|package| *package != "xtask") {
        let src = root.join(source_folder(package));
        for (file, depth) in rust_files(&src, 1) {
            let text = fs::read_to_string(&file).unwrap();
            let starts = ["#[path = \"", "include!(\"", "include_str!(\"", "include_bytes!(\""];
            for path in starts.iter().flat_map(|start| text.split(start).skip(1)).map(|rest| rest.split('"').next()) {
                let path = path.unwrap();
                assert!(path.matches("../").count() <= depth, "{}: {path} is outside of {package}", file.display());
            }
        }
        let recorded = |folder: &Path| fs::read_to_string(folder.join("docs/messages.txt")).unwrap();
        assert_eq!(recorded(&root.join(package)), recorded(&root), "{package}");
    }
}

/// Returns the files in a folder and in those below it, with the number of folders between each file and its package.
fn rust_files(folder: &Path, depth: usize) -> Vec<(PathBuf, usize)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of_entry = |path: PathBuf| match path.is_dir() {
        true => rust_files(&path, depth + 1),
        false => vec![(path, depth)],
    };
    entries.flat_map(of_entry).filter(|(path, _)| path.extension().is_some_and(|end| end == "rs")).collect()
}
