//! `docs/paper-map.md` and the code name the same equations, files and functions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns every part of a text between `open` and the next `)`.
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
        let sources = krate.unwrap().path().join("src");
        if sources.is_dir() {
            rust_files(&sources, &mut files);
        }
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
        assert!(exists, "{file} is on the map, but not in the workspace");
    }
}

/// Returns the rows of the table under a heading, without the table head.
fn rows<'a>(map: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, section) = map.split_once(heading).unwrap();
    let lines = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    lines.skip(2).collect()
}

/// Returns the words of a row that end in `.rs`.
fn files_of(row: &str) -> impl Iterator<Item = &str> {
    row.split('`').filter(|word| word.ends_with(".rs"))
}

#[test]
fn an_equation_is_in_the_files_that_its_row_names_and_in_no_others() {
    let source = workspace().join("crates/ddcma-core/src");
    let mut all = Vec::new();
    rust_files(&source, &mut all);
    let map = fs::read_to_string(workspace().join("docs/paper-map.md")).unwrap();
    let rows = rows(&map, "## Equations");
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        let labels: Vec<String> = tags(row, "eq. (").map(|label| format!("eq. ({label})")).collect();
        let tagged = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap();
            let mut code =
                text.lines().filter(|line| !line.trim_start().starts_with("///") && !line.starts_with("//!"));
            code.any(|line| labels.iter().any(|label| line.contains(label)))
        };
        let in_code: BTreeSet<PathBuf> = all.iter().filter(|path| tagged(path)).cloned().collect();
        let on_map: BTreeSet<PathBuf> = files_of(row).map(|file| source.join(file)).collect();
        assert_eq!(in_code, on_map, "left: in the code, right: on the map, for {row}");
    }
}

#[test]
fn each_line_of_algorithm_1_has_functions_that_exist() {
    let map = fs::read_to_string(workspace().join("docs/paper-map.md")).unwrap();
    let mut files = Vec::new();
    rust_files(&workspace().join("crates/ddcma-core/src"), &mut files);
    let texts: Vec<String> = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut lines = BTreeSet::new();
    for row in rows(&map, "## Algorithm 1, line by line") {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        lines.extend(cells[1].split(", ").map(|line| line.parse::<usize>().unwrap()));
        for name in cells[2].split('`').filter(|word| word.contains("::")) {
            let (owner, function) = name.split_once("::").unwrap();
            let is_there = |text: &String| {
                let owned = |line: &str| line.starts_with("impl") && line.contains(&format!(" {owner}"));
                text.lines().any(owned) && text.contains(&format!("fn {function}("))
            };
            assert!(texts.iter().any(is_there), "{name} is on the map, but not in the code");
        }
    }
    // Line 2 opens the loop, which is the caller's, and line 18 ends the condition of line 12.
    let expected: BTreeSet<usize> = (1..=19).filter(|line| ![2, 18].contains(line)).collect();
    assert_eq!(lines, expected);
}
