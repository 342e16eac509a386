//! Serves a problem to programs in other languages: one line in for each point, one line out for each value.
//!
//! The answer to `start SEED` is everything that a search needs, as JSON; the answer to a line of numbers is the value of that point.
//! Everything is on the scale of the search: logarithms if the start is scaled and the variable is logarithmic.

use std::io::{BufRead, Write};

use ddcma_core::{Variable, Variables};
use ddcma_lab::AppliedFamily;
use serde_json::{Value, json};

use crate::lab::LabError;

/// Answers until there are no more lines.
pub(super) fn serve(family: &AppliedFamily, lines: impl BufRead, mut out: impl Write) -> Result<(), LabError> {
    let failed = |error: std::io::Error| LabError::new(error.to_string());
    let variables = family.problem().variables(family.start(), 0);
    for line in lines.lines() {
        let line = line.map_err(failed)?;
        let answer = match line.trim().strip_prefix("start ") {
            Some(seed) => {
                let seed = seed
                    .trim()
                    .parse()
                    .map_err(|_| LabError::new(format!("the seed must be a whole number, got \"{seed}\"")))?;
                start(family, seed).to_string()
            }
            None => format!("{:e}", value(family, &variables, &line)?),
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(failed)?;
    }
    Ok(())
}

/// Returns the start of a search with a seed. Infinite numbers are null.
fn start(family: &AppliedFamily, seed: u64) -> Value {
    let problem = family.problem();
    let variables = problem.variables(family.start(), seed);
    let scaled = |number: fn(&Variable) -> f64| -> Vec<Option<f64>> {
        variables.iter().map(|variable| Some(variable.scaled(number(variable))).filter(|x| x.is_finite())).collect()
    };
    let start: Vec<f64> = variables.iter().zip(variables.start()).map(|(variable, x)| variable.scaled(x)).collect();
    json!({
        "lower": scaled(|variable| variable.bounds().0),
        "upper": scaled(|variable| variable.bounds().1),
        "start": start,
        "deviations": variables.deviations(),
        "target": problem.target(),
        "budget": problem.budget(),
    })
}

/// Returns the value of a point as text: +∞ outside the box.
fn value(family: &AppliedFamily, variables: &Variables, line: &str) -> Result<f64, LabError> {
    let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
    let point =
        numbers.map_err(|error| LabError::new(format!("\"{line}\" is neither a point nor `start SEED`: {error}")))?;
    if point.len() != variables.dimension() {
        let (got, n) = (point.len(), variables.dimension());
        return Err(LabError::new(format!(
            "a point of {} must have {n} coordinates, got {got}",
            family.problem().name()
        )));
    }
    let is_outside = |(variable, x): (&Variable, &f64)| {
        let (lower, upper) = variable.bounds();
        *x < variable.scaled(lower) || *x > variable.scaled(upper)
    };
    if point.iter().any(|x| x.is_nan()) {
        return Ok(f64::NAN);
    }
    if variables.iter().zip(&point).any(is_outside) {
        return Ok(f64::INFINITY);
    }
    let own: Vec<f64> = variables.iter().zip(&point).map(|(variable, x)| variable.unscaled(*x)).collect();
    Ok(family.problem().at(&own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(name: &str, lines: &str) -> Result<Vec<String>, LabError> {
        let mut out = Vec::new();
        serve(&AppliedFamily::from_name(name)?, lines.as_bytes(), &mut out)?;
        Ok(String::from_utf8_lossy(&out).lines().map(str::to_string).collect())
    }

    #[test]
    fn starts_and_values_are_those_of_the_problem() {
        let gp = AppliedFamily::from_name("gp").unwrap();
        let best = gp.problem().optimum().unwrap().clone();
        let logarithms: Vec<String> = best.point.unwrap().iter().map(|x| x.ln().to_string()).collect();
        let lines = format!("start 3\n{}\n9 9 9 9 9\nNaN 9 0 1 1\n", logarithms.join(" "));
        let answers = answers("gp", &lines).unwrap();
        let start: Value = serde_json::from_str(&answers[0]).unwrap();
        let first = start["start"][0].as_f64().unwrap().exp();
        assert!((first / gp.problem().start(gp.start(), 3)[0] - 1.0).abs() < 1e-12);
        assert_eq!(start["budget"], 20_000);
        assert!((answers[1].parse::<f64>().unwrap() / best.value - 1.0).abs() < 1e-9);
        assert_eq!(answers[2..], ["inf", "NaN"], "outside the box, and what is not a number");
    }

    #[test]
    fn problems_without_bounds_say_so_and_bad_lines_are_errors() {
        let start: Value = serde_json::from_str(&answers("lqr-naive", "start 1").unwrap()[0]).unwrap();
        assert!(start["lower"][0].is_null() && start["deviations"][0] == 1000.0);
        assert_eq!(answers("lqr", "NaN 0 0 0").unwrap(), ["NaN"]);
        let error = answers("lqr", "1 2").unwrap_err().to_string();
        assert_eq!(error, "a point of lqr must have 4 coordinates, got 2");
        assert!(answers("lqr", "a b c d").is_err() && answers("lqr", "start x").is_err());
    }
}
