//! Fingerprints: whether an algorithm, or a problem, is the one that made a record. Knows no experiment.

use ddcma_problems::from_fn;

use crate::{Algorithm, Family, LabError, Trial, TrialProblem};

/// The variables, and about the evaluations, of the short run of an algorithm.
const SHORT: (usize, u64) = (4, 600);

/// The bits of a short seeded run of an algorithm; none, if it is not deterministic.
pub fn of_algorithm(algorithm: &dyn Algorithm) -> Result<Option<u64>, LabError> {
    if !algorithm.is_deterministic() {
        return Ok(None);
    }
    let (n, budget) = SHORT;
    // An ellipsoid with a valley across the coordinates, and ripples for those who restart.
    let mut f = from_fn(n, |x: &[f64]| {
        let axes = x.iter().enumerate().map(|(k, x)| 10f64.powi(k as i32) * x * x + 0.1 * (1.0 - (9.0 * x).cos()));
        axes.sum::<f64>() + x.iter().sum::<f64>().powi(2)
    })
    .map_err(|error| LabError::new(error.to_string()))?;
    let problem = TrialProblem::new(&mut f, vec![1.0; n], 0.5, budget)?;
    let lambda = algorithm.lambda(n, None)?;
    let outcome = Trial::new(problem, f64::NEG_INFINITY, budget, 7, lambda).run(algorithm)?;
    Ok(Some(fnv(outcome.bits().flat_map(u64::to_le_bytes))))
}

/// The bits of a problem: where it starts, and its value there.
pub fn of_problem(family: &dyn Family, n: usize, seed: u64) -> Result<u64, LabError> {
    let mut bits = Vec::new();
    family.with(n, seed, &mut |problem| {
        let value = problem.objective.value(&problem.initial_mean);
        let numbers = problem.initial_mean.iter().chain([&problem.initial_sigma, &value]);
        bits.extend(numbers.map(|number| number.to_bits()));
    })?;
    Ok(fnv(bits.into_iter().flat_map(u64::to_le_bytes)))
}

/// FNV-1a, which no release of any library changes.
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, add)
}
