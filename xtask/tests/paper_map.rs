//! `docs/paper-map.md` and the code name the same equations.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What stands between `open` and the next `)`, everywhere in a text.
fn tags<'a>(text: &'a str, open: &'a str) -> impl Iterator<Item = String> + 'a {
    text.split(open).skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_string()))
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_equation_in_the_code_is_on_the_map_and_the_other_way_round() {
    let mut files = Vec::new();
    for krate in fs::read_dir(workspace().join("crates")).unwrap() {
        rust_files(&krate.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 10, "the sources were found");
    let text = |path: &PathBuf| fs::read_to_string(path).unwrap();
    let in_code: BTreeSet<String> =
        files.iter().flat_map(|path| tags(&text(path), "eq. (").collect::<Vec<_>>()).collect();
    let map = text(&workspace().join("docs/paper-map.md"));
    let rows = map.lines().filter(|line| line.starts_with('|'));
    let mut on_map: Vec<String> = rows.flat_map(|row| tags(row, "eq. (").collect::<Vec<_>>()).collect();
    on_map.sort_unstable();
    assert!(in_code.len() > 15, "{in_code:?}");
    assert_eq!(in_code.into_iter().collect::<Vec<_>>(), on_map, "left: in the code, right: on the map, once each");
}

#[test]
fn every_file_on_the_map_exists() {
    let map = fs::read_to_string(workspace().join("docs/paper-map.md")).unwrap();
    let roots = [workspace().join("crates/ddcma-core/src"), workspace()];
    let named: BTreeSet<&str> = map.split('`').filter(|word| word.ends_with(".rs")).collect();
    assert!(named.len() > 5, "{named:?}");
    for file in named {
        let exists = roots.iter().any(|root| root.join(file).is_file());
        assert!(exists, "{file} is on the map, and not in the workspace");
    }
}
