//! Help texts with the names of algorithms, policies and problems.

use ddcma_problems::Function;

use crate::parameters;

/// Returns the help text for algorithms.
pub(crate) fn algorithms() -> String {
    format!(
        "Run these algorithms, separated by commas: dd, plain, sep, dd-tpa, plain-tpa, sep-tpa, and those of this program. Parameters \
         after colons, such as `dd:beta_thresh=5:active=false`, make another algorithm: sigma (a positive number), {}. \
         Default: those of this program, plain, sep and dd",
        parameters::help()
    )
}

/// Returns the help text for a single algorithm.
pub(crate) fn algorithm() -> String {
    format!(
        "Run this algorithm, with parameters after colons, such as `dd:damping=1`: sigma (a positive number), {}",
        parameters::help()
    )
}

/// Returns the help text for policies.
pub(crate) fn policies() -> String {
    "Restart with these policies, separated by commas: independent, ipop, nipop, bipop, nbipop, thrifty, and those of this program, or `all`. \
     Parameters follow after colons, such as `bipop:budget_share=0.25`: factor, sigma_divisor, sigma_decades, favor, budget_share and growth, \
     if the policy has them. The suffix `-probe`, such as in `bipop-probe`, adds a probe along the axes after the first run, with the \
     parameters evaluations (per coordinate) and sigma_factor"
        .to_string()
}

/// Returns the help text for problems.
pub(crate) fn functions(by_default: &[&str]) -> String {
    let names: Vec<&str> = Function::ALL.iter().map(|function| function.name()).collect();
    format!(
        "Run these problems, separated by commas: {}; add -rotated to a name for the rotated form, if there is one; `all` for all of these; \
         the applied problems, such as gp and gp-naive, which have a fixed dimension, and `applied` for all of them; and those of this \
         program. Default: those of this program or, if it has none, {}",
        names.join(", "),
        by_default.join(",")
    )
}
