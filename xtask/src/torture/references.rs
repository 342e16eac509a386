//! Reference values that are set during a run, sensible ones and others.
//!
//! One run in three has them, depending on its seed, so that all other random draws stay the same.

use ddcma_core::{Optimizer, Stop, Strategy};

/// When a run gets another reference value.
#[derive(Clone, Copy, Debug)]
pub(super) struct References {
    seed: u64,
    /// The number of generations between changes; 0 for none.
    pub(super) every: u64,
}

impl References {
    pub(super) fn of_case(seed: u64) -> Self {
        Self { seed, every: if seed.is_multiple_of(3) { 1 + seed / 3 % 40 } else { 0 } }
    }

    /// Returns the reference value to set before a generation of a run with this best value, if it is time; it may be `None`.
    pub(super) fn before(self, generation: u64, best: f64) -> Option<Option<f64>> {
        if self.every == 0 || !generation.is_multiple_of(self.every) {
            return None;
        }
        let below = if best.is_finite() { best } else { 0.0 };
        Some(match (self.seed / 120 + generation / self.every) % 8 {
            0 => None,
            1 => Some(f64::NEG_INFINITY),
            2 => Some(f64::INFINITY),
            3 => Some(below),
            4 => Some(below - 1e-9 * below.abs()),
            5 => Some(below - 1e3 * below.abs().max(1.0)),
            6 => Some(f64::MIN),
            _ => Some(-0.0),
        })
    }
}

/// Checks that the numbers of a stop reason justify it, for reasons that involve references, and that NaN is rejected as a reference.
pub(super) fn check<S: Strategy>(es: &mut Optimizer<S>) -> Result<(), String> {
    let before = es.reference();
    if es.set_reference(f64::NAN).is_ok() || es.reference() != before {
        return Err("NaN was accepted as a reference value".to_string());
    }
    let good = match es.stop() {
        Some(Stop::Abandoned { least, reference, history, spread, ratio }) => {
            let above = Some(reference) == before && es.best_value() > reference && least >= es.best_value();
            above && history.max(spread) < ratio * (least - reference)
        }
        Some(Stop::Creeping { growth, limit, largest, best, reference }) => {
            let is_above = |reference: &f64| best > *reference;
            let known = reference == before.filter(is_above) && es.best_value() == best;
            known && growth > limit && (0.0..1.0).contains(&largest)
        }
        _ => true,
    };
    if good { Ok(()) } else { Err(format!("unjustified stop reason: {:?}", es.stop())) }
}
