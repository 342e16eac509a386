//! The suite as a table.

use crate::{Function, InitialMean};

/// Returns all functions with their formulas and initial conditions, as a Markdown table.
pub fn table() -> String {
    let mut table = String::from(
        "| name | in the paper | f | initial mean | initial σ | budget / n | smallest n | rotated form |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for &function in Function::ALL {
        let mean = match function.initial_mean() {
            InitialMean::Constant(m) => format!("{m} in each coordinate"),
            InitialMean::Normal(deviation) => format!("N(0, {deviation}² I)"),
        };
        let rotated = if function.has_rotated_form() { "yes" } else { "no" };
        table += &format!(
            "| `{function}` | {} | {} | {mean} | {} | {} | {} | {rotated} |\n",
            function.label(),
            function.formula(),
            function.initial_sigma(),
            function.budget_per_variable(),
            function.smallest_dimension(),
        );
    }
    table
}
