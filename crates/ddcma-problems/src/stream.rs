//! Random streams that do not meet: neither each other, nor an optimizer with the same seed. Knows no distribution.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a stream is for. Each has its own numbers, so that drawing more of one leaves the others alone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Orientation = 1,
    InitialMean = 2,
    Noise = 3,
}

/// The generator of a seed for a purpose.
pub(crate) fn new(seed: u64, purpose: Purpose) -> Xoshiro256PlusPlus {
    let mut state = *b"________ddcma-problems stream _\0";
    state[..8].copy_from_slice(&seed.to_le_bytes());
    state[30] = b'0' + purpose as u8;
    let mut rng = Xoshiro256PlusPlus::from_seed(state);
    // States that differ in a few bits give similar first numbers; after a jump they have nothing in common.
    rng.jump();
    rng
}
