//! A run that is autosaved, repeatedly interrupted and restarted. It must end in the same state as an undisturbed run, and evaluate nothing
//! twice.

use ddcma_core::{Autosave, Fallible, Interrupted, Optimizer, With, step};

use super::case::Case;
use super::draw::Draw;
use super::runs::Stored;

/// The generations that are compared.
const GENERATIONS: u64 = 12;

/// Makes one such run in about fifty cases, depending on the seed, so that all other random draws stay the same.
pub(super) fn check<S: Stored>(case: &Case) -> Result<(), String> {
    if !(case.seed >> 8).is_multiple_of(50) {
        return Ok(());
    }
    let build = || case.build::<S>().map_err(|error| format!("a second start was rejected: {error}"));
    // Some values are missing; which ones depends only on the point.
    let f = |x: &[f64]| {
        let bits = x.iter().fold(0u64, |sum, x| sum.rotate_left(7) ^ x.to_bits());
        if bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60 == 0 { f64::NAN } else { x[0].abs().min(1e200) }
    };
    let mut undisturbed = build()?;
    for _ in 0..GENERATIONS {
        undisturbed.step(&mut { f }).map_err(|error| error.to_string())?;
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut draw = Draw::of_case(case.seed, 9);
    let every = draw.log_integer(1, 5) as u64;
    let mut evaluated = 0;
    loop {
        let autosave = Autosave::new(folder.path().join("run")).every_generations(every);
        let mut es: Optimizer<S> = build()?;
        let mut with = With::new().saving(autosave);
        with.begin(&mut es).map_err(|error| format!("not resumed: {error}"))?;
        let mut left = draw.below(4 * es.params().lambda());
        let mut failing = Fallible(|x: &[f64]| {
            left = left.checked_sub(1).ok_or(())?;
            evaluated += 1;
            Ok::<f64, ()>(f(x))
        });
        let ended = loop {
            if es.iterations() >= GENERATIONS {
                break true;
            }
            match step(&mut es, &mut failing, &mut with) {
                Ok(()) => {}
                Err(Interrupted::Objective { .. }) => break false,
                Err(_) => return Err("a run was interrupted without a fault".to_string()),
            }
        };
        if !ended {
            continue;
        }
        if es.to_checkpoint().ok() != undisturbed.to_checkpoint().ok() {
            return Err("a run that was saved and resumed ended in a different state".to_string());
        }
        if evaluated != undisturbed.evaluations() {
            return Err(format!("{evaluated} evaluations were made instead of {}", undisturbed.evaluations()));
        }
        return Ok(());
    }
}
