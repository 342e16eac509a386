//! What commands say about names. Knows which there are.

use ddcma_problems::Function;

use crate::parameters;

/// About algorithms.
pub(crate) fn algorithms() -> String {
    format!(
        "Algorithms, separated by commas: dd, plain, sep, dd-tpa, plain-tpa, sep-tpa, and those of this program. Parameters follow \
         after colons, such as `dd:beta_thresh=5:active=false`, and make another algorithm of it: sigma (a positive number), {}. \
         Default: those of this program, plain, sep and dd",
        parameters::help()
    )
}

/// About a single algorithm.
pub(crate) fn algorithm() -> String {
    format!(
        "The algorithm, with parameters after colons, such as `dd:damping=1`: sigma (a positive number), {}",
        parameters::help()
    )
}

/// About policies.
pub(crate) fn policies() -> String {
    "Policies, separated by commas: independent, ipop, nipop, bipop, nbipop, and those of this program. Parameters follow after \
     colons, such as `bipop:budget_share=0.25`: factor, sigma_divisor, sigma_decades, favour, budget_share, as far as a policy \
     has them. `all` for all of them. With `-probe` behind its name, such as `bipop-probe`, a policy has a probe along the axes after \
     its first run, with the parameters evaluations (for each coordinate) and sigma_factor"
        .to_string()
}

/// About problems.
pub(crate) fn functions(by_default: &[&str]) -> String {
    let names: Vec<&str> = Function::ALL.iter().map(|function| function.name()).collect();
    format!(
        "Problems, separated by commas: {}, and with -rotated behind it if a function is not so already; `all` for all of them; \
         the applied problems, such as gp and gp-naive, which have a dimension of their own, and `applied` for all of them; those of this \
         program. Default: those of this program or, if it has none, {}",
        names.join(", "),
        by_default.join(",")
    )
}
