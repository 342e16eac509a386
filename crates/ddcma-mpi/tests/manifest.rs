//! This package is not a member of the workspace, so it must repeat what the members inherit.

use std::fs;
use std::path::Path;

/// The lines of a manifest below a heading.
fn section<'a>(manifest: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = manifest.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn version_and_lints_are_those_of_the_workspace() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let workspace = fs::read_to_string(folder.join("../../Cargo.toml")).unwrap();
    let package = section(&ours, "[package]");
    for line in section(&workspace, "[workspace.package]").iter().filter(|line| !line.starts_with("keywords")) {
        assert!(package.contains(line), "{line}");
    }
    for lints in ["rust", "clippy"] {
        let [ours, workspace] = [(&ours, ""), (&workspace, "workspace.")]
            .map(|(manifest, prefix)| section(manifest, &format!("[{prefix}lints.{lints}]")));
        assert_eq!(ours, workspace);
        assert!(ours.len() > 2);
    }
}
