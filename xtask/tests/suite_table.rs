//! `docs/problems.md` shows the current suite.

use std::fs;
use std::path::Path;

#[test]
fn the_table_of_the_suite_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/problems.md");
    let page = fs::read_to_string(path).unwrap();
    let shown: String = page.lines().filter(|line| line.starts_with('|')).map(|line| format!("{line}\n")).collect();
    assert_eq!(shown, ddcma_problems::table(), "`cargo run -p ddcma-problems --example suite` prints the new one");
}
