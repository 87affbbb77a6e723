//! Noise for tests, here and in the crates that use this one: the same numbers for the same seed.

/// `n` values of standard normal white noise (sums of uniform numbers: near enough, and quick).
pub fn white(seed: u64, n: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

/// `n` values of a stationary AR(1) process with lag-1 correlation `r` and variance 1.
pub fn ar1(seed: u64, n: usize, r: f64) -> Vec<f64> {
    let mut last = 0.0;
    let noise = white(seed, n + 100);
    let process = noise.iter().map(|value| {
        last = r * last + (1.0 - r * r).sqrt() * value;
        last
    });
    process.skip(100).collect()
}
