//! Fingerprints of algorithms and problems, to detect whether they have changed since they made a record.

use ddcma_core::Variables;
use ddcma_problems::from_fn;

use crate::{Algorithm, Family, LabError, Trial, TrialProblem};

/// A function for a short run of an algorithm.
type ShortFunction = fn(&[f64]) -> f64;

/// Short runs of an algorithm: number of variables, approximate number of evaluations, function.
const SHORT: [(usize, u64, ShortFunction); 2] = [(4, 600, valley), (2, 1500, terraces)];

/// An ellipsoid with a valley across the coordinates and ripples.
fn valley(x: &[f64]) -> f64 {
    let axes = x.iter().enumerate().map(|(k, x)| 10f64.powi(k as i32) * x * x + 0.1 * (1.0 - (9.0 * x).cos()));
    axes.sum::<f64>() + x.iter().sum::<f64>().powi(2)
}

/// Flat levels around the origin: a run soon sees only equal values, so algorithms with restarts do restart.
fn terraces(x: &[f64]) -> f64 {
    (4.0 * x.iter().map(|x| x * x).sum::<f64>()).floor()
}

/// Returns a hash of short seeded runs of an algorithm, including all evaluated points; `None` if it is not deterministic.
pub fn of_algorithm(algorithm: &dyn Algorithm) -> Result<Option<u64>, LabError> {
    if !algorithm.is_deterministic() {
        return Ok(None);
    }
    let mut bits = Vec::new();
    for (n, budget, function) in SHORT {
        let mut points = Vec::new();
        let mut f = from_fn(n, |x: &[f64]| {
            points.extend(x.iter().map(|x| x.to_bits()));
            function(x)
        })
        .map_err(|error| LabError::new(error.to_string()))?;
        let mut problem = TrialProblem::new(&mut f, vec![1.0; n], 0.5, budget)?;
        problem.domain = Some((-4.0, 5.0));
        let lambda = algorithm.lambda(n, None)?;
        let outcome = Trial::new(problem, f64::NEG_INFINITY, budget, 7, lambda)?.run(algorithm)?;
        bits.extend(outcome.bits());
        bits.extend(points);
    }
    Ok(Some(fnv(bits.into_iter().flat_map(u64::to_le_bytes))))
}

/// Returns a hash of a problem: its start, its deviations, and its value at the start.
pub fn of_problem(family: &dyn Family, n: usize, seed: u64) -> Result<u64, LabError> {
    let mut bits = Vec::new();
    family.with(n, seed, &mut |problem| {
        let value = problem.objective.value(&problem.initial_mean);
        let numbers = problem.initial_mean.iter().chain([&problem.initial_sigma, &value]);
        bits.extend(numbers.map(|number| number.to_bits()));
        let deviations = problem.variables.iter().flat_map(Variables::deviations);
        bits.extend(deviations.map(f64::to_bits));
    })?;
    Ok(fnv(bits.into_iter().flat_map(u64::to_le_bytes)))
}

/// Computes the FNV-1a hash, implemented here so that it never changes with a library.
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, add)
}

#[cfg(test)]
mod tests {
    use ddcma_core::DiagonalDecoding;
    use ddcma_restarts::{Past, Policy, Regime, RunPlan};

    use super::*;
    use crate::algorithm;

    /// A policy whose constants are not part of its description.
    #[derive(Clone)]
    struct Shrinking {
        factor: f64,
        lambda: usize,
    }

    impl std::fmt::Debug for Shrinking {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Shrinking")
        }
    }

    impl Policy for Shrinking {
        fn name(&self) -> &'static str {
            "shrinking"
        }

        fn next(&self, past: &Past<'_>, _: &mut dyn FnMut() -> f64) -> Option<RunPlan> {
            let sigma = past.sigma * self.factor.powi(past.runs.len() as i32);
            let lambda = past.lambda * self.lambda.pow(past.runs.len().min(4) as u32);
            Some(RunPlan { sigma, lambda, ..past.usual_run(Regime::First) })
        }
    }

    #[test]
    fn a_policy_that_plans_otherwise_has_another_fingerprint() {
        let of = |factor, lambda| {
            of_algorithm(&algorithm::<DiagonalDecoding>("mine").policy(Shrinking { factor, lambda })).unwrap().unwrap()
        };
        assert_eq!(of(0.5, 2), of(0.5, 2));
        assert_ne!(of(0.5, 2), of(0.5, 1));
        // The last bits of the step size.
        assert_ne!(of(0.5, 2), of(0.5 + 1e-15, 2));
    }
}
