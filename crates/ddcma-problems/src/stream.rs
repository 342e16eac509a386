//! Independent random streams: they differ from each other, and from those of an optimizer with the same seed.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Function;

/// The purpose of a stream. Each purpose has its own stream, so that drawing more from one does not change the others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Shared by all functions with the same seed, which have the same orientation.
    Orientation,
    /// Different for each function and dimension, so that trials do not start alike.
    InitialMean {
        function: Function,
        n: usize,
    },
    Noise,
    /// The start of a search of an applied problem.
    Start,
}

/// Creates the generator of a seed for a purpose.
pub(crate) fn new(seed: u64, purpose: Purpose) -> Xoshiro256PlusPlus {
    let mut state = *b"________________ddcma-problems _";
    state[..8].copy_from_slice(&seed.to_le_bytes());
    let (letter, detail) = match purpose {
        Purpose::Orientation => (b'o', 0),
        Purpose::InitialMean { function, n } => (b'm', ((function as u64) << 32) | n as u64),
        Purpose::Noise => (b'n', 0),
        Purpose::Start => (b's', 0),
    };
    state[8..16].copy_from_slice(&detail.to_le_bytes());
    state[31] = letter;
    let mut rng = Xoshiro256PlusPlus::from_seed(state);
    // States that differ in a few bits give similar first numbers; after a jump they are independent.
    rng.jump();
    rng
}
