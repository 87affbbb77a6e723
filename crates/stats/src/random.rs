//! The seeded generator for resampling. The caller makes it and passes it in: the same seed gives the same report. The
//! generators of the crate rand may give other numbers after an update, which would change reports.

/// SplitMix64 (Steele, Lea and Flood 2014): one addition and two multiplications for each number, and any seed will
/// do. It passes the usual batteries; it is not for secrets.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator whose numbers follow from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A whole number from 0 to `bound - 1`; 0 for a bound of 0. The bias, bound / 2^64, is below any use here.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to, but without, 1, in steps of 2^-53.
    #[cfg(any(test, feature = "testing"))]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A random order of the items, in place (Fisher and Yates).
pub(super) fn shuffle<T>(items: &mut [T], random: &mut SplitMix64) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers() {
        let mut random = SplitMix64::new(1_234_567);
        let first = [random.next_u64(), random.next_u64(), random.next_u64()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_stay_within_their_bound() {
        let mut random = SplitMix64::new(0);
        assert_eq!(random.below(0), 0);
        let mut seen = [0; 5];
        for _ in 0..5000 {
            seen[random.below(5)] += 1;
            assert!((0.0..1.0).contains(&random.uniform()));
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
    }
}
