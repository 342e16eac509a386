//! The random numbers from which data of applied problems are generated: SplitMix64, which anyone can reproduce.

/// A generator with 64 bits of state.
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        uniform(self.next())
    }

    /// Standard normal, by Box and Muller; the second one of a pair is not used.
    pub(super) fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// 53 of 64 random bits as a number in [0, 1).
pub(super) fn uniform(bits: u64) -> f64 {
    (bits >> 11) as f64 * (-53f64).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut rng = SplitMix64::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
        ];
        assert_eq!([(); 4].map(|()| rng.next()), published);
    }
}
