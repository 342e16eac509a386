//! Random streams that do not meet: neither each other, nor an optimizer with the same seed. Knows no distribution.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Function;

/// What a stream is for. Each has its own numbers, so that drawing more of one leaves the others alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Shared by all functions of a seed, which look into the same direction.
    Orientation,
    /// Another one for each function and dimension: trials should not begin alike.
    InitialMean {
        function: Function,
        n: usize,
    },
    Noise,
    /// The start of a search of an applied problem.
    Start,
}

/// The generator of a seed for a purpose.
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
    // States that differ in a few bits give similar first numbers; after a jump they have nothing in common.
    rng.jump();
    rng
}
