//! The invariants that must hold after every generation, whatever was told. They use only the public interface of the optimizer.

use ddcma_core::{Bounds, Columns, Optimizer, Strategy};

use super::draw::Draw;
use crate::lab::root;

/// Checks that everything that must be finite or positive is.
///
/// `told` is the result of telling the last generation.
pub(super) fn state<S: Strategy, E>(es: &Optimizer<S>, told: &Result<(), E>) -> Result<(), String> {
    finite("m", es.mean())?;
    positive("σ", &[es.sigma()])?;
    positive("D", es.d())?;
    finite("p_σ", es.path_sigma().p())?;
    let shape = es.strategy().shape();
    if let Some(path) = shape.path {
        finite("p_c", path.p())?;
    }
    if let Some(variances) = shape.c_diagonal {
        positive("diag C", variances)?;
    }
    let axes = shape.axes;
    positive("the axes, β and α", &[axes.shortest, axes.longest, axes.beta, axes.alpha])?;
    // If σ·D leaves the range although neither factor does, the run has ended with a reason.
    if told.is_err() {
        return Ok(());
    }
    let deviations: Vec<f64> = es.deviations().collect();
    finite("the deviations", &deviations)
}

/// Checks C, entry by entry.
pub(super) fn covariance<S: Strategy>(es: &Optimizer<S>) -> Result<(), String> {
    let c = es.c();
    finite("C", c.as_slice())?;
    let diagonal: Vec<f64> = (0..c.dimension()).map(|k| c[k][k]).collect();
    positive("diag C", &diagonal)
}

/// Checks A⁻¹·A·z = z for a random z. Returns the error in units of ε·n·κ.
pub(super) fn root<S: Strategy + Clone>(es: &Optimizer<S>, draw: &mut Draw) -> Result<f64, String> {
    let n = es.d().len();
    let z = Columns::from_vec(n, (0..n).map(|_| draw.normal()).collect()).expect("one column");
    let strategy = es.strategy();
    let error = root::error(strategy, &z);
    let axes = strategy.shape().axes;
    let units = |condition: f64| root::units(error, n, condition);
    let estimated = units(axes.longest / axes.shortest);
    if estimated <= root::TOLERANCE {
        return Ok(estimated);
    }
    // Tracked axes may lag behind: compute all of them before reporting an error.
    let lengths = strategy.axis_lengths();
    let condition = lengths[n - 1] / lengths[0];
    let exact = units(condition);
    if exact <= root::TOLERANCE {
        return Ok(exact);
    }
    let followed = axes.longest / axes.shortest;
    Err(format!("A⁻¹·A·z is off by {error:e}, with an axis ratio of {condition:e} (tracked: {followed:e})"))
}

/// Checks that candidates are finite and feasible.
pub(super) fn candidates(points: &Columns, bounds: Option<&Bounds>) -> Result<(), String> {
    for (candidate, x) in points.iter().enumerate() {
        finite(&format!("candidate {candidate}"), x)?;
        let Some(bounds) = bounds else { continue };
        for (k, (x, (lower, upper))) in x.iter().zip(bounds.lower().zip(bounds.upper())).enumerate() {
            if !(lower..=upper).contains(x) {
                return Err(format!(
                    "coordinate {k} of candidate {candidate} is {x:e}, outside [{lower:e}, {upper:e}]"
                ));
            }
        }
    }
    Ok(())
}

/// Checks that two slices have the same bits.
pub(super) fn same(what: &str, one: &[f64], other: &[f64]) -> Result<(), String> {
    let equal = one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.to_bits() == b.to_bits());
    if equal { Ok(()) } else { Err(format!("{what}: not the same bits")) }
}

fn finite(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(k) => Err(format!("entry {k} of {what} is {}", numbers[k])),
        None => Ok(()),
    }
}

fn positive(what: &str, numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().position(|number| !(*number > 0.0 && number.is_finite())) {
        Some(k) => Err(format!("entry {k} of {what} is {:e}", numbers[k])),
        None => Ok(()),
    }
}

/// The best of all told values, tracked independently of the optimizer.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) evaluations: u64,
    best: Option<(Vec<f64>, f64, u64)>,
}

impl Told {
    /// Records the told values of a generation; of equally good ones, the first is the best.
    pub(super) fn add(&mut self, points: &Columns, values: &[f64], is_told: &[bool]) {
        for ((x, value), _) in points.iter().zip(values).zip(is_told).filter(|(_, is_told)| **is_told) {
            self.evaluations += 1;
            if self.best.as_ref().map_or(!value.is_nan(), |(_, best, _)| value < best) {
                self.best = Some((x.to_vec(), *value, self.evaluations));
            }
        }
    }

    /// Compares evaluations and the best point with those that the optimizer reports.
    pub(super) fn check(&self, evaluations: u64, best: Option<(&[f64], f64, u64)>) -> Result<(), String> {
        if evaluations != self.evaluations {
            return Err(format!("{evaluations} evaluations are reported, but {} were made", self.evaluations));
        }
        match (best, &self.best) {
            (None, None) => Ok(()),
            (Some((point, value, number)), Some((told, told_value, told_number))) => {
                same("the best point", point, told)?;
                same("the best value", &[value], &[*told_value])?;
                if number == *told_number {
                    Ok(())
                } else {
                    Err(format!("the best point is reported for evaluation {number}, but is from {told_number}"))
                }
            }
            (claimed, told) => Err(format!("the best is reported as {claimed:?}, but is {told:?}")),
        }
    }
}
