//! Checkpoints that were truncated, damaged or forged. Only the format of their header is used here.

use ddcma_core::{CheckpointError, Optimizer, storage};

use super::Trail;
use super::case::Case;
use super::draw::Draw;
use super::invariants;
use super::runs::Stored;
use crate::lab::names::with_strategy;

/// The largest number of variables; these tests do not need many.
const LARGEST_N: usize = 12;

/// Draws a checkpoint and damages it in many ways.
pub(super) fn run(draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let mut case = Case::draw(draw);
    case.start = vec![1.0; 1 + draw.below(LARGEST_N)];
    (case.sigma, case.deviations, case.bounds) = (1.0, None, None);
    let lambda = draw.log_integer(2, 30);
    (case.settings, case.rates_chosen) = super::case::settings(draw, lambda);
    case.settings = super::case::with_damping(super::case::with_step_size(case.settings, case.seed), case.seed);
    trail.drawn(&case);
    with_strategy!(case.strategy, S => spoil::<S>(&case, draw, trail))
}

fn spoil<S: Stored>(case: &Case, draw: &mut Draw, trail: &mut Trail) -> Result<(), String> {
    let Ok(mut es) = case.build::<S>() else {
        trail.ended("rejected", &"settings without parameters");
        return Ok(());
    };
    for _ in 0..draw.below(40) {
        let values: Vec<f64> = es.ask().iter().map(|_| draw.unit()).collect();
        let _ = es.tell(&values);
    }
    let good = es.to_checkpoint().map_err(|error| format!("not stored: {error}"))?;
    let (header, body) = good.split_at(16);
    let magic: &[u8; 8] = header.first_chunk().expect("eight bytes of sixteen");
    for attempt in 0..200 {
        trail.generation(attempt);
        let at = draw.below(good.len());
        let bit = 1u8 << draw.below(8);
        let kind = draw.below(6);
        let bytes = match kind {
            0 => good[..at].to_vec(),
            1 => {
                let mut bent = good.clone();
                bent[at] ^= bit;
                bent
            }
            2 => storage::seal(magic, 2 + draw.below(1000) as u32, body),
            3 => [&good[..], &vec![0; 1 + draw.below(20)]].concat(),
            4 => (0..draw.below(300)).map(|_| draw.bits() as u8).collect(),
            // With the right checksum, so that the content must be checked. Bytes of 0xff are absurd lengths, and invalid UTF-8.
            _ => {
                let mut forged = body.to_vec();
                let (at, length) = (draw.below(body.len()), 1 + draw.below(9));
                for byte in forged[at..].iter_mut().take(length) {
                    *byte = draw.pick(&[0xff, 0x00, 0x7f, 0x80, *byte ^ bit]);
                }
                storage::seal(magic, storage::FORMAT_VERSION, &forged)
            }
        };
        match Optimizer::<S>::from_checkpoint(&bytes) {
            Err(CheckpointError::Io { .. }) => return Err("an I/O error without a file".to_string()),
            Err(error) => drop(error.to_string()),
            Ok(restored) if kind == 5 => goes_on(restored, draw)?,
            Ok(restored) => {
                let same = restored.to_checkpoint().is_ok_and(|again| again == good) && bytes == good;
                if !same {
                    return Err(format!("damaged bytes of kind {kind} were accepted"));
                }
            }
        }
    }
    trail.ended("damaged", &"everything was rejected");
    Ok(())
}

/// Checks that a consistent forgery behaves like any other run: it continues, or stops with a reason.
fn goes_on<S: Stored>(mut es: Optimizer<S>, draw: &mut Draw) -> Result<(), String> {
    for _ in 0..3 {
        es.ask();
        let values: Vec<f64> = (0..es.params().lambda()).map(|_| draw.unit()).collect();
        let told = es.tell(&values);
        invariants::state(&es, &told).map_err(|error| format!("forged: {error}"))?;
        if told.is_err() && es.stop().is_none() {
            return Err(format!("forged: no reason to stop after {told:?}"));
        }
    }
    Ok(())
}
