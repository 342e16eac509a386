//! The collection as a table.

use super::Applied;

/// Returns all problems of the collection, as a Markdown table.
pub fn table() -> String {
    let mut table = String::from(
        "| name | n | what it is | what is minimized | best known value | source | proven | budget | scales differ |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for problem in Applied::all() {
        let (value, source, proven) = problem.optimum().map_or(("–".to_string(), "–", "–"), |optimum| {
            (format!("{:.10}", optimum.value), optimum.source, if optimum.proven { "yes" } else { "no" })
        });
        table += &format!(
            "| `{}` | {} | {} | {} | {} | {source} | {proven} | {} | {} |\n",
            problem.name(),
            problem.quantities().len(),
            problem.title(),
            problem.goal(),
            value.trim_end_matches('0'),
            problem.budget(),
            if problem.is_evenly_scaled() { "no" } else { "yes" },
        );
    }
    table
}
